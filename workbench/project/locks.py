"""Advisory locks next to the project that show which runs and imports a living process is working on.

The operating system releases a lock when its process ends, so the work of a killed process is seen as interrupted at
once.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from workbench.base.errors import ProjectError
from workbench.base.messages import Message

_PATIENCE = 2.0
"""Seconds to wait for a lock: another process may hold it briefly to test whether it is free."""


class Locks:
    """The locks of one open project. Names are like ``run-3`` and ``import-1``."""

    def __init__(self, project: Path) -> None:
        # Beside the real file, whatever link leads to it, so that everyone who opens it sees the same locks.
        self._project = project.resolve()
        self._locks: dict[str, FileLock] = {}
        self._retired: set[str] = set()
        self._guard = threading.Lock()

    def hold(self, name: str) -> None:
        """Take the lock until it is retired or the project is closed; only inside a write transaction.

        Raises ProjectError if another process has it.
        """
        lock = self._acquire(name)
        while not self._file(name).exists():
            # The previous holder removed the file just after we opened it: nobody else would see our lock.
            lock.release()
            lock = self._acquire(name)
        with self._guard:
            self._locks[name] = lock
            self._retired.discard(name)

    def _acquire(self, name: str) -> FileLock:
        lock = FileLock(self._file(name), thread_local=False)
        try:
            lock.acquire(timeout=_PATIENCE)
        except Timeout:
            raise ProjectError(Message("Another program is working on the same run."), path=self._project) from None
        except OSError as error:
            message = Message("No file can be created next to the project ({reason}).", reason=error)
            raise ProjectError(message, path=self._project) from error
        return lock

    def clear(self, name: str) -> None:
        """Remove the lock file a killed process left; only inside a write transaction, when nobody else takes a
        lock.
        """
        if not self.is_held(name):
            with suppress(OSError):
                self._file(name).unlink()

    def is_held(self, name: str) -> bool:
        """Whether a living process holds the lock."""
        file = self._file(name)
        with self._guard:
            if name in self._locks:
                return True
        if not file.exists():
            return False
        probe = FileLock(file, thread_local=False)
        try:
            probe.acquire(timeout=0)
        except Timeout:
            return True
        except OSError:
            # Nobody can hold a lock in a folder where no file can be opened for writing.
            return False
        probe.release()
        return False

    def retire(self, name: str) -> None:
        """Release the lock after the current transaction, so that nobody sees unfinished work without a lock."""
        with self._guard:
            self._retired.add(name)

    def settle(self) -> None:
        """Release the retired locks; called after a commit."""
        with self._guard:
            retired, self._retired = self._retired, set()
            locks = [(name, self._locks.pop(name, None)) for name in retired]
        for name, lock in locks:
            self._drop(name, lock)

    def close(self) -> None:
        """Release everything; unfinished work now shows as interrupted."""
        with self._guard:
            locks, self._locks = list(self._locks.items()), {}
        for name, lock in locks:
            self._drop(name, lock)

    def _drop(self, name: str, lock: FileLock | None) -> None:
        if lock is not None:
            self._file(name).unlink(missing_ok=True)
            lock.release()

    def _file(self, name: str) -> Path:
        return Path(f"{self._project}.{name}.lock")
