"""Relations: clusters, graph, matrix and table of the pairs of a run."""

from workbench.gui.screens.relations.view import RelationsView

__all__ = ["RelationsView"]
