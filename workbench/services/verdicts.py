"""Verdicts on passages: how one is given, how the label log names the passage, and which holds for which passage.

A verdict is filed under the spans it was given for. After another run the same passage may begin or end a
little elsewhere: a verdict then carries over to the passage that overlaps it by :data:`CARRY_OVER` on both sides.
"""

from __future__ import annotations

import getpass
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.base.types import Label, Match, Span
from workbench.project import labels
from workbench.project.listing import ids_of
from workbench.services.coverage import mutual_overlap
from workbench.services.session import Session

LABEL_SET = "verdict"
CARRY_OVER = 0.8
"""Smallest mutual overlap, on both sides, at which a verdict carries over to another passage."""


class MatchVerdict(StrEnum):
    """What a reviewer decided about a passage."""

    COPY = "copy"
    PARTIAL = "partial"
    NOT_COPY = "not-copy"


Passage = tuple[str, Span, str, Span]
"""Id and span of the suspect, id and span of the source."""


@dataclass(frozen=True, slots=True)
class Held:
    """The verdict that holds for a passage; ``carried`` when it was given for a passage with other limits."""

    label: Label
    carried: bool


def target(a: str, a_span: Span, b: str, b_span: Span) -> str:
    """The name of a passage in the label log."""
    return f"match:{a}:{a_span.start}-{a_span.end}:{b}:{b_span.start}-{b_span.end}"


def reviewer() -> str:
    """The name under which this machine's user is logged in; empty where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def set_verdict(session: Session, match: Match, value: str, note: str = "", who: str = "") -> Label:
    """Append a verdict on ``match``; an empty ``value`` withdraws it. Raises ValueError for an unknown verdict."""
    if value:
        value = MatchVerdict(value).value
    with session.write() as connection:
        ids = ids_of(connection, [match.a, match.b])
        name = target(ids[match.a], match.a_span, ids[match.b], match.b_span)
        return labels.add_label(connection, Label(name, value, who or reviewer(), "", note, label_set=LABEL_SET))


_TAIL = re.compile(r"(.*):(\d+)-(\d+)", re.S)
_MIDDLE = re.compile(r"(?=:(\d+)-(\d+):)")


def parse_target(name: str, known: Collection[str]) -> Passage | None:
    """The passage a target names; None for other targets. ``known`` ids decide where ids hold colons themselves."""
    tail = _TAIL.fullmatch(name.removeprefix("match:")) if name.startswith("match:") else None
    if tail is None:
        return None
    body, b_span = tail[1], Span(int(tail[2]), int(tail[3]))
    for middle in _MIDDLE.finditer(body):
        a, b = body[: middle.start()], body[middle.end(2) + 1 :]
        if a in known and b in known:
            return a, Span(int(middle[1]), int(middle[2])), b, b_span
    return None


class VerdictIndex:
    """The verdicts that hold now, by pair of documents."""

    def __init__(self, current: Mapping[str, Label], ids: Mapping[int, str]) -> None:
        """``current`` maps targets to labels; ``ids`` maps keys of documents to imported ids."""
        self._ids = ids
        self._pairs: dict[tuple[str, str], list[tuple[Span, Span, Label]]] = defaultdict(list)
        known = set(ids.values())
        for name, label in current.items():
            passage = parse_target(name, known)
            if passage is not None and label.value:
                a, a_span, b, b_span = passage
                self._pairs[a, b].append((a_span, b_span, label))

    def pairs(self) -> Iterable[tuple[str, str]]:
        """Pairs of ids with at least one verdict."""
        return self._pairs.keys()

    def held(self, match: Match) -> Held | None:
        """The verdict for ``match``: its own, else the one of the passage that overlaps it most (see CARRY_OVER)."""
        best, best_overlap = None, CARRY_OVER
        for a_span, b_span, label in self._pairs.get((self._ids[match.a], self._ids[match.b]), ()):
            if (a_span, b_span) == (match.a_span, match.b_span):
                return Held(label, carried=False)
            overlap = min(mutual_overlap(a_span, match.a_span), mutual_overlap(b_span, match.b_span))
            if overlap >= best_overlap:
                best, best_overlap = Held(label, carried=True), overlap
        return best


def tally(held: Sequence[Held | None]) -> dict[str, int]:
    """How many passages have each verdict; passages without one are not counted."""
    counts: dict[str, int] = defaultdict(int)
    for found in held:
        if found is not None:
            counts[found.label.value] += 1
    return dict(counts)
