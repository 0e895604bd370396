"""A scripted annotator at the window, in a process of its own that may be killed at any moment.

``python tests/labelling_program.py PROJECT`` opens the Label screen and labels entry after entry with real key events.
For each label that is on disk, once the next entry shows, it prints target, value and milliseconds: that the key held
the event loop, until the next entry was on the screen, and of processor time for that. At the end it prints ``done``.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VALUES = {"blog": "B", "unsure": "U"}
THOUGHT = 0.04
"""Seconds that the annotator looks at an entry: an entry takes a fifth of a second at most."""
WHO = "script"


@dataclass
class Outcome:
    """What the annotator said it wrote, over all its lives: values by target, milliseconds of each key, kills."""

    written: dict[str, str] = field(default_factory=dict)
    key_times: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    used: list[float] = field(default_factory=list)
    kills: int = 0
    finished: bool = False


def make_project(path: Path, entries: int) -> None:
    """A project of ``entries`` suspects of some hundred characters."""
    from workbench.base.types import Document, Role
    from workbench.project.documents import add_documents
    from workbench.services.session import Session, create

    create(path)
    chance = random.Random(5)
    words = (
        "雨の日に駅まで歩いて花を見た。",
        "The",
        "weather",
        "was",
        "fine",
        "and",
        "we",
        "walked",
        "to",
        "the",
        "station.",
    )
    with Session(path) as session, session.write() as connection:
        add_documents(
            connection,
            (
                Document(f"entry{n:05}", f"{n}: " + " ".join(chance.choices(words, k=80)), Role.SUSPECT)
                for n in range(entries)
            ),
        )


def value_for(target: str) -> str:
    """What the annotator thinks of an entry."""
    return "blog" if sum(target.encode()) % 3 else "unsure"


def label_with_kills(project: Path, kills: int, entries: int, seed: int) -> Outcome:
    """Let the annotator label the whole project; ``kills`` times it is ended by SIGKILL at a random moment and begins
    again.
    """
    chance = random.Random(seed)
    outcome = Outcome()
    quota = max(1, entries // (kills + 1))
    for life in range(kills + 1):
        last = life == kills
        # Somewhere inside one of the labels of this life, at any point of it.
        until = None if last else chance.randint(max(1, quota // 2), quota)
        _one_life(project, outcome, until, chance.uniform(0, 0.03))
        outcome.kills += not last
    return outcome


def _one_life(project: Path, outcome: Outcome, until: int | None, delay: float) -> None:
    child = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), str(project)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    count = 0
    killer: threading.Timer | None = None
    for line in child.stdout:
        if line == "done\n":
            outcome.finished = True
        elif line.endswith("\n"):
            target, value, key_time, shown, used = line.rstrip("\n").split("\t")
            assert target not in outcome.written, f"{target} was shown again"
            outcome.written[target] = value
            outcome.key_times.append(float(key_time))
            outcome.shown.append(float(shown))
            outcome.used.append(float(used))
            count += 1
        if until is not None and count >= until and killer is None:
            killer = threading.Timer(delay, os.killpg, (child.pid, signal.SIGKILL))
            killer.start()
    child.wait()
    if killer is not None:
        killer.join()


def events_by_target(project: Path) -> Counter[tuple[str, str]]:
    """How often each (target, value) was written by the annotator."""
    from workbench.project import labels
    from workbench.services.session import Session

    with Session(project, write=False) as session, session.read() as connection:
        assert labels.verify_chain(connection) == "ok"
        return Counter((event.target, event.value) for event in labels.events(connection, "class"))


def _is_past(moment: float) -> bool:
    return time.perf_counter() >= moment


def main(project: Path) -> None:
    """Label everything that is open."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from workbench.base.settings import Settings
    from workbench.gui.screens.label.view import LabelView
    from workbench.gui.shell import app

    application = app.application()
    controller = app.Controller(Settings(theme="light", language="en", reviewer=WHO), keep=False)
    controller.begin(project, "label")
    window = controller.window
    window.show()

    def wait(ready: object) -> None:
        while not ready():  # type: ignore[operator]
            application.processEvents()
            time.sleep(0.0005)

    wait(lambda: window.current == "label" and window.view("label").is_ready())
    view = window.view("label")
    assert isinstance(view, LabelView)
    wait(lambda: view.labeller.item is not None or view.entry.shown is None)
    while (item := view.labeller.item) is not None:
        value = value_for(item.target)
        began, used = time.perf_counter(), time.thread_time()
        QTest.keyClick(window, getattr(Qt.Key, f"Key_{VALUES[value]}"))
        key_time = time.perf_counter() - began

        def comes(before: object = item) -> bool:
            now = view.labeller.item
            return now is None or (now != before and view.entry.shown is not None and view.entry.shown[0] == now)

        wait(comes)
        times = (key_time, time.perf_counter() - began, time.thread_time() - used)
        print(item.target, value, *(f"{1000 * seconds:.2f}" for seconds in times), sep="\t", flush=True)
        looked = time.perf_counter() + THOUGHT
        wait(partial(_is_past, looked))
    print("done", flush=True)
    window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
