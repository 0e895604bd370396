"""What was reported, in words: relations and verdicts."""

from __future__ import annotations

from workbench.gui.i18n import say, tr
from workbench.gui.judging.relation_words import strength_word
from workbench.gui.judging.verdicts import state_words
from workbench.services.watching.findings import Finding, PageRelation


def relation_word(relation: PageRelation) -> str:
    """The relation of a page to an original."""
    return {
        PageRelation.WHOLE: tr("whole copy"),
        PageRelation.INCLUSION: tr("inclusion"),
        PageRelation.STITCHED: tr("stitched"),
        PageRelation.QUOTATION: tr("quotation with a link"),
        PageRelation.EXCERPT: tr("excerpt"),
    }[relation]


def way_sentence(finding: Finding) -> str:
    """Which of page and source took from the other, how sure that is, and what it rests on."""
    strength = strength_word(finding.direction.strength.value)
    words = tr("{words} ({strength})", words=say(finding.way), strength=strength) if strength else say(finding.way)
    return f"{words} · {say(finding.signs)}"


def verdict_words(finding: Finding) -> str:
    """What was said in Review, "" where nothing was."""
    return ", ".join(state_words(value)[0] for value in finding.verdicts)
