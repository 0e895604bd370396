"""When to request a page again: the longer it has been unchanged, the later.

A page that has not changed for d days is requested again d/2 days after the last request: a change is noticed at most
half as late as the page was old, with a number of requests that grows with the logarithm of its age. Of a listing's
pages that have never changed, a fetch requests the share :data:`SHARE` that has waited longest. No page waits longer
than :data:`LONGEST`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from workbench.project.captures import GONE, Requests, requests_for
from workbench.project.clock import moment
from workbench.project.database import Connection

GROWTH = 0.5
LONGEST = timedelta(days=30)
SHARE = 0.01
FEWEST = 100
"""Minimum number of a listing's never changed pages that are requested."""


@dataclass(frozen=True, slots=True)
class RequestTimes:
    """Times of the requests for a page: the ``first``, the ``last``, and the last with a changed answer (``changed``).
    ``steady``: the last answer is reliable (a page, or that there is none).
    """

    first: datetime
    last: datetime
    changed: datetime
    steady: bool = True


def spared(pasts: Mapping[str, RequestTimes], now: datetime) -> set[str]:
    """The pages of a listing (by address) that are not requested ``now``."""
    left_out: set[str] = set()
    calm: list[str] = []
    for url, past in pasts.items():
        waited = now - past.last
        if not past.steady or waited >= _longest(url):
            continue
        if waited < GROWTH * (past.last - past.changed):
            left_out.add(url)
        elif past.changed == past.first:
            calm.append(url)
    calm.sort(key=lambda url: (pasts[url].last, _place(url)))
    return left_out.union(calm[max(FEWEST, int(SHARE * len(pasts))) :])


def _longest(url: str) -> timedelta:
    """The longest wait for one page: varied, so that pages fetched on one day do not become due together."""
    return LONGEST * (0.5 + _place(url) / 2)


def _place(url: str) -> float:
    """A fixed number in [0, 1) for ``url``."""
    return int.from_bytes(hashlib.sha256(url.encode()).digest()[:8], "big") / 2.0**64


_STEADY = (200, 203, 304, *GONE)
"""Statuses that are reliable answers."""


def request_times(connection: Connection, urls: Sequence[str], fetches: str) -> dict[str, RequestTimes]:
    """The past of the ``urls`` requested by fetches whose names begin with ``fetches``."""
    rows = requests_for(connection, urls, fetches)
    return {row.url: past for row in rows if (past := _past(row)) is not None}


def _past(row: Requests) -> RequestTimes | None:
    """None if a project contains invalid times, or one that is still to come: a clock that was wrong proves nothing."""
    first, last, changed = moment(row.first), moment(row.last), moment(row.changed or row.first)
    if not (first and last and changed) or last > datetime.now(UTC):
        return None
    return RequestTimes(first, last, changed, steady=row.status in _STEADY)
