"""How many pages of a site that does not change a watch asks for.

    python -m tests.benchmarks.unchanged_site [--pages N] [--checks N] [--dates]

A server on this machine has N pages and a sitemap, sends neither ETag nor Last-Modified, and never changes; with
--dates the sitemap dates its pages. A watch is checked again and again, and the pages that each check asks for are
counted.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from tests.web_server import Request, Response, WebServer, html
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services.session import Session, create
from workbench.services.watching import store
from workbench.services.watching.checking import check
from workbench.services.watching.settings import WatchSettings

PROSE = "The council of town {n} met on day {n} and voted on bridge {n}, which is the {n}th bridge over the river."


def answer(request: Request) -> Response:
    """A page of its own at every address /p/N."""
    if not request.path.startswith("/p/"):
        return Response(b"nothing here", 404)
    number = request.path.removeprefix("/p/")
    return html("".join(f"<p>{PROSE.format(n=f'{number}-{part}')}</p>" for part in range(3)))


def measure(pages: int, checks: int, *, dates: bool, folder: Path) -> list[tuple[int, float]]:
    """Pages asked for by each check, and its seconds."""
    path = folder / "watch.palimpsest"
    create(path)
    outcomes = []
    with WebServer() as server:
        server.fallback = answer
        dated = "<lastmod>2026-01-02T03:04:05Z</lastmod>" if dates else ""
        rows = "".join(f"<url><loc>{server.url}/p/{n}</loc>{dated}</url>" for n in range(pages))
        listing = f"<urlset>{rows}</urlset>".encode()
        server.page("/map.xml", Response(listing, headers={"Content-Type": "text/xml"}))
        with Session(path) as session:
            with session.write() as connection:
                add_documents(connection, [Document("mine", PROSE.format(n="mine") * 3, Role.SOURCE)])
            place = PageSource(PlaceKind.SITEMAP, f"{server.url}/map.xml")
            store.add(session, "site", WatchSettings(places=(place,), rate=0, limit=2 * pages))
            watch = store.find(session, "site")
        ctx = Context("benchmark", lambda event: None, lambda: False)
        for _ in range(checks):
            server.requests.clear()
            begun = time.perf_counter()
            check(ctx, path, watch, allow_private=True)
            requests = sum(count for address, count in server.counts().items() if address.startswith("/p/"))
            outcomes.append((requests, time.perf_counter() - begun))
    return outcomes


def main() -> None:
    """Print a line for each check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--checks", type=int, default=3)
    parser.add_argument("--dates", action="store_true", help="the sitemap dates its pages")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        outcomes = measure(options.pages, options.checks, dates=options.dates, folder=Path(name))
    for number, (requests, seconds) in enumerate(outcomes, 1):
        share = requests / options.pages
        print(f"check {number}: {requests:,} of {options.pages:,} pages asked for ({share:.2%}), {seconds:.1f} s")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
