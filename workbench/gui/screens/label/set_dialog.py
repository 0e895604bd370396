"""Make or change a label set: what is labelled, the values with keys and colours, the sample, the guidelines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QWidget,
)

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr
from workbench.gui.kit.parts import IconButton, button, caption, column, label, row
from workbench.gui.problems.guard import painting
from workbench.gui.screens.label.markdown import MarkdownView
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.services.labels.definitions import COLOURS, LabelSet, Value, with_keys
from workbench.services.labels.targets import TargetKind


def kind_words() -> dict[TargetKind, str]:
    """What can be labelled, in words."""
    return {
        TargetKind.DOCUMENT: tr("Documents"),
        TargetKind.PAIR: tr("Pairs of documents"),
        TargetKind.PASSAGE: tr("Passages"),
    }


def _spot(theme: Theme, number: int) -> QIcon:
    pixmap = QPixmap(14, 14)
    pixmap.fill(Qt.GlobalColor.transparent)
    with painting(pixmap) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.tokens.source(number)))
        painter.drawEllipse(1, 1, 12, 12)
    return QIcon(pixmap)


class _ValueRow:
    """The fields of one value."""

    def __init__(self, theme: Theme, value: Value, follows: Sequence[str]) -> None:
        self.name = QLineEdit(value.name)
        self.name.setAccessibleName(tr("Name of the value"))
        self.name.setPlaceholderText(tr("Name"))
        self.key = QLineEdit(value.key)
        self.key.setMaxLength(1)
        self.key.setFixedWidth(44)
        self.key.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.key.setAccessibleName(tr("Key of the value"))
        self.colour = QComboBox()
        self.colour.setAccessibleName(tr("Colour of the value"))
        self.colour.setFixedWidth(76)
        for number in range(1, COLOURS + 1):
            self.colour.addItem(_spot(theme, number), str(number), number)
        self.colour.setCurrentIndex(value.colour - 1)
        self.then = QComboBox()
        self.then.setAccessibleName(tr("Asked next"))
        self.then.addItem(tr("nothing"), "")
        for follow in follows:
            self.then.addItem(follow, follow)
        self.then.setCurrentIndex(max(0, self.then.findData(value.then)))
        self.retired = QCheckBox(tr("retired"))
        self.retired.setToolTip(tr("Given no more; labels that have it keep it"))
        self.retired.setChecked(value.retired)
        self.remove = IconButton(theme, "trash", tr("Remove this value"))

    @property
    def parts(self) -> tuple[QWidget, ...]:
        """The fields in order."""
        return self.name, self.key, self.colour, self.then, self.retired, self.remove

    def value(self) -> Value:
        """What the fields say."""
        return Value(
            self.name.text().strip(),
            self.key.text().strip().casefold(),
            int(self.colour.currentData()),
            str(self.then.currentData()),
            self.retired.isChecked(),
        )


class SetDialog(QDialog):
    """``label_set`` fills the fields; a set that exists keeps its name, and one with labels what it labels."""

    def __init__(
        self, theme: Theme, parent: QWidget, label_set: LabelSet, others: Sequence[str], *, new: bool, fixed: bool
    ) -> None:
        super().__init__(parent)
        self._theme, self._before, self._others, self._new = theme, label_set, others, new
        self.setWindowTitle(tr("New label set") if new else tr("Change the label set {name}", name=label_set.name))
        self.resize(760, 620)
        self.name = QLineEdit(label_set.name)
        self.name.setAccessibleName(tr("Name"))
        self.name.setEnabled(new)
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("What is labelled"))
        for kind, word in kind_words().items():
            self.kind.addItem(word, kind)
        self.kind.setCurrentIndex(self.kind.findData(label_set.kind))
        self.kind.setEnabled(not fixed)
        self.rate = QDoubleSpinBox()
        self.rate.setRange(0.1, 100)
        self.rate.setDecimals(1)
        self.rate.setSuffix(" %")
        self.rate.setValue(100 * label_set.rate)
        self.rate.setAccessibleName(tr("Sample"))
        self.seed = QSpinBox()
        self.seed.setRange(0, 1_000_000)
        self.seed.setValue(label_set.seed)
        self.seed.setAccessibleName(tr("Seed of the random order"))
        self.rows: list[_ValueRow] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.guidelines = QPlainTextEdit(label_set.guidelines)
        self.guidelines.setAccessibleName(tr("Guidelines in Markdown"))
        self.guidelines.setFont(fonts.font(13))
        self.guidelines.setTabChangesFocus(True)
        self.preview = MarkdownView(tr("Preview"))
        self.problem = label("", 12, role="danger", wrap=True)
        self.tabs = QTabWidget()
        self.cancel = button(tr("Cancel"), self.reject)
        self.save = button(tr("Save"), self._try, kind="primary")
        self._build()
        for value in label_set.values:
            self.add(value)
        if new and not label_set.values:
            self.add(Value(""))
            self.add(Value("", colour=2))
        self.name.setFocus() if new else self.rows[0].name.setFocus()

    def _build(self) -> None:
        head = row(
            column(caption(tr("Name")), self.name, spacing=4),
            column(caption(tr("What is labelled")), self.kind, spacing=4),
            column(caption(tr("Sample")), self.rate, spacing=4),
            column(caption(tr("Seed")), self.seed, spacing=4),
            spacing=12,
        )
        head.setStretch(0, 1)
        for at, word in enumerate((tr("Value"), tr("Key"), tr("Colour"), tr("Asked next"))):
            self._grid.addWidget(caption(word), 0, at)
        self._grid.setColumnStretch(0, 1)
        inside = QWidget()
        inside.setObjectName("page")
        inside.setLayout(column(self._grid, None, margins=(10, 10, 10, 10)))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        self.more = button(
            tr("Add a value"), lambda: self.add(Value("", colour=len(self.rows) % COLOURS + 1)).name.setFocus()
        )
        values = QWidget()
        values.setLayout(column(area, row(self.more, None), margins=(0, 8, 0, 0)))
        self.tabs.addTab(values, tr("Values"))
        self.tabs.addTab(self.guidelines, tr("Guidelines"))
        self.tabs.addTab(self.preview, tr("Preview"))
        self.tabs.currentChanged.connect(lambda _at: self.preview.show_markdown(self.guidelines.toPlainText()))
        hint = label(
            tr(
                "The sample and its order follow from the seed: everybody who labels gets the same one, and documents "
                "that come later change no place in it."
            ),
            12,
            role="muted",
            wrap=True,
        )
        whole = column(head, hint, spacing=8, margins=(16, 14, 16, 12))
        whole.addWidget(self.tabs, 1)
        whole.addWidget(self.problem)
        whole.addLayout(row(None, self.cancel, self.save))
        self.setLayout(whole)
        self.problem.hide()
        self.save.setDefault(True)

    def add(self, value: Value) -> _ValueRow:
        """Add a row for ``value``."""
        value_row = _ValueRow(self._theme, value, self._others)
        value_row.remove.clicked.connect(lambda: self._remove(value_row))
        self.rows.append(value_row)
        at = self._grid.rowCount()
        for place, part in enumerate(value_row.parts):
            self._grid.addWidget(part, at, place)
        self._order_keys()
        return value_row

    def _order_keys(self) -> None:
        """Tab goes as the eye does: what was added last stands before the buttons."""
        parts = [part for value_row in self.rows for part in value_row.parts]
        for before, after in pairwise((self.tabs.tabBar(), *parts, self.more, self.cancel, self.save)):
            self.setTabOrder(before, after)

    def _remove(self, gone: _ValueRow) -> None:
        self.rows.remove(gone)
        for part in gone.parts:
            self._grid.removeWidget(part)
            part.hide()
            part.deleteLater()

    def label_set(self) -> LabelSet:
        """What the fields say. Raises UserError where it cannot be used."""
        values = tuple(value for value in (value_row.value() for value_row in self.rows) if value.name)
        label_set = replace(
            self._before,
            name=" ".join(self.name.text().split()),
            kind=TargetKind(self.kind.currentData()),
            values=with_keys(values),
            guidelines=self.guidelines.toPlainText(),
            seed=self.seed.value(),
            rate=self.rate.value() / 100,
        )
        label_set.check()
        if self._new and label_set.name in self._others:
            raise UserError(tr("There is a label set of this name already."))
        return label_set

    def _try(self) -> None:
        try:
            self.label_set()
        except UserError as error:
            self.problem.setText(say(error.sentence))
            self.problem.show()
            return
        self.accept()
