"""Many bands between two documents drawn at once, as one picture: the cost hardly grows with their number.

Every band lies between two curves that run from the left edge to the right one, so a column of pixels holds one span of
each: the spans of all bands are added up column by column.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

Floats = NDArray[np.float64]

_DASHES = {Qt.PenStyle.SolidLine: (1.0, 1.0), Qt.PenStyle.DashLine: (4.0, 6.0), Qt.PenStyle.DotLine: (1.0, 3.0)}
"""Length drawn, and after which it is drawn again, in widths of the line."""


def bend(width: int) -> Floats:
    """How far a curve has got from its left end to its right one at each border of ``width`` columns, float64[width+1].

    The curves are cubic Bézier curves that leave and arrive horizontally, their handles in the middle.
    """
    t = np.linspace(0, 1, 257)
    across = 1.5 * t * (1 - t) + t**3
    step = np.interp(np.arange(width + 1) / width, across, t)
    return 3 * step**2 - 2 * step**3


def curves(left: Floats, right: Floats, width: int) -> Floats:
    """Heights of the curves from ``left`` to ``right`` (float64[n]) at the borders of columns, float64[n, width+1]."""
    return left[:, None] + (right - left)[:, None] * bend(width)


def coverage(top: Floats, bottom: Floats, height: int) -> NDArray[np.float32]:
    """How many spans, from ``top`` to ``bottom`` (float64[n, width]), cover each pixel, float32[width, height].

    A pixel that a span covers in part counts that part.
    """
    width = top.shape[1]
    row = height + 2
    change = np.zeros(width * row)
    columns = np.broadcast_to(np.arange(width) * row, top.shape)
    for sign, edge in ((1, top), (-1, np.maximum(top, bottom))):
        at = np.clip(edge, 0, height)
        pixel = at.astype(np.int64)
        part = at - pixel
        for places, weights in ((pixel, 1 - part), (pixel + 1, part)):
            change += sign * np.bincount((columns + places).ravel(), weights.ravel(), len(change))
    return np.cumsum(change.reshape(width, row), axis=1)[:, :height].astype(np.float32)


def picture(
    corners: Floats,
    pens: list[Qt.PenStyle],
    size: tuple[int, int],
    ratio: float,
    inks: tuple[QColor, QColor],
    thickness: float = 1.0,
) -> QImage:
    """The bands with these ``corners`` (top and bottom at the left, at the right, float64[n, 4]) on nothing.

    ``pens`` are the styles of their outlines; ``inks`` the colours, translucent, of band and outline, alike but for
    their alpha. ``size`` and the ``thickness`` of outlines are in logical pixels, each ``ratio`` pixels of the picture.
    """
    width, height = (max(1, round(side * ratio)) for side in size)
    tops, bottoms = (curves(corners[:, k] * ratio, corners[:, k + 2] * ratio, width) for k in (0, 1))
    middles = [(edge[:, 1:] + edge[:, :-1]) / 2 for edge in (tops, bottoms)]
    starts, ends = [], []
    for edge, middle in zip((tops, bottoms), middles, strict=True):
        length = np.hypot(np.diff(edge, axis=1), 1)
        run = np.cumsum(length, axis=1)
        thick = length * thickness * ratio
        for style in set(pens):
            on, period = (part * ratio for part in _DASHES[style])
            rows = np.array([pen == style for pen in pens])
            if on < period:
                thick[rows] *= run[rows] % period < on
        starts.append(middle - thick / 2)
        ends.append(middle + thick / 2)
    layers = (
        (coverage(middles[0], middles[1], height), inks[0].alphaF()),
        (coverage(np.vstack(starts), np.vstack(ends), height), inks[1].alphaF()),
    )
    # Each layer lets 1 - alpha through.
    clear = np.exp(sum((times * np.float32(np.log1p(-alpha)) for times, alpha in layers), np.float32(0)))
    alpha = (1 - clear.T) * np.float32(255)
    ink = np.array([inks[0].blueF(), inks[0].greenF(), inks[0].redF(), 1.0], np.float32)
    shown = np.rint(alpha[..., None] * ink).astype(np.uint8)
    image = QImage(shown.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()
    image.setDevicePixelRatio(ratio)
    return image
