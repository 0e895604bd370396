"""The Relations screen over a small project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import networkx
import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle
from tests.gui.relation_case import build
from workbench.base.errors import UserError
from workbench.base.types import Document, Label, PairScore, Results
from workbench.gui.charts.pair_matrix import MatrixContent, PairMatrix
from workbench.gui.charts.relation_looks import draw_arrow
from workbench.gui.judging import unit_judging
from workbench.gui.kit import file_dialogs
from workbench.gui.problems import painting
from workbench.gui.screens.relations import run as relation_run
from workbench.gui.screens.relations.groups_panel import SCOPE_ROLE
from workbench.gui.screens.relations.run import Scope
from workbench.gui.screens.relations.table import ranked_words
from workbench.gui.screens.relations.view import RelationsView
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell.app import Controller
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.relations.stitched import StitchedPage, StitchedSource
from workbench.services.removing_runs import remove_runs
from workbench.services.review.judgement import Judgement
from workbench.services.review.verdicts import Unit
from workbench.services.session import Session, create


@pytest.fixture
def case(tmp_path: Path) -> Path:
    return build(tmp_path / "pages.palimpsest")


def shown(controller: Controller) -> RelationsView:
    view = controller.window.view("relations")
    assert isinstance(view, RelationsView)
    return view


@pytest.fixture
def controller(start: Start, case: Path) -> Controller:
    return start(case, "relations")


@pytest.fixture
def view(controller: Controller) -> RelationsView:
    return shown(controller)


def keys(view: RelationsView) -> list[tuple[int, int]]:
    """Pairs in the table, as shown."""
    columns = view.run.columns
    assert columns is not None
    view.picture.show_mode("table")
    rows = [view.picture.model.key_at(r) for r in range(view.picture.model.rowCount())]
    return [(int(columns.a[row]), int(columns.b[row])) for row in rows]


def row_of(view: RelationsView, a: int, b: int) -> int:
    assert view.run.columns is not None
    return view.run.columns.row_of(a, b)


def words(widget: QWidget) -> list[str]:
    return [part.text() for part in widget.findChildren(QLabel) if part.isVisible()]


def test_the_newest_run_with_relations_is_shown_whole(view: RelationsView) -> None:
    assert view.run.run is not None
    assert view.run.run.method == "rare-sentences"
    assert view.picture.mode == "graph"
    assert len(view.picture.graph._content.drawing.keys) == 9
    chips = [chip.text() for chip in view.picture.classes.chips]
    assert chips == ["Shared sentences 3", "Inclusion 2", "Mirror 1", "Citation 1"]
    assert view.groups.clusters_chip.text() == "Clusters 3"
    assert view.groups.stitched_chip.text() == "Stitched pages 1"


def test_a_cluster_a_class_and_the_threshold_narrow_all_three_ways(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    view.groups.list.setCurrentIndex(view.groups.model.index(2))
    settle(qtbot, controller)
    assert keys(view) == [(1, 2), (1, 3), (2, 3)]
    assert view.picture.graph._content.drawing.keys.tolist() == [1, 2, 3]
    assert view.picture.matrix._content.keys.tolist() == [1, 2, 3]
    assert (view.picture.matrix._content.row >= 0).tolist() == [[i != j for j in range(3)] for i in range(3)]
    offered = [chip.text() for chip in view.picture.classes.chips if chip.isVisible()]
    assert offered == ["Inclusion 2", "Mirror 1"]
    chip = next(c for c in view.picture.classes.chips if c.name == "inclusion")
    chip.click()
    settle(qtbot, controller)
    assert keys(view) == [(1, 2)]
    view.picture.classes.show_all()
    view.groups.choose(Scope())
    view.groups.threshold.setValue(0.35)
    qtbot.waitUntil(lambda: view.clusters is not None and view.clusters.threshold == 0.35)
    settle(qtbot, controller)
    assert keys(view) == [(1, 2), (1, 3), (2, 3)]
    assert "6 pages in no cluster" in view.groups.model.group(0).third


def test_large_clusters_are_split_in_a_process_of_their_own(
    qtbot: QtBot, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relation_run, "HEAVY", 0)
    path = tmp_path / "large.palimpsest"
    create(path)
    two = [(a, b) for first in (1, 31) for a in range(first + 1, first + 30) for b in range(first, a)]
    pairs = tuple(PairScore(a, b, 0.9, 0.9) for a, b in [*two, (31, 30)])
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(f"d{n}", "文" * n) for n in range(1, 61)])
            run = begin_run(connection, "shingle", 1, {}, "00", 1)
            finish_chunk(connection, run.id, 0, Results(pairs=pairs))
        with session.write() as connection:
            finish_run(connection, run.id)
    view = shown(start(path, "relations"))
    qtbot.waitUntil(lambda: view.groups.clusters_chip.text() == "Clusters 2")
    assert view.groups.model.group(1).third == "435 pairs · 0.90 · part of a group of 60 pages"
    qtbot.waitUntil(view.is_ready)
    # The pair between the clusters is only in the table.
    assert view.picture.left_out.text().startswith("Not drawn: 1 pair. ")


def test_large_clusters_that_could_not_be_split_stay_whole(
    qtbot: QtBot, controller: Controller, view: RelationsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing: list[Callable[[Exception], None]] = []
    monkeypatch.setattr(controller.context, "aside", lambda *_arguments, failed=None, **_: failing.append(failed))
    monkeypatch.setattr("workbench.gui.screens.relations.view.is_heavy", lambda _whole, _options: True)
    chip = view.groups.clusters_chip
    before = chip.text()
    view.groups.options_changed.emit()
    settle(qtbot, controller)
    assert chip.text() == f"{before} …"
    failing[0](UserError("The project cannot be read."))
    settle(qtbot, controller)
    assert (chip.text(), controller.window.banner.text.text()) == (before, "The project cannot be read.")


def test_the_words_of_a_link_between_the_pages_are_shown(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    view.choose(row_of(view, 5, 4))
    settle(qtbot, controller)
    assert f"A → B: “{chr(0x4E00 + 5) * 3}”" in " ".join(words(view.evidence))
    view.choose(row_of(view, 1, 2))
    settle(qtbot, controller)
    assert "→ B: “" not in " ".join(words(view.evidence))


def test_a_filter_looks_for_titles_and_counts(qtbot: QtBot, controller: Controller, view: RelationsView) -> None:
    controller.context.actions.run("relations.filter")
    assert view.picture.mode == "table"
    view.picture.filter.setText("page 3")
    qtbot.waitUntil(lambda: view.picture.model.rowCount() == 2)
    assert view.picture.count.text_whole() == "9 pages · 2 of 7 pairs"


def test_a_click_on_a_line_shows_what_decided_it_and_a_double_click_opens_review(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    place = view.picture.graph.centre_of(row_of(view, 1, 2)).toPoint()
    qtbot.mouseClick(view.picture.graph, Qt.MouseButton.LeftButton, pos=place)
    settle(qtbot, controller)
    evidence = words(view.evidence)
    assert "Mirror" in evidence
    assert "1.  Resemblance 0.9 is above 0.6: the pages are identical" in evidence
    assert "3.  Relation: Mirror" in evidence
    assert "Direction: A took from B (moderate evidence) · A links to B" in evidence
    qtbot.mouseDClick(view.picture.graph, Qt.MouseButton.LeftButton, pos=place)
    settle(qtbot, controller)
    review = controller.window.view("review")
    assert isinstance(review, ReviewView)
    assert controller.window.current == "review"
    assert review.pair.opened is not None
    assert (review.pair.opened.a.key, review.pair.opened.b.key) == (1, 2)


def test_the_graph_is_walked_zoomed_and_opened_with_keys(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    graph = view.picture.graph
    requested: list[tuple[int, int, object]] = []
    controller.context.review_requested.disconnect()
    controller.context.review_requested.connect(lambda *place: requested.append(place))
    visited = set()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up):
        for _ in range(6):
            qtbot.keyClick(graph, key)
            visited.add(int(graph._content.drawing.keys[graph.page]))
    assert len(visited) >= 5
    pairs = set()
    for _ in range(3):
        qtbot.keyClick(graph, Qt.Key.Key_PageDown)
        pairs.add(graph.pair)
    assert -1 not in pairs
    before = graph._scale
    qtbot.keyClick(graph, Qt.Key.Key_Plus)
    assert graph._scale > before
    qtbot.keyClick(graph, Qt.Key.Key_0)
    assert graph._scale == before
    qtbot.keyClick(graph, Qt.Key.Key_Return)
    assert view.run.columns is not None
    row = int(graph._content.drawing.rows[graph.pair])
    assert requested == [(1, int(view.run.columns.a[row]), int(view.run.columns.b[row]))]


def test_the_graph_keeps_the_point_under_the_pointer_when_it_zooms(view: RelationsView) -> None:
    graph = view.picture.graph
    page = graph._points()[4]
    graph.zoom(2.0, QPointF(*page))
    assert np.allclose(graph._points()[4], page)


def test_a_matrix_in_the_memory_of_an_earlier_one_is_drawn_anew(qtbot: QtBot) -> None:
    def content(value: float) -> MatrixContent:
        values = np.full((2, 2), value, np.float32)
        return MatrixContent(np.array([1, 2]), "ab", ("", ""), ("", ""), values, np.eye(2, dtype=np.int32), (0,), "R")

    matrix, other = PairMatrix(), PairMatrix()
    for part in (matrix, other):
        qtbot.addWidget(part)
        part.resize(300, 300)
    matrix.set_content(content(0.1))
    matrix.grab()
    earlier = id(matrix._content)
    other.set_content(content(0.9))
    for _ in range(50):  # While it is hidden, several follow each other.
        matrix.set_content(content(0.9))
        if id(matrix._content) == earlier:
            break
    assert matrix.grab().toImage() == other.grab().toImage()


def test_cells_of_the_matrix_are_chosen_with_pointer_and_keys(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    controller.context.actions.run("relations.matrix")
    matrix = view.picture.matrix
    order = matrix._content.keys.tolist()
    matrix.cell = (-1, -1)
    qtbot.keyClick(matrix, Qt.Key.Key_Down)
    assert view.pair == int(matrix._content.row[matrix.cell]) >= 0
    i, j = order.index(2), order.index(3)
    qtbot.mouseClick(matrix, Qt.MouseButton.LeftButton, pos=matrix.cell_centre(i, j).toPoint())
    assert view.pair == row_of(view, 2, 3)
    matrix.cell = (order.index(1), order.index(2))
    qtbot.keyClick(matrix, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert view.pair == row_of(view, 1, 3)
    with qtbot.waitSignal(controller.context.review_requested) as requested:
        qtbot.keyClick(matrix, Qt.Key.Key_Return)
    assert requested.args == [1, 1, 3]


def test_whole_titles_and_sites_are_copied_with_a_key(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    view.choose(row_of(view, 1, 3))
    settle(qtbot, controller)
    controller.context.actions.run("relations.copy")
    assert QGuiApplication.clipboard().text() == "A\tPage 1\tsite1.example\nB\tPage 3\tsite3.example"


def test_arrows_point_at_the_copy_and_are_left_out_where_nobody_can_tell(view: RelationsView) -> None:
    content = view.picture.graph._content
    keys = content.drawing.keys
    heads = {
        (int(keys[one]), int(keys[other])): towards
        for one, other, towards in zip(content.drawing.one, content.drawing.other, content.towards, strict=True)
    }
    assert heads == {(1, 2): -1, (1, 3): -1, (2, 3): -1, (5, 4): 0, (6, 7): 0, (6, 8): 0, (6, 9): 0}
    colour, ground = QColor(255, 0, 0), QColor(255, 255, 255)
    picture = QImage(60, 30, QImage.Format.Format_RGB32)
    picture.fill(ground)
    with painting(picture) as painter:
        draw_arrow(painter, colour, QPointF(5, 15), QPointF(50, 15), 10)
    red = [x for x in range(60) if picture.pixelColor(x, 15) == colour]
    assert min(red) == 40
    assert 44 <= max(red) < 50
    assert picture.pixelColor(41, 13) == colour
    assert picture.pixelColor(49, 12) == ground


def test_a_row_of_the_table_is_the_pair_everywhere(qtbot: QtBot, controller: Controller, view: RelationsView) -> None:
    controller.context.actions.run("relations.table")
    view.picture.table.select_keys([row_of(view, 5, 4)])
    settle(qtbot, controller)
    assert view.pair == row_of(view, 5, 4)
    assert view.picture.graph._content.drawing.rows[view.picture.graph.pair] == view.pair
    assert view.picture.matrix.cell != (-1, -1)
    assert "Citation" in words(view.evidence)


def test_a_stitched_page_is_shown_with_its_sources(qtbot: QtBot, controller: Controller, view: RelationsView) -> None:
    controller.context.actions.run("relations.stitched")
    settle(qtbot, controller)
    assert view.groups.model.index(0).data() == "Page 6"
    assert view.groups.model.group(0).figure == "100 %"
    assert "Assembled from 3 unrelated pages: 210 of 210 characters of its content" in words(view.evidence)
    assert sorted(view.picture.graph._content.drawing.keys.tolist()) == [6, 7, 8, 9]
    button = view.evidence.stitched.sources.itemAt(1).widget()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    settle(qtbot, controller)
    assert view.pair == row_of(view, 6, 8)
    controller.context.actions.run("relations.clusters")
    settle(qtbot, controller)
    assert not view.evidence.stitched.isVisible()
    assert len(view.picture.graph._content.drawing.keys) == 9
    view.groups.set_scope(view.groups.model.index(1).data(SCOPE_ROLE))
    assert view.groups.list.currentIndex().row() == 1


def test_what_is_not_listed_of_a_stitched_page_is_counted(view: RelationsView) -> None:
    page = StitchedPage(6, 310, 310, (StitchedSource(7, 10),) * 31, others=2, proven=False)
    view.evidence.stitched.show_page(page, view.run)
    assert (
        "and 1 more source\n"
        "2 other pages share as much with it, but are related to one of these.\n"
        "The search limit was reached: a better set of sources may exist."
    ) in words(view.evidence.stitched)


def test_stitched_pages_are_looked_for_again_with_other_limits(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    view.groups.show_list(stitched=True)
    view.groups.limits.fields["sources"].setValue(4)
    qtbot.waitUntil(lambda: view.groups.stitched_chip.text() == "Stitched pages 0")
    settle(qtbot, controller)
    assert view.groups.note.text().startswith("With these limits no page")
    assert view.groups.scope == Scope()


def test_a_verdict_is_a_label_of_the_pair_and_undo_takes_it_back(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    def stored() -> list[str]:
        assert view.context.session is not None
        with view.context.session.read() as connection:
            return [label.value for label in labels.current(connection, "near-duplicate").values()]

    actions = controller.context.actions
    assert not actions.offered("relations.verdict-near-duplicate")
    view.choose(row_of(view, 1, 2))
    settle(qtbot, controller)
    actions.run("relations.verdict-near-duplicate")
    settle(qtbot, controller)
    assert stored() == ["near-duplicate"]
    assert view.evidence.verdict.buttons["near-duplicate"].isChecked()
    actions.run("edit.undo")
    settle(qtbot, controller)
    assert stored() == []
    assert not view.evidence.verdict.buttons["near-duplicate"].isChecked()


def test_no_pair_of_a_removed_run_can_be_judged(qtbot: QtBot, controller: Controller, view: RelationsView) -> None:
    view.choose(row_of(view, 1, 2))
    settle(qtbot, controller)
    run = view.run.run
    assert run is not None
    controller.context.change(lambda session: remove_runs(session, [run.id]), 0)
    controller.context.announce({"runs", "matches"})
    settle(qtbot, controller)
    assert not view.has_pair()
    for key in ("verdict-near-duplicate", "review", "note"):
        assert not controller.context.actions.offered(f"relations.{key}")
    assert view.evidence.pair is None


def test_where_a_pair_cannot_be_read_the_pair_before_is_not_judged(
    qtbot: QtBot, controller: Controller, view: RelationsView, case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.choose(row_of(view, 1, 2))
    settle(qtbot, controller)

    def refuse(_session: Session) -> None:
        raise UserError("The text of d3 cannot be read.")

    monkeypatch.setattr("workbench.gui.screens.relations.view.read_pair", lambda _run, _a, _b: refuse)
    view.choose(row_of(view, 1, 3))
    settle(qtbot, controller)
    assert controller.window.banner.text.text() == "The text of d3 cannot be read."
    controller.context.actions.run("relations.verdict-not")
    settle(qtbot, controller)
    with Session(case, write=False) as session, session.read() as connection:
        assert not labels.current(connection, "near-duplicate")
    assert view.evidence.pair is None


def test_a_verdict_on_a_pair_whose_labels_could_not_be_read_is_given_once_they_can(
    qtbot: QtBot, controller: Controller, view: RelationsView, case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, broken = unit_judging.judged_events, [True]

    def read_or_refuse(session: Session, unit: Unit, judgement: Judgement | None) -> list[tuple[Label, bool]]:
        if broken[0]:
            raise UserError("The disk cannot be read.")
        return read(session, unit, judgement)

    monkeypatch.setattr(unit_judging, "judged_events", read_or_refuse)
    view.choose(row_of(view, 1, 2))
    settle(qtbot, controller)
    assert controller.window.banner.text.text() == "The disk cannot be read."
    broken[0] = False
    controller.context.actions.run("relations.verdict-near-duplicate")
    settle(qtbot, controller)
    with Session(case, write=False) as session, session.read() as connection:
        assert [label.value for label in labels.current(connection, "near-duplicate").values()] == ["near-duplicate"]


def test_a_run_without_passages_says_why_there_are_no_stitched_pages(start: Start, tmp_path: Path) -> None:
    view = shown(start(build(tmp_path / "whole.palimpsest", whole=True), "relations"))
    view.groups.show_list(stitched=True)
    assert view.groups.stitched_chip.text() == "Stitched pages –"
    assert "has no passages" in view.groups.note.text()
    assert view.groups.note.isVisible()


def test_nothing_to_show_says_what_to_do_next(qtbot: QtBot, start: Start, tmp_path: Path) -> None:
    create(tmp_path / "empty.palimpsest")
    controller = start(tmp_path / "empty.palimpsest", "relations")
    view = shown(controller)
    assert "No documents yet" in words(view)
    assert view.context.session is not None
    with view.context.session.write() as connection:
        add_documents(connection, [Document("d", "文")])
    controller.context.announce({"documents"})
    settle(qtbot, controller)
    assert any("Run rare-sentences in Detect" in text for text in words(view))
    button = next(b for b in view.findChildren(QPushButton) if b.text() == "Go to Detect" and b.isVisible())
    button.click()
    assert controller.window.current == "detect"


def test_switching_every_class_off_offers_the_way_back(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    for chip in view.picture.classes.chips:
        chip.click()
    settle(qtbot, controller)
    assert view.picture.stack.currentWidget() is view.picture.nothing
    view.picture.classes.show_all()
    settle(qtbot, controller)
    assert view.picture.stack.currentWidget() is view.picture.graph
    assert all(chip.isChecked() for chip in view.picture.classes.chips)


def test_while_another_run_is_being_drawn_it_is_not_said_to_have_no_pairs(
    qtbot: QtBot, controller: Controller, view: RelationsView
) -> None:
    view.picture.show_run(view.run, ranked_words(view.run))
    for mode in ("graph", "matrix", "table"):
        view.picture.show_mode(mode)
        assert view.picture.stack.currentWidget() is view.picture.waiting
        assert view.first_focus() is None
    view._draw()
    settle(qtbot, controller)
    assert view.picture.stack.currentWidget() is view.picture.table
    assert view.first_focus() is view.picture.table


def test_the_numbers_of_pages_and_pairs_are_elided_in_a_narrow_panel(view: RelationsView) -> None:
    count = view.picture.count
    count.resize(60, count.height())
    assert count.text().endswith("…")
    assert count.toolTip() == "9 pages · 7 pairs"


def test_the_run_and_the_way_of_looking_are_taken_up_again(view: RelationsView) -> None:
    view.picture.show_mode("matrix")
    state = view.save_state()
    view.picture.show_mode("graph")
    view.restore_state(state)
    assert (view.picture.mode, state["run"]) == ("matrix", 1)
    view.restore_state({"mode": 7, "sizes": "wide", "run": "x"})


def test_the_graph_is_exported_where_it_is_asked_for(
    qtbot: QtBot, controller: Controller, view: RelationsView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.gexf"
    monkeypatch.setattr(file_dialogs, "save_file", lambda *_rest: (path, ""))
    controller.context.actions.run("relations.export")
    qtbot.waitUntil(path.is_file)
    settle(qtbot, controller)
    assert view.run.columns is not None
    assert len(networkx.read_gexf(path).edges) == len(view.run.columns)
