"""A project with labelled documents, and runs with given scores, pairs and passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stored import columns

from workbench.base.types import Document, DocumentScore, Label, Match, PairScore, Results, Role, Span
from workbench.project.documents import add_documents
from workbench.project.labels import add_labels
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.targets import document_target, pair_target, passage_target
from workbench.services.session import Session

IDS = ("s0", "s1", "s2", "b0", "b1", "b2")
TRUTH = {name: "splog" if name.startswith("s") else "blog" for name in IDS}


def add(session: Session, ids: Sequence[str] = IDS, role: Role = Role.SUSPECT) -> None:
    with session.write() as connection:
        add_documents(connection, [Document(name, f"text of {name}. " * (i + 1), role) for i, name in enumerate(ids)])


def label(session: Session, values: Mapping[str, str], who: str = "anna", label_set: str = "class") -> None:
    events = [Label(document_target(name), value, who, "", label_set=label_set) for name, value in values.items()]
    with session.write() as connection:
        add_labels(connection, events)


def label_pairs(session: Session, values: Mapping[tuple[str, str], str]) -> None:
    events = [Label(pair_target(*pair), value, "a", "", label_set="near-duplicate") for pair, value in values.items()]
    with session.write() as connection:
        add_labels(connection, events)


def refer(session: Session, a: str, a_span: Span, b: str, b_span: Span) -> None:
    with session.write() as connection:
        add_labels(connection, [Label(passage_target(a, a_span, b, b_span), "copy", "a", "", label_set="reference")])


def store(session: Session, method: str, results: Results, parameters: Mapping[str, object] | None = None) -> int:
    """A finished run of ``method`` with ``results``."""
    with session.write() as connection:
        run = begin_run(connection, method, 1, dict(parameters or {}), "0" * 64, 1)
        finish_chunk(connection, run.id, 0, results, documents=1)
        return finish_run(connection, run.id, seconds=0.5).id


def scores(values: Sequence[float], **evidence: float) -> Results:
    return Results(scores=tuple(DocumentScore(key, value, evidence) for key, value in enumerate(values, 1)))


def pairs(values: Mapping[tuple[int, int], float]) -> Results:
    return Results(pairs=tuple(PairScore(a, b, value, resemblance=value / 2) for (a, b), value in values.items()))


def passages(*rows: Match) -> Results:
    return Results(matches=columns(rows))
