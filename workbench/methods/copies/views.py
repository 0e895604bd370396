"""Documents as a reader sees them (see ``text.disguises``), and the mapping back to their original characters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.base.evidence import STARTS
from workbench.base.types import Block, Document, Matches, Span, Tier
from workbench.kernels.code_points import code_points
from workbench.methods.core.content import Offsets
from workbench.text.disguises import seen_through

FILE = "disguises.npy"
"""The file of an index with the :class:`Offsets` from views back to documents."""
_KEY = 32


@dataclass(frozen=True)
class Ways:
    """Maps characters of views to characters of documents. ``runs``: as in ``core.content.Offsets``: stretches of a
    view that represent equally many consecutive characters, or one different character.
    """

    offsets: Offsets

    @property
    def keys(self) -> frozenset[int]:
        """The documents that differ from their view."""
        return frozenset(np.unique(self.offsets.runs[:, 0] >> _KEY).tolist())

    def spans(
        self, keys: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Limits in the documents of spans of their views."""
        starts, ends = starts.copy(), ends.copy()
        for row in np.flatnonzero(np.isin(keys, list(self.keys))).tolist():
            if starts[row] < ends[row]:
                # In reversed text, the first character of a view is not the first of the document.
                within = np.arange(starts[row], ends[row], dtype=np.int64)
                places = self.offsets.starts(np.full(len(within), keys[row], np.int64), within)
                starts[row], ends[row] = places.min(), places.max() + 1
        return starts, ends

    def undone(self, keys: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether spans of the views of ``keys`` differ from the text of their documents, bool[n]."""
        if not len(self.keys):
            return np.zeros(len(keys), np.bool_)
        first, last = ((keys << _KEY) + place for place in (starts, np.maximum(starts, ends - 1)))
        run_of = partial(np.searchsorted, self.offsets.runs[:, 0], side="right")
        undone: NDArray[np.bool_] = np.isin(keys, list(self.keys)) & (run_of(first) != run_of(last))
        return undone

    def span(self, key: int, span: Span) -> Span:
        """One span of the view of ``key`` in its document."""
        starts, ends = self.spans(*(np.array([number], np.int64) for number in (key, *span)))
        return Span(int(starts[0]), int(ends[0]))


def views_of(documents: Sequence[Document]) -> tuple[list[Document], Ways]:
    """Views of ``documents``, and the ways back."""
    pairs = [view_of(document) for document in documents]
    return [view for view, _ in pairs], Ways(Offsets.of(list(chain.from_iterable(runs for _, runs in pairs))))


def view_of(document: Document) -> tuple[Document, list[int]]:
    """The document as a reader sees it, and the rows that map it back; none if it is its own view.

    Text stays in its block.
    """
    edges = [0, *(edge for block in document.blocks for edge in block.span), len(document.text)]
    pieces: list[str] = []
    places: list[NDArray[np.int64]] = []
    other: list[NDArray[np.bool_]] = []
    moved = [0]
    some = False
    for start, end in pairwise(edges):
        text = document.text[start:end]
        seen = seen_through(text)
        some = some or seen is not None
        plain, took = seen or (text, np.arange(len(text), dtype=np.int64))
        pieces.append(plain)
        places.append(took + start)
        other.append(code_points(plain) != code_points(text)[took] if seen else np.zeros(len(text), np.bool_))
        moved.append(moved[-1] + len(plain))
    if not some:
        return document, []
    spans = zip(moved[1:-1:2], moved[2:-1:2], strict=True)
    blocks = tuple(Block(Span(*span), *block[1:]) for span, block in zip(spans, document.blocks, strict=True))
    place, is_other = np.concatenate(places), np.concatenate(other)
    # Characters that represent others are separate runs.
    first = np.flatnonzero((np.diff(place, prepend=-2) != 1) | is_other | np.append(False, is_other[:-1]))
    length = np.diff(first, append=len(place))
    rows = np.stack(((document.key << _KEY) + first, place[first], place[first] + length), axis=1)
    return replace(document, text="".join(pieces), blocks=blocks, anchors=()), rows.ravel().tolist()


def in_documents(matches: Matches, a: Ways, b: Ways) -> Matches:
    """``matches`` of views, in the characters of the documents. A disguised passage has at best the tier FOLDED."""
    if not len(matches) or not (a.keys or b.keys):
        return matches
    a_start, a_end = a.spans(matches.a, matches.a_start, matches.a_end)
    b_start, b_end = b.spans(matches.b, matches.b_start, matches.b_end)
    evidence = dict(matches.evidence)
    for name in STARTS:  # one character, since the end of the place is unknown
        if name in evidence:
            at = evidence[name]
            evidence[name] = np.where(at >= 0, b.spans(matches.b, at, at + 1)[0], at)
    gaps = matches.gaps
    on_a = gaps.side == 0
    key = np.where(on_a, matches.a[gaps.row], matches.b[gaps.row])
    sides = (way.spans(key, gaps.start, gaps.end) for way in (a, b))
    (from_a, to_a), (from_b, to_b) = sides
    seen = a.undone(matches.a, matches.a_start, matches.a_end) | b.undone(matches.b, matches.b_start, matches.b_end)
    tier = np.where(seen & (matches.tier == Tier.EXACT), Tier.FOLDED, matches.tier).astype(np.int8)
    return replace(
        matches,
        a_start=a_start,
        a_end=a_end,
        b_start=b_start,
        b_end=b_end,
        tier=tier,
        evidence=evidence,
        gaps=replace(gaps, start=np.where(on_a, from_a, from_b), end=np.where(on_a, to_a, to_b)),
    )


class SourceTexts:
    """Texts of sources by key, with a cache of the most recent ones."""

    def __init__(self, places: Mapping[int, int], read: Callable[[int], str]) -> None:
        """``places``: numbers of the sources by key; ``read``: returns the text with a number."""
        self._places = places
        self._read = lru_cache(maxsize=8)(read)

    @classmethod
    def of_all(cls, texts: Mapping[int, str]) -> SourceTexts:
        """A :class:`SourceTexts` of ``texts`` by key, all in memory."""
        return cls({key: key for key in texts}, texts.__getitem__)

    def __call__(self, key: int) -> str | None:
        """The text of the source ``key``; None if it is not stored."""
        return self._read(self._places[key]) if key in self._places else None
