"""The models of Relations: Qt's own tester, and what they show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, QRectF, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.gui.relation_case import build
from workbench.base.messages import Message
from workbench.base.types import Document, Match, Matches, PairScore, Results, Role, Span
from workbench.gui import i18n
from workbench.gui.charts.page_graph import PageGraph
from workbench.gui.charts.page_graph_paint import GraphContent, GraphPainter
from workbench.gui.judging.evidence_words import pair_words
from workbench.gui.judging.relation_words import decision_steps, relation_word
from workbench.gui.screens.relations.groups_panel import GroupModel
from workbench.gui.screens.relations.run import RelationRun, Scope, make_picture, read_run
from workbench.gui.screens.relations.table import RelationTable, ranked_words
from workbench.gui.theme.tokens import LIGHT
from workbench.project.documents import add_documents
from workbench.project.listing import DocumentItem
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.relations.clusters import ClusterOptions, clusters
from workbench.services.relations.layout import Drawing
from workbench.services.relations.pair_columns import PairColumns, pair_of
from workbench.services.relations.stitched import StitchedPage
from workbench.services.session import Session, create


@pytest.fixture(autouse=True)
def english() -> None:
    i18n.use("en")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RelationRun]:
    with Session(build(tmp_path / "pages.palimpsest"), write=False) as session:
        yield read_run(session, None)


def test_the_table_passes_the_model_tester_and_writes_what_decided(
    run: RelationRun, qtmodeltester: ModelTester
) -> None:
    model = RelationTable()
    model.set_run(run, ranked_words(run))
    qtmodeltester.check(model, force_py=True)
    model.sort(4, Qt.SortOrder.DescendingOrder)
    model.narrow("page 3", None)
    qtmodeltester.check(model, force_py=True)
    titles = [[model.index(r, c).data() for c in range(4)] for r in range(model.rowCount())]
    assert titles == [["Page 1", "←", "Page 3", "Inclusion"], ["Page 2", "←", "Page 3", "Inclusion"]]
    decided = next(at for at, column in enumerate(model.columns) if column.name == "decision")
    assert model.index(0, decided).data() == (
        "Resemblance 0.9 is above 0.6: the pages are identical · "
        "Address similarity 0.5 is above 0: the addresses are similar"
    )


def test_the_table_names_sites_and_says_what_a_direction_rests_on(run: RelationRun) -> None:
    model = RelationTable()
    model.set_run(run, ranked_words(run))
    tip = Qt.ItemDataRole.ToolTipRole
    rows = {tuple(model.index(r, c).data() for c in (0, 2)): r for r in range(model.rowCount())}
    first = rows["Page 1", "Page 3"]
    assert model.index(first, 0).data(tip) == "Page 1\nsite1.example"
    assert model.index(first, 2).data(Qt.ItemDataRole.AccessibleTextRole) == "Page 3\nsite3.example"
    assert model.index(first, 1).data(tip) == "Direction: A took from B (moderate evidence) · A links to B"
    unknown = rows["Page 5", "Page 4"]
    assert (model.index(unknown, 1).data(), model.index(unknown, 1).data(tip)[:22]) == (
        "?",
        "Direction: Cannot tell",
    )
    model.narrow("SITE3", None)
    assert {model.index(r, 2).data() for r in range(model.rowCount())} == {"Page 3", "Page 7"}
    assert run.columns is not None
    ways = {"a from b": -1, "cannot tell": 0, "": 0}
    assert run.columns.towards().tolist() == [ways[word] for word in run.columns.words["direction"]]


def test_classes_are_counted_in_the_selection(run: RelationRun) -> None:
    columns = run.columns
    assert columns is not None
    grouping, every = clusters(columns), np.ones(len(columns.relations), np.bool_)
    whole = make_picture(columns, grouping, Scope(), every).counts
    assert dict(zip(columns.relations, whole.tolist(), strict=True)) == {
        "shared sentences": 3,
        "inclusion": 2,
        "mirror": 1,
        "citation": 1,
    }
    one = make_picture(columns, grouping, Scope(1), ~every).counts
    assert dict(zip(columns.relations, one.tolist(), strict=True)) == {
        "shared sentences": 0,
        "inclusion": 2,
        "mirror": 1,
        "citation": 0,
    }


def test_columns_without_values_are_hidden(tmp_path: Path) -> None:
    with Session(build(tmp_path / "whole.palimpsest", whole=True), write=False) as session:
        run_columns = read_run(session, None)
    model = RelationTable()
    model.set_run(run_columns, ranked_words(run_columns))
    assert {model.columns[at].name for at in model.hidden()} == {"score", "matches"}


def test_clusters_and_stitched_pages_pass_the_model_tester(run: RelationRun, qtmodeltester: ModelTester) -> None:
    assert run.columns is not None
    model = GroupModel()
    qtmodeltester.check(model, force_py=True)
    model.show_clusters(run, clusters(run.columns))
    assert [model.index(r).data() for r in range(model.rowCount())] == ["All pages", "Page 6", "Page 1", "Page 4"]
    assert model.group(2).third == "3 pairs · 0.40–0.90"
    model.set_stitched(True)
    qtmodeltester.check(model, force_py=True)


def test_stitched_pages_that_come_before_the_clusters_of_their_run_have_titles(run: RelationRun) -> None:
    assert run.columns is not None
    model = GroupModel()
    model.set_stitched(True)
    key = int(next(iter(run.columns.items)))
    model.show_stitched(run, (StitchedPage(key, 100, 60, (), 0, True),))
    assert model.index(0).data() == run.title(key)
    model.set_stitched(False)
    assert model.rowCount() == 0


def test_a_hundred_thousand_pairs_are_counted_where_they_are_not_drawn() -> None:
    count = 100_000
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 30_000, (2, count))
    figure, none = rng.random(count), np.full(count, np.nan)
    items = {key: DocumentItem(key, f"d{key}", "", Role.SOURCE, "ja", 9, "", "") for key in range(1, 30_000)}
    zero = np.zeros(count, np.int64)
    columns = PairColumns(a, b, figure, figure, none, zero, zero.astype(np.int16), ("",), {}, {}, items)
    grouping = clusters(columns, ClusterOptions(largest=0))
    picture = make_picture(columns, grouping, Scope(), np.ones(1, np.bool_))
    assert len(picture.drawing.keys) <= 400
    assert len(picture.drawing.keys) + picture.drawing.pages_left_out == len(grouping.pages)
    assert len(picture.drawing.rows) + picture.drawing.pairs_left_out == count
    assert len(picture.matrix.keys) + picture.matrix.left_out == picture.pages == len(grouping.pages)


def test_unknown_words_of_a_method_stay_as_they_are() -> None:
    assert relation_word("cousin") == "cousin"
    steps = Message("R {value} <= {limit}", value="0.1", limit="0.6"), "something else"
    i18n.use("en")
    assert decision_steps(Message.joined("; ", steps)) == ["Resemblance 0.1 is not above 0.6", "something else"]
    assert decision_steps("R 0.1 <= 0.6; something else") == ["R 0.1 <= 0.6; something else"]


def test_the_page_with_the_most_pairs_has_its_title_beside_it_wherever_there_is_room() -> None:
    # The pages on the right leave no room there, so the title is on the left.
    place = np.array([[200.0, 150], [230, 140], [230, 160], [200, 60], [200, 240]])
    zero = np.zeros(5, np.int64)
    hub, others = np.zeros(4, np.int64), np.arange(1, 5)
    drawing = Drawing(np.arange(5), place[:, 0], place[:, 1], zero, np.arange(4), hub, others, 0, 0)
    content = GraphContent(
        drawing, ["Hub", *"BCDE"], [""] * 5, [""] * 5, [Role.SOURCE] * 5, relation=["identical"] * 4, towards=[0] * 4
    )
    painter = MagicMock()
    GraphPainter(painter, content, place, np.full(5, 6.0), LIGHT, QRectF(0, 0, 400, 300)).whole()
    boxes = {call.args[2]: call.args[0] for call in painter.drawText.call_args_list if call.args[2]}
    assert list(boxes) == ["Hub", *"BCDE"]
    assert boxes["Hub"].right() == 200 - 6 - 4
    assert boxes["B"].left() == 230 + 6 + 4


def test_a_graph_is_dragged_without_choosing_and_clicked_without_moving(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = PageGraph()
    qtbot.addWidget(graph)
    graph.resize(400, 300)
    none = np.zeros(3, np.int64)
    drawing = Drawing(
        np.array([7, 8, 9]), np.array([0.0, 4.0, 4.0]), np.array([0.0, 0.0, 3.0]), none,
        np.array([5, 6]), np.array([0, 1]), np.array([1, 2]), 0, 0,
    )  # fmt: skip
    content = GraphContent(
        drawing, ["A", "B", "C"], ["a.example", "", "c.example"], [""] * 3, [Role.SOURCE] * 3,
        relation=["identical"] * 2, towards=[0, 0], radius=np.full(3, 5.0),
    )  # fmt: skip
    graph.set_content(content)
    assert graph.accessibleDescription() == "3 pages, 2 pairs"
    happenings: list[tuple[str, int]] = []
    for name, signal in (("page", graph.page_chosen), ("pair", graph.pair_chosen), ("open", graph.opened)):
        signal.connect(lambda value, name=name: happenings.append((name, value)))
    left = Qt.MouseButton.LeftButton

    def place(page: int) -> QPoint:
        return QPointF(*graph._points()[page]).toPoint()

    names: list[list[str]] = []
    with qtbot.waitExposed(graph):
        graph.show()
    QCoreApplication.processEvents()
    monkeypatch.setattr(GraphPainter, "names", lambda _hand, pages: names.append([content.titles[at] for at in pages]))
    for spot, named in ((place(1), ["B"]), (QPoint(3, 3), [])):
        qtbot.mouseMove(graph, spot)
        qtbot.waitUntil(lambda named=named: names[-1:] == [named])

    before = place(0)
    # A hand that trembles still clicks; one that pulls moves everything and chooses nothing.
    for pull, moved in ((QPoint(2, 1), False), (QPoint(30, 20), True)):
        happenings.clear()
        start = place(0)
        qtbot.mousePress(graph, left, pos=start)
        qtbot.mouseMove(graph, start + pull)
        qtbot.mouseRelease(graph, left, pos=start + pull)
        assert (place(0) != start) is moved
        assert happenings == ([] if moved else [("page", 7), ("pair", 5)])
    assert place(0) - before == QPoint(30, 20)
    assert graph.accessibleDescription() == "A, a.example"
    happenings.clear()
    qtbot.mouseClick(graph, left, pos=graph.centre_of(6).toPoint())
    qtbot.mouseDClick(graph, left, pos=graph.centre_of(6).toPoint())
    assert {("pair", 6), ("open", 6)} <= set(happenings)
    qtbot.mouseMove(graph, QPoint(3, 3))
    qtbot.waitUntil(lambda: names[-1] == ["B", "C"])
    assert ("open", 5) not in happenings
    happenings.clear()
    qtbot.mouseClick(graph, Qt.MouseButton.RightButton, pos=place(1))
    qtbot.mouseClick(graph, left, pos=QPoint(3, 3))
    assert happenings == []
    span = place(2) - place(0)
    qtbot.keyClick(graph, Qt.Key.Key_Minus)
    assert (place(2) - place(0)).manhattanLength() < span.manhattanLength()
    at = place(0)
    qtbot.keyClick(graph, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert place(0).x() < at.x()
    assert place(0).y() == at.y()
    qtbot.keyClick(graph, Qt.Key.Key_0)
    assert place(0) == before


def test_pairs_of_a_method_that_stores_no_direction_have_arrows_too(tmp_path: Path) -> None:
    pages = [
        Document(name, f"text of {name}", url=f"https://{name}.example/", published=f"{year}-05-06")
        for name, year in (("copy", 2024), ("first", 2019))
    ]
    create(tmp_path / "pages.palimpsest")
    with Session(tmp_path / "pages.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, pages)
            of_pairs = begin_run(connection, "minhash", 1, {}, "0", 1)
            finish_chunk(connection, of_pairs.id, 0, Results(pairs=(PairScore(1, 2, 0.9),)))
            finish_run(connection, of_pairs.id)
        run = read_run(session, None)
    model = RelationTable()
    model.set_run(run, ranked_words(run))
    assert model.index(0, 1).data() == "←"
    assert run.columns is not None
    assert run.columns.towards().tolist() == [-1]


@pytest.mark.parametrize(("method_score", "name"), [(None, "Score sum"), (0.7, "Score")])
def test_scores_of_pairs_that_are_sums_are_called_so(tmp_path: Path, method_score: float | None, name: str) -> None:
    create(tmp_path / "pages.palimpsest")
    matches = [Match(1, 2, Span(at, at + 4), Span(at, at + 4), 0.9, {"tier": 0}) for at in (0, 10)]
    own = () if method_score is None else (PairScore(1, 2, method_score),)
    with Session(tmp_path / "pages.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, [Document(name, "a text of twenty letters") for name in ("copy", "first")])
            of_passages = begin_run(connection, "altered", 1, {}, "0", 1)
            finish_chunk(connection, of_passages.id, 0, Results(Matches.of(matches), own))
            finish_run(connection, of_passages.id)
        run = read_run(session, None)
        pair = pair_of(session, of_passages.id, 1, 2)
    model = RelationTable()
    model.set_run(run, ranked_words(run))
    assert name in [model.headerData(at, Qt.Orientation.Horizontal) for at in range(len(model.columns))]
    assert pair is not None
    assert [(w.name, w.value) for w in pair_words(pair)] == [(name, "1.800" if method_score is None else "0.700")]
