"""A run in the form used by Relations: its pairs as columns, its clusters, and the selected part."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Floats, Ints, Run
from workbench.jobs.context import Context
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold, used_threshold
from workbench.services.records import Pair
from workbench.services.relations.clusters import ClusterOptions, Clusters, clusters
from workbench.services.relations.layout import Drawing, drawing
from workbench.services.relations.options import StitchedOptions
from workbench.services.relations.pair_columns import (
    LinkTexts,
    PairColumns,
    columns_with_directions,
    is_current,
    link_texts,
    newest_related,
    pair_of,
    read_pairs,
    runs_with_pairs,
)
from workbench.services.relations.stitched import Stitched, StitchedPage, stitched_pages
from workbench.services.session import Session
from workbench.services.tagging import document_tags

MOST_CELLS = 1_200
"""Maximum number of documents in the matrix."""
HEAVY = 20_000
"""Number of pairs above which communities are computed in a separate process: so many objects would stall the
window.
"""
MOST_DIRECTED = 1_000
"""Maximum number of documents that are read for directions that their method does not store."""

_PART = 4_000

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RelationRun:
    """The data Relations shows. ``run`` and ``columns`` are None if no finished run has pairs.

    ``titles`` are the documents' titles in alphabetical order; ``title_rank`` gives a document's rank by its key.
    ``used`` is the project's threshold for pairs of the method. ``tags`` are the tags of documents, by key.
    """

    runs: tuple[Run, ...] = ()
    run: Run | None = None
    columns: PairColumns | None = None
    documents: int = 0
    titles: tuple[str, ...] = ()
    title_rank: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    used: UsedThreshold | None = None
    tags: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def title(self, key: int) -> str:
        """Title of a document, otherwise its id."""
        return self.titles[int(self.title_rank[key])]

    def site(self, key: int) -> str:
        """Host of a document; "" if unknown."""
        return self.columns.items[key].site if self.columns is not None else ""


def read_run(session: Session, run_id: int | None, known: RelationRun | None = None) -> RelationRun:
    """Run ``run_id`` (if None or without pairs: the newest with relations, otherwise the newest with pairs)."""
    runs, documents = runs_with_pairs(session)
    chosen = next((r for r in runs if r.id == run_id), None)
    if chosen is None:
        chosen = newest_related(runs)
    if chosen is None:
        return RelationRun(runs, documents=documents)
    tags = document_tags(session)
    used = used_threshold(session, chosen.method, TargetKind.PAIR)
    if known is not None and known.run == chosen and known.columns is not None and is_current(session, known.columns):
        return RelationRun(runs, chosen, known.columns, documents, known.titles, known.title_rank, used, tags)
    columns = read_pairs(session, chosen.id)
    if len(columns.items) <= MOST_DIRECTED:
        columns = columns_with_directions(session, columns)
    names = {key: item.title or item.id for key, item in columns.items.items()}
    keys = [key for _, key in in_order((name.casefold(), key) for key, name in names.items())]
    rank = np.zeros(max(keys, default=0) + 1, np.int32)
    rank[keys] = np.arange(len(keys), dtype=np.int32)
    return RelationRun(runs, chosen, columns, documents, tuple(names[key] for key in keys), rank, used, tags)


def in_order(values: Iterable[Any]) -> list[Any]:
    """``values`` sorted in parts: one long sort would block the window's thread."""
    every = list(values)
    return list(heapq.merge(*(sorted(every[at : at + _PART]) for at in range(0, len(every), _PART))))


def read_pair(run_id: int, a: int, b: int) -> Callable[[Session], tuple[Pair, LinkTexts] | None]:
    """A query for the run's data on a pair (keys), and the links between its pages; None if not paired."""

    def read(session: Session) -> tuple[Pair, LinkTexts] | None:
        pair = pair_of(session, run_id, a, b)
        return None if pair is None else (pair, link_texts(session, pair))

    return read


def read_stitched(run_id: int, options: StitchedOptions) -> Callable[[Session], Stitched]:
    """A query for the run's stitched pages."""
    return lambda session: stitched_pages(session, run_id, options)


def read_clusters(ctx: Context, path: Path, run_id: int, options: ClusterOptions) -> Clusters:
    """The clusters of a run, computed in a separate process."""
    with Session(path, write=False) as session:
        return clusters(read_pairs(session, run_id), options)


def is_heavy(whole: Clusters, options: ClusterOptions) -> bool:
    """Whether splitting the components ``whole`` is too much work for a thread of the window's process."""
    large = [c.pairs for c in whole.clusters if options.largest and len(c.keys) > options.largest]
    return sum(large) > HEAVY


@dataclass(frozen=True, slots=True)
class Scope:
    """The selected pages: all, those of a cluster (by number), or a stitched page with its sources."""

    cluster: int = -1
    stitched: StitchedPage | None = None


def scope_mask(columns: PairColumns, clusters: Clusters, scope: Scope) -> Mask:
    """The pairs inside ``scope``: of a cluster or of all those at or above the threshold."""
    if scope.stitched is not None:
        keys = [scope.stitched.key, *(s.key for s in scope.stitched.sources)]
        return np.isin(columns.a, keys) & np.isin(columns.b, keys)
    if scope.cluster < 0:
        return clusters.edges
    one, other = (clusters.number[np.searchsorted(clusters.pages, keys)] for keys in (columns.a, columns.b))
    inside: Mask = clusters.edges & (one == scope.cluster) & (other == scope.cluster)
    return inside


@dataclass(frozen=True, slots=True)
class Matrix:
    """Documents × documents: ``value`` float32[n, n], NaN if there is no pair; ``row`` int32[n, n], -1 there.

    ``keys`` are in order of their clusters, which start at ``bounds``. ``left_out`` is the number of documents that did
    not fit.
    """

    keys: Ints
    value: NDArray[np.float32]
    row: NDArray[np.int32]
    bounds: tuple[int, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The same pairs in three forms: a drawing, a matrix, and a mask of rows for the table.

    ``counts`` are the numbers of pairs of the scope by class, int64[classes], whether or not the class is shown.
    """

    drawing: Drawing
    matrix: Matrix
    mask: Mask
    pages: int
    counts: Ints


def make_picture(
    columns: PairColumns, clusters: Clusters, scope: Scope, classes: Mask, chosen: Mask | None = None
) -> Picture:
    """The picture of ``scope``, limited to the relation classes whose code is true in ``classes``.

    ``chosen``, bool[pairs], excludes all other pairs (None: includes all).
    """
    inside = scope_mask(columns, clusters, scope)
    if chosen is not None:
        inside = inside & chosen
    counts = np.bincount(columns.relation[inside], minlength=len(columns.relations))
    mask = inside & classes[columns.relation]
    values = columns.figure(clusters.figure)
    group = clusters.number if scope.stitched is None else np.zeros(len(clusters.pages), np.int64)
    rows = np.flatnonzero(mask)
    drawn = drawing(columns.a, columns.b, values, rows, clusters.pages, group)
    used = np.union1d(columns.a[rows], columns.b[rows])
    return Picture(drawn, _matrix(columns, values, rows, used, clusters, group), mask, len(used), counts)


def _matrix(columns: PairColumns, values: Floats, rows: Ints, used: Ints, clusters: Clusters, group: Ints) -> Matrix:
    number = group[np.searchsorted(clusters.pages, used)]
    last = number.max(initial=0) + 1
    order = np.lexsort((used, np.where(number < 0, last, number)))
    keys = used[order][:MOST_CELLS]
    number = number[order][:MOST_CELLS]
    place = np.full(int(used.max(initial=0)) + 1, -1, np.int64)
    place[keys] = np.arange(len(keys))
    i, j = place[columns.a[rows]], place[columns.b[rows]]
    used_pairs = (i >= 0) & (j >= 0)
    i, j, rows = i[used_pairs], j[used_pairs], rows[used_pairs]
    value = np.full((len(keys), len(keys)), np.nan, np.float32)
    row = np.full((len(keys), len(keys)), -1, np.int32)
    for one, other in ((i, j), (j, i)):
        value[one, other] = values[rows]
        row[one, other] = rows
    bounds = tuple(np.flatnonzero(np.diff(number, prepend=-9)).tolist())
    return Matrix(keys, value, row, bounds, len(used) - len(keys))
