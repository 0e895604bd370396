"""The window's own actions; each view adds its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from workbench.base.errors import UserError
from workbench.gui.actions import Action, ActionSet
from workbench.gui.i18n import tr

if TYPE_CHECKING:
    from workbench.gui.context import AppContext
    from workbench.gui.window import Window

FILE, EDIT, VIEW, HELP = "file", "edit", "view", "help"


def fill_menu(menu: QMenu, actions: ActionSet) -> None:
    """Put all actions into ``menu``, anew."""
    for part in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        part.deleteLater()
    menu.clear()
    for name, title in _menu_titles().items():
        held = [action for action in actions if action.menu == name]
        if held:
            part = menu.addMenu(title)
            for action in held:
                part.addAction(actions.qt(action.id))


def _menu_titles() -> dict[str, str]:
    """The menus in order."""
    return {
        FILE: tr("File"),
        EDIT: tr("Edit"),
        "documents": tr("Documents"),
        "detect": tr("Detect"),
        "review": tr("Review"),
        VIEW: tr("View"),
        HELP: tr("Help"),
    }


def window_actions(window: Window) -> list[Action]:
    """Actions that are there in every view."""
    context = window.context

    def has_project() -> bool:
        return context.session is not None

    def follow_system() -> None:
        context.theme.set_mode("system")
        window.remember_theme()

    actions = [
        Action("file.new", tr("New project…"), window.projects.new, "Ctrl+N", FILE, icon="plus"),
        Action("file.open", tr("Open project…"), window.projects.open, "Ctrl+O", FILE, icon="folder"),
        Action("file.sample", tr("Try the sample"), window.projects.sample, "", FILE, icon="sample"),
        Action(
            "file.close", tr("Close project"), window.projects.close, "Ctrl+W", FILE, icon="close", enabled=has_project
        ),
        Action("file.quit", tr("Quit"), window.close, "Ctrl+Q", FILE),
        Action(
            "edit.undo",
            tr("Undo"),
            lambda: undo(window),
            "Ctrl+Z",
            EDIT,
            icon="undo",
            enabled=lambda: bool(context.history.undo_title()),
        ),
        Action(
            "edit.redo",
            tr("Redo"),
            lambda: redo(window),
            "Ctrl+Shift+Z",
            EDIT,
            icon="redo",
            enabled=lambda: bool(context.history.redo_title()),
        ),
        Action(
            "window.reviewer", tr("Your name in verdicts and reports…"), window.open_reviewer, "", EDIT, icon="note"
        ),
        Action("window.palette", tr("Command palette…"), window.open_palette, "Ctrl+K", VIEW, icon="search"),
        Action(
            "window.theme", tr("Switch between light and dark"), window.toggle_theme, "Ctrl+Shift+L", VIEW, icon="moon"
        ),
        Action("window.theme.system", tr("Follow the system's appearance"), follow_system, "", VIEW, icon="sun"),
        Action("window.full", tr("Full screen"), window.toggle_full_screen, "F11", VIEW, icon="open"),
        Action("window.keys", tr("Keyboard shortcuts…"), window.open_keys, "F1", HELP, icon="keyboard"),
        Action("window.about", tr("About Palimpsest"), window.open_about, "", HELP, icon="info"),
    ]
    for number, (view, title, icon, enabled) in enumerate(window.destinations(), start=1):
        actions.append(
            Action(
                f"go.{view}",
                tr("Go to {view}", view=title),
                partial(window.show_view, view),
                f"Ctrl+{number}",
                VIEW,
                icon=icon,
                enabled=enabled,
            )
        )
    return actions


def name_steps(context: AppContext) -> None:
    """Let Undo and Redo say what they would take back or do again."""
    undone, redone = context.history.undo_title(), context.history.redo_title()
    context.actions.retitle("edit.undo", tr("Undo: {title}", title=undone) if undone else tr("Undo"))
    context.actions.retitle("edit.redo", tr("Redo: {title}", title=redone) if redone else tr("Redo"))


def undo(window: Window) -> None:
    """Take back the last change and say so."""
    _step(window, window.context.history.undo, tr("Undone: {title}"))


def redo(window: Window) -> None:
    """Do the last undone change again and say so."""
    _step(window, window.context.history.redo, tr("Done again: {title}"))


def _step(window: Window, move: Callable[[], str], sentence: str) -> None:
    try:
        title = move()
    except (UserError, OSError) as error:
        window.context.show_error(error)
        return
    if title:
        window.context.say(sentence.format(title=title))


def recent_actions(window: Window) -> list[Action]:
    """One action a recent project, for the palette."""
    return [
        Action(
            f"recent:{name}",
            tr("Open {name}", name=Path(name).stem),
            partial(window.projects.open_path, Path(name)),
            icon="folder",
        )
        for name in window.context.settings.recent
        if Path(name).exists()
    ]
