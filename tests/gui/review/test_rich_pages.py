"""Documents of other formats than PDF as pages of their own, in Review."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from review_case import compare_files, opened, settled

from tests.project_files import build_once
from workbench.base.locators import Places
from workbench.base.types import PrintedPage
from workbench.gui.document.rich_layout import RichLayout
from workbench.gui.screens.review.page_panes import PagePane
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.services.pages.making import MakePages

COPIED = (
    "The harbour of the old town was quiet that evening, and nobody on the long wooden pier saw the small boat leave "
    "before the lanterns along the water had been lit by the keeper of the light."
)
PAGE = f"""<html><head><title>Harbours</title></head><body><nav><a href="/a">Home</a> <a href="/b">News</a></nav>
<h1>Harbours of the north</h1><p>There are <b>many</b> of them, and <i>few</i> are as old as this one.</p>
<p><img src="boat.png" alt="A boat"></p>
<h2>Evening</h2><p>{COPIED}</p>
<ol><li>The first light is seen at five, and it burns until the morning.</li><li>The second is not lit.
<ul><li>It has been dark since the storm of that year.</li></ul></li></ol>
<blockquote><p>Nobody saw it, the keeper said, and nobody asked him again.</p></blockquote>
<pre>if light:
    sail()</pre>
<table><tr><th>Port</th><th>Boats</th></tr><tr><td>North</td><td>12, of which three are under repair this year and will
not sail before the spring</td></tr></table>
<p>That is all that is known about the harbours of the north, and there is little hope of more.</p></body></html>"""


@build_once
def build(path: Path) -> None:
    """A web page with a copied paragraph, and the Markdown text that has it."""
    (path.parent / "page.html").write_text(PAGE, "utf-8")
    (path.parent / "bare.txt").write_text(f"Something before it.\n\n{COPIED}\n\nAnd something after it.\n", "utf-8")
    compare_files(path, "bare.txt", "page.html")


@pytest.fixture
def review(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """Review with the web page on the left, laid out."""
    build(tmp_path / "case.palimpsest")
    view = opened(qtbot, context, tmp_path / "case.palimpsest")
    qtbot.waitUntil(lambda: view.pages.panes[0].rich is not None, timeout=20_000)
    return view


def page_of(review: ReviewView) -> RichLayout:
    """The left pane's page, shown."""
    review.context.actions.run("review.pages")
    pane = review.pages.panes[0]
    assert isinstance(pane.view.lines, RichLayout)
    return pane.view.lines


def test_a_match_is_marked_on_the_words_of_the_page_and_opens_by_a_click_there(
    qtbot: QtBot, review: ReviewView
) -> None:
    layout, view = page_of(review), review.pages.panes[0].view
    review.pair.active = -1
    start, end = int(view.marks.start[0]), int(view.marks.end[0])
    assert layout.text[start:end] == COPIED
    boxes = layout.boxes(layout.piece_at(start), start, end)
    box, top = boxes[len(boxes) // 2], layout.tops[layout.piece_at(start)] - view.top
    spot = QPoint(round(box.center().x() + view.left), round(box.center().y() + top))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert review.pair.active == 0


def test_selecting_words_of_the_page_selects_them_in_the_text(qtbot: QtBot, review: ReviewView) -> None:
    layout, view = page_of(review), review.pages.panes[0].view
    start = layout.text.index("three are under")
    view.reveal(start, start + 15)
    index = layout.piece_at(start)
    [box] = layout.boxes(index, start, start + len("three"))
    top = layout.tops[index] - view.top + box.center().y()
    first, last = (QPoint(round(x + view.left), round(top)) for x in (box.left() + 1, box.right() - 1))
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=first)
    view.set_caret(view.offset_under(last), keep_anchor=True)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=last)
    assert view.selected_text() == "three"


def test_cells_of_a_row_stand_beside_each_other(qtbot: QtBot, review: ReviewView) -> None:
    layout = page_of(review)
    tops = {word: layout.y_of(layout.text.index(word)) for word in ("Port", "Boats", "North", "12, of")}
    assert tops["Port"] == tops["Boats"] < tops["North"] == tops["12, of"]
    assert layout.x_of(layout.text.index("Boats")) == layout.x_of(layout.text.index("12, of")) > 40


def test_the_key_waits_for_the_side_with_the_keyboard(qtbot: QtBot, review: ReviewView) -> None:
    own, other = review.pages.panes
    review.pair.left.setFocus()
    rich, own.rich, other.rich = own.rich, None, own.rich
    assert review.pages.swaps() is other
    own.reading = True
    assert review.pages.swaps() is own
    own.rich, other.rich = rich, None


def test_the_sentence_for_the_key_says_what_is_true_of_the_format(qtbot: QtBot, review: ReviewView) -> None:
    actions, pages = review.context.actions, review.pages
    assert actions["review.pages"].enabled()
    assert not actions["review.go-to-page"].enabled()
    assert "has no printed pages" in actions.refusal("review.go-to-page")
    own = pages.panes[0]
    assert own.document is not None
    printed = replace(own.document, extraction=replace(own.document.extraction, pages=(PrintedPage("", (0,)),)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PagePane, "document", property(lambda _pane: printed))
        assert "is not kept in the project" in actions.refusal("review.go-to-page")
        own.reading = True
        assert "still being read" in actions.refusal("review.go-to-page")
        own.reading = False
    review.pair.right.taken.emit()
    review.pair.right.setFocus()
    assert pages.panes[1].layout is None
    assert not review.pair.page_buttons[1].isVisibleTo(review)


def test_words_selected_on_the_page_become_a_passage_by_hand(qtbot: QtBot, review: ReviewView) -> None:
    layout = page_of(review)
    start = layout.text.index("few are as old")
    review.pair.left.select(start, start + len("few are as old"))
    review.pair.right.select(0, len("Something before"))
    before = len(review.pair.opened.matches) if review.pair.opened else 0
    review.context.actions.run("review.add")
    qtbot.waitUntil(lambda: review.pair.opened is not None and len(review.pair.opened.matches) == before + 1)
    assert isinstance(review.pair.left.lines, RichLayout)
    opened_pair = review.pair.opened
    assert opened_pair is not None
    rows = [opened_pair.a.text[m.a_span.start : m.a_span.end] for m in opened_pair.matches]
    assert "few are as old" in rows


def test_what_is_not_content_is_tinted_on_the_page(qtbot: QtBot, review: ReviewView) -> None:
    layout, view = page_of(review), review.pages.panes[0].view
    view.show_place(0.0)
    settled(qtbot, review)

    def ground(word: str) -> str:
        start = layout.text.index(word)
        y = layout.y_of(start) - view.top + 3
        return str(view.viewport().grab().toImage().pixelColor(view.viewport().width() - 24, round(y)).name())

    assert ground("Home") == view.tokens.sunken.lower()
    assert ground("There are") == view.tokens.surface.lower()
    view.set_ignored_shown(False)
    assert ground("Home") == view.tokens.surface.lower()


def test_the_place_of_a_match_is_shown_without_going_through_the_document_again(
    review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(_self: Places, _document: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Places, "__init__", again)
    panel = review.evidence
    words = panel._spans.text()
    assert "Evening" in words
    panel._spans.clear()
    panel._draw()
    assert panel._spans.text() == words


def test_pages_are_shown_for_the_document_they_were_made_for(
    qtbot: QtBot, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.gui.screens.review.page_panes.can_have_pages", lambda _document: True)
    monkeypatch.setattr(MakePages, "require", lambda: None)
    monkeypatch.setattr(review.pages._making, "submit", lambda *_arguments: None)
    left, right = review.pages.panes
    review.pair.left.taken.emit()
    for pane in (left, right):
        pane.set_wanted(False)
    review.pages.make()
    review.pair.right.taken.emit()
    review.pages._follow_making(None)
    assert (left.wanted, right.wanted) == (True, False)
