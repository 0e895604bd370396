"""A form built from a method's parameters: range, unit, the paper's value, reset and a message for invalid values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QWidget

from workbench.base.errors import ParameterError
from workbench.base.options import FILE, Option
from workbench.gui.i18n import tr
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.widgets import ChoiceBox, IconButton, button, column, label, row, set_role
from workbench.gui.kit.words import parameter_title, value_text
from workbench.gui.problems import guarded
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.methods.core.api import Parameters


def range_text(spec: Option) -> str:
    """The allowed values in words; "" if they need no explanation."""
    if spec.choices or spec.kind in (bool, str, FILE):
        return ""
    low = None if spec.low is None else f"{spec.low:,g}"
    high = None if spec.high is None else f"{spec.high:,.0f}" if spec.high >= 1e6 else f"{spec.high:,g}"
    if low is not None and high is not None:
        return tr("{low} to {high}", low=low, high=high)
    if low is not None:
        return tr("at least {low}", low=low)
    return "" if high is None else tr("at most {high}", high=high)


def problem_text(spec: Option) -> str:
    """A sentence about the valid values."""
    limits = range_text(spec)
    if spec.kind is int:
        return tr("Enter a whole number, {range}.", range=limits) if limits else tr("Enter a whole number.")
    return tr("Enter a number, {range}.", range=limits) if limits else tr("Enter a number.")


@guarded
class NumberField(QLineEdit):
    """A number field; Up and Down step within its range."""

    def __init__(self, spec: Option) -> None:
        super().__init__()
        self._spec = spec
        self.setFixedWidth(110)
        self.setFont(fonts.font(13, tabular=True))
        self.setAlignment(Qt.AlignmentFlag.AlignRight)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down step."""
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        try:
            value = self._spec.check(self.text())
            self.setText(_plain(self._spec.check(value + self._step(value) * step)))
        except ParameterError:
            event.ignore()

    def _step(self, value: float) -> float:
        return 1 if self._spec.kind is int or abs(value) >= 10 else 0.1 if abs(value) >= 1 else 0.01


def _plain(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


class ParameterRow(QWidget):
    """One parameter: name, editor, unit, reset; below it, its meaning and any error."""

    changed = Signal()

    def __init__(self, spec: Option, theme: Theme) -> None:
        super().__init__()
        self.spec = spec
        title = parameter_title(spec.name)
        self.editor = self._make_editor(title)
        self.reset_button = IconButton(theme, "reset", tr("Reset {name} to its default", name=title), self.reset)
        self.reset_button.setFixedSize(26, 26)
        self.problem = label("", 12, role="danger", wrap=True)
        self.problem.hide()
        name = label(title, 13, weight=fonts.MEDIUM)
        name.setBuddy(self.editor)
        meaning = label(tr(spec.help), 12, role="muted", wrap=True)
        limits = range_text(spec)
        unit = tr(spec.unit) if spec.unit else ""
        notes = [f"{limits} {unit}".strip() if limits else unit]
        if spec.default != "":
            notes.append(tr("default {value}", value=value_text(spec.default)))
        if spec.paper is not None:
            notes.append(tr("paper {value}", value=value_text(spec.paper)))
        note = label(" · ".join(n for n in notes if n), 12, role="faint", tabular=True)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.addWidget(name, 0, 0)
        editing = row(self.editor, self.reset_button, spacing=6)
        if spec.kind is FILE:
            choose = button(tr("Choose…"), self._choose)
            choose.setAccessibleName(f"{tr('Choose…')} {title}")
            editing.insertWidget(1, choose)
        grid.addLayout(editing, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        self.setLayout(column(grid, meaning, note, self.problem, margins=(0, 9, 0, 9), spacing=3))
        self.reset()

    def _make_editor(self, title: str) -> QCheckBox | QComboBox | QLineEdit:
        editor: QCheckBox | QComboBox | QLineEdit
        if self.spec.kind is bool:
            editor = QCheckBox()
            editor.toggled.connect(lambda _on: self._edited())
        elif self.spec.choices:
            editor = ChoiceBox()
            editor.setFont(fonts.font(13))
            editor.setMinimumWidth(130)
            for choice in self.spec.choices:
                editor.addItem(tr(str(choice)), choice)
            editor.currentIndexChanged.connect(lambda _index: self._edited())
        else:
            editor = NumberField(self.spec) if self.spec.kind in (int, float) else QLineEdit()
            editor.textChanged.connect(lambda _text: self._edited())
        editor.setAccessibleName(title)
        editor.setAccessibleDescription(tr(self.spec.help))
        return editor

    def _choose(self) -> None:
        start = Path(self.raw()).parent if self.raw() else Path.home()
        if file := file_dialogs.open_file(self.window(), parameter_title(self.spec.name), start, [tr("All files (*)")]):
            self.set_value(str(file))

    def raw(self) -> Any:
        """The editor's content."""
        if isinstance(self.editor, QCheckBox):
            return self.editor.isChecked()
        if isinstance(self.editor, QComboBox):
            return self.editor.currentData()
        return self.editor.text().strip()

    def set_value(self, value: Any) -> None:
        """Put ``value`` into the editor."""
        if isinstance(self.editor, QCheckBox):
            self.editor.setChecked(bool(value))
        elif isinstance(self.editor, QComboBox):
            self.editor.setCurrentIndex(max(0, self.editor.findData(value)))
        else:
            self.editor.setText(_plain(value))
        self._edited()

    def reset(self) -> None:
        """Restore the default."""
        self.set_value(self.spec.default)

    def value(self) -> Any:
        """The checked value. Raises ParameterError."""
        return self.spec.check(self.raw())

    def _edited(self) -> None:
        try:
            default = self.value() == self.spec.default
            problem = ""
        except ParameterError:
            default, problem = False, problem_text(self.spec)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.editor.setAccessibleDescription(problem or tr(self.spec.help))
        set_role(self.editor, "invalid", "true" if problem else "false")
        self.reset_button.setEnabled(not default)
        self.changed.emit()


class ParameterForm(QWidget):
    """All parameters of a method. ``changed`` is emitted after every edit."""

    changed = Signal()

    def __init__(self, parameters: type[Parameters], theme: Theme) -> None:
        super().__init__()
        self.setObjectName("page")
        self.rows = {spec.name: ParameterRow(spec, theme) for spec in parameters.specs()}
        self.setLayout(column(*self.rows.values(), None, margins=(16, 4, 12, 8), spacing=0))
        for row_ in self.rows.values():
            row_.changed.connect(self.changed)

    def values(self) -> dict[str, Any] | None:
        """Checked values by name; None while any value is invalid."""
        try:
            return {name: row_.value() for name, row_ in self.rows.items()}
        except ParameterError:
            return None

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Fill in the values of a run; parameters without a value get their defaults."""
        for name, row_ in self.rows.items():
            row_.set_value(values.get(name, row_.spec.default))

    def reset(self) -> None:
        """Reset all values to their defaults."""
        self.set_values({})

    def paper(self) -> None:
        """Set the paper's value for each parameter that has one."""
        for row_ in self.rows.values():
            row_.set_value(row_.spec.as_in_the_paper)
