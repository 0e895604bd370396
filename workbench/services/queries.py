"""Background queries of the views. Each takes the session and touches no widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.base.types import Document, Ints, Matches, Role, Run
from workbench.methods.core import registry
from workbench.project.documents import count_documents, load_document, texts_of
from workbench.project.imports import StoredFailure, failures
from workbench.project.listing import DOCUMENT_LABELS, DocumentTable, document_table, ids_of
from workbench.project.run_documents import run_documents
from workbench.project.runs import newest_finished, runs
from workbench.services.detecting.corpus import not_examined, scope_of_run
from workbench.services.detecting.runs import Estimate, estimate
from workbench.services.labels.settling import LabelledTexts, labels_that_count, settle_labels
from workbench.services.labels.targets import document_target
from workbench.services.review.by_hand import matches_gained
from workbench.services.review.judgement import CONFLICT
from workbench.services.review.overview import successor_of
from workbench.services.review.pairs import diff_runs
from workbench.services.review.verdict_index import values_on
from workbench.services.session import Session


def document_count(session: Session) -> int:
    """Documents in the project."""
    with session.read() as connection:
        return count_documents(connection)


def count_roles(session: Session) -> dict[str, int]:
    """Documents of the project by role."""
    with session.read() as connection:
        return {role.value: count_documents(connection, [role]) for role in Role}


@dataclass(frozen=True, slots=True)
class DocumentsPage:
    """The data of the Documents screen. ``labels``: the label of each document in the table, "" for none, CONFLICT
    where annotators differ and nothing is settled. ``of_others``: whether it was given for another text of the
    document. ``later``: keys of the documents that the latest run, of which the table has the matches, was not applied
    to.
    """

    table: DocumentTable
    labels: list[str]
    failures: list[StoredFailure]
    of_others: list[bool] = field(default_factory=list)
    later: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def documents_page(session: Session) -> DocumentsPage:
    """All documents as columns, with the labels that the viewer may see, and the inputs that failed."""
    with session.read() as connection:
        table, later = document_table(connection), np.zeros(0, np.int64)
        if (latest := newest_finished(runs(connection))) is not None:
            gained = matches_gained(connection, latest.id)
            more = np.fromiter((gained.get(key, 0) for key in table.key.tolist()), np.int64, len(table.key))
            table = replace(table, matches=table.matches + more)
            if not registry.is_imported(latest.method):
                applied_to = run_documents(connection, latest, scope_of_run(latest)).keys(*Role)
                later = np.setdiff1d(table.key, applied_to)
        texts = LabelledTexts(connection, DOCUMENT_LABELS)
        votes = labels_that_count(connection, DOCUMENT_LABELS, texts)
        votes = {target: by for target, by in votes.items() if session.sees_labels(by)}
        states = [settle_labels(by, texts) if (by := votes.get(document_target(n))) else None for n in table.id]
        settled = ["" if state is None else state.value or CONFLICT for state in states]
        of_others = [state is not None and state.of_other for state in states]
        return DocumentsPage(table, settled, failures(connection), of_others, later)


def document(which: int | str) -> Callable[[Session], Document]:
    """A query for one document with its text, by key or id."""

    def read(session: Session) -> Document:
        with session.read() as connection:
            return load_document(connection, which)

    return read


def runs_newest_first(session: Session) -> list[Run]:
    """All runs, newest first."""
    with session.read() as connection:
        return runs(connection)[::-1]


def newest_run(session: Session) -> Run | None:
    """The newest finished run that is not a point of a sweep, else of a sweep; None if there is none."""
    with session.read() as connection:
        return newest_finished(runs(connection))


def newer_documents(run: Run) -> Callable[[Session], tuple[int, int]]:
    """A query for the number of documents that ``run`` does not cover, and the later run that does (0: none)."""

    def read(session: Session) -> tuple[int, int]:
        with session.read() as connection:
            count = not_examined(connection, run)
            return count, successor_of(connection, runs(connection), run, count)

    return read


def cost(method: str, parameters: dict[str, object]) -> Callable[[Session], Estimate]:
    """A query for the cost of a detection."""
    return lambda session: estimate(session, method, parameters)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Passages of two runs: only in the second, only in the first, in both; document ids by key.

    ``verdicts`` are the current verdicts on the passages of the three (in this order), "" for none; ``texts`` are the
    suspects', by key.
    """

    appeared: Matches
    vanished: Matches
    common: Matches
    ids: dict[int, str]
    verdicts: tuple[list[str], list[str], list[str]]
    texts: dict[int, str]


def comparison(first: int, second: int) -> Callable[[Session], Comparison]:
    """A query for the difference of two runs."""

    def read(session: Session) -> Comparison:
        difference = diff_runs(session, first, second)
        parts = (difference.appeared, difference.vanished, difference.common)
        with session.read() as connection:
            ids = ids_of(connection)
            suspects = sorted({int(key) for part in parts for key in part.a})
            texts = dict(texts_of(connection, suspects))
            index = session.verdicts.follow(connection)
        appeared, vanished, common = (values_on(index, part, ids) for part in parts)
        return Comparison(*parts, ids, (appeared, vanished, common), texts)

    return read


def remove(session: Session, keys: Sequence[int]) -> int:
    """Mark documents as deleted; returns their number."""
    from workbench.project.documents import delete_documents

    with session.write() as connection:
        return delete_documents(connection, keys)


def restore(session: Session, keys: Sequence[int]) -> int:
    """Undo :func:`remove`. Raises ProjectError if another document has since received the id."""
    from workbench.project.documents import restore_documents

    with session.write() as connection:
        return restore_documents(connection, keys)


def bring_back(session: Session, keys: Sequence[int]) -> None:
    """Show the versions ``keys`` of documents instead of the present ones."""
    from workbench.project.documents import bring_back as bring

    with session.write() as connection:
        bring(connection, keys)


def change_role(session: Session, keys: Sequence[int], role: Role) -> dict[Role, list[int]]:
    """Change the role of documents; returns the changed keys by previous role."""
    from workbench.project.documents import change_role as change

    with session.write() as connection:
        return change(connection, keys, role)


def restore_roles(session: Session, before: Mapping[Role, Sequence[int]]) -> None:
    """Undo :func:`change_role`."""
    from workbench.project.documents import change_role as change

    with session.write() as connection:
        for role, keys in before.items():
            change(connection, keys, role)


def dismiss_failures(session: Session, paths: Sequence[str]) -> None:
    """No longer list these inputs as failed."""
    from workbench.project.imports import resolve_failures

    with session.write() as connection:
        resolve_failures(connection, paths)


def list_failures_again(session: Session, ids: Sequence[int]) -> None:
    """Undo :func:`dismiss_failures`."""
    from workbench.project.imports import reopen_failures

    with session.write() as connection:
        reopen_failures(connection, ids)
