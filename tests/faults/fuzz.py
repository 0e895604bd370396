"""Changed files of every format through ``import``, and changed label files through ``labels import``.

fuzz.py [--seed N] [--files N] [--formats .pdf,.zip] [--batch N] [--keep FOLDER]

Of each batch: the exit code is 0 or 1, nothing on standard error is a traceback, each file gave a document or is named
in a failure or a notice, the good file among them is in, no reason names an exception, nothing outside was touched,
no file took its time limit, no process needed more than the limit of memory. Prints figures; exits 1 on a failure,
and the batch is left in FOLDER.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests import forked_program
from tests.faults.fuzz_mutations import changed_bytes, mutated
from tests.faults.fuzz_seeds import LABELS, SEEDS, TEXT
from workbench.base.errors import UserError
from workbench.jobs.chunks import GIGABYTES
from workbench.jobs.context import Context
from workbench.services.labels.labelling import import_labels

_RAW = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Fault)\b|\bNone\b|Traceback|<class")
_TOO_LONG = "within the limit of"
_BATCH_SECONDS = 600.0
_LABEL_SECONDS = 10.0


@dataclass(slots=True)
class Tally:
    """What was tried and what came of it."""

    files: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest_batch: float = 0.0
    peak_megabytes: int = 0
    problems: list[str] = field(default_factory=list)


def run(seed: int, files: int, formats: list[str], batch: int, keep: Path | None, tally: Tally) -> None:
    """Batches of changed files until ``files`` were tried."""
    done = 0
    for number in range(10**9):
        if done >= files:
            return
        size = min(batch, files - done)
        _batch(f"{seed}/{number}", size, formats, keep, tally)
        done += size
        print(f"{done:,} files, {len(tally.problems)} problems, peak {tally.peak_megabytes:,} MB", flush=True)


def _batch(seed: str, size: int, formats: list[str], keep: Path | None, tally: Tally) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="palimpsest-fuzz-") as name:
        top = Path(name)
        inputs = top / "work" / "in"
        inputs.mkdir(parents=True)
        (inputs / "good.txt").write_text(TEXT, encoding="utf-8")
        (inputs / "good.jsonl").write_bytes(b'{"id": "d1", "text": "one"}\n{"id": "d2", "text": "two"}\n')
        others = [SEEDS[suffix]() for suffix in formats]
        for number in range(size):
            suffix = rng.choice(formats)
            data = SEEDS[suffix]().replace(b"NAME", f"{number}-".encode())
            (inputs / f"{number:06}{suffix}").write_bytes(mutated(data, rng, others))
            tally.files[suffix or "(none)"] += 1
        before = len(tally.problems)
        _import(seed, top, inputs, tally)
        for number in range(max(1, size // 20)):
            suffix = rng.choice(list(LABELS))
            file = top / "work" / f"labels{number}{suffix}"
            file.write_bytes(changed_bytes(LABELS[suffix](), rng, [LABELS[s]() for s in LABELS]))
            tally.files[f"labels {suffix}"] += 1
            _labels(seed, top / "work" / "p.palimpsest", file, tally)
        if keep is not None and len(tally.problems) > before:
            shutil.copytree(inputs.parent, keep / seed.replace("/", "-"), dirs_exist_ok=True)


def _import(seed: str, top: Path, inputs: Path, tally: Tally) -> None:
    project = top / "work" / "p.palimpsest"
    environment = {**os.environ, "HOME": str(top / "home"), "TMPDIR": str(top / "tmp")}
    (top / "tmp").mkdir()
    (top / "canary.txt").write_text("untouched")
    program = [sys.executable, "-m", "workbench"]
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    forked_program.run(["new", str(project)], env=environment).check_returncode()
    begun = time.monotonic()
    process = subprocess.Popen(
        [*program, "import", str(project), str(inputs), "--json"],
        env=environment,
        cwd=top / "work",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    peak = _Peak(process.pid)
    try:
        out, err = process.communicate(timeout=_BATCH_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        tally.problems.append(f"{seed}: the import took more than {_BATCH_SECONDS:g} seconds")
        return
    finally:
        peak.stop()
    seconds = time.monotonic() - begun
    tally.seconds += seconds
    tally.slowest_batch = max(tally.slowest_batch, seconds)
    tally.peak_megabytes = max(tally.peak_megabytes, peak.megabytes)
    problems = list(_problems(process.returncode, out, err, project, inputs, tally))
    if peak.megabytes > GIGABYTES * 1000 + 200:
        problems.append(f"a process needed {peak.megabytes:,} MB")
    outside = sorted(p.name for p in top.iterdir() if p.name not in ("work", "tmp", "home", "canary.txt"))
    if outside or (top / "canary.txt").read_text() != "untouched" or list(top.rglob("escaped.txt")):
        problems.append(f"files outside were touched: {outside}")
    if left := [p.name for p in (top / "tmp").iterdir()]:
        problems.append(f"temporary files are left: {left[:3]}")
    tally.problems.extend(f"{seed}: {problem}" for problem in problems)


def _problems(code: int, out: str, err: str, project: Path, inputs: Path, tally: Tally) -> list[str]:
    problems: list[str] = []
    if code not in (0, 1) or "Traceback" in err:
        return [f"exit {code}: {err[-1500:]}"]
    result = json.loads(out)
    tally.outcomes.update(imported=result["imported"], duplicates=result["duplicates"], failed=len(result["failed"]))
    with contextlib.closing(sqlite3.connect(project)) as database:
        origins = [row[0] for row in database.execute("SELECT origin FROM document")]
    named = {_file_of(origin) for origin in origins} | {_file_of(f["path"]) for f in result["failed"]}
    named |= set(re.findall(r"in/(\d{6}[\w.]*)", err))
    if result["imported"] != len(origins):
        problems.append(f"{result['imported']} imported, {len(origins)} in the project")
    if "good.txt" not in named:
        problems.append("the good file is not in")
    lost = sorted(path.name for path in inputs.iterdir() if path.name not in named)
    if len(lost) > result["duplicates"]:
        problems.append(f"neither in nor refused: {lost[:5]}")
    for failure in result["failed"]:
        reason = failure["error"]
        tally.reasons[re.sub(r"\d+|'[^']*'", "*", reason)[:70]] += 1
        if _RAW.search(reason) or _TOO_LONG in reason or "reader failed" in reason.lower() or not reason.endswith("."):
            problems.append(f"{failure['path']}: {reason}")
    return problems


def _file_of(path: str) -> str:
    """The name of the file that holds the document or row of this origin."""
    name = re.search(r"(?:^|/)in/([^/!:]+)", path)
    return name[1] if name else path


def _labels(seed: str, project: Path, file: Path, tally: Tally) -> None:
    begun = time.monotonic()
    try:
        result = import_labels(Context("fuzz", lambda event: None, lambda: False), project, file)
        tally.outcomes.update(labels=result.imported, labels_failed=len(result.failed))
        for failure in result.failed:
            if _RAW.search(failure.error):
                tally.problems.append(f"{seed}: {file.name}: {failure.error}")
    except UserError:
        tally.outcomes["label_files_refused"] += 1
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        tally.problems.append(f"{seed}: {file.name}: {type(error).__name__}: {error}")
    if time.monotonic() - begun > _LABEL_SECONDS:
        tally.problems.append(f"{seed}: {file.name}: took {time.monotonic() - begun:.0f} s")


class _Peak:
    """The largest resident memory of any process of a session, looked at ten times a second."""

    def __init__(self, session: int) -> None:
        self.megabytes = 0
        self._session = session
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(0.1):
            for status in Path("/proc").glob("[0-9]*/stat"):
                with contextlib.suppress(OSError, ValueError):
                    if int(status.read_text().rpartition(")")[2].split()[3]) == self._session:
                        peak = re.search(r"VmHWM:\s+(\d+)", (status.parent / "status").read_text())
                        self.megabytes = max(self.megabytes, int(peak[1]) // 1000 if peak else 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--formats", default=",".join(SEEDS), help="suffixes as of the seeds")
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    tally = Tally()
    run(arguments.seed, arguments.files, arguments.formats.split(","), arguments.batch, arguments.keep, tally)
    for problem in tally.problems:
        print(problem)
    for reason, number in tally.reasons.most_common(60):
        print(f"{number:8,}  {reason}")
    print("files by format:", dict(sorted(tally.files.items())))
    print("outcomes:", dict(tally.outcomes))
    rate = tally.outcomes and sum(tally.files.values()) / max(tally.seconds, 1e-9)
    print(
        f"{sum(tally.files.values()):,} files of {len(tally.files)} formats, seed {arguments.seed}, "
        f"{tally.seconds:.0f} s ({rate:.0f} files a second), slowest batch {tally.slowest_batch:.0f} s, "
        f"peak {tally.peak_megabytes:,} MB, {len(tally.problems)} problems"
    )
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
