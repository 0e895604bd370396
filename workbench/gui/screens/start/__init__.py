"""The Start screen."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen(
    "start", "start", lambda: tr("Start"), "workbench.gui.screens.start.view:StartView", needs_project=False
)
