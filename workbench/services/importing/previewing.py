"""Previews what an import would read, in a separate process, before anything is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath

from workbench.base.types import Document, Role, Span
from workbench.jobs.context import Context
from workbench.project.documents import earlier_versions
from workbench.reading.formats import Failure
from workbench.services.importing.batch import ImportOptions
from workbench.services.importing.extracting import extract_records
from workbench.services.session import Session

_WORDS = {
    Role.SUSPECT: ("suspect", "suspects", "susp", "suspicious", "submission", "submissions", "submitted", "accused"),
    Role.SOURCE: ("source", "sources", "src", "original", "originals", "reference", "references"),
    Role.BACKGROUND: ("background",),
}
_INSIDE = {
    Role.SUSPECT: ("検査対象", "検査", "被疑", "疑い", "提出", "待查", "待检", "可疑", "提交"),
    Role.SOURCE: ("参照元", "出典", "原典", "原文", "原本", "来源", "來源", "源文"),
    Role.BACKGROUND: ("背景",),
}
"""Words in languages written without spaces; they count anywhere in a name."""
_PARENTS = 3
"""Number of folders above an input that are examined."""


class GuessBasis(StrEnum):
    """The basis of a guess, or why there is none."""

    NAME = "name"
    NO_SUSPECTS = "no suspects"
    """The project has sources, and no suspects yet."""
    NO_SOURCES = "no sources"
    MIXED = "mixed"
    """Names contradict each other."""
    NOTHING = "nothing"
    ROWS = "rows"
    """Every input states its own role."""


@dataclass(frozen=True, slots=True)
class RoleGuess:
    """The guessed role of the documents (None: unclear), its basis ``sign``, and the ``name`` with that sign."""

    role: Role | None
    sign: GuessBasis
    name: str = ""


def guess_role(paths: Sequence[Path], counts: Mapping[str, int], previews: PreviewList | None = None) -> RoleGuess:
    """The role of the documents of ``paths``.

    ``counts`` is the project's number of documents by role, ``previews`` the content of ``paths``, once known. The
    innermost folder with a significant name decides; a project that has only sources, or only suspects, gets the other
    role.
    """
    items = [] if previews is None else [item for item in previews.items if item.document is not None]
    if previews is not None and previews.complete and items and all(item.role is not None for item in items):
        return RoleGuess(Role.SOURCE, GuessBasis.ROWS)
    above = [_of_parts(path.resolve().parts[-_PARENTS:]) for path in paths]
    inside = [_of_parts(PurePosixPath(item.name.replace("!", "/")).parts) for item in items]
    signs = inside if any(inside) else above
    roles = {sign[0] for sign in signs if sign is not None}
    first = next((sign for sign in signs if sign is not None), None)
    if len(roles) > 1:
        return RoleGuess(None, GuessBasis.MIXED)
    if first is not None and all(sign is not None for sign in signs):
        return RoleGuess(first[0], GuessBasis.NAME, first[1])
    suspects, sources = counts.get(Role.SUSPECT, 0), counts.get(Role.SOURCE, 0)
    if sources and not suspects:
        return RoleGuess(Role.SUSPECT, GuessBasis.NO_SUSPECTS)
    if suspects and not sources:
        return RoleGuess(Role.SOURCE, GuessBasis.NO_SOURCES)
    return RoleGuess(None, GuessBasis.NOTHING)


def _of_parts(parts: Sequence[str]) -> tuple[Role, str] | None:
    """The role given by the innermost of ``parts`` that names exactly one, and that part."""
    for part in reversed(parts):
        roles = [role for role in Role if _names_role(part, role)]
        if len(roles) == 1:
            return roles[0], part
    return None


def _names_role(part: str, role: Role) -> bool:
    """Whether a folder's name has a word for ``role``, or a file's name begins with one
    ("suspicious-document00265.txt").
    """
    words = re.findall(r"[^\W\d_]+", part.casefold())
    words = words[:1] if "." in part else words
    return any(word in _WORDS[role] for word in words) or any(word in part for word in _INSIDE[role])


CHARACTERS = 20_000
"""Characters of a text shown in a preview; ``length`` is the full number."""


@dataclass(frozen=True, slots=True)
class PreviewItem:
    """One input: the beginning of its text and how it was read, or why it cannot be. ``length`` in code points.

    ``role`` is the input's own, ``has_id`` whether it has an id of its own; ``is_picture`` if it has no text but text
    recognition can read it.
    """

    name: str
    document: Document | None
    length: int = 0
    error: str = ""
    role: Role | None = None
    is_picture: bool = False
    has_id: bool = False


@dataclass(frozen=True, slots=True)
class PreviewList:
    """The first inputs in order; ``complete`` says whether these are all."""

    items: tuple[PreviewItem, ...]
    complete: bool


def preview_inputs(
    ctx: Context, paths: Sequence[Path], options: ImportOptions | None = None, limit: int = 50
) -> PreviewList:
    """The first ``limit`` inputs of ``paths`` as importing them would read them. Raises ParameterError, Cancelled."""
    items: list[PreviewItem] = []
    with closing(extract_records(ctx, paths, replace(options or ImportOptions(), workers=1))) as extracted:
        for name, read in extracted:
            if len(items) == limit:
                return PreviewList(tuple(items), complete=False)
            if isinstance(read, Failure):
                items.append(PreviewItem(name, None, error=read.error, is_picture=read.is_picture))
            else:
                shown = _beginning(read.document)
                has_id = read.id is not None
                items.append(PreviewItem(name, shown, len(read.document.text), role=read.role, has_id=has_id))
    return PreviewList(tuple(items), complete=True)


def kept_roles(items: Sequence[PreviewItem]) -> Callable[[Session], list[Role | None]]:
    """The role of the document that each of ``items`` would be a new version of; None if there is none."""
    documents = [item.document or Document("", "") for item in items]
    named = {at for at, item in enumerate(items) if item.has_id}

    def read(session: Session) -> list[Role | None]:
        with session.read() as connection:
            known = earlier_versions(connection, documents, named)
        return [None if earlier is None else earlier.role for earlier in known]

    return read


def _beginning(document: Document) -> Document:
    """The part of ``document`` to show: its first CHARACTERS characters, with their blocks and flags."""
    flags = document.extraction.integrity
    extraction = replace(
        document.extraction, looks=(), integrity=tuple(flag._replace(spans=_cut(flag.spans)) for flag in flags)
    )
    shown = (block for block in document.blocks if block.span.start < CHARACTERS)
    blocks = tuple(block._replace(span=span) for block in shown for span in _cut([block.span]))
    text = document.text[:CHARACTERS]
    return replace(
        document, text=text, blocks=blocks, extraction=extraction,
        links=(), anchors=(), markup="", original=b"", words=(),
    )  # fmt: skip


def _cut(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The parts of ``spans`` within the first CHARACTERS."""
    return tuple(Span(span.start, min(span.end, CHARACTERS)) for span in spans if span.start < CHARACTERS)
