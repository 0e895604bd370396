"""A memory limit for processes that read untrusted files."""

from __future__ import annotations

import sys

GIGABYTES = 2
"""Memory one reading process may allocate."""


def limit_memory() -> None:
    """Let this process allocate at most :data:`GIGABYTES`; does nothing on Windows.

    Beyond that Python raises MemoryError, and compiled code ends its process.
    """
    if sys.platform == "win32":
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
