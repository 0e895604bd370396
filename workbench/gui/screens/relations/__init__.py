"""Relations: clusters, graph, matrix and table of the pairs of a run."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.relations.view import RelationsView

    return RelationsView


SCREEN = Screen("relations", "relations", lambda: tr("Relations"), _view)
