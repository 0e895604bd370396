"""Typefaces: the bundled fonts, the window's font, and one per document language."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QFont, QFontDatabase

from workbench.base.resources import resource
from workbench.gui import i18n

UI = ("Palimpsest UI", "Inter", "Noto Sans", "DejaVu Sans")
JAPANESE = ("Noto Sans CJK JP", "Hiragino Sans", "Yu Gothic UI", "Palimpsest Sans JP")
SIMPLIFIED = ("Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei UI", "Palimpsest Sans SC")
TRADITIONAL = ("Noto Sans CJK TC", "PingFang TC", "Microsoft JhengHei UI", "Palimpsest Sans SC")
KOREAN = ("Noto Sans CJK KR", "Malgun Gothic")
MONO = ("Noto Sans Mono", "DejaVu Sans Mono", "Menlo", "Consolas")

REGULAR, MEDIUM, SEMIBOLD = QFont.Weight.Normal, QFont.Weight.Medium, QFont.Weight.DemiBold


def load_bundled() -> list[str]:
    """Register every font file of ``resources/fonts``; returns the families. Needs a QGuiApplication."""
    families: list[str] = []
    folder = resource("fonts")
    for path in sorted(folder.glob("*.[ot]tf")) if folder.is_dir() else ():
        number = QFontDatabase.addApplicationFont(str(path))
        families += QFontDatabase.applicationFontFamilies(number) if number >= 0 else []
    return families


def families_for(language: str) -> tuple[str, ...]:
    """Families for text in ``language`` (BCP 47), best first, for example a Japanese typeface for Japanese."""
    tag = language.replace("_", "-").lower()
    primary = tag.split("-")[0]
    if primary == "zh":
        traditional = any(part in tag for part in ("hant", "-tw", "-hk", "-mo"))
        return (*TRADITIONAL, *SIMPLIFIED) if traditional else (*SIMPLIFIED, *TRADITIONAL)
    if primary == "ko":
        return (*KOREAN, *JAPANESE)
    if primary == "ja":
        return (*JAPANESE, *SIMPLIFIED)
    return (*UI, *JAPANESE, *SIMPLIFIED)


def font(
    size: int = 13,
    weight: QFont.Weight = REGULAR,
    *,
    language: str = "",
    tabular: bool = False,
) -> QFont:
    """The window's font, ``size`` logical pixels; with ``tabular``, figures have equal widths, for columns.

    CJK characters use the typeface of ``language`` (the interface's by default); Latin characters use the window's.
    """
    return QFont(_font(size, weight, language or i18n.current(), tabular))


@lru_cache(maxsize=256)
def _font(size: int, weight: QFont.Weight, language: str, tabular: bool) -> QFont:
    face = QFont()
    face.setFamilies(list(dict.fromkeys((*UI, *families_for(language)))))
    _finish(face, size, weight)
    if tabular:
        face.setFeature(QFont.Tag("tnum"), 1)
    return face


def text_font(language: str, size: int = 15) -> QFont:
    """The font of document text in ``language``, ``size`` logical pixels."""
    face = QFont()
    face.setFamilies(list(families_for(language)))
    _finish(face, size, REGULAR)
    return face


def mono(size: int = 12) -> QFont:
    """A fixed-pitch font for reports and keys."""
    face = QFont()
    face.setFamilies([*MONO, *JAPANESE])
    face.setStyleHint(QFont.StyleHint.Monospace)
    _finish(face, size, REGULAR)
    return face


def _finish(face: QFont, size: int, weight: QFont.Weight) -> None:
    face.setPixelSize(size)
    face.setWeight(weight)
    face.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
