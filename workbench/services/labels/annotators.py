"""Names in the label log that stand for something else than a person at this project."""

from __future__ import annotations

ADJUDICATOR = "adjudicator"
"""Annotator whose label settles a disagreement; ``adjudicator:NAME`` names the person."""
IMPORTED = "import"
"""Annotator of labels that name none."""


def is_adjudicator(who: str) -> bool:
    """Whether ``who`` settles disagreements."""
    return who == ADJUDICATOR or who.startswith(f"{ADJUDICATOR}:")
