"""Pictures are taken of the same windows that the tests of the window use."""

from __future__ import annotations

from tests.gui.conftest import bundled_fonts, collected_here, nothing_is_left_running, project, qapp_args, qtbot, start

__all__ = ["bundled_fonts", "collected_here", "nothing_is_left_running", "project", "qapp_args", "qtbot", "start"]
