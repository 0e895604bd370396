"""What the suite's server of processes has loaded: what the window's has, and the command line."""

from __future__ import annotations

import workbench.cli.main
import workbench.services.preloaded  # noqa: F401 - loaded for the processes to come
from tests.forked_readers import fork_readers

fork_readers()
