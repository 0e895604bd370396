"""Compares two stored documents with any method: what corresponds, and why or why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.base.types import Document, Results, Span
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.methods.core.api import Explanation, Reason
from workbench.project.documents import load_document
from workbench.services.detecting.indexing import whole_index
from workbench.services.review.differences import Edit, differences
from workbench.services.session import Session
from workbench.text.normalisation import fold
from workbench.text.segmenting.segmentation import segments


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results for one pair; ``edits`` is parallel to its matches, ``parameters`` are all settings used."""

    a: Document
    b: Document
    parameters: Mapping[str, Any]
    results: Results
    edits: tuple[tuple[Edit, ...], ...]


def compare(session: Session, a: str | int, b: str | int, method: str, settings: Mapping[str, Any]) -> Comparison:
    """Apply ``method`` to just two documents (ids or keys). Raises UserError for unknown ones, ParameterError."""
    left, right = _load(session, a, b)
    chosen = registry.get(method)
    parameters = chosen.parameters.parse(settings)
    results = chosen.compare(left, right, parameters)
    edits = (tuple(differences(left.text, m.a_span, right.text, m.b_span)) for m in results.matches)
    return Comparison(left, right, parameters.as_dict(), results, tuple(edits))


def explain(session: Session, a: str | int, b: str | int, method: str, settings: Mapping[str, Any]) -> Explanation:
    """Why two documents (ids or keys) matched under ``method``, or why not. Raises as :func:`compare` does."""
    left, right = _load(session, a, b)
    chosen = registry.get(method)
    return chosen.explain(left, right, chosen.parameters.parse(settings))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a method finds for the text ``span`` of a suspect alone, as whole sentences.

    ``places``: where the same text occurs in the source, whatever its width, case, symbols and spaces.
    """

    span: Span
    places: tuple[Span, ...]
    explanation: Explanation

    @property
    def deciding(self) -> Reason | None:
        """The first rule that the text does not pass; None where it passes all."""
        return next((reason for reason in self.explanation.reasons if not reason.passed), None)


@dataclass(frozen=True, slots=True)
class Answer:
    """Why a pair matched or did not; ``asked`` is about the text that was chosen, where any was."""

    explanation: Explanation
    asked: Asked | None = None


def answer(
    ctx: Context,
    project: Path,
    a: Document,
    b: Document,
    method: str,
    settings: Mapping[str, Any],
    span: Span | None = None,
) -> Answer:
    """Why ``a`` and ``b`` matched in the project or did not, and ``span`` of ``a`` by itself; for a process of its own.

    Frequencies are those of the run's index, so that figures are the ones of its matches; of the pair alone where that
    index is no longer there.
    """
    ctx.check()
    chosen = registry.get(method)
    parameters = chosen.parameters.parse(settings)
    with Session(project, write=False) as session:
        folder = whole_index(session.project, chosen, parameters, ctx)
    index = None if folder is None else chosen.load(folder, parameters)
    explanation = chosen.explain(a, b, parameters, index)
    if span is None:
        return Answer(explanation)
    span = _sentences(a, span)
    alone = replace(a, text=a.text[span.start : span.end], blocks=(), anchors=(), markup="")
    of_passage = chosen.explain(alone, b, parameters, index)
    reasons = tuple(
        replace(r, a_span=None if r.a_span is None else _moved(r.a_span, span.start)) for r in of_passage.reasons
    )
    return Answer(explanation, Asked(span, equal_places(alone.text, b.text), replace(of_passage, reasons=reasons)))


def _sentences(document: Document, span: Span) -> Span:
    """``span`` widened to the sentences it touches."""
    touched = [
        s for s in segments(document.text, blocks=document.blocks) if min(s[1], span.end) > max(s[0], span.start)
    ]
    return Span(min(span.start, touched[0][0]), max(span.end, touched[-1][1])) if touched else span


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def equal_places(passage: str, text: str) -> tuple[Span, ...]:
    """Where ``passage`` occurs in ``text``, in order, whatever its width, case, symbols and spaces."""
    needle, folded = fold(passage).text, fold(text)
    spans: list[Span] = []
    at = folded.text.find(needle) if needle else -1
    while at >= 0:
        spans.append(Span(int(folded.start[at]), int(folded.end[at + len(needle) - 1])))
        at = folded.text.find(needle, at + len(needle))
    return tuple(spans)


def _load(session: Session, a: str | int, b: str | int) -> tuple[Document, Document]:
    with session.read() as connection:
        return load_document(connection, a), load_document(connection, b)
