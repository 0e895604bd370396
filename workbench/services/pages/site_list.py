"""The sites of a project's pages, and the data on each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.base.tags import shown
from workbench.project.captures import first_captures
from workbench.project.imports import imported_times
from workbench.project.listing import addresses, document_table
from workbench.services.relations.directions import site_names
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class Site:
    """A ``host``: its ``name``, from the ends of its titles ("" if none), its ``kind`` (the tags that all its pages
    have), the number of ``pages``, and when one was ``first_seen``: captured, or imported (ISO 8601 in UTC).
    """

    host: str
    name: str
    kind: str
    pages: int
    first_seen: str


def read_sites(session: Session) -> list[Site]:
    """The sites, those with most pages first."""
    with session.read() as connection:
        table = document_table(connection)
        keys = table.key.tolist()
        urls = addresses(connection)
        seen = imported_times(connection, keys) | {
            key: captured for key, (captured, _) in first_captures(connection, keys).items() if captured
        }
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, site in enumerate(table.site):
        if site:
            rows[site].append(row)
    # A page that changed is several documents.
    pages = {site: {urls.get(keys[row]) or f"#{row}": row for row in of} for site, of in rows.items()}
    names = site_names({site: [table.title[row] for row in of.values()] for site, of in pages.items()})

    def common(tags: Iterable[tuple[str, ...]]) -> str:
        return shown(sorted(set.intersection(*map(set, tags))))

    sites = [
        Site(
            site,
            names.get(site, ""),
            common(table.tags[row] for row in of),
            len(pages[site]),
            min((seen[keys[row]] for row in of if keys[row] in seen), default=""),
        )
        for site, of in rows.items()
    ]
    return sorted(sites, key=lambda site: (-site.pages, site.host))
