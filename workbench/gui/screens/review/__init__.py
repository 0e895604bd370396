"""The Review screen: suspects, two aligned documents, evidence and verdict, scores."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen(
    "review",
    "review",
    lambda: tr("Review"),
    "workbench.gui.screens.review.view:ReviewView",
    modes=("matches", "compare"),
)
