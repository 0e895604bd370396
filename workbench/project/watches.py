"""Watches: saved searches, their checks over time, and the matches each check reported.

The runs of a watch are one growing result: the findings of each check are added to those of earlier checks.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, String, cast, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from workbench.base.errors import ProjectError
from workbench.base.messages import Message, read, stored
from workbench.base.types import Ints, Matches, PairScores, Results, Role, Run, RunState
from workbench.project.batches import batched
from workbench.project.clock import now
from workbench.project.matches import match_columns
from workbench.project.packing import damaged, object_from_json, to_json
from workbench.project.pairs import described_pairs
from workbench.project.run_documents import RunDocuments, recorded_documents, store_run_documents
from workbench.project.runs import drop_results, drop_run, finish_chunk, finish_run, runs
from workbench.project.scores import regions_of, scores_of
from workbench.project.tables import (
    capture_rows,
    check_rows,
    document_rows,
    pair_rows,
    run_rows,
    seen_rows,
    watch_match_rows,
    watch_rows,
)


@dataclass(frozen=True, slots=True)
class Watch:
    """A saved search. ``settings`` are by name; ``basis`` identifies the documents and settings of the last
    comparison.
    """

    id: int
    name: str
    settings: Mapping[str, Any]
    created: str
    basis: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One check: pages fetched, unchanged (according to the page or its feed) and failed, documents ``examined``,
    matches ``reported`` as new, ``known`` from earlier checks, and ``ignored`` because of the page they are on.
    ``finished`` is empty if it was interrupted; ``run_id`` is its run, if any. ``gone`` lists pages reported earlier
    that no longer exist, ``failures`` each address that could not be read, with the reason.
    """

    id: int
    watch_id: int
    started: str
    finished: str = ""
    fetched: int = 0
    unchanged: int = 0
    failed: int = 0
    examined: int = 0
    reported: int = 0
    known: int = 0
    run_id: int | None = None
    message: str = ""
    ignored: int = 0
    gone: tuple[str, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class WatchedPage:
    """A document (key) that a watch will compare; ``content`` identifies its text and blocks, ``seen`` the ones that
    the watch compared before (empty: none). ``withheld``: a match was not reported because of the page's case then.
    """

    key: int
    content: str
    seen: str = ""
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Examined:
    """The pages that a check compared; ``basis`` identifies the documents and settings of the comparison."""

    basis: str
    pages: Sequence[WatchedPage]


@dataclass(frozen=True, slots=True)
class Reported:
    """A reported match: the document ``a`` that contains it (of ``page``), the source ``b``, spans in code points.

    ``gaps``: stretches within the spans that correspond to nothing on the other side, as (side, start, end), in order.
    """

    page: str
    a: int
    b: int
    a_start: int
    a_end: int
    b_start: int
    b_end: int
    score: float
    tier: int
    check_id: int = 0
    gaps: tuple[tuple[int, int, int], ...] = ()


def add_watch(connection: Connection, name: str, settings: Mapping[str, Any]) -> Watch:
    """Save a search. Raises ProjectError if the name is in use."""
    row = {"name": name, "settings": to_json(settings), "created": now(), "deleted": "", "basis": ""}
    try:
        key = connection.execute(insert(watch_rows), row).inserted_primary_key
    except IntegrityError as error:
        raise ProjectError(Message("There is already a watch called {name}.", name=name)) from error
    assert key is not None
    return Watch(key[0], name, settings, str(row["created"]))


def watches(connection: Connection) -> list[Watch]:
    """All saved searches, by name."""
    rows = connection.execute(select(*watch_rows.c).where(watch_rows.c.deleted == "").order_by(watch_rows.c.name))
    return [
        Watch(row.id, row.name, object_from_json(row.settings, f"the watch {row.name}"), row.created, row.basis)
        for row in rows
    ]


def set_settings(connection: Connection, watch_id: int, settings: Mapping[str, Any]) -> None:
    """Change the settings of a watch; its history is kept."""
    connection.execute(update(watch_rows).where(watch_rows.c.id == watch_id).values(settings=to_json(settings)))


def set_deleted(connection: Connection, watch_id: int, deleted: bool) -> None:
    """Remove or restore a watch. Raises ProjectError if another watch has its name."""
    try:
        connection.execute(
            update(watch_rows).where(watch_rows.c.id == watch_id).values(deleted=now() if deleted else "")
        )
    except IntegrityError as error:
        raise ProjectError(Message("There is now another watch with that name.")) from error


def begin_check(connection: Connection, watch_id: int) -> int:
    """Record the start of a check. Returns its number."""
    row = dict.fromkeys(("fetched", "unchanged", "failed", "examined", "reported", "known", "ignored"), 0)
    defaults = {"watch_id": watch_id, "started": now(), "finished": "", "run_id": None, "message": ""}
    defaults |= {"gone": "[]", "failures": "[]"}
    key = connection.execute(insert(check_rows), row | defaults).inserted_primary_key
    assert key is not None
    return int(key[0])


def finish_check(
    connection: Connection, check: Check, reported: Iterable[Reported] = (), examined: Examined | None = None
) -> None:
    """Record the outcome of a check, its matches, and what was ``examined``, in one transaction."""
    values = {name: getattr(check, name) for name in _OUTCOME} | {"message": stored(check.message)}
    values |= {"gone": json.dumps(check.gone)}
    values |= {"failures": json.dumps([(address, stored(reason)) for address, reason in check.failures])}
    connection.execute(update(check_rows).where(check_rows.c.id == check.id).values(finished=now(), **values))
    if examined is not None:
        connection.execute(update(watch_rows).where(watch_rows.c.id == check.watch_id).values(basis=examined.basis))
        for part in batched([page.key for page in examined.pages]):
            old = delete(seen_rows).where(seen_rows.c.watch_id == check.watch_id, seen_rows.c.document.in_(part))
            connection.execute(old)
        seen = [
            {"watch_id": check.watch_id, "document": p.key, "content": p.content, "withheld": p.withheld}
            for p in examined.pages
        ]
        if seen:
            connection.execute(insert(seen_rows), seen)
    rows = [
        {
            "watch_id": check.watch_id,
            **{c: getattr(m, c) for c in _MATCH},
            "check_id": check.id,
            "gaps": _stored(m.gaps),
        }
        for m in reported
    ]
    if rows:
        connection.execute(insert(watch_match_rows), rows)


_OUTCOME = ("fetched", "unchanged", "failed", "examined", "reported", "known", "ignored", "run_id", "message")
_MATCH = ("page", "a", "b", "a_start", "a_end", "b_start", "b_end", "score", "tier", "check_id")


def checks(connection: Connection, watch_id: int | None = None) -> list[Check]:
    """The checks of a watch (None: of all), newest first."""
    query = select(*check_rows.c).order_by(check_rows.c.id.desc())
    if watch_id is not None:
        query = query.where(check_rows.c.watch_id == watch_id)
    return [_check(dict(row)) for row in connection.execute(query).mappings()]


def _check(row: dict[str, Any]) -> Check:
    """A check from its row. Raises ProjectError if its lists are malformed."""
    try:
        gone = tuple(str(page) for page in json.loads(row["gone"]))
        failures = tuple((str(address), read(str(reason))) for address, reason in json.loads(row["failures"]))
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(Message("{what} has the wrong shape", what=f"check {row['id']}")) from error
    return Check(**{**row, "message": read(row["message"]), "gone": gone, "failures": failures})


def reported(
    connection: Connection, *, watch_id: int | None = None, check_id: int | None = None, page: str | None = None
) -> list[Reported]:
    """Reported matches of one watch, check or page (each None: all), in the order in which they were reported."""
    query: Select[Any] = select(*(watch_match_rows.c[name] for name in (*_MATCH, "gaps")))
    query = query.order_by(watch_match_rows.c.id)
    if watch_id is not None:
        query = query.where(watch_match_rows.c.watch_id == watch_id)
    if check_id is not None:
        query = query.where(watch_match_rows.c.check_id == check_id)
    if page is not None:
        query = query.where(watch_match_rows.c.page == page)
    return [Reported(**{**row, "gaps": _gaps(dict(row))}) for row in connection.execute(query).mappings()]


def _stored(gaps: Sequence[tuple[int, int, int]]) -> str | None:
    return to_json(gaps) if gaps else None


def _gaps(row: Mapping[str, Any]) -> tuple[tuple[int, int, int], ...]:
    """The gaps of a reported match. Raises ProjectError for invalid ones."""
    if row["gaps"] is None:
        return ()
    what = "the gaps of a reported match"
    try:
        gaps = tuple((side, start, end) for side, start, end in json.loads(row["gaps"]))
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(Message("{what} has the wrong shape", what=what)) from error
    reached = [row["a_start"], row["b_start"]]
    for side, start, end in gaps:
        if not all(type(value) is int for value in (side, start, end)) or side not in (0, 1):
            raise damaged(Message("{what} has the wrong shape", what=what))
        if not reached[side] <= start < end <= row["ab"[side] + "_end"]:
            raise damaged(Message("{what} has the wrong shape", what=what))
        reached[side] = end
    return gaps


def pages_of(connection: Connection, keys: Sequence[int]) -> dict[int, str]:
    """The name of each document's page across all its captures: its address, otherwise its id."""
    pages: dict[int, str] = {}
    for part in batched(keys):
        query = select(document_rows.c.key, document_rows.c.url, document_rows.c.id)
        rows = connection.execute(query.where(document_rows.c.key.in_(part)))
        pages.update((row.key, row.url or row.id) for row in rows)
    return pages


def texts_of(connection: Connection, keys: Sequence[int]) -> dict[int, int]:
    """The number of each document's text, the same for equal texts."""
    texts: dict[int, int] = {}
    for part in batched(keys):
        query = select(document_rows.c.key, document_rows.c.text_id).where(document_rows.c.key.in_(part))
        texts.update((row.key, row.text_id) for row in connection.execute(query))
    return texts


def texts_with_copies(connection: Connection, page: str) -> set[int]:
    """The texts (numbers) of ``page`` in which watches found something of a source reported for it."""
    sources = set(connection.execute(select(watch_match_rows.c.b).where(watch_match_rows.c.page == page)).scalars())
    if not sources:
        return set()
    documents = connection.execute(
        select(document_rows.c.key, document_rows.c.text_id).where(document_rows.c.url == page)
    )
    texts = {row.key: row.text_id for row in documents}
    of_watches = select(run_rows.c.id).where(run_rows.c.watch.is_not(None))
    query = select(pair_rows.c.a).where(pair_rows.c.run_id.in_(of_watches), pair_rows.c.a.in_(list(texts)))
    return {texts[key] for key in connection.execute(query.where(pair_rows.c.b.in_(sources))).scalars()}


def watched_pages(connection: Connection, watch_id: int, fetches: str | None) -> list[WatchedPage]:
    """The suspects that a watch will compare, by key: pages reached by fetches whose names begin with ``fetches``, even
    if other fetches reached them first; with None, all.
    """
    content = cast(document_rows.c.text_id, String) + ":" + document_rows.c.content_digest
    seen = func.coalesce(seen_rows.c.content, ""), func.coalesce(seen_rows.c.withheld, 0)
    query = select(document_rows.c.key, content, *seen)
    query = query.outerjoin(
        seen_rows, (seen_rows.c.document == document_rows.c.key) & (seen_rows.c.watch_id == watch_id)
    )
    query = query.where(document_rows.c.role == Role.SUSPECT, document_rows.c.deleted == "").order_by(
        document_rows.c.key
    )
    if fetches is not None:
        came = select(capture_rows.c.document).where(capture_rows.c.fetch.startswith(fetches, autoescape=True))
        query = query.where(document_rows.c.key.in_(came.where(capture_rows.c.document.is_not(None))))
    return [
        WatchedPage(key, content, before, withheld == 1) for key, content, before, withheld in connection.execute(query)
    ]


def add_findings(connection: Connection, run: Run, changed: Collection[int]) -> Run:
    """Add the findings of the finished ``run`` of a watch to the watch's result so far, and return that.

    A finding of an earlier check is kept until there is a newer one about the same pair of documents, even if the page
    no longer exists, or was compared again without a finding. For the documents ``changed`` (keys), whose content
    differs now, only the findings of ``run`` are kept. Unfinished runs of the watch are dropped: this one has examined
    their documents. Results with different settings are kept apart.
    """
    others = [other for other in runs(connection) if other.watch == run.watch and other.id != run.id]
    past = [other for other in others if other.state is RunState.DONE and _same_settings(other, run)]
    result = past[0] if past else run
    for other in others:
        if other.state.resumable:
            _drop(connection, other, result)
    if not past:
        return run
    findings = _results(connection, run)
    for other in reversed(past):
        all_again = run.documents >= other.documents
        findings = _joined(findings, _results(connection, other), changed, all_again=all_again)
    examined = [of for other in (*past, run) if (of := recorded_documents(connection, other.id)) is not None]
    if examined:
        store_run_documents(connection, result.id, functools.reduce(RunDocuments.joined, examined))
    for other in (*past[1:], run):
        _drop(connection, other, result)
    drop_results(connection, result.id)
    counts = dict.fromkeys(("documents", "matches", "pairs", "scores"), 0)
    seconds = run.seconds + sum(other.seconds for other in past)
    begun = {"corpus_hash": run.corpus_hash, "created": run.created, "chunks": 1, "excluded": to_json({})}
    connection.execute(update(run_rows).where(run_rows.c.id == result.id).values(**begun, **counts, seconds=seconds))
    seen = select(func.count()).select_from(seen_rows).where(seen_rows.c.watch_id == run.watch)
    finish_chunk(connection, result.id, 0, findings, documents=connection.execute(seen).scalar_one())
    return finish_run(connection, result.id)


def _same_settings(one: Run, other: Run) -> bool:
    return (one.method, one.version, one.parameters) == (other.method, other.version, other.parameters)


def _drop(connection: Connection, run: Run, result: Run) -> None:
    """Drop ``run``; its checks get ``result`` instead."""
    connection.execute(update(check_rows).where(check_rows.c.run_id == run.id).values(run_id=result.id))
    drop_run(connection, run.id)


def _results(connection: Connection, run: Run) -> Results:
    return Results(
        match_columns(connection, run.id),
        PairScores.of(described_pairs(connection, run.id)),
        tuple(scores_of(connection, run.id)),
        tuple(regions_of(connection, run.id)),
        run.excluded,
    )


def _joined(newer: Results, older: Results, changed: Collection[int], *, all_again: bool) -> Results:
    """``newer``, plus the parts of ``older`` about pairs and documents not in ``newer``.

    ``all_again``: ``newer`` covers all documents, so its counts of omissions are complete.
    """
    again = set(_codes(newer.matches.a, newer.matches.b).tolist()) | {_code(p.a, p.b) for p in newer.pairs}
    scored = {score.document for score in newer.scores} | set(changed)
    stays = ~np.isin(_codes(older.matches.a, older.matches.b), np.array(sorted(again), np.int64))
    stays &= ~np.isin(older.matches.a, np.array(sorted(changed), np.int64))

    def kept(a: int, b: int) -> bool:
        return a not in changed and _code(a, b) not in again

    return Results(
        Matches.concatenate([newer.matches, older.matches.take(stays)]),
        PairScores.concatenate([newer.pairs, [p for p in older.pairs if kept(p.a, p.b)]]),
        (*newer.scores, *(score for score in older.scores if score.document not in scored)),
        (*newer.regions, *(region for region in older.regions if kept(region.a, region.b))),
        newer.excluded if all_again else Counter(newer.excluded) + Counter(older.excluded),
    )


def _codes(a: Ints, b: Ints) -> Ints:
    """One int64 for each pair of keys."""
    return a << 32 | b


def _code(a: int, b: int) -> int:
    return a << 32 | b
