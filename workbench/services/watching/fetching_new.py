"""What a check fetches: one's own sites, the places of the watch, and the pages that it has reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.project.captures import page_states
from workbench.project.database import Connection, Project
from workbench.project.watches import Watch, reported
from workbench.reading.formats import Failure
from workbench.services.fetching import KNOWN, NOT_DUE, FetchResult, fetch
from workbench.services.fetching.intervals import pasts_of, spared
from workbench.services.watching.cases import CaseState, read_cases
from workbench.services.watching.settings import WatchSettings, is_web_address


@dataclass(frozen=True, slots=True)
class Looked:
    """Pages fetched and unchanged, the addresses that yielded nothing, and the reported pages that are gone now."""

    fetched: int = 0
    unchanged: int = 0
    failed: tuple[Failure, ...] = ()
    gone: tuple[str, ...] = ()


def fetch_name(watch_id: int) -> str:
    """The prefix of a watch's fetches in its captures."""
    return f"watch-{watch_id}."


def own_name(watch_id: int) -> str:
    """The prefix of its fetches of one's own sites."""
    return f"own-{watch_id}."


def look(
    ctx: Context, project: Project, watch: Watch, settings: WatchSettings, *, allow_private: bool, workers: int | None
) -> Looked:
    """Fetch what is new. Raises UserError, Cancelled."""
    options = replace(settings.fetching(), allow_private=allow_private, workers=workers)
    looked = Looked()
    if settings.own:
        own = replace(options, role=Role.SOURCE, name=own_name(watch.id))
        looked = _more(looked, fetch(ctx, project.path, settings.own, own), frozenset())
    if not settings.places:
        return looked
    with project.read() as connection:
        pages = _open_pages(connection, watch)
        before = page_states(connection, pages)
        later = spared(pasts_of(connection, pages, fetch_name(watch.id)), datetime.now(UTC))
    named = {place.address for place in settings.places}
    again = [PageSource(PlaceKind.URL, page) for page in pages if page not in named and page not in later]
    suspects = replace(options, role=Role.SUSPECT, name=fetch_name(watch.id))
    result = fetch(ctx, project.path, [*settings.places, *again], suspects)
    with project.read() as connection:
        after = page_states(connection, [*pages, *(failure.path for failure in result.failed)])
    gone = {page for page in after if after[page].gone and after[page].seen}
    looked = _more(looked, result, gone)
    fresh = [page for page in pages if page in gone and not (page in before and before[page].gone)]
    return replace(looked, gone=tuple(fresh))


def _open_pages(connection: Connection, watch: Watch) -> list[str]:
    """The reported pages that have an address and whose case is not closed."""
    cases = read_cases(connection)
    closed = (CaseState.SETTLED, CaseState.IGNORED)
    pages = dict.fromkeys(match.page for match in reported(connection, watch_id=watch.id))
    return [page for page in pages if is_web_address(page) and cases.of(page).state not in closed]


def _more(looked: Looked, result: FetchResult, gone: frozenset[str] | set[str]) -> Looked:
    failed: Sequence[Failure] = [failure for failure in result.failed if failure.path not in gone]
    left_out = sum(result.left_out.get(reason, 0) for reason in (KNOWN, NOT_DUE))
    return replace(
        looked,
        fetched=looked.fetched + result.fetched,
        unchanged=looked.unchanged + result.unchanged + left_out,
        failed=(*looked.failed, *failed),
    )
