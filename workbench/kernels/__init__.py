"""Compiled numeric kernels: folding, fingerprints, suffix arrays, runs.

Compiled code is kept in ``cache_dir()/numba`` unless NUMBA_CACHE_DIR names another folder, so that it is compiled once
for each machine and also where the installed package is read-only.
:func:`workbench.methods.core.warming.warm_up` compiles all of it ahead of its first use.
"""

from __future__ import annotations

import contextlib
import os

from workbench.base.resources import cache_dir

os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir() / "numba"))

if os.path.lexists(".numba_config.yaml"):
    # numba takes settings from this file in the current folder, which may be a stranger's.
    with contextlib.chdir(os.path.dirname(os.path.abspath(__file__))):
        from numba.core import config

        config._config_fname = os.devnull
