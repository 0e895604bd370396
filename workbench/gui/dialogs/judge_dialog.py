"""Which rule is to judge the blocks of all pages again."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QDialog, QRadioButton, QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.parts import Paragraph, button, caption, column, heading, row
from workbench.gui.theme import fonts

_WIDTH = 580
"""Of the dialog, logical pixels."""


def rule_words() -> dict[str, tuple[str, str]]:
    """Each rule for content blocks by its name: what it is called, and what it does, in one line."""
    return {
        "default": (
            tr("Scorecard with a second opinion"),
            tr("Points for what a block is and where it stands; where they are in doubt, trafilatura is asked, too."),
        ),
        "alone": (
            tr("Scorecard alone"),
            tr("The same points without the second opinion: faster."),
        ),
        "kang": (
            tr("Kang (2009)"),
            tr("A block is left out if half of it is links, or if no sentence in it has more than 10 characters."),
        ),
        "all": (tr("Everything counts"), tr("No block is left out.")),
    }


class JudgeDialog(QDialog):
    """One rule is to be chosen; ``pages`` is how many will be judged."""

    def __init__(self, parent: QWidget, pages: int) -> None:
        super().__init__(parent)
        title = tr("Judge the blocks of all pages again")
        self.setWindowTitle(title)
        self.setFixedWidth(_WIDTH)
        self._rules = QButtonGroup(self)
        choices = column(spacing=10)
        for name, (word, meaning) in rule_words().items():
            choice = QRadioButton(word)
            choice.setFont(fonts.font(13, fonts.MEDIUM))
            choice.setProperty("rule", name)
            choice.setAccessibleDescription(meaning)
            self._rules.addButton(choice)
            choices.addLayout(column(choice, row(24, Paragraph(meaning, 12, _WIDTH - 60, "muted"), None), spacing=2))
            if name == "default":
                choice.setChecked(True)
        if pages:
            count = trn("{count} page will be judged.", "{count} pages will be judged.", pages)
            kept = tr(
                "The body of a page that has a selector stays what the selector says, and decisions by hand stay. "
                "There is no undo: judge again by the rule that was used before."
            )
            sentence = f"{count} {kept}"
        else:
            sentence = tr("There is no page to judge: only imported or fetched web pages have blocks.")
        self.go = button(tr("Judge again"), self.accept, kind="primary")
        self.go.setDefault(True)
        self.go.setEnabled(bool(pages))
        words = Paragraph(sentence, 12, _WIDTH - 36, "muted")
        bottom = row(None, button(tr("Cancel"), self.reject), self.go)
        rule = caption(tr("Rule"))
        self.setLayout(column(heading(title), rule, choices, words, bottom, spacing=12, margins=(18, 16, 18, 14)))
        self._rules.buttons()[0].setFocus()

    def rule(self) -> str:
        """The name of the chosen rule."""
        return next(str(b.property("rule")) for b in self._rules.buttons() if b.isChecked())

    def choose(self, rule: str) -> None:
        """Choose the rule with this name."""
        next(b for b in self._rules.buttons() if b.property("rule") == rule).setChecked(True)
