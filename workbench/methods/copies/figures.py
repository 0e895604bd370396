"""The passages of ``copies`` and their figures: their own, those of the methods behind them, and their confidence, the
share of copies among labelled passages with the same measurements.

Confidence is a logistic function of the methods' measurements, fitted by ``tests.golden.copies_confidence``; see
``docs/methods/copies.md`` for the texts and the results on held-out texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message, percent
from workbench.base.types import Ints, Span
from workbench.methods.core.figures import FURTHER_PLACES, HOMOPHONES, KIND, RARITY, CopyKind, Figure

BITS = {"digest": 1, "initials": 2, "altered": 4}
"""Each method's bit in the evidence ``methods``; the most exact method first."""
_MEASURED_BY = {"surprisal": "digest", "alike": "initials", "homophones": "initials", "odds": "altered"}
_CONFIDENCE = (
    (0.99, Message("almost certain")),
    (0.9, Message("very likely")),
    (0.7, Message("likely")),
    (0.5, Message("more likely than not")),
    (0.0, Message("doubtful")),
)
"""Words for a confidence (0 to 1), each with its lower bound."""


class OtherPlaces(NamedTuple):
    """Further places of the source with the same text: their number, and the starts of the first ones."""

    number: int
    starts: Sequence[int]


NO_PLACES = OtherPlaces(0, ())


class MethodMatch(NamedTuple):
    """One match of one method; ``measured`` contains its values of ``MEASURED``, 0 for figures of other methods.

    ``gaps``: parts within it, on either side, that do not belong to it.
    """

    method: str
    a_span: Span
    b_span: Span
    tier: int
    kind: CopyKind
    measured: tuple[float, ...]
    gaps: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    places: OtherPlaces = NO_PLACES


class MergedPassage(NamedTuple):
    """A passage merged from a group of matches; ``portion``: its share of the characters of the passage for which
    ``measured`` was computed; ``alone``: it is a short sentence, and the pair has little else in common.
    """

    a_span: Span
    b_span: Span
    tier: int
    kind: CopyKind
    methods: int
    measured: tuple[float, ...]
    gaps: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    places: OtherPlaces = NO_PLACES
    apart: int = 0
    fragment: bool = False
    alone: bool = False
    portion: float = 1.0

    def part(self, a_span: Span, b_span: Span) -> MergedPassage:
        """This passage with other limits."""
        size = self.a_span.end - self.a_span.start
        portion = self.portion * (a_span.end - a_span.start) / max(1, size)
        return self._replace(a_span=a_span, b_span=b_span, portion=portion)


def measured(figure: str, evidence: Mapping[str, Any]) -> bool:
    """Whether ``figure`` of a passage was measured: a method that did not find the passage measured nothing."""
    by = _MEASURED_BY.get(figure)
    return by is None or "methods" not in evidence or bool(int(evidence["methods"]) & BITS[by])


def _in_words(value: float) -> Message:
    """A confidence in percent and in words."""
    word = next(word for least, word in _CONFIDENCE if round(value, 2) >= least or least == 0)
    return Message("{percent} · {word}", percent=percent(value), word=word)


def methods(value: float) -> Message:
    """Names of the methods whose bits are set."""
    return Message("{text}", text=", ".join(method for method, bit in BITS.items() if int(value) & bit))


FIGURES = {
    "confidence": Figure(Message("Confidence"), Message("that it was copied"), _in_words),
    "kind": KIND,
    "methods": Figure(Message("Detected by"), unit=methods),
    "surprisal": RARITY,
    "alike": Figure(Message("Aligned characters"), Message("equal or sound alike, in the longest such stretch")),
    "homophones": HOMOPHONES,
    "odds": Figure(Message("Log-odds"), Message("of the weaker side")),
    **FURTHER_PLACES,
}


MEASURED = ("surprisal", "alike", "homophones", "odds")
"""The inputs: bits (digest), equal characters and homophones among them (initials), log-odds (altered); 0 if a
method found nothing.
"""
CONSTANT = -5.25
WEIGHTS = {"surprisal": 2.18, "homophones": 2.12, "odds": 1.38}
"""Weights of ``features``; none is negative, so that more evidence never lowers the confidence. Equal characters have
none, because they mislead on other texts.
"""
ALONE = {"surprisal": (-0.3, 1.35), "alike": (-12.85, 3.68), "odds": (-6.95, 1.8)}
"""Constant and weight for a single figure alone."""
LINEAR = {"surprisal": 200.0, "odds": 50.0}
"""Values up to this count linearly, greater ones by their logarithm."""
RARE = 200.0
"""Bits from which equal sentences suffice even if the texts were aligned: the rule of ``digest``."""
FRAGMENT = -3.0
"""Upper bound on the log-odds of a fragment: none of 151 labelled fragments is a copy."""
LONE = 2.0
"""Upper bound on the log-odds of a short sentence that is all that two texts have in common: among a few documents,
formulas are rare, too.
"""
CHAIN = 3
"""Minimum number of passages of one pair that support each other, ..."""
BESIDE = 100
"""... at most so many characters apart, and the length up to which one is supported."""
_NONE = -20.0
"""Log-odds of a passage without evidence."""
MOST = 0.999
"""Upper bound: the labelled passages support no higher confidence."""


def confidence(
    measured: NDArray[np.float64],
    *,
    aligned: bool,
    fragments: NDArray[np.bool_] | None = None,
    alone: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """The confidence of n passages, each in [0, MOST]. ``measured``: float64 [n, 4], see ``MEASURED``.

    If the texts were ``aligned`` word by word (``altered``), a passage not found there has a lower confidence, as has
    one of the ``fragments`` (bool [n]); otherwise each figure counts alone. Rare equal sentences always
    count alone. A short sentence that is ``alone`` (bool [n]) is never more than likely.
    """
    counted = features(measured)
    speaking = ("surprisal",) if aligned else tuple(ALONE)
    odds = [_alone(name, counted) for name in speaking]
    if aligned:
        odds[0] = np.where(measured[:, 0] >= RARE, odds[0], _NONE)
        weighed = CONSTANT + counted @ np.array([WEIGHTS.get(name, 0.0) for name in MEASURED])
        odds.append(weighed if fragments is None else np.where(fragments, np.minimum(weighed, FRAGMENT), weighed))
    best = np.max(odds, axis=0)
    if alone is not None:
        best = np.where(alone, np.minimum(best, LONE), best)
    sure: NDArray[np.float64] = np.minimum(1 / (1 + np.exp(-best)), MOST)
    return np.round(sure, 4)


def in_chains(limits: Ints, sure: NDArray[np.float64]) -> NDArray[np.float64]:
    """The confidences ``sure`` of n passages, each of at least the mean of its chain if it is at most BESIDE long.

    ``limits``: int64 [n, 6], suspect, source, and start and end in both. A chain is CHAIN or more passages of one pair,
    each beginning at most BESIDE characters after the end of the one before it, twice that in the source: what may
    occur by chance alone does not in one order beside other copies.
    """
    raised = sure.copy()
    order = np.lexsort((limits[:, 4], limits[:, 2], limits[:, 1], limits[:, 0]))
    rows = limits[order]
    same = (rows[1:, :2] == rows[:-1, :2]).all(1)
    a_gap, b_gap = rows[1:, 2] - rows[:-1, 3], rows[1:, 4] - rows[:-1, 5]
    follows = same & (a_gap <= BESIDE) & (b_gap >= 0) & (b_gap <= 2 * BESIDE)
    for chain in np.split(order, np.flatnonzero(~follows) + 1):
        if len(chain) >= CHAIN:
            short = chain[limits[chain, 3] - limits[chain, 2] <= BESIDE]
            raised[short] = np.maximum(sure[short], np.round(sure[chain].mean(), 4))
    return raised


def features(measured: NDArray[np.float64]) -> NDArray[np.float64]:
    """The features to which the weights apply, in the shape of ``measured``.

    5 min(x/c, 1) + log(max(x/c, 1)) for the c in LINEAR, if any, otherwise log(1 + x).
    """
    columns: NDArray[np.float64] = np.log1p(np.maximum(measured, 0))
    for name, most in LINEAR.items():
        share = np.maximum(measured[:, MEASURED.index(name)], 0) / most
        columns[:, MEASURED.index(name)] = 5 * np.minimum(share, 1) + np.log(np.maximum(share, 1))
    return columns


def _alone(name: str, counted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-odds from one figure; none if its method found nothing."""
    column = counted[:, MEASURED.index(name)]
    constant, weight = ALONE[name]
    return np.where(column > 0, constant + weight * column, _NONE)
