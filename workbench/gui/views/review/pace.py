"""Keys that come faster than texts are read."""

from __future__ import annotations

from collections.abc import Callable


class Pace:
    """Puts off what is asked while a pair is being read, and does it in order once that pair is shown.

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
        """Do it now, or once the pair is shown that is being read; ``recalled``: and what was said of its match."""
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
        """Whether it is still being read what was said of the match that is shown."""
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
