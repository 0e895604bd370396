"""The two texts stay together: at their ends, too, and when a layer is switched."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot
from review_case import matches_of

from workbench.base.types import Block, BlockClass, Document, Role, Run, RunState, Span
from workbench.gui.document.alignment import Alignment
from workbench.gui.document.surface import reading_top, reading_y
from workbench.gui.screens.review.pair_data import make_opened
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.workspace.context import AppContext

LINE = "ここは誰も写していない文であって、前にも後にも何もない。\n"


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_the_end_of_a_text_belongs_to_the_match_that_ends_there() -> None:
    alignment = Alignment(ints(100), ints(200), ints(900), ints(1000), 5_000, 1_000)
    assert alignment.to_a(1_000) == pytest.approx(200)
    assert alignment.to_b(200) >= 1_000
    assert 0 <= Alignment(ints(), ints(), ints(), ints(), 0, 10).to_b(0) <= 10


@given(share=st.floats(0, 1), last=st.integers(1, 9_000), height=st.integers(80, 900))
def test_every_line_of_a_text_comes_to_stand_on_the_reading_line(share: float, last: int, height: int) -> None:
    total = last + height
    assert reading_y(0, last, height) == 0
    assert reading_y(last, last, height) == pytest.approx(total)
    top = share * last
    y = reading_y(top, last, height)
    assert top <= y <= top + height
    assert reading_top(y, last, height) == pytest.approx(top, abs=1e-6)
    assert reading_y(min(last, top + 1), last, height) >= y


@pytest.fixture
def at_the_end(qtbot: QtBot, context: AppContext) -> PairPanel:
    """A pair whose one match stands early in the suspect and at the very end of the source."""
    long = LINE * 200
    block = Block(Span(0, 29), verdict=BlockClass.NON_CONTENT, rule="menu")
    a = Document("a", long, role=Role.SUSPECT, language="ja", blocks=(block,), key=1)
    b = Document("b", long, role=Role.SOURCE, language="ja", blocks=(block,), key=2)
    end = len(long)
    matches = matches_of([(1, 2, 1_450, 1_500, end - 50, end, 1.0, 0)])
    run = Run(1, "digest", 1, {}, "", RunState.DONE, "")
    panel = PairPanel(context.theme, context.actions)
    qtbot.addWidget(panel)
    panel.resize(900, 760)
    panel.show()
    qtbot.waitExposed(panel)
    panel.show_pair(make_opened(run, a, b, matches))
    return panel


def test_a_match_at_the_very_end_stays_in_view_when_a_layer_is_switched(at_the_end: PairPanel) -> None:
    panel = at_the_end
    panel.go_to(0)
    before = panel.left.top
    for on in (False, True):
        panel.toolbar.layers["ignored"].setChecked(on)
        assert panel.left.top == before
        y = panel.left.lines.y_of(1_450) - panel.left.top
        assert 0 <= y <= panel.left.viewport().height() / 2


def test_two_equal_texts_reach_both_of_their_ends_together(qtbot: QtBot, context: AppContext) -> None:
    panel = PairPanel(context.theme, context.actions)
    qtbot.addWidget(panel)
    panel.resize(900, 760)
    panel.show()
    a, b = (Document(name, LINE * 200, language="ja", key=key) for key, name in enumerate("ab", 1))
    matches = matches_of([(1, 2, 1_450, 1_500, 1_450, 1_500, 1.0, 0)])
    panel.show_pair(make_opened(Run(1, "digest", 1, {}, "", RunState.DONE, ""), a, b, matches))
    for bar, other in ((panel.right, panel.left), (panel.left, panel.right)):
        for end in ("maximum", "minimum"):
            bar.verticalScrollBar().setValue(1_000)
            bar.verticalScrollBar().setValue(getattr(bar.verticalScrollBar(), end)())
            assert other.top == getattr(other.verticalScrollBar(), end)()


def test_scrolling_to_the_end_of_one_text_brings_the_other_to_what_is_there(at_the_end: PairPanel) -> None:
    panel = at_the_end
    bar = panel.right.verticalScrollBar()
    panel.go_to(0)
    bar.setValue(0)
    bar.setValue(bar.maximum())
    y = panel.left.lines.y_of(1_450) - panel.left.top
    assert 0 <= y <= panel.left.viewport().height() / 2


def test_a_pane_that_keeps_its_place_in_another_layout_does_not_lead(at_the_end: PairPanel) -> None:
    panel = at_the_end
    panel.go_to(0)
    before = panel.left.top
    for adjusting in (True, False):
        panel.right._resizing = adjusting
        panel.right.verticalScrollBar().setValue(0 if adjusting else 1)
        assert (panel.left.top == before) is adjusting
