"""The head of Evaluate: the run, the labels that measure it, and the shown page."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QComboBox, QMenu, QPushButton, QWidget

from workbench.base.messages import Message
from workbench.gui.i18n import say, tr
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.runs import RunBox
from workbench.gui.kit.widgets import ChoiceBox, button, column, label
from workbench.gui.screens.evaluate.measure_bar import LINE
from workbench.gui.screens.evaluate.pages import CURVES, SHEETS
from workbench.services.labels.sets import LABEL_SET
from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.label_selection import LEARNS, Question
from workbench.services.measuring.passages import BY_PASSAGE
from workbench.services.measuring.scored_run import EvaluationInput, ScoredRun

_SET_WIDTH = 260
"""Maximum width of a label set's name, logical pixels."""


def _definition(scored: ScoredRun | None) -> Message | str:
    """What is counted, where it could be taken for something else."""
    of_reference = scored is not None and scored.kind is TargetKind.PASSAGE and scored.chosen.label_set != LABEL_SET
    return BY_PASSAGE if of_reference else ""


class Head(QWidget):
    """``run_chosen`` emits the key of a run, ``question_changed`` a :class:`Question`, ``mode_chosen`` the name of a
    page.

    ``pages`` are the titles of the pages; ``axis`` is placed among the choices.
    """

    run_chosen = Signal(int)
    question_changed = Signal(object)
    mode_chosen = Signal(str)

    def __init__(self, pages: Mapping[str, str], axis: QWidget) -> None:
        super().__init__()
        self._question = Question()
        self._positive = frozenset[str]()
        self.runs = RunBox()
        self.sets = ChoiceBox()
        self.sets.setAccessibleName(tr("Label set"))
        self.sets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.sets.setMaximumWidth(_SET_WIDTH)
        self.positive: QPushButton = button("")
        self._values = QMenu(self.positive)
        self.positive.setMenu(self._values)
        self.complete = QCheckBox(tr("No label means negative"))
        self.complete.setToolTip(tr("For labels that list every positive and nothing else"))
        self.learn = button(tr("Learn weights…"))
        """For runs whose scores were learnt from labels."""
        self.warning = label("", 12, role="muted", wrap=True)
        self.chips: dict[str, QPushButton] = {}
        for mode, title in pages.items():
            chip = button(title, kind="chip")
            chip.clicked.connect(lambda _on=False, mode=mode: self.mode_chosen.emit(mode))
            self.chips[mode] = chip
        choices = QWidget()
        line = FlowLayout(choices, 8)
        # The pages come first, so that optional choices do not move them.
        self._of_question: tuple[QWidget, ...] = (
            label(tr("Run"), 12, role="muted"),
            self.runs,
            label(tr("Labels"), 12, role="muted"),
            self.sets,
            label(tr("positive values"), 12, role="muted"),
            self.positive,
            self.complete,
        )
        for part in (*self.chips.values(), *self._of_question, axis, self.learn):
            part.setFixedHeight(LINE)
            line.addWidget(part)
        self.setLayout(column(choices, self.warning, spacing=6))
        self.runs.chosen.connect(self.run_chosen)
        self.sets.activated.connect(lambda at: self.question_changed.emit(Question(labels=str(self.sets.itemData(at)))))
        self.complete.clicked.connect(lambda on: self._ask(self._question.positive, complete=bool(on)))

    def show_mode(self, mode: str) -> None:
        """Mark the shown page."""
        for name, chip in self.chips.items():
            chip.setChecked(name == mode)

    def show_inputs(self, inputs: EvaluationInput) -> None:
        """Show the choices, with the current one of each."""
        self.setVisible(inputs.documents > 0)
        self.runs.show_runs(inputs.runs, inputs.run)
        for part in self._of_question:
            part.setVisible(bool(inputs.sources))
        learnt = "" if inputs.run is None else inputs.learnt.get(inputs.run.id, "")
        self.warning.setText(" ".join(map(say, filter(None, (learnt, _definition(inputs.scored))))))
        self.warning.setVisible(bool(self.warning.text()))
        self.learn.setVisible(inputs.run is not None and inputs.run.method == LEARNS)
        self.sets.clear()
        for source in inputs.sources:
            self.sets.addItem(source.name, source.name)
        scored = inputs.scored
        for mode, chip in self.chips.items():
            chip.setEnabled(mode in (CURVES, SHEETS) or (scored is not None and scored.curve is not None))
        self._question = inputs.question
        self.sets.setCurrentIndex(self.sets.findData(inputs.question.labels))
        self.complete.setChecked(inputs.question.complete)
        self.complete.setEnabled(scored is not None and scored.kind is not TargetKind.PASSAGE)
        self._positive = frozenset[str]() if scored is None else scored.chosen.meaning.positive
        self.positive.setText(", ".join(sorted(self._positive)) or tr("nothing yet"))
        self._values.clear()
        for value in inputs.values:
            choice = QAction(value, self._values)
            choice.setCheckable(True)
            choice.triggered.connect(lambda _on=False: self._values_chosen())
            self._values.addAction(choice)
        self._mark_values()

    def _mark_values(self) -> None:
        """Check the values that count as positive: at least one does, once any is chosen."""
        for choice in self.value_choices():
            choice.setChecked(choice.text() in self._positive)

    def offer_values(self) -> None:
        """Open the menu of the values that can count as positive."""
        self._values.popup(self.positive.mapToGlobal(self.positive.rect().bottomLeft()))

    def value_choices(self) -> list[QAction]:
        """The values that can count as positive."""
        return self._values.actions()

    def _values_chosen(self) -> None:
        chosen = tuple(action.text() for action in self.value_choices() if action.isChecked())
        if chosen:
            self._ask(chosen, complete=self._question.complete)
        else:
            self._mark_values()

    def _ask(self, positive: tuple[str, ...], *, complete: bool) -> None:
        self.question_changed.emit(Question(self._question.labels, positive, complete, self._question.score))
