"""The list of screens: one line each, in rail order. Rail, menus, keys and ``--view`` all follow it."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.gui.screens.detect.view import DetectView
from workbench.gui.screens.documents.view import DocumentsView
from workbench.gui.screens.evaluate import EvaluateView
from workbench.gui.screens.jobs.view import JobsView
from workbench.gui.screens.label import LabelView
from workbench.gui.screens.relations import RelationsView
from workbench.gui.screens.review import ReviewView
from workbench.gui.screens.start.view import StartView
from workbench.gui.screens.watch import WatchView
from workbench.gui.workspace.screen import View

VIEWS: tuple[type[View], ...] = (
    StartView,
    DocumentsView,
    DetectView,
    ReviewView,
    LabelView,
    EvaluateView,
    RelationsView,
    WatchView,
    JobsView,
)


def known_views() -> dict[str, type[View]]:
    """Every view by its id, in rail order."""
    return {view.view_id: view for view in VIEWS}


def view_names() -> Iterator[str]:
    """The names that ``--view`` takes: view ids, and ways of looking at a view."""
    for view_id, view in known_views().items():
        yield view_id
        yield from view.modes


def view_and_mode(name: str) -> tuple[str, str]:
    """The view id and the way of looking at it ("" for the usual one) that ``name`` stands for."""
    return next(((view_id, name) for view_id, view in known_views().items() if name in view.modes), (name, ""))
