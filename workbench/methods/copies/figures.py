"""The figures of a passage of ``copies``: its own, and those of the methods behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.messages import Message, percent
from workbench.methods.core.figures import FURTHER_PLACES, HOMOPHONES, KIND, RARITY, Figure

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


def measured(figure: str, evidence: Mapping[str, Any]) -> bool:
    """Whether ``figure`` of a passage was measured: a method that did not find the passage measured nothing."""
    by = _MEASURED_BY.get(figure)
    return by is None or "methods" not in evidence or bool(int(evidence["methods"]) & BITS[by])


def confidence(value: float) -> Message:
    """A confidence in percent and in words."""
    word = next(word for least, word in _CONFIDENCE if value >= least or least == 0)
    return Message("{percent} · {word}", percent=percent(value), word=word)


def methods(value: float) -> Message:
    """Names of the methods whose bits are set."""
    return Message("{text}", text=", ".join(method for method, bit in BITS.items() if int(value) & bit))


FIGURES = {
    "confidence": Figure(Message("Confidence"), Message("that it was copied"), confidence),
    "kind": KIND,
    "methods": Figure(Message("Detected by"), unit=methods),
    "surprisal": RARITY,
    "alike": Figure(Message("Aligned characters"), Message("equal or sound alike, in the longest such stretch")),
    "homophones": HOMOPHONES,
    "odds": Figure(Message("Log-odds"), Message("of the weaker side")),
    **FURTHER_PLACES,
}
