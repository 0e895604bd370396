"""A random user of the whole window: seeded, checked after every step, and shrunk to what makes it fail.

    python -m tests.monkey.random_user [--seeds 1-40] [--steps 2500] [--workers 2]
    python -m tests.monkey.random_user --seed 7 --only 3,18-20

The first command runs the steps of each seed and prints how many were carried out. For each failure it prints the
shortest command of the second form that it finds to fail in the same way. The window runs in a separate process, so
that crashes are noticed and distinguished (see :mod:`tests.monkey.driver`): offscreen or, if DISPLAY is set, on that
display. After each step the program checks that the process is alive, that no problem was recorded, that the window
answered within a second, that the verdicts on screen are those in the file, and that all parts of Review show the same
match. After a failure the remaining steps of the seed continue in a new window. The exit code is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.monkey.sequence import read, written

ROOT = Path(__file__).resolve().parents[2]
HANG_S = 150.0
"""Seconds without a word after which the window's process is ended."""
TRIES = 60
"""Runs that shrinking one failure may take, at most."""


@dataclass(frozen=True)
class Outcome:
    """``done`` steps; the first failure's kind, step and report, where there was one."""

    done: int
    kind: str = ""
    step: int = -1
    report: str = ""
    longest: float = 0.0

    @property
    def signature(self) -> str:
        """The same for failures of the same cause, as far as one can tell."""
        frames = re.findall(r'File "[^"]*?(workbench|tests)/([^"]+)", line \d+,? in (\w+)', self.report)
        if frames and self.kind in ("problem", "crash", "stall", "hang"):
            last = self.report.strip().splitlines()[-1]
            error = re.match(r"[\w.]+(?=:|$)", last) if self.kind == "problem" else None
            # A traceback ends, and a dump of the interpreter begins, with the innermost frame.
            _, file, function = frames[0 if self.kind in ("crash", "hang") else -1]
            return f"{self.kind} {error[0] if error else ''} {file} {function}"
        first = (self.report.strip().splitlines() or [""])[0]
        return f"{self.kind} {re.sub(r'[0-9]+|match:.*', '#', first)[:120]}"


Attempt = Callable[[int, Sequence[int]], Outcome]


@dataclass
class Tally:
    """What was done, and the failures by signature: (outcome, how often, seed and steps that show it)."""

    steps: int = 0
    seeds: set[int] = field(default_factory=set)
    longest: float = 0.0
    failures: dict[str, list[Outcome]] = field(default_factory=dict)


def watched(command: Sequence[str], environment: dict[str, str], hang_s: float = HANG_S) -> Outcome:
    """Run a process that tells its steps as JSON, and what came of it, also where it crashed or fell silent."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
        heard, last, done, end = [time.monotonic()], -1, -1, None
        hung = threading.Event()

        def watch() -> None:
            while process.poll() is None:
                time.sleep(0.5)
                if time.monotonic() - heard[0] > hang_s:
                    hung.set()
                    process.send_signal(signal.SIGABRT)  # the interpreter tells where it was
                    return

        threading.Thread(target=watch, daemon=True).start()
        assert process.stdout is not None
        for line in process.stdout:
            heard[0] = time.monotonic()
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if "step" in message:
                last, done = message["step"], done + 1
            elif "done" in message:
                end = message
        code = process.wait()
        errors.seek(0)
        trace = errors.read()
    if end is not None:
        failure = end["failure"]
        longest = float(end["longest"])
        if failure is None:
            return Outcome(end["done"], longest=longest)
        return Outcome(end["done"], failure["kind"], failure["step"], failure["report"], longest)
    kind = "hang" if hung.is_set() else "crash"
    others, _, current = trace.partition("Extension modules:")[0].rpartition("Current thread")
    # The thread that draws first, then what the others were doing, one of which it may wait for.
    return Outcome(max(0, done), kind, last, f"the process ended with {code}:\n{current[-6000:]}\n{others[-6000:]}")


class Runs:
    """Attempts over copies of the projects in ``grounds``."""

    def __init__(self, grounds: Path, stall_s: float) -> None:
        self._grounds, self._stall = grounds, stall_s

    def attempt(self, seed: int, numbers: Sequence[int]) -> Outcome:
        """Do the steps ``numbers`` of ``seed`` in a fresh window."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            folder = Path(name)
            shutil.copytree(self._grounds, folder / "work")
            own = {variable: str(folder / variable.lower()) for variable in _PLACES}
            for path in own.values():
                Path(path).mkdir()
            own["XDG_RUNTIME_DIR"] = os.environ.get("XDG_RUNTIME_DIR", own["XDG_CACHE_HOME"])
            own["MONKEY_STALL_S"] = str(self._stall)
            # Compiled once, not in every window.
            own["NUMBA_CACHE_DIR"] = os.environ.get("NUMBA_CACHE_DIR", str(self._grounds.parent / "numba"))
            platform = {} if os.environ.get("DISPLAY") else {"QT_QPA_PLATFORM": "offscreen"}
            command = [sys.executable, "-X", "faulthandler", "-m", "tests.monkey.driver", str(folder / "work")]
            inherited = dict(os.environ)
            # Set for the program's own children by the modules imported here; the driver is found from ROOT.
            inherited.pop("PYTHONSAFEPATH", None)
            return watched([*command, str(seed), written(list(numbers))], inherited | own | platform)


_PLACES = (
    "HOME",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "PALIMPSEST_CONFIG",
    "PALIMPSEST_DATA",
    "PALIMPSEST_CACHE",
)
"""Variables that say where a program writes; each gets a folder of its own."""


def shrink(attempt: Attempt, seed: int, numbers: Sequence[int], failed: Outcome, tries: int = TRIES) -> list[int]:
    """A short part of ``numbers`` that still fails as ``failed`` did; all up to the failure where none was found."""
    kept = [n for n in numbers if n <= failed.step]
    left = tries

    def fails(part: Sequence[int]) -> bool:
        nonlocal left
        if left <= 0 or not part:
            return False
        left -= 1
        return attempt(seed, part).signature == failed.signature

    # Most failures need only the last few steps.
    length = 1
    while length < len(kept):
        if fails(kept[-length:]):
            kept = kept[-length:]
            break
        length *= 4
    size = len(kept) // 2
    while size and left > 0:
        at = 0
        while at < len(kept) and len(kept) > 1:
            part = kept[:at] + kept[at + size :]
            if fails(part):
                kept = part
            else:
                at += size
        size //= 2
    return kept


def one_seed(
    attempt: Attempt,
    seed: int,
    steps: int,
    known: set[str],
    tally: Tally,
    report: Callable[[str], object],
    tries: int = TRIES,
) -> None:
    """Do the steps of a seed; a failure not ``known`` yet is shrunk and told, the rest done in a fresh window."""
    numbers = list(range(steps))
    while numbers:
        outcome = attempt(seed, numbers)
        tally.steps += outcome.done
        tally.longest = max(tally.longest, outcome.longest)
        if not outcome.kind:
            break
        tally.failures.setdefault(outcome.signature, []).append(outcome)
        if outcome.signature not in known:
            known.add(outcome.signature)
            report(f"seed {seed}, step {outcome.step}: {outcome.signature}\n{outcome.report.strip()}")
            short = shrink(attempt, seed, numbers, outcome, tries)
            report(f"fails again by: python -m tests.monkey.random_user --seed {seed} --only {written(short)}")
        numbers = [n for n in numbers if n > outcome.step]
    tally.seeds.add(seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked, print what was done; 1 where anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.monkey.random_user", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=read, default=read("1-40"), help="as 1-40 or 3,5 (default: 1-40)")
    parser.add_argument("--steps", type=int, default=2500, help="steps a seed (default: 2500)")
    parser.add_argument("--workers", type=int, default=1, help="windows at a time (default: 1)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no seed after this time")
    parser.add_argument("--stall", type=float, default=1.0, help="seconds that the window may be silent (default: 1)")
    parser.add_argument("--seed", type=int, help="the seed of --only")
    parser.add_argument("--only", type=read, help="steps to do, as 3,18-20")
    parser.add_argument("--tries", type=int, default=TRIES, help=f"runs to shrink a failure (default: {TRIES})")
    parser.add_argument("--grounds", type=Path, help="folder that the projects are kept in (default: built anew)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        from tests.monkey.grounds import build

        grounds = chosen.grounds or Path(name) / "grounds"
        if not grounds.exists():
            build(grounds)
        runs = Runs(grounds, chosen.stall)
        if chosen.only is not None:
            outcome = runs.attempt(chosen.seed, chosen.only)
            print(f"{outcome.done} steps: {outcome.signature if outcome.kind else 'nothing failed'}\n{outcome.report}")
            return 1 if outcome.kind else 0
        return _campaign(runs, chosen)


def _campaign(runs: Runs, chosen: argparse.Namespace) -> int:
    tally, known, begun = Tally(), set[str](), time.monotonic()

    def report(words: str) -> None:
        print(words, flush=True)

    def go(seed: int) -> None:
        if time.monotonic() - begun < chosen.seconds:
            before = time.monotonic()
            one_seed(runs.attempt, seed, chosen.steps, known, tally, report, chosen.tries)
            report(f"seed {seed} done after {time.monotonic() - before:.0f} s; {tally.steps} steps so far")

    with ThreadPoolExecutor(chosen.workers) as pool:
        list(pool.map(go, chosen.seeds))
    for signature, outcomes in sorted(tally.failures.items(), key=lambda item: -len(item[1])):
        print(f"{len(outcomes)} x {signature}")
    count = sum(map(len, tally.failures.values()))
    print(
        f"{tally.steps} steps over {len(tally.seeds)} seeds, {count} failures of {len(tally.failures)} kinds, "
        f"longest silence {tally.longest:.2f} s, {time.monotonic() - begun:.0f} s"
    )
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
