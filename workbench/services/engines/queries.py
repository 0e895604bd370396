"""Which sentences of a document to ask a search engine for: those least likely to appear elsewhere.

A sentence is the more characteristic the rarer its words are among the documents of the project: its rarity is the
mean, over its different tokens (words, or two characters in a row in scripts without spaces), of log2(N / df), where N
is the number of documents and df that of the documents that have the token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import log2
from typing import NamedTuple

import numpy as np

from workbench.base.types import BlockClass, Document, Span
from workbench.methods.core.token_parameters import TokenParameters
from workbench.methods.core.tokenising import tokenise
from workbench.text.segmenting.sentences import sentences
from workbench.text.tokens import SCRIPT, token_class

_BUCKETS = 1 << 20
"""Counters of documents; rare tokens that share one look a little less rare."""
FEWEST, MOST = 6, 24
"""Words in a query (twice as many characters in scripts without spaces): fewer are not specific enough, and search
engines accept about thirty at most.
"""


class _Unit(NamedTuple):
    """A word, or a pair of neighbouring characters of a script without spaces: a hash of it, and its span."""

    value: int
    span: Span
    is_unspaced: bool


class Rarity:
    """In how many documents tokens occur; one pass over the documents, in bounded memory."""

    def __init__(self) -> None:
        self._documents = np.zeros(_BUCKETS, np.uint32)
        self._count = 0

    def add(self, document: Document) -> None:
        """Count a document."""
        self._count += 1
        self._documents[list({unit.value % _BUCKETS for unit in _units(document)})] += 1

    def of(self, units: Iterable[_Unit]) -> float:
        """The rarity of a sentence with these tokens, in bits."""
        different = {unit.value for unit in units}
        total = sum(log2(self._count / max(1, int(self._documents[value % _BUCKETS]))) for value in different)
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
        units = list(_units(Document("", text)))
        unspaced = sum(unit.is_unspaced for unit in units)
        factor = 2 if unspaced * 2 > len(units) else 1
        if len(units) < FEWEST * factor:
            continue
        kept = units[: MOST * factor]
        words = " ".join(text[kept[0].span.start : kept[-1].span.end].split())
        ranks.setdefault(words, (-rarity.of(kept), -len(kept), sentence.start))
    return sorted(ranks, key=ranks.__getitem__)[:most]


def _units(document: Document) -> Iterator[_Unit]:
    cut = tokenise([document], TokenParameters())
    rows = list(zip(cut.values.tolist(), cut.start.tolist(), cut.end.tolist(), strict=True))
    unspaced = [bool(token_class(document.text[start]) & SCRIPT) for _, start, _ in rows]
    for at, (value, start, end) in enumerate(rows):
        if not unspaced[at]:
            yield _Unit(value, Span(start, end), False)
        elif at + 1 < len(rows) and unspaced[at + 1]:
            after, _, pair_end = rows[at + 1]
            yield _Unit(hash((value, after)), Span(start, pair_end), True)
