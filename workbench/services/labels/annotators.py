"""Annotators, and adjudicators who settle where labels differ."""

from __future__ import annotations

ADJUDICATOR = "adjudicator"
"""Annotator whose label settles a disagreement; ``adjudicator:NAME`` names the person."""
IMPORTED = "import"
"""Annotator of labels that do not name one."""


def is_adjudicator(who: str) -> bool:
    """Whether ``who`` settles disagreements."""
    return who == ADJUDICATOR or who.startswith(f"{ADJUDICATOR}:")


def adjudicator(name: str) -> str:
    """The annotator name under which the person ``name`` settles disagreements."""
    return name if is_adjudicator(name) else f"{ADJUDICATOR}:{name}" if name else ADJUDICATOR


def person(who: str) -> str:
    """The name of the person behind an annotator; empty for an adjudicator without a name."""
    return who.removeprefix(ADJUDICATOR).removeprefix(":") if is_adjudicator(who) else who
