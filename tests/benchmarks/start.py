"""How long the program takes to start, and how large it is: python -m tests.benchmarks.start [--folder F] [--deb FILE]

Prints what was reached beside what is aimed at, and what takes the most room. Times are processor seconds, children
included, the least of several runs: how busy the machine is does not count. A stall is a time for which the window,
once it is painted, does not come round. ``--folder`` is a frozen folder; without one only this environment is measured.
The kernels of this environment must be compiled (palimpsest prepare).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from workbench.base.resources import cache_dir

RUNS = 3
ENVIRONMENT = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONDONTWRITEBYTECODE": ""}
"""The first run compiles the modules, as installing does."""
MB = 1_000_000
PAINTED = """
import sys
from PySide6.QtCore import QEvent, QObject, QTimer
from workbench.base.settings import Settings
from workbench.gui.shell import app

class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, lambda: sys.exit(0))
        return False

application = app.application()
controller = app.Controller(Settings(), keep=False)
controller.begin(None, None)
painted = Painted()
controller.window.installEventFilter(painted)
controller.window.show()
application.exec()
"""
AGAIN = """
import sys
import time
import workbench

with workbench.open(sys.argv[1]) as project:
    for _ in range(4):
        begun = time.perf_counter()
        workbench.detect(project, "digest")
        print(time.perf_counter() - begun)
"""
STALLS = """
import sys
from pathlib import Path
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from tests.silence import Silence
from workbench.base.settings import Settings
from workbench.gui.shell import app
from workbench.gui.shell.catalogue import SCREENS

class Watch(QObject):
    # Begins when the window has been painted.
    longest = 0.0

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.begin)
        return False

    def begin(self):
        self.silence = Silence()
        self.timer = QTimer(self, interval=2, timerType=Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self.beat)
        self.timer.start()

    def beat(self):
        self.longest = max(self.longest, self.silence.seconds())
        self.silence.beat()

def all_built():
    return all(controller.window.has_view(screen.view_id) for screen in SCREENS)

def spell():
    app.wait(all_built, 60_000)
    app.settle(controller)
    print(watch.longest, flush=True)
    watch.longest = 0.0

application = app.application()
watch = Watch()
controller = app.Controller(Settings(language="en", last_view="review"), keep=False)
controller.window.installEventFilter(watch)
controller.begin(Path(sys.argv[1]), None)
controller.window.show()
spell()
controller.choose_language("ja")
spell()
controller.window.close()
"""
AIMS = {
    "--help": 0.10,
    "info": 0.35,
    "window painted": 0.8,
    "first detection": 2.0,
    "another": 0.5,
    "longest stall": 0.05,
}
ROOM = {"folder": 350, ".deb": 110}
"""Aims in MB."""


def processor_seconds(command: Sequence[str], environment: dict[str, str]) -> float:
    """Processor time that a command and its children take. Raises CalledProcessError where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(command: Sequence[str], environment: dict[str, str], runs: int = RUNS) -> float:
    """The least of several runs."""
    return min(processor_seconds(command, environment) for _ in range(runs))


def size(folder: Path) -> int:
    """Bytes of all files below ``folder``, linked ones once."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def line(what: str, where: str, value: float, aim: float, unit: str) -> str:
    """A row of the table."""
    return f"{what:<18}{where:<10}{value:>9.2f} {unit:<3}  aim {aim:g} {unit}{'' if value <= aim else '   missed'}"


def times(program: Sequence[str], where: str, home: Path, kernels: Path | None) -> None:
    """Print how long ``program`` takes to start; ``kernels`` are compiled ones, None if it brings its own."""
    own = {f"PALIMPSEST_{name}": str(home / where) for name in ("CACHE", "CONFIG", "DATA")}
    environment = ENVIRONMENT | own
    if kernels is not None:
        environment["NUMBA_CACHE_DIR"] = str(kernels)
    sample = home / where / "demo" / "sample.palimpsest"
    print(line("--help", where, least([*program, "--help"], environment), AIMS["--help"], "s"), flush=True)
    # The demonstration makes the project; the detection after it is the first with an empty cache of kernels.
    subprocess.run([*program, "demo", "--json", "--out", str(sample.parent)], env=environment, check=True, stdout=-3)
    print(line("info", where, least([*program, "info", str(sample)], environment), AIMS["info"], "s"), flush=True)
    fresh = environment | {"PALIMPSEST_CACHE": str(home / where / "fresh")}
    first = processor_seconds([*program, "detect", str(sample), "digest"], fresh)
    print(line("first detection", where, first, AIMS["first detection"], "s"), flush=True)


def again(project: Path, home: Path) -> float:
    """Seconds on the clock of a detection after the first of a session: its process is forked, with all loaded."""
    own = {f"PALIMPSEST_{name}": str(home) for name in ("CONFIG", "DATA")}
    command = [sys.executable, "-P", "-c", AGAIN, str(project)]
    printed = subprocess.run(command, env=ENVIRONMENT | own, check=True, capture_output=True, text=True).stdout
    return min(map(float, printed.split()[1:]))


def stalls(project: Path, home: Path) -> list[float]:
    """The longest time for which the painted window does not come round, seconds: at Review, until all screens are
    built; and while it is built again in another language.
    """
    own = {f"PALIMPSEST_{name}": str(home) for name in ("CONFIG", "DATA")}
    command = [sys.executable, "-c", STALLS, str(project)]
    printed = subprocess.run(command, env=ENVIRONMENT | own, check=True, capture_output=True, text=True).stdout
    return [float(word) for word in printed.split()]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--deb", type=Path)
    arguments = parser.parse_args()
    if arguments.folder:
        print(line("folder", "", size(arguments.folder) / MB, ROOM["folder"], "MB"))
        parts = {part: size(part) if part.is_dir() else part.lstat().st_size for part in arguments.folder.glob("*/*")}
        for part in sorted(parts, key=lambda part: -parts[part])[:10]:
            print(f"    {part.name:<40}{parts[part] / MB:>7.0f} MB")
    if arguments.deb:
        print(line(".deb", "", arguments.deb.stat().st_size / MB, ROOM[".deb"], "MB"))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        python = [sys.executable, "-P"]
        times([*python, "-m", "workbench"], "wheel", home, cache_dir() / "numba")
        window = least([*python, "-c", PAINTED], ENVIRONMENT)
        print(line("window painted", "wheel", window, AIMS["window painted"], "s"), flush=True)
        sample = home / "wheel" / "demo" / "sample.palimpsest"
        print(line("another", "wheel", again(sample, home / "again"), AIMS["another"], "s"), flush=True)
        spells = [stalls(sample, home / f"stalls{number}") for number in range(RUNS)]
        for what, least_of_all in zip(("start", "language"), map(min, zip(*spells, strict=True)), strict=True):
            print(line("longest stall", what, least_of_all, AIMS["longest stall"], "s"), flush=True)
        if arguments.folder:
            times([str(arguments.folder / "palimpsest")], "folder", home, None)


if __name__ == "__main__":
    main()
