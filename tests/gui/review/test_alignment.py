"""Following from one text to the other."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from workbench.gui.document.alignment import Alignment, heaviest_chain
from workbench.gui.document.layout import DocumentLayout
from workbench.gui.document.view import DocumentView
from workbench.gui.screens.review.pair_panel import ScrollSync


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_the_chain_is_the_heaviest_that_goes_forward_in_both_texts() -> None:
    rng = np.random.default_rng(2)
    for _ in range(60):
        n = int(rng.integers(1, 8))
        a = rng.integers(0, 40, n)
        b = rng.integers(0, 40, n)
        size = rng.integers(1, 12, n)
        chain = heaviest_chain(a, a + size, b, b + size)
        forward = [
            rows
            for k in range(1, n + 1)
            for rows in combinations(np.lexsort((b, a)).tolist(), k)
            if all(a[i] + size[i] <= a[j] and b[i] + size[i] <= b[j] for i, j in pairwise(rows))
        ]
        assert size[chain].sum() == max(sum(size[list(rows)]) for rows in forward)
        assert tuple(chain.tolist()) in [tuple(r) for r in forward]


@pytest.fixture
def aligned() -> Alignment:
    """Three passages in order, and one moved to the front of b."""
    return Alignment(
        ints(0, 300, 600, 800), ints(100, 400, 700, 900), ints(100, 400, 700, 0), ints(200, 500, 800, 100), 1000, 1000
    )


def test_inside_a_match_a_place_maps_to_its_counterpart(aligned: Alignment) -> None:
    assert aligned.to_b(50) == 150
    assert aligned.to_a(150) == 50


def test_between_matches_a_place_is_interpolated(aligned: Alignment) -> None:
    assert aligned.to_b(200) == 300


def test_moved_text_maps_to_where_it_is(aligned: Alignment) -> None:
    assert [aligned.moved(i) for i in range(4)] == [False, False, False, True]
    assert aligned.to_b(850) == 50
    assert aligned.to_a(20) == 820


def test_texts_without_matches_map_in_proportion() -> None:
    none = np.zeros(0, np.int64)
    assert Alignment(none, none, none, none, 100, 400).to_b(25) == 100


@pytest.fixture
def panes(qtbot: QtBot, aligned: Alignment) -> tuple[DocumentView, DocumentView, ScrollSync]:
    left, right = DocumentView(), DocumentView()
    for view in (left, right):
        qtbot.addWidget(view)
        view.resize(260, 300)
        view.show()
        view.set_document(DocumentLayout("文字\n" * 333), "ja")
    sync = ScrollSync(left, right)
    sync.set_alignment(aligned)
    return left, right, sync


def test_the_other_pane_follows_the_alignment(panes: tuple[DocumentView, DocumentView, ScrollSync]) -> None:
    left, right, _ = panes
    left.show_place(350)
    assert right.reading_offset() == pytest.approx(450, abs=3)
    right.show_place(750)
    assert left.reading_offset() == pytest.approx(650, abs=3)


def test_following_can_be_let_go_and_taken_up_again(panes: tuple[DocumentView, DocumentView, ScrollSync]) -> None:
    left, right, sync = panes
    left.show_place(350)
    kept = right.top
    sync.set_linked(False)
    left.show_place(650)
    assert right.top == kept
    sync.set_linked(True)
    assert right.reading_offset() == pytest.approx(750, abs=3)
