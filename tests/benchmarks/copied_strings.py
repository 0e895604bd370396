"""Copied-string scores of a corpus of the paper's size: time against the paper's, growth with l and length, memory.

    python -m tests.benchmarks.copied_strings [ENTRIES]

The paper (Takeda and Takasu, 2009, section 6) took three hours for 21,668 entries against 25 MB of text. The entries
here are random windows of the Japanese texts in ``../shared/data``, every fifth with passages of another one. CPU
time of all cores together; scores take one. Among themselves, entries that are added change N and the document
frequencies of those that were there, so that exact scores are computed anew for all of them; against a background
that stays, the day's entries alone are looked up in its index. A corpus that grows is taken into its index. All are
measured.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.unit.methods.corpora import Collection
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.methods.copied_strings.method import METHOD
from workbench.methods.copied_strings.parameters import CopiedStringsParameters
from workbench.methods.core.warming import warm_up

ENTRIES, MEAN_LENGTH, PAPER_SECONDS = 21_668, 900, 3 * 3600
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def entries(count: int, mean: int, seed: int = 0) -> list[str]:
    """``count`` texts of ``mean`` characters on average; what they share stands in few of them."""
    files = [DATA / "wiki_ja/documents.jsonl", DATA / "splog_ja/entries.jsonl"]
    natural = "".join(json.loads(line)["text"] for f in files for line in f.open(encoding="utf-8"))
    rng = np.random.default_rng(seed)
    texts: list[str] = []
    for i, size in enumerate(rng.integers(mean // 2, mean * 3 // 2, count)):
        # Sentences of 12 to 60 characters in random order: long repeats are the copied ones.
        pieces, length = [], 0
        while length < size:
            width = int(rng.integers(8, 30))
            at = int(rng.integers(0, len(natural) - width))
            pieces.append(natural[at : at + width])
            length += width
        if i % 5 == 0 and texts:
            source = texts[int(rng.integers(0, len(texts)))]
            pieces.insert(len(pieces) // 2, source[: len(source) // 2])
        texts.append("".join(pieces)[: int(size)])
    return texts


def measure(texts: list[str], min_length: int) -> tuple[float, float, int]:
    """CPU seconds of the index and of scoring every entry, and the documents with a score above 0."""
    parameters = CopiedStringsParameters(min_length=min_length, corpus="suspects")
    corpus = Collection.of(*((Role.SUSPECT, text) for text in texts))
    with TemporaryDirectory() as folder:
        begun = time.process_time()
        METHOD.prepare(corpus, parameters, Path(folder), NullProgress())
        indexed = time.process_time()
        results = METHOD.detect(METHOD.load(Path(folder), parameters), corpus.all, parameters, NullProgress())
        scored = time.process_time()
    return indexed - begun, scored - indexed, sum(s.score > 0 for s in results.scores)


def measure_day(texts: list[str], day: list[str]) -> tuple[float, float]:
    """CPU seconds of scoring the entries ``day`` against the background ``texts``: in its index, and in a new one."""
    parameters = CopiedStringsParameters()
    corpus = Collection.of(*((Role.BACKGROUND, text) for text in texts))
    added = [Document(f"e{i}", text, Role.SUSPECT, key=len(texts) + i) for i, text in enumerate(day, 1)]
    with TemporaryDirectory() as folder:
        begun = time.process_time()
        METHOD.prepare(corpus, parameters, Path(folder), NullProgress())
        indexed = time.process_time()
        METHOD.detect(METHOD.load(Path(folder), parameters), added, parameters, NullProgress())
        scored = time.process_time()
    return scored - indexed, scored - begun


def measure_growth(texts: list[str], day: list[str], role: Role) -> tuple[float, float]:
    """CPU seconds of taking ``day`` into the index of ``texts``, and of building the index of both."""
    parameters = CopiedStringsParameters()
    everything = Collection.of(*((role, text) for text in texts + day))
    base, added = Collection(everything.all[: len(texts)]), Collection(everything.all[len(texts) :])
    with TemporaryDirectory() as top:
        before, extended, anew = (Path(top) / name for name in ("before", "extended", "anew"))
        for folder in (before, extended, anew):
            folder.mkdir()
        METHOD.prepare(base, parameters, before, NullProgress())
        begun = time.process_time()
        METHOD.extend(before, everything, added, parameters, extended, NullProgress())
        done = time.process_time()
        METHOD.prepare(everything, parameters, anew, NullProgress())
        return done - begun, time.process_time() - done


def peak_bytes(count: int) -> float:
    """What scoring ``count`` entries adds to the most memory of a fresh process, in bytes a character."""
    texts = entries(count, MEAN_LENGTH)
    warm_up(NullProgress())
    measure(texts[:50], 15)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    measure(texts, 15)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / sum(map(len, texts))


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    # First, while this process is small: the memory of a new one is told with that of the one that began it.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(f"peak memory {pool.apply(peak_bytes, (count,)):.0f} bytes a character")
    warm_up(NullProgress())
    measure(entries(50, 100), 15)
    texts = entries(count, MEAN_LENGTH)
    characters = sum(map(len, texts))
    size = sum(len(t.encode()) for t in texts)
    begun = time.monotonic()
    index, score, positive = measure(texts, 15)
    elapsed = time.monotonic() - begun
    paper = PAPER_SECONDS * count / ENTRIES
    print(f"{count:,} entries, {characters:,} characters, {size / 1e6:.0f} MB; {positive:,} with a copied string")
    total = index + score
    print(f"index {index:.1f} s + scores {score:.1f} s = {total:.1f} s: {paper / total:,.0f} x the paper")
    print(f"by the clock, with the index on two cores: {elapsed:.1f} s: {paper / elapsed:,.0f} x the paper")
    day = entries(max(1, count // 100), MEAN_LENGTH, seed=1)
    index, score, _ = measure(texts + day, 15)
    print(f"among themselves with a day's {len(day)} new entries, all anew: index {index:.1f} s + scores {score:.1f} s")
    measure_day(texts[:50], day[:1])
    added, rebuilt = measure_day(texts, day)
    times = f"added {added:.2f} s, rebuilt {rebuilt:.1f} s ({rebuilt / added:.0f} x)"
    print(f"against a background, a day's {len(day)} new entries: {times}")
    for role in (Role.SUSPECT, Role.BACKGROUND):
        extended, anew = measure_growth(texts, day, role)
        print(f"index of {role} with these: extended {extended:.1f} s, anew {anew:.1f} s ({anew / extended:.1f} x)")
    base = None
    for min_length in (1, 3, 5, 7, 10, 12, 15, 20, 25):
        i, s, _ = measure(texts[: count // 5], min_length)
        base = base or i + s
        print(
            f"l = {min_length:2}: {1e6 * (i + s) / (count // 5):7.0f} us an entry, {(i + s) / base:.2f} x that of l = 1"
        )
    base = None
    for mean in (225, 450, 900, 1800, 3600):
        some = entries(max(50, count * 90 // mean), mean, seed=mean)
        i, s, _ = measure(some, 15)
        pace = (i + s) / sum(map(len, some))
        base = base or pace
        print(f"{mean:4} characters an entry: {1e6 * pace:.2f} us a character, {pace / base:.2f} x that of 225")
    base = None
    for length in (50_000, 200_000, 800_000):
        periodic = ["あ" * length, "あ" * 1000, *("あ" * (100 + 10 * i) + str(i) for i in range(20))]
        i, s, _ = measure(periodic, 15)
        pace = (i + s) / length
        base = base or pace
        print(f"{length:7,} times one character: {1e6 * pace:.2f} us a character, {pace / base:.2f} x that of 50,000")


if __name__ == "__main__":
    main()
