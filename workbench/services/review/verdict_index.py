"""The reviewers' verdicts on passages, pairs and suspects.

A verdict is stored under the spans it was given for. In another run the same passage may have grown, shrunk, been split
or merged: the verdict then carries over to each passage of which it judged at least :data:`CARRY_OVER`. If a document
was reimported with another text, the verdict follows the text it was given for. It also holds if another run compares
the two documents in reverse.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import Ints, Label, Matches, Span
from workbench.project import labels
from workbench.project.amendments import last_amendment
from workbench.project.database import Connection
from workbench.project.imports import removals, versions
from workbench.project.listing import newest_key
from workbench.services.labels.sets import ATTACHED, LABEL_SET, PAIR_LABELS, SUSPECT_LABELS
from workbench.services.labels.targets import (
    document_target,
    pair_group,
    parse_document,
    parse_pair,
    passage_group,
    passage_of_pair,
    passages,
    person,
)
from workbench.services.review.judged_text import JudgedTexts, joined, sides
from workbench.services.review.judgement import Judgement, judgement

CARRY_OVER = 0.5
"""Minimum share of a passage, on both sides, that must have been judged for the verdict to carry over to it."""

_Of = TypeVar("_Of")
_SETS = (LABEL_SET, SUSPECT_LABELS, PAIR_LABELS, ATTACHED)

NEWEST: Mapping[str, int] = {}
"""No keys of documents by id: the newest documents."""
Spans = tuple[Span, Span]
"""A passage: its span in the suspect and in the source."""


@dataclass(slots=True)
class _Group:
    """The last label of each annotator on each text (its digest), by target, for the passages of a pair; with cached
    results.
    """

    labels: dict[str, dict[tuple[str, str], Label]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], PairVerdicts] = field(default_factory=dict)


class VerdictIndex:
    """The reviewers' current verdicts, by pair of documents (ids), pair or suspect; use from any thread.

    :meth:`follow` reads the new events of the log, by any writer. ``read`` returns the text of a document by its key;
    it is called for documents that had another text before.
    """

    def __init__(self, events: Iterable[Label] = (), read: Callable[[int], str] = lambda _key: "") -> None:
        self._groups: dict[str, _Group] = {}
        self._whole: dict[tuple[str, str], list[Label]] = {}
        self._attached: dict[str, Label] = {}
        self._names: set[str] = set()
        self._texts = JudgedTexts(read)
        self._documents: tuple[int, tuple[float, str]] = 0, (0.0, "")
        self._lock = threading.RLock()
        self._last = 0
        for label in events:
            self.put(label)

    def follow(self, connection: Connection, last: int | None = None) -> VerdictIndex:
        """Apply the events visible to ``connection`` that are not yet known; it must not have uncommitted events.

        ``last`` is the number of the last one, if known.
        """
        last = labels.last_event(connection) if last is None else last
        with self._lock:
            newest = newest_key(connection)
            if (newest, removals(connection, self._texts.keys)) != self._documents:
                self._texts.follow(versions(connection))
                self._documents = newest, removals(connection, self._texts.keys)
                for pair in (pair for group in self._groups.values() for pair in group.pairs.values()):
                    pair.forget_placed()
            if last > self._last:
                if self._last and self._last < last_amendment(connection):
                    self._forget()
                for label in labels.gained(connection, _SETS, self._last):
                    self.put(label)
                self._last = last
        return self

    def _forget(self) -> None:
        """Start over: events read earlier may no longer count."""
        self._groups.clear()
        self._whole.clear()
        self._attached.clear()
        self._names.clear()
        self._last = 0

    def put(self, label: Label) -> None:
        """Apply one event; those of other label sets are ignored."""
        self._names.add(person(label.who))
        if label.label_set in (SUSPECT_LABELS, PAIR_LABELS):
            with self._lock:
                self._whole.setdefault((label.label_set, label.target), []).append(label)
        elif label.label_set == ATTACHED:
            self._attach(label)
        elif label.label_set == LABEL_SET and (name := passage_group(label.target)) is not None:
            with self._lock:
                group = self._groups.setdefault(name, _Group())
                _replace(group.labels.setdefault(label.target, {}), (label.who, label.digest), label)
                for pair in group.pairs.values():
                    pair.put(label)

    def _attach(self, event: Label) -> None:
        """Move verdicts on the target of ``event`` to the passage that its value names, or back to their own if it is
        empty.
        """
        with self._lock:
            before = self._attached.get(event.target)
            if before is not None and (before.when, before.who) > (event.when, event.who):
                return
            self._attached[event.target] = event
            name = passage_group(event.target)
            if name in self._groups:
                for pair in self._groups[name].pairs.values():
                    pair.attach(event)

    def of(self, a: str, b: str) -> PairVerdicts:
        """The verdicts on passages of suspect ``a`` and source ``b``."""
        with self._lock:
            groups = [self._groups.setdefault(name, _Group()) for name in {pair_group(a, b), pair_group(b, a)}]
            pair = groups[0].pairs.get((a, b))
            if pair is None:
                pair = PairVerdicts(a, b, self._lock, self._texts)
                for group in groups:
                    group.pairs[a, b] = pair
                    for label in chain.from_iterable(by.values() for by in group.labels.values()):
                        pair.put(label)
                    for target in group.labels:
                        if target in self._attached:
                            pair.attach(self._attached[target])
            return pair

    def reviewers(self) -> list[str]:
        """Names of everybody who has judged or settled anything, sorted."""
        return sorted(self._names - {""})

    def whole(self, label_set: str, target: str, keys: Mapping[str, int] = NEWEST) -> Judgement | None:
        """The reviewers' verdicts on the pair or suspect ``target`` as a whole that were given for the texts of its
        documents: those with ``keys`` by id, else the newest.
        """
        with self._lock:
            return judgement(self._of_texts(label_set, target, keys).values())

    def earlier(self, label_set: str, target: str, keys: Mapping[str, int] = NEWEST) -> tuple[Label, ...]:
        """The verdicts on ``target`` that were given for other texts, by reviewers without one for these; oldest
        first.
        """
        with self._lock:
            own = self._of_texts(label_set, target, keys)
            others = self._of_texts(label_set, target, keys, same=False)
        labels = [label for who, label in others.items() if label.value and not (who in own and own[who].value)]
        return tuple(sorted(labels, key=lambda label: label.when))

    def _of_texts(self, label_set: str, target: str, keys: Mapping[str, int], *, same: bool = True) -> dict[str, Label]:
        """The last label of each annotator on ``target`` that is about the texts of ``keys``, or not the ``same``."""
        last: dict[str, Label] = {}
        for label in self._whole.get((label_set, target), ()):
            if self._is_of_texts(label, keys) == same:
                _replace(last, label.who, label)
        return last

    def _is_of_texts(self, label: Label, keys: Mapping[str, int]) -> bool:
        """Whether the verdict ``label`` on whole documents was given for the texts of ``keys``."""
        if not self._texts.has_changes:
            return True
        identity = parse_document(label.target)
        of = zip(parse_pair(label.target) or (), sides(label.digest), strict=False)
        named = of if identity is None else [(identity, label.digest)]
        return not any(self._texts.is_another(name, keys.get(name, 0), text, label.when) for name, text in named)

    def of_texts(self, events: Sequence[Label], a: str, b: str, keys: tuple[int, int]) -> list[bool]:
        """Which of ``events`` on the documents ``a`` and ``b`` were given for the texts of ``keys``."""
        with self._lock:
            pair = self.of(a, b)
            by_id = {a: keys[0], b: keys[1]}
            whole = (SUSPECT_LABELS, PAIR_LABELS)
            return [
                self._is_of_texts(event, by_id) if event.label_set in whole else pair.is_of_texts(event, keys)
                for event in events
            ]

    def suspect(self, identity: str, key: int = 0) -> Judgement | None:
        """:meth:`whole` of the suspect ``identity``, for the text of its document ``key`` (0: the newest)."""
        return self.whole(SUSPECT_LABELS, document_target(identity), {identity: key})

    def suspect_notes(self, identity: str, key: int = 0) -> tuple[Label, ...]:
        """The notes on the suspect ``identity`` by reviewers without a verdict on it, for the text of its document
        ``key`` (0: the newest), oldest first.
        """
        with self._lock:
            every = self._of_texts(SUSPECT_LABELS, document_target(identity), {identity: key}).values()
            notes = [label for label in every if label.note and not label.value]
        return tuple(sorted(notes, key=lambda label: label.when))

    def last(self, label_set: str, target: str, who: str, keys: Mapping[str, int] = NEWEST) -> Label | None:
        """The last event of ``who`` on a pair or suspect as a whole, on the texts as in :meth:`whole`; may be a
        withdrawal.
        """
        with self._lock:
            return self._of_texts(label_set, target, keys).get(who)

    def pairs(self, known: Collection[str]) -> Iterable[tuple[str, str]]:
        """Pairs of ``known`` ids with at least one verdict on a passage, each in both directions."""
        with self._lock:
            groups = [(name, [t for t, by in g.labels.items() if _any(by)]) for name, g in self._groups.items()]
        directions: dict[tuple[str, str], None] = {}
        for name, targets in groups:
            # Ids without spans of their own: all targets are of one pair.
            plain = name.split(":").count("-") == 1
            for target in targets[:1] if plain else targets:
                directions |= {pair: None for a, _, b, _ in passages(target, known) for pair in ((a, b), (b, a))}
        return directions


def _replace(by: dict[_Of, Label], of: _Of, label: Label) -> None:
    """Append the label, replacing an earlier one with the same key ``of``; a withdrawal is kept.

    After a merge, an event may be older than one before it in the log.
    """
    if of not in by or by[of].when <= label.when:
        by.pop(of, None)
        by[of] = label


def _any(by: Mapping[_Of, Label]) -> bool:
    return any(label.value for label in by.values())


@dataclass(frozen=True, slots=True)
class UnplacedPassage:
    """Verdicts on a passage that a run does not have: its spans as judged, and the verdicts.

    ``keys`` are the documents whose texts the spans refer to; 0: the only one with that id, NOWHERE: unknown.
    """

    a: str
    b: str
    spans: Spans
    target: str
    judgement: Judgement
    keys: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _Placed:
    """The verdicts on a pair, located in two of its documents' texts.

    ``lost`` are verdicts whose text no longer exists, by the documents (keys) whose text they are about; NOWHERE if
    unknown.
    """

    verdicts: PairVerdicts
    lost: Mapping[tuple[int, int], PairVerdicts]


class PairVerdicts:
    """The verdicts on the passages of suspect ``a`` and source ``b`` (ids).

    A verdict given for another version of a text is located in the passages' version.
    """

    def __init__(self, a: str, b: str, lock: AbstractContextManager[object], texts: JudgedTexts | None = None) -> None:
        self._a, self._b, self._lock, self._texts = a, b, lock, texts
        self._labels: dict[Spans, dict[str, Label]] = {}
        self._attached: dict[Spans, tuple[Spans, str]] = {}
        self._ordered: tuple[Ints, tuple[Spans, ...]] | None = None
        self._last_outside_run: tuple[bytes, _OutsideRun] | None = None
        self._earlier: list[tuple[Spans, Label]] = []
        """Labels of the same annotator on these places with another text."""
        self._moved: set[tuple[Spans, str]] = set()
        """Passages and annotators whose verdict was given for other words in another text."""
        self._placed: dict[tuple[int, int], _Placed] = {}

    def put(self, label: Label) -> None:
        """Apply one event; events that are not about the pair are ignored."""
        passage = passage_of_pair(label.target, self._a, self._b)
        if passage is not None:
            spans, turned = passage
            if turned and label.digest:
                label = replace(label, digest=joined(*sides(label.digest)[::-1]))
            self.forget_placed()
            before = self._labels.get(spans, {}).get(label.who)
            if before is not None and before.digest != label.digest:
                self._earlier.append((spans, min(before, label, key=lambda event: event.when)))
            self._put(spans, label)

    def _put(self, spans: Spans, label: Label) -> None:
        if spans not in self._labels:
            self._ordered = self._last_outside_run = None
        _replace(self._labels.setdefault(spans, {}), label.who, label)

    def forget_placed(self) -> None:
        """Discard the positions of verdicts: documents or verdicts have changed."""
        self._placed.clear()

    def attach(self, event: Label) -> None:
        """Apply an event that attached verdicts to another passage of the pair, or detached them."""
        passage = passage_of_pair(event.target, self._a, self._b)
        if passage is not None:
            self.forget_placed()
            self._attached.pop(passage[0], None)
            other = passage_of_pair(event.value, self._a, self._b) if event.value else None
            if other is not None:
                self._attached[passage[0]] = (other[0], event.who)

    def at(self, a: Span, b: Span, keys: tuple[int, int] = (0, 0)) -> Judgement | None:
        """The reviewers' verdicts on the passage of the documents ``keys``, as if it were the run's only one."""
        none = np.zeros(1, np.int64)
        starts, ends = ([np.array([span[at]], np.int64) for span in (a, b)] for at in (0, 1))
        one, other = self._named(keys)
        return self.on(
            Matches(
                none + one,
                none + other,
                starts[0],
                ends[0],
                starts[1],
                ends[1],
                none.astype(float),
                none.astype(np.int8),
            )
        )[0]

    def _named(self, keys: tuple[int, int] = (0, 0)) -> tuple[int, int]:
        """``keys`` with the newest document of the id in place of 0, if it had several texts."""
        if self._texts is None:
            return keys
        return keys[0] or self._texts.present(self._a), keys[1] or self._texts.present(self._b)

    def last(self, a: Span, b: Span, who: str, keys: tuple[int, int] = (0, 0)) -> Label | None:
        """The last verdict of ``who`` on the passage of the documents ``keys``, even if carried over; may be a
        withdrawal.
        """
        if (placed := self._on_text(self._named(keys))) is not None:
            return placed.verdicts.last(a, b, who)
        with self._lock:
            exact = self._labels.get((a, b), {}).get(who)
        if exact is not None:
            return exact
        known = self.at(a, b)
        if known is None:
            return None
        settled = known.settled
        return settled if settled is not None and settled.who == who else known.own(who)

    def is_of_texts(self, event: Label, keys: tuple[int, int]) -> bool:
        """Whether ``event`` on a passage of the pair was given for the texts of the documents ``keys``."""
        passage = passage_of_pair(event.target, self._a, self._b)
        if passage is None or self._texts is None or not self._texts.changed(self._a, self._b):
            return True
        spans, turned = passage
        if turned and event.digest:
            event = replace(event, digest=joined(*sides(event.digest)[::-1]))
        return self._judged(self._texts, self._named(keys), spans, event) == self._named(keys)

    def notes(self, a: Span, b: Span, keys: tuple[int, int] = (0, 0)) -> tuple[Label, ...]:
        """The notes on exactly this passage by reviewers without a verdict on it, oldest first.

        ``keys`` are the documents of the spans; by default the newest ones.
        """
        if (placed := self._on_text(self._named(keys))) is not None:
            return placed.verdicts.notes(a, b)
        with self._lock:
            notes = [label for label in self._labels.get((a, b), {}).values() if label.note and not label.value]
        return tuple(sorted(notes, key=lambda label: label.when))

    def on(self, matches: Matches, rows: Ints | None = None) -> tuple[Judgement | None, ...]:
        """The reviewers' verdicts on each of ``rows`` (default: all) of ``matches``, all passages of this pair in a
        run.

        A reviewer's verdict on exactly this passage counts; without one, a verdict that carries over from a passage not
        in the run.
        """
        chosen = np.arange(len(matches)) if rows is None else rows
        if (placed := self._on_text(self._keys(matches))) is not None:
            return placed.verdicts.on(matches, chosen)
        with self._lock:
            if not self._labels:
                return (None,) * len(chosen)
            spans = _spans(matches)
            outside_run = self._outside_run(spans)
            added = self._added()
            judgements: list[Judgement | None] = [None] * len(chosen)
            for at in np.flatnonzero(self._concerned(spans[chosen], outside_run, added)).tolist():
                judgements[at] = self._judgement(spans[chosen[at]], outside_run, added)
            return tuple(judgements)

    def without_passage(self, matches: Matches) -> list[UnplacedPassage]:
        """Verdicts on passages not among ``matches``, all of this pair, that carry over to none of them."""
        if (placed := self._on_text(keys := self._keys(matches))) is not None:
            unplaced = [replace(row, keys=keys) for row in placed.verdicts.without_passage(matches)]
            for of, lost in placed.lost.items():
                unplaced += [replace(row, keys=of) for row in lost.without_passage(Matches.empty())]
            return unplaced
        with self._lock:
            if not any(_any(by) for by in self._labels.values()):
                return []
            spans = _spans(matches)
            outside_run = self._outside_run(spans)
            added = self._added()
            reached = set(self._attached)
            for row in spans[self._concerned(spans, outside_run, added)]:
                reached |= {source for source, _ in self._carried(row, outside_run, added).values()}
            unplaced = []
            for old in outside_run.spans:
                verdict = judgement(self._labels[old].values())
                if verdict is not None and old not in reached:
                    target = next(iter(self._labels[old].values())).target
                    unplaced.append(UnplacedPassage(self._a, self._b, old, target, verdict))
            return unplaced

    def _keys(self, matches: Matches) -> tuple[int, int]:
        """The documents (keys) of ``matches``; the newest ones if there are none."""
        if len(matches):
            return int(matches.a[0]), int(matches.b[0])
        return self._named()

    def _on_text(self, keys: tuple[int, int]) -> _Placed | None:
        """The verdicts located in the texts of the documents ``keys``; None if there was only one text.

        Verdicts attached by hand remain at their passage.
        """
        texts = self._texts
        if texts is None or not texts.changed(self._a, self._b):
            return None
        with self._lock:
            if keys not in self._placed:
                self._placed[keys] = self._place(texts, keys)
            return self._placed[keys]

    def _place(self, texts: JudgedTexts, keys: tuple[int, int]) -> _Placed:
        part = PairVerdicts(self._a, self._b, self._lock)
        part._attached = dict(self._attached)
        lost: dict[tuple[int, int], PairVerdicts] = {}
        moved: list[tuple[Spans, Label, bool]] = []
        for spans, label in chain(
            self._earlier, ((s, label) for s, by in self._labels.items() for label in by.values())
        ):
            judged = keys if spans in self._attached else self._judged(texts, keys, spans, label)
            a, b = (texts.place(*of) for of in zip(judged, keys, spans, strict=True))
            if judged == keys:
                part._put(spans, label)
            elif a is not None and b is not None:
                same = all(map(texts.are_same_words, judged, spans, keys, (a, b)))
                moved.append(((a, b), label, same))
            else:
                lost.setdefault(judged, PairVerdicts(self._a, self._b, self._lock))._put(spans, label)
        # Verdicts on the passage in exactly this text precede those in another.
        here = {(spans, who) for spans, by in part._labels.items() for who in by}
        for spans, label, same in sorted(moved, key=lambda row: row[1].when):
            if (spans, label.who) not in here:
                part._put(spans, label)
                (part._moved.discard if same else part._moved.add)((spans, label.who))
        return _Placed(part, lost)

    def _judged(self, texts: JudgedTexts, keys: tuple[int, int], spans: Spans, label: Label) -> tuple[int, int]:
        """The documents (keys) whose texts ``label`` was given for."""
        places = [
            texts.judged(name, key, span, digest, label.when)
            for name, key, span, digest in zip((self._a, self._b), keys, spans, sides(label.digest), strict=True)
        ]
        return places[0], places[1]

    def _concerned(self, rows: Ints, outside_run: _OutsideRun, added: _Added) -> NDArray[np.bool_]:
        """Which of ``rows`` (passages, int64[n, 4]) a verdict may be about, bool[n]: most have none."""
        return outside_run.meets(rows) | _rows_in(rows, {(*a, *b) for a, b in chain(self._labels, added)})

    def _judgement(self, row: Ints, outside_run: _OutsideRun, added: _Added) -> Judgement | None:
        carried = self._carried(row, outside_run, added)
        exact = self._labels.get(_key(row), {})
        moved = frozenset(who for who in exact if (_key(row), who) in self._moved) if self._moved else frozenset[str]()
        if not carried:
            return judgement(exact.values(), moved) if exact else None
        by = [*(label for _, label in carried.values()), *exact.values()]
        attached = tuple((who, self._attached[s][1]) for who, (s, _) in carried.items() if s in self._attached)
        return judgement(by, moved.union(carried), attached)

    def _carried(self, row: Ints, outside_run: _OutsideRun, added: _Added) -> dict[str, tuple[Spans, Label]]:
        """The verdict that carries over to the passage ``row``, with the spans it was given for, by annotator."""
        exact = self._labels.get(_key(row), {})
        carried: dict[str, tuple[Spans, Label]] = {}
        for old in added.get(_key(row), ()):
            for who, label in self._labels[old].items():
                if label.value and who not in exact:
                    carried[who] = (old, label)
        near = outside_run.overlapping(row)
        if not len(near):
            return carried
        voices: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for at in near.tolist():
            old = outside_run.spans[at]
            if old not in self._attached:
                for who, label in self._labels[old].items():
                    if label.value and who not in exact and who not in carried:
                        voices[who][label.value].append(at)
        for who, by_value in voices.items():
            shares = sorted(((outside_run.share(row, ats), value) for value, ats in by_value.items()), reverse=True)
            if shares[0][0] >= CARRY_OVER and (len(shares) == 1 or shares[1][0] < shares[0][0]):
                nearest = outside_run.spans[
                    max(by_value[shares[0][1]], key=lambda at: (outside_run.share(row, [at]), at))
                ]
                carried[who] = (nearest, self._labels[nearest][who])
        return carried

    def _outside_run(self, spans: Ints) -> _OutsideRun:
        """The judged passages not among ``spans``; those of the last requested run are cached."""
        key = spans.tobytes()
        if self._last_outside_run is not None and self._last_outside_run[0] == key:
            return self._last_outside_run[1]
        if self._ordered is None:
            keys = tuple(sorted(self._labels))
            self._ordered = (np.array([(*a, *b) for a, b in keys], np.int64).reshape(-1, 4), keys)
        table, keys = self._ordered
        rows = np.flatnonzero(~_rows_in(table, set(map(tuple, spans.tolist()))))
        outside_run = _OutsideRun(table[rows], tuple(keys[at] for at in rows.tolist()))
        self._last_outside_run = (key, outside_run)
        return outside_run

    def _added(self) -> _Added:
        """The judged passages whose verdicts were attached to another passage, by that passage."""
        old_by_new: dict[Spans, list[Spans]] = {}
        for old, (new, _) in self._attached.items():
            if old in self._labels:
                old_by_new.setdefault(new, []).append(old)
        return old_by_new


_Added = dict[Spans, list[Spans]]


class _OutsideRun:
    """Judged passages that a run does not have, int64[n, 4] in order of the suspect, searchable by overlap."""

    def __init__(self, table: Ints, spans: Sequence[Spans]) -> None:
        self.spans = spans
        self._table = table
        self._reach = np.maximum.accumulate(table[:, 1]) if len(table) else np.zeros(0, np.int64)

    def meets(self, rows: Ints) -> NDArray[np.bool_]:
        """Whether each of the passages ``rows``, int64[n, 4], may share characters with one of them in the suspect,
        bool[n].
        """
        first = np.searchsorted(self._reach, rows[:, 0], "right")
        return first < np.searchsorted(self._table[:, 0], rows[:, 1], "left")

    def overlapping(self, row: Ints) -> Ints:
        """The numbers of the passages that share characters with ``row`` on both sides; empty spans share none."""
        t = self._table
        first = int(np.searchsorted(self._reach, row[0], "right"))
        last = int(np.searchsorted(t[:, 0], row[1], "left"))
        if first >= last:
            return np.zeros(0, np.int64)
        part = t[first:last]
        shared = np.minimum(part[:, 1::2], row[1::2]) - np.maximum(part[:, ::2], row[::2])
        return first + np.flatnonzero((shared > 0).all(axis=1))

    def share(self, row: Ints, numbers: Sequence[int]) -> float:
        """The share (0..1) of passage ``row`` that passages ``numbers`` cover together, on the less covered side."""
        shares = []
        for start, end in ((0, 1), (2, 3)):
            at, shared = int(row[start]), 0
            for s, e in sorted((int(self._table[n, start]), int(self._table[n, end])) for n in numbers):
                shared += max(0, min(e, int(row[end])) - max(s, at))
                at = max(at, min(e, int(row[end])))
            shares.append(shared / max(1, int(row[end] - row[start])))
        return min(shares)


def values_on(index: VerdictIndex, matches: Matches, ids: Mapping[int, str]) -> list[str]:
    """The current verdict on each of ``matches`` of any pairs, "" for none; ``ids`` by key.

    Only judged pairs are examined.
    """
    values = [""] * len(matches)
    judged = set(index.pairs(set(ids.values())))
    if not judged:
        return values
    order = np.lexsort((matches.b, matches.a))
    change = (np.diff(matches.a[order]) != 0) | (np.diff(matches.b[order]) != 0)
    for rows in np.split(order, np.flatnonzero(change) + 1) if len(order) else ():
        pair = ids.get(int(matches.a[rows[0]]), ""), ids.get(int(matches.b[rows[0]]), "")
        if pair in judged:
            for row, verdict in zip(rows.tolist(), index.of(*pair).on(matches.take(rows)), strict=True):
                values[row] = "" if verdict is None else verdict.value
    return values


def touched(matches: Matches, a: Span, b: Span) -> Ints:
    """Rows of ``matches``, all of one pair, that a verdict on the passage ``a``, ``b`` may concern."""
    t = _spans(matches)
    overlap = (t[:, 0] < a.end) & (t[:, 1] > a.start) & (t[:, 2] < b.end) & (t[:, 3] > b.start)
    return np.flatnonzero(overlap | (t == (*a, *b)).all(1))


def _spans(matches: Matches) -> Ints:
    return np.column_stack((matches.a_start, matches.a_end, matches.b_start, matches.b_end)).astype(np.int64)


def _key(row: Ints) -> Spans:
    a_start, a_end, b_start, b_end = row.tolist()
    return Span(a_start, a_end), Span(b_start, b_end)


def _rows_in(table: Ints, known: Set[tuple[int, ...]]) -> NDArray[np.bool_]:
    """Which rows (int64[n, 4]) of ``table`` are among ``known``."""
    return np.fromiter((tuple(row) in known for row in table.tolist()), np.bool_, len(table))
