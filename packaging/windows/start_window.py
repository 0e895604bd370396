"""Opens the window without a console: starts palimpsest.exe, which lies beside this program, and ends.

There is one executable that does the work, because the compiled kernels bear its hash. Not tried: this was written
where there is no Windows.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NO_WINDOW = 0x08000000
"""CREATE_NO_WINDOW."""

program = Path(sys.executable).with_name("palimpsest.exe")
subprocess.Popen([str(program), "gui", *sys.argv[1:]], creationflags=NO_WINDOW)
