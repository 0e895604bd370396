"""A memory limit for processes that read untrusted files."""

from __future__ import annotations

import sys

from workbench.jobs.worker import current_watch

GIGABYTES = 2
"""Memory one reading process may allocate."""


def limit_memory() -> None:
    """Let this worker process allocate at most :data:`GIGABYTES`; does nothing outside a worker, and on Windows.

    Beyond that Python raises MemoryError, and compiled code ends its process.
    """
    if current_watch() is None or sys.platform == "win32":
        return
    import resource

    # Limit allocated memory if the system counts it: threads and libraries reserve far more address space than they
    # use.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hardest = resource.getrlimit(kind)
    limit = GIGABYTES * 1_000_000_000
    if hardest != resource.RLIM_INFINITY:
        limit = min(limit, hardest)
    resource.setrlimit(kind, (limit, hardest))
