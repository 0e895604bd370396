"""How many passages there are, and of how many matches."""

from __future__ import annotations

from workbench.gui.i18n import tr, trn


def passage_words(passages: int, matches: int) -> str:
    """Both counts; one alone where every match is a passage."""
    counted = trn("{count} passage", "{count} passages", passages)
    if passages == matches:
        return counted
    return tr("{passages} of {matches}", passages=counted, matches=trn("{count} match", "{count} matches", matches))
