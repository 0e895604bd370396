"""A document as a page of its own: where its characters are, in every format that has one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.rich import FORMATS, written
from tests.unit.reading.formats.items import one
from workbench.base.errors import UnreadableInput
from workbench.base.types import Block, BlockKind, Document, Span
from workbench.gui.document.layout import Flow
from workbench.gui.document.rich_layout import RichLayout
from workbench.gui.document.view import DocumentView
from workbench.gui.theme.fonts import text_font
from workbench.reading.formats.html import page


def spread(document: Document, width: float = 420, size: int = 15) -> RichLayout:
    layout = RichLayout(document)
    layout.measure(text_font("en", size), width)
    layout.settle(0, 1e6)
    return layout


@pytest.mark.parametrize("width", [90, 420, 1500])
@pytest.mark.parametrize("name", FORMATS)
def test_every_character_has_its_own_place_and_the_place_leads_back(
    qtbot: QtBot, tmp_path: Path, name: str, width: int
) -> None:
    check_places(spread(written(tmp_path, name), width))


PARTS = [
    *("<p>", "<b>", "</b>", "<i>", "</i>", "<code>", "<br>", "<h1>", "</h1>", "<ul>", "</ul>", "<ol>", "<li>", "<img>"),
    *("<table>", "</table>", "<tr>", "<td>", "<th>", "<blockquote>", "</blockquote>", "<pre>", "</pre>", "<dd>"),
    *("word ", "two words", "long" * 30, "文字", "😀", "a\n b", "ffi", "\t", "&#233;", "e\u0301", "\u0645\u0631"),
]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=50))
@settings(max_examples=60)
def test_every_character_of_any_page_has_its_own_place(qapp: QApplication, parts: list[str]) -> None:
    try:
        document = page("".join(parts), "a")
    except UnreadableInput:
        return
    check_covered(spread(document, 200))


def check_covered(layout: RichLayout) -> None:
    """Each character is in one piece and one flow, and the place where it begins is above what follows."""
    pieces = [(*layout.limits(index), layout.piece(index).flows) for index in range(len(layout.starts))]
    flows = [(flow.start, flow.start + flow.length) for _, _, flows in pieces for flow in flows]
    covered = np.zeros(layout.length + 1, np.int64)
    for start, end in flows:
        covered[start:end] += 1
    bare = [at for at, character in enumerate(layout.text) if character != "\n"]
    assert set(covered[bare].tolist()) <= {1}
    assert covered.max(initial=0) <= 1
    for offset in bare:
        index = layout.piece_at(offset)
        assert layout.tops[index] <= layout.y_of(offset) < layout.tops[index + 1]


def check_places(layout: RichLayout) -> None:
    """Each letter has one place, which leads back to it."""
    covered = np.zeros(layout.length, np.int64)
    for index in range(len(layout.starts)):
        top = float(layout.tops[index])
        for offset in range(*layout.limits(index)):
            boxes = layout.boxes(index, offset, offset + 1)
            assert len(boxes) <= 1
            covered[offset] += len(boxes)
            for box in boxes:
                # The space at the end of a line is as wide as there is room.
                if not layout.text[offset].isspace():
                    y = top + box.center().y()
                    assert layout.piece_at_y(y) == index
                    assert layout.offset_at(box.left() + 0.2 * box.width(), y) == offset
                    assert layout.y_of(offset) == pytest.approx(top + box.top())
                    assert layout.x_of(offset) == pytest.approx(box.left(), abs=0.1)
    letters = [at for at, character in enumerate(layout.text) if not character.isspace()]
    assert set(covered[letters].tolist()) == {1}


def test_empty_lines_have_their_height_before_they_are_measured(qtbot: QtBot) -> None:
    layout = RichLayout(page("<p>One.</p><pre>a\n\nb</pre><p>Two.</p><p>c<br><br>d</p>", "a"))
    layout.measure(text_font("en", 15), 420)
    empty = layout.starts == layout.ends
    heights = layout.heights[empty].tolist()
    layout.settle(0, 1e6)
    assert layout.heights[empty].tolist() == heights
    assert heights[0] > heights[1]


@pytest.mark.parametrize("name", FORMATS)
def test_no_two_characters_share_a_place(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    layout = spread(written(tmp_path, name))
    for index in range(len(layout.starts)):
        places = [layout.boxes(index, at, at + 1) for at in range(*layout.limits(index))]
        boxes = [box for own in places for box in own if box.width() > 1]
        inner = [box.adjusted(0.3, 0.3, -0.3, -0.3).normalized() for box in boxes]
        left, top, right, bottom = np.array([r.getCoords() for r in inner], float).reshape(-1, 4).T[:, :, None]
        across = (left < right.T) & (right > left.T)
        assert not np.triu(across & (top < bottom.T) & (bottom > top.T), 1).any()
        # What is above or below a piece is not in it.
        assert all(box.top() >= 0 and box.bottom() <= layout.heights[index] + 0.01 for box in boxes)


@pytest.mark.parametrize("name", FORMATS)
def test_headings_are_larger_and_emphasis_is_written_as_in_the_file(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    layout = spread(written(tmp_path, name))

    def flow(word: str) -> Flow:
        start = layout.text.index(word)
        return layout.piece(layout.piece_at(start)).flow_of(start)

    sizes = [flow(word).layout.font().pixelSize() for word in ("Harbours of", "Evening", "There are")]
    assert sizes[0] > sizes[1] > sizes[2]
    text = flow("There are")
    looks = {}
    for part in text.layout.formats():
        look, words = part.format, text.layout.text()[part.start : part.start + part.length].strip()
        looks[words] = (look.fontWeight() > 400, look.fontItalic(), bool(look.fontFamilies()))
    assert looks["many"] == (True, False, False)
    assert looks["few"] == (False, True, False)
    assert looks["are"] == (True, True, False)
    assert looks["port"] == (False, False, True)
    assert flow("A light within").x > flow("The second light").x > flow("The end.").x


@pytest.mark.parametrize("name", FORMATS)
def test_the_place_of_a_picture_is_between_the_words_around_it(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    document = written(tmp_path, name)
    bare = replace(document, extraction=replace(document.extraction, looks=()))

    def room(shown: Document) -> float:
        layout = spread(shown)
        return layout.y_of(shown.text.index("Evening")) - layout.y_of(shown.text.index("old; port"))

    assert room(document) > room(bare) + 30


@pytest.mark.parametrize("name", FORMATS)
def test_scrolling_places_and_offsets_are_inverse_on_a_page(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    layout = spread(written(tmp_path, name))
    before = -1.0
    for offset in np.linspace(0, layout.length - 1, 60):
        y = layout.y_near(float(offset))
        assert y >= before
        before = y
        inside = layout.piece_at(int(offset))
        if offset < layout.ends[inside]:
            assert layout.offset_near(y + 1e-6) == pytest.approx(offset, abs=1e-3)


def test_a_book_is_laid_out_where_it_is_seen(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(["A paragraph of a book that has very many of them."] * 20_000)
    starts = range(0, len(text), len(text) // 20_000 + 1)
    layout = RichLayout(Document("d", text, blocks=tuple(Block(Span(at, at + 49)) for at in starts)))
    laid: list[int] = []

    def lay(index: int) -> tuple[tuple[Flow, ...], float]:
        laid.append(index)
        return RichLayout._lay(layout, index)

    monkeypatch.setattr(layout, "_lay", lay)
    view = DocumentView()
    qtbot.addWidget(view)
    view.resize(400, 600)
    view.set_document(layout, "en")
    view.show_place(len(text) / 2)
    assert 0 < len(laid) < 100
    assert layout.total > 300_000


def test_blocks_of_an_earlier_version_are_shown_by_their_kinds_alone(qtbot: QtBot) -> None:
    text = "A heading\nA paragraph\nAn item\nA cell\nAnother cell"
    kinds = (BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE_CELL, BlockKind.TABLE_CELL)
    starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]
    spans = [Span(start, end - 1) for start, end in pairwise([*starts, len(text) + 1])]
    blocks = tuple(Block(s, kind, path=f"p[{n}]") for n, (s, kind) in enumerate(zip(spans, kinds, strict=True), 1))
    layout = spread(Document("d", text, blocks=blocks))
    assert [layout.x_of(start) > 0 for start in starts] == [False, False, True, False, False]
    sizes = [layout.piece(index).layout.font().pixelSize() for index in range(2)]
    assert sizes[0] > sizes[1]
    assert layout.y_of(starts[3]) < layout.y_of(starts[4])


def test_a_page_that_is_laid_out_as_a_table_is_not_squeezed_into_columns(qtbot: QtBot, tmp_path: Path) -> None:
    words = "<p>A paragraph of a page of old times.</p>" * 80
    (tmp_path / "old.html").write_text(f"<table><tr><td>Menu</td><td>{words}</td></tr></table>", "utf-8")
    layout = spread(one(tmp_path / "old.html", (tmp_path / "old.html").read_bytes()))
    assert len(layout.starts) == 81
    assert {layout.x_of(int(start)) for start in layout.starts} == {0.0}
