"""What a screen needs is imported without Qt's types coming into being beside the window's thread."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from workbench.gui.shell.catalogue import SCREENS

IN_A_THREAD = """
# Other projects' modules below the window, which each screen would import again.
import lxml.html, numba, numpy, scipy.sparse, sqlalchemy
import os
import sys
import threading
import traceback
from workbench.gui.shell import app
from workbench.gui.shell.catalogue import known_screens
from workbench.gui.shell.building import import_for_project, import_own
from workbench.methods.core import registry

def look(view_id):
    app.application()
    screen = known_screens()[view_id]
    before = set(sys.modules)
    thread = threading.Thread(target=import_for_project, args=(screen.module,))
    thread.start()
    thread.join()
    below = set(sys.modules) - before
    assert not [n for n in below if n.startswith(("PySide6", "pyqtgraph"))], below
    # Packages alone, which hold nothing.
    assert not [n for n in below if n.startswith("workbench.gui") and not hasattr(sys.modules[n], "__path__")], below
    for _ in import_own(screen.module):
        pass
    before = set(sys.modules)
    screen.load()
    registry.facts()
    assert not [n for n in set(sys.modules) - before if n.startswith(("workbench", "PySide6", "pyqtgraph"))]

for view_id in sys.argv[1:]:
    # Each screen in a process that has imported none of another, and has no window's thread yet.
    child = os.fork()
    if not child:
        try:
            look(view_id)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(view_id, code, flush=True)
"""


@pytest.mark.rest
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process for each screen")
def test_the_thread_imports_no_module_of_the_window_and_nothing_is_left_to_import() -> None:
    views = [screen.view_id for screen in SCREENS]
    command = [sys.executable, "-c", IN_A_THREAD, *views]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    assert done.stdout.splitlines() == [f"{view} 0" for view in views], done.stderr
