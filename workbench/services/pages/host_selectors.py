"""The body selectors of the open project. Each function takes the session and touches no widget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.project.pages import load_selectors, pages_of_sites, pages_with_markup, remove_selector, set_selectors
from workbench.reading.blocks.selectors import normal_host, selector_of
from workbench.services.session import Session

Changes = Mapping[str, str | None]
"""Selectors by host; None removes the host's selector."""


@dataclass(frozen=True, slots=True)
class HostSelectors:
    """``rows`` of host, selector and the number of pages it applies to; ``hosts`` of pages, most pages first.

    ``pages`` is the number of pages that can be judged again: those whose markup is stored.
    """

    rows: Sequence[tuple[str, str, int]]
    hosts: Sequence[str]
    pages: int

    def selector(self, host: str) -> str | None:
        """The selector of exactly this (normal) host."""
        return next((css for name, css, _ in self.rows if name == host), None)


def read_selectors(session: Session) -> HostSelectors:
    """All selectors, and the pages they apply to."""
    with session.read() as connection:
        known = load_selectors(connection)
        sites = {site: len(keys) for site, keys in pages_of_sites(connection).items()}
        pages = len(pages_with_markup(connection))
    speaks: Counter[str] = Counter()
    hosts: Counter[str] = Counter()
    sites[""] = pages - sum(sites.values())
    for site, number in sites.items():
        speaks[selector_of(site, known)[0]] += number
        if site:
            hosts[normal_host(site)] += number
    rows = [(host, css, speaks[host]) for host, css in known.items()]
    return HostSelectors(rows, [host for host, _ in hosts.most_common()], pages)


def change_selectors(session: Session, changes: Changes) -> None:
    """Set or remove the selectors of exactly these hosts; others are unchanged."""
    with session.write() as connection:
        set_selectors(connection, {host: css for host, css in changes.items() if css is not None})
        for host, css in changes.items():
            if css is None:
                remove_selector(connection, host)


def make_changes(session: Session, changes: Changes, back: dict[str, str | None]) -> bool:
    """Like :func:`change_selectors`; ``back`` is filled with the changes that undo it. Returns whether anything
    changed.
    """
    with session.read() as connection:
        before = load_selectors(connection)
    back.clear()
    back.update({host: before.get(host) for host, css in changes.items() if before.get(host) != css})
    change_selectors(session, changes)
    return bool(back)


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """The changes that turn ``before`` into ``after``."""
    hosts = sorted(before.keys() | after.keys())
    return {host: after.get(host) for host in hosts if before.get(host) != after.get(host)}
