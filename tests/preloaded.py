"""What the server of the suite has loaded: what that of the window has, the command line, and what its verbs load."""

from __future__ import annotations

import workbench.cli.main
import workbench.cli.monitor
import workbench.jobs.runner
import workbench.project.integrity
import workbench.services.fetching.running
import workbench.services.listing
import workbench.services.preloaded  # noqa: F401 - loaded for the processes to come
from tests.forked_readers import fork_readers

fork_readers()
