"""How a random user reaches the window: keys, typed text, clicks, drags, wheel, sizes, files dropped on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QDragEnterEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeySequence,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QFileDialog, QTableView, QWidget
from shiboken6 import isValid

from tests.monkey.sequence import Step
from workbench.gui.kit import file_dialogs
from workbench.gui.shell.window import Window

W = TypeVar("W", bound=QWidget)
KEYS = [
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Tab,
    Qt.Key.Key_Backtab,
    Qt.Key.Key_Space,
    Qt.Key.Key_Return,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Delete,
    Qt.Key.Key_Backspace,
    Qt.Key.Key_Menu,
    Qt.Key.Key_1,
    Qt.Key.Key_2,
    Qt.Key.Key_3,
]
_NONE, _SHIFT, _CTRL, _ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
_MODIFIERS = [_NONE] * 6 + [_SHIFT, _SHIFT, _CTRL, _CTRL | _SHIFT, _ALT]
_LEFT = Qt.MouseButton.LeftButton
RARE = {
    *("file.quit", "file.close", "file.sample", "window.theme", "window.theme.system"),
    *("detect.start", "detect.again", "detect.resume", "documents.judge", "watch.check"),
    *("review.why", "review.curve", "review.report", "review.report-pair", "review.report-run"),
}
"""Actions that end what is being done, or start a process; they are drawn less often than others."""
_RARELY = 0.9
"""Share of draws that leave them out."""


def front(window: Window) -> QWidget:
    """What takes keys and clicks now: a menu, a dialog, or the window."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or window


def focus(window: Window) -> QWidget:
    """The widget that has the keyboard."""
    top = front(window)
    if top is QApplication.activePopupWidget():
        return top
    return top.focusWidget() or top


def send_key(window: Window, key: Qt.Key, modifiers: Qt.KeyboardModifier = _NONE) -> None:
    """Press and release a key."""
    QTest.keyClick(focus(window), key, modifiers)


def shortcut(window: Window, at: Step) -> str:
    """Press the keys of an action that is offered now; its id."""
    actions = window.context.actions
    offered = sorted(a.id for a in actions if actions.shortcut(a.id) and actions.offered(a.id))
    if at.x < _RARELY:
        offered = [name for name in offered if name not in RARE]
    if not offered:
        return ""
    name = offered[at.n % len(offered)]
    keys = QKeySequence(actions.shortcut(name))[0]
    QTest.keyClick(focus(window), keys.key(), keys.keyboardModifiers())
    return name


def action(window: Window, at: Step) -> str:
    """Choose an action from the menus; its id."""
    actions = window.context.actions
    offered = sorted(a.id for a in actions if actions.offered(a.id))
    if at.x < _RARELY:
        offered = [name for name in offered if name not in RARE]
    if not offered or front(window) is not window:
        return ""
    name = offered[at.n % len(offered)]
    actions.qt(name).trigger()
    return name


def key(window: Window, at: Step) -> str:
    """Press a key that moves, chooses or leaves."""
    pressed = KEYS[at.n % len(KEYS)]
    send_key(window, pressed, _MODIFIERS[int(at.x * len(_MODIFIERS))])
    return pressed.name


def type_text(window: Window, at: Step) -> str:
    """Type, as an input method does where there is no key for it."""
    target = focus(window)
    if at.text.isascii() and at.text.isprintable():
        QTest.keyClicks(target, at.text)
    else:
        event = QInputMethodEvent(at.text[:1], [])
        QApplication.sendEvent(target, event)
        done = QInputMethodEvent()
        done.setCommitString(at.text)
        QApplication.sendEvent(target, done)
    return at.text


def click(window: Window, at: Step) -> str:
    """Click anywhere."""
    top = front(window)
    place = QPoint(int(at.x * top.width()), int(at.y * top.height()))
    target = top.childAt(place) or top
    inside = target.mapFrom(top, place)
    modifiers = _MODIFIERS[at.n // 7 % len(_MODIFIERS)]
    match at.n % 7:
        case 0:
            QTest.mouseDClick(target, _LEFT, modifiers, inside)
        case 1:
            QTest.mouseClick(target, Qt.MouseButton.RightButton, _NONE, inside)
        case 2:
            QTest.mouseMove(target, inside)
        case _:
            QTest.mouseClick(target, _LEFT, modifiers, inside)
    return type(target).__name__


def press(window: Window, at: Step) -> str:
    """Press one of the buttons that can be seen."""
    top = front(window)
    buttons = [b for b in _seen(top, QAbstractButton) if b.isEnabled()]
    if not buttons:
        return ""
    target = buttons[at.n % len(buttons)]
    QTest.mouseClick(target, _LEFT, _NONE, target.rect().center())
    return target.accessibleName() or target.text()


def _seen(top: QWidget, kind: type[W]) -> list[W]:
    """Widgets of a kind that can be seen; what Qt deletes meanwhile is none."""
    return [w for w in top.findChildren(kind) if isValid(w) and w.isVisible() and not w.visibleRegion().isEmpty()]


def _filled(view: QAbstractItemView) -> bool:
    """Whether there are rows; a list that a box keeps for itself may be gone when it is asked."""
    try:
        return bool(view.model() and view.model().rowCount(QModelIndex()))
    except RuntimeError:
        return False


def row(window: Window, at: Step) -> str:
    """Click, or open, a row of a list or table."""
    lists = [v for v in _seen(front(window), QAbstractItemView) if _filled(v)]
    if not lists:
        return ""
    view = lists[at.n % len(lists)]
    model = view.model()
    nowhere = QModelIndex()
    column = int(at.y * view.horizontalHeader().count()) if isinstance(view, QTableView) else 0
    index = model.index(int(at.x * model.rowCount(nowhere)), column)
    view.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
    place = view.visualRect(index).center()
    if at.n // 8 % 4 == 0:
        QTest.mouseDClick(view.viewport(), _LEFT, _NONE, place)
    else:
        modifiers = (_NONE, _NONE, _SHIFT, _CTRL)[at.n // 32 % 4]
        QTest.mouseClick(view.viewport(), _LEFT, modifiers, place)
    return f"{view.accessibleName()} {index.row()}"


def drag(window: Window, at: Step) -> str:
    """Press, move and release elsewhere."""
    top = front(window)
    start = QPoint(int(at.x * top.width()), int(at.y * top.height()))
    target = top.childAt(start) or top
    inside = target.mapFrom(top, start)
    away = QPoint(at.n % 400 - 200, at.n // 400 % 400 - 200)
    QTest.mousePress(target, _LEFT, _NONE, inside)
    for part in range(1, 4):
        QTest.mouseMove(target, inside + away * part / 3)
    QTest.mouseRelease(target, _LEFT, _NONE, inside + away)
    return type(target).__name__


def wheel(window: Window, at: Step) -> str:
    """Turn the wheel, with and without Ctrl."""
    top = front(window)
    place = QPoint(int(at.x * top.width()), int(at.y * top.height()))
    target = top.childAt(place) or top
    turn = QPoint(0, (120, -120, 960, -960, 15)[at.n % 5])
    modifiers = _CTRL if at.n // 5 % 6 == 0 else _NONE
    inside = QPointF(target.mapFrom(top, place))
    spot = QPointF(top.mapToGlobal(place))
    event = QWheelEvent(
        inside, spot, QPoint(), turn, Qt.MouseButton.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(target, event)
    return type(target).__name__


def resize(window: Window, at: Step) -> str:
    """Give the window, or the dialog in front, another size."""
    top = front(window)
    top.resize(int(500 + at.x * 900), int(300 + at.y * 600))
    return f"{top.width()}x{top.height()}"


def drop(window: Window, paths: Sequence[Path]) -> str:
    """Drop files on the window."""
    if front(window) is not window:
        return ""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    arguments = (Qt.DropAction.CopyAction, data, _LEFT, _NONE)
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(400, 300), *arguments))
    QApplication.sendEvent(window, QDropEvent(QPointF(400, 300), *arguments))
    return ", ".join(path.name for path in paths)


class Files:
    """Answers the dialogs for files in place of the user: with files of ``folder``, and never outside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.choice = 0

    def ask(self, dialog: QFileDialog) -> tuple[list[Path], str]:
        """What :func:`workbench.gui.kit.file_dialogs._ask` returns."""
        mode, filters = dialog.fileMode(), dialog.nameFilters()
        suggested = [Path(name).name for name in dialog.selectedFiles()]
        dialog.deleteLater()
        choice, chosen = self.choice, filters[self.choice % len(filters)] if filters else ""
        if choice % 10 < 3:
            return [], chosen
        if mode == QFileDialog.FileMode.AnyFile:
            name = next(iter(suggested), "") or f"saved-{choice % 5}"
            return [self._folder / "out" / name], chosen
        if mode == QFileDialog.FileMode.Directory:
            return [self._folder / "inputs"], chosen
        kind = "*.palimpsest" if any("palimpsest" in f for f in filters) else "inputs/*"
        there = sorted(self._folder.glob(kind))
        return [there[choice % len(there)]], chosen

    def take_over(self) -> Callable[[], None]:
        """Answer from now on; what is returned puts everything back."""
        before = file_dialogs._ask
        file_dialogs._ask = self.ask

        def back() -> None:
            file_dialogs._ask = before

        return back
