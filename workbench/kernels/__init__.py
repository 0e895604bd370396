"""Compiled numeric kernels: folding, fingerprints, suffix arrays, runs.

Compiled code is kept in ``cache_dir()/numba`` unless NUMBA_CACHE_DIR names another folder, so that it is compiled once
for each machine and also where the installed package is read-only.
"""

from __future__ import annotations

import os

from workbench.base.progress import Watcher
from workbench.base.resources import cache_dir

os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir() / "numba"))


def warm_up(watch: Watcher) -> None:
    """Load every kernel, compiling those that are not cached yet (seconds of work, once a machine).

    Reports the stage ``Preparing kernels``. Raises Cancelled between two kernels.
    """
    from workbench.kernels.warming import STEPS

    for done, step in enumerate(STEPS):
        watch.check()
        watch.advance("Preparing kernels", done, len(STEPS))
        step()
    watch.advance("Preparing kernels", len(STEPS), len(STEPS))
