"""For how long a thread has not come round."""

from __future__ import annotations

import threading
import time
from pathlib import Path


class Silence:
    """Seconds since the last beat of the thread that made it.

    Time that the thread waited for a processor does not count (where the system tells it).
    """

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self._waits = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self.beat()

    def beat(self) -> None:
        """The thread has come round."""
        self._beat = (time.perf_counter(), self._waited())

    def seconds(self, *, waiting: bool = False) -> float:
        """Seconds since the last beat; ``waiting``: with those in which the thread waited for a processor."""
        since, waited = self._beat
        return time.perf_counter() - since - (0.0 if waiting else self._waited() - waited)

    def _waited(self) -> float:
        try:
            return int(self._waits.read_text().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0
