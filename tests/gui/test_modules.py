"""What a screen needs is imported without Qt's types coming into being beside the window's thread."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workbench.gui.shell.catalogue import SCREENS

IN_A_THREAD = """
import sys
import threading
from workbench.gui.shell import app
from workbench.gui.shell.catalogue import known_screens
from workbench.gui.shell.modules import import_below, import_own

app.application()
load = known_screens()[sys.argv[1]].load
before = set(sys.modules)
thread = threading.Thread(target=import_below, args=(load,))
thread.start()
thread.join()
below = set(sys.modules) - before
assert not [n for n in below if n.startswith(("PySide6", "pyqtgraph"))], below
# Packages alone, which hold nothing.
assert not [n for n in below if n.startswith("workbench.gui") and not hasattr(sys.modules[n], "__path__")], below
for _ in import_own(load):
    pass
before = set(sys.modules)
load()
assert not [n for n in set(sys.modules) - before if n.startswith(("workbench", "PySide6", "pyqtgraph"))]
print(len(before))
"""


@pytest.mark.parametrize("view_id", [screen.view_id for screen in SCREENS])
def test_the_thread_imports_no_module_of_the_window_and_nothing_is_left_to_import(view_id: str) -> None:
    command = [sys.executable, "-c", IN_A_THREAD, view_id]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
