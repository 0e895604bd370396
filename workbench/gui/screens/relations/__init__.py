"""Relations: clusters, graph, matrix and table of the pairs of a run."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen("relations", "relations", lambda: tr("Relations"), "workbench.gui.screens.relations.view:RelationsView")
