"""Reads and questions never end the last reference to an object of the window outside its thread."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from workbench.gui.shell.app import Collector, collect_all, collect_young
from workbench.gui.workspace.background import Background


class Owner(QObject):
    """Tells in which thread it ended."""


@pytest.fixture(autouse=True)
def frozen_again() -> Iterator[None]:
    """These tests thaw what was loaded; after each, only what is new need be looked through, as after any other."""
    yield
    gc.freeze()


@pytest.fixture
def reads(qapp: QApplication) -> Iterator[Background]:
    background = Background(lambda error: None)
    yield background
    background.close()


def ended_in(owner: QObject) -> list[threading.Thread]:
    where: list[threading.Thread] = []
    weakref.finalize(owner, lambda: where.append(threading.current_thread()))
    return where


def test_the_owner_of_a_read_ends_in_the_window_s_thread(qtbot: QtBot, reads: Background) -> None:
    release = threading.Event()
    owner = Owner()
    where = ended_in(owner)
    answer: list[int] = []

    def done(result: int, kept: QObject = owner) -> None:
        answer.append(result)

    def read(kept: QObject = owner) -> int:
        release.wait(60)
        return 7

    reads.start(read, done, owner, None)
    del owner, done, read
    release.set()
    qtbot.waitUntil(lambda: not reads.pending)
    gc.collect()
    assert answer == [7]
    assert where == [threading.main_thread()]


def test_what_a_failed_read_held_ends_in_the_window_s_thread(qtbot: QtBot, reads: Background) -> None:
    owner = Owner()
    where = ended_in(owner)
    errors: list[str] = []

    def read(kept: QObject = owner) -> int:
        raise ValueError(kept.objectName() or "unnamed")

    def failed(error: BaseException) -> None:
        errors.append(str(error))

    reads.start(read, print, owner, failed)
    del owner, read
    qtbot.waitUntil(lambda: not reads.pending)
    gc.collect()
    assert errors == ["unnamed"]
    assert where == [threading.main_thread()]


def test_reads_that_wait_when_the_window_closes_end_in_its_thread(qtbot: QtBot) -> None:
    reads = Background(lambda error: None)
    owners = [Owner() for _ in range(6)]
    where = [ended_in(owner) for owner in owners]
    begun = threading.Event()

    def reading(kept: QObject) -> Callable[[], bool]:
        def read() -> bool:
            begun.set()
            return kept.signalsBlocked()

        return read

    for owner in owners:
        reads.start(reading(owner), print, owner, None)
    qtbot.waitUntil(begun.is_set)
    del owners, owner
    reads.close()
    gc.collect()
    assert where == [[threading.main_thread()]] * 6


def test_a_read_begins_when_what_the_last_one_changed_is_painted(qtbot: QtBot, reads: Background) -> None:
    order: list[str] = []

    class Shown(QLabel):
        def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
            super().resizeEvent(event)
            time.sleep(0.05)  # Long enough for a read that has begun

        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            order.append("paint")
            super().paintEvent(event)

    window, shown = QWidget(), Shown("short")
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    layout.addWidget(shown)
    layout.addWidget(QTextEdit(), 1)
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: bool(order))

    def show(text: str) -> None:
        shown.setText(text)
        order.clear()
        reads.start(lambda: order.append("read"), print, shown, None)

    reads.start(lambda: "on\nseveral\nlines", show, shown, None)
    qtbot.waitUntil(lambda: "read" in order)
    assert order[0] == "paint"


def test_cycles_are_collected_in_the_window_s_thread_alone(qtbot: QtBot, qapp: QApplication) -> None:
    collector = Collector(qapp)
    threshold = gc.get_threshold()
    try:
        owner = Owner()
        where = ended_in(owner)
        owner.cycle = owner  # type: ignore[attr-defined]
        del owner
        thread = threading.Thread(target=lambda: [[[]] for _ in range(100_000)])
        thread.start()
        thread.join()
        assert where == []
        gc.set_threshold(1, 1, 1)
        for _ in range(4):
            kept = [[] for _ in range(100)]
            collect_young()
            del kept
        assert where == [threading.main_thread()]
    finally:
        gc.set_threshold(*threshold)
        collector.close()


def test_what_is_not_young_is_collected_once_nobody_works_in_the_window(qapp: QApplication) -> None:
    collector = Collector(qapp)
    try:
        owner = Owner()
        where = ended_in(owner)
        owner.cycle = owner  # type: ignore[attr-defined]
        gc.freeze()
        del owner
        for _ in range(3):
            collect_young()
        assert where == []
        collect_all()
        assert where == [threading.main_thread()]
    finally:
        collector.close()


def test_what_a_large_read_creates_is_not_examined_while_somebody_works(qapp: QApplication) -> None:
    collector, begun = Collector(qapp), list[object]()
    gc.callbacks.append(lambda phase, info: begun.append(info))
    try:
        before = gc.get_freeze_count()
        kept = [[] for _ in range(300_000)]
        collect_young()
        assert not begun
        assert gc.get_freeze_count() >= before + len(kept)
        collect_all()
        assert begun
    finally:
        gc.callbacks.pop()
        collector.close()


def test_python_collects_again_when_the_window_is_gone(qapp: QApplication) -> None:
    collector = Collector(qapp)
    assert not gc.isenabled()
    collector.close()
    assert gc.isenabled()
