"""Queues commands while a pair is loading."""

from __future__ import annotations

from collections.abc import Callable


class Pace:
    """Queues commands while a pair is loading, and runs them in order once that pair is shown.

    A verdict also waits until it was read what was said of the match before: a note, which it keeps.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[Callable[[], object], bool]] = []
        self._number = 0
        self.reading = False
        """A pair is being read."""
        self._recalling = False
        self._going = False

    def do(self, what: Callable[[], object], *, recalled: bool = False) -> None:
        """Run it now, or once the pair that is loading is shown; ``recalled``: and its verdicts are read, too."""
        self._waiting.append((what, recalled))
        if len(self._waiting) == 1:
            self._go()

    def began(self) -> int:
        """A pair is being read, in place of one that was; the number of the reading."""
        if not self._going:
            self._waiting.clear()
        self.reading = True
        self._number += 1
        return self._number

    def holds(self, number: int) -> bool:
        """Whether the pair of this reading is still wanted."""
        return self.reading and number == self._number

    def arrived(self) -> None:
        """The pair is shown: what waits is done, up to what has to be read next."""
        self.reading = False
        self._go()

    def recalls(self, recalling: bool) -> None:
        """Whether the verdicts on the shown match are still being read."""
        self._recalling = recalling
        self._go()

    def failed(self) -> None:
        """The pair will not come; what was meant for it is not done."""
        self._waiting.clear()
        self.reading = False

    def _go(self) -> None:
        if self._going:
            return
        self._going = True
        try:
            while self._waiting and not self.reading:
                what, recalled = self._waiting[0]
                if recalled and self._recalling:
                    break
                self._waiting.pop(0)
                what()
        except Exception:
            # What follows counted on what failed.
            self._waiting.clear()
            raise
        finally:
            self._going = False
