"""Small building blocks of every screen: labels, panels, rows, buttons, tags, empty states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from math import ceil, floor
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QKeySequence, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from workbench.base.messages import threshold_words
from workbench.gui.i18n import tr
from workbench.gui.problems import guarded, painting
from workbench.gui.theme import fonts
from workbench.gui.theme.manager import Theme

TextRole = Literal["", "muted", "faint", "danger", "warn", "ok", "link", "tag"]
Margins = tuple[int, int, int, int]
_LONG_WORD = re.compile(r"[!-~]{20,}")
"""The base of labels whose text may be wider than a narrow column."""
_FIELD_HEIGHT = 32
"""Height of a field in a dialog, in pixels."""
_HEIGHT = 32


def label(
    text: str,
    size: int = 13,
    *,
    role: TextRole = "",
    weight: QFont.Weight = fonts.REGULAR,
    tabular: bool = False,
    wrap: bool = False,
    language: str = "",
) -> QLabel:
    """A plain-text label; document text is never interpreted as markup."""
    widget = QLabel(text)
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setFont(fonts.font(size, weight, tabular=tabular, language=language))
    if role:
        widget.setProperty("role", role)
    widget.setWordWrap(wrap)
    return widget


def text_field(name: str, hint: str = "") -> QLineEdit:
    """A field of one line in a dialog, with its ``name`` for screen readers; ``hint`` is the placeholder."""
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    field.setFont(fonts.font(13))
    field.setFixedHeight(_FIELD_HEIGHT)
    return field


def columns_field() -> QLineEdit:
    """A field for the meaning of the columns of tables."""
    from workbench.reading.formats.rows import FIELDS

    field = text_field(tr("Columns"), "Nr=id, Body=text, Date=published")
    fields = ", ".join(FIELDS)
    words = tr("Possible contents of the columns of tables, and of the names in JSON rows: {fields}", fields=fields)
    field.setToolTip(words)
    return field


def choice_box(name: str, choices: Iterable[tuple[str, str]]) -> QComboBox:
    """A box of ``choices`` (value, word) in a dialog, with its ``name`` for screen readers."""
    box = ChoiceBox()
    box.setAccessibleName(name)
    box.setFont(fonts.font(13))
    box.setFixedHeight(_FIELD_HEIGHT)
    for value, word in choices:
        box.addItem(word, value)
    return box


def set_limits(field: QDoubleSpinBox, low: float, high: float) -> None:
    """Let ``field`` take values from ``low`` to ``high``, rounded outwards to its decimals: Qt rounds to the nearest,
    which may leave out an end.
    """
    unit = 10 ** field.decimals()
    field.setRange(floor(low * unit) / unit, ceil(high * unit) / unit)


@guarded
class ChoiceBox(QComboBox):
    """A box of choices. The chosen one is elided if it does not fit, where Qt would cut it off.

    The wheel scrolls what is around the box: in Qt it would choose another run or setting in passing.
    """

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the event to the widget around it."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        style = self.style()
        field = style.subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        words = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, field.width() - 2)
        option.currentText = words
        with painting(self) as painter:
            style.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option, painter, self)
            style.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option, painter, self)


@guarded
class ThresholdField(QDoubleSpinBox):
    """A field for a threshold, which it writes like :func:`threshold_words`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setKeyboardTracking(False)
        self.setFont(fonts.font(13, tabular=True))

    def set_scores(self, low: float, high: float, *, whole: bool) -> None:
        """Limit the field to scores from ``low`` to ``high``, which may be ``whole`` numbers."""
        # Digits that are not shown are left out by textFromValue.
        self.setDecimals(0 if whole else 12)
        set_limits(self, _shown(low), high)

    def show_threshold(self, threshold: float) -> None:
        """Show ``threshold``, which may lie outside the limits, without emitting a change."""
        shown = _shown(threshold)
        with QSignalBlocker(self):
            set_limits(self, min(self.minimum(), shown), max(self.maximum(), threshold))
            self.setValue(shown)

    def textFromValue(self, value: float) -> str:
        text, point = super().textFromValue(value), self.locale().decimalPoint()
        return text.rstrip("0").rstrip(point) if point in text else text


def _shown(threshold: float) -> float:
    """The value of the text that represents ``threshold``."""
    return float(threshold_words(threshold).replace(",", ""))


def set_role(widget: QWidget, name: str, value: str) -> None:
    """Set a property used by the style sheet, and reapply the style sheet if there is one."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def heading(text: str, size: int = 14) -> QLabel:
    """A panel's title."""
    return label(text, size, weight=fonts.SEMIBOLD)


def caption(text: str) -> QLabel:
    """A small title above a group."""
    return label(text, 12, role="muted", weight=fonts.SEMIBOLD)


def tag(text: str) -> QLabel:
    """A small framed word, such as a language."""
    widget = label(text, 11, role="tag", weight=fonts.MEDIUM)
    widget.setFixedHeight(19)
    widget.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return widget


def row(*items: QWidget | QLayout | int | None, margins: Margins = (0, 0, 0, 0), spacing: int = 8) -> QHBoxLayout:
    """A horizontal layout of items; None stretches, a number is a gap in logical pixels."""
    layout = QHBoxLayout()
    _fill(layout, items, margins, spacing)
    return layout


def column(*items: QWidget | QLayout | int | None, margins: Margins = (0, 0, 0, 0), spacing: int = 8) -> QVBoxLayout:
    """A vertical layout of items; None stretches, a number is a gap in logical pixels."""
    layout = QVBoxLayout()
    _fill(layout, items, margins, spacing)
    return layout


def _fill(
    layout: QBoxLayout, items: tuple[QWidget | QLayout | int | None, ...], margins: Margins, spacing: int
) -> None:
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item)
        elif isinstance(item, QLayout):
            layout.addLayout(item)
        else:
            layout.addWidget(item)


def panel(name: str = "panel") -> tuple[QFrame, QVBoxLayout]:
    """A framed surface with rounded corners and its empty vertical layout."""
    frame = QFrame()
    frame.setObjectName(name)
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    return frame, layout


def line(*, vertical: bool = False) -> QFrame:
    """A hairline."""
    frame = QFrame()
    frame.setObjectName("vsep" if vertical else "sep")
    return frame


@guarded
class _Button(QPushButton):
    """A button that Enter presses if focused; Qt leaves this to the desktop, or to a dialog's default button."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press on Enter as well."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain:
            # A key held down presses only once; repeats must not reach the dialog's default button.
            if not event.isAutoRepeat():
                self.click()
        else:
            super().keyPressEvent(event)


def button(
    text: str,
    clicked: Callable[[], object] | None = None,
    *,
    kind: Literal["", "primary", "danger", "link", "chip"] = "",
    tip: str = "",
) -> QPushButton:
    """A push button with an accessible name."""
    widget = _Button(text)
    widget.setFont(fonts.font(12 if kind == "chip" else 13, fonts.MEDIUM, tabular=kind == "chip"))
    if kind:
        widget.setProperty("kind", kind)
    widget.setAccessibleName(text)
    widget.setAutoDefault(False)
    if tip:
        widget.setToolTip(tip)
    if kind == "chip":
        widget.setCheckable(True)
    if clicked is not None:
        widget.clicked.connect(lambda _checked=False: clicked())
    return widget


@guarded
class _OneClick(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return event.type() == QEvent.Type.MouseButtonDblClick


def one_click(part: QAbstractButton) -> None:
    """Treat a double click on ``part`` as one click: the second would undo the first, or judge the next item."""
    part.installEventFilter(_OneClick(part))


@guarded
class _Eliding(QObject):
    """Elides the single line of ``widget`` to its ``room`` (pixels) after every change of its size or font."""

    def __init__(
        self,
        widget: QLabel | QPushButton,
        room: Callable[[], int],
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(widget)
        self._widget, self._room, self._mode = widget, room, mode
        self.whole = self.short = ""
        widget.installEventFilter(self)

    def show(self, text: str, tip: str = "", short: str = "") -> None:
        """Show ``text``, or ``short`` if it does not fit; the tooltip is ``tip``, or the whole text."""
        self.whole, self.short = " ".join(text.split()), short
        self._widget.setToolTip(tip or self.whole)
        self._cut()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Elide again when the room may have changed."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange, QEvent.Type.Show):
            self._cut()
        return super().eventFilter(watched, event)

    def _cut(self) -> None:
        metrics, room = self._widget.fontMetrics(), max(0, self._room())
        text = self.short if self.short and metrics.horizontalAdvance(self.whole) > room else self.whole
        cut = metrics.elidedText(text, self._mode, room)
        if cut != self._widget.text():
            self._widget.setText(cut)


class ElidedLink(_Button):
    """A link of one line, elided if it does not fit; its tooltip and accessible name are the whole text."""

    def __init__(self, clicked: Callable[[], object], mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__()
        self.setFont(fonts.font(13, fonts.MEDIUM))
        self.setProperty("kind", "link")
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setProperty("from", "start")
        self.clicked.connect(lambda _checked=False: clicked())
        self._line = _Eliding(self, self._room, mode)

    def set_text(self, text: str, tip: str = "", short: str = "") -> None:
        """Show ``text``, or ``short`` if it does not fit; ``tip`` contains more."""
        self._line.show(text, tip, short)
        self.setAccessibleName(self._line.whole)

    def text_whole(self) -> str:
        """The full text."""
        return self._line.whole

    def _room(self) -> int:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        return self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()


class IconButton(QToolButton):
    """A flat button with a themed icon; its tooltip is its accessible name."""

    def __init__(self, theme: Theme, icon: str, tip: str, clicked: Callable[[], object] | None = None) -> None:
        super().__init__()
        self._theme, self._icon = theme, icon
        self.setProperty("kind", "flat")
        self.setIconSize(QSize(18, 18))
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        if clicked is not None:
            self.clicked.connect(lambda _checked=False: clicked())
        ThemeWatch(self, theme, self._tint)
        self._tint()

    def set_icon(self, icon: str) -> None:
        """Show another icon."""
        self._icon = icon
        self._tint()

    def _tint(self) -> None:
        self.setIcon(self._theme.icon(self._icon))


@guarded
class IconLabel(QWidget):
    """An icon of the theme, ``size`` logical pixels."""

    def __init__(self, theme: Theme, icon: str, role: str = "text3", size: int = 18) -> None:
        super().__init__()
        self._theme, self._icon, self._role, self._size = theme, icon, role, size
        self.setFixedSize(size, size)
        theme.changed.connect(self.update)

    def show_icon(self, icon: str, role: str) -> None:
        """Show another icon in the colour of token ``role``."""
        self._icon, self._role = icon, role
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self, smooth=False) as painter:
            painter.drawPixmap(0, 0, self._theme.pixmap(self._icon, self._role, self._size, self.devicePixelRatioF()))


def icon_button(theme: Theme, text: str, icon: str, clicked: Callable[[], object], kind: str = "") -> QPushButton:
    """A push button with an icon before its text; follows the theme."""
    # The style leaves no space between icon and text.
    widget = button(f" {text}", clicked)
    widget.setAccessibleName(text)
    if kind:
        widget.setProperty("kind", kind)

    def tint() -> None:
        widget.setIcon(theme.icon(icon, "accent_text" if kind == "primary" else "text2"))

    widget.setIconSize(QSize(16, 16))
    tint()
    ThemeWatch(widget, theme, tint)
    return widget


def store_accepted(dialog: QDialog, store: Callable[[], bool]) -> None:
    """Call ``store`` each time ``dialog`` is accepted; if it returns False, show the dialog again, so that nothing that
    was typed is lost. Otherwise delete the dialog, as when it is rejected.
    """

    def finish(result: int) -> None:
        if result == QDialog.DialogCode.Accepted and not store():
            dialog.open()
        else:
            dialog.deleteLater()

    dialog.finished.connect(finish)


def key_text(portable: str) -> str:
    """A key sequence in this platform's notation."""
    return QKeySequence(portable).toString(QKeySequence.SequenceFormat.NativeText)


@guarded
class Paragraph(QLabel):
    """Wrapped text of a fixed width that always gets the height it needs.

    A layout that centres a wrapped label requests its height for the full width, which the label does not get.
    """

    def __init__(self, text: str, size: int, width: int, role: TextRole = "") -> None:
        super().__init__(text)
        self._width = width
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(fonts.font(size))
        if role:
            self.setProperty("role", role)
        self.setWordWrap(True)
        self.setFixedWidth(width)

    def setFixedWidth(self, width: int) -> None:
        """Set another width; the height follows."""
        self._width = width
        super().setFixedWidth(width)

    def heightForWidth(self, width: int) -> int:
        """The height at the fixed width, whatever ``width`` is offered."""
        return super().heightForWidth(self._width)

    def sizeHint(self) -> QSize:
        """The fixed width, and the height of the text at that width."""
        return QSize(self._width, self.heightForWidth(self._width))

    def minimumSizeHint(self) -> QSize:
        """The same as :meth:`sizeHint`: no line is ever cut off."""
        return self.sizeHint()


class EmptyState(QWidget):
    """The content of an empty screen: an icon, a title, a sentence, and what to do next."""

    def __init__(self, theme: Theme, icon: str, title: str, sentence: str, *actions: QWidget) -> None:
        super().__init__()
        self.title = label(title, 16, weight=fonts.SEMIBOLD)
        self.sentence = Paragraph(sentence, 13, 440, "muted")
        for text in (self.title, self.sentence):
            text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._icon = IconLabel(theme, icon, "border2", 48)
        centred = column(None, spacing=10)
        for widget in (self._icon, self.title, self.sentence):
            centred.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        if actions:
            centred.addSpacing(6)
            centred.addLayout(row(None, *actions, None))
        centred.addStretch(1)
        self.setLayout(centred)


class Elided(QLabel):
    """One line of text, elided if it does not fit; the tooltip shows the whole text."""

    def __init__(self, text: str = "", size: int = 13, **options: object) -> None:
        super().__init__()
        source = label("", size, **options)  # type: ignore[arg-type]
        self.setFont(source.font())
        self.setTextFormat(Qt.TextFormat.PlainText)
        if source.property("role"):
            self.setProperty("role", source.property("role"))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._line = _Eliding(self, self.width)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show ``text``."""
        self._line.show(text)

    def text_whole(self) -> str:
        """The full text."""
        return self._line.whole


@guarded
class WholeText(QLabel):
    """A text on as many lines as it needs, even if its words are longer than a line."""

    def __init__(self, text: str = "", size: int = 13, **options: object) -> None:
        super().__init__()
        self._whole = ""
        self.setFont(label("", size, **options).font())  # type: ignore[arg-type]
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show ``text``."""
        self._whole = " ".join(text.split())
        self.setAccessibleName(self._whole)
        # Qt breaks lines only between words, and at zero-width spaces.
        self.setText(_LONG_WORD.sub(lambda word: "\u200b".join(word[0]), self._whole))

    def text_whole(self) -> str:
        """The full text."""
        return self._whole


class ThemeWatch(QObject):
    """Calls ``changed`` on every theme change while ``widget`` lives: at once if it is visible, otherwise soon.

    In a part of the window that is updated in a time slice of its own, it is called in that time slice.
    """

    def __init__(self, widget: QWidget, theme: Theme, changed: Callable[[], object]) -> None:
        super().__init__(widget)
        self._widget, self._theme, self._changed = widget, theme, changed
        theme.changed.connect(self._tell)

    def _tell(self) -> None:
        if self._widget.isVisible() and not self._theme.in_outdated(self._widget):
            self._changed()
        else:
            self._theme.later(self._widget, self._changed)


def apply_style(part: QWidget, theme: Theme, *, later: bool = False) -> None:
    """Apply the style sheet of ``theme``, and of later themes, to ``part`` and its children.

    ``later``: in a time slice of its own when idle, or when ``part`` is about to be shown.
    """

    def update_style() -> None:
        if part.styleSheet() != theme.sheet:
            part.setStyleSheet(theme.sheet)

    ThemeWatch(part, theme, update_style)
    if later:
        theme.add_part(part)
        theme.later(part, update_style)
    else:
        update_style()


class Copyable(QWidget):
    """The digits ``text``, called ``name``, on one line, selected or copied as a whole."""

    def __init__(self, theme: Theme, name: str, text: str) -> None:
        super().__init__()
        self.field = QLineEdit(text)
        self.field.setReadOnly(True)
        self.field.setFont(fonts.mono(12))
        self.field.setFixedHeight(_HEIGHT)
        self.field.setAccessibleName(name)
        self.field.setCursorPosition(0)
        self.button = icon_button(theme, tr("Copy to clipboard"), "copy", self.copy)
        line = row(self.field, self.button)
        line.setStretch(0, 1)
        self.setLayout(column(caption(name), line, spacing=4))

    def copy(self) -> None:
        """Copy the text to the clipboard, and select it."""
        QGuiApplication.clipboard().setText(self.field.text())
        self.field.selectAll()
