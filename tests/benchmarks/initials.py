"""``initials`` against the digest and against datasketch, on the same texts in one run; one core, CPU time.

    python -m tests.benchmarks.initials [--data FOLDER] [--indexed N] [--set NAME=VALUE]...

Indexed are statutes (``laws_zh``) in pieces of 700 characters, and N documents more, made of their sentences in random
order, each with a number of its own; examined are news articles (``articles_zh``) in such pieces. datasketch makes
MinHash signatures (128 permutations) of 5-character shingles. Ratios matter; rates are this machine's.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasketch import MinHashLSH

from tests.benchmarks.digest import PEER_DOCUMENTS, PERMUTATIONS, filler, rate, signature
from tests.golden.initials import articles, laws
from tests.golden.near_duplicates import DATA, Pages
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.methods.core import registry
from workbench.methods.core.warming import warm_up
from workbench.methods.digest import index as digest_index
from workbench.methods.initials import index as initials_index

SIZE = 700
RESIDENT = {"initials": initials_index.RESIDENT, "digest": digest_index.RESIDENT}


@dataclass(frozen=True)
class Figures:
    """Documents a second indexed and examined, and bytes a document that any query may touch, and in all."""

    indexed: float
    examined: float
    resident: float
    whole: float


def pieces(texts: Sequence[str], role: Role, first: int) -> list[Document]:
    """``texts`` in pieces of ``SIZE`` characters, with keys from ``first`` on."""
    cut = [text[i : i + SIZE] for text in texts for i in range(0, len(text) - SIZE // 2, SIZE)]
    return [Document(f"{role}{i}", text, role, key=i) for i, text in enumerate(cut, first)]


def ours(
    method: str, sources: Sequence[Document], suspects: Sequence[Document], settings: Mapping[str, Any]
) -> Figures:
    """Figures of a method of this program."""
    chosen = registry.get(method)
    parameters, watch = chosen.parameters.parse(settings), NullProgress()
    corpus = Pages(tuple(sources), {}, frozenset(), lambda a, b: True)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        chosen.prepare(corpus, parameters, Path(folder), watch)
        indexed = len(sources) / (time.process_time() - start)
        files = {p.stem: p.stat().st_size for p in Path(folder).iterdir()}
        index = chosen.load(Path(folder), parameters)
        examined = rate(lambda: chosen.detect(index, suspects, parameters, watch), len(suspects), 3)
    resident = sum(files[name] for name in RESIDENT[method])
    return Figures(indexed, examined, resident / len(sources), sum(files.values()) / len(sources))


def peer(sources: Sequence[Document], suspects: Sequence[Document]) -> Figures:
    """Figures of datasketch, on fewer documents."""
    lsh = MinHashLSH(threshold=0.5, num_perm=PERMUTATIONS)
    empty = len(pickle.dumps(lsh))
    start = time.process_time()
    for document in sources[:PEER_DOCUMENTS]:
        lsh.insert(document.id, signature(document))
    indexed = PEER_DOCUMENTS / (time.process_time() - start)
    size = (len(pickle.dumps(lsh)) - empty) / PEER_DOCUMENTS
    some = suspects[:PEER_DOCUMENTS]
    return Figures(indexed, rate(lambda: [lsh.query(signature(d)) for d in some], len(some), 3), size, size)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--indexed", type=int, default=20_000)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of initials")
    options = parser.parse_args()
    warm_up(NullProgress())
    sources = pieces([d.text for d in laws(options.data)], Role.SOURCE, 1)
    suspects = pieces(articles(options.data), Role.SUSPECT, 10**7)
    corpus = sources + filler(sources, options.indexed)
    settings = dict(pair.split("=", 1) for pair in options.set)
    for method in RESIDENT:  # tables of characters are built on first use
        ours(method, sources[:50], suspects[:50], settings if method == "initials" else {})
    figures = [
        ours("initials", corpus, suspects, settings),
        ours("digest", corpus, suspects, {}),
        peer(corpus, suspects),
    ]
    print(f"{len(corpus)} documents indexed, {len(suspects)} examined")
    print(f"{'':36}{'initials':>10}{'digest':>10}{'ratio':>8}{'datasketch':>12}{'ratio':>8}")
    for name, field in (
        ("indexed, documents/s", "indexed"),
        ("examined, documents/s", "examined"),
        ("touched by queries, bytes/document", "resident"),
        ("all index files, bytes/document", "whole"),
    ):
        mine, digest, other = (getattr(f, field) for f in figures)
        print(f"{name:36}{mine:10.0f}{digest:10.0f}{mine / digest:7.2f}x{other:12.0f}{mine / other:7.2f}x")


if __name__ == "__main__":
    main()
