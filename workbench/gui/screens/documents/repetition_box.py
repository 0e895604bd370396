"""The choice whether text that a site repeats on its pages counts."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox

from workbench.gui.i18n import tr
from workbench.gui.theme import fonts


def repetition_box(checked: bool = True) -> QCheckBox:
    """A check box, checked where repeated text is to be left out."""
    box = QCheckBox(tr("Ignore text repeated across a site, whatever the rule for blocks"))
    box.setFont(fonts.font(13))
    box.setChecked(checked)
    return box
