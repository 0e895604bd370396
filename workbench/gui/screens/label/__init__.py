"""Label: one entry at a time in large type, by several people, with their agreement and what settles it."""

from workbench.gui.screens.label.view import LabelView

__all__ = ["LabelView"]
