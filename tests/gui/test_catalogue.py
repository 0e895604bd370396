"""The list of screens: everything that names screens follows it, and one more screen is one more line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from workbench.cli.main import main
from workbench.gui.shell import catalogue
from workbench.gui.shell.keys import KeysDialog
from workbench.gui.shell.palette import Palette
from workbench.gui.shell.window import Window
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.screen import Screen, View


class Planted(View):
    """A screen with one action and one value that it remembers."""

    declaration: ClassVar[Screen] = Screen(
        "planted", "clock", lambda: "Planted", f"{__name__}:Planted", modes=("sideways",)
    )

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.ran = 0
        self.remembered = 0
        self.mode = ""
        layout = QVBoxLayout(self)
        layout.addWidget(QLabel("A planted screen"))
        context.actions.add(Action("planted.count", "Count the plants", self._count, "Ctrl+Alt+P", view=self.view_id))

    def _count(self) -> None:
        self.ran += 1

    def set_mode(self, mode: str) -> None:
        self.mode = mode

    def save_state(self) -> dict[str, Any]:
        return {"remembered": self.remembered}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        self.remembered = state["remembered"]


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SCREENS", (*catalogue.SCREENS, Planted.declaration))


def screen(window: Window) -> Planted:
    view = window.view("planted")
    assert isinstance(view, Planted)
    return view


def menus(window: Window) -> dict[str, list[str]]:
    """Titles of actions by the title of their menu."""
    return {a.text(): [b.text() for b in a.menu().actions()] for a in window.menu.actions()}  # type: ignore[attr-defined]


def test_every_action_of_every_screen_is_in_one_menu(start: Start, project: Path, qtbot: QtBot) -> None:
    window = start(project, "documents").window
    for view_id in catalogue.known_screens():
        window.view(view_id)
    titles = sorted(window.context.actions.qt(action.id).text() for action in window.context.actions)
    qtbot.waitUntil(lambda: sorted(t for menu in menus(window).values() for t in menu) == titles)
    names = [screen.name() for screen in catalogue.SCREENS if screen.view_id != "start"]
    assert list(menus(window)) == ["File", "Edit", *names, "View", "Help"]


def test_a_planted_screen_is_in_the_rail_and_behind_its_key(
    planted: None, start: Start, project: Path, qtbot: QtBot
) -> None:
    window = start(project, "documents").window
    assert window.rail.buttons["planted"].text() == "Planted"
    assert window.context.actions.shortcut("go.planted") == f"Ctrl+{len(catalogue.SCREENS)}"
    qtbot.mouseClick(window.rail.buttons["planted"], Qt.MouseButton.LeftButton)
    assert window.current == "planted"
    assert screen(window).isVisible()
    assert window.top.view.text() == "Planted"


def test_the_actions_of_a_planted_screen_are_in_its_menu_the_palette_and_the_list_of_keys(
    planted: None, start: Start, project: Path, qtbot: QtBot
) -> None:
    window = start(project, "planted").window
    qtbot.waitUntil(lambda: menus(window).get("Planted") == ["Count the plants"])
    window.commands.open_palette()
    palette = window.findChild(Palette)
    assert palette is not None
    qtbot.keyClicks(palette.query, "count the")
    qtbot.keyClick(palette.query, Qt.Key.Key_Return)
    assert screen(window).ran == 1
    window.commands.open_palette()
    palette = window.findChildren(Palette)[-1]
    qtbot.keyClicks(palette.query, "count the")
    first = palette.list.visualRect(palette.list.model().index(0, 0))
    qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=first.center())
    assert screen(window).ran == 2
    window.commands.open_keys()
    dialog = window.findChild(KeysDialog)
    assert dialog is not None
    row = dialog.model.row_of("planted.count")
    assert [dialog.model.index(row, at).data() for at in range(3)] == ["Count the plants", "Planted", "Ctrl+Alt+P"]
    dialog.reject()


def test_a_planted_screen_comes_back_as_it_was_left(planted: None, start: Start, project: Path, qtbot: QtBot) -> None:
    controller = start(project, "planted")
    screen(controller.window).remembered = 7
    controller.window.close()
    again = start(project, None, controller.context.settings)
    settle(qtbot, again)
    assert again.window.current == "planted"
    assert screen(again.window).remembered == 7


def test_the_command_line_knows_a_planted_screen_and_its_ways(
    planted: None, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], qapp: object
) -> None:
    for name in ("planted", "sideways"):
        picture = tmp_path / f"{name}.png"
        assert main(["gui", str(project), "--screenshot", str(picture), "--view", name]) == 0
        assert picture.is_file()
    assert main(["gui", str(project), "--view", "nowhere"]) == 2
    problem = capsys.readouterr().err
    assert "nowhere" in problem
    assert "'planted'" in problem


def test_names_on_the_command_line_are_distinct() -> None:
    names = list(catalogue.view_names())
    assert len(set(names)) == len(names)
    assert {"matches", "compare"} < set(names)
    assert catalogue.view_and_mode("compare") == ("review", "compare")
