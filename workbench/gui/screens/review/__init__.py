"""The Review screen: suspects, two aligned documents, evidence and verdict, scores."""

from workbench.gui.screens.review.view import ReviewView

__all__ = ["ReviewView"]
