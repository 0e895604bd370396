"""Item models: Qt's own tester, and what they show."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from workbench.base.settings import Settings
from workbench.base.types import Run, RunState
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.screens.documents.columns import document_columns
from workbench.gui.screens.jobs.job_list import JobList
from workbench.gui.screens.start.view import RecentModel
from workbench.gui.shell.palette import PaletteModel
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobBridge, JobRecord
from workbench.gui.workspace.write_queue import WriteQueue

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


def made_columns() -> ColumnsModel:
    model = ColumnsModel([Column("title", "Title"), Column("size", "Size", whole, numeric=True, blank="–")], "key")
    values = {"key": np.array([7, 8, 9, 10]), "title": ["b", "A", "c", ""], "size": [1500, None, 20, 300]}
    model.set_values(values, ("title",))
    return model


def shown(model: QAbstractItemModel, column: int = 0) -> list[str]:
    return [str(model.index(r, column).data()) for r in range(model.rowCount())]


def test_columns_pass_the_model_tester_through_every_change(qtmodeltester: ModelTester) -> None:
    model = made_columns()
    qtmodeltester.check(model, force_py=True)
    model.sort(1, DESCENDING)
    model.set_filter("a")
    model.set_filter("")
    qtmodeltester.check(model, force_py=True)


def test_values_are_written_and_an_absent_one_shows_its_blank() -> None:
    assert shown(made_columns(), 1) == ["1,500", "–", "20", "300"]


def test_sorting_ignores_case_and_keeps_equal_rows_in_order() -> None:
    model = made_columns()
    model.sort(0, ASCENDING)
    assert shown(model) == ["", "A", "b", "c"]
    model.sort(1, DESCENDING)
    assert [model.key_at(r) for r in range(4)] == [7, 10, 9, 8]


def test_a_filter_counts_exactly_and_combines_with_a_mask() -> None:
    model = made_columns()
    model.set_filter("A")
    assert (model.rowCount(), model.total) == (1, 4)
    model.set_filter("", np.array([True, False, True, False]))
    assert [model.key_at(r) for r in range(model.rowCount())] == [7, 9]
    assert model.row_of(8) == -1


def test_persistent_indexes_follow_their_rows_when_sorted() -> None:
    model = made_columns()
    kept = QPersistentModelIndex(model.index(0, 0))
    model.sort(1, ASCENDING)
    assert kept.data() == "b"


def test_a_million_rows_sort_and_filter_without_touching_rows() -> None:
    n = 1_000_000
    model = ColumnsModel([Column("size", "Size", whole)], "key")
    model.set_values({"key": np.arange(n), "size": np.random.default_rng(1).integers(0, n, n)})
    model.sort(0, DESCENDING)
    model.set_filter("", np.arange(n) % 2 == 0)
    assert model.rowCount() == n // 2


def test_recent_projects_pass_the_model_tester_and_mark_missing_files(
    qtbot: QtBot, qtmodeltester: ModelTester, tmp_path: Path
) -> None:
    there = tmp_path / "there.palimpsest"
    there.touch()
    model = RecentModel()
    model.set_paths([str(there), str(tmp_path / "gone.palimpsest")])
    qtmodeltester.check(model, force_py=True)
    qtbot.waitUntil(lambda: [model.index(r).data(RecentModel.MISSING) for r in range(2)] == [False, True])
    assert str(model.index(0).data(RecentModel.CHANGED)).startswith("20")


def test_a_drive_that_does_not_answer_keeps_nobody_waiting(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, plain = threading.Event(), Path.stat

    def slow(path: Path, **options: bool) -> os.stat_result:
        if path.name == "far.palimpsest":
            assert threading.current_thread() is not threading.main_thread()
            answers.wait(60)
        return plain(path, **options)

    monkeypatch.setattr(Path, "stat", slow)
    paths = [tmp_path / "far.palimpsest", tmp_path / "near.palimpsest"]
    for path in paths:
        path.touch()
    model = RecentModel()
    for _ in range(2):
        model.set_paths([*map(str, paths)])
        qtbot.waitUntil(lambda: bool(model.index(1).data(RecentModel.CHANGED)))
        assert (model.index(0).data(), model.index(0).data(RecentModel.MISSING)) == ("far", False)
    qtbot.waitUntil(lambda: sum(thread.name == "recent" for thread in threading.enumerate()) == 1)
    answers.set()
    qtbot.waitUntil(lambda: bool(model.index(0).data(RecentModel.CHANGED)))


def test_places_and_counts_are_sorted_as_numbers() -> None:
    model = ColumnsModel([Column("place", "Place", lambda place: f"{place[0]:,}–{place[1]:,}", blank="–")], "key")
    model.set_values({"key": [1, 2, 3, 4], "place": [(1000, 1100), None, (20, 400), (20, 40)]})
    model.sort(0, ASCENDING)
    assert shown(model) == ["–", "20–40", "20–400", "1,000–1,100"]
    model.sort(0, DESCENDING)
    assert shown(model) == ["1,000–1,100", "20–400", "20–40", "–"]


def test_documents_are_sorted_by_the_number_of_their_content_blocks() -> None:
    [column] = [column for column in document_columns() if column.column.name == "blocks"]
    kept, blocks = np.array([100, 0, 9]), np.array([120, 0, 10])
    table = SimpleNamespace(blocks_kept=kept, blocks=blocks)
    model = ColumnsModel([column.column], "key")
    model.set_values({"key": [1, 2, 3], "blocks": column.values(SimpleNamespace(table=table))})
    model.sort(0, ASCENDING)
    assert shown(model) == ["", "9 / 10", "100 / 120"]


@pytest.fixture
def context(qapp: object, tmp_path: Path) -> AppContext:
    return AppContext(Theme("light", tmp_path), Settings())


def test_the_palette_passes_the_model_tester_and_finds_words_and_letters(
    qtmodeltester: ModelTester, context: AppContext
) -> None:
    names = {"a": "Import files…", "b": "Import a folder…", "c": "Undo", "d": "Never"}
    actions = [Action(k, title, lambda: None, enabled=lambda k=k: k != "d") for k, title in names.items()]  # type: ignore[misc]
    context.actions.add(*actions)
    model = PaletteModel(actions, context)
    qtmodeltester.check(model, force_py=True)
    assert shown(model) == ["Import files…", "Import a folder…", "Undo"]
    model.search("fold")
    assert shown(model) == ["Import a folder…"]
    model.search("imfl")
    assert shown(model)[0] == "Import files…"
    model.search("zzz")
    assert model.rowCount() == 0
    context.close()


def test_the_job_list_passes_the_model_tester_and_does_not_list_a_run_twice(qtmodeltester: ModelTester) -> None:
    bridge = JobBridge(WriteQueue())
    model = JobList(bridge)
    runs = [Run(n, "digest", 1, {}, "", RunState.DONE, "2026-01-01T00:00:00Z") for n in (2, 1)]
    model.set_runs(runs)
    qtmodeltester.check(model, force_py=True)
    record = JobRecord("job-1", "Detect", "done", result=runs[0])
    bridge.records.insert(0, record)
    bridge.started.emit(record)
    bridge.progressed.emit(record)
    qtmodeltester.check(model, force_py=True)
    assert shown(model) == ["Detect", "Run 1 of digest"]
