"""Evaluate: agreement of runs with labels, at every threshold."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen(
    "evaluate",
    "evaluate",
    lambda: tr("Evaluate"),
    "workbench.gui.screens.evaluate.view:EvaluateView",
    modes=("curves", "runs-compared", "subgroups", "sweep", "sheets"),
)
