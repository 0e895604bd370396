"""A limit on the memory of processes that read what strangers wrote."""

from __future__ import annotations

import sys

from workbench.jobs.worker import current_watch

GIGABYTES = 2
"""Memory that reading may take in one process."""


def limit_memory() -> None:
    """Let this worker process allocate :data:`GIGABYTES` at most; does nothing outside one, and on Windows.

    Beyond that Python raises MemoryError, and compiled code ends its process.
    """
    if current_watch() is None or sys.platform == "win32":
        return
    import resource

    # What is allocated, where the system counts that: threads and libraries reserve far more addresses than they use.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hardest = resource.getrlimit(kind)
    limit = GIGABYTES * 1_000_000_000
    if hardest != resource.RLIM_INFINITY:
        limit = min(limit, hardest)
    resource.setrlimit(kind, (limit, hardest))
