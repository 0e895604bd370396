"""Icons: own SVG files drawn in ``currentColor``, tinted from the tokens."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtSvg import QSvgRenderer

from workbench.base.resources import resource
from workbench.gui.problems.guard import painting

_SCALES = (1.0, 2.0)


def names() -> list[str]:
    """Names of all icons."""
    return sorted(path.stem for path in resource("icons").glob("*.svg"))


@lru_cache(maxsize=2048)
def pixmap(name: str, colour: str, size: int = 18, scale: float = 1.0) -> QPixmap:
    """Icon ``name`` in ``colour`` (``#RRGGBB``), ``size`` logical pixels at device pixel ratio ``scale``."""
    drawn = QPixmap(round(size * scale), round(size * scale))
    drawn.fill(Qt.GlobalColor.transparent)
    with painting(drawn) as painter:
        QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode())).render(
            painter, QRectF(0, 0, drawn.width(), drawn.height())
        )
    drawn.setDevicePixelRatio(scale)
    return drawn


def icon(name: str, colour: str, disabled: str = "", on: str = "") -> QIcon:
    """Icon ``name`` tinted ``colour``; ``disabled`` and ``on`` (checked) tint those states."""
    picture = QIcon()
    for scale in _SCALES:
        picture.addPixmap(pixmap(name, colour, 18, scale))
        if disabled:
            picture.addPixmap(pixmap(name, disabled, 18, scale), QIcon.Mode.Disabled)
        if on:
            for mode in (QIcon.Mode.Normal, QIcon.Mode.Active):
                picture.addPixmap(pixmap(name, on, 18, scale), mode, QIcon.State.On)
    return picture


def write_tinted(name: str, colour: str, folder: Path) -> str:
    """Write icon ``name`` tinted ``colour`` into ``folder`` for the style sheet; returns the path with slashes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{colour[1:]}.svg"
    tinted = _source(name).replace("currentColor", colour)
    if not path.exists() or path.read_text(encoding="utf-8") != tinted:
        path.write_text(tinted, encoding="utf-8")
    return path.as_posix()


@lru_cache(maxsize=128)
def _source(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")
