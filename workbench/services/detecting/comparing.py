"""Compares two stored documents with any method: which passages correspond, and why or why not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import BlockClass, Document, Results, Run, Span
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.methods.core.api import Explanation, Method, Reason
from workbench.project.database import Connection
from workbench.project.documents import load_document, version_before
from workbench.project.run_documents import present_documents, run_documents
from workbench.services.detecting.corpus import ProjectCorpus, scope_of, scope_of_run, settled
from workbench.services.detecting.indexing import whole_index
from workbench.services.review.differences import Edit, differences
from workbench.services.session import Session
from workbench.text.normalisation import fold
from workbench.text.segmenting.segmentation import segments


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results for one pair; ``edits`` is parallel to the matches, ``parameters`` are all settings used."""

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


def diff(ctx: Context, project: Path, a: str, b: str = "") -> tuple[Document, Document, list[Edit]]:
    """The edits that turn the text of document ``a`` (id) into that of ``b``; without ``b``, those that turn its
    earlier version into ``a``. Raises UserError for an unknown document, and without an earlier version.
    """
    ctx.check()
    with Session(project, write=False) as session, session.read() as connection:
        left, right = load_document(connection, a), load_document(connection, b or a)
        if not b:
            left = version_before(connection, right)
    edits = differences(left.text, Span(0, len(left.text)), right.text, Span(0, len(right.text)))
    return left, right, edits


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """A method's findings for an excerpt of a suspect or, with ``of_source``, of its source.

    ``chosen`` is the excerpt, ``places`` its occurrences in the other document, ignoring width, case, symbols and
    spaces. Methods compare sentences, so ``explanation`` is about the whole sentences ``span``: those around ``chosen``
    or, for an excerpt of a source with ``places``, around the first of these.
    """

    chosen: Span
    span: Span
    places: tuple[Span, ...]
    explanation: Explanation
    of_source: bool = False
    in_suspect: bool = True


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """Why a pair matched or did not; ``of_text`` explains the chosen excerpt, if any.

    ``of_collection``: whether frequencies come from the run's index, or from the two texts if it no longer exists or
    these are not ``compared``: a detection with these settings does not compare the first with the second.
    """

    explanation: Explanation
    of_text: TextAnswer | None = None
    of_collection: bool = True
    compared: bool = True


def answer(
    ctx: Context,
    project: Path,
    a: Document,
    b: Document,
    method: str,
    settings: Mapping[str, Any],
    chosen: Span | None = None,
    of_source: bool = False,
) -> PairExplanation:
    """Why ``a`` and ``b`` matched in the project or did not, and the same for the excerpt ``chosen`` of ``a``.

    With ``of_source``, ``chosen`` is an excerpt of ``b``. If its sentences also occur in ``a``, they are looked up
    there, because methods search from the suspect's side.

    Run it in a separate process. ``settings`` apply to the project as in a detection. Frequencies come from the run's
    index, so that figures agree with its matches; from the pair alone if that index no longer exists, and for sentences
    that only the source has. Raises ParameterError, Cancelled.
    """
    ctx.check()
    used = registry.get(method)
    with Session(project, write=False) as session:
        with session.read() as connection:
            parameters = settled(connection, used, settings)
            compared = _compares(connection, used, parameters, a, b)
        folder = whole_index(session.project, used, parameters, ctx)
    index = None if folder is None else used.load(folder, parameters)
    explanation = used.explain(a, b, parameters, index)
    of_collection = (index is not None and compared) or not explanation.reasons
    if chosen is None:
        return PairExplanation(explanation, None, of_collection, compared)
    if not of_source:
        return PairExplanation(explanation, _of_suspect(used, a, b, parameters, index, chosen), of_collection, compared)
    places = equal_places(b.text[chosen.start : chosen.end], a.text)
    span = _sentences(b, chosen)
    there = equal_places(b.text[span.start : span.end], a.text)
    if there:
        of_text = _of_suspect(used, a, b, parameters, index, there[0])
        of_text = replace(of_text, chosen=chosen, places=places, of_source=True)
        return PairExplanation(explanation, of_text, of_collection, compared)
    of_passage = used.explain(a, _alone(b, span), parameters)
    reasons = tuple(
        replace(r, b_span=None if r.b_span is None else _moved(r.b_span, span.start)) for r in of_passage.reasons
    )
    of_text = TextAnswer(chosen, span, places, replace(of_passage, reasons=reasons), of_source=True, in_suspect=False)
    return PairExplanation(explanation, of_text, False, compared)


def _compares(connection: Connection, method: Method, parameters: Any, a: Document, b: Document) -> bool:
    """Whether a detection compares ``a`` with ``b``; true of methods that score documents by the whole collection."""
    if method.emits == {"scores"}:
        return True
    scope, examined = scope_of(parameters), method.roles(parameters)[1]
    indexed = method.index_roles(ProjectCorpus(connection, scope), parameters)
    among = present_documents(connection, {a.role, b.role}, scope).by_key() if scope else {a.key, b.key}
    return a.role in examined and b.role in indexed and {a.key, b.key} <= set(among)


def _of_suspect(used: Method, a: Document, b: Document, parameters: Any, index: Any, chosen: Span) -> TextAnswer:
    span = _sentences(a, chosen)
    of_passage = used.explain(_alone(a, span), b, parameters, index)
    reasons = tuple(
        replace(r, a_span=None if r.a_span is None else _moved(r.a_span, span.start)) for r in of_passage.reasons
    )
    places = equal_places(a.text[chosen.start : chosen.end], b.text)
    if parameters.content and not of_passage.matched:
        reasons = _with_source_left_out(reasons, places, b)
    return TextAnswer(chosen, span, places, replace(of_passage, reasons=reasons))


def _with_source_left_out(reasons: tuple[Reason, ...], places: Sequence[Span], source: Document) -> tuple[Reason, ...]:
    """``reasons``; if all ``places`` are in non-content blocks of ``source``, preceded by a reason that says so."""
    left_out = [block for block in source.blocks if block.verdict is BlockClass.NON_CONTENT]
    around = [next((b for b in left_out if b.span.overlap(place)), None) for place in places]
    if not around or around[0] is None or None in around:
        return reasons
    detail = Message("in {id}, this text is not content: {rule}", id=source.id, rule=around[0].rule)
    first = Reason(Message("content blocks"), False, detail, None, places[0], decides=True)
    return (first, *(replace(reason, decides=False) for reason in reasons))


def explain(
    ctx: Context,
    project: Path,
    a: str | int,
    b: str | int,
    method: str,
    settings: Mapping[str, Any],
    chosen: Span | str | None = None,
    of_source: bool = False,
) -> PairExplanation:
    """Like :func:`answer`, for documents given by id or key; ``chosen`` may also be a string from ``a`` or, with
    ``of_source``, from ``b``.

    Raises UserError for an unknown document and for a string that does not occur in it, ParameterError, Cancelled.
    """
    with Session(project, write=False) as session:
        left, right = _load(session, a, b)
    if chosen is None:
        return answer(ctx, project, left, right, method, settings)
    document = right if of_source else left
    if isinstance(chosen, str):
        places = equal_places(chosen, document.text)
        if not places:
            raise UserError(Message("This text is not in the document {id}.", id=document.id))
        chosen = places[0]
    if not 0 <= chosen.start < chosen.end <= len(document.text):
        raise UserError(
            Message(
                "{id} has {count} characters; {span} is not a part of it.",
                id=document.id,
                count=f"{len(document.text):,}",
                span=f"{chosen.start}-{chosen.end}",
            )
        )
    return answer(ctx, project, left, right, method, settings, chosen, of_source)


def has_read(session: Session, run: Run, key: int) -> bool:
    """Whether ``run`` was applied to the document ``key``: not to one that was imported later."""
    with session.read() as connection:
        return key in run_documents(connection, run, scope_of_run(run)).by_key()


def has_compared(session: Session, run: Run, a: str, b: str) -> bool:
    """Whether ``run`` compared the documents ``a`` and ``b`` (ids), in any direction: by their roles then. A method
    that scores each document by itself has compared it with itself.

    Raises UserError for an unknown document.
    """
    keys = [document.key for document in _load(session, a, b)]
    method = registry.get(run.method)
    indexed, examined = method.roles(method.parameters.parse(run.parameters))
    with session.read() as connection:
        roles = run_documents(connection, run, scope_of_run(run)).by_key()
    one, other = (roles.get(key) for key in keys)
    if keys[0] == keys[1]:
        return method.emits == {"scores"} and one in examined
    return any(x in examined and y in indexed for x, y in ((one, other), (other, one)))


def _alone(document: Document, span: Span) -> Document:
    """The excerpt ``span`` of ``document`` with its blocks, so that segmentation and exclusions match the whole
    document.
    """
    blocks = tuple(
        block._replace(
            span=Span(max(block.span.start, span.start) - span.start, min(block.span.end, span.end) - span.start)
        )
        for block in document.blocks
        if block.span.overlap(span)
    )
    return replace(document, text=document.text[span.start : span.end], blocks=blocks, anchors=(), markup="")


def _sentences(document: Document, span: Span) -> Span:
    """``span`` widened to the sentences it touches."""
    touched = [
        s for s in segments(document.text, blocks=document.blocks) if min(s[1], span.end) > max(s[0], span.start)
    ]
    return Span(min(span.start, touched[0][0]), max(span.end, touched[-1][1])) if touched else span


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def equal_places(passage: str, text: str) -> tuple[Span, ...]:
    """Occurrences of ``passage`` in ``text``, in order, ignoring width, case, symbols and spaces.

    A passage of symbols only is searched verbatim.
    """
    needle, folded = fold(passage).text, fold(text)
    if not needle:
        return tuple(Span(*hit.span()) for hit in re.finditer(re.escape(passage.strip()), text) if hit[0])
    spans: list[Span] = []
    at = folded.text.find(needle)
    while at >= 0:
        spans.append(Span(int(folded.start[at]), int(folded.end[at + len(needle) - 1])))
        at = folded.text.find(needle, at + len(needle))
    return tuple(spans)


def _load(session: Session, a: str | int, b: str | int) -> tuple[Document, Document]:
    with session.read() as connection:
        return load_document(connection, a), load_document(connection, b)
