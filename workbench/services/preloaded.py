"""Modules that the fork server loads before the first fork: jobs, methods and their compiled kernels."""

from __future__ import annotations

import gc
import os
from contextlib import suppress

# libdivsufsort would start OpenMP threads, which it does not need and a forked process waits for forever.
os.environ["OMP_NUM_THREADS"] = "1"

import workbench.services.detecting.runs
import workbench.services.importing.batch
import workbench.services.reports.exporting
import workbench.services.scanning.running  # noqa: F401 - loaded for future processes
from workbench.base.progress import NullProgress
from workbench.jobs.process import second_compiler
from workbench.methods.core.warming import warm_up, warm_up_last_first

# A failure here recurs, with its reason, in the job that needs the module.
with suppress(Exception), second_compiler(warm_up_last_first):
    warm_up(NullProgress())

# Garbage collections in a forked process would copy the memory that it shares with the server.
gc.collect()
gc.freeze()
