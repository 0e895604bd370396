"""The Documents screen."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen("documents", "documents", lambda: tr("Documents"), "workbench.gui.screens.documents.view:DocumentsView")
