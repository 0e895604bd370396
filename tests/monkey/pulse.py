"""Whether the window answers."""

from __future__ import annotations

import sys
import threading
import time
import traceback

from PySide6.QtCore import QTimer

from tests.silence import Silence


class Pulse:
    """Notices when the window's thread does not look after its events for ``limit_s`` seconds."""

    def __init__(self, limit_s: float) -> None:
        self.stalls: list[str] = []
        self.longest = 0.0
        self._limit = limit_s
        self._silence = Silence()
        self._reported = False
        self._timer = QTimer()
        self._timer.setInterval(20)
        self._timer.timeout.connect(self.beat)
        self._timer.start()
        threading.Thread(target=self._watch, name="pulse", daemon=True).start()

    def beat(self) -> None:
        """The thread is alive."""
        self.longest = max(self.longest, self._silence.seconds())
        self._silence.beat()
        self._reported = False

    def _watch(self) -> None:
        while True:
            time.sleep(0.1)
            silence = self._silence.seconds()
            if silence > self._limit and not self._reported:
                frame = sys._current_frames().get(self._silence.thread)
                self._reported = True
                self.stalls.append(f"{silence:.1f} s without events:\n{''.join(traceback.format_stack(frame))}")
