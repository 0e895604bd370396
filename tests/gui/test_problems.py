# ruff: noqa: N802 - names that Qt calls
"""An exception in what Qt calls: recorded once, said in place, and everything else goes on."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

import workbench.gui
from workbench.gui.problems import (
    MOST,
    Hooks,
    Problems,
    guarded,
    is_guarded,
    overrides,
    painting,
    recorder,
    without_content,
)

Index = QModelIndex | QPersistentModelIndex
GUI = Path(workbench.gui.__file__).parent


class Fault(Exception):
    pass


@pytest.fixture(autouse=True)
def cleared(nothing_is_recorded: None) -> Iterator[None]:
    yield
    recorder().clear()


@guarded
class Faulty(QWidget):
    """Fails in whatever Qt calls."""

    def sizeHint(self) -> QSize:
        raise Fault

    def resizeEvent(self, event: QResizeEvent) -> None:
        raise Fault

    def keyPressEvent(self, event: QKeyEvent) -> None:
        raise Fault

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.User:
            raise Fault
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        raise Fault

    def timerEvent(self, event: QEvent) -> None:
        raise Fault

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.save()
            raise Fault


@guarded
class FaultyModel(QAbstractListModel):
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        raise Fault

    def flags(self, index: Index) -> Qt.ItemFlag:
        raise Fault


@guarded
class FaultyDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        raise Fault


def recorded() -> set[str]:
    return {problem.where for problem in recorder()}


def test_a_part_that_cannot_be_drawn_says_so_and_its_painter_is_ended(qtbot: QtBot) -> None:
    part = Faulty()
    qtbot.addWidget(part)
    part.resize(300, 80)
    part.show()
    first = part.grab().toImage()
    second = part.grab().toImage()
    assert first == second
    colours = {first.pixelColor(x, y).rgb() for x in range(0, 300, 3) for y in range(0, 80)}
    assert len(colours) > 1, "no words were drawn"
    assert "Faulty.paintEvent" in recorded()


def test_handlers_that_fail_are_recorded_and_nobody_above_them_fails(qtbot: QtBot) -> None:
    part = Faulty()
    qtbot.addWidget(part)
    part.show()
    part.resize(90, 90)
    part.startTimer(0)
    qtbot.waitUntil(lambda: "Faulty.timerEvent" in recorded())
    assert part.sizeHint() == QSize()
    part.installEventFilter(part)
    QTest.keyClick(part, Qt.Key.Key_A)
    part.removeEventFilter(part)
    QTest.keyClick(part, Qt.Key.Key_A)
    assert recorded() >= {
        f"Faulty.{name}" for name in ("resizeEvent", "timerEvent", "sizeHint", "eventFilter", "keyPressEvent")
    }


def test_a_model_and_a_delegate_that_fail_leave_the_list_standing(qtbot: QtBot) -> None:
    view, model = QListView(), FaultyModel()
    view.setModel(model)
    view.setItemDelegate(FaultyDelegate(view))
    qtbot.addWidget(view)
    view.show()
    view.grab()
    assert model.data(model.index(0)) is None
    assert model.flags(model.index(0)) == Qt.ItemFlag.NoItemFlags
    assert {"FaultyModel.data", "FaultyModel.flags"} <= recorded()


def test_a_slot_that_fails_is_recorded(qtbot: QtBot) -> None:
    hooks = Hooks(recorder())
    try:
        QTimer.singleShot(0, lambda: [][0])
        qtbot.waitUntil(lambda: "slot" in recorded())
    finally:
        hooks.close()


def test_a_thread_that_fails_is_recorded() -> None:
    def fail() -> None:
        raise Fault

    hooks = Hooks(recorder())
    try:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    finally:
        hooks.close()
    assert "thread" in recorded()


def test_a_painter_is_ended_though_drawing_failed(qapp: object) -> None:
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    with pytest.raises(Fault), painting(image) as painter:
        raise Fault
    assert not painter.isActive()
    image.fill(QColor("red"))
    assert not image.paintingActive()


def fail(problems: Problems, kind: type[Exception] = Fault) -> None:
    try:
        raise kind
    except kind as error:
        problems.record("here", error)


def test_a_problem_that_comes_again_is_counted_not_listed(qapp: object) -> None:
    problems = Problems()
    problems.view, problems.action = "review", "review.next"
    new: list[object] = []
    problems.recorded.connect(new.append)
    for _ in range(3):
        fail(problems)
    assert [p.times for p in problems] == [3]
    assert new == list(problems)
    assert "(3 times): view review, action review.next" in problems.report()


def test_what_is_left_out_of_the_list_is_counted(qapp: object, capsys: pytest.CaptureFixture[str]) -> None:
    problems = Problems()
    for number in range(MOST + 5):
        problems.record_trace(f"place {number}", "ValueError")
    assert len(problems) == MOST
    assert problems.report().endswith("5 more\n")


SECRET = "Kilkenny's ferrymen 渡し守 sang"


def traced(cause: object) -> str:
    problems = Problems()
    try:
        assert callable(cause)
        cause()
    except Exception as error:  # noqa: BLE001 - any
        problems.record("here", error)
    return problems.report()


def worded() -> None:
    raise ValueError(SECRET)


def chained() -> None:
    try:
        worded()
    except ValueError:
        [][len(SECRET)]


@pytest.mark.parametrize(
    ("cause", "kept"),
    [
        (worded, "ValueError"),
        (chained, "IndexError: list index out of range"),
        (lambda: {}[SECRET], "KeyError"),
        (lambda: int(SECRET), "ValueError: invalid literal for int() with base 10:"),
        (lambda: SECRET.encode("ascii"), "UnicodeEncodeError"),
        (lambda: Path(f"/{SECRET}").read_text(), "FileNotFoundError"),
        (lambda: getattr(SECRET, "absent"), "AttributeError: 'str' object has no attribute 'absent'"),  # noqa: B009
    ],
)
def test_a_report_says_what_failed_but_nothing_of_a_text(qapp: object, cause: object, kept: str) -> None:
    report = traced(cause)
    assert kept in report
    assert "test_problems.py" in report
    for word in re.findall(r"\w{3,}", SECRET):
        assert word not in report.replace("SECRET", "")


def test_a_message_of_many_lines_is_not_taken_for_code() -> None:
    frame = '  File "/somewhere/workbench/x.py", line 1, in f\n    f()\n    ^^^'
    trace = f"Traceback (most recent call last):\n{frame}\nE: one\n    secret\n"
    plain = without_content(trace)
    assert 'File "workbench/x.py", line 1, in f' in plain
    assert "^^^" in plain
    assert "secret" not in plain


def window_classes() -> Iterator[type]:
    for info in pkgutil.walk_packages(workbench.gui.__path__, "workbench.gui."):
        module = importlib.import_module(info.name)
        yield from (c for _, c in inspect.getmembers(module, inspect.isclass) if c.__module__ == info.name)


def test_every_method_that_qt_calls_is_guarded() -> None:
    bare = [
        f"{kind.__module__}.{kind.__name__}.{name}"
        for kind in window_classes()
        for name in overrides(kind)
        if not is_guarded(vars(kind)[name])
    ]
    bare = [name for name in bare if name != "workbench.gui.i18n._QtWords.translate"]
    assert not bare


def test_the_guard_rule_notices_a_bare_override() -> None:
    class Bare(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:
            """Draw nothing."""

    assert overrides(Bare) == ["paintEvent"]
    assert not is_guarded(Bare.paintEvent)


def test_every_painter_is_opened_and_restored_by_the_guard() -> None:
    bare = re.compile(r"\bQPainter\(|\b\w*painter\.(save|restore|begin|end)\(", re.IGNORECASE)
    offenders = [
        f"{path.relative_to(GUI)}: {line.strip()}"
        for path in sorted(GUI.rglob("*.py"))
        if path != GUI / "problems.py"
        for line in path.read_text("utf-8").splitlines()
        if bare.search(line)
    ]
    assert not offenders
