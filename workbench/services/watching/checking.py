"""One check of a watch: fetch new pages, compare only these, report only new matches."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from workbench.base.coverage import B, lengths
from workbench.base.errors import Cancelled, UserError
from workbench.base.messages import Message
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Matches, Role, Span
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.captures import keys_of, page_states
from workbench.project.database import Connection, Project, locks_of, open_project
from workbench.project.documents import corpus_hash, no_document
from workbench.project.listing import addresses, items_of
from workbench.project.matches import match_columns
from workbench.project.pairs import pairs_of
from workbench.project.runs import load_run
from workbench.project.watches import (
    Check,
    Examined,
    Reported,
    Watch,
    WatchedPage,
    add_findings,
    begin_check,
    finish_check,
    pages_of,
    reported,
    watched_pages,
    watches,
)
from workbench.reading.formats import Failure
from workbench.services.detecting.corpus import ProjectCorpus, scope_of
from workbench.services.detecting.runs import Subset, detect
from workbench.services.fetching import KNOWN, NOT_DUE, SAMPLED, FetchOptions, FetchResult, fetch
from workbench.services.fetching.intervals import request_times, spared
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold, described, used_in
from workbench.services.review.whole_pairs import as_matches
from workbench.services.watching.cases import CaseState, read_cases
from workbench.services.watching.settings import WatchSettings, is_web_address
from workbench.services.watching.store import missing_sources

KNOWN_SHARE = 0.5
"""A match is known if at least this share of its source passage was already reported for the same page."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A finished check, the matches it reports, best first, and the addresses that could not be fetched."""

    watch: Watch
    check: Check
    matches: tuple[Reported, ...]
    failed: tuple[Failure, ...] = ()


class NotBegun(UserError):
    """Another check of the watch is running, or it was removed."""


def check(
    ctx: Context, project_path: Path, watch: Watch, *, allow_private: bool = False, workers: int | None = None
) -> Checked:
    """Check ``watch`` once (a job).

    The user's own sites are fetched first, as sources; then the places of the watch and the pages it has reported. Only
    pages not yet compared in their current state are compared, or all if the sources or the settings have changed. The
    findings are added to those of earlier checks. Pages fetched before an interruption are thus compared by the next
    check. Raises UserError for problems of the whole check, which are recorded with it; Cancelled.
    """
    with open_project(project_path) as project:
        with project.write() as connection:
            watch = _alone(connection, watch)
            settings = WatchSettings.from_dict(watch.settings)
            locks_of(connection).hold(_lock(watch))
            for name in missing_sources(connection, settings):
                ctx.warn(no_document(connection, name).sentence)
            current = Check(begin_check(connection, watch.id), watch.id, "")
        reports: list[Reported] = []
        try:
            looked = look(ctx, project, watch, settings, allow_private=allow_private, workers=workers)
            current = replace(
                current,
                fetched=looked.fetched,
                unchanged=looked.unchanged,
                failed=len(looked.failed),
                failures=tuple((f.path, f.error) for f in looked.failed),
                gone=looked.gone,
            )
            examined = _unexamined(project, watch, settings)
            if examined.pages:
                current, reports, withheld = _compared(ctx, project, settings, current, examined.pages, workers)
                pages = [replace(page, withheld=page.key in withheld) for page in examined.pages]
                examined = replace(examined, pages=pages)
            with project.write() as connection:
                finish_check(connection, current, reports, examined)
                if current.run_id is not None:
                    changed = {page.key for page in examined.pages if page.seen not in ("", page.content)}
                    grown = add_findings(connection, load_run(connection, current.run_id), changed)
                    current = replace(current, run_id=grown.id)
        except (Cancelled, UserError) as error:
            message = Message("cancelled") if isinstance(error, Cancelled) else error.sentence
            with project.write() as connection:
                finish_check(connection, replace(current, message=message))
            raise
        finally:
            with project.write() as connection:
                locks_of(connection).retire(_lock(watch))
            ctx.changed("documents", "runs", "matches", "watches")
    return Checked(watch, current, tuple(reports), looked.failed)


def _alone(connection: Connection, watch: Watch) -> Watch:
    """The current state of ``watch``, one check at a time. Raises NotBegun."""
    if is_running(connection, watch):
        raise NotBegun(Message("Another check of {name} is running.", name=watch.name))
    current = next((other for other in watches(connection) if other.id == watch.id), None)
    if current is None:
        raise NotBegun(Message("There is no longer a watch called {name}.", name=watch.name))
    return current


def is_running(connection: Connection, watch: Watch) -> bool:
    """Whether a process is checking ``watch`` now."""
    return locks_of(connection).is_held(_lock(watch))


def _lock(watch: Watch) -> str:
    return f"watch-{watch.id}"


def _unexamined(project: Project, watch: Watch, settings: WatchSettings) -> Examined:
    """The pages that no check of this watch has compared in their current state with the current basis, and those with
    a withheld match whose case no longer silences it.
    """
    with project.read() as connection:
        basis = _basis(connection, settings)
        pages = watched_pages(connection, watch.id, fetch_name(watch.id) if settings.places else None)
        cases = read_cases(connection)
        names = pages_of(connection, [page.key for page in pages if page.withheld])
    reopened = {key for key, name in names.items() if not cases.of(name).state.is_silent}
    return Examined(basis, [p for p in pages if basis != watch.basis or p.seen != p.content or p.key in reopened])


def _basis(connection: Connection, settings: WatchSettings) -> str:
    """A digest of everything that decides which matches on an unchanged page are reported.

    Other suspects may be part of a method's index, but new ones do not require comparing all again.
    """
    method = registry.get(settings.method)
    parameters = method.parameters.parse(settings.effective_parameters)
    scope = scope_of(parameters)
    roles = [role for role in method.index_roles(ProjectCorpus(connection, scope), parameters) if role != Role.SUSPECT]
    used = _threshold(connection, settings)
    least = settings.min_score if used is None else used.value
    counting = (least, settings.min_characters, settings.sources, settings.ignored, settings.own)
    what = (
        method.name,
        method.version,
        parameters.as_dict(),
        counting,
        corpus_hash(connection, roles or [*Role], scope=scope),
    )
    return hashlib.sha256(repr(what).encode()).hexdigest()


def _compared(
    ctx: Context,
    project: Project,
    settings: WatchSettings,
    begun: Check,
    pages: Sequence[WatchedPage],
    workers: int | None,
) -> tuple[Check, list[Reported], set[int]]:
    """The check with its counts, the matches it reports, and the pages (keys) with one that their case silences."""
    run = detect(
        ctx,
        project.path,
        settings.method,
        settings.effective_parameters,
        workers=workers,
        resume=True,
        only=Subset(frozenset(page.key for page in pages), begun.watch_id),
    )
    fresh: list[Reported] = []
    withheld: set[int] = set()
    known = ignored = 0
    with project.read() as connection:
        cases = read_cases(connection)
        used = _threshold(connection, settings)
        least = settings.min_score if used is None else used.value
        matches = _matches(connection, run.id, settings)
        # The run may be an earlier one on the same pages that has since grown.
        matches = matches.take(np.isin(matches.a, [page.key for page in pages]))
        counting = list(_counting(connection, matches, settings, least))
        names = pages_of(connection, sorted({match.a for match in counting}))
        pages_before = [reported(connection, watch_id=begun.watch_id, page=page) for page in set(names.values())]
        earlier = [match for matches_before in pages_before for match in matches_before]
        before, versions = _Spans(), _Versions(addresses(connection, sorted({m.b for m in (*earlier, *counting)})))
        before.extend(earlier)
        versions.extend(earlier)
        counting = [replace(match, page=names[match.a], check_id=begun.id) for match in counting]
        # The page may have a new text, too.
        versions.extend([match for match in counting if before.has(match)])
        was_known = [before.has(match) or versions.has(match) for match in counting]
        once = _Spans()
        for match, is_old in zip(counting, was_known, strict=True):
            # A page that repeats a passage has one match, whether new, known or ignored.
            if once.has(match):
                continue
            once.extend([match])
            if is_old:
                known += 1
            elif before.has(match) or versions.has(match):
                continue
            elif settings.ignores(match.page):
                ignored += 1
            elif cases.of(match.page).state.is_silent:
                ignored += 1
                withheld.add(match.a)
            else:
                fresh.append(match)
                before.extend([match])
                versions.extend([match])
    finished = replace(
        begun, examined=min(run.documents, len(pages)), reported=len(fresh), known=known, ignored=ignored, run_id=run.id
    )
    if used is not None:
        finished = replace(finished, message=described(used))
    return finished, sorted(fresh, key=lambda r: -r.score), withheld


def _matches(connection: Connection, run_id: int, settings: WatchSettings) -> Matches:
    """The matches of a run; for a method that finds only pairs, each pair as a match of its whole texts."""
    if "matches" in registry.get(settings.method).emits:
        return match_columns(connection, run_id)
    pairs = list(pairs_of(connection, run_id))
    matches = as_matches(pairs, items_of(connection, sorted({key for pair in pairs for key in (pair.a, pair.b)})))
    return replace(matches, score=np.nan_to_num(matches.score))


def _threshold(connection: Connection, settings: WatchSettings) -> UsedThreshold | None:
    """The project's threshold, if the watch has no minimum score of its own and one is in use."""
    if settings.min_score:
        return None
    kind = TargetKind.PASSAGE if "matches" in registry.get(settings.method).emits else TargetKind.PAIR
    return used_in(connection, settings.method, kind)


def _counting(connection: Connection, matches: Matches, settings: WatchSettings, least: float) -> Iterator[Reported]:
    """The ``matches`` with counted sources and a score of at least ``least``, longest first: a short one may be inside
    a longer one. Of equal ones, the one on a page's latest version comes first.
    """
    keep = (matches.score >= least) & (lengths(matches, B) >= settings.min_characters)
    roles = {key: item.role for key, item in items_of(connection, np.unique(matches.b).tolist()).items()}
    keep &= np.isin(matches.b, np.array([key for key, role in roles.items() if role == Role.SOURCE], np.int64))
    if settings.sources:
        sources = list(keys_of(connection, settings.sources).values())
        keep &= np.isin(matches.b, np.array(sources, np.int64))
    counted = matches.take(np.flatnonzero(keep))
    for row in np.lexsort((-counted.a, counted.b_start - counted.b_end)).tolist():
        match = counted.row(row)
        spans = (*match.a_span, *match.b_span)
        gaps = tuple((side, *gap) for side, gaps in enumerate((match.a_gaps, match.b_gaps)) for gap in gaps)
        yield Reported("", match.a, match.b, *spans, match.score, int(match.evidence["tier"]), gaps=gaps)


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

    def has(self, match: Reported) -> bool:
        """Whether the source passage of ``match`` is known."""
        return self.shared(match) >= KNOWN_SHARE * (match.b_end - match.b_start)

    def _at(self, match: Reported) -> tuple[list[Span], int, int]:
        """The spans of its page and source, and which of them (a range) it overlaps."""
        spans = self._spans[match.page, match.b]
        first = bisect_right(spans, match.b_start, key=lambda span: span.end)
        return spans, first, bisect_left(spans, match.b_end, key=lambda span: span.start)


class _Versions:
    """The parts of each page reported with each text of a source that was fetched at different times; ``addresses``
    are those of the sources, by key.
    """

    def __init__(self, addresses: Mapping[int, str]) -> None:
        self._addresses = addresses
        self._spans = _Spans()
        self._texts: defaultdict[str, set[int]] = defaultdict(set)

    def extend(self, matches: Iterable[Reported]) -> None:
        """Add the passages of ``matches``."""
        for match in matches:
            if address := self._addresses.get(match.b):
                self._texts[address].add(match.b)
                self._spans.extend([_turned(match, match.b)])

    def has(self, match: Reported) -> bool:
        """Whether the page's passage is known from another text of the source of ``match``."""
        others = self._texts.get(self._addresses.get(match.b, ""), set()) - {match.b}
        return any(self._spans.has(_turned(match, other)) for other in others)


def _turned(match: Reported, source: int) -> Reported:
    """``match`` with its page as the source, and ``source`` as the name of its page."""
    return replace(match, page=str(source), b=match.a, b_start=match.a_start, b_end=match.a_end)


@dataclass(frozen=True, slots=True)
class FetchedPages:
    """Pages fetched and unchanged, the addresses that yielded nothing, and the reported pages that are gone now."""

    fetched: int = 0
    unchanged: int = 0
    failed: tuple[Failure, ...] = ()
    gone: tuple[str, ...] = ()


def fetch_name(watch_id: int) -> str:
    """The prefix of a watch's fetches in its captures."""
    return f"watch-{watch_id}."


def own_name(watch_id: int) -> str:
    """The prefix of its fetches of the user's own sites."""
    return f"own-{watch_id}."


def look(
    ctx: Context, project: Project, watch: Watch, settings: WatchSettings, *, allow_private: bool, workers: int | None
) -> FetchedPages:
    """Fetch new pages. Raises UserError, Cancelled."""
    options = replace(settings.fetching(), allow_private=allow_private, workers=workers)
    looked = FetchedPages()
    if settings.own:
        own = replace(options, role=Role.SOURCE, name=own_name(watch.id))
        looked = _more(ctx, looked, _fetched(ctx, project, settings.own, own), frozenset())
    if not settings.places:
        return looked
    with project.read() as connection:
        pages = _open_pages(connection, watch)
        before = page_states(connection, pages)
        later = spared(request_times(connection, pages, fetch_name(watch.id)), datetime.now(UTC))
    named = {place.address for place in settings.places}
    again = [PageSource(PlaceKind.URL, page) for page in pages if page not in named and page not in later]
    suspects = replace(options, role=Role.SUSPECT, name=fetch_name(watch.id))
    result = _fetched(ctx, project, [*settings.places, *again], suspects)
    with project.read() as connection:
        after = page_states(connection, [*pages, *(failure.path for failure in result.failed)])
    gone = {page for page in after if after[page].gone and after[page].seen}
    looked = _more(ctx, looked, result, gone)
    fresh = [page for page in pages if page in gone and not (page in before and before[page].gone)]
    return replace(looked, gone=tuple(fresh))


def _fetched(ctx: Context, project: Project, places: Sequence[PageSource], options: FetchOptions) -> FetchResult:
    """Fetch ``places``; once more after what an interrupted check had planned, since there may be new pages by now."""
    result = fetch(ctx, project.path, places, options)
    if not result.continued:
        return result
    again = fetch(ctx, project.path, places, options)
    # What the first part requested is known to the second, and of no interest to the user as such.
    left_out = dict(again.left_out) | {reason: result.left_out.get(reason, 0) for reason in (KNOWN, NOT_DUE)}
    retried = {failure.path for failure in again.failed} | set(again.ids)
    failed = (*(failure for failure in result.failed if failure.path not in retried), *again.failed)
    return replace(
        again,
        fetched=result.fetched + again.fetched,
        unchanged=result.unchanged + again.unchanged,
        failed=failed,
        left_out=left_out,
    )


def _open_pages(connection: Connection, watch: Watch) -> list[str]:
    """The reported pages that have an address and whose case is not closed."""
    cases = read_cases(connection)
    closed = (CaseState.SETTLED, CaseState.IGNORED)
    pages = dict.fromkeys(match.page for match in reported(connection, watch_id=watch.id))
    return [page for page in pages if is_web_address(page) and cases.of(page).state not in closed]


def _more(ctx: Context, looked: FetchedPages, result: FetchResult, gone: frozenset[str] | set[str]) -> FetchedPages:
    """``looked`` and ``result`` together; warns about pages that were left out without being known or unwanted."""
    failed: Sequence[Failure] = [failure for failure in result.failed if failure.path not in gone]
    left_out = sum(result.left_out.get(reason, 0) for reason in (KNOWN, NOT_DUE))
    for reason, number in result.left_out.items():
        if reason not in (KNOWN, NOT_DUE, SAMPLED):
            ctx.warn(Message("Left out: {reason} ({count}).", reason=reason, count=f"{number:,}"))
    return replace(
        looked,
        fetched=looked.fetched + result.fetched,
        unchanged=looked.unchanged + result.unchanged + left_out,
        failed=(*looked.failed, *failed),
    )
