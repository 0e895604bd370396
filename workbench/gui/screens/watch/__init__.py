"""Watch: saved searches, their checks, and their findings over time."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen("watch", "clock", lambda: tr("Watch"), "workbench.gui.screens.watch.view:WatchView")
