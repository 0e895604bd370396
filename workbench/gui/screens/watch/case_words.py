"""What was reported, in words: relations, states of pages, cases and verdicts."""

from __future__ import annotations

from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import state_words
from workbench.gui.kit.words import local_time
from workbench.services.watching.cases import Case, CaseState
from workbench.services.watching.findings import Finding, PageRelation, Presence


def relation_word(relation: PageRelation) -> str:
    """What a page is to an original."""
    return {
        PageRelation.WHOLE: tr("whole copy"),
        PageRelation.INCLUSION: tr("inclusion"),
        PageRelation.STITCHED: tr("stitched"),
        PageRelation.QUOTATION: tr("quotation with a link"),
        PageRelation.EXCERPT: tr("excerpt"),
    }[relation]


def presence_words(finding: Finding) -> str:
    """Whether the page is there, or since when it is not."""
    time = local_time(finding.since)
    return {
        Presence.ONLINE: tr("online"),
        Presence.CHANGED: tr("changed since"),
        Presence.GONE: tr("gone since {time}", time=time),
        Presence.SILENT: tr("last seen {time}", time=time),
        Presence.UNKNOWN: "",
    }[finding.presence]


def case_word(state: CaseState) -> str:
    """The state of a case."""
    return {
        CaseState.NEW: tr("new"),
        CaseState.LICENSED: tr("licensed"),
        CaseState.SENT: tr("notice sent"),
        CaseState.SETTLED: tr("settled"),
        CaseState.IGNORED: tr("ignored"),
    }[state]


def stored_case(value: str) -> str:
    """The state of a case as the log names it; empty where it was withdrawn."""
    return case_word(CaseState(value)) if value in list(CaseState) else tr("withdrawn")


def case_words(case: Case) -> str:
    """The state of a page's case, and whether it is its site's."""
    word = case_word(case.state)
    return tr("{case} (site)", case=word) if case.of_site else word


def verdict_word(value: str) -> str:
    """A verdict."""
    return state_words(value)[0]
