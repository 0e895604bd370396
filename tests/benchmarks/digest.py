"""The digest against its paper and against datasketch, on the same texts in one run; one core, CPU time.

    python -m tests.benchmarks.digest [FOLDER] [--indexed N]

FOLDER holds ``documents.jsonl`` (id, role, text); default: the real texts beside the repository. The index holds its
sources and N documents more, made of its sentences in random order, each with a number of its own. Ratios matter;
rates are this machine's. Paper: 8.4 million documents an hour matched, which what is matched here is set against, and
200 bytes a document (Sakurai et al., 2009, section 6.1).
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from datasketch import MinHash, MinHashLSH

from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.methods.core.collection import batches
from workbench.methods.core.warming import warm_up
from workbench.methods.digest.index import RESIDENT, DigestIndex, build
from workbench.methods.digest.method import METHOD
from workbench.methods.digest.parameters import DigestParameters
from workbench.methods.digest.segments import segment
from workbench.text.normalisation import fold
from workbench.text.segmenting.segmentation import segments

PAPER_RATE = 8.4e6 / 3600
PAPER_BYTES = 200.0
PERMUTATIONS = 128
SHINGLE = 5
PEER_DOCUMENTS = 200
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "copies_ja"


def rate(work: Callable[[], object], documents: int, repeats: int = 5) -> float:
    """Documents a CPU second, median of ``repeats``."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return documents / median(seconds)


def read(folder: Path) -> tuple[list[Document], list[Document]]:
    """Sources and suspects."""
    rows = map(json.loads, (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines())
    documents = [Document(r["id"], r["text"], Role(r["role"]), key=i) for i, r in enumerate(rows, 1)]
    return [d for d in documents if d.role is Role.SOURCE], [d for d in documents if d.role is Role.SUSPECT]


def filler(documents: Sequence[Document], n: int) -> list[Document]:
    """Documents as long as ``documents`` are, of their sentences, each made unique by a number."""
    rng = random.Random(1)
    sentences = [d.text[a:b] for d in documents for a, b in segments(d.text)]
    lengths = [len(segments(d.text)) for d in documents]
    fillers = []
    for i in range(n):
        text = "".join(f"{rng.getrandbits(40)}{rng.choice(sentences)}" for _ in range(rng.choice(lengths)))
        fillers.append(Document(f"filler{i}", text, key=10**6 + i))
    return fillers


def sizes(index: DigestIndex, folder: Path) -> tuple[float, float]:
    """Bytes a document: touched by every query, and of all files."""
    index.save(folder)
    files = {p.stem: p.stat().st_size for p in folder.iterdir()}
    return sum(files[name] for name in RESIDENT) / len(index.keys), sum(files.values()) / len(index.keys)


def signature(document: Document) -> MinHash:
    """MinHash of the character shingles of the folded text."""
    text = fold(document.text).text
    minhash = MinHash(num_perm=PERMUTATIONS)
    minhash.update_batch([text[i : i + SHINGLE].encode() for i in range(max(1, len(text) - SHINGLE + 1))])
    return minhash


def main() -> None:
    """Print the figures."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=DATA)
    arguments.add_argument("--indexed", type=int, default=20_000)
    options = arguments.parse_args()
    if not options.folder.is_dir():
        sys.exit(f"{options.folder} is missing: name a folder with documents.jsonl")
    watch, parameters = NullProgress(), DigestParameters()
    warm_up(watch)
    sources, suspects = read(options.folder)
    indexed = sources + filler(suspects, options.indexed)
    start = time.process_time()
    index = build(indexed, [], parameters, watch)
    building = len(indexed) / (time.process_time() - start)

    def fingerprints(documents: Sequence[Document]) -> None:
        for batch in batches(documents):
            segment(batch, parameters)

    with tempfile.TemporaryDirectory() as folder:
        resident, whole = sizes(index, Path(folder))
        mapped = METHOD.load(Path(folder), parameters)
        METHOD.detect(mapped, suspects, parameters, watch)
        printing = rate(lambda: fingerprints(suspects), len(suspects))
        lines = rate(lambda: fingerprints(sources), len(sources))
        matching = rate(lambda: METHOD.detect(mapped, suspects, parameters, watch), len(suspects))

    some = suspects[:PEER_DOCUMENTS]
    lsh = MinHashLSH(threshold=0.5, num_perm=PERMUTATIONS)
    empty = len(pickle.dumps(lsh))
    for document in indexed[:PEER_DOCUMENTS]:
        lsh.insert(document.id, signature(document))
    peer_bytes = (len(pickle.dumps(lsh)) - empty) / PEER_DOCUMENTS
    peer_printing = rate(lambda: [signature(d) for d in some], len(some), 3)
    peer_matching = rate(lambda: [lsh.query(signature(d)) for d in some], len(some), 3)

    peer_lines = rate(lambda: [signature(d) for d in sources], len(sources), 3)
    per_document = len(index.array.suffixes) / len(index.keys)
    characters, longer = (np.mean([len(d.text) for d in of]) for of in (suspects, sources))
    print(f"{len(index.keys)} documents indexed ({per_document:.1f} segments each), {building:.0f} documents/s")
    print(f"{len(suspects)} suspects of {characters:.0f} characters on average")
    print(f"{'':46}{'digest':>10}{'paper':>9}{'ratio':>8}{'datasketch':>12}{'ratio':>8}")
    rows = [
        ("raw text to fingerprints, documents/s", printing, 0.0, peer_printing),
        (f"... sources, {longer:.0f} characters, with line ends", lines, 0.0, peer_lines),
        ("matched from raw text, documents/s", matching, PAPER_RATE, peer_matching),
    ]
    for name, ours, paper, peer in rows:
        # The paper gives a rate of matching alone.
        beside = f"{paper:9.0f}{ours / paper:7.1f}x" if paper else " " * 17
        print(f"{name:46}{ours:10.0f}{beside}{peer:12.0f}{ours / peer:7.1f}x")
    for name, ours in (("index in memory, bytes/document", resident), ("all index files, bytes/document", whole)):
        ratios = ours / PAPER_BYTES, ours / peer_bytes
        print(f"{name:46}{ours:10.0f}{PAPER_BYTES:9.0f}{ratios[0]:7.2f}x{peer_bytes:12.0f}{ratios[1]:7.2f}x")


if __name__ == "__main__":
    main()
