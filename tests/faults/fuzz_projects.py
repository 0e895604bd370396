"""Changed project files, side files and indexes: every verb ends in time with 0, 1 or 2 and a sentence.

    python tests/faults/fuzz_projects.py [--cases N] [--seed S] [--keep FOLDER]

Prints cases, exit codes, the slowest verb and the largest memory; ends with 1 where a case failed, which is kept.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 60
"""Most seconds for a verb."""
MOST_MEMORY = 4 << 30
"""Bytes of address space beyond which a verb fails."""
COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
VERBS = (["info", "P"], ["runs", "P"], ["matches", "P", "1"], ["pairs", "P", "1"], ["detect", "P", "digest"])


@dataclass
class Tally:
    """What the cases came to; ``failed`` are sentences."""

    cases: int = 0
    codes: collections.Counter[str] = field(default_factory=collections.Counter)
    slowest: float = 0.0
    largest: int = 0
    failed: list[str] = field(default_factory=list)


def build(folder: Path) -> Path:
    """A small project with a run and its index, in ``folder``."""
    from workbench.base.types import Document, Label, Role
    from workbench.jobs.context import Context
    from workbench.project.documents import add_documents
    from workbench.project.labels import add_labels
    from workbench.services.detecting.runs import detect
    from workbench.services.session import Session, create

    path = folder / "p.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"a{i}", f"元の文書の{i}番である。{COPIED}") for i in range(3)])
        suspects = [Document(f"b{i}", f"これは{i}番の感想だ。{COPIED}", Role.SUSPECT) for i in range(3)]
        add_documents(connection, suspects)
        add_labels(connection, [Label("document:b1", "x", "me", "")])
    detect(Context("fuzz", lambda event: None, lambda: False), path, "digest", {}, workers=0)
    return path


def mutate(data: bytes, rng: random.Random) -> bytes:
    """``data`` with some bytes changed, cut, repeated or moved."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16, 64))):
        at = rng.randrange(len(out)) if out else 0
        # Headers say what everything else means.
        at = rng.choice((at, at, min(at, rng.randrange(1, 200))))
        match rng.randrange(6):
            case 0 if out:
                out[at] ^= 1 << rng.randrange(8)
            case 1 if out:
                out[at] = rng.choice((0, 1, 127, 128, 255))
            case 2:
                out[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", rng.randbytes(4)))
            case 3:
                del out[at : at + rng.choice((1, 8, 512, 4096))]
            case 4:
                other = rng.randrange(len(out) + 1)
                out[at : at + 64] = out[other : other + 64]
            case _:
                out[at : at + 8] = (1 << rng.randrange(64)).to_bytes(8, "big")
    return bytes(out)


def spoil(folder: Path, project: Path, rng: random.Random, victim: Path) -> str:
    """Change something in ``folder``; what it was."""
    index = sorted(file for file in folder.rglob("*") if file.is_file() and file != project)
    kind = rng.choice(("project", "project", "wal", "shm", "journal", "index", "index", "link", "lock"))
    match kind:
        case "project":
            project.write_bytes(mutate(project.read_bytes(), rng))
        case "index" if index:
            file = rng.choice(index)
            kind += f" {file.name}"
            file.write_bytes(mutate(file.read_bytes(), rng))
        case "link":
            ends = ("-index", "-wal", "-shm", "-journal", ".run-1.lock", ".v1.bak", ".fetch")
            beside = Path(f"{project}{rng.choice(ends)}")
            kind += f" {beside.name}"
            if beside.is_dir():
                shutil.rmtree(beside)
            beside.unlink(missing_ok=True)
            beside.symlink_to(rng.choice((victim, victim.parent)))
        case "lock":
            Path(f"{project}.run-1.lock").write_bytes(rng.randbytes(20))
        case _:
            head = {"journal": "d9d505f920a163d7", "wal": "377f0682002de218", "shm": "182de200182de200"}.get(kind, "")
            content = bytes.fromhex(head) + rng.randbytes(rng.choice((0, 100, 5000, 33_000)))
            Path(f"{project}-{kind}").write_bytes(mutate(content, rng))
    return kind


def contents(folder: Path) -> dict[str, bytes]:
    """Everything in ``folder`` by name."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in whoever stays inside for longer."""

    def late(number: int, frame: object) -> None:
        raise TimeoutError(f"not done after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(verb: list[str], project: Path) -> str:
    """The exit code of the verb as the program gives it, and what is wrong with how it ended."""
    from workbench.cli.main import main

    out, errors = io.StringIO(), io.StringIO()
    try:
        with limited(SECONDS), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main([str(project) if word == "P" else word for word in verb] + ["--json"])
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is a finding
        return f"{type(error).__name__}: {error}"
    if "Traceback" in errors.getvalue() or code not in (0, 1, 2):
        return f"{code}: {errors.getvalue()[-300:]}"
    # ``info`` reports what is damaged among its results.
    if code and not (errors.getvalue() + out.getvalue()).strip():
        return f"{code} without a word"
    return str(code)


def case(base: Path, seed: int, tally: Tally, keep: Path) -> None:
    """One changed copy of the project in ``base`` through every verb. In a child, so that a crash is a finding."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        outside, folder = Path(name) / "outside", Path(name) / "in"
        outside.mkdir()
        (outside / "victim.txt").write_text("mine")
        shutil.copytree(base, folder)
        project = folder / "p.palimpsest"
        what = spoil(folder, project, rng, outside / "victim.txt")
        before = contents(outside)
        begun = time.monotonic()
        answers = _in_child(lambda: [run(verb, project) for verb in VERBS])
        tally.slowest = max(tally.slowest, time.monotonic() - begun)
        tally.cases += 1
        wrong = [answer for answer in answers if answer not in ("0", "1", "2")]
        if contents(outside) != before:
            wrong.append("a file outside was changed")
        tally.codes.update(answer for answer in answers if answer in ("0", "1", "2"))
        if wrong:
            tally.failed.append(f"seed {seed}, {what}: {wrong[0]}")
            keep.mkdir(parents=True, exist_ok=True)
            shutil.copytree(folder, keep / str(seed), symlinks=True, dirs_exist_ok=True)


def _in_child(work: Callable[[], list[str]]) -> list[str]:
    """What ``work`` answers in a forked process with limits, or how that process ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (len(VERBS) * SECONDS, len(VERBS) * SECONDS))
            text = "\x1e".join(work())
        except BaseException as error:  # noqa: BLE001 - reported by the parent
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode("utf-8", "replace")[:60_000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode("utf-8", "replace")
    _, status, used = os.wait4(child, 0)
    peak = used.ru_maxrss * 1024
    code = os.waitstatus_to_exitcode(status)
    answers = text.split("\x1e") if not code else [f"the process ended with {code}"]
    if peak > MOST_MEMORY:
        answers.append(f"{peak >> 20} MB of memory")
    _in_child.largest = max(getattr(_in_child, "largest", 0), peak)  # type: ignore[attr-defined]
    return answers


def fuzz(seeds: range, keep: Path) -> Tally:
    """The cases with these seeds."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        base = Path(name) / "base"
        base.mkdir()
        # In a process of its own, which takes along what it has open.
        _in_child(lambda: [str(build(base))])
        # Children inherit what is loaded here.
        (Path(name) / "warm").mkdir()
        project = build(Path(name) / "warm")
        for verb in VERBS:
            run(verb, project)
        for seed in seeds:
            case(base, seed, tally, keep)
            if seed % 500 == 499:
                print(seed + 1, dict(tally.codes), len(tally.failed), "failed", flush=True)
    tally.largest = getattr(_in_child, "largest", 0)
    return tally


def program(fuzz: Callable[[range, Path], Any], cases: int, folder: str, summary: Callable[[Any], str]) -> int:
    """The program of a fuzzer of numbered cases, whose tally lists what ``failed`` as sentences; its exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / folder)
    arguments = parser.parse_args()
    tally = fuzz(range(arguments.seed, arguments.seed + arguments.cases), arguments.keep)
    for sentence in tally.failed:
        print(sentence)
    print(summary(tally))
    return 1 if tally.failed else 0


def _summary(tally: Tally) -> str:
    return (
        f"{tally.cases} cases, {sum(tally.codes.values())} verbs, codes {dict(tally.codes)},"
        f" {len(tally.failed)} failed; slowest case {tally.slowest:.1f} s, largest process {tally.largest >> 20} MB"
    )


if __name__ == "__main__":
    sys.exit(program(fuzz, 1000, "fuzz-projects", _summary))
