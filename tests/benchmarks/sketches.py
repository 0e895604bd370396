"""Our MinHash and SimHash beside datasketch and rensa, on the same texts in one run; one core, CPU time.

    python -m tests.benchmarks.sketches [FOLDER] [--documents N] [--length L]

FOLDER holds ``documents.jsonl`` (id, role, text); default: the real texts beside the repository. Its texts are cut into
N documents of L characters; every fourth is altered into a near-duplicate of the one before, by different amounts. All
libraries make 128 permutations of character 4-grams of the same folded text; the peers get sets of strings, as they
ask for, and the time to make these is shown apart. The peers have no SimHash: theirs is
MinHash there too. Ratios matter; rates are this machine's.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import rensa
from datasketch import MinHash, MinHashLSH
from numpy.typing import NDArray

from tests.unit.methods.corpora import Collection, detect
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.kernels.sketches.minhash import agreement, band_keys, signatures
from workbench.kernels.sketches.postings import candidate_pairs
from workbench.kernels.sketches.shingles import distinct, shared
from workbench.methods.core.collection import batches
from workbench.methods.core.tokenising import shingle_rows
from workbench.methods.core.warming import warm_up
from workbench.methods.sketches import minhash, simhash
from workbench.methods.sketches.columns import Postings
from workbench.methods.sketches.minhash import MinHashParameters
from workbench.methods.sketches.minhash.sketch import SKETCH
from workbench.methods.sketches.simhash.index import fingerprints
from workbench.methods.sketches.simhash.parameters import SimHashParameters
from workbench.text.normalisation import fold

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "copies_ja"
BANDS, ROWS, K = 32, 4, 4
PERMUTATIONS = BANDS * ROWS
PEERS = 1_000
SETTINGS = MinHashParameters(bands=BANDS, rows=ROWS, k=K, tokens="characters", verify="estimate")


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """CPU seconds, median of ``repeats``."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return median(taken)


def documents(folder: Path, n: int, length: int) -> list[Document]:
    """``n`` documents of ``length`` folded characters; number 4 i + 1 resembles number 4 i."""
    lines = (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    text = fold("".join(json.loads(line)["text"] for line in lines)).text
    rng = random.Random(1)
    pieces: list[str] = []
    for i in range(n):
        at = rng.randrange(len(text) - length)
        piece = text[at : at + length]
        if i % 4 == 1:
            cut = rng.choice([length // 14, length // 4, length // 2])
            piece = pieces[-1][: length - cut] + piece[:cut]
        pieces.append(piece)
    return [Document(str(i), piece, Role.SUSPECT, key=i) for i, piece in enumerate(pieces)]


def grams(text: str) -> set[str]:
    """Character 4-grams."""
    return {text[i : i + K] for i in range(len(text) - K + 1)}


def by_datasketch(sets: list[set[str]]) -> list[MinHash]:
    """Signatures of datasketch."""
    minhashes = []
    for one in sets:
        sketched = MinHash(num_perm=PERMUTATIONS)
        sketched.update_batch([g.encode() for g in one])
        minhashes.append(sketched)
    return minhashes


def by_rensa(sets: list[set[str]]) -> list[rensa.RMinHash]:
    """Signatures of rensa."""
    minhashes = []
    for one in sets:
        sketched = rensa.RMinHash(PERMUTATIONS, 42)
        sketched.update(list(one))
        minhashes.append(sketched)
    return minhashes


def accuracy(corpus: list[Document], sets: list[set[str]]) -> None:
    """Print the error of the estimated resemblances."""
    pairs = [(i, i + 1) for i in range(0, len(sets) - 1, 4)]
    true = np.array([len(sets[i] & sets[j]) / len(sets[i] | sets[j]) for i, j in pairs])
    ours = SKETCH.encode(corpus, SETTINGS)
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    whole_sets = distinct(shingle_rows(corpus, SETTINGS, K))
    exact = shared(whole_sets, a, whole_sets, b).tolist() == [len(sets[i] & sets[j]) for i, j in pairs]
    theirs, others = by_datasketch(sets), by_rensa(sets)
    print(f"\nerror of the resemblance (root of mean square), {len(pairs)} pairs; theory {theory(true):.4f}")
    for name, estimate in (
        ("ours", agreement(ours["signatures"], a, ours["signatures"], b)),
        ("datasketch", [theirs[i].jaccard(theirs[j]) for i, j in pairs]),
        ("rensa", [others[i].jaccard(others[j]) for i, j in pairs]),
    ):
        print(f"  {name:12}{np.sqrt(np.mean((np.array(estimate) - true) ** 2)):8.4f}")
    print(f"  sets of shingles equal to those of strings: {exact}")


def theory(true: NDArray[np.float64]) -> float:
    """Expected error of independent permutations."""
    return float(np.sqrt(np.mean(true * (1 - true)) / PERMUTATIONS))


def signing(corpus: list[Document], sets: list[set[str]]) -> None:
    """Print documents a second from text, and from shingles, to signature."""
    some = len(sets)
    groups = list(batches(corpus))
    rows = [distinct(shingle_rows(g, SETTINGS, K)) for g in groups]
    ready = [[*one] for one in sets]
    cutting = seconds(lambda: [grams(d.text) for d in corpus[:some]])
    table = [
        (
            "text to signature",
            len(corpus) / seconds(lambda: [SKETCH.encode(g, SETTINGS) for g in groups]),
            some / (cutting + seconds(lambda: by_datasketch(sets))),
            some / (cutting + seconds(lambda: by_rensa(sets))),
        ),
        (
            "shingles to signature (peers: strings)",
            len(corpus) / seconds(lambda: [signatures(r, PERMUTATIONS) for r in rows]),
            some / seconds(lambda: by_datasketch(sets)),
            some / seconds(lambda: [rensa.RMinHash(PERMUTATIONS, 42).update(one) for one in ready]),
        ),
    ]
    show("MinHash, 128 permutations", table)
    wide, narrow = SimHashParameters(k=K, tokens="characters"), SimHashParameters(bits=64, k=K, tokens="characters")
    plain = table[0]
    for name, settings in (("128 bits", wide), ("64 bits", narrow)):
        start = time.process_time()
        for group in groups:
            fingerprints(group, settings)
        rate = len(corpus) / (time.process_time() - start)
        show(f"SimHash, {name}, beside the peers' MinHash (they have no SimHash)", [(plain[0], rate, *plain[2:])])


def searching(corpus: list[Document], sets: list[set[str]]) -> None:
    """Print documents a second inserted into the bands, and looked up in them, all libraries on the same ones."""
    corpus = corpus[: len(sets)]
    signed = SKETCH.encode(corpus, SETTINGS)["signatures"]
    own = band_keys(signed, BANDS, ROWS)
    tables = Postings.of(own, None, NullProgress())
    limits = np.full(len(corpus), len(corpus), np.int64)
    theirs, others = by_datasketch(sets), by_rensa(sets)

    def look_up() -> None:
        lists = tables.find(band_keys(signed, BANDS, ROWS))
        lists = lists.take(lists.last > lists.first)
        for _ in candidate_pairs(lists, tables.holders, limits, len(corpus), NullProgress()):
            pass

    def fill() -> MinHashLSH:
        lsh = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, ROWS))
        for i, one in enumerate(theirs):
            lsh.insert(i, one)
        return lsh

    def fill_rensa() -> rensa.RMinHashLSH:
        lsh = rensa.RMinHashLSH(0.5, PERMUTATIONS, BANDS)
        for i, one in enumerate(others):
            lsh.insert(i, one)
        return lsh

    lsh, other = fill(), fill_rensa()
    inserting = seconds(lambda: Postings.of(band_keys(signed, BANDS, ROWS), None, NullProgress()))
    show(
        f"LSH, {BANDS} bands of {ROWS}, {len(corpus)} documents",
        [
            ("insert", len(corpus) / inserting, len(corpus) / seconds(fill), len(corpus) / seconds(fill_rensa)),
            (
                "look up",
                len(corpus) / seconds(look_up),
                len(corpus) / seconds(lambda: [lsh.query(m) for m in theirs]),
                len(corpus) / seconds(lambda: [other.query(m) for m in others]),
            ),
        ],
    )


def show(title: str, rows: list[tuple[str, float, float, float]]) -> None:
    """Print rates and ratios."""
    print(f"\n{title}\n  {'documents/s':40}{'ours':>10}{'datasketch':>12}{'ratio':>8}{'rensa':>10}{'ratio':>8}")
    for name, ours, theirs, others in rows:
        print(f"  {name:40}{ours:10.0f}{theirs:12.0f}{ours / theirs:7.1f}x{others:10.0f}{ours / others:7.1f}x")


def whole(corpus: list[Document]) -> None:
    """Print pages a second end to end, from text to pairs, all with each other."""

    print("\nall documents with each other, from text to pairs")
    for method in (minhash.METHOD, simhash.METHOD):
        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            pairs = len(detect(method, Path(folder), Collection(tuple(corpus))).pairs)
            rate = len(corpus) / (time.process_time() - start)
            size = sum(file.stat().st_size for file in Path(folder).iterdir()) / len(corpus)
            print(f"  {method.name:12}{rate:10.0f} documents/s, {pairs} pairs, {size:.0f} bytes of index a document")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{peak:.0f} MB resident at most, the texts and the peers' sets and signatures included")


def main() -> None:
    """Print the figures."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="?", type=Path, default=DATA)
    arguments.add_argument("--documents", type=int, default=10_000)
    arguments.add_argument("--length", type=int, default=700)
    options = arguments.parse_args()
    if not options.folder.is_dir():
        sys.exit(f"{options.folder} is missing: name a folder with documents.jsonl")
    warm_up(NullProgress())
    corpus = documents(options.folder, options.documents, options.length)
    SKETCH.encode(corpus[:10], SETTINGS)
    sets = [grams(d.text) for d in corpus[:PEERS]]
    print(f"{len(corpus)} documents of {options.length} characters; peers on the first {len(sets)}")
    accuracy(corpus[:PEERS], sets)
    signing(corpus, sets)
    searching(corpus, sets)
    whole(corpus)


if __name__ == "__main__":
    main()
