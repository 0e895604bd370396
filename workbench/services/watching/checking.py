"""One check of a watch: fetch what is new, compare only that, report what was not reported before."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from workbench.base.errors import Cancelled, UserError
from workbench.base.messages import Message
from workbench.base.types import Matches, Role, Span
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.captures import keys_of
from workbench.project.database import Connection, Project, locks_of, open_project
from workbench.project.listing import items_of
from workbench.project.matches import match_columns
from workbench.project.pairs import pairs_of
from workbench.project.watches import (
    Check,
    Reported,
    Watch,
    begin_check,
    fetched_since,
    finish_check,
    pages_of,
    reported,
    suspects_since,
    watches,
)
from workbench.services.detecting.runs import detect
from workbench.services.fetching import KNOWN as KNOWN_PAGES
from workbench.services.fetching import FetchResult, fetch
from workbench.services.review.whole_pairs import as_matches
from workbench.services.watching.settings import WatchSettings
from workbench.text.formats import Failure

KNOWN = 0.5
"""A match is known if at least this share of its source passage was reported for the same page before."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A finished check, the matches it reports, best first, and what could not be fetched."""

    watch: Watch
    check: Check
    matches: tuple[Reported, ...]
    failed: tuple[Failure, ...] = ()


def check(
    ctx: Context, project_path: Path, watch: Watch, *, allow_private: bool = False, workers: int | None = None
) -> Checked:
    """Check ``watch`` once (a job).

    Documents fetched but not compared before an interruption are compared by the next check. Raises UserError for
    problems of the whole check, which are recorded with it; Cancelled.
    """
    with open_project(project_path) as project:
        with project.write() as connection:
            watch = _alone(connection, watch)
            settings = WatchSettings.from_dict(watch.settings)
            locks_of(connection).hold(_lock(watch))
            begun = Check(begin_check(connection, watch.id), watch.id, "")
        current = begun
        failed: tuple[Failure, ...] = ()
        try:
            if settings.places:
                result = _fetch(ctx, project, settings, watch, allow_private, workers)
                failed = result.failed
                unchanged = result.unchanged + result.left_out.get(KNOWN_PAGES, 0)
                current = replace(begun, fetched=result.fetched, unchanged=unchanged, failed=len(failed))
            new, last = _new(project, watch, settings)
            reported: list[Reported] = []
            if new:
                current, reported = _compared(ctx, project, settings, current, new, workers)
            with project.write() as connection:
                finish_check(connection, current, last, reported)
        except (Cancelled, UserError) as error:
            message = Message("cancelled") if isinstance(error, Cancelled) else error.sentence
            with project.write() as connection:
                finish_check(connection, replace(current, message=message), 0, [])
            raise
        finally:
            with project.write() as connection:
                locks_of(connection).retire(_lock(watch))
            ctx.changed("documents", "runs", "matches", "watches")
    return Checked(watch, current, tuple(reported), failed)


def fetch_name(watch_id: int) -> str:
    """The prefix of a watch's fetches in its captures."""
    return f"watch-{watch_id}."


def _alone(connection: Connection, watch: Watch) -> Watch:
    """The current state of ``watch``, one check at a time. Raises UserError if another check is running, or the watch
    was removed.
    """
    if locks_of(connection).is_held(_lock(watch)):
        raise UserError(Message("Another check of {name} is running.", name=watch.name))
    current = next((other for other in watches(connection) if other.id == watch.id), None)
    if current is None:
        raise UserError(Message("There is no longer a watch called {name}.", name=watch.name))
    return current


def _lock(watch: Watch) -> str:
    return f"watch-{watch.id}"


def _fetch(
    ctx: Context, project: Project, settings: WatchSettings, watch: Watch, allow_private: bool, workers: int | None
) -> FetchResult:
    options = replace(
        settings.fetching(),
        role=Role.SUSPECT,
        name=fetch_name(watch.id),
        allow_private=allow_private,
        workers=workers,
    )
    return fetch(ctx, project.path, settings.places, options)


def _new(project: Project, watch: Watch, settings: WatchSettings) -> tuple[list[int], int]:
    """Keys of the documents no check of this watch has examined, and the new ``compared`` once they are."""
    with project.read() as connection:
        if settings.places:
            return fetched_since(connection, fetch_name(watch.id), watch.compared)
        return suspects_since(connection, watch.compared)


def _compared(
    ctx: Context, project: Project, settings: WatchSettings, begun: Check, new: Sequence[int], workers: int | None
) -> tuple[Check, list[Reported]]:
    run = detect(
        ctx,
        project.path,
        settings.method,
        settings.parameters,
        workers=workers,
        resume=True,
        only=frozenset(new),
    )
    fresh: list[Reported] = []
    known = 0
    with project.read() as connection:
        counting = list(_counting(connection, _matches(connection, run.id, settings), settings))
        pages = pages_of(connection, sorted({match.a for match in counting}))
        before = _Spans()
        for page in set(pages.values()):
            before.extend(reported(connection, watch_id=begun.watch_id, page=page))
        for match in counting:
            match = replace(match, page=pages[match.a], check_id=begun.id)
            if before.shared(match) >= KNOWN * (match.b_end - match.b_start):
                known += 1
            else:
                fresh.append(match)
                before.extend([match])
    compared = replace(begun, examined=run.documents, reported=len(fresh), known=known, run_id=run.id)
    return compared, sorted(fresh, key=lambda r: -r.score)


def _matches(connection: Connection, run_id: int, settings: WatchSettings) -> Matches:
    """The matches of a run; for a method that finds only pairs, each pair as a match of its whole texts."""
    if "matches" in registry.get(settings.method).emits:
        return match_columns(connection, run_id)
    pairs = list(pairs_of(connection, run_id))
    matches = as_matches(pairs, items_of(connection, sorted({key for pair in pairs for key in (pair.a, pair.b)})))
    return replace(matches, score=np.nan_to_num(matches.score))


def _counting(connection: Connection, matches: Matches, settings: WatchSettings) -> Iterator[Reported]:
    """Those of ``matches`` that count, longest first: a short one may be inside a longer one."""
    keep = (matches.score >= settings.min_score) & (matches.b_end - matches.b_start >= settings.min_characters)
    if settings.sources:
        sources = list(keys_of(connection, settings.sources).values())
        keep &= np.isin(matches.b, np.array(sources, np.int64))
    counted = matches.take(np.flatnonzero(keep))
    for row in np.argsort(counted.b_start - counted.b_end, kind="stable").tolist():
        match = counted.row(row)
        spans = (*match.a_span, *match.b_span)
        yield Reported("", match.a, match.b, *spans, match.score, int(match.evidence["tier"]))


class _Spans:
    """The parts of each source reported for each page: disjoint spans of the source, in order."""

    def __init__(self) -> None:
        self._spans: defaultdict[tuple[str, int], list[Span]] = defaultdict(list)

    def extend(self, matches: Iterable[Reported]) -> None:
        """Add the source passages of ``matches``."""
        for match in matches:
            spans, first, last = self._at(match)
            if first < last:
                joined = Span(min(match.b_start, spans[first].start), max(match.b_end, spans[last - 1].end))
                spans[first:last] = [joined]
            elif match.b_start < match.b_end:
                spans.insert(first, Span(match.b_start, match.b_end))

    def shared(self, match: Reported) -> int:
        """Characters of the source passage of ``match`` that were reported."""
        spans, first, last = self._at(match)
        return sum(min(span.end, match.b_end) - max(span.start, match.b_start) for span in spans[first:last])

    def _at(self, match: Reported) -> tuple[list[Span], int, int]:
        """The spans of its page and source, and which of them (a range) it overlaps."""
        spans = self._spans[match.page, match.b]
        first = bisect_right(spans, match.b_start, key=lambda span: span.end)
        return spans, first, bisect_left(spans, match.b_end, key=lambda span: span.start)
