"""Why a pair matched, or why not: the method's rules in order, each leading to its place in the texts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.base.types import Span
from workbench.gui.i18n import say, tr
from workbench.gui.kit.code_points import visible
from workbench.gui.kit.parts import button, heading, label, row
from workbench.gui.theme.manager import Theme
from workbench.methods.core.api import Explanation, Reason


class WhyDialog(QDialog):
    """Lists the reasons of an explanation, those about the selected passage first.

    ``place_chosen`` carries the Reason whose place was asked for.
    """

    place_chosen = Signal(object)

    def __init__(
        self, theme: Theme, explanation: Explanation, chosen: Span | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Why matched, why not"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(620, 480)
        self.list = QListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setObjectName("choices")
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(tr("Reasons"))
        for reason in ordered(explanation, chosen):
            mark = theme.icon("circle-check" if reason.passed else "circle-cross", "ok" if reason.passed else "danger")
            about = chosen is not None and touches(reason, chosen)
            rule = say(reason.rule)
            words = f"{rule[:1].upper()}{rule[1:]} — {visible(say(reason.detail))}"
            item = QListWidgetItem(mark, words + (f"  ({tr('your selection')})" if about else ""))
            item.setData(Qt.ItemDataRole.UserRole, reason)
            state = tr("passed") if reason.passed else tr("not passed")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{words}, {state}")
            self.list.addItem(item)
        self.list.itemActivated.connect(self._go)
        self.list.itemClicked.connect(self._go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(heading(tr("This pair matched") if explanation.matched else tr("This pair did not match")))
        layout.addWidget(label(visible(say(explanation.summary)), wrap=True))
        if chosen is not None and not any(touches(r, chosen) for r in explanation.reasons):
            sentence = tr("No rule speaks of the selected passage: nothing equal to it stands in the other document.")
            layout.addWidget(label(sentence, role="muted", wrap=True))
        layout.addWidget(self.list, 1)
        layout.addLayout(row(None, button(tr("Close"), self.close)))

    def _go(self, item: QListWidgetItem) -> None:
        reason: Reason = item.data(Qt.ItemDataRole.UserRole)
        if reason.a_span is not None or reason.b_span is not None:
            self.place_chosen.emit(reason)


def touches(reason: Reason, chosen: Span) -> bool:
    """Whether a reason is about some of the suspect's characters ``chosen``."""
    return reason.a_span is not None and reason.a_span.overlap(chosen) > 0


def ordered(explanation: Explanation, chosen: Span | None) -> list[Reason]:
    """Reasons in the method's order, those about ``chosen`` first."""
    if chosen is None:
        return list(explanation.reasons)
    return sorted(explanation.reasons, key=lambda r: not touches(r, chosen))
