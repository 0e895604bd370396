"""The judged text of a verdict: its digest, and its place after the document's text has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import Indel, Levenshtein

from workbench.base.types import Ints, Span, Tier
from workbench.project.imports import DocumentVersion, present_version, version_at
from workbench.services.review.spans import share
from workbench.text.normalisation import folded_text
from workbench.text.segmenting.segmentation import segments


def tier_of(a: str, b: str) -> Tier:
    """The tier of a passage that is ``a`` in the suspect and ``b`` in the source."""
    if a == b:
        return Tier.EXACT
    return Tier.FOLDED if folded_text(a) == folded_text(b) else Tier.ALTERED


ENOUGH = 0.5
"""Minimum share of a passage, before and after, that must be the same text."""
_RUN = 8
"""Minimum length of an equal run inside a changed stretch that counts as the same text; shorter ones occur anywhere."""
_STRETCH = 20_000
"""Maximum length of a changed stretch that is compared character by character: memory grows with its square."""

Stretch = tuple[int, int, int]
"""Equal text: its start in the old text, its start in the new one, its length."""


class Relocation:
    """Maps spans of the text ``old`` to the later text ``new``."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def place(self, span: Span) -> Span | None:
        """Where the text of ``span`` is in the new text; None if less than ENOUGH of it is.

        Equal text counts wherever it moved, and with other line ends and spaces; among several places, the nearest.
        Changed text is located by its sentences in the same order and, inside changed ones, by characters.
        """
        wanted = self._old[span.start : span.end]
        if not wanted:
            return None
        if self._new[span.start : span.end] == wanted:
            return span
        if places := list(_occurrences(wanted, self._new)):
            start = min(places, key=lambda at: (abs(at - span.start), at))
            return Span(start, start + len(wanted))
        if (spaced := self._spaced(span)) is not None:
            return spaced
        kept = list(self._kept(span))
        if not kept:
            return None
        moved = Span(kept[0][1], kept[-1][1] + kept[-1][2])
        same = sum(length for _, _, length in kept)
        return moved if share(same, max(len(wanted), moved.end - moved.start)) >= ENOUGH else None

    def _spaced(self, span: Span) -> Span | None:
        """Where the text of ``span`` is in the new text with other white space."""
        (old, old_places), (new, new_places) = self._solid
        first, last = np.searchsorted(old_places, span).tolist()
        places = _occurrences(old[first:last], new) if first < last else ()
        start = min(places, key=lambda at: (abs(at - first), at), default=None)
        return None if start is None else Span(int(new_places[start]), int(new_places[start + last - first - 1]) + 1)

    @cached_property
    def _solid(self) -> list[tuple[str, Ints]]:
        """Both texts without white space, with the places of their characters."""
        return [
            ("".join(text.split()), np.fromiter((at for at, c in enumerate(text) if not c.isspace()), np.int64))
            for text in (self._old, self._new)
        ]

    def _kept(self, span: Span) -> Iterator[Stretch]:
        """The equal stretches inside ``span``, in order."""
        for equal, old, new in self._stretches:
            if old.start >= span.end or old.end <= span.start:
                continue
            parts = [(old.start, new.start, old.end - old.start)] if equal else self._inside(old, new)
            for a, b, length in parts:
                first, last = max(a, span.start), min(a + length, span.end)
                if first < last:
                    yield first, b + first - a, last - first

    @cached_property
    def _stretches(self) -> list[tuple[bool, Span, Span]]:
        """Both texts cut into stretches of sentences, equal or changed, in order."""
        numbers: dict[str, int] = {}
        cuts = [_cuts(text) for text in (self._old, self._new)]
        left, right = (
            [numbers.setdefault(text[i:j], len(numbers)) for i, j in pairwise(at)]
            for text, at in zip((self._old, self._new), cuts, strict=True)
        )
        stretches = []
        a = b = 0
        for block in Levenshtein.editops(left, right).as_matching_blocks():
            ends = block.a + block.size, block.b + block.size
            for equal, i, j, k, m in ((False, a, block.a, b, block.b), (True, block.a, ends[0], block.b, ends[1])):
                if i < j:
                    stretches.append((equal, Span(cuts[0][i], cuts[0][j]), Span(cuts[1][k], cuts[1][m])))
            a, b = ends
        return stretches

    def _inside(self, old: Span, new: Span) -> list[Stretch]:
        """Equal runs of a changed stretch; none if it is too long."""
        if max(old.end - old.start, new.end - new.start) > _STRETCH:
            return []
        ops = Indel.editops(self._old[old.start : old.end], self._new[new.start : new.end])
        return [(old.start + m.a, new.start + m.b, m.size) for m in ops.as_matching_blocks() if m.size >= _RUN]


def _cuts(text: str) -> list[int]:
    """Where ``text`` is cut into sentences, from its start to its end."""
    return sorted({0, len(text), *(s.end for s in segments(text))})


def _occurrences(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


NOWHERE = -1
"""Used instead of a document's key."""
_BETWEEN = ":"
_RELOCATIONS = 8
"""Number of text pairs whose alignment is cached: those of the open pair and of the previous one."""


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
    """The digests of both sides; "" if ``whole`` is not a passage's."""
    a, between, b = whole.partition(_BETWEEN)
    return (a, b) if between else ("", "")


class JudgedTexts:
    """The successive texts of documents with the same id; ``read`` gives the text of a document by its key.

    Use from any thread.
    """

    def __init__(self, read: Callable[[int], str]) -> None:
        self._versions: Mapping[str, tuple[DocumentVersion, ...]] = {}
        self._relocation = lru_cache(_RELOCATIONS)(lambda old, new: Relocation(read(old), read(new)))
        self._text = lru_cache(_RELOCATIONS)(read)

    def follow(self, versions: Mapping[str, tuple[DocumentVersion, ...]]) -> None:
        """Use ``versions`` as the texts of each id, oldest first; ids with a single text are left out."""
        self._versions = versions

    @property
    def keys(self) -> list[int]:
        """The documents with the texts."""
        return [version.key for of_id in self._versions.values() for version in of_id]

    @property
    def has_changes(self) -> bool:
        """Whether any id has had several texts."""
        return bool(self._versions)

    def changed(self, *ids: str) -> bool:
        """Whether any of ``ids`` has had several texts."""
        return any(name in self._versions for name in ids)

    def present(self, identity: str) -> int:
        """The key of the present document of that id, else the newest; 0 if it has had only one text."""
        return present_version(self._versions[identity]).key if identity in self._versions else 0

    def judged(self, identity: str, key: int, span: Span, wanted: str, when: str) -> int:
        """The key of the document with this id whose text ``span`` refers to; ``key`` if its own text is the same.

        ``wanted`` is the digest of that side. Without a digest, the time of the verdict decides. NOWHERE if no text
        fits.
        """
        versions = self._versions.get(identity, ())
        own = next((v for v in versions if v.key == key), None)
        if own is None:
            return key
        if not wanted:
            then = version_at(versions, when)
            return key if then.text == own.text else then.key
        for version in (own, *reversed(versions)):
            if side_digest(self._text(version.key)[span.start : span.end]) == wanted:
                return version.key
        return NOWHERE

    def is_another(self, identity: str, key: int, wanted: str, when: str) -> bool:
        """Whether the text with the digest ``wanted`` (without one: that of ``identity`` at the time ``when``) is
        another than that of the document ``key``, 0 for the newest.
        """
        versions = self._versions.get(identity, ())
        own = next((v for v in versions if v.key == (key or self.present(identity))), None)
        if own is None:
            return False
        return wanted != own.text if wanted else self.judged(identity, own.key, Span(0, 0), "", when) != own.key

    def are_same_words(self, judged: int, before: Span, key: int, now: Span) -> bool:
        """Whether ``before`` in the text of ``judged`` is ``now`` in that of ``key``, apart from white space."""
        one, other = (self._text(of)[span.start : span.end] for of, span in ((judged, before), (key, now)))
        return one == other or "".join(one.split()) == "".join(other.split())

    def now(self, identity: str, key: int, span: Span, wanted: str, when: str) -> Span | None:
        """Like :meth:`place`, for ``span`` of the text that :meth:`judged` returns."""
        return self.place(self.judged(identity, key, span, wanted, when), key, span)

    def place(self, judged: int, key: int, span: Span) -> Span | None:
        """The position in the text of ``key`` of ``span`` in the text of ``judged``; None if too little remains."""
        if judged == NOWHERE:
            return None
        return span if judged == key else self._relocation(judged, key).place(span)
