"""Every screen as a picture, light and dark, in three languages: nothing cut, nothing without a glyph, none alike."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage, QTextLayout
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from workbench.base.settings import Settings
from workbench.gui.i18n import LANGUAGES
from workbench.gui.kit.widgets import Elided
from workbench.gui.shell.catalogue import SCREENS as CATALOGUE
from workbench.gui.shell.window import Window

VIEWS = tuple(view.view_id for view in CATALOGUE)
SIZE = (1280, 800)
SLACK = 2
"""Pixels that a text may lack: a glyph's own margin."""


def pixels(window: Window) -> np.ndarray:
    """The window as (height, width) grey values, a quarter of its size: fine differences of fonts do not count."""
    image = window.grab().toImage().scaled(SIZE[0] // 4, SIZE[1] // 4).convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width()].astype(np.int16)


def cut(window: QWidget) -> list[str]:
    """Texts of visible labels and buttons that do not fit; elided ones are cut on purpose."""
    texts = []
    for part in window.findChildren(QLabel):
        if not part.isVisible() or not part.text() or isinstance(part, Elided):
            continue
        need = part.heightForWidth(part.width()) if part.wordWrap() else part.sizeHint().height()
        wide = 0 if part.wordWrap() else part.sizeHint().width()
        if part.height() < need - SLACK or part.width() < wide - SLACK:
            texts.append(part.text())
    for button in window.findChildren(QAbstractButton):
        need = button.fontMetrics().horizontalAdvance(button.text())
        if button.isVisible() and button.width() < need - SLACK:
            texts += [button.text()]
    return texts


def stays_cut(qtbot: QtBot, window: QWidget) -> list[str]:
    """Texts that do not fit once the layout has followed answers that came late."""
    with suppress(qtbot.TimeoutError):
        qtbot.waitUntil(lambda: not cut(window), timeout=2000)
    return cut(window)


def without_glyph(window: QWidget) -> list[str]:
    """Texts of visible labels and buttons that hold a character no font has."""
    texts = []
    for kind in (QLabel, QAbstractButton):
        parts: list[Any] = window.findChildren(kind)
        for part in parts:
            if part.isVisible() and part.text().strip():
                layout = QTextLayout(part.text().replace("\n", " "), part.font())
                layout.beginLayout()
                layout.createLine()
                layout.endLayout()
                if any(0 in run.glyphIndexes() for run in layout.glyphRuns()):
                    texts.append(part.text())
    return texts


EACH_LANGUAGE = pytest.mark.parametrize(
    "language",
    # Chinese sentences are mostly shorter than Japanese ones: where these have room, those have it, too.
    [pytest.param(name, marks=[pytest.mark.rest] if name == "zh" else []) for name in LANGUAGES],
)


@EACH_LANGUAGE
def test_screens_are_whole_readable_and_distinct(start: Start, project: Path, qtbot: QtBot, language: str) -> None:
    controller = start(project, "documents", Settings(theme="light", language=language))
    window = controller.window
    window.resize(*SIZE)
    pictures: dict[tuple[str, str], np.ndarray] = {}
    for theme in ("light", "dark"):
        controller.theme.set_mode(theme)
        for view in VIEWS:
            window.show_view(view)
            settle(qtbot, controller)
            QApplication.processEvents()
            assert (theme, view, stays_cut(qtbot, window)) == (theme, view, [])
            assert (theme, view, without_glyph(window)) == (theme, view, [])
            pictures[theme, view] = pixels(window)
    for view in VIEWS:
        light, dark = pictures["light", view], pictures["dark", view]
        assert np.median(light) > 180 > 90 > np.median(dark), view
    for (theme, view), picture in pictures.items():
        others = [p for (t, v), p in pictures.items() if t == theme and v != view]
        assert min(float(np.mean(np.abs(picture - other) > 8)) for other in others) > 0.02, (theme, view)


@EACH_LANGUAGE
def test_empty_screens_say_all_they_have_to_say(start: Start, tmp_path: Path, qtbot: QtBot, language: str) -> None:
    controller = start(None, "start", Settings(theme="light", language=language))
    window = controller.window
    window.resize(*SIZE)
    QApplication.processEvents()
    assert stays_cut(qtbot, window) == []
    window.projects.create(tmp_path / "empty.palimpsest")
    settle(qtbot, controller)
    for view in VIEWS[1:]:
        window.show_view(view)
        settle(qtbot, controller)
        QApplication.processEvents()
        assert (view, stays_cut(qtbot, window)) == (view, [])
