"""How fast Review answers: a verdict in a large project, and minutes of work on a long text with many matches.

``python -m tests.benchmarks.review verdict`` makes a project of 1,000,000 matches and 100,000 verdicts, gives verdicts
by their key's action, and prints the milliseconds from the key until the next passage is painted (bar: 50).
``python -m tests.benchmarks.review minutes [--minutes 10] [--seed 1]`` works on a pair of 300,000 characters with 5,000
matches as a reviewer would, in an order that the seed chooses, with theme, language and first pair among what is done,
and prints every stall over 50 ms with the step, the time the window's own thread worked (it may have waited for another
thread), and the line it was at. Time that it waited for a processor does not count, where the system tells it. Exits 1
where a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from tests.silence import Silence
from workbench.base.settings import Settings
from workbench.base.types import Document, Label, Matches, Results, Role, Span
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell import app
from workbench.gui.shell.catalogue import SCREENS
from workbench.project.documents import add_documents
from workbench.project.labels import add_labels
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.targets import passage_target
from workbench.services.session import Session, create

LIMIT = 0.05
"""Seconds that the window may be silent."""
LENGTH, PASSAGES = 300_000, 5_000
SUSPECTS, EACH, VERDICTS = 2_000, 500, 100_000
KEYS = 30
_NEVER = 10.0
"""Seconds after which a key has led nowhere."""
PAUSE = 0.25
"""Seconds between two steps of the reviewer."""
_REBUILT = 20_000
"""Milliseconds in which all screens are built in another language."""


class Stalls:
    """Every silence of the window's thread over LIMIT: how long, its own work in it, in which step, at which line."""

    def __init__(self) -> None:
        self.spells: list[tuple[float, float, str, str]] = []
        self.step = ""
        self._silence = Silence()
        self._seen: Counter[str] = Counter()
        self._worked = time.thread_time()
        self._timer = QTimer()
        self._timer.setInterval(2)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._alive)
        self._timer.start()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._over.set()
        self._watcher.join()
        self._timer.stop()

    def _alive(self) -> None:
        silence = self._silence.seconds()
        if silence > LIMIT:
            cause = self._seen.most_common(1)[0][0] if self._seen else "(not seen)"
            self.spells.append((silence, time.thread_time() - self._worked, self.step, cause))
        self._seen = Counter()
        self._silence.beat()
        self._worked = time.thread_time()

    def _watch(self) -> None:
        while not self._over.wait(0.004):
            if self._silence.seconds(waiting=True) > LIMIT / 2:
                frames = sys._current_frames()
                here = _line(frames.get(self._silence.thread))
                # Another thread may hold the interpreter.
                others = {_line(f) for t, f in frames.items() if t not in (self._silence.thread, threading.get_ident())}
                self._seen[f"{here}  [beside: {', '.join(sorted(others - {''}))}]" if others - {""} else here] += 1


def _line(frame: object) -> str:
    """The innermost line of the program."""
    stack = traceback.extract_stack(frame)  # type: ignore[arg-type]
    own = [entry for entry in stack if f"{os.sep}workbench{os.sep}" in entry.filename]
    if not own:
        return ""
    last = own[-1]
    place = last.filename.rsplit(f"{os.sep}workbench{os.sep}", 1)[1]
    return f"{place}:{last.lineno} {last.name}"


def prose(length: int, seed: int) -> str:
    """Text of common ideographs and kana with sentence and paragraph ends."""
    signs = np.random.default_rng(seed).choice(
        np.array([*range(0x3042, 0x3093), *range(0x4E00, 0x5200)], np.uint32), length
    )
    signs[39::40], signs[399::400] = ord("。"), 10
    return signs.tobytes().decode("utf-32-le")


def verdicts() -> int:
    """Print how long a verdict takes until the next passage is painted; 1 where that is over the bar."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "case.palimpsest")
        _make_large(path)
        controller, review = _open(folder, path)
        pane = review.pair.left
        painted = _Paints(pane.viewport())
        taken, worked, acted = [], [], []
        for number in range(KEYS):
            _rest(controller, PAUSE)
            before, painted.count = review.pair.active, 0
            began, busy = time.perf_counter(), time.process_time()
            controller.context.actions.run(("review.verdict-copy", "review.verdict-not-copy")[number % 2])
            acted.append((time.process_time() - busy) * 1000)
            while review.pair.active == before or not painted.count:
                QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 2)
                if time.perf_counter() - began > _NEVER:
                    raise SystemExit("the key led to no other passage")
            taken.append((time.perf_counter() - began) * 1000)
            worked.append((time.process_time() - busy) * 1000)
        controller.window.close()
    median, worst = float(np.median(taken)), max(taken)
    print(f"key to next passage painted: median {median:.1f} ms, worst {worst:.1f} ms (bar {LIMIT * 1000:g})")
    verdict, whole = float(np.median(acted)), float(np.median(worked))
    print(f"processor time: {verdict:.1f} ms for the verdict, {whole:.1f} ms with painting (medians)")
    return int(worst > LIMIT * 1000)


class _Paints(QObject):
    """Counts how often a widget was painted."""

    def __init__(self, widget: QObject) -> None:
        super().__init__()
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(  # noqa: N802 - Qt calls it so
        self, watched: QObject, event: QEvent
    ) -> bool:
        """Let everything through."""
        self.count += event.type() == QEvent.Type.Paint
        return False


def minutes(count: float, seed: int) -> int:
    """Work for ``count`` minutes; print every stall, and 1 where there is one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "case.palimpsest")
        _make_long(path)
        stalls = Stalls()
        stalls.step = "open the project and its first pair"
        controller, review = _open(folder, path)
        rng = np.random.default_rng(seed)
        until, done = time.perf_counter() + count * 60, 0
        while time.perf_counter() < until:
            # After a change of language it is built ahead, as long as nothing asks for it.
            app.wait(lambda: controller.window.has_view("review"), _REBUILT)
            review = _review(controller)
            name, step = _STEPS[int(rng.integers(len(_STEPS)))]
            stalls.step, done = name, done + 1
            QTimer.singleShot(0, partial(step, controller, review, rng))
            _rest(controller, PAUSE)
        stalls.stop()
        controller.window.close()
    for seconds, worked, name, cause in sorted(stalls.spells, reverse=True):
        print(f"{seconds * 1000:7.0f} ms, of which {worked * 1000:.0f} at work  {name}: {cause}")
    print(f"{len(stalls.spells)} stalls over {LIMIT * 1000:g} ms in {done} steps, {count:g} minutes (aim: none)")
    return int(bool(stalls.spells))


Step = Callable[[app.Controller, ReviewView, np.random.Generator], object]


def _run(action: str) -> Step:
    return lambda controller, _review, _rng: controller.context.actions.run(action)


def _scroll(_controller: app.Controller, review: ReviewView, rng: np.random.Generator) -> None:
    port = review.pair.left.viewport()
    for _ in range(6):
        at = QPointF(port.rect().center())
        by = QPoint(0, int(rng.choice([-240, -120, 120])))
        no, none, phase = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
        event = QWheelEvent(at, QPointF(port.mapToGlobal(at.toPoint())), QPoint(), by, no, none, phase, False)
        QApplication.sendEvent(port, event)


def _jump(_controller: app.Controller, review: ReviewView, rng: np.random.Generator) -> None:
    bar = review.pair.left.verticalScrollBar()
    bar.setValue(int(rng.random() * bar.maximum()))


def _threshold(_controller: app.Controller, review: ReviewView, rng: np.random.Generator) -> None:
    review.panels.set_threshold(float(rng.choice([0.0, 20.0, 100.0, 400.0])))


def _filter(_controller: app.Controller, review: ReviewView, rng: np.random.Generator) -> None:
    review.suspects.filter.setText(str(rng.choice(["", "長", "9"])))


def _suspect(_controller: app.Controller, review: ReviewView, rng: np.random.Generator) -> None:
    model = review.suspects.model
    if count := model.rowCount():
        review.suspects.list.setCurrentIndex(model.index(int(rng.integers(count))))


def _layer(_controller: app.Controller, review: ReviewView, rng: np.random.Generator) -> None:
    layers = [*review.pair.toolbar.layers.values()]
    layers[int(rng.integers(len(layers)))].toggle()


def _size(controller: app.Controller, _review: ReviewView, rng: np.random.Generator) -> None:
    width, height = ((1280, 800), (1600, 1000), (1920, 1080))[int(rng.integers(3))]
    controller.window.resize(width, height)


def _language(controller: app.Controller, _review: ReviewView, rng: np.random.Generator) -> None:
    controller.choose_language(str(rng.choice(["en", "ja", "zh"])))


_STEPS: tuple[tuple[str, Step], ...] = (
    *[("scroll", _scroll)] * 6,
    *[("jump", _jump)] * 3,
    *[("next match", _run("review.next"))] * 6,
    *[("previous match", _run("review.previous"))] * 2,
    *[("verdict", _run("review.verdict-copy"))] * 4,
    *[("other verdict", _run("review.verdict-not-copy"))] * 2,
    *[("undo", _run("edit.undo"))] * 3,
    ("redo", _run("edit.redo")),
    *[("another suspect", _suspect)] * 3,
    ("first match", _run("review.first")),
    ("last match", _run("review.last")),
    ("threshold", _threshold),
    ("filter", _filter),
    ("layer", _layer),
    ("table of all matches", _run("review.table")),
    ("dot plot", _run("review.dot-plot")),
    ("evidence", _run("review.evidence")),
    ("histogram", _run("review.histogram")),
    ("suspects beside", _run("review.list")),
    ("list of sources", _run("review.list-sources")),
    ("list of suspects", _run("review.list-suspects")),
    ("larger text", _run("review.larger")),
    ("usual text", _run("review.usual")),
    ("swap panes", _run("review.swap")),
    ("leave out", _run("review.exclude")),
    ("window size", _size),
    ("theme", lambda controller, _review, _rng: controller.window.commands.toggle_theme()),
    ("language", _language),
    ("another screen", lambda controller, _review, _rng: controller.window.show_view("documents")),
    *[("back to Review", lambda controller, _review, _rng: controller.window.show_view("review"))] * 2,
)


def _open(folder: str, path: Path) -> tuple[app.Controller, ReviewView]:
    """The window with Review over the project, when all of it is shown."""
    os.environ["PALIMPSEST_DATA"] = os.environ["PALIMPSEST_CONFIG"] = folder
    controller = app.Controller(Settings(theme="light", language="en", reviewer="me"), keep=False)
    controller.begin(path, "review", 120_000)
    controller.window.resize(1600, 1000)
    controller.window.show()
    app.settle(controller, 120_000)
    app.wait(lambda: _review(controller).pair.opened is not None, 300_000)
    app.wait(lambda: all(controller.window.has_view(view.view_id) for view in SCREENS), 20_000)
    return controller, _review(controller)


def _review(controller: app.Controller) -> ReviewView:
    view = controller.window.view("review")
    assert isinstance(view, ReviewView)
    return view


def _rest(controller: app.Controller, seconds: float) -> None:
    """Let the window run for at least ``seconds``, until nothing is being read, at most a while."""
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds or (controller.context.reads.pending and spent < 20):
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
        time.sleep(0.0005)


def _make_large(path: Path) -> None:
    """1,000,000 matches in 2,000 pairs, 100,000 of them judged by somebody."""
    create(path)
    length = EACH * 12 + 60
    with Session(path) as session, session.write() as connection:
        roles = (Role.SUSPECT, Role.SOURCE)
        text = prose(length, 1)
        texts = (f"{k}{text}"[:length] for k in range(SUSPECTS * 2))
        add_documents(connection, (Document(f"d{k}", t, roles[k % 2], language="ja") for k, t in enumerate(texts)))
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        a = np.repeat(np.arange(1, 2 * SUSPECTS, 2, dtype=np.int64), EACH)
        start = np.tile(np.arange(EACH, dtype=np.int64) * 12, SUSPECTS)
        # Spread over the source, so that neighbours in the suspect are never near each other there, too: one passage.
        place = np.argsort(np.argsort(np.arange(EACH) * ((np.sqrt(5) - 1) / 2) % 1))
        other = np.tile(place.astype(np.int64) * 12, SUSPECTS)
        evidence = {"segments": np.ones(len(a), np.int64)}
        score = np.random.default_rng(3).random(len(a)) * 90
        matches = Matches(a, a + 1, start, start + 8, other, other + 8, score, np.zeros(len(a), np.int8), evidence)
        finish_chunk(connection, run.id, 0, Results(matches), documents=SUSPECTS)
        finish_run(connection, run.id)
        judged = []
        for row in np.random.default_rng(4).choice(len(a), VERDICTS, replace=False).tolist():
            spans = [Span(int(place[row]), int(place[row]) + 8) for place in (start, other)]
            target = passage_target(f"d{a[row] - 1}", spans[0], f"d{a[row]}", spans[1])
            judged.append(Label(target, ("copy", "not-copy")[row % 2], "somebody", "2026-01-01T00:00:00Z"))
        add_labels(connection, judged)


def _make_long(path: Path) -> None:
    """One pair of 300,000 characters with 5,000 matches, and thirty short ones."""
    create(path)
    rng = np.random.default_rng(3)
    with Session(path) as session, session.write() as connection:
        text = prose(LENGTH, 1)
        documents = [
            Document("long", text, Role.SUSPECT, title="長い文書", language="ja"),
            Document("source", prose(LENGTH, 2)[: LENGTH // 2] + text[LENGTH // 2 :], Role.SOURCE, language="ja"),
        ]
        documents += [
            Document(f"d{k}", prose(9_000, k + 3), (Role.SUSPECT, Role.SOURCE)[k % 2], language="ja") for k in range(60)
        ]
        add_documents(connection, documents)
        start = np.sort(rng.choice(LENGTH - 60, PASSAGES, replace=False)).astype(np.int64)
        other = start.copy()
        moved = rng.choice(PASSAGES, PASSAGES // 10, replace=False)
        other[moved] = rng.integers(0, LENGTH - 60, len(moved))
        size = rng.integers(20, 46, PASSAGES)
        short = np.arange(3, 63, 2, dtype=np.int64).repeat(10)
        place = np.tile(np.arange(10, dtype=np.int64) * 300, 30)
        a = np.concatenate((np.ones(PASSAGES, np.int64), short))
        a_start, b_start = np.concatenate((start, place)), np.concatenate((other, place))
        length = np.concatenate((size, np.full(len(short), 90)))
        n = len(a)
        matches = Matches(
            *(a, a + 1, a_start, a_start + length, b_start, b_start + length),
            rng.random(n) * 900 + 20,
            rng.integers(0, 3, n).astype(np.int8),
            {"segments": rng.integers(1, 9, n), "surprisal": rng.random(n) * 900},
        )
        run = begin_run(connection, "digest", 1, {}, "00", 1)
        finish_chunk(connection, run.id, 0, Results(matches), documents=31)
        finish_run(connection, run.id)


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("verdict", "minutes"))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    app.application()
    return verdicts() if arguments.what == "verdict" else minutes(arguments.minutes, arguments.seed)


if __name__ == "__main__":
    sys.exit(main())
