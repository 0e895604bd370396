"""The reviewer's own verdict and note, other reviewers' verdicts, how they were settled, and the history."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Protocol

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QGridLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from workbench.base.types import Label
from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import state_words, verdict_looks
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.widgets import button, caption, column, label, one_click, row
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.manager import Theme
from workbench.services.labels.targets import is_adjudicator, person
from workbench.services.labels.verdicts import Verdict
from workbench.services.review.judgement import Judgement, Reviewer

_PAUSE_MS = 900
"""Milliseconds without a key press after which a note is saved."""
_EVENTS = 6


_LOW = 30
"""Maximum height of a small button, in pixels."""
_ICON_ROOM, _KEY_ROOM = 30, 29
"""Width of a small button without its text: the icon and its left margin, the short key and its margins."""


@lru_cache(maxsize=256)
def _width(words: str, face: QFont) -> int:
    """Width of ``words``, logical pixels: buttons are redrawn with every verdict."""
    return QFontMetrics(face).horizontalAdvance(words)


@guarded
class VerdictButton(QAbstractButton):
    """A verdict with its key; a click on the one that was given withdraws it, a double click does not."""

    def __init__(self, theme: Theme, look: Verdict, height: int = 36) -> None:
        super().__init__()
        self._theme, self.look = theme, look
        self.short_key = False
        """Whether only the last key is shown: the panel's title names the modifier."""
        self.wordless = False
        """Whether only icon and key are drawn."""
        self.setCheckable(True)
        self.setFixedHeight(height)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(look.words)
        self.setAccessibleDescription(tr("Key {key}", key=look.key))
        one_click(self)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_ICON_ROOM + _KEY_ROOM if self.wordless else 120, self.height())

    def fits(self, width: int) -> bool:
        """Whether icon, words and the short key fit in ``width`` pixels."""
        return self._metrics().horizontalAdvance(self.look.words) + _ICON_ROOM + _KEY_ROOM <= width

    def shown_key(self) -> str:
        """The key as drawn: whole, or only its last part."""
        return self.look.key.rpartition("+")[2] if self.short_key else self.look.key

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(font(12 if self.height() <= _LOW else 13, MEDIUM))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, look, on = self._theme.tokens, self.look, self.isChecked()
        enabled = self.isEnabled()
        low = self.height() <= _LOW
        left, right = (7, 6) if low else (9, 10)
        usual = 12 if low else 13
        words_wide = {size: _width(look.words, font(size, MEDIUM)) for size in (12, usual)}
        keys = self.shown_key()
        top, wide = (self.height() - 18) // 2, max(_width(keys, font(11, MEDIUM)) + 10, 20)
        key = QRectF(self.width() - right - wide, top, wide, 18)
        room = int(key.left()) - left - 3
        size = usual if words_wide[usual] <= room - 23 else 12
        with painting(self) as painter:
            colour = str(getattr(tokens, look.role))
            edge = tokens.accent if self.hasFocus() else colour if on else tokens.border2
            painter.setPen(QPen(QColor(edge), 1.6 if self.hasFocus() else 1))
            ground = tokens.soft(look.role) if on else tokens.hover if self.underMouse() else tokens.surface
            painter.setBrush(QColor(ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
            role = look.role if enabled else "border2"
            painter.setFont(font(size, MEDIUM))
            painter.setPen(QColor(tokens.text if enabled else tokens.text3))
            # If not both fit, the text is more important than the icon.
            if self.wordless or words_wide[size] <= room - 23:
                painter.drawPixmap(left, top, self._theme.pixmap(look.icon, role, 18, self.devicePixelRatioF()))
                left, room = left + 23, room - 23
            words = "" if self.wordless else look.words
            if words_wide[size] > room and words:
                words = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(left, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
            painter.setPen(QColor(tokens.border2))
            painter.setBrush(QColor(tokens.sunken))
            painter.drawRoundedRect(key, 4, 4)
            painter.setFont(font(11, MEDIUM))
            painter.setPen(QColor(tokens.text2))
            painter.drawText(key, Qt.AlignmentFlag.AlignCenter, keys)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)


class Noted(Protocol):
    """The subject of a note."""

    @property
    def name(self) -> str:
        """The name of the subject in sentences."""


@guarded
class NoteField(QPlainTextEdit):
    """A note on the subject that was shown when its first letter was typed.

    ``edited`` emits subject and note, if changed, after a pause in typing and when the field loses the focus. ``left``
    is emitted on Escape, ``finished`` on Ctrl+Return. ``borrowed`` emits the subject while it is not the current one,
    None afterwards.
    """

    edited = Signal(object, str)
    left = Signal()
    finished = Signal()
    borrowed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(tr("Note for the report"))
        self.setAccessibleName(tr("Note"))
        self.setFont(font(12))
        self.setFixedHeight(58)
        self.setTabChangesFocus(True)
        self._subject: Noted | None = None
        self._saved = ""
        self._typing = False
        """Whether letters were typed since the subject was shown, or another one was requested."""
        self._is_editing_other = False
        self._next: tuple[Noted | None, str] | None = None
        """Subject and note to show once the other subject is done."""
        self._pause = after_pause(self._save, _PAUSE_MS, self)
        self.textChanged.connect(self._typed)

    def _typed(self) -> None:
        self._typing = True
        self._pause.start()

    def show_note(self, subject: Noted | None, note: str) -> None:
        """Show the stored ``note`` on ``subject``; text typed for another one is saved first."""
        if self._is_editing_other and subject != self._subject:
            self._next = subject, note
            return
        if self._is_editing_other:
            self._restore_subject()
        if subject != self._subject:
            self.flush()
        elif self._changed():
            if note and not self._saved:
                # Typing began before the stored note was read.
                QTextCursor(self.document()).insertText(f"{note}\n")
            self._saved = note
            return
        self._subject, self._saved = subject, note
        if self.toPlainText() != note:
            self.setPlainText(note)
            self.moveCursor(QTextCursor.MoveOperation.End)
        self._typing = False
        self._pause.stop()

    def edit_other(self, subject: Noted, note: str) -> None:
        """Show the ``note`` on another ``subject`` for editing until the field loses the focus."""
        self.flush()
        at_hand = self._subject, self._saved
        self.show_note(subject, note)
        self._is_editing_other, self._next = True, at_hand
        self.borrowed.emit(subject)
        self.setFocus()

    def defer_change(self) -> bool:
        """Keep the text being typed with its subject until the field loses the focus, although another subject follows.
        Returns whether it does.
        """
        if self._typing and not self._is_editing_other:
            self._is_editing_other, self._next = True, None
            self.borrowed.emit(self._subject)
        return self._is_editing_other

    @property
    def is_editing_other(self) -> bool:
        """Whether the field shows a subject other than the current one."""
        return self._is_editing_other

    def forget(self) -> None:
        """Clear the current subject; typed text is saved."""
        self._is_editing_other, self._next = False, None
        self._subject, self._saved = None, ""
        self.clear()
        self._typing = False
        self._pause.stop()
        self.borrowed.emit(None)

    def _changed(self) -> bool:
        return self._subject is not None and self.toPlainText().strip() != self._saved.strip()

    def _save(self) -> None:
        self._pause.stop()
        if self._changed():
            self._saved = self.toPlainText().strip()
            self.edited.emit(self._subject, self._saved)

    def flush(self) -> None:
        """Save unsaved text: another subject was requested, and later input belongs to it."""
        self._save()
        self._typing = False
        if self._is_editing_other:
            self._restore_subject()
            if self._next is not None:
                self.show_note(*self._next)

    def _restore_subject(self) -> None:
        self._is_editing_other = False
        self.borrowed.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves the field and keeps the text; Ctrl+Return finishes the note."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif _ends(event):
            self.finished.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Ctrl+Return belongs to the field, even if it is also a key of the screen."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _ends(event):
            event.accept()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Save the text when the field loses the focus."""
        super().focusOutEvent(event)
        if event.reason() in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self._save()
        else:
            self.flush()


def _ends(event: QKeyEvent) -> bool:
    """Whether the event is Ctrl+Return."""
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    return control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def noting_line(note: NoteField) -> QLabel:
    """A line that names the subject of ``note`` while it is not the current one."""
    words = label("", 11, role="warn", wrap=True)
    words.hide()

    def show(subject: Noted | None) -> None:
        words.setText("" if subject is None else tr("Note on {target}", target=subject.name))
        words.setVisible(subject is not None)

    note.borrowed.connect(show)
    return words


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

    def show_events(self, events: Sequence[Label], elsewhere: Sequence[Label]) -> None:
        """List the label events on this text and those on other versions of it, newest first; those that do not fit
        are counted. Notes are in the tooltip.
        """
        lines = [(event, "") for event in events] + [(event, tr("another version")) for event in elsewhere]
        self.setVisible(bool(lines))
        shown = sorted(lines, key=lambda one: one[0].when)[: -_EVENTS - 1 : -1]
        # A single label: each wrapping label would lay out the whole panel again.
        self._lines.setText("\n".join(" · ".join(filter(None, (_event_line(event), of))) for event, of in shown))
        self._lines.setToolTip("\n".join(f"{_when(event)}  {event.note}" for event, _ in shown if event.note))
        earlier = len(lines) - len(shown)
        self._earlier.setVisible(earlier > 0)
        self._earlier.setText(tr("and {count} earlier", count=earlier))


def _event_line(event: Label) -> str:
    """An event of the log: time, effect and person."""
    who = f" · {person(event.who)}" if person(event.who) else ""
    return f"{_when(event)}  {_event_words(event)}{who}"


def _when(event: Label) -> str:
    return event.when[:16].replace("T", " ")


def _event_words(event: Label) -> str:
    """The effect of an event of the log."""
    if not event.value:
        withdrawn = tr("{words} withdrawn", words=state_words(event.old)[0]) if event.old else tr("Note")
        return tr("Reopened") if is_adjudicator(event.who) else withdrawn
    words = state_words(event.value)[0]
    if is_adjudicator(event.who):
        return tr("Settled as {words}", words=words)
    return tr("Note") if event.value == event.old else words


class OtherVerdicts(QWidget):
    """Other reviewers' verdicts: each with name and time, whether they differ, and how this was settled.

    ``settled`` emits the value to settle on ("" reopens).
    """

    settled = Signal(str)

    def __init__(self, looks: Sequence[Verdict]) -> None:
        super().__init__()
        self.conflict = label("", 12, role="warn", wrap=True, weight=MEDIUM)
        self._lines = [label("", 11, role="muted", wrap=True, tabular=True) for _ in range(_EVENTS)]
        self._more = label("", 11, role="faint")
        self.result = label("", 11, wrap=True, weight=MEDIUM)
        self.buttons: dict[str, QPushButton] = {}
        self._choice = QWidget()
        choose = FlowLayout(self._choice, spacing=5)
        for look in looks:
            chip = button(look.short, kind="chip")
            one_click(chip)
            chip.clicked.connect(lambda on, value=look.value: self.settled.emit(value if on else ""))
            chip.setAccessibleName(tr("Settle as {words}", words=look.words))
            self.buttons[look.value] = chip
            choose.addWidget(chip)
        self.setLayout(column(self.conflict, *self._lines, self._more, self.result, self._choice, spacing=3))
        self.hide()

    def show_judgement(self, judgement: Judgement | None, reviewer: Reviewer) -> None:
        """Show the verdicts of others that ``reviewer`` may see."""
        seen = reviewer.sees(judgement)
        self.setVisible((seen is not None and bool(seen.others(reviewer.name) or seen.settled)) or reviewer.blind)
        self._choice.setVisible(seen is not None and (seen.conflict or seen.settled is not None))
        self.result.setVisible(seen is not None and seen.settled is not None)
        for line in (*self._lines, self._more, self.conflict):
            line.hide()
        if seen is None:
            self.conflict.setText(tr("Blind review: others' verdicts are shown once you have judged."))
            self.conflict.setVisible(reviewer.blind)
            return
        if seen.conflict:
            words = tr("The verdicts differ. Which one is right?")
            if seen.own(reviewer.name) is not None:
                words += " " + tr(
                    "If you settle it, the report says that it was settled by one of those who disagreed."
                )
            self.conflict.setText(words)
            self.conflict.show()
        others = seen.others(reviewer.name)
        for line, verdict in zip(self._lines, others, strict=False):
            line.setText(_label_text(verdict, carried=verdict.who in seen.carried))
            line.setToolTip(verdict.note)
            line.show()
        self._more.setVisible(len(others) > len(self._lines))
        self._more.setText(tr("and {count} more", count=len(others) - len(self._lines)))
        if seen.settled is not None:
            words, name = state_words(seen.settled.value)[0], person(seen.settled.who)
            when = seen.settled.when[:16].replace("T", " ")
            party = tr("one of those who disagreed") if seen.settled_by_party else ""
            self.result.setText(" · ".join(p for p in (tr("Settled as {words}", words=words), name, party, when) if p))
        for value, choice in self.buttons.items():
            choice.setChecked(seen.settled is not None and seen.settled.value == value)


def _label_text(label: Label, *, carried: bool) -> str:
    parts = [label.who or tr("no name"), state_words(label.value)[0], label.when[:16].replace("T", " ")]
    parts += [tr("carried over")] * carried + [label.note] * bool(label.note)
    return " · ".join(parts)


_SPACING, _NARROW_SPACING = 5, 3
"""Pixels between compact verdicts, for two per row and for one per row."""


@guarded
class VerdictPanel(QWidget):
    """``chosen`` emits a verdict's value ("" withdraws); ``noted`` the subject of a changed note, and the note;
    ``confirmed``: the note is finished, and the verdict unchanged; ``settled`` emits the verdict to settle on.

    ``reviewer_asked``: another reviewer wants to judge. ``history`` is placed below, unless placed elsewhere.
    ``arranged`` emits the number of verdicts per row; a single one shows its whole key.
    """

    chosen = Signal(str)
    noted = Signal(object, str)
    confirmed = Signal()
    settled = Signal(str)
    reviewer_asked = Signal()
    arranged = Signal(int)

    def __init__(self, theme: Theme, looks: Sequence[Verdict] = (), *, compact: bool = False) -> None:
        """``looks`` are the verdicts that can be given, by default on passages.

        ``compact``: two per row if they fit, else lower ones below each other (see :meth:`set_low`); no history.
        """
        super().__init__()
        looks = looks or verdict_looks()
        self._compact = compact
        self._low = False
        self._columns = 0
        self._last_verdict = ""
        """The last verdict given with a note."""
        self.choosing: QMenu | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5 if compact else 7)
        self.title = caption(tr("Verdict"))
        self.reviewer = button("", self.reviewer_asked.emit, kind="link")
        self.reviewer.setToolTip(tr("Who judges"))
        self.reviewer.hide()
        layout.addLayout(row(self.title, None, self.reviewer))
        self.carried = label(tr("Carried over, boundaries changed"), 11, role="warn", wrap=True)
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
        self.note.finished.connect(self._finish_note)
        self.noting = noting_line(self.note)
        layout.addWidget(self.noting)
        layout.addWidget(self.note)
        self.others = OtherVerdicts(looks)
        self.others.settled.connect(self.settled)
        layout.addWidget(self.others)
        self.history = LabelHistory()
        layout.addWidget(self.history)
        self.show_events([], [])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rearrange()

    def set_low(self, low: bool) -> None:
        """Whether there is little height: verdicts that need a row each are then drawn in one row, without words."""
        self._low = low
        self._rearrange()

    def _rearrange(self) -> None:
        """Two verdicts per row if all fit."""
        if self._compact:
            room = (self.width() - _SPACING) // 2
            fit = all(part.fits(room) for part in self.buttons.values())
            self._arrange(2 if fit else len(self.buttons) if self._low else 1)

    def _arrange(self, columns: int) -> None:
        """Set the number of verdicts per row."""
        if columns == self._columns:
            return
        self._columns = columns
        if self._compact:
            self._grid.setSpacing(_SPACING if columns > 1 else _NARROW_SPACING)
        for at, part in enumerate(self.buttons.values()):
            if self._compact:
                part.setFixedHeight(30 if columns > 1 else 26)
                part.short_key, part.wordless = columns > 1, columns == len(self.buttons)
            self._grid.addWidget(part, at // columns, at % columns)
        if self._compact:
            self.arranged.emit(columns)

    def _finish_note(self) -> None:
        """Save the note, and keep the verdict, or ask for one if there is none."""
        is_editing_other = self.note.is_editing_other
        judged = any(verdict_button.isChecked() for verdict_button in self.buttons.values())
        self.note.flush()
        if is_editing_other or judged:
            self.note.left.emit()
            if not is_editing_other:
                self.confirmed.emit()
            return
        menu = QMenu(self)
        menu.setAccessibleName(tr("Verdict"))
        for number, (value, verdict_button) in enumerate(self.buttons.items(), 1):
            choice = menu.addAction(f"&{number}  {verdict_button.look.words}")
            choice.triggered.connect(partial(self._give_with_note, value))
            if number == 1 or value == self._last_verdict:
                menu.setActiveAction(choice)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.note.mapToGlobal(self.note.rect().bottomLeft()))
        self.choosing = menu

    def _give_with_note(self, value: str, _on: bool = False) -> None:
        self._last_verdict = value
        self.note.left.emit()
        self.chosen.emit(value)

    def show_verdict(self, subject: Noted | None, value: str, note: str, *, carried: bool) -> None:
        """Show the reviewer's own verdict on ``subject`` ("" for none) and note."""
        for name, verdict_button in self.buttons.items():
            verdict_button.setChecked(name == value)
        self.carried.setVisible(carried)
        self.note.show_note(subject, note)

    def show_others(self, judgement: Judgement | None, reviewer: Reviewer) -> None:
        """Show others' verdicts, and the reviewer whose verdict the panel records."""
        self.reviewer.setText(reviewer.name or tr("no name"))
        self.reviewer.show()
        self.others.show_judgement(judgement, reviewer)

    def show_events(self, events: Sequence[Label], elsewhere: Sequence[Label], *, judged: bool = False) -> None:
        """Show the label events on this text and on other versions of it in ``history``; a compact panel shows those
        on this text only if they were withdrawn, so that it is not ``judged`` now.
        """
        self.history.show_events(() if self._compact and judged else events, elsewhere)
