"""Judging the blocks of all pages again: ask for the rule, judge as a job, report the changes."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QDialog, QRadioButton, QWidget

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.widgets import Paragraph, apply_style, button, caption, column, heading, row
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.pages.host_selectors import HostSelectors, read_selectors
from workbench.services.pages.judging import JudgingOutcome, judge_pages


def repetition_box() -> QCheckBox:
    """A check box, initially checked, for ignoring repeated text."""
    box = QCheckBox(tr("Ignore text repeated across a site, whatever the rule for blocks"))
    box.setFont(fonts.font(13))
    box.setChecked(True)
    return box


_WIDTH = 580
"""Width of the dialog, logical pixels."""


def rule_words() -> dict[str, tuple[str, str]]:
    """Each rule for content blocks by its id: its title and a one-line description."""
    return {
        "default": (
            tr("Block scores, with trafilatura when unsure"),
            tr("Scores blocks by type and position; asks trafilatura when unsure."),
        ),
        "strict": (
            tr("Only what is clearly content"),
            tr("The same scores with a higher bar: less text around articles is kept, but some article text is lost."),
        ),
        "generous": (
            tr("Everything that may be content"),
            tr("The same scores with a lower bar: hardly any article text is lost, but more text around it is kept."),
        ),
        "alone": (
            tr("Scorecard alone"),
            tr("The same scores without trafilatura: faster."),
        ),
        "kang": (
            tr("Kang (2009)"),
            tr("A block is left out if half of it is links, or if no sentence in it has more than 10 characters."),
        ),
        "all": (tr("Everything counts"), tr("No block is left out.")),
    }


class JudgeDialog(QDialog):
    """Lets the user choose a rule; ``pages`` is the number of pages to be judged."""

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
            undoable = tr(
                "Pages with a selector and manual decisions do not change. This cannot be undone: to go back, judge "
                "again with the previous rule."
            )
            sentence = f"{count} {undoable}"
        else:
            sentence = tr("There are no pages to judge: only imported or fetched web pages have blocks.")
        self.go = button(tr("Judge again"), self.accept, kind="primary")
        self.go.setDefault(True)
        self.go.setEnabled(bool(pages))
        words = Paragraph(sentence, 12, _WIDTH - 36, "muted")
        bottom = row(None, button(tr("Cancel"), self.reject), self.go)
        rule = caption(tr("Rule"))
        self.repetition = repetition_box()
        parts = (heading(title), rule, choices, self.repetition, words, bottom)
        self.setLayout(column(*parts, spacing=12, margins=(18, 16, 18, 14)))
        self._rules.buttons()[0].setFocus()

    def rule(self) -> str:
        """The name of the chosen rule."""
        return next(str(b.property("rule")) for b in self._rules.buttons() if b.isChecked())

    def choose(self, rule: str) -> None:
        """Choose the rule with this name."""
        next(b for b in self._rules.buttons() if b.property("rule") == rule).setChecked(True)


class PageJudge(QObject):
    """Judges the pages of the open project."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._parent = context, parent
        self.dialog: JudgeDialog | None = None

    def ask(self, parent: QWidget | None = None) -> None:
        """Show the dialog over ``parent`` (default: the window) once the pages are counted."""

        def show(hosts: HostSelectors) -> None:
            dialog = self.dialog = JudgeDialog(parent or self._parent.window(), hosts.pages)
            apply_style(dialog, self._context.theme)
            dialog.accepted.connect(lambda: self.start(dialog.rule(), dialog.repetition.isChecked()))
            dialog.open()

        self._context.background(read_selectors, show, owner=parent or self)

    def start(self, rule: str, site_repetition: bool = True) -> JobRecord | None:
        """Judge by ``rule`` as a job, and by sites' repetitions if ``site_repetition``."""
        project = self._context.project
        if project is None:
            return None
        cancelled = tr("Judging was cancelled; pages judged so far keep their new classes.")
        return self._context.jobs.submit(
            tr("Judge blocks of pages"),
            judge_pages,
            project,
            rule,
            site_repetition=site_repetition,
            after=self._context.after(JudgingOutcome, self._say, cancelled),
        )

    def _say(self, result: JudgingOutcome) -> None:
        parts = [
            trn("{count} page was judged.", "{count} pages were judged.", result.pages),
            trn(
                "The content blocks of {count} page changed.",
                "The content blocks of {count} pages changed.",
                result.changed,
            ),
        ]
        if result.skipped:
            parts.append(
                trn(
                    "{count} page was left as it was: its source now has a different text.",
                    "{count} pages were left as they were: their source now has a different text.",
                    result.skipped,
                )
            )
        self._context.say(" ".join(parts), "warn" if result.skipped else "ok")
