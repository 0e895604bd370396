"""The text that a verdict was given for: its digest, and where it is once the document has another text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache

from workbench.base.types import Span
from workbench.project.imports import Version
from workbench.services.review.relocating import Relocation

NOWHERE = -1
"""In place of a document's key."""
_BETWEEN = ":"
_RELOCATIONS = 8
"""Pairs of texts that are kept aligned: those of the pair that is open, and of the one before."""


def digest(a: str, b: str) -> str:
    """The digest of a passage that is ``a`` in the suspect and ``b`` in the source."""
    return joined(side_digest(a), side_digest(b))


def side_digest(text: str) -> str:
    """SHA-256 of one side, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def joined(a: str, b: str) -> str:
    """The digest of a passage from those of its sides."""
    return a + _BETWEEN + b


def sides(whole: str) -> tuple[str, str]:
    """The digests of both sides; "" where ``whole`` is not that of a passage."""
    a, between, b = whole.partition(_BETWEEN)
    return (a, b) if between else ("", "")


class JudgedTexts:
    """The successive texts of documents with the same id; ``read`` gives the text of a document by its key.

    Use from any thread.
    """

    def __init__(self, read: Callable[[int], str]) -> None:
        self._versions: Mapping[str, tuple[Version, ...]] = {}
        self._relocation = lru_cache(_RELOCATIONS)(lambda old, new: Relocation(read(old), read(new)))
        self._text = lru_cache(_RELOCATIONS)(read)

    def follow(self, versions: Mapping[str, tuple[Version, ...]]) -> None:
        """Use ``versions`` as the texts of each id, oldest first; ids with a single text are left out."""
        self._versions = versions

    def changed(self, *ids: str) -> bool:
        """Whether any of ``ids`` has had several texts."""
        return any(name in self._versions for name in ids)

    def present(self, identity: str) -> int:
        """The key of the newest document of that id; 0 where it has had one text only."""
        return self._versions[identity][-1].key if identity in self._versions else 0

    def judged(self, identity: str, key: int, span: Span, wanted: str, when: str) -> int:
        """The key of the document with this id whose text ``span`` refers to; ``key`` if its own text is the same.

        ``wanted`` is the digest of that side. Without one the time of the verdict decides. NOWHERE if no text fits.
        """
        versions = self._versions.get(identity, ())
        own = next((v for v in versions if v.key == key), None)
        if own is None:
            return key
        if not wanted:
            then = next((v for v in reversed(versions) if v.since <= when), versions[0])
            return key if then.text == own.text else then.key
        for version in (own, *reversed(versions)):
            if side_digest(self._text(version.key)[span.start : span.end]) == wanted:
                return version.key
        return NOWHERE

    def now(self, identity: str, key: int, span: Span, wanted: str, when: str) -> Span | None:
        """Where ``span`` of the text that :meth:`judged` names is in the text of the document ``key``, if anywhere."""
        return self.place(self.judged(identity, key, span, wanted, when), key, span)

    def place(self, judged: int, key: int, span: Span) -> Span | None:
        """Where ``span`` of the text of document ``judged`` is in that of ``key``; None if too little of it is."""
        if judged == NOWHERE:
            return None
        return span if judged == key else self._relocation(judged, key).place(span)
