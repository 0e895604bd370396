"""How alike two texts are, by the same folding as detection."""

from __future__ import annotations

from workbench.base.types import Tier
from workbench.text.normalisation import folded_text


def tier_of(a: str, b: str) -> Tier:
    """The tier of a passage that is ``a`` in the suspect and ``b`` in the source."""
    if a == b:
        return Tier.EXACT
    return Tier.FOLDED if folded_text(a) == folded_text(b) else Tier.ALTERED
