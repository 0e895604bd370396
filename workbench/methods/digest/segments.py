"""Documents as sequences of fingerprinted segments, in batches through the compiled pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Block, Document, Span
from workbench.kernels.code_points import code_points
from workbench.kernels.digest.digest_pass import Pass, digest_pass, has_open_lines
from workbench.kernels.digest.segment_values import segment_bits, spellings
from workbench.kernels.fold_table import FoldTable, fold_table
from workbench.kernels.layout import batch_breaks
from workbench.kernels.rabin import fingerprint
from workbench.methods.digest.parameters import DigestParameters
from workbench.text.normalisation import folded_text, ruby_spans


@dataclass(frozen=True, slots=True)
class Segments:
    """Segments of some documents, as columns of m rows in text order.

    ``fingerprints`` uint64; ``start``, ``end`` int64 offsets in the document's text; ``length`` int32 folded
    characters; ``bounds`` int64 [d + 1]: rows of document i; ``short`` int64 [d]: segments dropped as too short.
    ``first`` and ``last`` int32: offsets in the batch, with the code points ``codes``.
    """

    fingerprints: NDArray[np.uint64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    length: NDArray[np.int32]
    bounds: NDArray[np.int64]
    short: NDArray[np.int64]
    codes: NDArray[np.uint32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    table: FoldTable

    def bits(self, rows: NDArray[np.int64], costs: NDArray[np.uint16]) -> NDArray[np.float64]:
        """Surprisal of the letters of the segments ``rows``, in bits."""
        return segment_bits(self.codes, self.first[rows], self.last[rows], self.table, costs)

    def spellings(self, rows: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Hashes of each of the segments ``rows`` as written and of the gap before it: uint32 [len(rows), 2]."""
        return spellings(self.codes, self.first, self.last, self.bounds, rows)


def segment(documents: Sequence[Document], parameters: DigestParameters) -> Segments:
    """The segments of ``documents`` that are long enough, with their fingerprints."""
    views = [_View.of(d) for d in documents] if parameters.ruby else []
    texts = [v.text for v in views or documents]
    text = "".join(texts)
    codes = code_points(text)
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    ends = np.cumsum(sizes)
    table = fold_table(replace(parameters.fold_options, ruby=False))
    is_open = has_open_lines(codes, ends, table, np.array(["\n" in t for t in texts], np.bool_))
    breaks = batch_breaks(codes, ends, [v.blocks for v in views or documents], parameters.layout, is_open)
    passed = digest_pass(codes, ends, breaks, table, bits=parameters.bits, min_length=parameters.min_segment)
    passed = _with_context(passed, text, parameters)
    offsets = np.repeat(ends - sizes, np.diff(passed.bounds))
    start = passed.start.astype(np.int64) - offsets
    end = passed.end.astype(np.int64) - offsets
    for i, view in enumerate(views):
        if view.spans:
            rows = slice(passed.bounds[i], passed.bounds[i + 1])
            start[rows], end[rows] = view.original(start[rows]), view.original(end[rows] - 1) + 1
    where = passed.start, passed.end
    return Segments(passed.fingerprints, start, end, passed.length, passed.bounds, passed.short, codes, *where, table)


@dataclass(frozen=True, slots=True)
class _View:
    """A document's text as segmented; ``spans`` are the remaining parts of the original, empty if it is unchanged."""

    text: str
    blocks: tuple[Block, ...]
    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, document: Document) -> _View:
        """``document`` without its readings and notes."""
        cut = ruby_spans(document.text)
        if not cut:
            return cls(document.text, document.blocks)
        edges = [0, *(x for span in cut for x in span), len(document.text)]
        spans = tuple(Span(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b)
        removed = [(s.end, s.end - s.start) for s in cut]
        blocks = tuple(
            b._replace(span=Span(_moved(b.span.start, removed), _moved(b.span.end, removed))) for b in document.blocks
        )
        return cls("".join(document.text[a:b] for a, b in spans), blocks, spans)

    def original(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Offsets in the document's text of the characters at ``offsets`` in ``text``."""
        lengths = np.array([s.end - s.start for s in self.spans], np.int64)
        first = np.cumsum(lengths) - lengths
        piece = np.searchsorted(first, offsets, side="right") - 1
        starts = np.array([s.start for s in self.spans], np.int64)
        return offsets - first[piece] + starts[piece]


def _moved(offset: int, removed: Sequence[tuple[int, int]]) -> int:
    """``offset`` after removing the spans that end at or before it."""
    return max(0, offset - sum(n for end, n in removed if end <= offset))


def _with_context(passed: Pass, text: str, parameters: DigestParameters) -> Pass:
    """Fold the text that the compiled pass cannot fold, using the reference."""
    rows = np.flatnonzero(passed.fingerprints == 0)
    if not len(rows):
        return passed
    options = replace(parameters.fold_options, ruby=False)
    prints, lengths = passed.fingerprints.copy(), passed.length.copy()
    for row in rows.tolist():
        folded = folded_text(text[passed.start[row] : passed.end[row]], options)
        lengths[row] = len(folded)
        if len(folded) >= parameters.min_segment:
            prints[row] = fingerprint(folded, parameters.bits)
    is_kept = prints != 0
    if is_kept.all():
        return replace(passed, fingerprints=prints, length=lengths)
    before = np.concatenate([[0], np.cumsum(is_kept)])
    bounds = before[passed.bounds].astype(np.int64)
    dropped = np.diff(passed.bounds) - np.diff(bounds)
    return Pass(
        prints[is_kept], passed.start[is_kept], passed.end[is_kept], lengths[is_kept], bounds, passed.short + dropped
    )
