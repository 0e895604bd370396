"""The commands of the Evaluate screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.gui.i18n import tr
from workbench.gui.screens.evaluate.pages import MODES
from workbench.gui.workspace.actions import Action

if TYPE_CHECKING:
    from workbench.gui.screens.evaluate.view import EvaluateView

VIEW = "evaluate"

Command = tuple[str, str, Callable[[], object], str, str]
"""Id without the screen's name, title, what it does, key, icon."""


def commands(view: EvaluateView) -> list[Action]:
    """What ``view`` offers: each is enabled while there is what it is about."""
    curves, pages = view.curves, view.pages
    measured: list[Command] = [
        ("threshold", tr("Change the threshold"), curves.bar.field.setFocus, "Alt+6", "filter"),
        ("pr", tr("Go to precision and recall"), curves.pr.setFocus, "Alt+1", ""),
        ("by-threshold", tr("Go to F by threshold"), curves.f.setFocus, "Alt+2", ""),
        ("scores", tr("Go to the scores by label"), curves.histogram.setFocus, "Alt+3", ""),
        ("matrix", tr("Go to the confusion matrix"), curves.matrix.setFocus, "Alt+4", ""),
        ("list", tr("Go to the list of items"), curves.items.table.setFocus, "Alt+5", ""),
        ("label-next", tr("Label what tells most next"), view.label_next, "Ctrl+Shift+N", "label"),
        ("use", tr("Use this threshold in the project"), view.use_here, "Ctrl+U", "check"),
        *(
            (f"show-{mode}", title, lambda mode=mode: view.set_mode(mode), f"Alt+Shift+{number}", "")
            for number, (mode, title) in enumerate(zip(MODES, _page_commands(), strict=True), 1)
        ),
        ("sweep", tr("Start the sweep"), view.start_sweep, "", "play"),
        ("sheet", tr("Draw a sheet"), view.draw_sheet, "", "plus"),
        ("best", tr("Go to the best F"), view.go_to_best, "Ctrl+B", ""),
    ]
    listed: list[Command] = [
        ("review", tr("Open the item in Review"), view.open_in_review, "Ctrl+Return", "review"),
        ("label", tr("Label the items of the list"), view.label_list, "Ctrl+L", "label"),
    ]
    used: list[Command] = [("withdraw", tr("Use no threshold in the project"), view.withdraw, "", "reset")]
    sheet: list[Command] = [
        ("sheet-again", tr("Draw the sheet again"), lambda: pages.sheets.draw_again(), "", "retry"),
        ("sheet-save", tr("Save the sheet…"), lambda: pages.sheets.save_sheet(), "Ctrl+Shift+E", "export"),
        ("sheet-copy", tr("Copy the command of the sheet"), lambda: pages.sheets.copy_command(), "", "copy"),
        ("sheet-remove", tr("Remove the sheet"), lambda: pages.sheets.remove_sheet(), "", "trash"),
    ]
    run: list[Command] = [
        ("import-labels", tr("Import labels…"), view.import_labels, "Ctrl+Alt+L", "import"),
        ("label-here", tr("Label in the Label view"), view.label_here, "", "label"),
    ]
    return [
        *_actions(measured, view.has_curve, tr("Choose a run and labels that fit it.")),
        *_actions(listed, view.has_item, tr("Choose an item of the list first.")),
        *_actions(used, view.has_used, tr("No threshold is in use for what is shown.")),
        *_actions(sheet, view.has_sheet, tr("Choose a sheet first.")),
        *_actions(run, view.has_run, tr("Run a method first.")),
    ]


def _page_commands() -> tuple[str, ...]:
    return (
        tr("Show the curves"),
        tr("Compare runs"),
        tr("Show subgroups"),
        tr("Show a sweep"),
        tr("Show the sheets"),
    )


def _actions(entries: list[Command], enabled: Callable[[], bool], needs: str) -> list[Action]:
    return [
        Action(f"{VIEW}.{key}", title, call, shortcut, VIEW, icon, enabled, needs)
        for key, title, call, shortcut, icon in entries
    ]
