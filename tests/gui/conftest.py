"""What tests of the window rely on: nothing is left running, and a window over a small project."""

from __future__ import annotations

import contextlib
import gc
import itertools
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.shown import outside
from tests.project_files import build_once
from workbench.base.settings import Settings
from workbench.base.types import Document, Matches, Results, Role
from workbench.gui import i18n
from workbench.gui.problems import recorder
from workbench.gui.shell import app
from workbench.gui.shell.app import Collector
from workbench.gui.theme import fonts
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.session import Session, create

# Jobs start from this module in processes of their own, which look for it on the path.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "review")]

PATIENCE_MS = 120_000
"""How long a test waits: a job starts a fresh interpreter, which on a busy machine takes a while."""


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """Waits as long as a busy machine may need, and looks again sooner than every 10 ms: most things take two."""
    for name in ("waitSignal", "waitExposed"):
        setattr(qtbot, name, partial(getattr(qtbot, name), timeout=PATIENCE_MS))
    plain = qtbot.waitUntil

    def wait_until(callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        for pause in range(1, 10):
            with contextlib.suppress(AssertionError):
                if callback() in (None, True):
                    return
            qtbot.wait(pause)
        plain(callback, timeout=timeout)

    qtbot.waitUntil = wait_until  # type: ignore[method-assign]
    return qtbot


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["palimpsest"]


@pytest.fixture(scope="session", autouse=True)
def bundled_fonts(qapp: object) -> None:
    fonts.load_bundled()


@pytest.fixture(autouse=True)
def collected_here(qapp: QApplication) -> Iterator[None]:
    """As in the program, no other thread collects widgets; no window lives on, which would make the next one slower."""
    collector = Collector(qapp)
    yield
    # Outside an event loop nothing is deleted later, unless it is asked for.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    # The collector has frozen what was there before the test, modules above all: this goes through what is new.
    gc.collect()
    collector.close()
    shiboken6.delete(collector)
    # Goes through all that was ever loaded: half a second.
    if next(_TESTS) % 300 == 0:
        gc.collect()


_TESTS = itertools.count(1)


@pytest.fixture(autouse=True)
def nothing_is_left_running(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("PALIMPSEST_DATA", str(tmp_path / "data"))
    before = set(threading.enumerate())
    yield
    fresh = [t for t in threading.enumerate() if t not in before and not t.name.startswith("Dummy")]
    for thread in fresh:
        thread.join(PATIENCE_MS / 1000)
    left = [t.name for t in fresh if t.is_alive()]
    assert not left, f"threads are left: {left}"
    assert not multiprocessing.active_children()


@pytest.fixture(autouse=True)
def parts_of_dialogs_have_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence or button that no layout of its dialog has is one that nobody sees."""
    plain = QDialog.open

    def begin(dialog: QDialog) -> None:
        lost = outside(dialog)
        assert not lost, f"these parts of a dialog are not in it: {sorted(lost)}"
        plain(dialog)

    monkeypatch.setattr(QDialog, "open", begin)


@pytest.fixture(autouse=True)
def no_server_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes come from the suite's server, if there is one: to load another takes seconds, minutes before the
    kernels are compiled, and its thread would outlive the test."""
    monkeypatch.setattr("workbench.gui.shell.window.serve", lambda module: None)


@pytest.fixture(autouse=True)
def nothing_is_built_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a test waits, the window would build screens that it never shows. Tests of that ask for ``ahead``."""
    monkeypatch.setattr("workbench.gui.shell.window.PAUSE_MS", 100 * PATIENCE_MS)


@pytest.fixture
def ahead(nothing_is_built_ahead: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the program, screens are built while the window is idle; its pauses between their pieces are longer."""
    monkeypatch.setattr("workbench.gui.shell.window.PAUSE_MS", 1)


@pytest.fixture(autouse=True)
def nothing_is_recorded(qapp: QApplication) -> Iterator[None]:
    """No test leaves a problem behind; one that causes some clears the recorder."""
    recorder().clear()
    yield
    report = recorder().report() if len(recorder()) else ""
    recorder().clear()
    assert not report, report


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two suspects (keys 1, 2), two sources (3, 4) and one run with two passages."""
    return small_case(tmp_path / "case.palimpsest")


@build_once
def small_case(path: Path) -> None:
    """Write what ``project`` describes."""
    create(path)
    texts = [
        ("s1", Role.SUSPECT, "ja"),
        ("s2", Role.SUSPECT, "en"),
        ("t1", Role.SOURCE, "ja"),
        ("t2", Role.SOURCE, "zh"),
    ]
    documents = [
        Document(name, f"{name}。" + "文である。" * (20 + n), role=role, title=f"Title {name}", language=language)
        for n, (name, role, language) in enumerate(texts)
    ]
    add_run(path, documents, [(1, 3), (2, 4)], {})


def add_run(path: Path, documents: list[Document], pairs: list[tuple[int, int]], parameters: dict[str, object]) -> int:
    """Add documents and a finished run with one passage a pair; the run's id."""
    n = len(pairs)
    ends = np.full(n, 20, np.int64)
    starts = np.zeros(n, np.int64)
    a, b = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    matches = Matches(a, b, starts, ends, starts, ends, np.full(n, 20.0), np.zeros(n, np.int8), {"segments": ends})
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "digest", 1, parameters, "00", 1)
            finish_chunk(connection, run.id, 0, Results(matches, excluded={"too short": 3}), documents=2)
        with session.write() as connection:
            finish_run(connection, run.id)
    return run.id


Start = Callable[..., app.Controller]


@pytest.fixture
def start(qtbot: QtBot) -> Iterator[Start]:
    """Starts windows: ``start(project, view, settings, ask)``; ``ask`` is done with the controller before what the view
    reads first is shown. Bugs fail the test.
    """
    controllers: list[app.Controller] = []
    bugs: list[str] = []

    def begin(
        path: Path | None = None,
        view: str | None = None,
        settings: Settings | None = None,
        ask: Callable[[app.Controller], object] | None = None,
    ) -> app.Controller:
        controller = app.Controller(settings or Settings(theme="light", language="en"))
        controller.context.bug.disconnect()
        controller.context.bug.connect(lambda _sentence, report: bugs.append(report))
        controllers.append(controller)
        controller.begin(path, view)
        controller.window.show()
        if ask is not None:
            ask(controller)
        settle(qtbot, controller)
        return controller

    yield begin
    for controller in controllers:
        controller.window.close()
        qtbot.waitUntil(lambda window=controller.window: not window.isVisible())
        for made_by_it in (controller.window, controller.context, controller):
            made_by_it.deleteLater()
    i18n.use("en")
    assert not bugs, bugs[0]


def settle(qtbot: QtBot, controller: app.Controller) -> None:
    """Wait until the shown view is ready and no read is under way."""
    window = controller.window
    qtbot.waitUntil(lambda: window.view(window.current).is_ready() and not controller.context.reads.pending)


def finished(qtbot: QtBot, controller: app.Controller) -> None:
    """Wait until no job is active and the shown view has read what they changed."""
    qtbot.waitUntil(lambda: not controller.context.jobs.active())
    settle(qtbot, controller)


JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with a Shift_JIS text, a page, and a binary file."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "neko.txt").write_bytes(JAPANESE.encode("cp932"))
    (folder / "page.html").write_text("<title>A page</title><p>One <b>two</b> three.</p>", encoding="utf-8")
    (folder / "picture.txt").write_bytes(b"\x00\x01\x02" * 100)
    return folder


def double_click(qtbot: QtBot, part: QWidget) -> None:
    """A double click as the system reports it: the second press is one of its own kind."""
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(part, left)
    qtbot.mouseDClick(part, left)
    qtbot.mouseRelease(part, left)


@pytest.fixture
def own_picture(tmp_path: Path) -> Path:
    """A picture of the user's own on this machine, which nothing that strangers wrote may load."""
    picture = QImage(500, 300, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.red)
    path = tmp_path / "own.png"
    assert picture.save(str(path))
    return path
