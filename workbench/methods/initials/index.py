"""Fingerprints of a collection."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.kernels.initials.neighbours import Tables, tables
from workbench.kernels.initials.numbers import grouped, numbered
from workbench.kernels.initials.windows import Quantiser, windows
from workbench.methods.core.collection import load_arrays, places, save_arrays
from workbench.methods.initials.parameters import InitialsParameters
from workbench.methods.initials.text import lettered
from workbench.text.initials import LETTERS

_PER_MILLE = (6, 42, 41, 105, 9, 27, 50, 41, 2, 69, 18, 49, 33, 24, 3, 10, 32, 27, 91, 35, 1, 1, 35, 55, 94, 100)
CHINESE = np.array(_PER_MILLE) / 1000
"""Counts of the initials a to z in a quarter of a million characters of Chinese news pages, including Latin letters."""
_SPREAD = 4.0
"""Standard deviations covered by all levels together, two on either side of the expected count."""


def shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Frequency of each letter: float64 [26], summing to 1; all equal without counts."""
    total = int(counts.sum())
    return counts / total if total else np.full(LETTERS, 1 / LETTERS)


def quantiser(reference: NDArray[np.float64], parameters: InitialsParameters) -> Quantiser:
    """Levels of every count of every letter under ``reference`` (float64 [26], frequencies).

    The letters used are those whose count in a window varies most: n p (1 - p) for a frequency of p, as if letters were
    independent; ties are broken alphabetically. The least variable of them are the last block if it must agree
    completely (see :mod:`workbench.kernels.initials.neighbours`); the others take turns.
    """
    n, levels, used = parameters.window, parameters.levels, parameters.used
    variance = n * reference * (1 - reference)
    width = np.maximum(1.0, _SPREAD * np.sqrt(variance) / levels)
    deviation = np.arange(n + 1)[None, :] - (n * reference)[:, None]
    level = np.clip(np.floor(deviation / width[:, None] + levels / 2), 0, levels - 1).astype(np.uint8)
    order = np.argsort(-variance, kind="stable")[:used]
    weight, block = np.zeros(LETTERS, np.uint64), np.zeros(LETTERS, np.uint8)
    weight[np.sort(order)] = np.uint64(levels) ** np.arange(used - 1, -1, -1, dtype=np.uint64)
    loose, exact = Quantiser.block_numbers(parameters.distance)
    rest = used - exact * (used // (loose + exact))
    block[order[:rest]] = np.arange(rest) % max(1, loose)
    block[order[rest:]] = loose
    return Quantiser(level, weight, block, levels, parameters.distance)


_TABLES = ("keys", "firsts", "rows", "signs", "seen")
_POSTINGS = ("posted", "posting_bounds")
_TEXT = ("letters", "bounds", "texts", "pieces", "text_bounds")
_ARRAYS = ("order", *_TABLES, *_POSTINGS, *_TEXT, "reference")
RESIDENT = (*_TABLES, *_POSTINGS, "letters", "bounds")
"""Arrays read by any query; others are read only for matches."""
_PIECE = 1 << 14
"""Code points compressed together: a tenth of a millisecond to read, and a quarter of their size."""
Numbers = NDArray[np.uint32] | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class InitialsIndex:
    """D documents; ``order`` int64 [D] are their positions in the collection.

    ``tables`` contain the f distinct fingerprints; number i belongs to the windows that begin at the letters
    ``posted[posting_bounds[i]:posting_bounds[i + 1]]`` (ascending). ``letters`` uint8: the initials of all documents,
    of document d ``bounds[d]:bounds[d + 1]``. Their concatenated texts, in which document d has the code points
    ``text_bounds[d]:text_bounds[d + 1]``, are compressed in pieces of ``_PIECE`` code points: uint8, piece i is
    ``texts[pieces[i]:pieces[i + 1]]``. ``reference`` float64 [26].
    """

    order: NDArray[np.int64]
    tables: Tables
    posted: Numbers
    posting_bounds: Numbers
    letters: NDArray[np.uint8]
    bounds: NDArray[np.int64]
    texts: NDArray[np.uint8]
    pieces: NDArray[np.int64]
    text_bounds: NDArray[np.int64]
    reference: NDArray[np.float64]

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``."""
        arrays = {name: getattr(self.tables if name in _TABLES else self, name) for name in _ARRAYS}
        save_arrays(folder, arrays)

    @classmethod
    def load(cls, folder: Path, parameters: InitialsParameters) -> InitialsIndex:
        """Open a saved index. Raises UserError if it is damaged."""
        a, _ = load_arrays(folder, _ARRAYS)
        rest = {name: a[name] for name in _ARRAYS if name not in _TABLES}
        return cls(tables=Tables(*(a[name] for name in _TABLES)), **rest)

    def text(self, document: int) -> str:
        """The text of an indexed document."""
        first, last = self.text_bounds[document : document + 2].tolist()
        numbers = range(first // _PIECE, -(-last // _PIECE))
        pieces = [zlib.decompress(self.texts[self.pieces[i] : self.pieces[i + 1]].tobytes()) for i in numbers]
        text = "".join(piece.decode("utf-8", "surrogatepass") for piece in pieces)
        return text[first % _PIECE :][: last - first]


load = InitialsIndex.load


def build(
    groups: Iterable[Sequence[Document]],
    parameters: InitialsParameters,
    progress: Progress,
    reference: NDArray[np.float64] | None = None,
) -> InitialsIndex:
    """Index of documents, given in groups in the collection's order. Raises Cancelled.

    ``reference`` overrides the one named by ``parameters``.
    """
    order = [np.zeros(0, np.int64)]
    letters, sizes, texts = [np.zeros(0, np.uint8)], [0], _Pieces()
    for group in groups:
        order.append(places(group))
        letters += [text.letters for text in lettered([d.text for d in group], ruby=parameters.ruby)]
        for document in group:
            sizes.append(len(document.text))
            texts.add(document.text)
    together = np.concatenate(letters)
    if reference is None:
        counted = parameters.reference == "sources"
        reference = shares(np.bincount(together, minlength=LETTERS)) if counted else CHINESE
    progress.check()
    bounds = np.cumsum([len(part) for part in letters], dtype=np.int64)
    q = quantiser(reference, parameters)
    cut = windows(together, bounds, parameters.window, parameters.stride, q, progress)
    distinct, first, number = numbered(cut.keys, progress)
    order_of_windows, posting_bounds = grouped(number, len(distinct), progress)
    posted = _compact(cut.places[order_of_windows])
    by_block = tables(distinct, cut.blocks[first], q, progress)
    return InitialsIndex(
        np.concatenate(order),
        by_block,
        posted,
        _compact(posting_bounds),
        together,
        bounds,
        *texts.arrays(),
        np.cumsum(sizes, dtype=np.int64),
        reference,
    )


def _compact(numbers: NDArray[np.int64]) -> Numbers:
    """The same numbers in half the space, if they fit."""
    return numbers.astype(np.uint32) if int(numbers.max(initial=0)) < 1 << 32 else numbers


class _Pieces:
    """Concatenated texts, compressed in pieces of ``_PIECE`` code points."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._size = 0
        self._done: list[bytes] = []

    def add(self, text: str) -> None:
        """Add a text."""
        self._waiting.append(text)
        self._size += len(text)
        if self._size >= _PIECE:
            together = "".join(self._waiting)
            whole = self._size - self._size % _PIECE
            self._done += map(_compressed, (together[at : at + _PIECE] for at in range(0, whole, _PIECE)))
            self._waiting, self._size = [together[whole:]], self._size - whole

    def arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The concatenated pieces, and the bounds of each."""
        done = [*self._done, _compressed("".join(self._waiting))]
        bounds = np.cumsum([0, *map(len, done)], dtype=np.int64)
        return np.frombuffer(b"".join(done), np.uint8), bounds


def _compressed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"))
