"""Palimpsest: the workbench for texts that may have been made from other texts.

Scripts and notebooks use ``workbench.compare``, ``read``, ``open`` and ``detect`` of :mod:`workbench.scripting`.
"""

import os
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# numpy starts a thread for each processor when it is imported. They would be for products of large matrices, which
# nothing here computes; work is divided among processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def __getattr__(name: str) -> Any:
    """A function for scripts, imported on first use: nothing else needs all that it imports."""
    if name not in ("compare", "detect", "open", "read"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("workbench.scripting"), name)
