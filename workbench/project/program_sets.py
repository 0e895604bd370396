"""The label sets whose values mean something to the program."""

from __future__ import annotations

LABEL_SET = "verdict"
SUSPECT_LABELS = "suspect"
ATTACHED = "attached verdict"
PAIR_LABELS = "near-duplicate"
REFERENCE = "reference"
EXCLUSIONS = "exclusion"
REFERENCE_PAIRS = "reference pairs"
CASES = "case"
BY_HAND = "by hand"
SPLITS = "split passage"
OWN_WORDS = frozenset(
    (
        LABEL_SET,
        SUSPECT_LABELS,
        ATTACHED,
        PAIR_LABELS,
        REFERENCE,
        EXCLUSIONS,
        REFERENCE_PAIRS,
        CASES,
        BY_HAND,
        SPLITS,
    )
)
"""All of them: their values keep their names."""
