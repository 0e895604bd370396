"""Documents as they were printed, in Review: marks on the pages, and what a user does there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QToolTip
from pytestqt.qtbot import QtBot
from review_case import compare_files, opened, settled

from tests.printed import ENGLISH, printed
from tests.project_files import build_once
from workbench.base.errors import UserError
from workbench.base.types import Document, Extraction, PrintedPage
from workbench.gui.document.marks import Marks
from workbench.gui.document.page_layout import PageFeed, PageLayout
from workbench.gui.document.page_overview import PageOverview
from workbench.gui.document.view import DocumentView
from workbench.gui.screens.review.page_panes import PagePane, page_named
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.theme.tokens import LIGHT
from workbench.gui.workspace.context import AppContext
from workbench.reading.printed_pages import Size
from workbench.services.pages.pictures import PagePictures

COPIED = (
    "The harbour of the old town was quiet that evening, and nobody on the long wooden pier saw the small boat leave "
    "before the lanterns along the water had been lit by the keeper of the light."
)


@build_once
def build(path: Path) -> None:
    """A thesis of several pages with a copied paragraph on its third page, and the text that has it."""
    thesis = ENGLISH + "#pagebreak()\n= Another\n" + COPIED + "\n\n#lorem(120)\n"
    (path.parent / "thesis.pdf").write_bytes(printed(thesis))
    (path.parent / "source.txt").write_text(f"Something before it.\n\n{COPIED}\n\nAnd something after it.\n", "utf-8")
    compare_files(path, "source.txt", "thesis.pdf")


@pytest.fixture
def review(qtbot: QtBot, context: AppContext, tmp_path: Path) -> ReviewView:
    """Review with the thesis on the left, its pages read."""
    build(tmp_path / "case.palimpsest")
    view = opened(qtbot, context, tmp_path / "case.palimpsest")
    qtbot.waitUntil(lambda: view.pages.panes[0].pages is not None, timeout=20_000)
    return view


def pages_of(qtbot: QtBot, review: ReviewView) -> tuple[PagePane, PageLayout]:
    """The left pane, showing its pages."""
    review.context.actions.run("review.pages")
    pane = review.pages.panes[0]
    assert pane.pages is not None
    assert pane.view.lines is pane.pages
    layout, start = pane.pages, int(pane.view.marks.start[0])
    qtbot.waitUntil(lambda: layout.piece_at(start) in layout.feed.images and not pane.view._pending, timeout=20_000)
    qtbot.waitUntil(lambda: bool(marked(pane, layout, 0)))
    return pane, layout


def marked(pane: PagePane, layout: PageLayout, number: int) -> list[tuple[int, int, int, int]]:
    """The boxes of a match in the viewport: left, top, right, bottom."""
    row = int((pane.view.marks.number == number).argmax())
    start, end = int(pane.view.marks.start[row]), int(pane.view.marks.end[row])
    page, unit = layout.piece_at(start), layout.unit
    x, y = pane.view.left, float(layout.tops[page]) - pane.view.top
    return [
        (
            round(b.left() * unit + x),
            round(b.top() * unit + y),
            round(b.right() * unit + x),
            round(b.bottom() * unit + y),
        )
        for b in layout.boxes(page, start, end)
    ]


def test_a_match_is_marked_on_its_words_and_opens_by_a_click_there(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    review.pair.active = -1
    boxes = marked(pane, layout, 0)
    assert len(boxes) > 2
    left, top, right, bottom = boxes[1]
    assert 0 < top < bottom < pane.view.viewport().height()
    qtbot.mouseClick(
        pane.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint((left + right) // 2, (top + bottom) // 2)
    )
    assert review.pair.active == 0
    picture = pane.view.viewport().grab().toImage()

    def lightest(rows: range) -> int:
        return max(picture.pixelColor(x, y).lightness() for x in range(left + 4, right - 4) for y in rows)

    assert lightest(range(top + 2, bottom - 2)) < 240 < lightest(range(boxes[-1][3] + 2, boxes[-1][3] + 14))


def test_while_the_pages_are_read_nobody_is_told_to_import_the_file_again(review: ReviewView) -> None:
    pane = review.pages.panes[0]
    pane.read_again()
    assert pane.pages is None
    assert "still being read" in review.pages.missing()


def test_pages_that_cannot_be_read_are_not_said_to_be_still_read(
    qtbot: QtBot, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise UserError("The disk cannot be read.")

    monkeypatch.setattr("workbench.gui.screens.review.page_panes.page_pictures", refuse)
    review.pages.panes[0].read_again()
    with qtbot.waitSignal(review.context.notice):
        pass
    assert not review.pages.panes[0].reading
    assert "still being read" not in review.pages.missing()


def test_a_region_is_tinted_on_its_words(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    view = pane.view
    left, top, right, bottom = marked(pane, layout, 0)[1]
    start = view.offset_under(QPoint((left + right) // 2, (top + bottom) // 2))
    view.set_marks(Marks.empty())
    before = view.viewport().grab().toImage()
    view.set_regions([(start, start + 12)], named=False)
    after = view.viewport().grab().toImage()
    changed = [
        (x, y)
        for x in range(view.gutter + 2, after.width() - view.margin)
        for y in range(max(0, top - 40), bottom + 40)
        if before.pixel(x, y) != after.pixel(x, y)
    ]
    [box] = layout.boxes(layout.piece_at(start), start, start + 12)
    low, high = (round(x * layout.unit + view.left) for x in (box.left(), box.right()))
    assert changed
    assert low - 2 <= min(x for x, _ in changed)
    assert max(x for x, _ in changed) <= high + 2
    assert max(y for _, y in changed) - min(y for _, y in changed) < 2 * (bottom - top)


def test_words_are_selected_where_they_are_printed(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    view = pane.view
    first, last = marked(pane, layout, 0)[0], marked(pane, layout, 0)[-1]
    start, end = QPoint(first[0] + 1, (first[1] + first[3]) // 2), QPoint(last[2] - 1, (last[1] + last[3]) // 2)
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(view.viewport(), end)
    view.set_caret(view.offset_under(end), keep_anchor=True)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=end)
    assert view.selected_text() == COPIED


def test_a_place_within_a_printed_line_is_found_again_at_its_height(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    start = int(pane.view.marks.start[0])
    assert layout.is_placed(start)
    for offset in range(start, start + 60, 4):
        assert layout.offset_near(layout.y_near(offset)) == pytest.approx(offset, abs=1)


def test_the_key_changes_between_pages_and_text_and_the_match_stays_in_view(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    start = int(pane.view.marks.start[0])
    assert review.pair.opened is not None
    for lines in (review.pair.opened.a_lines, layout):
        review.context.actions.run("review.pages")
        assert pane.view.lines is lines
        first, last = pane.view.visible_offsets()
        assert first <= start < last


def test_a_place_asked_for_before_its_page_is_known_is_shown_where_it_is(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    view, offset = pane.view, layout.length - 40
    layout.feed.places.clear()
    assert not layout.is_placed(offset)
    view.show_place(float(offset), 0.5)
    qtbot.waitUntil(lambda: layout.is_placed(offset) and view._pending is None, timeout=20_000)
    middle = view.top + view.viewport().height() / 2
    at_end = view.verticalScrollBar().value() == view.verticalScrollBar().maximum()
    assert at_end or abs(layout.y_of(offset) - middle) < 3


def test_go_to_page_takes_the_printed_number(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    review.context.actions.run("review.go-to-page")
    [dialog] = pane.view.findChildren(QInputDialog)
    [question] = dialog.findChildren(QLabel)
    assert question.textFormat() == Qt.TextFormat.PlainText, "a file chooses what its pages are called"
    dialog.setTextValue("2")
    dialog.accept()
    assert layout.piece_at_y(pane.view.top + pane.view.viewport().height() / 3) == 1


@pytest.mark.parametrize(("words", "page"), [("iii", 2), ("1", 3), (" 2 ", 4), ("5", 4), ("6", None), ("x", None)])
def test_a_page_is_named_by_its_printed_number_or_its_place(words: str, page: int | None) -> None:
    assert page_named(["i", "ii", "III", "1", "2"], words) == page


def test_a_text_without_pages_offers_none(qtbot: QtBot, review: ReviewView) -> None:
    settled(qtbot, review)
    buttons = review.pair.page_buttons
    assert (buttons[0].isVisibleTo(review), buttons[1].isVisibleTo(review)) == (True, False)


def test_whether_pages_are_shown_is_remembered_for_each_side(qtbot: QtBot, review: ReviewView) -> None:
    pages_of(qtbot, review)
    state = review.save_state()
    assert state["pages"] == [True, False]
    review.context.actions.run("review.pages")
    review.restore_state(state)
    assert review.pages.panes[0].view.lines.printed


def test_all_pages_in_small_show_which_have_matches_and_lead_there(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    review.context.actions.run("review.all-pages")
    overview = review.pages.overview
    assert overview.isVisibleTo(review)
    assert overview.width() < review.pages.current().view.width()
    qtbot.waitUntil(lambda: overview.current in layout.feed.small, timeout=20_000)
    cited = layout.piece_at(int(pane.view.marks.start[0]))
    assert overview.current == cited
    assert "1 match" in overview.accessibleDescription()
    cell = overview._cell(cited)
    qtbot.waitUntil(lambda: cited in layout.feed.places)
    picture = overview.viewport().grab().toImage()
    columns, rows = range(int(cell.left()), int(cell.right())), range(int(cell.top()), int(cell.bottom()))
    colours = [picture.pixelColor(x, y) for x in columns for y in rows]
    assert any(colour.saturation() > 60 for colour in colours)
    qtbot.keyClick(overview, Qt.Key.Key_Left)
    assert overview.current == cited - 1
    assert "0 matches" in overview.accessibleDescription()
    qtbot.mouseClick(overview.viewport(), Qt.MouseButton.LeftButton, pos=overview._cell(cited).center().toPoint())
    assert overview.current == cited
    review.context.actions.run("review.pages")
    assert not overview.isVisibleTo(review)


def test_drawing_a_few_pages_of_a_thick_book_looks_at_no_others(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 900
    pages = tuple(PrintedPage("", (number,)) for number in range(count))
    document = Document("d", "x" * count, extraction=Extraction("pdf", pages=pages))
    feed = PageFeed(PagePictures(b"", document))
    feed.close()
    feed.sizes = [Size(300, 400)] * count
    view, overview = DocumentView(), PageOverview(LIGHT)
    for widget in (view, overview):
        qtbot.addWidget(widget)
        widget.resize(300, 500)
    layout = PageLayout(document, feed)
    view.set_document(layout, "en")
    overview.follow(view, layout)
    overview.chosen.connect(lambda page: view.show_place(float(page), 0.3))
    whole = PageOverview._cell
    cells: list[int] = []
    monkeypatch.setattr(PageOverview, "_cell", lambda self, page: cells.append(page) or whole(self, page))
    for page in (0, 450, count - 1):
        overview._choose(page)
        cells.clear()
        overview.viewport().grab()
        assert page in cells
        assert len(set(cells)) <= 10, "two columns of four rows, and one that is cut off"
        assert overview.page_at(whole(overview, page).center().toPoint()) == page


def test_hits_and_matches_are_cited_by_page_and_line(qtbot: QtBot, review: ReviewView) -> None:
    pane, layout = pages_of(qtbot, review)
    finder = review.pair.finder
    review.context.actions.run("review.find")
    finder.field.setText("lanterns along")
    page = layout.piece_at(int(pane.view.marks.start[0])) + 1
    assert finder._count.text().startswith(f"p. {page}, line ")
    left, top, right, bottom = marked(pane, layout, 0)[0]
    where = QPoint((left + right) // 2, (top + bottom) // 2)
    QApplication.sendEvent(
        pane.view.viewport(), QHelpEvent(QEvent.Type.ToolTip, where, pane.view.viewport().mapToGlobal(where))
    )
    assert QToolTip.text().startswith(f"p. {page}, lines ")


def test_a_note_that_comes_after_the_next_page_in_the_text_is_on_its_own_page(qtbot: QtBot) -> None:
    """The body of two pages is one paragraph, after which comes the note of the first."""
    text = "The first page goes on to the second page. A note of the first."
    note, second = text.index("A note"), text.index("to the second")
    pages = (PrintedPage("", (0, 10, note)), PrintedPage("", ()), PrintedPage("", (second,)))
    feed = PageFeed(PagePictures(b"", Document("d", text)))
    feed.sizes = [Size(300, 400)] * 3
    layout = PageLayout(Document("d", text, extraction=Extraction("pdf", pages=pages)), feed)
    feed.close()
    assert [layout.piece_at(at) for at in (0, 12, second, note - 1, note, len(text))] == [0, 0, 2, 2, 0, 0]
    assert (layout.limits(0), layout.limits(2)) == ((0, len(text)), (second, note))
    rough = layout.rough_y(np.array([10, note, second], np.float64))
    assert layout.tops[0] < rough[0] < rough[1] < layout.tops[1] < layout.tops[2] < rough[2]
