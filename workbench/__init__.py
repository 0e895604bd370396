"""Palimpsest: the workbench for texts that may have been made from other texts."""

import os

__version__ = "0.1.0"

# numpy starts a thread for each processor when it is imported. They would be for products of large matrices, which
# nothing here computes; work is divided among processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
