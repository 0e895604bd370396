"""The commands of the Evaluate screen's parts, by name and key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.gui.i18n import tr
from workbench.gui.screens.evaluate.curves_page import CurvesPage
from workbench.gui.screens.evaluate.pages import MODES, Pages
from workbench.gui.workspace.actions import Action

VIEW = "evaluate"

Command = tuple[str, str, Callable[[], object], str, str]
"""Id without the screen's name, title, what it does, key, icon."""


def curve_commands(curves: CurvesPage) -> list[Command]:
    """Those that go to a part of ``curves``."""
    return [
        ("threshold", tr("Change the threshold"), curves.bar.field.setFocus, "Alt+6", "filter"),
        ("pr", tr("Go to precision and recall"), curves.pr.setFocus, "Alt+1", ""),
        ("by-threshold", tr("Go to F by threshold"), curves.f.setFocus, "Alt+2", ""),
        ("scores", tr("Go to the scores by label"), curves.histogram.setFocus, "Alt+3", ""),
        ("matrix", tr("Go to the confusion matrix"), curves.matrix.setFocus, "Alt+4", ""),
        ("list", tr("Go to the list of items"), curves.items.table.setFocus, "Alt+5", ""),
    ]


def page_commands(set_mode: Callable[[str], object]) -> list[Command]:
    """Those that show a page: ``set_mode`` gets its mode."""
    titles = (
        tr("Show the curves"),
        tr("Compare runs"),
        tr("Show subgroups"),
        tr("Show a sweep"),
        tr("Show the sheets"),
    )
    return [
        (f"show-{mode}", title, lambda mode=mode: set_mode(mode), f"Alt+Shift+{number}", "")  # type: ignore[misc]
        for number, (mode, title) in enumerate(zip(MODES, titles, strict=True), 1)
    ]


def sheet_commands(pages: Pages) -> list[Command]:
    """Those on the chosen sheet; the page of sheets is built when one is used."""
    return [
        ("sheet-again", tr("Draw the sheet again"), lambda: pages.sheets.draw_again(), "", "retry"),
        ("sheet-save", tr("Save the sheet…"), lambda: pages.sheets.save_sheet(), "Ctrl+Shift+E", "export"),
        ("sheet-copy", tr("Copy the command of the sheet"), lambda: pages.sheets.copy_command(), "", "copy"),
        ("sheet-remove", tr("Remove the sheet"), lambda: pages.sheets.remove_sheet(), "", "trash"),
    ]


def actions(commands: Sequence[Command], enabled: Callable[[], bool], needs: str) -> list[Action]:
    """``commands`` as actions of the screen, ``enabled`` together; ``needs`` says what is missing until they are."""
    return [
        Action(f"{VIEW}.{key}", title, call, shortcut, view=VIEW, icon=icon, enabled=enabled, needs=needs)
        for key, title, call, shortcut, icon in commands
    ]
