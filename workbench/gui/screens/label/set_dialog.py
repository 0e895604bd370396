"""Create or change a label set: kind of item, values with keys and colours, the sample, the guidelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QIcon, QPixmap, QTextDocument
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QTextBrowser,
    QWidget,
)

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.widgets import IconButton, button, caption, column, label, row
from workbench.gui.problems import guarded, painting
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme
from workbench.services.labels.definitions import COLOURS, LabelSet, Value, with_keys
from workbench.services.labels.sets import OWN_WORDS
from workbench.services.labels.targets import TargetKind


def kind_words() -> dict[TargetKind, str]:
    """The kinds of items that can be labelled, in words."""
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
    """The fields of one value with ``count`` labels; ``renamable``: whether it can be renamed."""

    def __init__(self, theme: Theme, value: Value, follows: Sequence[str], count: int, *, renamable: bool) -> None:
        self.before, self.count = value.name, count
        self.name = QLineEdit(value.name)
        self.name.setEnabled(renamable)
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
        self.then.setAccessibleName(tr("Next question"))
        self.then.addItem(tr("nothing"), "")
        for follow in follows:
            self.then.addItem(follow, follow)
        self.then.setCurrentIndex(max(0, self.then.findData(value.then)))
        self.retired = QCheckBox(tr("retired"))
        self.retired.setToolTip(tr("No longer offered; existing labels keep it"))
        self.retired.setChecked(value.retired)
        self.used = label(f"{count:,}" if count else "", 12, role="muted", tabular=True)
        self.used.setToolTip(tr("Labels with this value"))
        self.remove = IconButton(theme, "trash", tr("Remove this value"))

    @property
    def parts(self) -> tuple[QWidget, ...]:
        """The fields in order."""
        return self.name, self.key, self.colour, self.then, self.used, self.retired, self.remove

    def value(self) -> Value:
        """The value in the fields."""
        return Value(
            self.name.text().strip(),
            self.key.text().strip().casefold(),
            int(self.colour.currentData()),
            str(self.then.currentData()),
            self.retired.isChecked(),
        )


@guarded
class SetDialog(QDialog):
    """Edits ``label_set``; an existing set keeps its name, and a set with labels its kind of items.

    ``counts`` is the number of labels by value (None: the set is new). A value renamed to another's name is merged with
    it.
    """

    def __init__(
        self,
        theme: Theme,
        parent: QWidget,
        label_set: LabelSet,
        others: Sequence[str],
        counts: Mapping[str, int] | None,
    ) -> None:
        super().__init__(parent)
        new = counts is None
        self._theme, self._before, self._others, self._new = theme, label_set, others, new
        self._counts = counts or {}
        self._merged: list[tuple[_ValueRow, _ValueRow]] = []
        """Removed values, each with the one that its labels move to."""
        self._accepted = ""
        """The confirmed question."""
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
        self.kind.setEnabled(not self._counts)
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
        self.guidelines = QPlainTextEdit(say(label_set.guidelines))
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
        self._left = self._contents()
        """What may be left without a question."""

    def _contents(self) -> tuple[object, ...]:
        head = self.name.text(), self.kind.currentData(), self.rate.value(), self.seed.value()
        return *head, self.guidelines.toPlainText(), *(value_row.value() for value_row in self.rows)

    def reject(self) -> None:
        """Leave without saving; if something was changed, only when asked twice."""
        if (contents := self._contents()) == self._left:
            super().reject()
            return
        self._left = contents
        self.problem.setText(tr("The changes are not saved. Cancel again to discard them."))
        self.problem.show()

    def _build(self) -> None:
        head = row(
            column(caption(tr("Name")), self.name, spacing=4),
            column(caption(tr("What is labelled")), self.kind, spacing=4),
            column(caption(tr("Sample")), self.rate, spacing=4),
            column(caption(tr("Seed")), self.seed, spacing=4),
            spacing=12,
        )
        head.setStretch(0, 1)
        for at, word in enumerate((tr("Value"), tr("Key"), tr("Colour"), tr("Next question"), tr("Labels"))):
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
                "The seed fixes the sample and its order: all annotators get the same one, and documents "
                "added later do not change it."
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
        renamable = not value.name or self._before.name not in OWN_WORDS
        count = self._counts.get(value.name, 0)
        value_row = _ValueRow(self._theme, value, self._others, count, renamable=renamable)
        value_row.remove.clicked.connect(lambda: self._ask_remove(value_row))
        self.rows.append(value_row)
        at = self._grid.rowCount()
        for place, part in enumerate(value_row.parts):
            self._grid.addWidget(part, at, place)
        self._order_keys()
        return value_row

    def _order_keys(self) -> None:
        """Set the tab order to the order on screen: the row added last comes before the buttons."""
        parts = [part for value_row in self.rows for part in value_row.parts]
        for before, after in pairwise((self.tabs.tabBar(), *parts, self.more, self.cancel, self.save)):
            self.setTabOrder(before, after)

    def _ask_remove(self, gone: _ValueRow) -> None:
        """Remove a value; if labels have it, show their number, and ask what to do with them."""
        if not gone.count:
            self._remove(gone)
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # The program's style does not draw section titles.
        heading = trn(
            "{count} label has the value {value}",
            "{count} labels have the value {value}",
            gone.count,
            value=gone.before,
        )
        menu.addAction(heading).setEnabled(False)
        menu.addSeparator()
        menu.addAction(tr("Keep them, and retire the value"), lambda: gone.retired.setChecked(True))
        if self._before.name not in OWN_WORDS:
            for other in self.rows:
                if other is not gone and (name := other.name.text().strip()):
                    menu.addAction(tr("Count them as {value}", value=name), partial(self._merge, gone, other))
        menu.popup(gone.remove.mapToGlobal(gone.remove.rect().bottomLeft()))
        self.menu = menu

    def _merge(self, gone: _ValueRow, into: _ValueRow) -> None:
        """Merge the labels of one value into another's, and remove it."""
        self._merged.append((gone, into))
        into.count += gone.count
        into.used.setText(f"{into.count:,}")
        self._remove(gone)

    def _remove(self, gone: _ValueRow) -> None:
        self.rows.remove(gone)
        for part in gone.parts:
            self._grid.removeWidget(part)
            part.hide()
            part.deleteLater()

    def label_set(self) -> LabelSet:
        """The label set in the fields. Raises UserError if it cannot be used."""
        merging = self._merging()
        values = tuple(
            value for value, of in ((of.value(), of) for of in self.rows) if value.name and of not in merging
        )
        label_set = replace(
            self._before,
            name=" ".join(self.name.text().split()),
            kind=TargetKind(self.kind.currentData()),
            values=with_keys(values),
            guidelines=self.guidelines.toPlainText(),
            seed=self.seed.value(),
            rate=self.rate.value() / 100,
        )
        label_set.check([value.name for value in self._before.values])
        if self._new and label_set.name in self._others:
            raise UserError(tr("There is already a label set with this name."))
        return label_set

    def _merging(self) -> dict[_ValueRow, _ValueRow]:
        """The rows of values that were renamed to another's name, each with that other row."""
        into: dict[str, _ValueRow] = {}
        names = {of: name for of in self.rows if (name := of.name.text().strip())}
        kept = {name: of for of, name in names.items() if name == of.before}
        for value_row in sorted(names, key=lambda of: of not in kept.values()):
            into.setdefault(names[value_row].casefold(), value_row)
        pairs = ((of, kept.get(name, into[name.casefold()])) for of, name in names.items())
        return {of: other for of, other in pairs if other is not of and of.before and other.before}

    def renamed(self) -> dict[str, str]:
        """The renamed values, with their new names."""
        merging = self._merging()
        pairs = [(of, merging.get(of, of)) for of in self.rows if of.before]
        gone = [(of, merging.get(into, into)) for of, into in self._merged if of.before]
        names = {of.before: into.name.text().strip() for of, into in (*pairs, *gone)}
        return {before: name for before, name in names.items() if name and name != before}

    def _question(self) -> str:
        """The question to confirm before two values are merged by name; "" if there is none."""
        sentences = [
            trn(
                "There is already a value {name}. Save again to count {count} label of {value} as {name}.",
                "There is already a value {name}. Save again to count {count} labels of {value} as {name}.",
                of.count,
                name=into.name.text().strip(),
                value=of.before,
            )
            for of, into in self._merging().items()
        ]
        return " ".join(sentences)

    def _try(self) -> None:
        try:
            self.label_set()
            question = self._question()
        except UserError as error:
            question = say(error.sentence)
            self._accepted = ""
        else:
            if question in ("", self._accepted):
                self.accept()
                return
            self._accepted = question
        self.problem.setText(question)
        self.problem.show()


_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


@guarded
class MarkdownView(QTextBrowser):
    """Shows Markdown as formatted text."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setFont(fonts.font(14))
        self.setTabChangesFocus(True)

    def show_markdown(self, text: str) -> None:
        """Show ``text``."""
        self.document().setMarkdown(text, _FEATURES)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return an empty picture: otherwise Qt would read the file named in the text."""
        nothing = QPixmap(1, 1)
        nothing.fill(Qt.GlobalColor.transparent)
        return nothing
