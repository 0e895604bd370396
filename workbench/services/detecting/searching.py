"""Finds where else in a project a passage occurs, whole or in part, ignoring width, case, symbols and spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Role, Span
from workbench.jobs.context import Context
from workbench.project.database import open_project
from workbench.project.documents import count_documents, iter_documents
from workbench.text.normalisation import Folded, fold
from workbench.text.segmenting.segmentation import segments

SHORTEST = 5
"""Shortest sentence, in characters other than symbols and spaces, that is searched for on its own."""
_STAGE = Message("Searching")


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A document that contains a passage, or ``sentences`` of its sentences; ``span`` is the first occurrence.

    ``times`` is how often the whole passage occurs there; 0 if only some sentences do.
    """

    key: int
    id: str
    title: str
    role: Role
    language: str
    span: Span
    times: int
    sentences: int


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Occurrences of a passage of ``sentences`` sentences, the most complete first; ``documents`` is the number
    searched.
    """

    places: tuple[SearchHit, ...]
    sentences: int
    documents: int


def find_elsewhere(ctx: Context, project_path: Path, passage: str, left_out: int = 0) -> Elsewhere:
    """Documents of the project, except the one with key ``left_out``, that contain ``passage`` or sentences of it.

    Raises UserError for a passage without letters, Cancelled.
    """
    needle = fold(passage).text
    if not needle:
        raise UserError(Message("There are no letters in the passage."), hint=Message("Select some words first."))
    parts = [fold(passage[start:end]).text for start, end in segments(passage)]
    sentences = list(dict.fromkeys(part for part in parts if len(part) >= SHORTEST)) or [needle]
    places = []
    searched = 0
    with open_project(project_path, write=False) as project, project.read() as connection:
        total = count_documents(connection)
        for done, document in enumerate(iter_documents(connection)):
            ctx.advance(_STAGE, done, total)
            ctx.check()
            if document.key == left_out:
                continue
            searched += 1
            if place := _place(document, needle, sentences):
                places.append(place)
    places.sort(key=lambda p: (-(p.times > 0), -p.sentences, p.key))
    return Elsewhere(tuple(places), len(sentences), searched)


def _place(document: Document, needle: str, sentences: Sequence[str]) -> SearchHit | None:
    folded = fold(document.text)
    times = folded.text.count(needle)
    present = [s for s in sentences if s in folded.text]
    if not present and not times:
        return None
    longest = needle if times else present[0]
    span = _original(folded, folded.text.index(longest), len(longest))
    whole_sentences = len(sentences) if times else len(present)
    return SearchHit(
        document.key, document.id, document.title, document.role, document.language, span, times, whole_sentences
    )


def _original(folded: Folded, start: int, length: int) -> Span:
    return Span(int(folded.start[start]), int(folded.end[start + length - 1]))
