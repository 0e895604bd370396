"""Learnt weights: the contribution of each figure of a document to the odds of spam, as piecewise linear functions.

One figure is itself learnt from labels: the weights of a document's words, those of a linear support vector machine
(Kolari, Finin and Joshi 2006).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import ParameterError
from workbench.base.messages import Message
from workbench.methods.core.api import Contributions

MEASURED = (
    "copied_length", "copy_rate", "template", "salad", "likelihood", "stuffing", "replaced", "trend", "length",
)  # fmt: skip
"""The figures that every document has."""
VOCABULARY = "vocabulary"
"""The figure of learnt words (:func:`workbench.methods.splog.collection.vocabulary`)."""
FEATURES = (*MEASURED, VOCABULARY)
"""The figures that have weights."""
MOST_WORDS = 500
"""Maximum number of learnt words."""
LONGEST_WORD = 50
"""Maximum number of characters of a learnt word."""
_LOGARITHMIC = frozenset({"copied_length", "length"})
_MOST_KNOTS = 16
_LARGEST = 1e6

Floats = NDArray[np.float64]


def scaled(feature: str, values: Floats) -> Floats:
    """Values of a figure as weighted: lengths as log(1 + length)."""
    return np.log1p(values) if feature in _LOGARITHMIC else values


def hinges(values: Floats, knots: Sequence[float]) -> Floats:
    """The excess of each of n values over each of m knots, 0 below it: float64[n, m]."""
    return np.maximum(values[:, None] - np.asarray(knots, np.float64)[None, :], 0.0)


@dataclass(frozen=True, slots=True)
class Weights:
    """A document's log odds are ``intercept`` and, for each figure, the sum of slope x (value above knot) over its
    ``lines`` (knot, slope). ``words`` are the weights of which the figure :data:`VOCABULARY` is made.
    """

    intercept: float
    lines: Mapping[str, tuple[tuple[float, float], ...]]
    words: Mapping[str, float] = field(default_factory=dict)
    unseen: tuple[float, ...] = ()
    """Best F on documents not seen, and its 95 % interval, if known."""
    typical: Mapping[str, float] = field(default_factory=dict)
    """The median of each figure among the labelled documents, if known."""

    @classmethod
    def parse(cls, text: str) -> Weights:
        """Weights from the text of the parameter. Raises ParameterError for other texts."""
        try:
            raw = json.loads(text)
            intercept = float(raw["intercept"])
            lines = {
                str(name): tuple((float(knot), float(slope)) for knot, slope in pairs)
                for name, pairs in raw["figures"].items()
            }
            words = {str(word): float(weight) for word, weight in raw.get("words", {}).items()}
            unseen = tuple(float(value) for value in raw.get("unseen", ()))
            typical = {str(name): float(value) for name, value in raw.get("typical", {}).items()}
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
            raise ParameterError(Message("The weights are not those that were learnt from labels.")) from error
        numbers = [intercept, *(number for pairs in lines.values() for pair in pairs for number in pair)]
        sound = all(math.isfinite(number) and abs(number) <= _LARGEST for number in (*numbers, *words.values()))
        sound = sound and all(map(math.isfinite, typical.values()))
        short = len(words) <= MOST_WORDS and all(len(word) <= LONGEST_WORD for word in words)
        shares = len(unseen) in (0, 3) and all(0 <= value <= 1 for value in unseen)
        known = all(name in FEATURES and len(pairs) <= _MOST_KNOTS for name, pairs in lines.items())
        known = known and typical.keys() <= set(FEATURES)
        if not (sound and short and known and shares):
            raise ParameterError(Message("The weights are not those that were learnt from labels."))
        return cls(intercept, lines, words, unseen, typical)

    @property
    def text(self) -> str:
        """The text for the parameter: to six digits, words to four."""
        lines = {name: [[float(f"{x:.6g}") for x in line] for line in lines] for name, lines in self.lines.items()}
        raw: dict[str, object] = {"intercept": float(f"{self.intercept:.6g}"), "figures": lines}
        if self.words:
            raw["words"] = {word: float(f"{weight:.4g}") for word, weight in self.words.items()}
        if self.unseen:
            raw["unseen"] = [float(f"{value:.6g}") for value in self.unseen]
        if self.typical:
            raw["typical"] = {name: float(f"{value:.6g}") for name, value in self.typical.items()}
        return json.dumps(raw, ensure_ascii=False, separators=(",", ":"))

    def part(self, feature: str, values: Floats) -> Floats:
        """The contribution of the figure ``feature`` to the log odds of n documents with these values."""
        lines = self.lines.get(feature, ())
        if not lines:
            return np.zeros(len(values))
        knots, slopes = zip(*lines, strict=True)
        return hinges(scaled(feature, values), knots) @ np.asarray(slopes, np.float64)

    def probabilities(self, figures: Mapping[str, Floats]) -> Floats:
        """The probability, in [0, 1], that each of n documents is spam, from its figures."""
        odds = np.full(len(next(iter(figures.values()))), self.intercept)
        for name in self.lines:
            odds += self.part(name, figures[name])
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))), np.float64)

    def contributions(self, figures: Mapping[str, float]) -> Contributions:
        """The parts of a document's log odds; without ``typical`` figures, relative to the smallest labelled ones."""

        def part(name: str, value: float) -> float:
            return float(self.part(name, np.array([value], np.float64))[0])

        typical = {name: part(name, self.typical[name]) if name in self.typical else 0.0 for name in self.lines}
        return Contributions(
            self.intercept + sum(typical.values()),
            {name: part(name, float(figures[name])) - typical[name] for name in self.lines},
        )
