"""Loads the next item to judge and queues commands meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject

from workbench.gui.workspace.context import AppContext
from workbench.services.session import Session

T = TypeVar("T")


class LoadGate:
    """Queues commands while a pair is loading, and runs them in order once that pair is shown.

    A verdict also waits until the label log has been read for the item shown, because it keeps the note.
    """

    def __init__(self, context: AppContext, owner: QObject) -> None:
        self._context, self._owner = context, owner
        self._waiting: list[tuple[Callable[[], object], bool]] = []
        self.reading = False
        """A pair is being read."""
        self._recalling = False
        self._going = False

    def do(self, command: Callable[[], object], *, recalled: bool = False) -> None:
        """Run ``command`` now, or once the loading pair is shown and, with ``recalled``, its verdicts are read."""
        self._waiting.append((command, recalled))
        if len(self._waiting) == 1:
            self._go()

    def load(
        self,
        read: Callable[[Session], T],
        show: Callable[[T], object],
        failed: Callable[[], object] = lambda: None,
        *,
        known: T | None = None,
    ) -> None:
        """Read a pair, replacing one being read, and ``show`` it; then run the waiting commands.

        If it is ``known``, it is shown at once. After an error, which is shown to the user, ``failed()`` is called; the
        commands meant for that pair are dropped.
        """
        if not self._going:
            self._waiting.clear()
        self.reading = True

        def arrive(pair: T) -> None:
            show(pair)
            self.reading = False
            self._go()

        def fail(error: Exception) -> None:
            self._context.show_error(error)
            self.give_up()
            failed()

        if known is None:
            self._context.latest(self._owner, "pair", read, arrive, fail)
        else:
            self._context.newest(self._owner, "pair")
            arrive(known)

    def set_recalling(self, recalling: bool) -> None:
        """Set whether the verdicts on the shown match are still being read."""
        self._recalling = recalling
        self._go()

    def give_up(self) -> None:
        """Stop waiting for a pair, and drop the commands meant for it."""
        self._context.newest(self._owner, "pair")
        self._waiting.clear()
        self.reading = False

    def _go(self) -> None:
        if self._going:
            return
        self._going = True
        try:
            while self._waiting and not self.reading:
                command, recalled = self._waiting[0]
                if recalled and self._recalling:
                    break
                self._waiting.pop(0)
                command()
        except Exception:
            # Later commands depended on it.
            self._waiting.clear()
            raise
        finally:
            self._going = False
