"""A web archive searched for copies of many sources: pages a second, and the most memory.

    python -m tests.benchmarks.scan [--pages N] [--sources N] [--method METHOD] [--text]

The archive has pages with navigation and about 1,500 characters of sentences made of random words; every hundredth
contains five sentences of a source in a row. With ``--text`` it is one of text extracts (WET). Found must be exactly
those pages; the program says so, and ends with 1 otherwise. Rates are this machine's.
"""

from __future__ import annotations

import argparse
import gzip
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from tests.web_archives import record, response
from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.project.listing import items_of
from workbench.project.matches import match_columns
from workbench.services.detecting.querying import look_up
from workbench.services.scanning.running import scan
from workbench.services.scanning.settings import ScanSettings
from workbench.services.session import Session, create

EVERY = 100
"""One page in so many contains something of a source."""
_LETTERS = "etaoinshrdlucmfwypvbgk"


class Words:
    """Sentences of words drawn from a vocabulary by its ranks, as in a language."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = ["".join(self._random.choices(_LETTERS, k=self._random.randint(2, 9))) for _ in range(20_000)]
        self._weights = list(accumulate(1 / rank for rank in range(1, len(self._words) + 1)))

    def sentence(self) -> str:
        """One sentence of 6 to 18 words."""
        chosen = self._random.choices(self._words, cum_weights=self._weights, k=self._random.randint(6, 18))
        return " ".join(chosen).capitalize() + "."

    def sentences(self, count: int) -> list[str]:
        """So many sentences."""
        return [self.sentence() for _ in range(count)]


def pages(number: int, sources: list[list[str]], words: Words, *, text: bool) -> Iterator[bytes]:
    """The records of the archive."""
    links = "".join(f"<li><a href='/{word}'>{word} and more</a></li>" for word in ("news", "sport", "home", "about"))
    for n in range(number):
        own = words.sentences(20)
        if n % EVERY == 0:
            own[8:8] = sources[n // EVERY % len(sources)][3:8]
        url = f"https://site{n % 500}.example/{n}"
        paragraphs = [" ".join(own[at : at + 5]) for at in range(0, len(own), 5)]
        if text:
            yield record(url, "\n\n".join(paragraphs).encode(), kind="conversion", number=n)
            continue
        body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
        markup = f"<!doctype html><title>Page {n}</title><body><nav><ul>{links}</ul></nav><main>{body}</main></body>"
        yield response(url, markup.encode(), n)


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--sources", type=int, default=1_000)
    parser.add_argument("--method", default="digest")
    parser.add_argument("--text", action="store_true")
    arguments = parser.parse_args()
    words = Words(1)
    sources = [words.sentences(40) for _ in range(arguments.sources)]
    with tempfile.TemporaryDirectory() as folder:
        project, archive = (
            Path(folder, "p.palimpsest"),
            Path(folder, "crawl.wet.gz" if arguments.text else "crawl.warc.gz"),
        )
        create(project)
        documents = [Document(f"source{n}", " ".join(own), Role.SOURCE) for n, own in enumerate(sources)]
        with Session(project) as session, session.write() as connection:
            add_documents(connection, documents)
        with archive.open("wb") as file:
            for one in pages(arguments.pages, sources, words, text=arguments.text):
                file.write(gzip.compress(one, 1))
        ctx = Context("scan", lambda event: None, lambda: False)
        # Compiles what is not compiled yet.
        look_up(ctx, project, documents[0], arguments.method)
        begun = time.monotonic()
        scanned = scan(ctx, project, [archive], ScanSettings(arguments.method))
        seconds = time.monotonic() - begun
        with Session(project) as session, session.read() as connection:
            keys = match_columns(connection, scanned.run.id).a.tolist()
            reported = {item.id for item in items_of(connection, keys).values()}
        expected = {f"{archive.name}!https://site{n % 500}.example/{n}" for n in range(0, arguments.pages, EVERY)}
        print(f"{arguments.method}: {scanned.run.documents:,} pages of {archive.stat().st_size / 1e6:,.0f} MB")
        print(
            f"against {arguments.sources:,} sources: {scanned.run.documents / seconds:,.0f} pages/s, {seconds:,.0f} s"
        )
        own, workers = (
            resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        print(f"most memory: {own:,.0f} MB in the program, {workers:,.0f} MB in the largest of its processes")
        print(
            f"pages with a hit: {len(reported & expected):,} of {len(expected):,}, {len(reported - expected):,} others"
        )
        return 0 if reported == expected else 1


if __name__ == "__main__":
    sys.exit(main())
