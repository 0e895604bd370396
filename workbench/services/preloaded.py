"""What the server of processes has loaded before it forks the first: jobs, methods and their compiled kernels."""

from __future__ import annotations

import gc
import os
from contextlib import suppress

# libdivsufsort would start threads of OpenMP, for which a forked process waits for ever; they gain it nothing.
os.environ["OMP_NUM_THREADS"] = "1"

import workbench.services.detecting.runs
import workbench.services.importing.batch
import workbench.services.reports.exporting
import workbench.services.scanning.running  # noqa: F401 - loaded for the processes to come
from workbench.base.progress import NullProgress
from workbench.methods.core.warming import warm_up

# What fails here fails again, with its reason, in the job that needs it.
with suppress(Exception):
    warm_up(NullProgress())

# Collections in a forked process would copy the memory that it shares with the server.
gc.collect()
gc.freeze()
