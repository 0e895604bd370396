"""Rare sentences: from pages to the pairs that share them, against DuckDB and SQLite doing the same; one core.

    python -m tests.benchmarks.rare_sentences [--sentences N] [--quick]

N sentences (10 million; --quick: 500,000) of 24 to 64 ideographs on pages of 20: 70 % stand on one page, 28 % on two to
about ten, 2 % are boilerplate of hundreds of pages. Everyone reads the same file of pages and sentences; the peers find
them already divided, ours divides the text of each page, folds and hashes it and compares the texts of equal hashes.
``frequency``: how many pages hold each sentence; ``pairs``: pages that share sentences of at most 10 pages, with their
shared characters; the number of pairs must agree. Ours also decides the relation of each pair and gives its passages
and evidence. Each runs in a process of its own with one thread; times are those of the processor. Ratios matter, times
are this machine's.

    python -m tests.benchmarks.rare_sentences --sorting [--sentences N]

Only the part of the index that an engine could take over: N rows as it has them, by hash, and how many are in two to
ten documents. With a cap, DuckDB spills as ours does (see ``docs/decisions/0023-own-sort-of-sentences.md``).
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import random
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.methods.core.collection import batches
from workbench.methods.core.warming import warm_up
from workbench.methods.rare_sentences.index import HELD, ROW, Sorter, build, load
from workbench.methods.rare_sentences.method import METHOD
from workbench.methods.rare_sentences.parameters import RareSentencesParameters

PER_PAGE = 20
SHARED, COMMON = 0.28, 0.02
MOST = 10
_BATCH = 20_000
_DIGITS = "".join(map(chr, range(0x5000, 0x5400)))

Figures = tuple[float, float, float, int]
"""Seconds until frequencies are known, seconds in all, megabytes at most, pairs."""


class Memory:
    """Most memory of its own, in megabytes, that this process held since (Linux; 0 elsewhere), sampled.

    Files that are mapped do not count: the system takes their pages back when it needs them.
    """

    def __init__(self) -> None:
        self._start = self._now()
        self._most = self._start
        self._done = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._done.wait(0.02):
            self._most = max(self._most, self._now())

    @staticmethod
    def _now() -> float:
        status = Path("/proc/self/status")
        if not status.is_file():
            return 0.0
        (line,) = (row for row in status.read_text(encoding="ascii").splitlines() if row.startswith("RssAnon"))
        return int(line.split()[1]) / 1024

    def peak(self) -> float:
        """What was added to what was held at first."""
        self._done.set()
        return max(self._most, self._now()) - self._start


def write_pages(path: Path, sentences: int) -> None:
    """A tab-separated file of page numbers and sentences, ordered by page."""
    rng = random.Random(1)
    pool = "".join(rng.choices([chr(0x4E00 + i) for i in range(500)], k=1 << 20))
    pages = sentences // PER_PAGE
    groups = max(1, int(sentences * SHARED / 5))
    with path.open("w", encoding="utf-8") as file:
        for page in range(pages):
            for i in range(PER_PAGE):
                kind = rng.random()
                if kind < COMMON:
                    number = rng.randrange(1000)
                elif kind < COMMON + SHARED:
                    number = 1000 + rng.randrange(groups)
                else:
                    number = 1000 + groups + page * PER_PAGE + i
                at = number * 7919 % (len(pool) - 64)
                name = _DIGITS[number >> 20] + _DIGITS[number >> 10 & 1023] + _DIGITS[number & 1023]
                file.write(f"{page}\t{name}{pool[at : at + 20 + number % 40]}。\n")


def _pages(path: Path) -> Iterator[Document]:
    with path.open(encoding="utf-8") as file:
        rows = (line.rstrip("\n").split("\t") for line in file)
        for page, members in groupby(rows, key=lambda row: row[0]):
            yield Document(page, "".join(row[1] for row in members), Role.SUSPECT, int(page) + 1)


def ours(path: Path) -> Figures:
    """The method, its index on disk."""
    warm_up(NullProgress())
    parameters = RareSentencesParameters(max_documents=MOST)
    memory = Memory()
    begun = time.process_time()
    pairs = 0
    with tempfile.TemporaryDirectory() as name:
        build(batches(_pages(path)), parameters, Path(name), NullProgress())
        frequency = time.process_time() - begun
        index = load(Path(name))
        for batch in batches(_pages(path)):
            pairs += len(METHOD.detect(index, batch, parameters, NullProgress()).pairs)
    return frequency, time.process_time() - begun, memory.peak(), pairs


_FREQUENCIES = "CREATE TABLE rare AS SELECT sentence FROM s GROUP BY sentence HAVING count(*) BETWEEN 2 AND {}"
_PAIRS = """
    CREATE TABLE pairs AS SELECT a.page AS a, b.page AS b, count(*) AS n, sum(length(a.sentence)) AS characters
    FROM s a JOIN rare ON a.sentence = rare.sentence JOIN s b ON a.sentence = b.sentence AND a.page > b.page
    GROUP BY a.page, b.page
"""


def by_capped_duckdb(path: Path) -> Figures:
    """As :func:`by_duckdb`, with at most :data:`CAP` of memory."""
    return by_duckdb(path, CAP)


def by_duckdb(path: Path, cap: str = "") -> Figures:
    """DuckDB with one thread, on sentences as text."""
    memory = Memory()
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as name, duckdb.connect(str(Path(name) / "pages.duckdb")) as connection:
        connection.execute("SET threads = 1")
        connection.execute("SET enable_progress_bar = false")
        if cap:
            connection.execute(f"SET memory_limit = '{cap}'")
            connection.execute("SET preserve_insertion_order = false")
        connection.execute(
            "CREATE TABLE s AS SELECT DISTINCT page, sentence "
            "FROM read_csv(?, delim = '\t', header = false, quote = '', "
            "columns = {'page': 'INTEGER', 'sentence': 'VARCHAR'})",
            [str(path)],
        )
        connection.execute(_FREQUENCIES.format(MOST))
        frequency = time.process_time() - begun
        connection.execute(_PAIRS)
        row = connection.execute("SELECT count(*) FROM pairs").fetchone()
    return frequency, time.process_time() - begun, memory.peak(), int(row[0]) if row else 0


def by_sqlite(path: Path) -> Figures:
    """SQLite, on sentences as text, with an index on them."""
    memory = Memory()
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as name:
        connection = sqlite3.connect(Path(name) / "pages.sqlite")
        connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000")
        connection.execute("CREATE TABLE s (page INTEGER, sentence TEXT)")
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            connection.executemany("INSERT INTO s VALUES (?, ?)", ((page, text) for page, text in rows))
        connection.execute("CREATE TABLE once AS SELECT DISTINCT page, sentence FROM s")
        connection.execute("DROP TABLE s")
        connection.execute("ALTER TABLE once RENAME TO s")
        connection.execute("CREATE INDEX by_sentence ON s (sentence, page)")
        connection.execute(_FREQUENCIES.format(MOST))
        frequency = time.process_time() - begun
        connection.execute(_PAIRS)
        pairs = connection.execute("SELECT count(*) FROM pairs").fetchone()[0]
        connection.close()
    return frequency, time.process_time() - begun, memory.peak(), pairs


CAP = "300MB"
PEERS = {"ours": ours, "DuckDB, 1 thread": by_duckdb, f"DuckDB, {CAP}": by_capped_duckdb, "SQLite": by_sqlite}


def _rows(count: int) -> Iterator[NDArray[Any]]:
    """Rows of an index in the order of the pages, a batch of pages at a time."""
    rng = np.random.default_rng(1)
    hashes = rng.integers(0, 1 << 64, max(1, int(count * SHARED / 5)), np.uint64)
    for first in range(0, count, _BATCH):
        rows = np.zeros(min(_BATCH, count - first), ROW)
        rows["hash"] = rng.integers(0, 1 << 64, len(rows), np.uint64)
        repeated = rng.random(len(rows)) < SHARED
        rows["hash"][repeated] = hashes[rng.integers(0, len(hashes), int(repeated.sum()))]
        rows["document"] = (first + np.arange(len(rows))) // PER_PAGE
        rows["first"] = first + np.arange(len(rows))
        yield rows


def sorted_by_us(count: int) -> Figures:
    """The sorter of the method's index."""
    memory, begun = Memory(), time.process_time()
    kept = 0
    with tempfile.TemporaryDirectory() as name:
        sorter = Sorter(Path(name), ROW, HELD)
        for rows in _rows(count):
            sorter.add(rows)
        for rows in sorter.merged():
            edges = np.flatnonzero(np.diff(rows["hash"], prepend=rows["hash"][0] + np.uint64(1)))
            sizes = np.diff(np.append(edges, len(rows)))
            kept += int(sizes[(sizes >= 2) & (sizes <= MOST)].sum())
        sorter.close()
    seconds = time.process_time() - begun
    return seconds, seconds, memory.peak(), kept


def sorted_by_duckdb(count: int, cap: str = "") -> Figures:
    """The statements of the stage on the same rows: frequencies, then the rows of the rare ones in order."""
    memory, begun = Memory(), time.process_time()
    kept = 0
    with tempfile.TemporaryDirectory() as name, duckdb.connect(str(Path(name) / "rows.duckdb")) as connection:
        run = connection.execute
        run("SET threads = 1")
        run("SET enable_progress_bar = false")
        run("SET preserve_insertion_order = false")
        if cap:
            run(f"SET memory_limit = '{cap}'")
        schema = pa.schema([(column, pa.from_numpy_dtype(ROW[column])) for column in ROW.names or ()])
        batches = (
            pa.RecordBatch.from_arrays([pa.array(np.ascontiguousarray(rows[c])) for c in schema.names], schema=schema)
            for rows in _rows(count)
        )
        incoming = pa.RecordBatchReader.from_batches(schema, batches)
        connection.register("incoming", incoming)
        run("CREATE TABLE s AS SELECT * FROM incoming")
        run(f"CREATE TABLE r AS SELECT hash FROM s GROUP BY hash HAVING count(*) BETWEEN 2 AND {MOST}")
        ordered = connection.sql("SELECT s.* FROM s JOIN r ON s.hash = r.hash ORDER BY s.hash, s.document")
        for batch in ordered.to_arrow_reader(1 << 16):
            kept += len(batch)
    seconds = time.process_time() - begun
    return seconds, seconds, memory.peak(), kept


def sorted_by_capped_duckdb(count: int) -> Figures:
    """As :func:`sorted_by_duckdb`, with at most :data:`CAP` of memory."""
    return sorted_by_duckdb(count, CAP)


SORTERS = {"ours": sorted_by_us, "DuckDB, 1 thread": sorted_by_duckdb, f"DuckDB, {CAP}": sorted_by_capped_duckdb}


def compare(peers: Mapping[str, Callable[[Any], Figures]], argument: Any, sentences: int) -> None:
    """Print the figures of ``peers``, each in a process of its own."""
    print(f"{'':>18}{'frequency s':>12}{'all s':>8}{'ratio':>7}{'sentences/s':>13}{'MB':>7}{'found':>12}")
    first = 0.0
    for title, function in peers.items():
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            frequency, seconds, megabytes, pairs = pool.apply(function, (argument,))
        first = first or seconds
        print(
            f"{title:>18}{frequency:12.1f}{seconds:8.1f}{seconds / first:6.1f}x{sentences / seconds:13,.0f}"
            f"{megabytes:7,.0f}{pairs:12,}",
            flush=True,
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=10_000_000)
    parser.add_argument("--quick", action="store_true", help="500,000 sentences")
    parser.add_argument("--without-sqlite", action="store_true", help="it takes minutes")
    parser.add_argument("--sorting", action="store_true", help="only the sorting")
    options = parser.parse_args()
    sentences = 500_000 if options.quick else options.sentences
    if options.sorting:
        compare(SORTERS, sentences, sentences)
        return
    peers = {title: peer for title, peer in PEERS.items() if peer is not by_sqlite or not options.without_sqlite}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "pages.tsv"
        write_pages(path, sentences)
        print(f"{sentences:,} sentences, {path.stat().st_size / 1e6:,.0f} MB")
        compare(peers, path, sentences)


if __name__ == "__main__":
    main()
