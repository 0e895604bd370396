"""Why a pair matched, or why not: the method's rules in order, each leading to its place in the texts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.code_points import visible
from workbench.gui.kit.parts import button, caption, heading, label, row
from workbench.gui.theme.manager import Theme
from workbench.methods.core.api import Reason
from workbench.services.detecting.comparing import Answer


class WhyDialog(QDialog):
    """Says why a pair matched or not, or the text that was asked about, and lists the rules in order.

    ``place_chosen`` carries the Reason whose place was asked for.
    """

    place_chosen = Signal(object)

    def __init__(self, theme: Theme, answer: Answer, match: int | None = None, parent: QWidget | None = None) -> None:
        """``match``: the number of the match that the text asked about is part of, if it is part of one."""
        super().__init__(parent)
        of_text = answer.of_text
        explanation = answer.explanation if of_text is None else of_text.explanation
        self.setWindowTitle(tr("Why matched, why not"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(620, 480)
        self.headline = heading(_headline(answer, match))
        self.lines = [label(visible(words), wrap=True) for words in _sentences(answer, match)]
        self.list = QListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setObjectName("choices")
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(tr("Reasons"))
        for reason in explanation.reasons:
            mark = theme.icon("circle-check" if reason.passed else "circle-cross", "ok" if reason.passed else "danger")
            words = _reason_words(reason)
            item = QListWidgetItem(mark, words)
            item.setData(Qt.ItemDataRole.UserRole, reason)
            state = tr("passed") if reason.passed else tr("not passed")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{words}, {state}")
            self.list.addItem(item)
        self.list.itemActivated.connect(self._go)
        self.list.itemClicked.connect(self._go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(self.headline)
        for line in self.lines:
            layout.addWidget(line)
        layout.addWidget(
            caption(tr("The rules, for this text by itself") if of_text else tr("The rules, for the pair"))
        )
        layout.addWidget(self.list, 1)
        layout.addLayout(row(None, button(tr("Close"), self.close)))

    def _go(self, item: QListWidgetItem) -> None:
        reason: Reason = item.data(Qt.ItemDataRole.UserRole)
        if reason.a_span is not None or reason.b_span is not None:
            self.place_chosen.emit(reason)


def _headline(answer: Answer, match: int | None) -> str:
    of_text = answer.of_text
    if of_text is None:
        return tr("This pair matched") if answer.explanation.matched else tr("This pair did not match")
    if match is not None:
        return tr("This text is part of match {number}", number=f"{match + 1:,}")
    return tr("This text by itself would match") if of_text.explanation.matched else tr("This text did not match")


def _sentences(answer: Answer, match: int | None) -> list[str]:
    """What there is to say before the rules: where the text stands, what it was judged with, and what decided."""
    of_text = answer.of_text
    alone = [tr("The run's index no longer exists: figures are those of these two texts alone.")]
    if of_text is None:
        return [say(answer.explanation.summary), *(alone if not answer.of_collection else [])]
    if of_text.places:
        first = f"{of_text.places[0].start:,}–{of_text.places[0].end:,}"
        count = trn("at {count} place", "at {count} places", len(of_text.places))
        sentences = [
            tr("The same text stands in the other document, {count}, first at {span}.", count=count, span=first)
        ]
    else:
        sentences = [tr("The other document does not hold this text as a whole.")]
    span = f"{of_text.span.start:,}–{of_text.span.end:,}"
    if of_text.of_source and of_text.in_suspect:
        sentences.append(tr("Whole sentences are compared: the rules are about characters {span} there.", span=span))
    elif of_text.span != of_text.chosen:
        sentences.append(tr("Whole sentences are compared: the rules are about characters {span}.", span=span))
    explanation = of_text.explanation
    if explanation.matched and match is None:
        sentences.append(tr("The run, which looked at the whole texts as they were then, has no match here."))
    if match is None and not explanation.matched:
        sentences += [tr("What decided: {rule}", rule=_reason_words(reason)) for reason in explanation.deciding]
    if not of_text.in_suspect:
        alone = [tr("Only the source has these sentences: figures are those of these two texts alone.")]
    return sentences + ([] if answer.of_collection else alone)


def _reason_words(reason: Reason) -> str:
    rule = say(reason.rule)
    return f"{rule[:1].upper()}{rule[1:]} — {visible(say(reason.detail))}"
