"""One's own verdict and note, what other reviewers say, how it was settled, and the history."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from workbench.base.types import Label
from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import VerdictLook, state_words, verdict_looks
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.parts import button, caption, column, label, row
from workbench.gui.kit.pauses import after_pause
from workbench.gui.problems.guard import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.manager import Theme
from workbench.services.labels.annotators import is_adjudicator, person
from workbench.services.review.judgement import Judgement, Reviewer

_PAUSE_MS = 900
"""Milliseconds without a key press after which a note is saved."""
_EVENTS = 6


_LOW = 30
"""Pixels of height up to which a button is drawn small."""
_ICON_ROOM, _KEY_ROOM = 30, 29
"""Pixels of a small button beside its words: the icon and what stands left of it, the short key and its margins."""


@lru_cache(maxsize=256)
def _width(words: str, face: QFont) -> int:
    """Width of ``words``, logical pixels: buttons are drawn anew with every verdict."""
    return QFontMetrics(face).horizontalAdvance(words)


@guarded
class VerdictButton(QAbstractButton):
    """One verdict with its key; pressed again, the verdict is withdrawn."""

    def __init__(self, theme: Theme, look: VerdictLook, height: int = 36) -> None:
        super().__init__()
        self._theme, self.look = theme, look
        self.setCheckable(True)
        self.setFixedHeight(height)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(look.words)
        self.setAccessibleDescription(tr("Key {key}", key=look.key))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Takes the width it gets."""
        return QSize(120, self.height())

    def fits(self, width: int) -> bool:
        """Whether icon, words and the short key have room in ``width`` pixels."""
        return self._metrics().horizontalAdvance(self.look.words) + _ICON_ROOM + _KEY_ROOM <= width

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(font(12 if self.height() <= _LOW else 13, MEDIUM))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame, icon, words, key."""
        tokens, look, on = self._theme.tokens, self.look, self.isChecked()
        enabled = self.isEnabled()
        low = self.height() <= _LOW
        left, right = (7, 6) if low else (9, 10)
        usual = 12 if low else 13
        words_wide = {size: _width(look.words, font(size, MEDIUM)) for size in (12, usual)}
        # Where the whole key has no room, the panel's title says what is held down with the last one.
        last = look.key.rpartition("+")[2]
        whole = _width(look.key, font(11, MEDIUM)) + 10
        keys, wide = (look.key, whole) if left + 31 + words_wide[usual] <= self.width() - right - whole else (last, 20)
        top, wide = (self.height() - 18) // 2, max(wide, 20)
        key = QRectF(self.width() - right - wide, top, wide, 18)
        room = int(key.left()) - left - 3
        size = usual if words_wide[usual] <= room - 23 else 12
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
            painter.setFont(font(size, MEDIUM))
            painter.setPen(QColor(tokens.text if enabled else tokens.text3))
            # Where both do not fit, the words are more than the icon.
            if words_wide[size] <= room - 23:
                painter.drawPixmap(left, top, self._theme.pixmap(look.icon, role, 18, self.devicePixelRatioF()))
                left, room = left + 23, room - 23
            words = look.words
            if words_wide[size] > room:
                words = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(left, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
            painter.setPen(QColor(tokens.border2))
            painter.setBrush(QColor(tokens.sunken))
            painter.drawRoundedRect(key, 4, 4)
            painter.setFont(font(11, MEDIUM))
            painter.setPen(QColor(tokens.text2))
            painter.drawText(key, Qt.AlignmentFlag.AlignCenter, keys)

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
        self._lines = label("", 11, role="muted", tabular=True, wrap=True)
        self._earlier = label("", 11, role="faint")
        layout.addWidget(self._lines)
        layout.addWidget(self._earlier)

    def show_events(self, events: Sequence[Label]) -> None:
        """List the label events, newest first; what does not fit is counted. Notes are in the tooltip."""
        self.setVisible(bool(events))
        shown = events[: -_EVENTS - 1 : -1]
        # One label: each that wraps has the whole panel laid out again.
        self._lines.setText("\n".join(map(_event_line, shown)))
        self._lines.setToolTip("\n".join(f"{_when(event)}  {event.note}" for event in shown if event.note))
        earlier = len(events) - len(shown)
        self._earlier.setVisible(earlier > 0)
        self._earlier.setText(tr("and {count} earlier", count=earlier))


def _event_line(event: Label) -> str:
    """When an event of the log was, what it did, and who gave it."""
    who = f" · {person(event.who)}" if person(event.who) else ""
    return f"{_when(event)}  {_event_words(event)}{who}"


def _when(event: Label) -> str:
    return event.when[:16].replace("T", " ")


def _event_words(event: Label) -> str:
    """What an event of the log did."""
    if not event.value:
        withdrawn = tr("{words} withdrawn", words=state_words(event.old)[0]) if event.old else tr("Note")
        return tr("Left open again") if is_adjudicator(event.who) else withdrawn
    words = state_words(event.value)[0]
    if is_adjudicator(event.who):
        return tr("Settled as {words}", words=words)
    return tr("Note") if event.value == event.old else words


class OtherVerdicts(QWidget):
    """What other reviewers say beside one's own verdict: each with name and time, whether they differ, what settled it.

    ``settled`` carries the value that is to hold ("" leaves it open).
    """

    settled = Signal(str)

    def __init__(self, looks: Sequence[VerdictLook]) -> None:
        super().__init__()
        self.conflict = label("", 12, role="warn", wrap=True, weight=MEDIUM)
        self._lines = [label("", 11, role="muted", wrap=True, tabular=True) for _ in range(_EVENTS)]
        self._more = label("", 11, role="faint")
        self.result = label("", 11, wrap=True, weight=MEDIUM)
        self.buttons: dict[str, QPushButton] = {}
        self._choice = QWidget()
        choose = FlowLayout(self._choice, spacing=5)
        for look in looks:
            chip = button(look.short, partial(self.settled.emit, look.value), kind="chip")
            chip.setAccessibleName(tr("Settle as {words}", words=look.words))
            self.buttons[look.value] = chip
            choose.addWidget(chip)
        self.setLayout(column(self.conflict, *self._lines, self._more, self.result, self._choice, spacing=3))
        self.hide()

    def show_judgement(self, judgement: Judgement | None, reviewer: Reviewer) -> None:
        """Show what others than ``reviewer`` say, as far as the reviewer may see it."""
        seen = reviewer.sees(judgement)
        self.setVisible((seen is not None and bool(seen.others(reviewer.name) or seen.settled)) or reviewer.blind)
        self._choice.setVisible(seen is not None and (seen.conflict or seen.settled is not None))
        self.result.setVisible(seen is not None and seen.settled is not None)
        for line in (*self._lines, self._more, self.conflict):
            line.hide()
        if seen is None:
            self.conflict.setText(tr("Blind review: what others say is shown once you have judged."))
            self.conflict.setVisible(reviewer.blind)
            return
        if seen.conflict:
            self.conflict.setText(tr("The verdicts differ. What holds?"))
            self.conflict.show()
        others = seen.others(reviewer.name)
        for line, verdict in zip(self._lines, others, strict=False):
            line.setText(_said_words(verdict, carried=verdict.who in seen.carried))
            line.setToolTip(verdict.note)
            line.show()
        self._more.setVisible(len(others) > len(self._lines))
        self._more.setText(tr("and {count} more", count=len(others) - len(self._lines)))
        if seen.settled is not None:
            words, name = state_words(seen.settled.value)[0], person(seen.settled.who)
            when = seen.settled.when[:16].replace("T", " ")
            self.result.setText(" · ".join(p for p in (tr("Settled as {words}", words=words), name, when) if p))
        for value, choice in self.buttons.items():
            choice.setChecked(seen.settled is not None and seen.settled.value == value)


def _said_words(label: Label, *, carried: bool) -> str:
    parts = [label.who or tr("no name"), state_words(label.value)[0], label.when[:16].replace("T", " ")]
    parts += [tr("carried over")] * carried + [label.note] * bool(label.note)
    return " · ".join(parts)


_SPACING, _NARROW_SPACING = 5, 3
"""Pixels between compact verdicts, two a row and below each other."""


@guarded
class VerdictPanel(QWidget):
    """``chosen`` carries a verdict's value ("" withdraws); ``noted`` a changed note; ``settled`` what is to hold.

    ``reviewer_asked``: somebody else is to judge. ``history`` stands below, unless it was given another place.
    ``arranged`` carries how many verdicts there are a row; one alone shows its whole key.
    """

    chosen = Signal(str)
    noted = Signal(str)
    settled = Signal(str)
    reviewer_asked = Signal()
    arranged = Signal(int)

    def __init__(self, theme: Theme, looks: Sequence[VerdictLook] = (), *, compact: bool = False) -> None:
        """``looks`` are the verdicts that can be given, by default on passages.

        ``compact``: two a row where they have room, lower ones below each other where not; no history.
        """
        super().__init__()
        looks = looks or verdict_looks()
        self._compact = compact
        self._columns = 0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5 if compact else 7)
        self.title = caption(tr("Verdict"))
        self.reviewer = button("", self.reviewer_asked.emit, kind="link")
        self.reviewer.setToolTip(tr("Who judges"))
        self.reviewer.hide()
        layout.addLayout(row(self.title, None, self.reviewer))
        self.carried = label(tr("Carried over, limits changed"), 11, role="warn", wrap=True)
        self.carried.hide()
        layout.addWidget(self.carried)
        self.buttons: dict[str, VerdictButton] = {}
        self._grid = QGridLayout()
        self._grid.setSpacing(7)
        for look in looks:
            verdict_button = VerdictButton(theme, look, 30 if compact else 36)
            verdict_button.clicked.connect(lambda on, value=look.value: self.chosen.emit(value if on else ""))
            verdict_button.setToolTip(look.words if compact else "")
            self.buttons[look.value] = verdict_button
        self._arrange(1)
        layout.addLayout(self._grid)
        self.note = NoteField()
        self.note.setFixedHeight(38 if compact else 58)
        self.note.edited.connect(self.noted)
        layout.addWidget(self.note)
        self.others = OtherVerdicts(looks)
        self.others.settled.connect(self.settled)
        layout.addWidget(self.others)
        self.history = LabelHistory()
        layout.addWidget(self.history)
        self.show_events([])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Two verdicts a row where all of them have room."""
        super().resizeEvent(event)
        if self._compact:
            room = (event.size().width() - _SPACING) // 2
            self._arrange(2 if all(part.fits(room) for part in self.buttons.values()) else 1)

    def _arrange(self, columns: int) -> None:
        """So many verdicts a row."""
        if columns == self._columns:
            return
        self._columns = columns
        if self._compact:
            self._grid.setSpacing(_SPACING if columns > 1 else _NARROW_SPACING)
        for at, part in enumerate(self.buttons.values()):
            if self._compact:
                part.setFixedHeight(30 if columns > 1 else 26)
            self._grid.addWidget(part, at // columns, at % columns)
        if self._compact:
            self.arranged.emit(columns)

    def show_verdict(self, value: str, note: str, *, carried: bool) -> None:
        """Show the reviewer's own verdict ("" for none) and note."""
        for name, verdict_button in self.buttons.items():
            verdict_button.setChecked(name == value)
        self.carried.setVisible(carried)
        self.note.show_note(note)

    def show_others(self, judgement: Judgement | None, reviewer: Reviewer) -> None:
        """Show what others say, and whose verdict is given here."""
        self.reviewer.setText(reviewer.name or tr("no name"))
        self.reviewer.show()
        self.others.show_judgement(judgement, reviewer)

    def show_events(self, events: Sequence[Label]) -> None:
        """Show the label events in ``history``."""
        self.history.show_events(() if self._compact else events)
