"""What the evidence of a match says, in plain words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.base.types import Matches
from workbench.gui.i18n import tr

_BITS_PER_DIGIT = float(np.log2(10))


class EvidenceWords(NamedTuple):
    """One figure: name, note, value, and its share (0 to 1) of the greatest in the pair (None: no bar)."""

    name: str
    note: str
    value: str
    share: float | None


def tier_words(tier: int) -> str:
    """The name of a tier."""
    return (tr("Exact"), tr("Exact ignoring symbols"), tr("Altered"))[tier]


def tier_rule(tier: int) -> str:
    """What a tier means."""
    return (
        tr("The same, character for character"),
        tr("The same but for punctuation, width, case or spaces"),
        tr("Some words or characters differ"),
    )[tier]


def evidence_words(matches: Matches, number: int) -> list[EvidenceWords]:
    """The figures of match ``number``; bars are relative to the strongest match of the pair."""
    found = []
    for name, column in matches.evidence.items():
        value, most = float(column[number]), float(np.max(column))
        share = value / most if most > 0 else None
        found.append(_words(name, value, share))
    return found


def _words(name: str, value: float, share: float | None) -> EvidenceWords:
    match name:
        case "segments":
            return EvidenceWords(tr("Sentences in a row"), "", f"{value:,.0f}", share)
        case "characters":
            return EvidenceWords(tr("Characters in common"), tr("after folding"), f"{value:,.0f}", share)
        case "surprisal":
            digits = value / _BITS_PER_DIGIT
            note = tr("chance below 1 in 10^{digits}", digits=int(digits)) if digits >= 2 else tr("could be chance")
            return EvidenceWords(tr("Rarity"), note, tr("{bits} bits", bits=f"{value:,.0f}"), share)
        case _:
            words = name.replace("_", " ").replace("-", " ").capitalize()
            return EvidenceWords(words, "", f"{value:,.4g}", share)
