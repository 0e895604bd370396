"""Compiled numeric kernels: folding, fingerprints, suffix arrays, runs.

Compiled code is cached in ``cache_dir()/numba/VERSION`` unless NUMBA_CACHE_DIR names another folder, so that each
machine compiles it once, even if the installed package is read-only. Each version has its own folder.
:func:`workbench.methods.core.warming.warm_up` compiles everything in advance.
"""

from __future__ import annotations

import contextlib
import os

from workbench import __version__
from workbench.base.resources import cache_dir

os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir() / "numba" / __version__))
# The compiler composes, and colours, an error for every rule that does not apply before the one that does.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

if os.path.lexists(".numba_config.yaml"):
    # numba reads settings from this file in the current folder, which may not be trustworthy.
    with contextlib.chdir(os.path.dirname(os.path.abspath(__file__))):
        from numba.core import config

        config._config_fname = os.devnull

# numba reads its settings when it is imported.
from workbench.kernels.compiled import time_compilation

time_compilation()
