"""Label: one entry at a time in large type, by several people, with their agreement and adjudication."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen(
    "label", "label", lambda: tr("Label"), "workbench.gui.screens.label.view:LabelView", modes=("settle", "agreement")
)
