"""Watch: saved searches, their checks, and their findings over time."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.watch.view import WatchView

    return WatchView


SCREEN = Screen("watch", "clock", lambda: tr("Watch"), _view)
