"""Documents as sets of long sentences in their content blocks, in batches through the compiled passes.

Source of the rule for consecutive links: Kang's thesis, section 4.1, step 3: the texts of consecutive anchors are one
sentence if their compound occurs often enough, otherwise separate sentences (京都市 | 左京区 is a place, 福地寿樹 |
捕鯨問題 are two subjects).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.base.types import BlockClass, Document
from workbench.kernels.code_points import code_points
from workbench.kernels.fold_table import fold_table
from workbench.kernels.layout import batch_breaks
from workbench.kernels.rare_sentences import Strings, count_documents, has_open_lines, sentence_pass, string_hashes
from workbench.kernels.token_pass import FoldedCodes, fold_codes
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.text.normalisation import FoldOptions, fold, ruby_spans


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents, the end of each in the batch (int64 [d]), and their folded text."""

    documents: Sequence[Document]
    ends: NDArray[np.int64]
    folded: FoldedCodes


def anchor_runs(document: Document) -> list[list[int]]:
    """Runs of at least two links separated by at most white space without line ends: for each run, the starts of its
    links and the end of the last.
    """
    runs: list[list[int]] = []
    for one, other in pairwise(document.anchors):
        between = document.text[one.span.end : other.span.start]
        if "\n" in between or between.strip():
            continue
        if runs and runs[-1][-1] == one.span.end:
            runs[-1][-1:] = [other.span.start, other.span.end]
        else:
            runs.append([one.span.start, other.span.start, other.span.end])
    return runs


def anchor_breaks(batch: Batch, compounds: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Offsets in the batch, ascending, at which a link begins a separate sentence: links inside runs whose compound is
    not in ``compounds`` (hashes, ascending).
    """
    frequent = set(compounds.tolist())
    breaks = [at for run, _, _, value in _compounds(batch) if value not in frequent for at in run[1:-1]]
    return np.array(breaks, np.int64)


def frequent_compounds(batches: Callable[[], Iterable[Batch]], least: int, progress: Progress) -> NDArray[np.uint64]:
    """Hashes, ascending, of the compounds that occur in at least ``least`` documents, linked or not.

    The collection is read through ``batches``, twice if it has any compound. Raises Cancelled.
    """
    parts, sizes = [np.zeros(0, np.uint32)], [0]
    known: set[int] = set()
    for batch in batches():
        progress.check()
        for _, first, last, value in _compounds(batch):
            if value not in known:
                known.add(value)
                parts.append(batch.folded.codes[first:last])
                sizes.append(last - first)
    edges = np.cumsum(sizes, dtype=np.int64)
    strings = Strings.of(np.concatenate(parts), edges[:-1], edges[1:])
    counts = np.zeros(len(strings.hashes), np.int64)
    if len(counts):
        for batch in batches():
            progress.check()
            count_documents(batch.folded.codes, batch.folded.bounds, strings, counts)
    return np.sort(strings.hashes[counts >= least])


def _compounds(batch: Batch) -> Iterator[tuple[list[int], int, int, int]]:
    """Each run, as offsets in the batch, its folded characters ``[first, last)``, and their hash; runs of symbols only
    are omitted.
    """
    starts = batch.ends - [len(d.text) for d in batch.documents]
    shifted = zip(batch.documents, starts.tolist(), strict=True)
    runs = [[at + shift for at in run] for document, shift in shifted for run in anchor_runs(document)]
    if not runs:
        return
    first = np.searchsorted(batch.folded.start, [run[0] for run in runs]).astype(np.int64)
    last = np.searchsorted(batch.folded.start, [run[-1] for run in runs]).astype(np.int64)
    hashes = string_hashes(batch.folded.codes, first, last)
    for run, a, b, value in zip(runs, first.tolist(), last.tolist(), hashes.tolist(), strict=True):
        if a < b:
            yield run, a, b, value


_PARTICLES = "がをにはので"
MARK_REACH = 100
"""Characters between a passage and words that mark a quotation."""

_QUOTING_PATH = re.compile(r"(?:^|/)(?:blockquote|quote|q|cite)\b")
"""The path of a block in a quotation: of a page, or of a file with other names for its parts."""
_QUOTING_WORDS = re.compile(
    r"引用(?:元|先|文|サイト|記事|開始|ここから|終|[:：\]］】)）])|[よか]り?ら?引用|[\[［【(（]引用|出典|転載|参照元"
    r"|引自|引用自|摘自|转自|轉自|转载自|轉載自|[来來]源\s*[:：]|出处|出處"
    r"|\b(?:quoted from|quote from|excerpt(?:ed)? from|source:|originally published|reposted from)",
    re.IGNORECASE,
)

_PARTS = {
    "引": ("引用", "引自"),
    "典": ("出典",),
    "載": ("転載", "轉載自"),
    "照": ("参照元",),
    "摘": ("摘自",),
    "转": ("转自", "转载自"),
    "轉": ("轉自",),
    "源": ("来源", "來源"),
    "处": ("出处",),
    "處": ("出處",),
    "m": tuple(
        f"{word} {of}" for word in ("uoted", "uote", "xcerpt", "xcerpted", "eposted") for of in ("from", "From")
    ),
    "M": ("UOTED FROM", "UOTE FROM", "XCERPT FROM", "XCERPTED FROM", "EPOSTED FROM"),
    ":": ("ource:", "OURCE:"),
    "d": ("riginally published", "riginally Published"),
    "D": ("RIGINALLY PUBLISHED",),
}
"""``_QUOTING_WORDS`` finds nothing in a text without any of these (in usual capitalisation); searching for these is
much faster, and for a character of each, even more so.
"""


@dataclass(frozen=True, slots=True)
class Sentences:
    """Distinct long sentences of d documents, each at its first occurrence: columns of m rows in text order.

    ``document`` int32: number in the batch; ``hashes`` uint64; ``start``, ``end`` int32 offsets in the document's text;
    ``ordinal`` int32: number of long sentences before it; ``length`` int32 folded characters, which are
    ``codes[first:first + length]`` (``first`` int64, ``codes`` uint32); ``spelling``, ``lead`` and ``gap`` as in
    :class:`~workbench.kernels.rare_sentences.SentenceRows`; ``quoted`` bool: inside a quotation, or near words that
    mark one. ``outside``: number of long sentences omitted because their block is not content; ``short``: number of
    sentences that are too short; ``foreign``: number of documents omitted for lack of Japanese particles.
    """

    document: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    ordinal: NDArray[np.int32]
    length: NDArray[np.int32]
    first: NDArray[np.int64]
    spelling: NDArray[np.uint32]
    lead: NDArray[np.uint32]
    gap: NDArray[np.uint32]
    quoted: NDArray[np.bool_]
    codes: NDArray[np.uint32]
    documents: int
    outside: int
    short: int
    foreign: int

    def __len__(self) -> int:
        return len(self.hashes)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Sentences:
        """Some rows, by number or mask."""
        columns = {f.name: getattr(self, f.name)[rows] for f in fields(self)[:11]}
        return replace(self, **columns)

    def of(self, document: int) -> Sentences:
        """The rows of one document."""
        return self.take(self.document == document)

    def characters(self) -> NDArray[np.int64]:
        """Characters of each document's sentences: int64 [documents]."""
        sums = np.bincount(self.document, weights=self.length, minlength=self.documents)
        return np.rint(sums).astype(np.int64)


NO_COMPOUNDS = np.zeros(0, np.uint64)


def compounds(
    groups: Callable[[], Iterable[Sequence[Document]]], parameters: RareSentencesParameters, progress: Progress
) -> NDArray[np.uint64]:
    """Hashes, ascending, of the compounds of links that are single sentences in a collection, which is read through
    ``groups``; none if links are prose. Raises Cancelled.
    """
    if parameters.anchors == "prose":
        return NO_COMPOUNDS
    return frequent_compounds(lambda: (_batch(g, parameters) for g in groups()), parameters.min_compound, progress)


def _batch(documents: Sequence[Document], parameters: RareSentencesParameters) -> Batch:
    ends = np.cumsum([len(d.text) for d in documents], dtype=np.int64)
    codes = code_points("".join(d.text for d in documents))
    return Batch(documents, ends, _folded(documents, codes, ends, parameters.fold_options))


def read(
    documents: Sequence[Document],
    parameters: RareSentencesParameters,
    compounds: NDArray[np.uint64] = NO_COMPOUNDS,
) -> Sentences:
    """The distinct sentences of ``documents`` of ``min_length`` characters, of content blocks if ``content`` is on.

    ``compounds``: those of :func:`compounds` for the collection.
    """
    sizes = np.array([len(d.text) for d in documents], np.int64)
    ends = np.cumsum(sizes)
    codes = code_points("".join(d.text for d in documents))
    folded = _folded(documents, codes, ends, parameters.fold_options)
    if parameters.ruby:
        documents = [_without_ruby(d) for d in documents]
        codes = code_points("".join(d.text for d in documents))
    breaks = batch_breaks(codes, ends, [d.blocks for d in documents], parameters.layout, has_open_lines(codes, ends))
    if parameters.anchors == "joined":
        breaks = np.sort(np.concatenate([breaks, anchor_breaks(Batch(documents, ends, folded), compounds)]))
    cut = sentence_pass(codes, ends, breaks, folded, parameters.min_length)
    counts = np.diff(cut.bounds)
    document = np.repeat(np.arange(len(documents), dtype=np.int32), counts)
    quoted, outside = _marks(documents, ends - sizes, cut.start, cut.end)
    if not parameters.content:
        outside[:] = False
    least = parameters.min_particles
    foreign = np.array([least > 0 and particles(d.text) < least for d in documents], np.bool_)
    shift = (ends - sizes)[document].astype(np.int32)
    rows = Sentences(
        document=document,
        hashes=cut.hashes,
        start=cut.start - shift,
        end=cut.end - shift,
        ordinal=(np.arange(len(document)) - cut.bounds[:-1][document]).astype(np.int32),
        length=cut.length,
        first=cut.first,
        spelling=cut.spelling,
        lead=cut.lead,
        gap=cut.gap,
        quoted=quoted,
        codes=folded.codes,
        documents=len(documents),
        outside=int(outside.sum()),
        short=int(cut.short.sum()),
        foreign=int(foreign.sum()),
    )
    return _distinct(rows.take(~(outside | foreign[document])))


def particles(text: str) -> float:
    """The share of the particles が, を, に, は, の and で in ``text``, not counting white space, from 0 to 1.

    Source: Kang's thesis, section 4.1, step 1, in which pages with 0.5 % of them count as Japanese.
    """
    characters = sum(map(len, text.split()))
    return sum(map(text.count, _PARTICLES)) / characters if characters else 0.0


def _distinct(rows: Sentences) -> Sentences:
    """The first occurrence of each document's sentences."""
    order = np.lexsort((rows.hashes, rows.document))  # stable: the first of each comes first
    hashes, document = rows.hashes[order], rows.document[order]
    again = np.zeros(len(order), np.bool_)
    again[1:] = (hashes[1:] == hashes[:-1]) & (document[1:] == document[:-1])
    return rows.take(np.sort(order[~again]))


def _folded(
    documents: Sequence[Document], codes: NDArray[np.uint32], ends: NDArray[np.int64], options: FoldOptions
) -> FoldedCodes:
    """The folded batch; documents with ruby or context-dependent characters are folded by the reference."""
    folded = fold_codes(codes, ends, fold_table(replace(options, ruby=False)))
    ruby = np.array([options.ruby and bool(ruby_spans(d.text)) for d in documents], np.bool_)
    special = np.flatnonzero(folded.context | ruby).tolist()
    if not special:
        return folded
    folded_codes, starts = [folded.codes[:0]], [folded.start[:0]]
    after = 0
    for i in [*special, len(documents)]:
        rows = slice(folded.bounds[after], folded.bounds[i])
        folded_codes.append(folded.codes[rows])
        starts.append(folded.start[rows])
        if i < len(documents):
            plain = fold(documents[i].text, options)
            folded_codes.append(code_points(plain.text))
            starts.append(plain.start + np.int32(ends[i] - len(documents[i].text)))
        after = i + 1
    # The pass only needs the starts of folded characters.
    return FoldedCodes(
        np.concatenate(folded_codes), np.concatenate(starts), folded.end[:0], folded.bounds, folded.context
    )


def _without_ruby(document: Document) -> Document:
    """``document`` with zeros, which do not end a sentence, in place of removed ruby."""
    text, at = [], 0
    for span in ruby_spans(document.text):
        text += [document.text[at : span.start], "\0" * (span.end - span.start)]
        at = span.end
    return replace(document, text="".join([*text, document.text[at:]])) if at else document


def _marks(
    documents: Sequence[Document], offsets: NDArray[np.int64], start: NDArray[np.int32], end: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows are quoted, and which are in blocks that are not content: bool [m] each."""
    quoting: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    for document, shift in zip(documents, offsets.tolist(), strict=True):
        for block in document.blocks:
            span = (block.span.start + shift, block.span.end + shift)
            if block.verdict is not BlockClass.CONTENT:
                others.append(span)
            if block.path and _QUOTING_PATH.search(block.path):
                quoting.append(span)
        last = shift + len(document.text)
        if not _may_quote(document.text):
            continue
        for word in _QUOTING_WORDS.finditer(document.text):
            at = max(shift, shift + word.start() - MARK_REACH), min(last, shift + word.end() + MARK_REACH)
            quoting.append(at)
    return _touching(quoting, start, end), _touching(others, start, end)


def _may_quote(text: str) -> bool:
    for character, parts in _PARTS.items():
        if character in text:
            for part in parts:
                if part in text:
                    return True
    return False


def _touching(spans: list[tuple[int, int]], start: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of the spans ``[start, end)`` share a character with one of ``spans``."""
    if not spans:
        return np.zeros(len(start), np.bool_)
    spans.sort()
    begins = np.array([a for a, _ in spans])
    reached = np.array(list(accumulate((b for _, b in spans), max)))
    before = np.searchsorted(begins, end, "left")
    touching: NDArray[np.bool_] = (before > 0) & (reached[np.maximum(before - 1, 0)] > start)
    return touching
