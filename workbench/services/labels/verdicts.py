"""The verdicts of a reviewer, each declared once: its name, its key, and its meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.base.messages import Message


class Sense(StrEnum):
    """The meaning of a verdict."""

    COPIED = "copied"
    NOT_COPIED = "not copied"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``value`` is stored in the log; ``short`` words are for lists, ``role`` names a colour of the themes.

    Shares leave out passages judged not copied; Evaluate leaves out undecided ones. Exports contain the value.
    """

    value: str
    sense: Sense
    words: str
    short: str
    role: str
    icon: str
    key: str


PASSAGE = (
    Verdict("copy", Sense.COPIED, Message("Copy"), Message("Copy"), "danger", "circle-check", "1"),
    Verdict(
        "partial", Sense.COPIED, Message("Partial or common source"), Message("Partial"), "warn", "circle-half", "2"
    ),
    Verdict("not-copy", Sense.NOT_COPIED, Message("Not a copy"), Message("Not a copy"), "ok", "circle-cross", "3"),
)
"""The verdicts on a passage, the gravest first: lists and tallies follow this order."""

PAIR = (
    Verdict(
        "near-duplicate",
        Sense.COPIED,
        Message("Near-duplicate"),
        Message("Near-duplicate"),
        "danger",
        "circle-check",
        "1",
    ),
    Verdict(
        "unknown",
        Sense.UNDECIDED,
        Message("Cannot tell"),
        Message("Cannot tell"),
        "warn",
        "circle-half",
        "2",
    ),
    Verdict("not", Sense.NOT_COPIED, Message("Not a near-duplicate"), Message("Different"), "ok", "circle-cross", "3"),
)
"""The verdicts on a pair of whole documents, the gravest first."""

SUSPECT = (
    *(replace(verdict, words=verdict.short, key=f"Alt+{verdict.key}") for verdict in PASSAGE),
    Verdict(
        "undecided",
        Sense.UNDECIDED,
        Message("Undecided"),
        Message("Undecided"),
        "accent",
        "info",
        f"Alt+{len(PASSAGE) + 1}",
    ),
)
"""The verdicts on a suspect as a whole."""

VERDICTS = {verdict.value: verdict for verdict in (*SUSPECT, *PAIR, *PASSAGE)}
"""Every verdict by its value; for verdicts on both passages and suspects, the one on a passage."""


def values(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """The stored value of each of ``verdicts``."""
    return tuple(verdict.value for verdict in verdicts)


def sense_of(value: str) -> Sense | None:
    """The meaning of a verdict; None for an unknown value."""
    verdict = VERDICTS.get(value)
    return verdict.sense if verdict else None


def on_a_pair(value: str) -> str:
    """The verdict on a pair that shares its key with a verdict on a passage; any other value unchanged."""
    keys = {verdict.value: verdict.key for verdict in PASSAGE}
    return {verdict.key: verdict.value for verdict in PAIR}.get(keys.get(value, ""), value)
