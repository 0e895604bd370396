"""The Review screen: suspects, two aligned documents, evidence and verdict, scores."""

from workbench.gui.views.review.view import ReviewView

__all__ = ["ReviewView"]
