"""Whether the window answers."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from pathlib import Path

from PySide6.QtCore import QTimer


class Pulse:
    """Notices when the window's thread does not look after its events for ``limit_s`` seconds.

    Time that the thread waited for a processor does not count (where the system tells it).
    """

    def __init__(self, limit_s: float) -> None:
        self.stalls: list[str] = []
        self.longest = 0.0
        self._limit = limit_s
        self._thread = threading.get_ident()
        self._waits = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._beat = (time.monotonic(), self._waited())
        self._told = False
        self._timer = QTimer()
        self._timer.setInterval(20)
        self._timer.timeout.connect(self.beat)
        self._timer.start()
        threading.Thread(target=self._watch, name="pulse", daemon=True).start()

    def beat(self) -> None:
        """The thread is alive."""
        self.longest = max(self.longest, self._silence())
        self._beat, self._told = (time.monotonic(), self._waited()), False

    def _silence(self) -> float:
        since, waited = self._beat
        return time.monotonic() - since - (self._waited() - waited)

    def _waited(self) -> float:
        try:
            return int(self._waits.read_text().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0

    def _watch(self) -> None:
        while True:
            time.sleep(0.1)
            silence = self._silence()
            if silence > self._limit and not self._told:
                frame = sys._current_frames().get(self._thread)
                self._told = True
                self.stalls.append(f"{silence:.1f} s without events:\n{''.join(traceback.format_stack(frame))}")
