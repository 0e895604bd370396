"""Emptying layouts whose content is made anew."""

from __future__ import annotations

from PySide6.QtWidgets import QLayout


def clear(layout: QLayout) -> None:
    """Remove and delete every widget of ``layout``."""
    while (item := layout.takeAt(0)) is not None:
        part = item.widget()
        if part is not None:
            part.hide()
            part.deleteLater()
