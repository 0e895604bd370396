"""Evaluate: how well runs agree with labels, at every threshold."""

from workbench.gui.screens.evaluate.view import EvaluateView

__all__ = ["EvaluateView"]
