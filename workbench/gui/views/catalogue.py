"""The list of views: one line each, in rail order."""

from __future__ import annotations

from workbench.gui.views.base import View
from workbench.gui.views.detect import DetectView
from workbench.gui.views.documents import DocumentsView
from workbench.gui.views.jobs import JobsView
from workbench.gui.views.planned import EvaluateView, LabelView
from workbench.gui.views.relations import RelationsView
from workbench.gui.views.review import ReviewView
from workbench.gui.views.start import StartView
from workbench.gui.views.watch import WatchView

VIEWS: tuple[type[View], ...] = (
    StartView,
    DocumentsView,
    DetectView,
    ReviewView,
    RelationsView,
    WatchView,
    JobsView,
)
HIDDEN: tuple[type[View], ...] = (LabelView, EvaluateView)
"""Views that are not in the rail."""
