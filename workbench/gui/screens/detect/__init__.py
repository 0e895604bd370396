"""The Detect screen."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen("detect", "detect", lambda: tr("Detect"), "workbench.gui.screens.detect.view:DetectView")
