"""Setting the case of a page or its site in a dialog, with undo."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QPlainTextEdit, QWidget

from workbench.gui.i18n import tr
from workbench.gui.judging.standing_words import case_word, history_lines, presence_words
from workbench.gui.kit.widgets import WholeText, button, caption, column, heading, label, row
from workbench.gui.workspace.context import AppContext
from workbench.reading.formats.html import site_of
from workbench.services.session import Session
from workbench.services.watching.cases import CaseState, last_case, set_case
from workbench.services.watching.standing import Standing


def record_case(context: AppContext, page: str, state: CaseState, note: str, *, whole_site: bool) -> bool:
    """Record the case of ``page`` or its whole site; it can be undone. Returns whether it was recorded."""
    before: list[tuple[CaseState | None, str]] = []

    def give(session: Session) -> None:
        before.append(last_case(session, page, whole_site=whole_site))
        set_case(session, page, state, note, whole_site=whole_site)

    def take_back(session: Session) -> None:
        set_case(session, page, *before.pop(), whole_site=whole_site)

    return context.perform(tr("Set the case of {page}", page=page), give, take_back, {"watches", "labels"})


class CaseDialog(QDialog):
    """Asks for the case of a page, and shows its history."""

    def __init__(self, context: AppContext, standing: Standing, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._standing = context, standing
        title = tr("Case of the page")
        self.setWindowTitle(title)
        self.setFixedWidth(480)
        self.about = QComboBox()
        self.about.setAccessibleName(tr("Applies to"))
        self.about.addItem(tr("This page"), False)
        if site := site_of(standing.page):
            self.about.addItem(tr("The whole site {site}", site=site), True)
        self.about.setCurrentIndex(self.about.count() - 1 if standing.case.of_site else 0)
        self.state = QComboBox()
        self.state.setAccessibleName(tr("Case"))
        for state in CaseState:
            self.state.addItem(case_word(state), state.value)
        self.state.setCurrentIndex(list(CaseState).index(standing.case.state))
        self.note = QLineEdit(standing.case.note)
        self.note.setPlaceholderText(tr("Note on the case"))
        self.note.setAccessibleName(tr("Note on the case"))
        past = QPlainTextEdit("\n".join(history_lines(standing.history)))
        past.setReadOnly(True)
        past.setTabChangesFocus(True)
        past.setFixedHeight(110)
        past.setAccessibleName(tr("History"))
        go = button(tr("Set the case"), self._give, kind="primary")
        go.setDefault(True)
        parts: list[QWidget] = [heading(title), WholeText(standing.page, 12)]
        if words := presence_words(standing):
            parts.append(label(words, 12, role="muted"))
        parts += [caption(tr("Applies to")), self.about, caption(tr("Case")), self.state, self.note]
        if standing.history:
            parts += [caption(tr("History")), past]
        foot = row(None, button(tr("Cancel"), self.reject), go)
        self.setLayout(column(*parts, foot, spacing=8, margins=(18, 16, 18, 14)))
        self.state.setFocus()

    def _give(self) -> None:
        state, whole_site = CaseState(self.state.currentData()), bool(self.about.currentData())
        if record_case(self._context, self._standing.page, state, self.note.text().strip(), whole_site=whole_site):
            self.accept()
