"""Offsets, marks and places of a document on the screen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QImage, QResizeEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from workbench.gui.document.layout import LONGEST, DocumentLayout
from workbench.gui.document.marks import Marks, density
from workbench.gui.document.view import DocumentView, word_at
from workbench.gui.kit.code_points import Utf16Map, replaced_positions, unseen, unwrapped, visible
from workbench.gui.theme.fonts import text_font
from workbench.gui.theme.tokens import LIGHT
from workbench.text.segmenting.segmentation import wrapped_line_ends

FAMILY = "👨‍👩‍👧‍👦"
HOSTILE = "a\u202eb\x00c\u2066d\x1be\u2028f<b>g</b>"


def test_every_offset_goes_to_utf16_and_back_beside_emoji() -> None:
    text = f"あ😀い{FAMILY}う𠮷"
    units = Utf16Map(text)
    for offset in range(len(text) + 1):
        assert units.to_utf16(offset) == len(text[:offset].encode("utf-16-le")) // 2
        assert units.from_utf16(units.to_utf16(offset)) == offset


def test_hostile_characters_are_shown_without_moving_offsets() -> None:
    shown = visible(HOSTILE)
    assert len(shown) == len(HOSTILE)
    assert not set(shown) & set("\u202e\x00\u2066\x1b\u2028")
    assert [HOSTILE[p] for p in replaced_positions(HOSTILE)] == ["\u202e", "\x00", "\u2066", "\x1b", "\u2028"]


def test_ordinary_text_is_shown_as_it_is() -> None:
    assert visible(f"日本語 {FAMILY}\tabc") == f"日本語 {FAMILY}\tabc"


@pytest.fixture
def layout(qtbot: QtBot) -> DocumentLayout:
    document_layout = DocumentLayout("一行目😀の文。\n\n" + "長い段落である。" * 400 + "\n終わり" + "字" * 90)
    document_layout.measure(text_font("ja", 15), 320)
    return document_layout


def test_prose_wrapped_by_hand_is_one_paragraph_with_one_number(qtbot: QtBot) -> None:
    line = "The rain fell on the town for the whole of the night and\n"
    text = "A heading\n\n" + line * 4 + "it stopped.\n\nAnother paragraph.\n> quoted mail of some length that goes on\n"
    wrapped = DocumentLayout(text, wraps=wrapped_line_ends(text))
    wrapped.measure(text_font("en", 15), 2_000)
    shown = [text[s:e] for s, e in zip(wrapped.starts, wrapped.ends, strict=True) if e > s]
    assert shown == ["A heading", line * 4 + "it stopped.", "Another paragraph.", text[text.index(">") : -1]]
    assert [int(n) for n in wrapped.numbers if n] == [1, 2, 3, 4]
    laid = wrapped.piece(wrapped.piece_at(text.index("The rain"))).layout
    assert laid.lineCount() == 1
    assert "night and The rain" in laid.text()


def test_lines_are_joined_without_a_gap_where_a_script_has_no_spaces() -> None:
    text = "日本の\n　文は and this\n  line “so”\nhere"
    joined = unwrapped(text)
    assert len(joined) == len(text)
    assert joined.replace("\u200b", "") == "日本の文は and this line “so” here"


def test_verse_keeps_its_lines() -> None:
    verse = "古池や\n蛙飛びこむ\n水の音\n\n夏草や\n兵どもが\n夢の跡\n"
    assert len(wrapped_line_ends(verse)) == 0
    lines = DocumentLayout(verse, wraps=wrapped_line_ends(verse))
    assert int(lines.numbers.max()) == 6


def test_pieces_cover_the_text_and_long_paragraphs_are_cut_at_sentence_ends(layout: DocumentLayout) -> None:
    assert (layout.ends - layout.starts).max() <= LONGEST
    joined = "".join(
        ("" if first or go_on else "\n") + layout.text[s:e]
        for s, e, go_on, first in zip(
            layout.starts, layout.ends, layout.continued, np.arange(len(layout.starts)) == 0, strict=True
        )
    )
    assert joined == layout.text
    cuts = layout.starts[layout.continued]
    assert len(cuts) > 0
    assert all(layout.text[c - 1] == "。" for c in cuts)


def test_a_place_on_the_screen_leads_back_to_its_offset(layout: DocumentLayout) -> None:
    for offset in (0, 3, 4, 5, 20, 700, 1500, layout.length - 3):
        y, x = layout.y_of(offset), layout.x_of(offset)
        assert layout.offset_at(x + 0.5, y + 2) == offset


def test_scrolling_places_and_offsets_are_inverse(layout: DocumentLayout) -> None:
    for offset in (2.0, 400.0, 1500.5, 3000.0):
        assert layout.offset_near(layout.y_near(offset)) == pytest.approx(offset, abs=1e-6)


def test_heights_are_corrected_when_laid_out_and_the_first_line_stays(layout: DocumentLayout) -> None:
    index = layout.piece_at(2000)
    top = layout.y_of(int(layout.starts[index]))
    kept = layout.settle(top, 600)
    assert layout.piece_at_y(kept) == index
    assert layout.tops[-1] == pytest.approx(layout.tops[0] + layout.heights.sum())


def test_a_mark_after_emoji_covers_the_right_characters(layout: DocumentLayout) -> None:
    start = layout.text.index("の文")
    box = layout.boxes(0, start, start + 2)[0]
    assert box.left() == pytest.approx(layout.x_of(start), abs=0.01)
    assert box.right() == pytest.approx(layout.x_of(start + 2), abs=0.01)


def test_every_line_of_a_mark_is_covered_where_text_runs_from_right_to_left(qtbot: QtBot) -> None:
    text = "שלום עולם זה טקסט ארוך מאוד " * 12
    document_layout = DocumentLayout(text)
    document_layout.measure(text_font("he", 15), 260)
    lines = document_layout.piece(0).layout
    marked = document_layout.boxes(0, 0, len(text))
    assert len(marked) == lines.lineCount() > 4
    assert [box.width() for box in marked] == pytest.approx(
        [lines.lineAt(at).naturalTextWidth() for at in range(lines.lineCount())], abs=6
    )


def test_a_mark_covers_its_own_words_where_a_line_runs_both_ways(qtbot: QtBot) -> None:
    text = "The words שלום עולם are Hebrew"
    document_layout = DocumentLayout(text)
    document_layout.measure(text_font("en", 15), 900)

    def covered(word: str) -> list[tuple[float, float]]:
        start = text.index(word)
        boxes = document_layout.boxes(0, start, start + len(word))
        return sorted((box.left(), box.right()) for box in boxes)

    [world], [hello], [words], [are] = covered("עולם"), covered("שלום"), covered("words"), covered("are")
    assert words[1] < world[0] < world[1] < hello[0] < hello[1] < are[0]
    one, other = covered("words שלום")
    assert one[0] == words[0]
    assert one[1] <= world[0] + 0.5
    assert other == hello


@pytest.mark.parametrize("mark", ["\ufeff", "\ufffe"])
def test_a_byte_order_mark_at_the_start_of_a_paragraph_moves_no_offset(qtbot: QtBot, mark: str) -> None:
    document_layout = DocumentLayout(f"一行目\n{mark}abcdef")
    document_layout.measure(text_font("ja", 15), 400)
    piece = document_layout.piece(document_layout.piece_at(5))
    assert piece.layout.text()[1:] == "abcdef"
    assert len(piece.layout.text()) == piece.length


def test_overlapping_marks_are_cut_so_that_each_character_has_one() -> None:
    ints = lambda *v: np.array(v, np.int64)  # noqa: E731
    marks = Marks.of(ints(0, 10, 12), ints(30, 20, 14), np.array([1, 0, 2], np.int8))
    cut = marks.stretches(0, 40)
    assert [(s.start, s.end, int(marks.number[s.mark])) for s in cut if s.covered == 1] == [
        (0, 10, 0),
        (20, 30, 0),
    ]
    assert {int(marks.number[s.mark]) for s in cut if 10 <= s.start < 20} == {1}
    active = marks.stretches(0, 40, active={2})
    assert [(s.start, s.end) for s in active if marks.number[s.mark] == 2] == [(12, 14)]
    current = marks.stretches(0, 40, active={0, 1, 2}, current=0)
    assert {int(marks.number[s.mark]) for s in current} == {0}


def test_marks_are_found_by_place_also_under_a_long_one() -> None:
    rng = np.random.default_rng(0)
    start = rng.integers(0, 1000, 200)
    end = start + rng.integers(1, 300, 200)
    marks = Marks.of(start, end, np.zeros(200, np.int8))
    for low in range(0, 1200, 37):
        expected = {i for i in range(200) if start[i] < low + 20 and end[i] > low}
        assert set(marks.number[marks.within(low, low + 20)].tolist()) == expected


def test_density_is_the_covered_share_of_each_row() -> None:
    cover = density(np.array([0.5, 2.0]), np.array([1.5, 5.0]), 6)
    assert cover.tolist() == pytest.approx([0.5, 0.5, 1, 1, 1, 0])


@pytest.mark.parametrize(
    ("text", "offset", "word"),
    [
        ("写した文", 0, "写"),
        ("カタカナ語", 1, "カタカナ"),
        ("a b", 1, " "),
        ("un cafe\u0301s noir", 4, "cafe\u0301s"),
        ("un cafe\u0301s noir", 7, "cafe\u0301s"),
        ("हिन्दी भाषा", 2, "हिन्दी"),
        ("葛\U000e0100飾区へ", 0, "葛\U000e0100飾区"),
        ("これは👍🏽だ", 3, "👍🏽"),
        ("これは👍🏽だ", 4, "👍🏽"),
        ("!\u0301abc", 3, "abc"),
        ("\u0301", 0, "\u0301"),
    ],
)
def test_a_double_click_takes_a_run_of_one_kind(text: str, offset: int, word: str) -> None:
    start, end = word_at(text, offset)
    assert text[start:end] == word


@pytest.fixture
def view(qtbot: QtBot) -> DocumentView:
    document_view = DocumentView(LIGHT)
    qtbot.addWidget(document_view)
    document_view.resize(420, 400)
    document_view.show()
    document_view.set_document(DocumentLayout(f"{FAMILY}あ😀い\n" + "文である。" * 300), "ja", [(0, 3)], "題")
    return document_view


def test_the_caret_steps_over_a_joined_emoji_and_copies_it_whole(qtbot: QtBot, view: DocumentView) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.selected_text() == FAMILY
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.selected_text() == "😀"


@pytest.mark.parametrize(
    "read",
    [
        ("🇯🇵", "🇰🇷", "x"),
        ("葛\U000e0100", "飾"),
        ("नि", "य"),
        ("e\u0301\u0323", "x"),
        ("👍🏽", "a"),
        ("🏴\U000e0067\U000e0062\U000e007f", "!"),
        ("a", "\n", "\u0301", "b"),
    ],
)
def test_the_caret_stops_between_characters_as_they_read(
    qtbot: QtBot, view: DocumentView, read: tuple[str, ...]
) -> None:
    view.set_document(DocumentLayout("".join(read)), "ja")
    places = [len("".join(read[:count])) for count in range(len(read) + 1)]
    for key, expected in ((Qt.Key.Key_Right, places[1:]), (Qt.Key.Key_Left, places[-2::-1])):
        stops = []
        while len(stops) < len(expected):
            qtbot.keyClick(view, key)
            stops.append(view.caret)
        assert stops == expected


def test_keys_move_the_caret_and_the_text_follows(qtbot: QtBot, view: DocumentView) -> None:
    qtbot.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.caret == view.lines.length
    bottom = view.lines.y_of(view.caret) + view.lines.line_height
    assert view.top < bottom <= view.top + view.viewport().height()
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert view.caret < view.lines.length
    qtbot.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert (view.caret, view.top) == (0, 0)


def test_zoom_keeps_the_reading_line(view: DocumentView) -> None:
    view.show_place(700)
    before = view.reading_offset()
    view.set_size(20)
    assert view.reading_offset() == pytest.approx(before, abs=25)


def test_screen_readers_hear_title_line_and_match(view: DocumentView) -> None:
    view.set_marks(Marks.of(np.array([12]), np.array([20]), np.zeros(1, np.int8)))
    view.set_caret(14)
    assert view.accessibleName() == "題"
    assert "match 1" in view.accessibleDescription()
    assert "文である。" in view.accessibleDescription()


def test_markup_in_a_text_is_drawn_as_text(qtbot: QtBot, view: DocumentView) -> None:
    def drawn(text: str) -> QImage:
        view.set_document(DocumentLayout(text), "en")
        return view.viewport().grab().toImage()

    assert drawn("<b>x</b>") != drawn("x")


def test_the_caret_of_an_empty_line_does_not_reach_into_the_next(qtbot: QtBot, view: DocumentView) -> None:
    view.set_document(DocumentLayout("\n　文である。"), "ja")
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    next_line = int(view.lines.y_of(1) - view.top)
    view.set_caret(1)
    view.set_caret(0)
    column = view.viewport().grab().toImage().copy(int(view.left) - 1, next_line, 2, 12)
    assert {column.pixelColor(x, y).name() for x in range(2) for y in range(12)} == {LIGHT.surface.lower()}


def test_each_tier_has_a_cue_besides_its_colour(view: DocumentView) -> None:
    view.set_tokens(replace(LIGHT, symbols=LIGHT.exact, altered=LIGHT.exact))
    pictures = []
    for tier in range(3):
        view.set_marks(Marks.of(np.array([12]), np.array([60]), np.array([tier], np.int8)))
        pictures.append(view.viewport().grab().toImage())
    assert pictures[0] != pictures[1]
    assert pictures[1] != pictures[2]
    assert pictures[0] != pictures[2]


def test_clicking_again_where_marks_overlap_takes_the_next(view: DocumentView) -> None:
    view.set_marks(Marks.of(np.array([10, 12]), np.array([40, 20]), np.zeros(2, np.int8)))
    heard: list[int] = []
    view.mark_clicked.connect(heard.append)
    view.mark_clicked.connect(view.set_active)
    for _ in range(3):
        view.activate_at(15)
    assert heard == [1, 0, 1]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_click_anywhere_on_a_character_opens_its_match(qtbot: QtBot, view: DocumentView, share: float) -> None:
    view.set_document(DocumentLayout("前の文。これは写し。次の写し。"), "ja")
    view.set_marks(Marks.of(np.array([4, 10]), np.array([10, 15]), np.zeros(2, np.int8)))
    heard: list[int] = []
    view.mark_clicked.connect(heard.append)
    box = view.lines.boxes(0, 9, 10)[0]
    place = QPoint(round(view.left + box.left() + share * box.width()), round(view.lines.tops[0] - view.top + 8))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert heard == [0]


def test_screen_readers_hear_the_line_of_the_caret_in_a_long_paragraph(view: DocumentView) -> None:
    view.set_document(DocumentLayout("".join(f"{number:04}." for number in range(200))), "en")
    view.set_caret(702)
    assert "0140." in view.accessibleDescription()
    assert "0000." not in view.accessibleDescription()


def test_what_shows_as_a_box_or_a_sign_is_named(qtbot: QtBot) -> None:
    face = text_font("ja")
    assert unseen("文aé 漢\n", face) == []
    assert unseen("\U000f1234\x07a\u202e", face) == ["U+F1234", "U+0007", "U+202E RIGHT-TO-LEFT OVERRIDE"]


def test_the_tip_of_a_pane_says_what_a_box_is(qtbot: QtBot) -> None:
    pane = DocumentView()
    qtbot.addWidget(pane)
    pane.resize(400, 200)
    pane.set_document(DocumentLayout("\U000f1234 という字"), "ja", [], "box")
    pane.show()
    qtbot.waitExposed(pane)
    place = QPoint(pane.gutter + 3, 8)
    QApplication.sendEvent(pane.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, pane.viewport().mapToGlobal(place)))
    assert QToolTip.text() == "U+F1234"
    QToolTip.hideText()


def test_the_gutter_has_room_for_the_sign_of_a_note_beside_long_numbers(view: DocumentView) -> None:
    usual = view.gutter
    view.set_document(DocumentLayout("行。\n" * 12_000), "ja", [], "long")
    assert view.gutter >= usual + 21
    view.set_document(DocumentLayout("行。\n" * 99), "ja", [], "short")
    assert view.gutter == usual


class RestlessPane(DocumentView):
    """Counts how often its width changes; a change without end is ended, so that a test fails and does not hang."""

    times = 0

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        self.times += 1
        if self.times > 20:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        super().resizeEvent(event)


def test_a_text_that_almost_fills_its_pane_comes_to_rest_with_or_without_a_scroll_bar(qtbot: QtBot) -> None:
    pane = RestlessPane(LIGHT)
    qtbot.addWidget(pane)
    pane.show()
    pane.set_document(DocumentLayout("Entry 1. " * 9), "zh")
    for width in range(120, 260, 10):
        for height in range(128, 168, 4):
            pane.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
            pane.times = 0
            pane.resize(width, height)
            QApplication.processEvents()
            assert pane.times <= 4, (width, height)
            bar = pane.verticalScrollBar()
            assert bar.isVisible() == (bar.maximum() > 0) == (pane.lines.total > height), (width, height)
