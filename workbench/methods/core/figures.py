"""The figures of a method's evidence: the name of each, and the format of its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from workbench.base.evidence import OTHER_PLACES
from workbench.base.messages import Message


class CopyKind(IntEnum):
    """The kind of change of a passage; stored as its number in the evidence ``kind``."""

    VERBATIM = 0
    LIGHTLY_CHANGED = 1
    REWORDED = 2
    SHUFFLED = 3
    SUMMARY = 4
    HOMOPHONES = 5


Unit = Callable[[float], Message]
"""Formats a value with its unit."""


def number(value: float) -> Message:
    """A count, or a number with four digits."""
    return Message("{value}", value=f"{value:,.0f}" if value == round(value) else f"{value:,.4g}")


def decimal(value: float) -> Message:
    """A number with three decimals."""
    return Message("{value}", value=f"{value:,.3f}" if value < 100 else f"{value:,.0f}")


def share(value: float) -> Message:
    """A share, from 0 to 1; the window draws a bar beside it."""
    return decimal(value)


def bits(value: float) -> Message:
    """Bits of information."""
    return Message("{bits} bits", bits=f"{value:,.0f}")


def kind(value: float) -> Message:
    """A :class:`CopyKind` by its number."""
    return _KINDS.get(int(value), Message("{value}", value=f"{value:g}"))


def places(value: float) -> Message:
    """Further places of a source that contain the same words."""
    if value == 1:
        return Message("one other place in this source")
    return Message("{count} other places in this source", count=f"{value:,.0f}")


_KINDS: Mapping[int, Message] = {
    CopyKind.VERBATIM: Message("Verbatim"),
    CopyKind.LIGHTLY_CHANGED: Message("Lightly changed"),
    CopyKind.REWORDED: Message("Reworded"),
    CopyKind.SHUFFLED: Message("Shuffled"),
    CopyKind.SUMMARY: Message("Summary"),
    CopyKind.HOMOPHONES: Message("Homophones"),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the evidence: its name, a note, the unit of its value, and a tip on its calculation."""

    name: Message
    note: str = ""
    unit: Unit = number
    tip: str = ""


CONTAINMENT = Figure(Message("Containment"), Message("of the suspect in the source"), share)
OF_ANY = {
    "score": Figure(Message("Score"), unit=decimal),
    "resemblance": Figure(Message("Resemblance"), Message("common share of both"), share),
    "containment": CONTAINMENT,
}
"""Figures that the pairs of any method may have."""

CONTAINMENT_B = Figure(Message("Containment"), Message("of the source in the suspect"), share)
CHARACTERS = Figure(Message("Characters in common"))
FINGERPRINTS = Figure(Message("Fingerprints in common"))
HOMOPHONES = Figure(Message("Homophones"), Message("of these, sound alike"))
KIND = Figure(Message("Kind of copying"), unit=kind)
LONGEST_STRING = Figure(Message("Longest"), Message("characters"))
SENTENCES = Figure(Message("Shared sentences"))
RARITY = Figure(
    Message("Rarity"),
    unit=bits,
    tip=Message(
        "The sum over its sentences of log2(N / k), where k of the N documents counted contain the sentence besides "
        "this pair; the information in the sentence's letters replaces it where k is 0 or where that is less. It "
        "shows how rare the text is among these documents, not how probable it is that somebody copied it."
    ),
)
SHARED_SHINGLES = {
    "shared": Figure(Message("Shingles in common")),
    "shingles_a": Figure(Message("Shingles of the suspect")),
    "shingles_b": Figure(Message("Shingles of the source")),
    "containment_b": CONTAINMENT_B,
}
FURTHER_PLACES = {OTHER_PLACES: Figure(Message("Also at"), unit=places)}
"""Figures shared by several methods."""
