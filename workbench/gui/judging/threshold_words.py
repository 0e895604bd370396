"""How a screen that follows the project's threshold names it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from workbench.gui.i18n import say, tr
from workbench.services.measuring.thresholds import UsedThreshold, described


def show_used(words: QLabel, used: UsedThreshold | None) -> None:
    """Name ``used`` with its precision and recall in ``words``; hide them where there is none."""
    words.setVisible(used is not None)
    if used is None:
        return
    words.setText(
        tr(
            "project: {value} · P {precision} · R {recall}",
            value=f"{used.value:,.4g}",
            precision=f"{used.precision:.2f}",
            recall=f"{used.recall:.2f}",
        )
    )
    sentence = say(described(used))
    words.setToolTip(sentence)
    words.setAccessibleDescription(sentence)
