"""Characters that show as a box or a sign: what they are."""

from __future__ import annotations

from unicodedata import name

from PySide6.QtGui import QFont, QFontMetrics

from workbench.gui.widgets.code_points import visible


def unseen(text: str, face: QFont) -> list[str]:
    """Code points and Unicode names of what in ``text`` no face of ``face`` has, or a sign is shown for."""
    metrics = QFontMetrics(face)
    letters = dict.fromkeys(text.replace("\n", ""))
    found = [c for c in letters if visible(c) != c or not metrics.inFontUcs4(ord(c))]
    return [f"U+{ord(c):04X} {name(c, '')}".rstrip() for c in found]
