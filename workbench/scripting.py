"""Scripts and notebooks: compare texts, read files, and work with projects, without the command line.

>>> import workbench
>>> comparison = workbench.compare("suspect text ...", "source text ...")
>>> [passage.a for passage in comparison.passages], comparison.why

Progress is not shown; warnings are Python warnings.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from workbench.base.types import Document, DocumentScore, Evidence, Match, PairScore, Role, Run, Span
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.methods.core import registry
from workbench.methods.core.api import Explanation
from workbench.services import listing, queries
from workbench.services.detecting import runs
from workbench.services.detecting.querying import as_file, as_text
from workbench.services.importing.batch import ImportOptions, ImportResult, import_paths
from workbench.services.review.differences import Edit, differences
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage in both texts: its spans in code points, the stretches within them that correspond to nothing, the
    method's score and evidence, and the edits that turn one side into the other.
    """

    a: Span
    b: Span
    score: float
    a_gaps: tuple[Span, ...]
    b_gaps: tuple[Span, ...]
    evidence: Evidence
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Comparison:
    """What ``method`` finds in suspect ``a`` and source ``b``; ``pairs`` and ``scores`` are the results of methods that
    compare whole documents. ``excluded`` counts what was left out, by reason. Notebooks show it as a table.
    """

    a: Document
    b: Document
    method: str
    parameters: dict[str, Any]
    passages: tuple[Passage, ...]
    pairs: tuple[PairScore, ...]
    scores: tuple[DocumentScore, ...]
    excluded: dict[str, int]

    @cached_property
    def explanation(self) -> Explanation:
        """The rules in the order in which the method applies them, with the figures of these two texts alone."""
        method = registry.get(self.method)
        return method.explain(self.a, self.b, method.parameters.parse(self.parameters))

    @property
    def why(self) -> str:
        """Why the texts match, or why not, in words."""
        reasons = (f"{reason.rule}: {reason.detail}" for reason in self.explanation.deciding)
        return " ".join([self.explanation.summary, *reasons])

    def _repr_html_(self) -> str:
        if not self.passages:
            return f"<p>{escape(self.why)}</p>"
        rows = "".join(
            f"<tr><td>{p.a.start}–{p.a.end}</td><td>{_excerpt(self.a, p.a)}</td>"
            f"<td>{p.b.start}–{p.b.end}</td><td>{_excerpt(self.b, p.b)}</td><td>{p.score:.3f}</td></tr>"
            for p in self.passages
        )
        heads = "".join(f"<th>{escape(head)}</th>" for head in ("", self.a.id, "", self.b.id, "score"))
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _excerpt(document: Document, span: Span) -> str:
    return escape(document.text[span.start : span.end])


def compare(a: str | Document, b: str | Document, method: str = "copies", **settings: Any) -> Comparison:
    """Compare the suspect ``a`` with the source ``b``: texts, or documents from :func:`read`.

    Raises UserError for an unknown method or an empty text, ParameterError for settings that it does not have.
    """
    left = replace(_document(a, "a"), key=1, role=Role.SUSPECT)
    right = replace(_document(b, "b"), key=2, role=Role.SOURCE)
    chosen = registry.to_apply(method)
    parameters = chosen.parameters.parse(settings)
    results = chosen.compare(left, right, parameters)
    passages = (
        Passage(
            m.a_span,
            m.b_span,
            m.score,
            m.a_gaps,
            m.b_gaps,
            m.evidence,
            tuple(differences(left.text, m.a_span, right.text, m.b_span)),
        )
        for m in results.matches
    )
    return Comparison(
        left,
        right,
        method,
        parameters.as_dict(),
        tuple(passages),
        tuple(results.pairs),
        results.scores,
        dict(results.excluded),
    )


def _document(text: str | Document, name: str) -> Document:
    return text if isinstance(text, Document) else as_text(text, name)


def read(path: str | Path) -> Document:
    """The text of a file of any format that can be imported, with its blocks. Raises UserError unless it contains
    exactly one text.
    """
    return as_file(_context(), Path(path))


def detect(project: str | Path | Project, method: str = "copies", *, workers: int = 1, **settings: Any) -> Run:
    """Run ``method`` over a project and store its findings, as ``palimpsest detect`` does.

    Raises UserError, ParameterError.
    """
    path = project.session.path if isinstance(project, Project) else Path(project)
    return runs.detect(_context(), path, method, settings, workers=workers)


def open(path: str | Path) -> Project:  # noqa: A001
    """The project in the file ``path``. Raises ProjectError if it cannot be opened."""
    return Project(Session(Path(path)))


class Project:
    """An open project; a context manager that closes it. Runs are given by number, documents by key or id."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def import_files(self, *paths: str | Path, role: str | None = None, workers: int = 1) -> ImportResult:
        """Import files, folders and archives with ``role`` (``source``, ``suspect`` or ``background``)."""
        chosen = None if role is None else Role(role)
        return import_paths(
            _context(), self.session.path, [Path(path) for path in paths], chosen, ImportOptions(workers=workers)
        )

    def document(self, which: int | str) -> Document:
        """A document with its text. Raises ProjectError if there is none."""
        return queries.document(which)(self.session)

    def ids(self) -> dict[int, str]:
        """Ids by key, including removed documents."""
        return listing.document_ids(self.session)

    def runs(self) -> list[Run]:
        """All runs, oldest first."""
        return listing.all_runs(self.session)

    def matches(self, run: int) -> Iterator[Match]:
        """Passages of a run, and those added by hand."""
        return listing.matches(self.session, run)

    def pairs(self, run: int) -> Iterator[PairScore]:
        """Pairs of a run."""
        return listing.pair_scores(self.session, run)

    def scores(self, run: int) -> list[DocumentScore]:
        """Scores of documents in a run, the highest first."""
        return listing.document_scores(self.session, run)


def _context() -> Context:
    return Context("script", _warn, lambda: False)


def _warn(event: Event) -> None:
    if isinstance(event, Warned):
        warnings.warn(event.message if event.path is None else f"{event.path}: {event.message}", stacklevel=4)
