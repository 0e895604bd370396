"""The speed of ``altered``: words, aligned pairs, and candidates out of many sources; one core, CPU time.

    python -m tests.benchmarks.altered [--sources N] [--suspects N]

Words and pairs are PAN 2013's beside the repository, or synthetic texts where they are not. Ratios against the plain
reference of a vote and of folding matter; rates are this machine's.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from tests.golden.altered import DATA
from tests.unit.kernels.altered import plain
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.kernels.altered.votes import WAYS, VoteConstants, tally_for, votes_on
from workbench.methods.altered.index import build
from workbench.methods.altered.matching import Pairs, find
from workbench.methods.altered.parameters import AlteredParameters
from workbench.methods.altered.words import words_of
from workbench.methods.core.collection import batches
from workbench.methods.core.warming import warm_up
from workbench.text.normalisation import fold

_WORDS = 40_000
_LENGTH = 300
"""Different words of the synthetic texts, and words of one."""


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def synthetic(rng: random.Random, n: int, role: Role, first: int) -> Iterator[Document]:
    """Texts of words by Zipf's law."""
    ranks = 1 / np.arange(1, _WORDS + 1)
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    shares = ranks / ranks.sum()
    for i in range(n):
        words = numbers.choice(_WORDS, _LENGTH, p=shares)
        yield Document(f"{role}{i}", " ".join(f"w{w:x}" for w in words.tolist()), role, key=first + i)


def texts(rng: random.Random) -> tuple[list[Document], list[Document], list[tuple[int, int]]]:
    """Suspects, sources, and the pairs to align, by their places."""
    if not (DATA / "pan13").is_dir():
        suspects = list(synthetic(rng, 100, Role.SUSPECT, 1000))
        sources = list(synthetic(rng, 100, Role.SOURCE, 1))
        return suspects, sources, [(i, i) for i in range(100)]
    pairs = sorted({tuple(f.stem.split("-source-")) for f in (DATA / "pan13").glob("0*/*.xml")})
    by_side: list[dict[str, Document]] = [{}, {}]
    for side, (folder, role) in enumerate((("susp", Role.SUSPECT), ("src", Role.SOURCE))):
        for number, pair in enumerate(pairs):
            name = pair[0] if side == 0 else f"source-{pair[1]}"
            text = (DATA / "pan13" / folder / f"{name}.txt").read_text(encoding="utf-8")
            by_side[side].setdefault(name, Document(name, text, role, key=number + 1 + 1000 * (1 - side)))
    places = [{name: i for i, name in enumerate(side)} for side in by_side]
    return (
        list(by_side[0].values()),
        list(by_side[1].values()),
        [(places[0][a], places[1][f"source-{b}"]) for a, b in pairs],
    )


def words(documents: Sequence[Document]) -> None:
    """Characters a second: words, and folding alone by the plain reference."""
    raw_texts = [d.text for d in documents]
    size = sum(map(len, raw_texts))
    words_of(raw_texts)
    together = min(seconds(lambda: words_of(raw_texts)) for _ in range(3))
    alone = min(seconds(lambda: [words_of([t]) for t in raw_texts]) for _ in range(3))
    reference = seconds(lambda: [fold(t) for t in raw_texts])
    print(f"words: {size / together / 1e6:.1f} M characters/s together, {size / alone / 1e6:.1f} one by one;", end=" ")
    print(f"folding alone, plain: {size / reference / 1e6:.2f} ({reference / together:.1f} times slower)")


def votes() -> None:
    """Votes a second, and the plain reference's."""
    rng = random.Random(2)
    a, b = [rng.choices(range(60), k=400) for _ in range(2)]
    x, y = plain.numbered(a, b)
    mixture, votes, background, tally = np.full(WAYS, 1 / WAYS), np.zeros(400), plain.flat(x), tally_for(x)
    places = (100, 200, 100, 200, 50, 250)
    limits = places[:4], *places[4:], 0, 400, 0, 400, np.empty(0, np.bool_)

    def compiled() -> None:
        votes_on(x, y, *limits, background, mixture, VoteConstants(), votes, tally)

    def reference() -> None:
        for i in range(400):
            plain.vote(a, b, i, *places, 0.01, mixture.tolist(), VoteConstants())

    compiled()
    fast, slow = min(seconds(compiled) for _ in range(3)), seconds(reference)
    print(f"votes of 400 words: plain reference {slow / fast:.0f} times slower")


def pairs() -> None:
    """Aligned pairs a second, all listed ones and those of candidates."""
    suspects, sources, listed = texts(random.Random(1))
    parameters = AlteredParameters()
    words(sources)
    index = build(batches(sources), [], parameters, NullProgress())
    cut = [words_of([d.text])[0] for d in suspects]
    numbers = [index.numbers(w) for w in cut]
    work = Pairs(index, parameters, NullProgress())
    work.rows(suspects[listed[0][0]], cut[listed[0][0]], numbers[listed[0][0]], listed[0][1])
    spent = seconds(lambda: [work.rows(suspects[a], cut[a], numbers[a], b) for a, b in listed])
    size = sum(len(suspects[a].text) + len(sources[b].text) for a, b in listed)
    print(
        f"alignment: {len(listed) / spent:.0f} pairs/s, {size / spent / 1e6:.1f} M characters/s ({len(listed)} pairs)"
    )
    chosen = [index.candidates(n, len(sources), parameters, NullProgress())[0] for n in numbers]
    every = [(a, b) for a, some in enumerate(chosen) for b in some]
    spent = seconds(lambda: [work.rows(suspects[a], cut[a], numbers[a], b) for a, b in every])
    print(f"candidates: {len(every) / max(spent, 1e-9):.0f} pairs/s ({len(every)} pairs)")


def many(sources: int, suspects: int) -> None:
    """An index of many sources, and suspects half of which hold a passage of one."""
    rng, parameters = random.Random(3), AlteredParameters()
    examined = []
    for i, d in enumerate(synthetic(rng, suspects, Role.SUSPECT, sources + 1)):
        copied = next(synthetic(random.Random(i), 1, Role.SOURCE, 1)).text[:600] if i % 2 else ""
        examined.append(Document(d.id, d.text + " " + copied, d.role, key=d.key))
    planted = [next(synthetic(random.Random(i), 1, Role.SOURCE, 1)).text for i in range(1, suspects, 2)]
    more = synthetic(rng, sources - len(planted), Role.SOURCE, len(planted) + 1)

    def documents() -> Iterator[Document]:
        yield from (Document(f"planted{i}", t, Role.SOURCE, key=i + 1) for i, t in enumerate(planted))
        yield from more

    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        index = build(batches(documents()), [], parameters, NullProgress(), Path(folder))
        built = time.process_time() - begun
        size = sum(f.stat().st_size for f in Path(folder).iterdir())
        begun = time.process_time()
        matches = 0
        for batch in batches(examined):
            matches += len(find(index, batch, [sources] * len(batch), parameters, NullProgress()).matches)
        spent = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{sources:,} sources x {suspects:,} suspects: index {built:.0f} s, {size / 1e6:.0f} MB;", end=" ")
    print(f"detection {spent:.0f} s, {matches} matches of {suspects // 2} planted; {memory:.0f} MB resident at most")


def main() -> None:
    """Print all figures."""
    arguments = argparse.ArgumentParser(description="The speed of altered.")
    arguments.add_argument("--sources", type=int, default=100_000)
    arguments.add_argument("--suspects", type=int, default=1000)
    chosen = arguments.parse_args()
    warm_up(NullProgress())
    votes()
    pairs()
    many(chosen.sources, chosen.suspects)


if __name__ == "__main__":
    main()
