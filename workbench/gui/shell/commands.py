"""The window's own actions, menus and small dialogs; each screen adds its own actions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QLineEdit, QMenu, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import (
    IconLabel,
    apply_style,
    button,
    caption,
    column,
    heading,
    label,
    row,
)
from workbench.gui.shell.error_dialog import Trouble
from workbench.gui.shell.palette import RECENT, Palette
from workbench.gui.shell.projects import Projects
from workbench.gui.theme import fonts
from workbench.gui.workspace.actions import Action, ActionSet
from workbench.gui.workspace.context import AppContext

FILE, EDIT, VIEW, HELP = "file", "edit", "view", "help"
Destination = tuple[str, str, str, Callable[[], bool]]
"""View id, name, icon, and whether it can be shown."""
_LONGEST = 120
"""Maximum length of a name, in characters."""


def fill_menu(menu: QMenu, actions: ActionSet, screens: Mapping[str, str]) -> None:
    """Rebuild ``menu`` from all actions; ``screens`` are the names of the screens by id; each has a menu."""
    for part in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        part.deleteLater()
    menu.clear()
    listed: defaultdict[str, list[QAction]] = defaultdict(list)
    for action in actions:
        listed[action.menu or action.screen].append(actions.qt(action.id))
    for menu_id, title in {FILE: tr("File"), EDIT: tr("Edit"), **screens, VIEW: tr("View"), HELP: tr("Help")}.items():
        if menu_id in listed:
            menu.addMenu(title).addActions(listed[menu_id])


class Commands:
    """The actions available in every view of ``window``; ``kept`` is called when a changed setting is to be saved."""

    def __init__(
        self,
        context: AppContext,
        projects: Projects,
        trouble: Trouble,
        kept: Callable[[], object],
        window: QWidget,
    ) -> None:
        self._context, self._projects, self._trouble, self._kept = context, projects, trouble, kept
        self._window = window

    def actions(self, destinations: Sequence[Destination]) -> list[Action]:
        """Actions on projects, undo, appearance and help, and an action to go to each destination."""
        context = self._context

        def has_project() -> bool:
            return context.session is not None

        project = tr("Open a project first.")
        actions = [
            Action("file.new", tr("New project…"), self._projects.new, "Ctrl+N", menu=FILE, icon="plus"),
            Action("file.open", tr("Open project…"), self._projects.open, "Ctrl+O", menu=FILE, icon="folder"),
            Action("file.sample", tr("Try the sample"), self._projects.sample, "", menu=FILE, icon="sample"),
            Action(
                "file.close",
                tr("Close project"),
                self._projects.close,
                "Ctrl+W",
                menu=FILE,
                icon="close",
                enabled=has_project,
                needs=project,
            ),
            Action("file.check", tr("Check an evidence pack…"), self._open_check, "", menu=FILE, icon="check"),
            Action("file.quit", tr("Quit"), self._window.close, "Ctrl+Q", menu=FILE),
            Action(
                "edit.undo",
                tr("Undo"),
                self.undo,
                "Ctrl+Z",
                menu=EDIT,
                icon="undo",
                enabled=lambda: bool(context.history.undo_title()),
                needs=tr("Nothing has been changed yet."),
            ),
            Action(
                "edit.redo",
                tr("Redo"),
                self.redo,
                "Ctrl+Shift+Z",
                menu=EDIT,
                icon="redo",
                enabled=lambda: bool(context.history.redo_title()),
                needs=tr("Nothing has been undone."),
            ),
            Action(
                "window.reviewer",
                tr("Your name in verdicts and reports…"),
                self._open_reviewer,
                "",
                menu=EDIT,
                icon="note",
            ),
            Action("window.key", tr("Your key for evidence packs…"), self._open_key, "", menu=EDIT, icon="note"),
            Action("window.palette", tr("Command palette…"), self.open_palette, "Ctrl+K", menu=VIEW, icon="search"),
            Action(
                "window.theme",
                tr("Switch between light and dark"),
                self.toggle_theme,
                "Ctrl+Shift+L",
                menu=VIEW,
                icon="moon",
            ),
            Action(
                "window.theme.system",
                tr("Follow the system's appearance"),
                self._follow_system,
                "",
                menu=VIEW,
                icon="sun",
            ),
            Action("window.full", tr("Full screen"), self._toggle_full_screen, "F11", menu=VIEW, icon="open"),
            Action("window.keys", tr("Keyboard shortcuts…"), self.open_keys, "F1", menu=HELP, icon="keyboard"),
            Action(
                "window.problems", tr("Report a problem…"), self._trouble.show_report, "", menu=HELP, icon="warning"
            ),
            Action("window.about", tr("About Palimpsest"), self._open_about, "", menu=HELP, icon="info"),
        ]
        for number, (view, title, icon, enabled) in enumerate(destinations, start=1):
            actions.append(
                Action(
                    f"go.{view}",
                    tr("Go to {view}", view=title),
                    partial(context.show_view, view),
                    f"Ctrl+{number}",
                    menu=VIEW,
                    icon=icon,
                    enabled=enabled,
                    needs=project,
                )
            )
        return actions

    def _open_reviewer(self) -> None:
        """Ask for the reviewer's name for verdicts, and save it."""
        from workbench.gui.judging.verdicts import become

        settings = self._context.settings
        dialog = ReviewerDialog(settings.reviewer, self._window)

        def keep() -> None:
            become(self._context, dialog.name(), blind=settings.blind)
            self._kept()

        dialog.accepted.connect(keep)
        dialog.open()

    def _open_key(self) -> None:
        """Show the key that signs evidence packs, or offer to make one."""
        from workbench.gui.judging.key_dialog import KeyDialog

        KeyDialog(self._context.theme, self._window).open()

    def _open_check(self) -> None:
        """Ask for an evidence pack, and check it."""
        from workbench.gui.shell.check_pack import CheckPackDialog

        CheckPackDialog(self._context, self._window).open()

    def _open_about(self) -> None:
        AboutDialog(self._context, self._window).open()

    def open_palette(self) -> None:
        """Show the command palette."""
        palette = Palette(self._context, self._recent_actions(), self._window)
        apply_style(palette, self._context.theme)
        palette.open_at(self._window)

    def open_keys(self) -> None:
        """Show all shortcuts, which can be changed there."""

        from workbench.gui.shell.keys import KeysDialog

        KeysDialog(self._context, self._window).open()

    def toggle_theme(self) -> None:
        """Switch between light and dark, and save the choice."""
        self._context.theme.toggle()
        self._remember_theme()

    def _follow_system(self) -> None:
        self._context.theme.set_mode("system")
        self._remember_theme()

    def _remember_theme(self) -> None:
        self._context.settings.theme = self._context.theme.mode

    def _toggle_full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def undo(self) -> None:
        """Undo the last change and report it."""
        self._step(self._context.history.undo, tr("Undone: {title}"))

    def redo(self) -> None:
        """Redo the last undone change and report it."""
        self._step(self._context.history.redo, tr("Redone: {title}"))

    def _step(self, move: Callable[[], str], sentence: str) -> None:
        try:
            title = move()
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        if title:
            self._context.say(sentence.format(title=title))

    def _recent_actions(self) -> list[Action]:
        """An action for each recent project, for the palette; one whose file is missing says so when it is run."""
        return [
            Action(
                f"{RECENT}{name}",
                tr("Open {name}", name=Path(name).stem),
                partial(self._projects.open_path, Path(name)),
                icon="folder",
            )
            for name in self._context.settings.recent
        ]


def name_steps(context: AppContext) -> None:
    """Name in Undo and Redo the step that each would affect."""
    undone, redone = context.history.undo_title(), context.history.redo_title()
    context.actions.retitle("edit.undo", tr("Undo: {title}", title=undone) if undone else tr("Undo"))
    context.actions.retitle("edit.redo", tr("Redo: {title}", title=redone) if redone else tr("Redo"))


class ReviewerDialog(QDialog):
    """A dialog for the reviewer's name; if empty, the login name is used."""

    def __init__(self, name: str, parent: QWidget) -> None:
        from workbench.services.review.verdicts import reviewer

        super().__init__(parent)
        title = tr("Your name in verdicts and reports")
        self.setWindowTitle(title)
        self.finished.connect(self.deleteLater)
        self.setFixedWidth(460)
        self._name = QLineEdit(name)
        self._name.setMaxLength(_LONGEST)
        self._name.setPlaceholderText(reviewer())
        self._name.setAccessibleName(title)
        self._name.setFont(fonts.font(14))
        self._name.selectAll()
        sentence = tr(
            "Verdicts, labels and decisions on blocks carry this name from now on; earlier ones keep theirs. "
            "If left empty, the name you are logged in with is used."
        )
        go = button(tr("Save"), self.accept, kind="primary")
        go.setDefault(True)
        field = column(caption(tr("Name")), self._name, spacing=4)
        bottom = row(None, button(tr("Cancel"), self.reject), go)
        words = label(sentence, 12, role="muted", wrap=True)
        self.setLayout(column(heading(title), field, words, bottom, spacing=12, margins=(18, 16, 18, 14)))

    def name(self) -> str:
        """The name in the field, on one line; empty for the login name."""
        return " ".join(self._name.text().split())


class AboutDialog(QDialog):
    """Name, version, licence."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Palimpsest"))
        self.finished.connect(self.deleteLater)
        self.setFixedWidth(460)
        try:
            number = version("palimpsest")
        except PackageNotFoundError:
            number = ""
        words = column(
            label("Palimpsest", 20, weight=fonts.SEMIBOLD),
            label(tr("Version {version}", version=number), 13, role="muted", tabular=True),
            label(
                tr("Finds, reviews and documents text made from other texts. Everything stays on this computer."),
                13,
                wrap=True,
            ),
            label(
                tr("Apache License 2.0. Fonts under the SIL Open Font License; Qt under the LGPL."),
                12,
                role="faint",
                wrap=True,
            ),
            spacing=8,
        )
        mark = column(IconLabel(context.theme, "logo", "accent", 48), None)
        top = row(mark, words, spacing=18)
        top.setStretch(1, 1)
        close = button(tr("Close"), self.accept, kind="primary")
        close.setDefault(True)
        self.setLayout(column(top, row(None, close), margins=(22, 20, 18, 16), spacing=16))
