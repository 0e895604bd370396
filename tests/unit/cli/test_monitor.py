from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_STUCK = """
import hashlib, sys
sys.path[:] = {path!r}
from pathlib import Path
from workbench.cli.monitor import run_job
from workbench.cli.output import Output
from workbench.services.writing import atomic_write

def stuck(ctx):
    with atomic_write(Path(sys.argv[1]) / "report.html", "The report") as part:
        part.write_text("half")
        print("begun", flush=True)
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # compiled code that hears of no signal for an hour

run_job(Output(False), stuck)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.rest)])
def test_a_signal_ends_work_that_hears_of_none_and_leaves_nothing_half_written(
    tmp_path: Path, number: signal.Signals
) -> None:
    command = [sys.executable, "-c", _STUCK.format(path=sys.path), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(number)
        _, error_output = process.communicate(timeout=60)
    assert (process.returncode, error_output) == (1, "Cancelled. Finished work is kept.\n")
    assert list(tmp_path.iterdir()) == []
