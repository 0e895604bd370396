"""The accounting of a case over plain lists, as one would do it by hand: no arrays, no index, no log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

SETTLES = "adjudicator:"
DIFFER = "conflict"
APART = 50
"""Characters of a writer's own between two matches from which on, one more, they are two passages."""


@dataclass(frozen=True)
class Statement:
    """``who`` said ``value`` ("" takes it back) of a thing in second ``when``."""

    who: str
    value: str
    when: int


def standing(events: Iterable[Statement]) -> list[Statement]:
    """What each person says now, by time, of one moment by name; of what one says at one moment the last holds."""
    latest: dict[str, Statement] = {}
    for event in events:
        if event.who not in latest or event.when >= latest[event.who].when:
            latest[event.who] = event
    return sorted((e for e in latest.values() if e.value), key=lambda e: (e.when, e.who))


@dataclass(frozen=True)
class Outcome:
    """What is shown of a passage: the ``value`` that holds, ``by`` whom where one name fits, and the ``verdicts``."""

    value: str
    by: str
    verdicts: tuple[tuple[str, str], ...]
    settled: str


def outcome(events: Iterable[Statement]) -> Outcome | None:
    """What holds in Review: what was settled last; else what all say; else that they differ."""
    now = standing(events)
    if not now:
        return None
    verdicts = tuple((e.who, e.value) for e in now if not e.who.startswith(SETTLES))
    settled = [e for e in now if e.who.startswith(SETTLES)]
    last = settled[-1] if settled else now[-1]
    differ = len({value for _, value in verdicts}) > 1 and not settled
    return Outcome(DIFFER if differ else last.value, last.who, verdicts, settled[-1].who if settled else "")


def decided(events: Iterable[Statement]) -> str:
    """What a label is in a measurement: what was settled last; else what more than half say; else nothing."""
    now = standing(events)
    settled = [e.value for e in now if e.who.startswith(SETTLES)]
    if settled:
        return settled[-1]
    votes = Counter(e.value for e in now)
    return next((value for value, count in votes.items() if 2 * count > len(now)), "")


@dataclass(frozen=True)
class Row:
    """A match: ``a`` and ``b`` with the characters in each, its score; ``by_hand``: a person added it, not the run."""

    a: str
    b: str
    at: tuple[int, int]
    there: tuple[int, int]
    score: float
    by_hand: bool = False

    def turned(self) -> Row:
        return Row(self.b, self.a, self.there, self.at, self.score, self.by_hand)


def of_suspect(rows: Sequence[Row], suspect: str) -> list[Row]:
    """The matches of a suspect, seen from it: its own, and those of others that it was not compared with itself."""
    own = [row for row in rows if row.a == suspect]
    partners = {row.b for row in own} | {suspect}
    return own + [row.turned() for row in rows if row.b == suspect and row.a not in partners]


def passages(rows: Sequence[Row]) -> list[int]:
    """The number of each row's passage: neighbours are one, and neighbours of these."""
    number = list(range(len(rows)))
    for _ in rows:
        for i, one in enumerate(rows):
            for j, other in enumerate(rows):
                if (one.a, one.b) == (other.a, other.b) and all(_near(rows, one, other, side) for side in (0, 1)):
                    number[i] = number[j] = min(number[i], number[j])
    return number


def _near(rows: Sequence[Row], one: Row, other: Row, side: int) -> bool:
    spans = [(row.at, row.there)[side] for row in rows if (row.a, row.b) == (one.a, one.b)]
    (start, end), (begin, stop) = (one.at, one.there)[side], (other.at, other.there)[side]
    between = set(range(min(end, stop), max(start, begin)))
    return len(between - characters(spans)) <= APART


def characters(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {at for start, end in spans for at in range(start, end)}


def overlap(one: tuple[int, int], other: tuple[int, int]) -> Fraction:
    """What two stretches share, of the longer one."""
    return Fraction(len(characters([one]) & characters([other])), max(one[1] - one[0], other[1] - other[0]))


@dataclass(frozen=True)
class LeftOut:
    """An exclusion: the passage ``row``, a source, passages shorter than ``number``, or a phrase."""

    kind: str
    what: str = ""
    row: Row | None = None
    number: int = 0

    def reaches(self, row: Row) -> bool:
        """Whether it leaves out the whole of ``row``."""
        if self.kind == "source":
            return row.b == self.what
        if self.kind == "shorter":
            return row.at[1] - row.at[0] < self.number
        if self.row is None:
            return False
        same = (row.a, row.b) == (self.row.a, self.row.b)
        return same and min(overlap(row.at, self.row.at), overlap(row.there, self.row.there)) >= Fraction(1, 2)

    def hides(self, text: str) -> set[int]:
        """The characters of ``text`` that never count."""
        if self.kind != "phrase":
            return set()
        return characters((at, at + len(self.what)) for at in range(len(text)) if text.startswith(self.what, at))


@dataclass(frozen=True)
class Counts:
    """Of a suspect: characters matched and counted, the characters of each of its rows that count, and how many
    things take something away: exclusions, and passages judged no copies.
    """

    matched: int
    counted: int
    of_rows: list[int]
    takes: int


def count(
    text: str,
    rows: Sequence[Row],
    left_out: Sequence[LeftOut],
    holds: Sequence[Outcome | None],
    least: float | None = None,
) -> Counts:
    """What counts of a suspect, whose ``rows`` are as ``holds`` says; ``least``: the score from which on they do."""
    hidden = set[int]().union(*(one.hides(text) for one in left_out))
    of_rows = []
    for row, outcome_of in zip(rows, holds, strict=True):
        out = any(one.reaches(row) for one in left_out)
        out = out or (outcome_of is not None and outcome_of.value == "not-copy")
        if least is not None and row.score < least and not row.by_hand and outcome_of is None:
            out = True
        of_rows.append(set[int]() if out else characters([row.at]) - hidden)
    whole = characters(row.at for row in rows)
    number = passages(rows)
    no_copies = {of for of, one in zip(number, holds, strict=True) if one is not None and one.value == "not-copy"}
    taking = [one for one in left_out if one.hides(text) & whole or any(one.reaches(row) for row in rows)]
    weak = least is not None and any(
        row.score < least and not row.by_hand and of is None for row, of in zip(rows, holds, strict=True)
    )
    takes = len(taking) + len(no_copies) + weak
    return Counts(len(whole), len(set[int]().union(*of_rows)), [len(own) for own in of_rows], takes)


@dataclass(frozen=True)
class Rates:
    """At the threshold of the best F, the highest of equal ones."""

    threshold: float
    precision: Fraction
    recall: Fraction
    f1: Fraction
    average_precision: Fraction


def rates(scored: Sequence[tuple[float | None, bool]]) -> Rates:
    """Of items with a score (None: not reported, never selected) and whether they are what is looked for."""
    wanted = sum(positive for _, positive in scored)
    best: Rates | None = None
    area, hits_before = Fraction(0), 0
    for threshold in sorted({score for score, _ in scored if score is not None}, reverse=True):
        selected = [positive for score, positive in scored if score is not None and score >= threshold]
        hits = sum(selected)
        precision, recall = Fraction(hits, len(selected)), Fraction(hits, wanted)
        area += Fraction(hits - hits_before, wanted) * precision
        hits_before = hits
        f1 = Fraction(2 * hits, len(selected) + wanted)
        if best is None or f1 > best.f1:
            best = Rates(threshold, precision, recall, f1, Fraction(0))
    assert best is not None
    return Rates(best.threshold, best.precision, best.recall, best.f1, area)


def mcnemar(one: Sequence[bool], other: Sequence[bool]) -> Fraction:
    """Two-sided p that two methods, right where true, are as good as each other: the sign test of those that differ."""
    first = sum(a and not b for a, b in zip(one, other, strict=True))
    second = sum(b and not a for a, b in zip(one, other, strict=True))
    n = first + second
    return min(Fraction(1), 2 * Fraction(sum(comb(n, k) for k in range(min(first, second) + 1)), 2**n))


def merged(log: Sequence[tuple[str, Statement]], other: Sequence[tuple[str, Statement]]) -> dict[str, list[Statement]]:
    """What stands of each thing once two copies of a log are one: everything, each once."""
    every = dict.fromkeys((*log, *other))
    things = {thing for thing, _ in every}
    return {thing: standing(event for of, event in every if of == thing) for thing in things}


def way(signs: Mapping[str, int]) -> int:
    """1: b took from a; -1: a from b; 0: cannot tell. ``signs`` say which way each points, 0 for neither."""
    pointing = {sign for sign in signs.values() if sign}
    return pointing.pop() if len(pointing) == 1 else 0
