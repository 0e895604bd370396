"""A passage of one pair of texts, in words."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.methods.altered.holes import Words


@dataclass(frozen=True, slots=True)
class WordPassage:
    """Words ``[a_start, a_end)`` of the suspect and ``[b_start, b_end)`` of the source, with the log-odds of each side.

    ``rare_odds``: the weaker side's where the collection's formulas count for less; ``a_holes``, ``b_holes``: words
    within it that are not part of it (all three of accepted passages). ``summary``: drawn from all over its source
    passage.
    """

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    a_odds: float
    b_odds: float
    rare_odds: float = 0.0
    summary: bool = False
    a_holes: Words = ()
    b_holes: Words = ()

    @property
    def odds(self) -> float:
        """The weaker side's log-odds."""
        return min(self.a_odds, self.b_odds)
