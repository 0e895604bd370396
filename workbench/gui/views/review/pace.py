"""Keys that come faster than texts are read."""

from __future__ import annotations

from collections.abc import Callable


class Pace:
    """Puts off what is asked while a pair is being read, and does it in order once that pair is shown."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], object]] = []
        self._number = 0
        self.reading = False

    def do(self, what: Callable[[], object]) -> None:
        """Do it now, or once the pair is shown that is being read."""
        if self.reading:
            self._waiting.append(what)
        else:
            what()

    def began(self) -> int:
        """A pair is being read, in place of one that was; the number of the reading."""
        if self.reading:
            self._waiting.clear()
        self.reading = True
        self._number += 1
        return self._number

    def holds(self, number: int) -> bool:
        """Whether the pair of this reading is still wanted."""
        return self.reading and number == self._number

    def arrived(self) -> None:
        """The pair is shown: what waits is done, up to the next pair that has to be read."""
        self.reading = False
        while self._waiting and not self.reading:
            self._waiting.pop(0)()

    def failed(self) -> None:
        """The pair will not come; what was meant for it is not done."""
        self._waiting.clear()
        self.reading = False
