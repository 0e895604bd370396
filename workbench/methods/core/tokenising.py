"""Documents as sequences of tokens, in batches through the compiled passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Document
from workbench.kernels.code_points import code_points
from workbench.kernels.fold_table import VALUE, fold_table
from workbench.kernels.sketches.shingle_pass import Texts, shingle_codes, texts_of
from workbench.kernels.sketches.shingles import Rows, shingle_hashes
from workbench.kernels.token_pass import FoldedCodes, TokenCodes, cut_tokens, fold_codes, han_runs, mark_divisions
from workbench.methods.core.token_parameters import TokenParameters
from workbench.text.normalisation import FoldOptions, fold, ruby_spans
from workbench.text.segmenting.chinese import chinese_words
from workbench.text.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Tokenised:
    """Concatenated tokens of d documents: ``values`` uint64 [n]; ``start``, ``end`` int32 [n], offsets in the document.

    ``bounds`` int64 [d + 1]: tokens of document i are ``bounds[i]:bounds[i + 1]``.
    """

    values: NDArray[np.uint64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    bounds: NDArray[np.int64]

    def shingles(self, k: int, *, short: bool, sampled: bool = False) -> Rows:
        """Hashes of the k-shingles (see ``kernels.sketches.shingles.shingle_hashes``)."""
        return shingle_hashes(self.values, self.bounds, k, short=short, sampled=sampled)


def shingle_rows(documents: Sequence[Document], settings: TokenParameters, k: int) -> Rows:
    """Hashes of the k-shingles of ``documents``; a document of fewer tokens has one, of all of them.

    The same as ``tokenise(documents, settings).shingles(k, short=True)``, sampled where tokens are letters, for callers
    that need no offsets.
    """
    if not compiled(settings):
        return tokenise(documents, settings).shingles(k, short=True)
    rows, context = shingle_codes(as_texts(documents, settings, k))
    apart, others = rows_apart(documents, settings, k, context)
    if not len(apart):
        return rows
    parts = [rows.of(i) for i in range(len(documents))]
    for at, i in enumerate(apart.tolist()):
        parts[i] = others.of(at)
    sizes = np.array([0, *map(len, parts)], np.int64)
    return Rows(np.concatenate(parts), np.cumsum(sizes))


def compiled(settings: TokenParameters) -> bool:
    """Whether shingles are cut in the compiled pass over the text alone (:func:`as_texts`)."""
    return settings.tokens != Tokens.SEGMENTED


def as_texts(documents: Sequence[Document], settings: TokenParameters, k: int) -> Texts:
    """``documents`` for the compiled pass over their k-shingles; a document of fewer tokens has one, of all of them.

    The output must be replaced for the documents of :func:`rows_apart`.
    """
    codes, ends = end_to_end(documents)
    return texts_of(codes, ends, fold_table(replace(settings.fold_options, ruby=False)), Tokens(settings.tokens), k)


def end_to_end(documents: Sequence[Document]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Concatenated code points of ``documents``, and the end of each document among them."""
    codes = code_points("".join(d.text for d in documents))
    return codes, np.cumsum([len(d.text) for d in documents], dtype=np.int64)


def rows_apart(
    documents: Sequence[Document], settings: TokenParameters, k: int, context: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Rows]:
    """Documents that the compiled folding cannot handle (numbers, ascending), and the hashes of their k-shingles.

    ``context``, parallel to ``documents``: the folding of a character depends on its neighbours.
    """
    options, mode = settings.fold_options, Tokens(settings.tokens)
    sampled = mode is Tokens.LETTERS
    apart = np.flatnonzero(_special(documents, options, context))
    parts = [
        _by_reference(documents[i], options, mode).shingles(k, short=True, sampled=sampled).values
        for i in apart.tolist()
    ]
    bounds = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return apart, Rows(np.concatenate([np.zeros(0, np.uint64), *parts]), bounds)


def _special(documents: Sequence[Document], options: FoldOptions, context: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which documents the compiled folding cannot handle."""
    cut_out = [options.ruby and bool(ruby_spans(d.text)) for d in documents]
    return context | np.array(cut_out, np.bool_)


def tokenise(documents: Sequence[Document], settings: TokenParameters) -> Tokenised:
    """The tokens of ``documents``."""
    options, mode = settings.fold_options, Tokens(settings.tokens)
    codes, ends = end_to_end(documents)
    folded = fold_codes(codes, ends, fold_table(replace(options, ruby=False)), marked=True)
    cut = _cut(folded, mode)
    first = np.repeat(ends - [len(d.text) for d in documents], np.diff(cut.bounds)).astype(np.int32)
    batch = Tokenised(cut.values, cut.start - first, cut.end - first, cut.bounds)
    special = _special(documents, options, folded.context)
    if not special.any():
        return batch
    return _replaced(batch, {i: _by_reference(documents[i], options, mode) for i in np.flatnonzero(special).tolist()})


def _cut(folded: FoldedCodes, mode: Tokens) -> TokenCodes:
    """Tokens of ``folded``, in which separators are marked."""
    if mode is not Tokens.SEGMENTED:
        return cut_tokens(folded, mode)
    within = np.zeros(len(folded.codes), np.bool_)
    text = (folded.codes & np.uint32(VALUE)).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for first, last in han_runs(folded).tolist():
        within[first:last] = True
        at = first
        for word in chinese_words(text[first:last]):
            within[at] = False
            at += len(word)
    return cut_tokens(folded, mode, within)


def _by_reference(document: Document, options: FoldOptions, mode: Tokens) -> Tokenised:
    """Tokens of a document that the compiled folding cannot handle."""
    folded_text = fold(document.text, options)
    bounds = np.array([0, len(folded_text.text)], np.int64)
    folded = FoldedCodes(
        code_points(folded_text.text), folded_text.start, folded_text.end, bounds, np.zeros(1, np.bool_)
    )
    cut = _cut(mark_divisions(folded, code_points(document.text)), mode)
    return Tokenised(cut.values, cut.start, cut.end, cut.bounds)


def _replaced(batch: Tokenised, others: dict[int, Tokenised]) -> Tokenised:
    """``batch`` with some documents replaced by those of ``others``."""
    sizes = np.diff(batch.bounds)
    parts: list[Tokenised] = []
    after = 0
    for i in sorted(others):
        parts += [_slice(batch, after, i), others[i]]
        sizes[i] = len(others[i].values)
        after = i + 1
    parts.append(_slice(batch, after, len(sizes)))
    return Tokenised(
        np.concatenate([p.values for p in parts]),
        np.concatenate([p.start for p in parts]),
        np.concatenate([p.end for p in parts]),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
    )


def _slice(batch: Tokenised, first: int, last: int) -> Tokenised:
    rows = slice(batch.bounds[first], batch.bounds[last])
    return Tokenised(batch.values[rows], batch.start[rows], batch.end[rows], batch.bounds[:0])
