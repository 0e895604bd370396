"""Looking up a text that is not part of the project, in the indexes of its runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, DocumentScore, Extraction, Match, PairScore, Results, Role, RunState, Span
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.methods.core.api import Method, Parameters
from workbench.project.database import Connection, Project, open_project
from workbench.project.documents import load_document
from workbench.project.listing import DocumentItem, items_of, last_key
from workbench.project.runs import runs
from workbench.reading.decoding import clean, decode
from workbench.reading.integrity import with_flags
from workbench.services.detecting.corpus import ProjectCorpus, scope_of, settled
from workbench.services.detecting.indexing import index_folder, passing_index, whole_index
from workbench.services.importing.batch import ImportOptions
from workbench.services.importing.extracting import extract_files
from workbench.text.languages import detect_language

FALLBACK = "copies"
"""The method used if no run has an index."""
GONE = Message("its index no longer exists; run this method alone to rebuild it")
CLOSED = Message("not indexed; run this method alone to include the text")
_STAGE = Message("Looking up")
NOTHING = Message("There is no text to look up.")
EXCERPT = 400
"""Characters of a source's passage that a hit shows."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A method's finding for the text in one document; ``finding`` has the text's key as ``a``.

    ``excerpt`` is the beginning of the document's passage, at most :data:`EXCERPT` characters; empty without a
    position.
    """

    method: str
    document: DocumentItem
    finding: Match | PairScore
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Lookup:
    """The findings: ``hits`` by method in the order of ``by_method``, the highest score first; ``scores`` of the text
    itself, by method; ``unasked``: methods whose index cannot be used, with the reason; ``excluded``: each method's
    counts of excluded items, by reason.
    """

    text: Document
    by_method: Mapping[str, Mapping[str, Any]]
    hits: tuple[Hit, ...]
    scores: tuple[tuple[str, DocumentScore], ...]
    unasked: Mapping[str, str]
    excluded: Mapping[str, Mapping[str, int]]


def as_text(data: bytes | str, name: str) -> Document:
    """A typed text, or bytes of plain text in any encoding. Raises UserError if it is empty."""
    if isinstance(data, bytes):
        decoded = decode(data)
        text, how = decoded.text, Extraction("text", decoded.encoding, decoded.source, decoded.repairs)
    else:
        text, repairs = clean(data)
        how = Extraction("pasted", "utf-8", "", repairs)
    if not text.strip():
        raise UserError(NOTHING)
    return with_flags(Document(name, text, Role.SUSPECT, language=detect_language(text), extraction=how))


def as_file(ctx: Context, path: Path) -> Document:
    """The text of a file of any format that can be imported. Raises UserError unless it contains exactly one text."""
    with closing(extract_files(ctx, [path], ImportOptions(workers=1))) as extracted:
        first, second = next(extracted, None), next(extracted, None)
    if first is None:
        raise UserError(NOTHING, path=path)
    document = first[1]
    if isinstance(document, str):
        raise UserError(document, path=path)
    if second is not None:
        raise UserError(
            Message("This file contains several texts; one is looked up at a time."),
            path=path,
            hint=Message("Import the file, or look up the texts one by one."),
        )
    return replace(document, id=str(path), role=Role.SUSPECT, markup="")


def look_up(
    ctx: Context,
    project_path: Path,
    text: Document,
    method: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Lookup:
    """The methods' findings for ``text``; nothing is stored in the project.

    Without ``method``, the index of each method's latest finished run is used; if there is none, one is built for
    ``copies``. With ``method``, only that method is used, with ``settings``; its index is built if necessary, together
    with ``text`` if the method compares a collection with itself. In a project without sources the text is compared
    with the suspects, unless ``settings`` say otherwise. Raises UserError, ParameterError, Cancelled.
    """
    with open_project(project_path, write=False) as project:
        with project.read() as connection:
            text = replace(text, key=last_key(connection) + 1)
            if not ProjectCorpus(connection).count():
                raise UserError(Message("The project has no documents to search."))
            choices = _choices(connection, method, settings or {})
        answers: dict[str, tuple[Parameters, Results]] = {}
        unasked: dict[str, str] = {}
        for number, (chosen, parameters) in enumerate(choices):
            ctx.advance(_STAGE, number, len(choices))
            answer = _looked_up(ctx, project, chosen, parameters, text, build=method is not None)
            if isinstance(answer, Results):
                answers[chosen.name] = parameters, answer
            else:
                unasked[chosen.name] = answer
        if not answers:
            chosen = registry.get(FALLBACK)
            with project.read() as connection:
                parameters = settled(connection, chosen, {}, further=1)
            answer = _looked_up(ctx, project, chosen, parameters, text, build=True)
            assert isinstance(answer, Results)
            answers[FALLBACK] = parameters, answer
            unasked.pop(FALLBACK, None)
        with project.read() as connection:
            return _lookup(connection, text, answers, unasked)


def look_up_pasted(ctx: Context, project_path: Path, data: str, method: str | None = None) -> Lookup:
    """Like :func:`look_up`, for a typed text."""
    return look_up(ctx, project_path, as_text(data, str(Message("Pasted text"))), method)


def _choices(
    connection: Connection, method: str | None, settings: Mapping[str, Any]
) -> list[tuple[Method, Parameters]]:
    """The methods to query with their parameters, in the order of the registry."""
    if method is not None:
        chosen = registry.get(method)
        return [(chosen, settled(connection, chosen, settings, further=1))]
    latest = {run.method: run for run in runs(connection) if run.state is RunState.DONE}
    choices = []
    for name in registry.names():
        if name in latest and latest[name].version == registry.get(name).version:
            chosen = registry.get(name)
            choices.append((chosen, chosen.parameters.parse(latest[name].parameters)))
    return choices


def _looked_up(
    ctx: Context, project: Project, method: Method, parameters: Parameters, text: Document, *, build: bool
) -> Results | str:
    """The findings of ``method``, or why it is not used."""
    folder = index_folder(project, method, parameters, ctx) if build else whole_index(project, method, parameters, ctx)
    if folder is None:
        return GONE
    index = method.load(folder, parameters)
    if method.accepts_unindexed(index):
        return method.detect(index, [text], parameters, ctx)
    if not build:
        return CLOSED
    with project.read() as connection:
        corpus = _With(ProjectCorpus(connection, scope_of(parameters)), text)
        with passing_index(project.path, method, parameters, corpus, ctx) as folder:
            return method.detect(method.load(folder, parameters), [text], parameters, ctx)


class _With:
    """A corpus with an additional suspect, the last document."""

    def __init__(self, corpus: ProjectCorpus, text: Document) -> None:
        self._corpus, self._text = corpus, text

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles`` (all roles if none is named)."""
        return self._corpus.count(*roles) + self._has(roles)

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles`` (all if none is named), in key order."""
        yield from self._corpus.documents(*roles)
        if self._has(roles):
            yield self._text

    def _has(self, roles: Sequence[Role]) -> bool:
        return not roles or self._text.role in roles


def _lookup(
    connection: Connection,
    text: Document,
    answers: Mapping[str, tuple[Parameters, Results]],
    unasked: Mapping[str, str],
) -> Lookup:
    findings: list[tuple[str, Match | PairScore]] = []
    for name, (_, results) in answers.items():
        mine = [m for m in results.matches if m.a == text.key and m.b != text.key]
        pairs = [p for p in results.pairs if p.a == text.key]
        findings += ((name, m) for m in sorted(mine, key=lambda m: (-m.score, m.a_span, m.b)))
        findings += ((name, p) for p in sorted(pairs, key=lambda p: (-p.score, p.b)))
    items = items_of(connection, sorted({finding.b for _, finding in findings}))
    texts: dict[int, str] = {}

    def excerpt(key: int, span: Span) -> str:
        if key not in texts:
            texts.clear()
            texts[key] = load_document(connection, key).text
        return texts[key][span.start : min(span.end, span.start + EXCERPT)]

    excerpts = {
        (key, span): excerpt(key, span)
        for key, span in sorted({(f.b, f.b_span) for _, f in findings if isinstance(f, Match)})
    }
    return Lookup(
        text,
        {name: parameters.as_dict() for name, (parameters, _) in answers.items()},
        tuple(
            Hit(name, items[f.b], f, excerpts[f.b, f.b_span] if isinstance(f, Match) else "") for name, f in findings
        ),
        tuple((name, s) for name, (_, results) in answers.items() for s in results.scores if s.document == text.key),
        unasked,
        {name: dict(results.excluded) for name, (_, results) in answers.items() if results.excluded},
    )
