"""The Start screen."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.start.view import StartView

    return StartView


SCREEN = Screen("start", "start", lambda: tr("Start"), _view, needs_project=False)
