"""The Documents screen."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.documents.view import DocumentsView

    return DocumentsView


SCREEN = Screen("documents", "documents", lambda: tr("Documents"), _view)
