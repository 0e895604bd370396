"""The lists of Review."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QIcon, QPixmap
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from review_case import ROWS, matches_of

from workbench.base.evidence import MEANS, RECOGNISED
from workbench.base.gaps import Gaps
from workbench.base.messages import percent
from workbench.base.types import Role
from workbench.gui.judging.evidence_words import evidence_words, pair_words
from workbench.gui.kit.columns import decimal
from workbench.gui.kit.figures import Ring
from workbench.gui.kit.words import local_time, score_figure
from workbench.gui.screens.review.match_table import MatchTable
from workbench.gui.screens.review.scores import ScorePanel
from workbench.gui.screens.review.suspect_list import ITEM_ROLE, SuspectModel, count_words
from workbench.gui.theme.fonts import font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import LIGHT
from workbench.project.listing import DocumentItem
from workbench.services.records import Pair
from workbench.services.review.evidence import words_of
from workbench.services.review.overview import Judged, RunColumns, ShownVerdict, make_columns, nothing_judged, quality
from workbench.services.review.pairs import SuspectRow


@pytest.fixture
def columns() -> RunColumns:
    names = {1: "甲", 2: "乙", 3: "丙", 4: "丁"}
    items = {k: DocumentItem(k, f"d{k}", name, Role.SOURCE, "ja", 400, "", "") for k, name in names.items()}
    return make_columns(matches_of(ROWS), items)


@pytest.fixture
def rows() -> list[SuspectRow]:
    first = SuspectRow(1, "d1", "甲", "ja", 400, "2024-01-02", 60.0, 0.3, 60, 4, 2)
    return [first, SuspectRow(2, "d2", "乙", "ja", 400, "", 16.0, 0.9, 16, 1, 1)]


def judged_as(columns: RunColumns, *values: str) -> Judged:
    """The first matches of ``columns`` with these verdicts ("": none)."""
    return nothing_judged(columns).after(columns, {row: ShownVerdict(value) for row, value in enumerate(values)})


def test_the_lowest_score_is_shown_again_whatever_the_decimals_of_the_field(
    qtbot: QtBot, columns: RunColumns, tmp_path: Path
) -> None:
    panel = ScorePanel(Theme("light", tmp_path))
    qtbot.addWidget(panel)
    few = make_columns(matches_of([(1, 3, 0, 40, 0, 40, score, 0) for score in (0.1236, 0.5, 0.9)]), columns.items)
    panel.show_run(few, nothing_judged(few))
    for back in (panel.reset, lambda: panel.field.setValue(0.0)):
        panel.set_threshold(0.4)
        back()
        assert few.count_above(panel.threshold) == 3


def test_the_suspect_model_keeps_its_promises_while_it_changes(
    qtbot: QtBot, qtmodeltester: ModelTester, columns: RunColumns, rows: list[SuspectRow]
) -> None:
    model = SuspectModel()
    qtmodeltester.check(model)
    model.set_rows(rows, columns)
    model.set_threshold(30)
    model.set_sort("coverage")
    model.set_threshold(0)
    model.set_needle("d2")


def test_of_whole_documents_only_the_pairs_above_the_threshold_count_as_judged(
    columns: RunColumns, rows: list[SuspectRow]
) -> None:
    whole = replace(columns, whole=True)
    model = SuspectModel()
    model.set_rows(rows, whole, judged_as(whole, *["near-duplicate"] * len(whole.matches)))
    for threshold in (0.0, 30.0, 60.0):
        model.set_threshold(threshold)
        item = model.item(0)
        assert dict(item.verdict_counts) == {"near-duplicate": item.passages}
        assert item.passages == (whole.matches.score[whole.suspect == 0] >= threshold).sum()


def test_verdicts_on_many_suspects_at_once_are_announced_once(columns: RunColumns, rows: list[SuspectRow]) -> None:
    model = SuspectModel()
    model.set_rows(rows, columns)
    redrawn: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: redrawn.append((first.row(), last.row())))
    model.set_judged(judged_as(columns, "copy", "", "", "", "copy"))
    assert redrawn == [(0, 1)]
    model.set_judged(judged_as(columns, "copy", "", "", "", "not-copy"))
    assert redrawn[1:] == [(1, 1)]


def test_suspects_are_counted_by_threshold_text_and_state(columns: RunColumns, rows: list[SuspectRow]) -> None:
    model = SuspectModel()
    judged = judged_as(columns, "copy", "", "", "", "copy").after_decisions({1: "copy"})
    model.set_rows(rows, columns, judged)
    counts = model.state_counts()
    assert {state: count for state, count in counts.items() if count} == {"": 2, "open": 1, "copy": 1}
    model.set_state("copy")
    assert [model.key_at(i) for i in range(model.rowCount())] == [2]
    model.set_state("")
    model.set_threshold(30)
    assert [model.item(i).matches for i in range(model.rowCount())] == [3]
    model.set_threshold(0)
    model.set_needle("丁")
    assert [model.key_at(i) for i in range(model.rowCount())] == [2]


def test_the_table_counts_the_characters_that_a_match_covers(qtbot: QtBot, columns: RunColumns) -> None:
    m = columns.matches
    gap = int(m.a_start[0]) + 1, int(m.a_start[0]) + 4
    with_gap = replace(
        columns, matches=replace(m, gaps=Gaps.of([(0, 0, *gap), (0, 1, int(m.b_start[0]), int(m.b_end[0]))]))
    )
    model = MatchTable()
    model.set_columns(columns)
    whole = model.values("length").tolist()
    model.set_columns(with_gap)
    assert model.values("length").tolist() == [whole[0] - 3, *whole[1:]]


def test_suspects_with_the_same_title_are_told_apart_by_their_ids(columns: RunColumns, rows: list[SuspectRow]) -> None:
    model = SuspectModel()
    model.set_rows([replace(row, title="Essay") for row in rows], columns)
    assert [model.item(i).name for i in range(2)] == ["Essay · d1", "Essay · d2"]
    assert model.index(0).data() == "Essay · d1"
    model.set_rows(rows, columns)
    assert [model.item(i).name for i in range(2)] == ["甲", "乙"]


def test_a_row_says_what_the_threshold_leaves_of_it(columns: RunColumns, rows: list[SuspectRow]) -> None:
    model = SuspectModel()
    model.set_rows(rows, columns)
    whole = model.item(0)
    assert (whole.passages, whole.coverage, whole.tiers) == (4, 0.3, (80, 60, 20))
    model.set_threshold(35)
    item = model.item(0)
    assert (item.passages, item.tiers) == (2, (40, 60, 0))
    assert item.coverage == (40 + 60) / 400
    assert count_words(item) == "2 passages"


def test_neighbouring_matches_are_one_passage_of_a_row_unless_they_are_unfolded(rows: list[SuspectRow]) -> None:
    near = matches_of([(1, 3, 0, 40, 200, 240, 40.0, 0), (1, 3, 60, 90, 250, 280, 30.0, 0)])
    items = {k: DocumentItem(k, f"d{k}", "", Role.SOURCE, "ja", 400, "", "") for k in (1, 3)}
    model = SuspectModel()
    model.set_rows(rows[:1], make_columns(near, items))
    assert model.item(0).passages == 1
    model.set_merged(False)
    assert model.item(0).passages == 2


@pytest.mark.parametrize(
    ("key", "order"), [("score", [1, 2]), ("coverage", [2, 1]), ("date", [1, 2]), ("title", [2, 1])]
)
def test_suspects_sort_by_any_of_their_figures(
    columns: RunColumns, rows: list[SuspectRow], key: str, order: list[int]
) -> None:
    model = SuspectModel()
    model.set_rows(rows, columns)
    model.set_sort(key)
    assert [model.key_at(i) for i in range(2)] == order


def test_a_suspect_shows_its_best_source_and_its_characters_by_tier(
    columns: RunColumns, rows: list[SuspectRow]
) -> None:
    model = SuspectModel()
    model.set_rows(rows, columns)
    item = model.index(0).data(ITEM_ROLE)
    assert item.source == "丙"
    assert item.tiers == (80, 60, 20)


def test_the_match_table_keeps_its_promises(qtbot: QtBot, qtmodeltester: ModelTester, columns: RunColumns) -> None:
    model = MatchTable()
    model.set_columns(columns)
    qtmodeltester.check(model)
    model.sort(5, Qt.SortOrder.DescendingOrder)
    model.narrow("丁", 0)


def test_the_match_table_sorts_titles_as_text_and_filters_by_both(columns: RunColumns) -> None:
    model = MatchTable()
    model.set_columns(columns)
    model.sort(5, Qt.SortOrder.DescendingOrder)
    assert [model.index(i, 5).data() for i in range(5)] == ["60.00", "40.00", "30.00", "20.00", "16.00"]
    model.narrow("丁", 0)
    assert [model.index(i, 2).data() for i in range(model.rowCount())] == ["丁", "丁"]
    model.narrow("", 40)
    assert model.rowCount() == 2


def test_a_translated_match_is_not_called_altered(columns: RunColumns) -> None:
    kind, altered = 8, 2
    model = MatchTable()
    model.set_columns(columns)
    assert model.index(altered, kind).data() == "Altered"
    means = {MEANS: np.zeros(len(columns.matches), np.int8)}
    model.set_columns(replace(columns, matches=replace(columns.matches, evidence=means)))
    assert model.index(altered, kind).data() == "In another language"


def test_a_match_in_recognised_text_is_not_called_exact(columns: RunColumns) -> None:
    kind = 8
    model = MatchTable()
    read = {RECOGNISED: np.full(len(columns.matches), 0.9)}
    model.set_columns(replace(columns, matches=replace(columns.matches, evidence=read)))
    kinds = {model.index(row, kind).data() for row in range(model.rowCount())}
    assert kinds == {"The same as read from a picture", "Altered"}


def test_a_score_that_is_a_confidence_is_headed_and_written_as_one(columns: RunColumns, rows: list[SuspectRow]) -> None:
    plain = columns.matches
    score = np.linspace(0.5, 1.0, len(plain))
    sure = replace(plain, score=score, evidence={"confidence": score})
    table, suspects = MatchTable(), SuspectModel()
    at = next(at for at, column in enumerate(table.columns) if column.name == "score")
    seen = []
    for matches in (plain, sure, plain):
        shown = make_columns(matches, columns.items)
        table.set_columns(shown)
        suspects.set_rows(rows, shown)
        heading = table.headerData(at, Qt.Orientation.Horizontal)
        seen.append((heading, table.index(0, at).data(), suspects.score_name()))
    assert seen == [("Score", "40.00", "Score"), ("Confidence", "50 %", "Confidence"), ("Score", "40.00", "Score")]


def test_counts_above_a_threshold_are_exact(columns: RunColumns) -> None:
    for threshold in (0.0, 16.0, 16.5, 40.0, 60.0, 61.0):
        assert columns.count_above(threshold) == int((columns.matches.score >= threshold).sum())


def test_quality_needs_judged_matches_on_both_sides(columns: RunColumns) -> None:
    assert quality(columns, nothing_judged(columns), 0).precision is None
    judged = judged_as(columns, "copy", "not-copy", "partial")
    at = quality(columns, judged, 30)
    assert (at.judged, at.precision, at.recall) == (3, 0.5, 0.5)
    assert quality(columns, judged, 1000).precision is None
    differing = quality(columns, judged_as(columns, "copy", "conflict", "partial"), 30)
    assert (differing.judged, differing.undecided, differing.copies) == (2, 1, 2)


def test_quality_takes_ten_judged_of_both_kinds_and_leaves_out_what_cannot_be_said(columns: RunColumns) -> None:
    columns = make_columns(matches_of(ROWS[:1] * 10), columns.items)
    for values, judged, enough in (
        (("copy",) * 9 + ("not-copy",), 10, True),
        (("copy",) * 10, 10, False),
        (("not",) * 10, 10, False),
        (("near-duplicate",) * 9 + ("unknown",), 9, False),
    ):
        estimate = quality(columns, judged_as(columns, *values), 0)
        assert (estimate.judged, estimate.enough) == (judged, enough)


def test_the_match_table_shows_verdicts_and_sorts_by_them(qtbot: QtBot, columns: RunColumns) -> None:
    model = MatchTable()
    model.set_columns(columns)
    icons = {value: (value.title(), QIcon(QPixmap(4, 4))) for value in ("copy", "not-copy")}
    model.show_verdicts(judged_as(columns, "", "copy", "", "not-copy"), icons)
    at = next(i for i, column in enumerate(model.columns) if column.name == "verdict")
    assert [model.index(i, at).data() for i in range(5)] == ["", "Copy", "", "Not-Copy", ""]
    assert model.index(0, at).data(Qt.ItemDataRole.DecorationRole) is None
    assert not model.index(1, at).data(Qt.ItemDataRole.DecorationRole).isNull()
    model.sort(at, Qt.SortOrder.DescendingOrder)
    assert [model.key_at(row) for row in range(5)][:2] == [3, 1]
    model.show_verdicts(judged_as(columns, "", "", "copy"), icons)
    assert model.key_at(0) == 2


@pytest.mark.parametrize(
    ("score", "written"),
    [(0.0, "0.00"), (0.58, "0.58"), (0.999, "0.99"), (1.0, "1.00"), (9.5, "9.50"), (1234.5, "1,234")],
)
def test_a_score_below_one_is_never_written_as_one(score: float, written: str) -> None:
    assert score_figure(score) == written
    assert score >= 10 or decimal(score) == written


@pytest.mark.parametrize(
    ("evidence", "score", "phrase"),
    [
        ({"confidence": np.array([0.999])}, 0.999, "Confidence > 99 %"),
        ({"confidence": np.array([0.87])}, 0.87, "Confidence 87 %"),
        ({"segments": np.array([3])}, 40.0, "Score 40"),
    ],
)
def test_a_score_in_the_list_has_the_name_and_value_that_evidence_and_report_give_it(
    evidence: dict[str, np.ndarray], score: float, phrase: str
) -> None:
    matches = replace(matches_of([(1, 3, 0, 40, 200, 240, score, 0)]), evidence=evidence)
    items = {key: DocumentItem(key, f"d{key}", f"d{key}", Role.SOURCE, "en", 400, "", "") for key in (1, 3)}
    model = SuspectModel()
    row = SuspectRow(1, "d1", "d1", "en", 400, "", score, 0.1, 40, 1, 1)
    model.set_rows([row], make_columns(matches, items))
    for role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
        words = model.index(0).data(role)
        assert phrase in words
        assert "10 % matched" in words
    if "confidence" in evidence:
        figure = words_of("confidence", score)
        assert f"{figure.name} {figure.value}".startswith(phrase)


def test_the_share_in_the_ring_says_what_it_is_a_share_of(qtbot: QtBot) -> None:
    ring = Ring()
    qtbot.addWidget(ring)
    ring.show_share(0.8, LIGHT.accent, LIGHT, "Share of characters in common", "in common")
    without = ring.grab().toImage()
    assert "Share of characters in common" in ring.accessibleName()
    ring.show_share(0.8, LIGHT.accent, LIGHT, "Share of characters in common", "")
    assert without != ring.grab().toImage()


def test_the_ring_rounds_as_lists_and_reports_do(qtbot: QtBot) -> None:
    ring = Ring()
    qtbot.addWidget(ring)
    for share in (522 / 528, 0.9999, 0.004, 0.0456, 1.0):
        ring.show_share(share, LIGHT.accent, LIGHT, "Share covered", "covered")
        assert ring.accessibleName() == f"Share covered: {percent(share)}"


@pytest.mark.parametrize("word", ["in common", "Resemblance", "ソースの被覆率の合計"])
def test_the_word_below_the_ring_is_never_cut_off(qtbot: QtBot, word: str) -> None:
    ring = Ring()
    qtbot.addWidget(ring)
    ring.show_share(0.8, LIGHT.accent, LIGHT, word, word)
    assert ring.width() >= QFontMetrics(font(11)).horizontalAdvance(word)


def test_a_figure_that_stands_for_names_has_no_bar() -> None:
    evidence = {"confidence": np.array([0.9]), "kind": np.array([1.0]), "methods": np.array([7.0])}
    figures = evidence_words(replace(matches_of([(1, 3, 0, 40, 200, 240, 0.9, 0)]), evidence=evidence), 0)
    assert [(figure.value, figure.share is not None) for figure in figures] == [
        ("90 % · very likely", True),
        ("Lightly changed", False),
        ("digest, initials, altered", False),
    ]


@pytest.mark.parametrize(("of_a", "of_b"), [(0.2, 0.9), (0.9, 0.2)])
def test_a_containment_is_shown_once_and_for_its_own_text(of_a: float, of_b: float) -> None:
    evidence = {"containment_a": of_a, "containment_b": of_b}
    figures = (1, 50.0, 50.0, 50.0, 100, 100, 100)
    pair = Pair(1, 2, *figures, 0.5, max(of_a, of_b), None, evidence)
    named = [(figure.note, figure.share) for figure in pair_words(pair) if figure.name == "Containment"]
    assert named == [("of the suspect in the source", of_a), ("of the source in the suspect", of_b)]


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system's time zone cannot be set")
@pytest.mark.usefixtures("in_tokyo")
@pytest.mark.parametrize(
    ("stamp", "written"),
    [
        ("2016-01-11T20:00:00Z", "2016-01-12 05:00"),
        ("2016-01-11T20:00:00", "2016-01-12 05:00"),
        ("2016-01-11T20:00:00+09:00", "2016-01-11 20:00"),
        ("2016-01-11", "2016-01-11"),
        ("long ago", "long ago"),
        ("", ""),
    ],
)
def test_a_time_is_local_and_a_day_stays_that_day(stamp: str, written: str) -> None:
    assert local_time(stamp) == written
