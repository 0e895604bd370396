"""The Detect screen."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.detect.view import DetectView

    return DetectView


SCREEN = Screen("detect", "detect", lambda: tr("Detect"), _view)
