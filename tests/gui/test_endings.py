"""What happens to the window when the process is asked to stop."""

from __future__ import annotations

import os
import signal

import pytest
from pytestqt.qtbot import QtBot

from workbench.gui.shell.app import SignalListener


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_window_in_the_event_loop(qtbot: QtBot, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    ended: list[bool] = []
    endings = SignalListener(lambda: ended.append(True))
    try:
        os.kill(os.getpid(), number)
        qtbot.waitUntil(lambda: ended == [True])
    finally:
        endings.close()
    assert signal.getsignal(number) is before
