"""Choosing the run, and its documents, that a request is about."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Run, RunState
from workbench.project.database import Connection
from workbench.project.documents import key_of, load_document
from workbench.project.listing import keys_with_id, texts_of_page
from workbench.project.pairs import has_pair
from workbench.project.run_documents import run_documents
from workbench.project.runs import newest_finished, runs
from workbench.services.detecting.corpus import scope_of_run
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run, and the keys of the requested suspect and source (None: all)."""

    run: Run
    a: int | None = None
    b: int | None = None


def find_run(session: Session, number: int | None = None) -> Run:
    """The run with this number, or the finished one that represents the project's results (see
    :func:`~workbench.project.runs.newest`). Raises UserError listing the existing runs.
    """
    with session.read() as connection:
        return _run(connection, number)


def choose(session: Session, number: int | None, suspect: str | None = None, source: str | None = None) -> Chosen:
    """The run with this number, or the newest finished one with results for the documents with these ids; if the newest
    was applied to them, only it, runs of another method, and runs of some documents.

    A page's address selects its newest text with results in the run, so that a finding remains until a newer text has
    one; so does the id of a document that was imported again since the run. Raises UserError for an unknown run or
    document.
    """
    with session.read() as connection:
        return _choose(connection, number, [(suspect, source)])


def choose_either(session: Session, number: int | None, document: str | None) -> tuple[Run, int | None]:
    """Like :func:`choose`, for a document on either side: the run and the document's key (None for None)."""
    with session.read() as connection:
        chosen = _choose(connection, number, [(document, None), (None, document)])
    return chosen.run, chosen.b if chosen.a is None else chosen.a


def _choose(connection: Connection, number: int | None, requests: list[tuple[str | None, str | None]]) -> Chosen:
    texts = [(_texts_of(connection, suspect), _texts_of(connection, source)) for suspect, source in requests]
    wanted = [(a, b) for (a_keys, _), (b_keys, _) in texts for b in b_keys for a in a_keys]
    ever = [(a, b) for a_keys, b_keys in texts for b in chain(*b_keys) for a in chain(*a_keys)]
    usual = _run(connection, number)
    candidates = [usual]
    if number is None and wanted[0] != (None, None):
        finished = [run for run in runs(connection) if run.state is RunState.DONE]
        if _has_read(connection, usual, wanted[0]):
            # Nothing is an answer, too: other settings of its method, tried before or in a sweep, do not replace it.
            finished = [run for run in finished if run.id == usual.id or run.part or run.method != usual.method]
        candidates = sorted(finished, key=lambda run: (run.varied_from is None, run.finished, run.id), reverse=True)
    for run in candidates:
        for a, b in (*wanted, *ever) if run.id == usual.id else wanted:
            if has_pair(connection, run.id, a, b):
                return Chosen(run, a, b)
    return Chosen(usual, *wanted[0])


def _has_read(connection: Connection, run: Run, keys: tuple[int | None, ...]) -> bool:
    """Whether ``run`` was applied to the documents ``keys``."""
    return {key for key in keys if key is not None} <= run_documents(connection, run, scope_of_run(run)).by_key().keys()


def _texts_of(connection: Connection, name: str | None) -> tuple[list[int | None], list[int | None]]:
    """The key of document ``name``; for a page's address, the keys of all its texts, newest first. Then the keys of its
    former texts, newest first.
    """
    if name is None:
        return [None], []
    key = key_of(connection, name)
    former: list[int | None] = [other for other in keys_with_id(connection, name) if other != key]
    if load_document(connection, key).url != name:
        return [key], former
    return [*texts_of_page(connection, name)] or [key], former


def _run(connection: Connection, number: int | None) -> Run:
    known = runs(connection)
    chosen = newest_finished(known) if number is None else next((run for run in known if run.id == number), None)
    if chosen is not None:
        return chosen
    problem = Message("There is no run {number}.", number=number)
    if number is None:
        problem = Message("This project has no finished run.")
    if not known:
        raise UserError(problem, command="palimpsest detect P METHOD makes one.")
    listed = "; ".join(f"{r.id}: {r.method}, {r.state.value}, matches {r.matches:,}" for r in known)
    raise UserError(Message("{problem} Available: {listed}.", problem=problem, listed=listed))
