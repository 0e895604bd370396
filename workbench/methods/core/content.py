"""Only visible content counts as evidence: methods see documents without their non-content blocks and without words
hidden among visible ones.

Results are in offsets of the whole text. The views of indexed documents are stored with the index, so that an index and
the offsets of its matches come from the same state of the corpus.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.evidence import STARTS
from workbench.base.gaps import Gaps
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Block, BlockClass, Document, Evidence, Matches, Region, Results, Role, Span, Tier
from workbench.methods.core.api import Contributions, Corpus, Explanation, Method, Parameters, Reason
from workbench.text.left_out import hidden_words

WITHOUT_CONTENT = Message("documents without content blocks")
"""Reason in ``Results.excluded``."""

_FILE = "content.npy"
_ONLY_SPACE = 2
"""Maximum number of characters between two blocks that are only their line ends."""
_KEY = 32
"""Bits for an offset, below the document's key: texts are shorter than 2^32 characters."""


@dataclass(frozen=True)
class Offsets:
    """Maps offsets in views to offsets in whole texts.

    ``runs`` (n x 3 int64, column-major, sorted by the first column): key * 2^32 + start in the view, start and
    end in the whole text. Documents without a run are their own view.
    """

    runs: NDArray[np.int64]

    @classmethod
    def of(cls, runs: Sequence[int] | NDArray[np.int64]) -> Offsets:
        """From concatenated rows, in any order; a document read twice has the same rows."""
        table = np.array(runs, np.int64).reshape(-1, 3)
        return cls(np.asfortranarray(table[np.unique(table[:, 0], return_index=True)[1]]))

    def joined(self, runs: Sequence[int]) -> Offsets:
        """With further rows, as for :meth:`of`."""
        return self.of(np.concatenate([self.runs.ravel(), np.array(runs, np.int64)]))

    def save(self, path: Path) -> None:
        """Store the runs with an index, as the file ``path``."""
        np.save(path, self.runs)

    @classmethod
    def load(cls, path: Path) -> Offsets:
        """Raises UserError if the file is damaged."""
        try:
            runs = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
            if runs.ndim != 2 or runs.shape[1] != 3 or runs.dtype != np.int64:
                raise ValueError("another shape")
        except (OSError, EOFError, ValueError) as error:
            hint = Message("Delete this folder; it will be rebuilt.")
            raise UserError(Message("The index is damaged."), path=path.parent, hint=hint) from error
        return cls(runs)

    def starts(self, keys: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Offsets in whole texts of the characters at ``starts`` in the views of ``keys`` (equal lengths)."""
        if not len(self.runs):
            return starts
        places = (keys << _KEY) + starts
        run = self.runs[self._run_of(places)]
        mapped = np.minimum(run[:, 1] + places - run[:, 0], run[:, 2])
        return np.where(run[:, 0] >> _KEY == keys, mapped, starts)

    def ends(self, keys: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ends in whole texts of spans that end at ``ends`` in the views of ``keys``."""
        mapped: NDArray[np.int64] = self.starts(keys, np.maximum(ends - 1, 0)) + (ends > 0)
        return mapped

    def left_out(
        self, keys: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The text omitted from the views of ``keys`` in ``[starts, ends)``: (row, start, end) in whole texts, in
        order.
        """
        nothing = np.zeros(0, np.int64)
        if not len(self.runs) or not len(keys):
            return nothing, nothing, nothing
        first, last = (self._run_of((keys << _KEY) + place) for place in (starts, np.maximum(ends - 1, starts)))
        own = self.runs[first, 0] >> _KEY == keys
        count = np.where(own, last - first, 0)
        row = np.repeat(np.arange(len(keys)), count)
        at = np.repeat(first, count) + np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        start, end = self.runs[at, 2], self.runs[at + 1, 1]
        # Between blocks separated only by spaces nothing is left out.
        some = end - start > _ONLY_SPACE
        return row[some], start[some], end[some]

    def _run_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of ``runs`` that contains each of ``places``, or the one before."""
        return np.maximum(np.searchsorted(self.runs[:, 0], places, "right") - 1, 0)

    def span(self, key: int, span: Span) -> Span:
        """A span of the view of ``key`` as a span of its whole text."""
        return self.spans(np.array([(key, *span)], np.int64))[0]

    def spans(self, rows: NDArray[np.int64]) -> list[Span]:
        """Spans of views, as int64 [n, 3] rows (key, start, end), as spans of their whole texts."""
        keys, starts, ends = rows.T
        first = self.starts(keys, starts)
        last = np.maximum(first, self.ends(keys, ends))
        return [Span(*span) for span in zip(first.tolist(), last.tolist(), strict=True)]


@dataclass(frozen=True)
class _Index:
    """A method's index of views, and the mapping back to whole texts."""

    inner: Any
    offsets: Offsets


class ContentOnly(Method):
    """``method``, applied to content blocks only if its parameter ``content`` is on; itself a method."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self.facts = method.facts
        self.indexed = method.indexed
        self.examined = method.examined
        self.detects_by_text = method.detects_by_text
        self.extends = method.extends
        self.warm_up = method.warm_up

    def roles(self, parameters: Any) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """The roles of the method."""
        return self._method.roles(parameters)

    def index_roles(self, corpus: Corpus, parameters: Any) -> tuple[Role, ...]:
        """The roles of the method."""
        return self._method.index_roles(corpus, parameters)

    def accepts_unindexed(self, index: _Index) -> bool:
        """Whether the method does."""
        return self._method.accepts_unindexed(index.inner)

    def contributions(self, evidence: Evidence, parameters: Any) -> Contributions | None:
        """Those of the method."""
        return self._method.contributions(evidence, parameters)

    def index_key(self, parameters: Parameters) -> str:
        """The key of the method, different for whole texts."""
        key = self._method.index_key(parameters)
        return key if parameters.content else f"{key}-whole"

    def prepare(self, corpus: Corpus, parameters: Parameters, folder: Path, progress: Progress) -> None:
        """Build the index of the views."""
        views = _views(corpus, parameters)
        self._method.prepare(views, parameters, folder, progress)
        Offsets.of(views.runs).save(folder / _FILE)

    def extend(
        self, base: Path, corpus: Corpus, added: Corpus, parameters: Parameters, folder: Path, progress: Progress
    ) -> None:
        """Extend the index of the views."""
        views = _views(added, parameters)
        self._method.extend(base, _views(corpus, parameters), views, parameters, folder, progress)
        Offsets.load(base / _FILE).joined(views.runs).save(folder / _FILE)

    def load(self, folder: Path, parameters: Parameters) -> _Index:
        """Open a prepared index. Raises UserError if it is damaged."""
        offsets = Offsets.load(folder / _FILE)
        return _Index(self._method.load(folder, parameters), offsets)

    def detect(
        self, index: _Index, documents: Sequence[Document], parameters: Parameters, progress: Progress
    ) -> Results:
        """The method's results for the views, in offsets of the whole texts."""
        views, offsets, empty = viewed(documents, parameters, blocks=not self._method.detects_by_text)
        results = mapped(self._method.detect(index.inner, views, parameters, progress), offsets, index.offsets)
        if empty:
            results = replace(results, excluded=Counter(results.excluded) + Counter({WITHOUT_CONTENT: empty}))
        return results

    def compare(self, a: Document, b: Document, parameters: Parameters) -> Results:
        """The method's results for two views alone."""
        (left,), from_left, _ = viewed([a], parameters)
        (right,), from_right, _ = viewed([b], parameters)
        return mapped(self._method.compare(left, right, parameters), from_left, from_right)

    def explain(self, a: Document, b: Document, parameters: Parameters, index: _Index | None = None) -> Explanation:
        """The method's explanation, preceded by a line on omitted non-content text."""
        (left,), from_left, _ = viewed([a], parameters)
        (right,), from_right, _ = viewed([b], parameters)
        explanation = self._method.explain(left, right, parameters, index.inner if index else None)
        cut = [_left_out(whole, view) for whole, view in ((a, left), (b, right)) if whole is not view]
        empty = not all(reason.passed for reason in cut)
        reasons = (
            replace(
                reason,
                decides=reason.decides and not empty,
                a_span=reason.a_span and from_left.span(a.key, reason.a_span),
                b_span=reason.b_span and from_right.span(b.key, reason.b_span),
            )
            for reason in explanation.reasons
        )
        return replace(explanation, reasons=(*cut, *reasons))


def content_view(document: Document, *, blocks: bool = True) -> tuple[Document, list[tuple[int, int, int]]]:
    """``document`` with only its content blocks and without its hidden words (:mod:`workbench.text.left_out`), and its
    rows for :class:`Offsets` (none if it is its own view).

    Adjacent blocks keep the text between them; others are joined by a line end. Without ``blocks``, partial views have
    no blocks.
    """
    view, runs = _of_content(document, blocks=blocks)
    if hidden := hidden_words(document):
        view, runs = _without(hidden, view, runs or [(0, 0, len(document.text))])
    return view, [((document.key << _KEY) + at, start, end) for at, start, end in runs]


def _of_content(document: Document, *, blocks: bool) -> tuple[Document, list[tuple[int, int, int]]]:
    """The view of the content blocks and its runs: start in the view, start and end in the whole text."""
    counts = BlockClass.CONTENT  # looked up once, as a page has hundreds of blocks
    content = [block for block in document.blocks if block.verdict is counts]
    if len(content) == len(document.blocks):
        return document, []
    new = tuple.__new__  # the fastest way to create blocks
    moved: list[Block] = []
    runs: list[tuple[int, int, int]] = []
    at = start = 0
    end = -2
    for block in content:
        first, last = block[0]
        if first > end + 1:
            if end >= 0:
                runs.append((at, start, end))
                at += end - start + 1
            start = first
        if blocks:
            shift = at - start
            moved.append(new(Block, (new(Span, (first + shift, last + shift)), *block[1:])))
        end = last
    if content:
        runs.append((at, start, end))
    text = "\n".join([document.text[start:end] for _, start, end in runs])
    return replace(document, text=text, blocks=tuple(moved), anchors=()), runs


def _without(
    hidden: Sequence[Span], view: Document, runs: Sequence[tuple[int, int, int]]
) -> tuple[Document, list[tuple[int, int, int]]]:
    """``view`` with ``runs`` without the stretches ``hidden`` of the whole text; the text around each hidden stretch is
    joined.
    """
    parts: list[tuple[int, int, int]] = []
    cuts: list[tuple[int, int]] = []
    removed = 0
    for at, start, end in runs:
        low = bisect_right(hidden, start, key=attrgetter("end"))
        high = bisect_left(hidden, end, key=attrgetter("start"))
        place = start
        for span in hidden[low:high]:
            first, last = max(start, span.start), min(end, span.end)
            if first > place:
                parts.append((at + place - start - removed, place, first))
            cuts.append((at + first - start, at + last - start))
            removed += last - first
            place = last
        if end > place:
            parts.append((at + place - start - removed, place, end))
    if not cuts:
        return view, list(runs)
    edges = [0, *chain.from_iterable(cuts), len(view.text)]
    text = "".join([view.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)])
    kept = np.ones(len(view.text) + 1, np.int64)
    for first, last in cuts:
        kept[first:last] = 0
    new_place = (np.cumsum(kept) - kept).tolist()
    moved = (block._replace(span=Span(*(new_place[at] for at in block.span))) for block in view.blocks)
    blocks = tuple(block for block in moved if block.span.end > block.span.start)
    return replace(view, text=text, blocks=blocks, anchors=()), parts


def _with_rows(document: Document) -> tuple[Document, Iterable[int]]:
    view, rows = content_view(document)
    return view, chain.from_iterable(rows)


class Views:
    """A corpus of views; ``runs`` collects the rows (see :meth:`Offsets.of`) of every document read.

    ``view`` returns the view of a document and its rows, concatenated; none if the document is its own view.
    """

    def __init__(self, corpus: Corpus, view: Callable[[Document], tuple[Document, Iterable[int]]]) -> None:
        self._corpus, self._view = corpus, view
        self.runs = array("q")
        self._unchanged: set[int] = set()
        """Keys of documents that are their own view: each part of a method reads all."""

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles``."""
        return self._corpus.count(*roles)

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Views of the documents in ``roles``."""
        for document in self._corpus.documents(*roles):
            if document.key in self._unchanged:
                yield document
                continue
            view, rows = self._view(document)
            self.runs.extend(rows)
            if view is document:
                self._unchanged.add(document.key)
            yield view


def _views(corpus: Corpus, parameters: Parameters) -> Views:
    return Views(corpus, lambda document: _with_rows(document) if parameters.content else (document, ()))


def viewed(
    documents: Sequence[Document], parameters: Parameters, *, blocks: bool = True
) -> tuple[list[Document], Offsets, int]:
    """Views of ``documents`` (:func:`content_view`), the mapping back to whole texts, and the number with text but no
    content.
    """
    if not parameters.content:
        return list(documents), Offsets.of([]), 0
    views, runs = [], array("q")
    for document in documents:
        view, rows = content_view(document, blocks=blocks)
        views.append(view)
        runs.extend(chain.from_iterable(rows))
    empty = sum(1 for whole, view in zip(documents, views, strict=True) if whole.text and not view.text)
    return views, Offsets.of(runs), empty


def mapped(results: Results, a: Offsets, b: Offsets) -> Results:
    """``results`` on views, converted to offsets in the whole texts.

    Omitted text within a match (such as an advertisement between two halves) is a gap of it. If one side has more of it
    than the other, the sides are not equal, even if their content is.
    """
    m = results.matches
    if (not len(a.runs) and not len(b.runs)) or not (len(m) or results.regions):
        return results
    matches = replace(
        m,
        a_start=a.starts(m.a, m.a_start),
        a_end=a.ends(m.a, m.a_end),
        b_start=b.starts(m.b, m.b_start),
        b_end=b.ends(m.b, m.b_end),
        evidence=_evidence(m, b),
        gaps=_gaps(m, a, b),
    )
    passed_a = (matches.a_end - matches.a_start) - (m.a_end - m.a_start)
    passed_b = (matches.b_end - matches.b_start) - (m.b_end - m.b_start)
    unlike = passed_a != passed_b
    matches = replace(matches, tier=np.where(unlike, Tier.ALTERED, matches.tier).astype(np.int8))
    return replace(results, matches=matches if len(m) else Matches.empty(), regions=_regions(results.regions, a, b))


def _evidence(matches: Matches, b: Offsets) -> dict[str, NDArray[Any]]:
    """The evidence of ``matches``, with further places in the source as offsets in the whole text."""
    evidence = dict(matches.evidence)
    for name in STARTS:
        if name in evidence:
            evidence[name] = np.where(evidence[name] < 0, -1, b.starts(matches.b, np.maximum(evidence[name], 0)))
    return evidence


def _gaps(matches: Matches, a: Offsets, b: Offsets) -> Gaps:
    """The gaps of ``matches`` as offsets in the whole texts, and the omitted text within their limits."""
    gaps = matches.gaps
    starts, ends = (
        np.where(
            gaps.side == 0, getattr(a, name)(matches.a[gaps.row], place), getattr(b, name)(matches.b[gaps.row], place)
        )
        for name, place in (("starts", gaps.start), ("ends", gaps.end))
    )
    in_whole = replace(gaps, start=starts, end=ends)
    m = matches
    parts = (a.left_out(m.a, m.a_start, m.a_end), b.left_out(m.b, m.b_start, m.b_end))
    for side, (row, start, end) in enumerate(parts):
        in_whole = in_whole.joined(Gaps(row, np.full(len(row), side, np.int8), start, end))
    return in_whole


def _regions(regions: Sequence[Region], a: Offsets, b: Offsets) -> tuple[Region, ...]:
    sides = ([(r.a, *r.a_span) for r in regions], [(r.b, *r.b_span) for r in regions])
    spans = [
        offsets.spans(np.array(rows, np.int64).reshape(-1, 3)) for offsets, rows in zip((a, b), sides, strict=True)
    ]
    return tuple(Region(r.a, r.b, here, there, r.slope) for r, here, there in zip(regions, *spans, strict=True))


def _left_out(whole: Document, view: Document) -> Reason:
    blocks = sum(block.verdict is not BlockClass.CONTENT for block in whole.blocks)
    hidden = sum(span.end - span.start for span in hidden_words(whole))
    missing = len(whole.text) - len(view.text)
    if blocks or not hidden:
        detail = Message(
            "{blocks} of {all} blocks ({missing} characters) of {id} are not content",
            blocks=f"{blocks:,}",
            all=f"{len(whole.blocks):,}",
            missing=f"{missing - hidden:,}",
            id=whole.id,
        )
        if hidden:
            detail += Message("; {count} characters hidden among visible words", count=f"{hidden:,}")
    else:
        count = f"{hidden:,}"
        detail = Message("{count} characters of {id} are hidden among visible words", count=count, id=whole.id)
    if not view.text and whole.blocks:
        largest = max(whole.blocks, key=lambda block: block.span.end - block.span.start)
        detail += Message(": {rule}", rule=largest.rule)
    return Reason(Message("content blocks"), bool(view.text), detail, decides=not view.text)
