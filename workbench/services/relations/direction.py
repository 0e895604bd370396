"""Which of two pages came first: the evidence, where it comes from, and how strong it is.

A date on a page is the page's own claim, and a forged one is an earlier one. What this program observed weighs more: a
page was online before the other, or was not online yet when it claims to have been. Where the signs contradict each
other, no direction is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.base.messages import Message
from workbench.methods.rare_sentences.relations import Direction

APART = 3600.0
"""Seconds that two first captures must be apart to say which page was there first."""


class Strength(StrEnum):
    """How much speaks for a direction: what was seen and what the pages say agree; one of both; a page's word alone."""

    STRONG = "strong"
    MEDIUM = "medium"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Side:
    """What is known of a page's age.

    ``published``: the seconds (first, one past the last) that its own date may mean; ``captured``: when it was first
    captured, in seconds, and ``fetch`` by which fetch; ``missed``: when its host was last visited before that.
    """

    published: tuple[float, float] | None = None
    captured: float | None = None
    fetch: str = ""
    missed: float | None = None

    @property
    def is_backdated(self) -> bool:
        """Whether it claims to be older than a visit to its host that did not find it."""
        return self.published is not None and self.missed is not None and self.published[1] <= self.missed


@dataclass(frozen=True, slots=True)
class Verdict:
    """The direction, how strongly it is supported, and the signs in words."""

    direction: Direction
    strength: Strength
    reason: str


def direction(a: Side, b: Side, *, link_ab: bool = False, link_ba: bool = False) -> Verdict:
    """Which of the pages ``a`` and ``b`` copied from the other."""
    dates, seen = _dates(a, b), _seen(a, b)
    link = int(link_ba) - int(link_ab)
    evidence = ((dates, _DATES), (seen, _SEEN), (link, _LINKS))
    reasons = [words[sign] for sign, words in evidence if sign]
    reasons += [say for side, say in zip((a, b), _BACKDATED, strict=True) if side.is_backdated]
    signs = {sign for sign in (dates, seen, link) if sign}
    reason = Message.joined("; ", reasons) if reasons else Message("no date, no link, nothing seen in order")
    if len(signs) != 1:
        return Verdict(Direction.UNKNOWN, Strength.NONE, reason)
    sign = signs.pop()
    count = sum(1 for value in (dates, seen, link) if value)
    strength = Strength.STRONG if count > 1 else Strength.WEAK if dates else Strength.MEDIUM
    return Verdict(Direction.B_FROM_A if sign > 0 else Direction.A_FROM_B, strength, reason)


def _dates(a: Side, b: Side) -> int:
    """1 if ``a`` was published before ``b`` according to the pages, -1 after; 0 if that is unknown."""
    if a.published is None or b.published is None or a.is_backdated or b.is_backdated:
        return 0
    return int(a.published[1] <= b.published[0]) - int(b.published[1] <= a.published[0])


def _seen(a: Side, b: Side) -> int:
    """1 if ``a`` was captured before ``b`` was, by another fetch; -1 after; 0 otherwise."""
    if a.captured is None or b.captured is None or a.fetch == b.fetch:
        return 0
    apart = b.captured - a.captured
    return int(apart >= APART) - int(-apart >= APART)


_DATES = {1: Message("a is dated before b"), -1: Message("b is dated before a")}
_SEEN = {1: Message("a was captured before b"), -1: Message("b was captured before a")}
_LINKS = {1: Message("link from b to a"), -1: Message("link from a to b")}
_BACKDATED = (
    Message("a was not there when its host was visited after the date it gives"),
    Message("b was not there when its host was visited after the date it gives"),
)
