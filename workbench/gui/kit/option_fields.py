"""Fields of options: the editor of each, by its kind, and the values of all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from workbench.base.errors import ParameterError
from workbench.base.options import FILE, PATHS, SECRET, SETTINGS, SHARE, Kind, Option, Options
from workbench.base.page_sources import PLACES, PageSource, PlaceKind
from workbench.gui.i18n import tr
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.file_dialogs import FileDrop
from workbench.gui.kit.widgets import ChoiceBox, button, caption, column, row
from workbench.gui.problems import guarded
from workbench.gui.theme import fonts

_WORDS = {"page": PlaceKind.URL, "feed": PlaceKind.FEED, "sitemap": PlaceKind.SITEMAP}


def places_text(places: Sequence[PageSource]) -> str:
    """Places in the form in which they are typed."""
    words = {kind: word for word, kind in _WORDS.items()}
    lines = (p.address if p.kind is PlaceKind.URL else f"{words[p.kind]} {p.address}" for p in places)
    return "\n".join(lines)


def typed_places(text: str) -> tuple[PageSource, ...]:
    """Parses the form of :func:`places_text`; a line with only an address is a page.

    Raises ParameterError for a line that is not an http or https address.
    """
    places = []
    for typed in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = typed.partition(" ")
        kind = _WORDS.get(word.lower()) if rest else None
        place = PageSource(kind or PlaceKind.URL, rest.strip() if kind else typed)
        if not place.address.lower().startswith(("http://", "https://")):
            raise ParameterError(tr("{address} is not an http or https address.", address=place.address))
        places.append(place)
    return tuple(dict.fromkeys(places))


class PathList(QWidget):
    """A list of files and folders, without duplicates; ``kinds`` is the filter of the file dialog."""

    changed = Signal()

    def __init__(self, title: str, kinds: str) -> None:
        super().__init__()
        self._kinds = kinds
        self.list = QListWidget()
        self.list.setAccessibleName(title)
        self.list.setFont(fonts.font(13))
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.add_files = button(tr("Add files…"), self._ask_files)
        self.add_folder = button(tr("Add a folder…"), self._ask_folder)
        self.drop = button(tr("Remove from the list"), self._remove)
        self.drop.setEnabled(False)
        whole = column(row(caption(title), None, self.drop, self.add_files, self.add_folder), spacing=4)
        whole.addWidget(self.list, 1)
        self.setLayout(whole)
        self.setFocusProxy(self.list)
        self.list.itemSelectionChanged.connect(lambda: self.drop.setEnabled(bool(self.list.selectedItems())))
        FileDrop(self).dropped.connect(lambda names: self.add(map(Path, names)))

    def paths(self) -> list[Path]:
        """The files and folders."""
        return [Path(self.list.item(at).text()) for at in range(self.list.count())]

    def set_paths(self, paths: Iterable[Path]) -> None:
        """Replace the list by ``paths``."""
        self.list.clear()
        self.add(paths)

    def add(self, paths: Iterable[Path]) -> None:
        """Add ``paths`` to the list."""
        listed = set(self.paths())
        self.list.addItems([str(path) for path in dict.fromkeys(paths) if path not in listed])
        self.changed.emit()

    def _ask_files(self) -> None:
        filters = [self._kinds, tr("All files (*)")]
        self.add(file_dialogs.open_files(self.window(), self.add_files.text(), self._start(), filters))

    def _ask_folder(self) -> None:
        if folder := file_dialogs.open_folder(self.window(), self.add_folder.text(), self._start()):
            self.add([folder])

    def _start(self) -> Path:
        paths = self.paths()
        return paths[-1].parent if paths else Path.home()

    def _remove(self) -> None:
        for item in self.list.selectedItems():
            self.list.takeItem(self.list.row(item))
        self.changed.emit()


_HEIGHT = 32
_MOST = 1_000_000_000
_LETTERS = 36
"""Maximum width that a choice is sure to have, in Latin letters."""
Chosen = TypeVar("Chosen", bound=Options)


class FileLine(QWidget):
    """The path of a file: typed, chosen, or dropped."""

    def __init__(self, option: Option) -> None:
        super().__init__()
        self._title = tr(option.title)
        self.line = QLineEdit()
        self.line.setAccessibleName(self._title)
        self.line.setPlaceholderText(tr(option.help))
        self.line.setFont(fonts.font(13))
        self.choose = button(tr("Choose…"), self._ask)
        self.setLayout(row(self.line, self.choose, spacing=8))
        self.setFocusProxy(self.line)
        FileDrop(self).dropped.connect(lambda names: self.line.setText(names[0]) if names else None)

    def path(self) -> str:
        """The path, "" for none."""
        return self.line.text().strip()

    def _ask(self) -> None:
        start = Path(self.path()).parent if self.path() else Path.home()
        if path := file_dialogs.open_file(self.window(), self._title, start, [tr("All files (*)")]):
            self.line.setText(str(path))


@guarded
class _NumberBox(QDoubleSpinBox):
    """Shows no more decimals than the number has."""

    def textFromValue(self, value: float) -> str:
        """The number without trailing zeros."""
        return self.locale().toString(value, "g", 10)


@dataclass(frozen=True)
class Field:
    """The editor of an option. ``value`` is the unchecked entry; raises ParameterError if it cannot be read."""

    option: Option
    widget: QWidget
    value: Callable[[], Any]
    set_value: Callable[[Any], object]
    changed: SignalInstance

    @property
    def tall(self) -> bool:
        """Whether the editor takes all available height."""
        return isinstance(self.widget, PathList | QPlainTextEdit)

    @property
    def short(self) -> bool:
        """Whether other editors may be placed beside it."""
        return isinstance(self.widget, QAbstractSpinBox | QComboBox)

    def titled(self) -> QWidget:
        """The editor below its title; alone if it shows the title itself."""
        if isinstance(self.widget, QCheckBox | PathList):
            return self.widget
        both, title = QWidget(), caption(tr(self.option.title))
        title.setBuddy(self.widget)
        both.setLayout(column(title, self.widget, spacing=4))
        return both


def field_of(option: Option) -> Field:
    """The editor of ``option``, with its default."""
    choices = option.kind.choices() if isinstance(option.kind, Kind) and option.kind.choices else option.choices
    field = _choice(option, choices) if choices else _EDITORS.get(option.kind, _line)(option)
    field.widget.setAccessibleName(tr(option.title))
    if not isinstance(field.widget, QLineEdit | QPlainTextEdit | PathList):
        field.widget.setToolTip(tr(option.help))
    if not field.tall and not isinstance(field.widget, QCheckBox):
        field.widget.setFixedHeight(_HEIGHT)
    field.widget.setFont(fonts.font(13, tabular=isinstance(field.widget, QAbstractSpinBox)))
    field.set_value(option.default)
    return field


def _switch(option: Option) -> Field:
    box = QCheckBox(tr(option.title))
    return Field(option, box, box.isChecked, box.setChecked, box.toggled)


def _choice(option: Option, choices: Collection[Any]) -> Field:
    box = ChoiceBox()
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    words = choices.values() if isinstance(choices, Mapping) else map(str, choices)
    entries = [("", option.empty)] if option.default is None else []
    entries += [(option.plain(choice), word) for choice, word in zip(choices, words, strict=True)]
    for value, word in entries:
        box.addItem(tr(word), value)
    # Qt counts Latin letters, which are narrower than those of Chinese and Japanese.
    metrics = QFontMetrics(fonts.font(13))
    widest = max(metrics.horizontalAdvance(box.itemText(at)) for at in range(box.count()))
    box.setMinimumContentsLength(min(_LETTERS, ceil(widest / metrics.horizontalAdvance("X"))))

    def choose(value: Any) -> None:
        box.setCurrentIndex(max(0, box.findData("" if value is None else option.plain(value))))

    return Field(option, box, box.currentData, choose, box.currentIndexChanged)


def _whole(option: Option) -> Field:
    box = QSpinBox()
    box.setRange(int(option.low or 0), int(_MOST if option.high is None else option.high))
    _finish(box, option, tr(option.unit))
    return Field(option, box, box.value, box.setValue, box.valueChanged)


def _number(option: Option) -> Field:
    box, share = _NumberBox(), option.kind is SHARE
    scale = 100 if share else 1
    box.setDecimals(3)
    box.setRange((option.low or 0) * scale, _MOST if option.high is None else option.high * scale)
    _finish(box, option, "%" if share else tr(option.unit))
    return Field(
        option, box, lambda: round(box.value() / scale, 6), lambda value: box.setValue(value * scale), box.valueChanged
    )


def _finish(box: QSpinBox | QDoubleSpinBox, option: Option, unit: str) -> None:
    box.setGroupSeparatorShown(True)
    box.setSuffix(f" {unit}" if unit else "")
    if option.empty:
        box.setSpecialValueText(tr(option.empty))


def _line(option: Option) -> Field:
    line = QLineEdit()
    line.setPlaceholderText(tr(option.help))
    if option.kind is SECRET:
        line.setEchoMode(QLineEdit.EchoMode.Password)

    def show(value: Any) -> None:
        line.setText(", ".join(value) if isinstance(value, tuple) else "" if value is None else str(value))

    return Field(option, line, lambda: line.text().strip(), show, line.textChanged)


def _paths(option: Option) -> Field:
    paths = PathList(tr(option.title), tr(option.help))
    return Field(option, paths, paths.paths, paths.set_paths, paths.changed)


def _file(option: Option) -> Field:
    widget = FileLine(option)
    return Field(option, widget, widget.path, lambda path: widget.line.setText(str(path)), widget.line.textChanged)


def _places(option: Option) -> Field:
    box = QPlainTextEdit()
    box.setTabChangesFocus(True)
    box.setPlaceholderText("https://example.org/page\nfeed https://example.org/feed.xml\nsitemap https://…/sitemap.xml")
    return Field(
        option,
        box,
        lambda: typed_places(box.toPlainText()),
        lambda places: box.setPlainText(places_text(places)),
        box.textChanged,
    )


_EDITORS: Mapping[Any, Callable[[Option], Field]] = {
    bool: _switch,
    int: _whole,
    float: _number,
    SHARE: _number,
    PATHS: _paths,
    FILE: _file,
    PLACES: _places,
}


class OptionFields(QObject, Generic[Chosen]):
    """The fields of the ``options`` that have a title; ``changed`` is emitted after every edit.

    ``values`` are typed or stored values; values of options without a field are kept.
    """

    changed = Signal()

    def __init__(self, options: type[Chosen], values: Mapping[str, Any]) -> None:
        super().__init__()
        self._options = options
        self._kept = options.valid(values)
        self.fields = {option.name: field_of(option) for option in options.specs() if option.title}
        for name, field in self.fields.items():
            if name in self._kept:
                field.set_value(self._kept[name])
            field.changed.connect(self.changed)

    def __getitem__(self, name: str) -> Any:
        """The editor of the option called ``name``."""
        return self.fields[name].widget

    def chosen(self) -> Chosen:
        """The entered options. Raises UserError, which names options by their titles."""
        values = self._kept | {name: field.value() for name, field in self.fields.items()}
        for option in self._options.specs():
            # Settings belong to the method they were made for.
            if option.kind is SETTINGS and values.get("method") != self._kept.get("method"):
                values.pop(option.name, None)
        return self._options.parse(values, lambda option: tr(option.title) or option.name)
