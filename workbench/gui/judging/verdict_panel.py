"""Verdict, note and history of the active match."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.base.types import Label
from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import VerdictLook, state_words, verdict_looks
from workbench.gui.kit.parts import caption, label
from workbench.gui.kit.pauses import after_pause
from workbench.gui.problems.guard import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.manager import Theme

_PAUSE_MS = 900
"""Milliseconds without a key press after which a note is saved."""
_EVENTS = 6


@guarded
class VerdictButton(QAbstractButton):
    """One verdict with its key; pressed again, the verdict is withdrawn."""

    def __init__(self, theme: Theme, look: VerdictLook) -> None:
        super().__init__()
        self._theme, self.look = theme, look
        self.setCheckable(True)
        self.setFixedHeight(36)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(look.words)
        self.setAccessibleDescription(tr("Key {key}", key=look.key))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Takes the width it gets."""
        return QSize(220, 36)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame, icon, words, key."""
        tokens, look, on = self._theme.tokens, self.look, self.isChecked()
        enabled = self.isEnabled()
        with painting(self) as painter:
            colour = str(getattr(tokens, look.role))
            edge = tokens.accent if self.hasFocus() else colour if on else tokens.border2
            painter.setPen(QPen(QColor(edge), 1.6 if self.hasFocus() else 1))
            ground = (
                str(getattr(tokens, f"{look.role}_soft"))
                if on
                else tokens.hover
                if self.underMouse()
                else tokens.surface
            )
            painter.setBrush(QColor(ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
            role = look.role if enabled else "border2"
            painter.drawPixmap(11, 9, self._theme.pixmap(look.icon, role, 18, self.devicePixelRatioF()))
            painter.setFont(font(13, MEDIUM))
            painter.setPen(QColor(tokens.text if enabled else tokens.text3))
            painter.drawText(QRectF(38, 0, self.width() - 74, self.height()), Qt.AlignmentFlag.AlignVCenter, look.words)
            key = QRectF(self.width() - 32, 9, 20, 18)
            painter.setPen(QColor(tokens.border2))
            painter.setBrush(QColor(tokens.sunken))
            painter.drawRoundedRect(key, 4, 4)
            painter.setFont(font(11, MEDIUM))
            painter.setPen(QColor(tokens.text2))
            painter.drawText(key, Qt.AlignmentFlag.AlignCenter, look.key)

    def event(self, event: QEvent) -> bool:
        """Draw anew when the pointer comes or goes."""
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)


@guarded
class NoteField(QPlainTextEdit):
    """A note. ``edited`` comes after a pause in typing and when the keyboard leaves, if the text changed.

    ``left``: Escape was pressed.
    """

    edited = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(tr("Note for the report"))
        self.setAccessibleName(tr("Note"))
        self.setFont(font(12))
        self.setFixedHeight(58)
        self.setTabChangesFocus(True)
        self._saved = ""
        self._pause = after_pause(self.flush, _PAUSE_MS, self)
        self.textChanged.connect(self._pause.start)

    def show_note(self, note: str) -> None:
        """Show a stored note; a pending one was saved before."""
        self._saved = note
        if self.toPlainText() != note:
            self.setPlainText(note)
        self._pause.stop()

    def flush(self) -> None:
        """Save what is not saved yet."""
        self._pause.stop()
        text = self.toPlainText().strip()
        if text != self._saved:
            self._saved = text
            self.edited.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves; what was typed stays."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Nothing is lost by leaving."""
        super().focusOutEvent(event)
        self.flush()


class LabelHistory(QWidget):
    """The verdicts and notes on a match or pair, newest first."""

    def __init__(self) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addWidget(caption(tr("History")))
        self._lines = [label("", 11, role="muted", tabular=True, wrap=True) for _ in range(_EVENTS)]
        self._earlier = label("", 11, role="faint")
        for part in (*self._lines, self._earlier):
            layout.addWidget(part)

    def show_events(self, events: Sequence[Label]) -> None:
        """List the label events, newest first; what does not fit is counted."""
        self.setVisible(bool(events))
        if not events:
            return
        shown = list(reversed(events[-_EVENTS:]))
        for line, event in zip(self._lines, shown, strict=False):
            words = state_words(event.value)[0] if event.value else tr("Withdrawn") if event.old else tr("Note")
            who = f" · {event.who}" if event.who else ""
            when = event.when[:16].replace("T", " ")
            line.setText(f"{when}  {words}{who}")
            line.setToolTip(event.note)
        for number, line in enumerate(self._lines):
            line.setVisible(number < len(shown))
        self._earlier.setVisible(len(events) > _EVENTS)
        self._earlier.setText(tr("and {count} earlier", count=len(events) - _EVENTS))


class VerdictPanel(QWidget):
    """``chosen`` carries a verdict's value ("" withdraws); ``noted`` a changed note.

    ``history`` stands below, unless it was given another place.
    """

    chosen = Signal(str)
    noted = Signal(str)

    def __init__(self, theme: Theme, looks: Sequence[VerdictLook] = ()) -> None:
        """``looks`` are the verdicts that can be given, by default those on passages."""
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(7)
        layout.addWidget(caption(tr("Verdict")))
        self.carried = label(tr("Carried over from a passage with other limits"), 11, role="warn", wrap=True)
        self.carried.hide()
        layout.addWidget(self.carried)
        self.buttons: dict[str, VerdictButton] = {}
        for look in looks or verdict_looks():
            button = VerdictButton(theme, look)
            button.clicked.connect(lambda on, value=look.value: self.chosen.emit(value if on else ""))
            self.buttons[look.value] = button
            layout.addWidget(button)
        self.note = NoteField()
        self.note.edited.connect(self.noted)
        layout.addWidget(self.note)
        self.history = LabelHistory()
        layout.addWidget(self.history)
        self.show_events([])

    def show_verdict(self, value: str, note: str, *, carried: bool) -> None:
        """Show the verdict that holds ("" for none) and its note."""
        for name, button in self.buttons.items():
            button.setChecked(name == value)
        self.carried.setVisible(carried)
        self.note.show_note(note)

    def show_events(self, events: Sequence[Label]) -> None:
        """Show the label events in ``history``."""
        self.history.show_events(events)
