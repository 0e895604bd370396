"""The known facts about a page in words: its state, its case and the case's history; the project's threshold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel

from workbench.base.messages import rate, threshold_words
from workbench.base.types import Label
from workbench.gui.i18n import say, tr
from workbench.gui.kit.words import local_time
from workbench.services.measuring.thresholds import UsedThreshold, described
from workbench.services.watching.cases import Case, CaseState
from workbench.services.watching.standing import Presence, Standing


def show_used(words: QLabel, used: UsedThreshold | None) -> None:
    """Show ``used`` with its precision and recall in the label ``words``; hide the label if there is none."""
    words.setVisible(used is not None)
    if used is None:
        return
    words.setText(
        tr(
            "project: {value} · P {precision} · R {recall}",
            value=threshold_words(used.value),
            precision=rate(used.precision, 2),
            recall=rate(used.recall, 2),
        )
    )
    sentence = say(described(used))
    words.setToolTip(sentence)
    words.setAccessibleDescription(sentence)


def presence_words(standing: Standing) -> str:
    """Whether the page is online, or since when it has been gone; "" if unknown."""
    time = local_time(standing.since)
    return {
        Presence.ONLINE: tr("online"),
        Presence.CHANGED: tr("changed since"),
        Presence.GONE: tr("gone since {time}", time=time),
        Presence.SILENT: tr("last seen {time}", time=time),
        Presence.UNKNOWN: "",
    }[standing.presence]


def case_word(state: CaseState) -> str:
    """The state of a case."""
    return {
        CaseState.NEW: tr("new"),
        CaseState.LICENSED: tr("licensed"),
        CaseState.SENT: tr("notice sent"),
        CaseState.SETTLED: tr("settled"),
        CaseState.IGNORED: tr("ignored"),
    }[state]


def case_words(case: Case) -> str:
    """The state of a page's case, and whether it is the site's case."""
    word = case_word(case.state)
    return tr("{case} (site)", case=word) if case.of_site else word


def standing_words(standing: Standing) -> str:
    """State and case in one line."""
    case = tr("Case: {case}", case=case_words(standing.case))
    return " · ".join(filter(None, (presence_words(standing), case)))


def history_lines(history: Sequence[Label]) -> list[str]:
    """One line per event of a case: time, person, the state or its withdrawal, and the note."""
    lines = []
    for event in history:
        word = case_word(CaseState(event.value)) if event.value in list(CaseState) else tr("withdrawn")
        if event.target.startswith("site:"):
            word = tr("{case} (site)", case=word)
        lines.append(f"{local_time(event.when)} {event.who}: {word} {event.note}".strip())
    return lines
