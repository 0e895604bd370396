"""Evaluate: how well runs agree with labels, at every threshold."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.evaluate.view import EvaluateView

    return EvaluateView


SCREEN = Screen(
    "evaluate",
    "evaluate",
    lambda: tr("Evaluate"),
    _view,
    modes=("curves", "runs-compared", "subgroups", "sweep", "sheets"),
)
