"""When the pages of a project were requested, according to its captures."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.project.captures import GONE, Requests, requests_for
from workbench.project.clock import moment
from workbench.project.database import Connection
from workbench.services.fetching.intervals import Past

_STEADY = (200, 203, 304, *GONE)
"""Answers that a host means."""


def pasts_of(connection: Connection, urls: Sequence[str], fetches: str) -> dict[str, Past]:
    """The past of those of ``urls`` that fetches whose names begin with ``fetches`` asked for."""
    rows = requests_for(connection, urls, fetches)
    return {row.url: past for row in rows if (past := _past(row)) is not None}


def _past(row: Requests) -> Past | None:
    """None where a project holds times that are none."""
    first, last, changed = moment(row.first), moment(row.last), moment(row.changed or row.first)
    if not (first and last and changed):
        return None
    return Past(first, last, changed, steady=row.status in _STEADY)
