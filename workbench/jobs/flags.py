"""A flag that processes share without a lock.

A process killed inside ``multiprocessing.Event`` never releases its lock and blocks all others; one byte of shared
memory cannot.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import threading
from multiprocessing.process import BaseProcess
from typing import Protocol

from workbench.jobs.children import shared_value


class Flag(Protocol):
    """A flag that is set once and visible to all processes."""

    def set(self) -> None:
        """Set the flag."""

    def is_set(self) -> bool:
        """Whether it is set."""


class SharedFlag:
    """A :class:`Flag` in shared memory; pass it to a process when starting it."""

    def __init__(self) -> None:
        self._value = shared_value(ctypes.c_byte)

    def set(self) -> None:
        """Set the flag."""
        self._value.value = 1

    def is_set(self) -> bool:
        """Whether it is set."""
        return bool(self._value.value)


def die_with_parent() -> None:
    """End this process as soon as its parent ends, for whatever reason."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), name="parent-watch", daemon=True).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
