"""Which sentences of a document to ask a search engine for: those least likely to appear elsewhere.

A sentence is the more characteristic the rarer its words are among the documents of the project: its rarity is the
mean, over its different tokens (words, or two characters in a row in scripts without spaces), of log2(N / df), where N
is the number of documents and df that of the documents that have the token.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from math import log2

import numpy as np

from workbench.base.types import BlockClass, Document, Span
from workbench.text.normalisation import FoldOptions
from workbench.text.segmenting.sentences import sentences
from workbench.text.tokens import SCRIPT, Tokens, token_class, tokens

_BUCKETS = 1 << 20
"""Counters of documents; rare tokens that share one look a little less rare."""
FEWEST, MOST = 6, 24
"""Words in a query (twice as many characters in scripts without spaces): fewer are not specific enough, and search
engines accept about thirty at most.
"""


class Rarity:
    """In how many documents tokens occur; one pass over the documents, in bounded memory."""

    def __init__(self) -> None:
        self._documents = np.zeros(_BUCKETS, np.uint32)
        self._count = 0

    def add(self, document: Document) -> None:
        """Count a document."""
        self._count += 1
        self._documents[list({_bucket(unit) for unit, _ in _units(document.text)})] += 1

    def of(self, units: Iterable[str]) -> float:
        """The rarity of a sentence with these tokens, in bits."""
        different = set(units)
        total = sum(log2(self._count / max(1, int(self._documents[_bucket(unit)]))) for unit in different)
        return total / max(1, len(different))


def queries(document: Document, rarity: Rarity, most: int) -> list[str]:
    """Up to ``most`` of the most characteristic sentences of a document's content, each cut to the length of a query.

    In the order of their rarity; of equally rare ones the longer first, then the earlier.
    """
    ranks: dict[str, tuple[float, int, int]] = {}
    content = [block.span for block in document.blocks if block.verdict is BlockClass.CONTENT]
    for sentence in sentences(document.text, blocks=document.blocks):
        if document.blocks and not any(span.start <= sentence.start and sentence.end <= span.end for span in content):
            continue
        text = document.text[sentence.start : sentence.end]
        units = list(_units(text))
        unspaced = sum(1 for unit, _ in units if token_class(unit[0]) & SCRIPT)
        factor = 2 if unspaced * 2 > len(units) else 1
        if len(units) < FEWEST * factor:
            continue
        kept = units[: MOST * factor]
        words = " ".join(text[kept[0][1].start : kept[-1][1].end].split())
        ranks.setdefault(words, (-rarity.of(unit for unit, _ in kept), -len(kept), sentence.start))
    return sorted(ranks, key=ranks.__getitem__)[:most]


def _units(text: str) -> Iterator[tuple[str, Span]]:
    """Words, and pairs of neighbouring characters of scripts without spaces, with their spans."""
    cut = tokens(text, Tokens.AUTO, FoldOptions())
    for at, (token, span) in enumerate(cut):
        if not token_class(token[0]) & SCRIPT:
            yield token, span
        elif at + 1 < len(cut) and token_class(cut[at + 1][0][0]) & SCRIPT:
            yield token + cut[at + 1][0], Span(span.start, cut[at + 1][1].end)


def _bucket(unit: str) -> int:
    return zlib.crc32(unit.encode("utf-8", "surrogatepass")) % _BUCKETS
