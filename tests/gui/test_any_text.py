"""Everything that draws or reads text does so for any text and any marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.any_text import marks_of, spans, texts
from workbench.base.types import Matches, Role
from workbench.gui.charts.dot_plot import DotPlot
from workbench.gui.charts.page_graph import PageGraph
from workbench.gui.charts.page_graph_paint import GraphContent
from workbench.gui.charts.pair_matrix import MatrixContent, PairMatrix
from workbench.gui.document.accessible import DocumentText
from workbench.gui.document.layout import DocumentLayout
from workbench.gui.document.marks import Marks
from workbench.gui.document.overview_ruler import OverviewRuler
from workbench.gui.document.passage_quote import PassageQuote
from workbench.gui.document.ribbons import Ribbons
from workbench.gui.document.view import DocumentView
from workbench.gui.kit.figures import FigureBar, FigureWords
from workbench.gui.kit.tables import LanguageDelegate, TagDelegate
from workbench.gui.kit.widgets import Elided
from workbench.gui.problems import painting, recorder
from workbench.gui.screens.jobs.job_list import JobDelegate
from workbench.gui.screens.relations.evidence_panel import SourceButton
from workbench.gui.screens.relations.groups_panel import Group, GroupDelegate
from workbench.gui.screens.relations.picture_panel import ClassChip
from workbench.gui.screens.review.pair_bars import SourceChip
from workbench.gui.screens.review.suspect_list import SuspectDelegate, SuspectItem
from workbench.gui.screens.start.view import RecentDelegate
from workbench.gui.theme.fonts import text_font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import DARK, LIGHT
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.services.relations.layout import Drawing
from workbench.services.review.pairs import RankedSource, SuspectRow

Index = QModelIndex | QPersistentModelIndex
KEYS = (
    *(Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp),
    *(Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Return, Qt.Key.Key_A, Qt.Key.Key_C, Qt.Key.Key_Menu),
)
MODIFIERS = tuple(Qt.KeyboardModifier[f"{name}Modifier"] for name in ("No", "Shift", "Control"))
ONE_LINE = "一行だけの長い文。word " * 25_000
KINDS = ("inserted", "deleted", "replaced")
any_case = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def panes(qtbot: QtBot) -> tuple[DocumentView, DocumentView, list[QWidget]]:
    """Two views of documents, and what is drawn from both."""
    left, right = DocumentView(), DocumentView()
    others: list[QWidget] = [OverviewRuler(left), OverviewRuler(right), Ribbons(left, right), DotPlot()]
    for widget in (left, right, *others):
        qtbot.addWidget(widget)
        widget.resize(320, 260)
        widget.show()
    return left, right, others


def unproblematic() -> None:
    report = recorder().report() if len(recorder()) else ""
    recorder().clear()
    assert not report, report


def matches_of(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> Matches:
    n = min(len(left), len(right))
    a, b = (np.array(side[:n], np.int64).reshape(-1, 2) for side in (left, right))
    ones = np.ones(n, np.int64)
    tiers = (np.arange(n) % 3).astype(np.int8)
    return Matches(ones, ones, a[:, 0], a[:, 1], b[:, 0], b[:, 1], np.ones(n), tiers, {"segments": ones})


def fill(view: DocumentView, text: str, ranges: list[tuple[int, int]], active: int) -> None:
    blocks = sorted(ranges)[:2]
    view.set_document(DocumentLayout(text, blocks[:1]), "ja", blocks, text[:50])
    marks = marks_of(ranges)
    limits = enumerate(zip(marks.start.tolist(), marks.end.tolist(), strict=True))
    view.set_marks(replace(marks, gaps={row: [(start, (start + end) // 2)] for row, (start, end) in limits}))
    view.set_active(active, [(start, end, KINDS[n % 3]) for n, (start, end) in enumerate(ranges)])
    columns = np.array(sorted(ranges), np.int64).reshape(-1, 2)
    view.set_search_hits(
        columns[:, 0].copy(), np.maximum.accumulate(columns[:, 1]) if len(columns) else columns[:, 1], 0
    )
    view.set_regions(sorted(ranges))


def use(view: DocumentView, place: QPoint, key: Qt.Key, modifier: Qt.KeyboardModifier) -> None:
    """Point, select, press a key, zoom, resize, scroll; draw after each."""
    pane = view.viewport()
    QTest.mouseClick(pane, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    QTest.mouseDClick(pane, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    QTest.mousePress(pane, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(60, 20))
    QTest.mouseMove(pane, place)
    QTest.mouseRelease(pane, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    view.viewportEvent(QHelpEvent(QHelpEvent.Type.ToolTip, place, pane.mapToGlobal(place)))
    view.contextMenuEvent(QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, pane.mapToGlobal(place)))
    QTest.keyClick(view, key, modifier)
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    view.select(0, view.lines.length)
    view.copy()
    view.grab()
    view.set_size(view.size_px + 1 if view.size_px < 20 else 12)
    view.resize(300 if view.width() != 300 else 190, 240)
    wheel = QWheelEvent(
        QPointF(place),
        QPointF(place),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    view.wheelEvent(wheel)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    view.set_tokens(DARK if view.tokens is LIGHT else LIGHT)
    view.grab()
    for start, end in zip(view.marks.start.tolist(), view.marks.end.tolist(), strict=True):
        view.reveal(start, end)
        view.show_place(end)


@any_case
@given(data=st.data())
def test_two_documents_and_what_is_drawn_from_them(
    panes: tuple[DocumentView, DocumentView, list[QWidget]], data: st.DataObject
) -> None:
    left, right, others = panes
    sides = []
    for view in (left, right):
        text = data.draw(texts)
        ranges = data.draw(spans(len(text)))
        fill(view, text, ranges, data.draw(st.integers(-1, 6)))
        sides.append(ranges)
    matches = matches_of(*sides)
    numbers = np.arange(len(matches))
    *_, ribbons, plot = others
    assert isinstance(ribbons, Ribbons)
    assert isinstance(plot, DotPlot)
    ribbons.set_matches(matches, numbers)
    plot.set_matches(matches, numbers, left.lines.length, right.lines.length)
    for pointer in (ribbons, plot):
        pointer.set_active(data.draw(st.integers(-1, 6)))
    plot.set_view(left.visible_offsets(), right.visible_offsets())
    place = QPoint(data.draw(st.integers(-20, 340)), data.draw(st.integers(-20, 280)))
    use(left, place, data.draw(st.sampled_from(KEYS)), data.draw(st.sampled_from(MODIFIERS)))
    for part in others:
        part.grab()
        QTest.mouseClick(part, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
        part.resize(part.width(), data.draw(st.integers(1, 400)))
        part.grab()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_Down):
        QTest.keyClick(plot, key)
    unproblematic()


def test_a_line_of_300_000_characters(panes: tuple[DocumentView, DocumentView, list[QWidget]]) -> None:
    left, right, others = panes
    length = len(ONE_LINE)
    assert length >= 300_000
    for view in (left, right):
        fill(view, ONE_LINE, [(0, length), (5, 5), (length - 1, length), (length, length), (700, 140_000)], 0)
    for place in (QPoint(100, 100), QPoint(319, 259)):
        use(left, place, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    for part in others:
        part.grab()
    unproblematic()


@any_case
@given(data=st.data())
def test_hits_and_places_agree_with_the_text(qapp: object, data: st.DataObject) -> None:
    text = data.draw(texts)
    layout = DocumentLayout(text)
    layout.measure(text_font("ja", 15), data.draw(st.sampled_from([1, 60, 200, 700])))
    for offset in {0, len(text), data.draw(st.integers(0, len(text)))}:
        x, y = layout.x_of(offset), layout.y_of(offset)
        assert x >= 0
        assert layout.tops[0] <= y < layout.total
        offset_there = layout.offset_at(x, y + 1)
        assert 0 <= offset_there <= len(text)
        assert layout.piece_at(offset_there) == layout.piece_at(offset)
    for y in (-50.0, 0.0, data.draw(st.floats(0, 2_000)), 1e7):
        assert 0 <= layout.offset_at(data.draw(st.floats(-50, 2_000)), y) <= len(text)
        assert 0 <= layout.offset_near(y) <= len(text)
    for start, end in data.draw(spans(len(text))):
        for index in range(len(layout.starts)):
            boxes = layout.boxes(index, start, end)
            inside = max(start, layout.starts[index]) < min(end, layout.ends[index])
            assert bool(boxes) == bool(inside)


def owners(marks: Marks, start: int, end: int, active: frozenset[int]) -> list[tuple[int, int, int]]:
    """Offset, mark and number of marks of each marked character in ``[start, end)``, one by one."""
    rows = []
    for offset in range(start, end):
        over = [r for r in range(len(marks)) if marks.start[r] <= offset < marks.end[r]]
        if over:
            first = min(
                over,
                key=lambda r: (
                    not (int(marks.number[r]) in active and marks.source[r] == 0),
                    marks.source[r] > 0,
                    marks.kind[r],
                    marks.end[r] - marks.start[r],
                    r,
                ),
            )
            rows.append((offset, first, len(over)))
    return rows


@given(data=st.data())
def test_stretches_are_what_each_character_says(data: st.DataObject) -> None:
    length = data.draw(st.integers(0, 30))
    marks = marks_of(data.draw(spans(length)))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, length)] * 2)))
    active = data.draw(st.frozensets(st.integers(0, 6), max_size=2))
    cut = marks.stretches(start, end, active)
    flat = [(offset, s.mark, s.covered) for s in cut for offset in range(s.start, s.end)]
    assert flat == owners(marks, start, end, active)
    assert all(s.start < s.end for s in cut)


@given(data=st.data())
def test_text_within_a_match_that_is_not_part_of_it_is_told_apart(data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 30))
    columns = marks_of(data.draw(spans(length)))
    gaps = {}
    for row in range(len(columns)):
        low, high = sorted(data.draw(st.tuples(*[st.integers(int(columns.start[row]), int(columns.end[row]))] * 2)))
        if low < high:
            gaps[row] = [(low, high)]
    mixed = np.array(data.draw(st.permutations(range(len(columns)))), np.int64)
    parts = (columns.start, columns.end, columns.kind, columns.number, columns.source)
    by_row = {at: gaps[row] for at, row in enumerate(mixed.tolist()) if row in gaps}
    marks = Marks.of(*(part[mixed] for part in parts), by_row)
    flat = [(at, s.mark, s.apart) for s in marks.stretches(0, length) for at in range(s.start, s.end)]
    assert [(at, row) for at, row, _ in flat] == [(at, row) for at, row, _ in owners(marks, 0, length, ())]
    for at, row, apart in flat:
        assert apart == any(low <= at < high for low, high in marks.gaps.get(row, ()))
    assert {(int(marks.number[row]), *spans[0]) for row, spans in marks.gaps.items()} == {
        (int(columns.number[row]), *spans[0]) for row, spans in gaps.items()
    }


@any_case
@given(data=st.data())
def test_screen_readers_get_the_text_whole_and_in_parts(
    panes: tuple[DocumentView, DocumentView, list[QWidget]], data: st.DataObject
) -> None:
    view = panes[0]
    text = data.draw(texts)
    view.set_document(DocumentLayout(text), "ja")
    reader = DocumentText(view)
    units = reader.characterCount()
    assert units == len(text.encode("utf-16-le", "surrogatepass")) // 2
    assert reader.text(0, units) == text
    at = data.draw(st.integers(-2, units + 2))
    reader.setCursorPosition(at)
    reader.characterRect(at)
    reader.setSelection(0, *sorted((at, data.draw(st.integers(0, units)))))
    assert reader.selection(0)[1] <= units
    reader.scrollToSubstring(at, units)
    assert 0 <= reader.offsetAtPoint(view.mapToGlobal(QPoint(90, 40))) <= units
    unproblematic()


@any_case
@given(data=st.data())
def test_a_passage_is_quoted_with_its_differences(qtbot: QtBot, data: st.DataObject) -> None:
    quote = PassageQuote()
    text = data.draw(texts)
    changes = [(start, end, KINDS[n % 3]) for n, (start, end) in enumerate(data.draw(spans(len(text))))]
    quote.show_passage(text, "zh", LIGHT.exact, changes)
    quote.grab()
    quote.resize(data.draw(st.integers(1, 500)), quote.height())
    quote.grab()
    quote.deleteLater()
    unproblematic()


class One(QAbstractListModel):
    """One row that answers ``value`` to every role."""

    def __init__(self, value: Callable[[int], object]) -> None:
        super().__init__()
        self._value = value

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's own
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self._value(role)


def drawn(delegate: QStyledItemDelegate, value: Callable[[int], object], width: int) -> None:
    model = One(value)
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, width, 76)
    option.state = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus
    image = QImage(max(1, width), 80, QImage.Format.Format_RGB32)
    with painting(image) as painter:
        delegate.sizeHint(option, model.index(0))
        delegate.paint(painter, option, model.index(0))


@any_case
@given(title=texts, second=texts, width=st.integers(0, 500), share=st.floats(0, 1), count=st.integers(0, 10**9))
def test_rows_of_lists_and_tables_are_drawn(
    qtbot: QtBot, title: str, second: str, width: int, share: float, count: int
) -> None:
    theme = Theme("light")
    row = SuspectRow(1, second, title, "ja", count, "", count * share, share, count, count, 1)
    suspect = SuspectItem(
        row, row.title, count, "open", count, share, (count, 0, count), second, "zh", whole=bool(count % 2)
    )
    group = Group(title, second, title, second, share, "zh")
    record = JobRecord("1", title, "running", second, count, count + 1, error=title, warnings=[(title, second)])
    for delegate, value in (
        (SuspectDelegate(theme), suspect),
        (GroupDelegate(theme), group),
        (JobDelegate(theme, theme), record),
        (RecentDelegate(theme, theme), title),
        (TagDelegate(theme, lambda _index: "accent", theme), title),
        (LanguageDelegate(lambda _index: "ja", theme), title),
    ):

        def answer(role: int, value: object = value) -> object:
            return title if role == Qt.ItemDataRole.DisplayRole else value if role >= Qt.ItemDataRole.UserRole else None

        drawn(delegate, answer, width)
    unproblematic()


@any_case
@given(title=texts, second=texts, width=st.integers(1, 400), share=st.floats(0, 1), matches=st.integers(0, 3))
def test_chips_bars_and_labels_are_drawn(
    qtbot: QtBot, title: str, second: str, width: int, share: float, matches: int
) -> None:
    theme = Theme("dark")
    for part in (
        SourceChip(theme, RankedSource(1, 1, title, "ja", matches, share)),
        SourceButton(1, title, second, "zh", share, LIGHT),
        ClassChip(title, matches, LIGHT),
        FigureBar(FigureWords(title, second, title, share), LIGHT.exact, LIGHT),
        Elided(title),
    ):
        part.sizeHint()
        part.resize(width, 40)
        part.grab()
        part.deleteLater()
    unproblematic()


@any_case
@given(data=st.data())
def test_graphs_and_matrices_of_pages_are_drawn(qtbot: QtBot, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 6))
    titles = data.draw(st.lists(texts, min_size=n, max_size=n))
    places = data.draw(st.lists(st.floats(-5, 5), min_size=2 * n, max_size=2 * n))
    pairs = [(i, j) for i in range(n) for j in range(i)][: data.draw(st.integers(0, 5))]
    one, other = (np.array([p[side] for p in pairs], np.int64) for side in (0, 1))
    keys, rows = np.arange(1, n + 1), np.arange(len(pairs))
    x, y = np.array(places[:n], np.float64), np.array(places[n:], np.float64)
    graph = PageGraph()
    content = GraphContent(
        Drawing(keys, x, y, np.zeros(n, np.int64), rows, one, other, 0, 0),
        titles,
        titles[::-1],
        ["ja"] * n,
        [Role.SOURCE] * n,
        relation=["identical"] * len(pairs),
        towards=[(-1, 0, 1)[at % 3] for at in range(len(pairs))],
        radius=np.full(n, 5.0),
    )
    value = np.full((n, n), np.nan, np.float32)
    row = np.full((n, n), -1, np.int32)
    for at, (i, j) in enumerate(pairs):
        value[i, j] = value[j, i] = data.draw(st.floats(0, 1e6, width=32))
        row[i, j] = row[j, i] = at
    matrix = PairMatrix()
    parts: list[QWidget] = [graph, matrix]
    for part in parts:
        part.resize(data.draw(st.integers(1, 600)), data.draw(st.integers(1, 600)))
    graph.set_content(content)
    matrix.set_content(
        MatrixContent(keys, titles, titles, ["zh"] * n, value, row, [0] * bool(n), titles[0] if n else "")
    )
    for part in parts:
        qtbot.addWidget(part)
        part.show()
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Plus, Qt.Key.Key_Return):
            QTest.keyClick(part, key)
            QTest.keyClick(part, key, Qt.KeyboardModifier.ControlModifier)
        place = QPoint(data.draw(st.integers(0, 600)), data.draw(st.integers(0, 600)))
        QTest.mouseMove(part, place)
        QTest.mouseClick(part, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
        part.grab()
        part.resize(part.width() // 2 + 1, part.height() + 30)
        part.grab()
        part.hide()
    unproblematic()
