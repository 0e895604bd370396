"""The bands between two documents: spans added up by column, and the same picture as Qt's own curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

from workbench.gui.document.ribbons import coverage, picture

WIDTH, HEIGHT = 68, 120
heights = st.floats(-300, 400, allow_nan=False)


@given(st.lists(st.tuples(heights, heights), min_size=1, max_size=6))
def test_coverage_counts_of_each_pixel_the_part_that_each_span_covers(spans: list[tuple[float, float]]) -> None:
    top, bottom = (np.array(side)[:, None] for side in zip(*spans, strict=True))
    by_pixel = [
        sum(max(0.0, min(end, y + 1) - max(start, y)) for start, end in spans if end > start) for y in range(HEIGHT)
    ]
    np.testing.assert_allclose(coverage(top, bottom, HEIGHT)[0], by_pixel, atol=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_a_picture_of_bands_is_what_qt_draws_one_by_one(ratio: float) -> None:
    rng = np.random.default_rng(1)
    tops = rng.uniform(-60, 150, (12, 2))
    corners = np.column_stack((tops[:, 0], tops[:, 0] + 18, tops[:, 1], tops[:, 1] + 18))
    inks = QColor(40, 90, 200, 40), QColor(40, 90, 200, 110)
    drawn = picture(corners, [Qt.PenStyle.SolidLine] * 12, (WIDTH, HEIGHT), ratio, inks)
    expected = QImage(drawn.size(), QImage.Format.Format_ARGB32_Premultiplied)
    expected.fill(Qt.GlobalColor.transparent)
    painter = QPainter(expected)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(ratio, ratio)
    for left0, left1, right0, right1 in corners.tolist():
        path = QPainterPath(QPointF(0, left0))
        path.cubicTo(WIDTH / 2, left0, WIDTH / 2, right0, WIDTH, right0)
        path.lineTo(WIDTH, right1)
        path.cubicTo(WIDTH / 2, right1, WIDTH / 2, left1, 0, left1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(inks[0])
        painter.drawPath(path)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(inks[1], 1))
        painter.drawPath(path)
    painter.end()
    inner = slice(2, -2)  # The sides of Qt's outlines stand at the edges.
    drawn_alpha, expected_alpha = (_alpha(image)[:, inner] for image in (drawn, expected))
    assert abs(drawn_alpha.mean() - expected_alpha.mean()) < 4
    assert np.corrcoef(drawn_alpha.ravel(), expected_alpha.ravel())[0, 1] > 0.95


def test_outlines_of_other_tiers_are_broken() -> None:
    corners = np.array([[20.0, 60.0, 20.0, 60.0]])
    inks = QColor(0, 0, 0, 40), QColor(0, 0, 0, 110)
    styles = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
    lines = [_alpha(picture(corners, [style], (WIDTH, HEIGHT), 1.0, inks))[20] for style in styles]
    inked = [float((line > lines[0].min() - 1).mean()) for line in lines]
    assert inked[0] == 1.0
    assert 0.6 < inked[1] < 0.75
    assert 0.25 < inked[2] < 0.4


def _alpha(image: QImage) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array(
        [[image.pixelColor(x, y).alpha() for x in range(image.width())] for y in range(image.height())], np.float64
    )
