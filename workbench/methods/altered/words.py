"""Texts as words with offsets, in batches through the compiled passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import Stemmer
from numpy.typing import NDArray

from workbench.kernels.altered.classes import lookalikes
from workbench.kernels.altered.cutting import CutWords, Units, cut_units, letters_values, pair_words
from workbench.kernels.code_points import code_points
from workbench.kernels.fold_table import fold_table
from workbench.kernels.token_pass import FoldedCodes, fold_codes
from workbench.text.normalisation import FoldOptions, fold

_OPTIONS = FoldOptions()
_STEMMED = 1 << 20
"""Number of words whose stems are cached, or of those of the last texts if these have more."""


@dataclass(frozen=True, slots=True)
class TextWords:
    """The n words of a text, as ``kernels.altered.cutting.CutWords``, with offsets in the text."""

    values: NDArray[np.uint64]
    characters: NDArray[np.uint64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    reach: NDArray[np.int32]
    close: NDArray[np.int32]
    breaks: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.values)


def words_of(texts: Sequence[str]) -> list[TextWords]:
    """The words of each of ``texts``."""
    codes = code_points("".join(texts))
    ends = np.cumsum([len(t) for t in texts], dtype=np.int64)
    folded = fold_codes(codes, ends, fold_table(_OPTIONS))
    units = cut_units(folded, codes)
    words = _split(_finished(units, folded, codes, ends), ends)
    for i in np.flatnonzero(folded.context).tolist():
        words[i] = _by_reference(texts[i])
    return words


def units_of(text: str) -> tuple[Units, FoldedCodes]:
    """The units of one text, English words as stems, and their folded characters."""
    codes = code_points(text)
    folded = fold_codes(codes, np.array([len(text)], np.int64), fold_table(_OPTIONS))
    if folded.context[0]:
        folded = _folded_by_reference(text)
    units = cut_units(folded, codes)
    _stem_all(units, folded)
    return units, folded


def _by_reference(text: str) -> TextWords:
    """Words of a text that the compiled folding cannot process."""
    folded = _folded_by_reference(text)
    codes, ends = code_points(text), np.array([len(text)], np.int64)
    units = cut_units(folded, codes)
    return _split(_finished(units, folded, codes, ends), ends)[0]


def _folded_by_reference(text: str) -> FoldedCodes:
    done = fold(text, _OPTIONS)
    bounds = np.array([0, len(done.text)], np.int64)
    return FoldedCodes(code_points(done.text), done.start, done.end, bounds, np.zeros(1, np.bool_))


def _finished(units: Units, folded: FoldedCodes, codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> CutWords:
    """Words of ``units``, English ones as stems."""
    _stem_all(units, folded)
    return pair_words(units, folded, codes, ends, fold_table(_OPTIONS).words)


def _stem_all(units: Units, folded: FoldedCodes) -> None:
    """Give English words of ``units`` the values of their stems."""
    rows = np.flatnonzero(units.stems)
    if len(rows):
        values, first, place = np.unique(units.values[rows], return_index=True, return_inverse=True)
        known = _stems()
        fresh = {v: row for v, row in zip(values.tolist(), rows[first].tolist(), strict=True) if v not in known}
        if len(known) + len(fresh) > _STEMMED:
            known.clear()
            fresh = dict(zip(values.tolist(), rows[first].tolist(), strict=True))
        letters = [lookalikes()[folded.codes[units.first[row] : units.last[row]]] for row in fresh.values()]
        words = stems([codes.astype("<u4").tobytes().decode("utf-32-le") for codes in letters])
        ends = np.cumsum([len(word) for word in words], dtype=np.int64)
        known.update(zip(fresh, letters_values(code_points("".join(words)), ends).tolist(), strict=True))
        chosen = np.fromiter((known[v] for v in values.tolist()), np.uint64, len(values))
        units.values[rows] = chosen[place]


@lru_cache(maxsize=1)
def _stems() -> dict[int, int]:
    """Cache of the values of stems by the values of words."""
    return {}


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def stems(words: Sequence[str]) -> list[str]:
    """The stems of English words."""
    return list(_stemmer().stemWords(words))


def _split(words: CutWords, ends: NDArray[np.int64]) -> list[TextWords]:
    """The words of each text, with offsets in it."""
    texts = []
    for i, (first, last) in enumerate(zip(words.bounds[:-1].tolist(), words.bounds[1:].tolist(), strict=True)):
        before = np.int32(ends[i - 1] if i else 0)
        rows = slice(first, last)
        start, end, reach, close = (p[rows] - before for p in (words.start, words.end, words.reach, words.close))
        texts.append(
            TextWords(words.values[rows], words.characters[rows], start, end, reach, close, words.breaks[rows])
        )
    return texts
