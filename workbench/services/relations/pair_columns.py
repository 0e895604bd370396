"""The pairs of a run as columns: the data behind clusters, graph, matrix and table of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import ParameterError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Floats, Ints, PairScore, Run, RunState
from workbench.methods.core import registry
from workbench.methods.rare_sentences.relations import Direction
from workbench.project.documents import load_document
from workbench.project.listing import DocumentItem, ids_of, items_of
from workbench.project.pairs import Pair
from workbench.project.runs import load_run, newest, runs
from workbench.reading.web.urls import anchor_texts
from workbench.services.relations.directions import Directions
from workbench.services.review.by_hand import made_by_reviewers, pair_pages_with_added, pairs_with_added
from workbench.services.session import Session

FIGURES = ("resemblance", "containment", "score")
"""Figures that pairs of any method may have; those with the same range in all methods come first."""
Codes = NDArray[np.int32]
_AnyPair = TypeVar("_AnyPair", Pair, PairScore)


@dataclass(frozen=True, slots=True)
class PairColumns:
    """The n pairs of a run, by (a, b), as columns of equal length; they count what reviewers found (``by_reviewers``).

    ``a``, ``b`` are document keys, ``resemblance`` and ``containment`` are NaN if the method does not give them;
    ``matches`` counts passages. ``relation`` indexes ``relations`` ("" for none), the most frequent first. ``numbers``
    and ``words`` contain the pairs' evidence by name (NaN and "" if missing); ``items`` the documents by key. ``sums``:
    the method gives pairs no score of their own, and theirs are the sums of those of their matches.
    """

    a: Ints
    b: Ints
    score: Floats
    resemblance: Floats
    containment: Floats
    matches: Ints
    relation: Codes
    relations: tuple[str, ...]
    numbers: Mapping[str, Floats]
    words: Mapping[str, Sequence[str]]
    items: Mapping[int, DocumentItem]
    sums: bool = False
    by_reviewers: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.a)

    def figure(self, name: str) -> Floats:
        """The column of one of FIGURES. Raises ParameterError for any other name, or if no pair has the figure."""
        if name not in FIGURES:
            raise ParameterError(
                Message(
                    "{name} is not a value of pairs; the values are {figures}.",
                    name=repr(name),
                    figures=", ".join(FIGURES),
                )
            )
        values: Floats = getattr(self, name)
        if len(values) and not np.isfinite(values).any():
            raise ParameterError(
                Message(
                    "The pairs of this run have no {name}; they have {figures}.",
                    name=name,
                    figures=", ".join(self.figures()),
                )
            )
        return values

    def figures(self) -> list[str]:
        """The FIGURES that at least one pair has, always including ``score``."""
        return [name for name in FIGURES if name == "score" or np.isfinite(getattr(self, name)).any()]

    def usual_figure(self) -> str:
        """``resemblance`` if the method gives it, otherwise ``score``."""
        return "resemblance" if np.isfinite(self.resemblance).any() else "score"

    def towards(self) -> NDArray[np.int8]:
        """The direction of copying, int8[n]: 1 from ``a`` to ``b``, -1 from ``b`` to ``a``, 0 if unknown."""
        ways = {Direction.B_FROM_A.value: 1, Direction.A_FROM_B.value: -1}
        words = self.words.get("direction", ())
        return np.array([ways.get(word, 0) for word in words] or [0] * len(self), np.int8)

    def row_of(self, a: int, b: int) -> int:
        """The row of the pair (keys, in either order); -1 if the run does not pair them."""
        rows = np.flatnonzero(((self.a == a) & (self.b == b)) | ((self.a == b) & (self.b == a)))
        return int(rows[0]) if len(rows) else -1


def read_pairs(session: Session, run_id: int) -> PairColumns:
    """The pairs of run ``run_id``, read a few thousand at a time. Raises ProjectError for an unknown run."""
    gathering = _Gathering()
    with session.read() as connection:
        load_run(connection, run_id)
        for page in pair_pages_with_added(connection, run_id):
            gathering.add(page)
        a, b = gathering.whole("a"), gathering.whole("b")
        items = items_of(connection, np.union1d(a, b).tolist())
        by_reviewers = made_by_reviewers(connection)
    return replace(gathering.columns(a, b, items), by_reviewers=by_reviewers)


def is_current(session: Session, columns: PairColumns) -> bool:
    """Whether reviewers have found, withdrawn or split no passage since ``columns`` were read."""
    with session.read() as connection:
        return columns.by_reviewers == made_by_reviewers(connection)


class _Gathering:
    """Columns that grow by one page of pairs at a time."""

    def __init__(self) -> None:
        self._parts: dict[str, list[NDArray[np.float64]]] = {}
        self._relations: list[str] = []
        self._numbers: dict[str, dict[int, float]] = {}
        self._words: dict[str, dict[int, str]] = {}
        self._sums = True

    def add(self, page: Sequence[Pair]) -> None:
        """Add the figures and the evidence of ``page``."""
        for name in ("a", "b", "matches"):
            self._parts.setdefault(name, []).append(np.array([getattr(p, name) for p in page], np.float64))
        for name in FIGURES:
            values = [np.nan if (v := getattr(p, name)) is None else v for p in page]
            self._parts.setdefault(name, []).append(np.array(values, np.float64))
        self._sums &= all(pair.is_sum for pair in page)
        row = len(self._relations)
        for at, pair in enumerate(page, row):
            for name, value in pair.evidence.items():
                if isinstance(value, str):
                    self._words.setdefault(name, {})[at] = value
                elif value is not None:
                    self._numbers.setdefault(name, {})[at] = float(value)
        self._relations.extend(pair.relation or "" for pair in page)

    def whole(self, name: str) -> Ints:
        """A column of integers as one array."""
        return np.concatenate([np.zeros(0), *self._parts.get(name, ())]).astype(np.int64)

    def figures(self, name: str) -> Floats:
        """A column of figures as one array."""
        return np.concatenate([np.zeros(0), *self._parts.get(name, ())])

    def columns(self, a: Ints, b: Ints, items: Mapping[int, DocumentItem]) -> PairColumns:
        """The columns of everything added."""
        count = len(self._relations)
        names = tuple(name for name, _ in Counter(self._relations).most_common())
        code = {name: at for at, name in enumerate(names)}
        numbers: dict[str, Floats] = {}
        for name, values in self._numbers.items():
            numbers[name] = np.full(count, np.nan)
            numbers[name][list(values)] = list(values.values())
        words = {name: [values.get(row, "") for row in range(count)] for name, values in self._words.items()}
        return PairColumns(
            a,
            b,
            score=self.figures("score"),
            resemblance=self.figures("resemblance"),
            containment=self.figures("containment"),
            matches=self.whole("matches"),
            relation=np.array([code[name] for name in self._relations], np.int32),
            relations=names,
            numbers=numbers,
            words=words,
            items=items,
            sums=self._sums and count > 0,
        )


def runs_with_pairs(session: Session) -> tuple[tuple[Run, ...], int]:
    """The finished runs that have pairs, and the number of documents the project has ever had."""
    with session.read() as connection:
        return tuple(r for r in runs(connection) if r.state == RunState.DONE and r.pairs), len(ids_of(connection))


def newest_related(runs: Sequence[Run]) -> Run | None:
    """The newest of these runs that determines how pages are related, otherwise the newest."""
    relating = {name for name, facts in registry.facts().items() if facts.relates}
    return newest([r for r in runs if r.method in relating] or runs)


def pair_of(session: Session, run_id: int, a: int, b: int) -> Pair | None:
    """All figures of a run for a pair (keys), and the direction if known; None if it does not pair them."""
    with session.read() as connection:
        pair = next(iter(pairs_with_added(connection, run_id, a, b)), None)
    return None if pair is None else with_directions(session, [pair])[0]


def with_directions(session: Session, pairs: Sequence[_AnyPair], watcher: Progress | None = None) -> list[_AnyPair]:
    """``pairs`` with the direction of each, if known: methods that do not classify relations store none.

    Raises Cancelled.
    """
    unknown = [(pair.a, pair.b) for pair in pairs if "direction" not in pair.evidence]
    known = _directions(session, unknown, watcher)
    return [replace(p, evidence={**p.evidence, **known.get((p.a, p.b), {})}) for p in pairs]


def columns_with_directions(session: Session, columns: PairColumns, watcher: Progress | None = None) -> PairColumns:
    """Like :func:`with_directions`."""
    stored = columns.words.get("direction", [""] * len(columns))
    keys = [(int(columns.a[row]), int(columns.b[row])) for row, way in enumerate(stored) if not way]
    known = _directions(session, keys, watcher)
    words = dict(columns.words)
    for name in sorted({name for evidence in known.values() for name in evidence}):
        values = words.get(name, [""] * len(columns))
        rows = zip(columns.a.tolist(), columns.b.tolist(), values, strict=True)
        words[name] = [value or known.get((a, b), {}).get(name, "") for a, b, value in rows]
    return replace(columns, words=words)


def _directions(
    session: Session, pairs: Sequence[tuple[int, int]], watcher: Progress | None
) -> dict[tuple[int, int], dict[str, str]]:
    """The evidence of direction of those of ``pairs`` (keys) that have any."""
    if not pairs:
        return {}
    with session.read() as connection:
        directions = Directions(connection, pairs, watcher)
        return {pair: known.evidence for pair in pairs if (known := directions.if_known(*pair)) is not None}


@dataclass(frozen=True, slots=True)
class LinkTexts:
    """The link texts between the pages of a pair; empty if there are no links."""

    a_to_b: tuple[str, ...] = ()
    b_to_a: tuple[str, ...] = ()


def link_texts(session: Session, pair: Pair) -> LinkTexts:
    """The texts of the links between the pages of ``pair``, according to its evidence. Raises ProjectError."""
    linked = [bool(pair.evidence.get(name)) for name in ("link_ab", "link_ba")]
    if not any(linked):
        return LinkTexts()
    with session.read() as connection:
        a, b = load_document(connection, pair.a), load_document(connection, pair.b)
    return LinkTexts(tuple(anchor_texts(a, b.url)), tuple(anchor_texts(b, a.url)))
