"""Places as people cite them, against plain counting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.locators import LONGEST_HEADING, PageLocator, Places, place
from workbench.base.types import Block, BlockClass, BlockKind, Document, Extraction, PrintedPage, Span

HEADING, PARAGRAPH, ITEM = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.LIST_ITEM


def with_blocks(*parts: tuple[BlockKind, str] | tuple[BlockKind, str, BlockClass]) -> Document:
    text, blocks = "", []
    for kind, words, *verdict in parts:
        blocks.append(Block(Span(len(text), len(text) + len(words)), kind, *verdict))
        text += words + "\n"
    return Document("d", text, blocks=tuple(blocks))


def cited(document: Document, first: str, last: str = "") -> tuple[str, dict[str, object]]:
    """Where the text from the beginning of ``first`` to the end of ``last`` is."""
    start = document.text.index(first)
    where = place(document, Span(start, document.text.index(last or first, start) + len(last or first)))
    return str(where.words), where.record


THESIS = with_blocks(
    (PARAGRAPH, "A preface."),
    (HEADING, "1 Harbours"),
    (PARAGRAPH, "The harbour was quiet."),
    (PARAGRAPH, "Menu", BlockClass.NON_CONTENT),
    (ITEM, "The ferry left."),
    (HEADING, "2.3 Methods"),
    (PARAGRAPH, "We counted lanterns."),
    (PARAGRAPH, "Nobody answered."),
)


def test_a_document_with_headings_is_cited_by_heading_and_paragraph() -> None:
    assert cited(THESIS, "quiet") == ("1 Harbours, ¶ 1", {"heading": "1 Harbours", "paragraph": 1})
    assert cited(THESIS, "Nobody") == ("2.3 Methods, ¶ 2", {"heading": "2.3 Methods", "paragraph": 2})


def test_paragraphs_that_are_not_content_are_not_counted() -> None:
    assert cited(THESIS, "ferry")[0] == "1 Harbours, ¶ 2"
    assert cited(THESIS, "Menu")[0] == "1 Harbours, ¶ 1"


def test_a_passage_that_ends_below_another_heading_of_the_same_name_is_not_a_range_below_one() -> None:
    exercises = (HEADING, "Exercises"), (PARAGRAPH, "First task."), (PARAGRAPH, "Second task.")
    document = with_blocks(*exercises, (HEADING, "Exercises"), (PARAGRAPH, "Third task."), (PARAGRAPH, "Fourth task."))
    first, third = {"heading": "Exercises", "paragraph": 2}, {"heading": "Exercises", "paragraph": 1}
    assert cited(document, "Second", "Third") == ("Exercises, ¶ 2 – Exercises, ¶ 1", first | {"last": third})
    assert cited(document, "Second", "Fourth") == ("Exercises, ¶ 2 – Exercises, ¶ 2", first | {"last": first})
    assert cited(document, "First", "Second")[0] == "Exercises, ¶ 1–2"


def test_a_table_is_one_paragraph() -> None:
    cells = [(BlockKind.TABLE_CELL, f"cell {number}") for number in range(6)]
    document = with_blocks((PARAGRAPH, "Before."), *cells, (PARAGRAPH, "After."), *cells)
    assert [cited(document, words)[0] for words in ("cell 0", "cell 5", "After")] == ["¶ 2", "¶ 2", "¶ 3"]
    assert cited(document, "cell 4", "After")[0] == "¶ 2–3"


def with_paths(paths: Sequence[str], kinds: Sequence[BlockKind], words: Sequence[str]) -> Document:
    document = with_blocks(*zip(kinds, words, strict=True))
    blocks = [block._replace(path=path) for block, path in zip(document.blocks, paths, strict=True)]
    return replace(document, blocks=tuple(blocks))


@pytest.mark.parametrize(
    ("paths", "rows"),
    [
        # A table in the second of three rows.
        (("tr[1]", "tr[2]", "tr[2]/td[1]/table[1]/tr[1]", "tr[2]/td[1]/table[1]/tr[2]", "tr[2]", "tr[3]"), "122223"),
        # The outer table only arranges the page.
        (("tr[1]", *(f"tr[2]/td[1]/table[1]/tbody[1]/tr[{at}]" for at in (1, 2, 3))), "1234"),
        ([f"tr[{outer}]/td[1]/table[1]/tr[{at}]" for outer, at in ((1, 1), (1, 2), (3, 1))], "123"),
    ],
)
def test_a_table_within_a_row_is_of_that_row_unless_the_outer_one_only_arranges_others(
    paths: Sequence[str], rows: str
) -> None:
    words = [f"cell {number}" for number in range(len(paths))]
    document = with_paths([f"table[1]/{path}/td[1]" for path in paths], [BlockKind.TABLE_CELL] * len(paths), words)
    assert [cited(document, cell)[0] for cell in words] == [f"¶ 1, row {row}" for row in rows]


def test_the_rows_of_a_table_are_cited_its_head_and_body_counted_through() -> None:
    paths = ("p[1]", "table[1]/thead[1]/tr[1]/th[1]", *(f"table[1]/tbody[1]/tr[{at}]/td[1]" for at in (1, 2)), "p[2]")
    kinds = (PARAGRAPH, *[BlockKind.TABLE_CELL] * 3, PARAGRAPH)
    words = ("Before.", "Head", "One.", "Two.", "After.")
    document = with_paths(paths, kinds, words)
    assert cited(document, "One.") == ("¶ 2, row 2", {"heading": "", "paragraph": 2, "row": 2})
    last = {"last": {"heading": "", "paragraph": 2, "row": 3}}
    assert cited(document, "Head", "Two.") == ("¶ 2, rows 1–3", {"heading": "", "paragraph": 2, "row": 1} | last)
    assert cited(document, "Two.", "After.")[0] == "¶ 2–3"


def test_several_paragraphs_are_cited_from_the_first_to_the_last() -> None:
    whole = {"heading": "2.3 Methods", "paragraph": 1, "last": {"heading": "2.3 Methods", "paragraph": 2}}
    assert cited(THESIS, "counted", "Nobody") == ("2.3 Methods, ¶ 1–2", whole)
    assert cited(THESIS, "2.3 Methods", "lanterns")[0] == "2.3 Methods, ¶ 1"


def test_paragraphs_below_two_headings_are_cited_from_the_one_to_the_other() -> None:
    words, record = cited(THESIS, "ferry", "lanterns")
    assert words == "1 Harbours, ¶ 2 – 2.3 Methods, ¶ 1"
    assert record["last"] == {"heading": "2.3 Methods", "paragraph": 1}


def test_text_above_the_first_heading_is_cited_by_its_paragraph() -> None:
    assert cited(THESIS, "preface") == ("¶ 1", {"heading": "", "paragraph": 1})


def test_a_long_heading_is_cut() -> None:
    document = with_blocks((HEADING, "x" * 500), (PARAGRAPH, "Words."))
    assert cited(document, "Words")[1]["heading"] == "x" * (LONGEST_HEADING - 1) + "…"


def test_plain_text_is_cited_by_its_lines() -> None:
    document = Document("d", "one\ntwo\n\nfour\nfive\n")
    assert cited(document, "one") == ("line 1", {"lines": [1, 1]})
    assert cited(document, "wo", "four") == ("lines 2–4", {"lines": [2, 4]})
    assert cited(document, "two\n") == ("line 2", {"lines": [2, 2]})


def printed(*pages: tuple[str, list[str]]) -> Document:
    text, printed_pages = "", []
    for label, lines in pages:
        starts = []
        for line in lines:
            starts.append(len(text))
            text += line + " "
        printed_pages.append(PrintedPage(label, tuple(starts)))
    block = Block(Span(0, len(text)), path="page[1]")
    return Document("d", text, blocks=(block,), extraction=Extraction("pdf", pages=tuple(printed_pages)))


BOOK = printed(("i", ["Preface"]), ("", []), ("1", ["first", "second", "third"]), ("2", ["fourth", "fifth"]))


def test_a_printed_document_is_cited_by_page_and_line_and_its_printed_label() -> None:
    assert cited(BOOK, "second", "third") == ("p. 1, lines 2–3", {"page": 3, "label": "1", "lines": [2, 3]})
    assert cited(BOOK, "Preface") == ("p. i, line 1", {"page": 1, "label": "i", "lines": [1, 1]})
    plain = replace(
        BOOK, extraction=Extraction("pdf", pages=tuple(p._replace(label="") for p in BOOK.extraction.pages))
    )
    assert cited(plain, "fifth") == ("p. 4, line 2", {"page": 4, "lines": [2, 2]})


def test_a_passage_over_a_page_break_is_cited_from_page_to_page() -> None:
    words, record = cited(BOOK, "second", "fourth")
    assert words == "p. 1, line 2 – p. 2, line 1"
    last = {"page": 4, "label": "2", "lines": [1, 1]}
    assert record == {"page": 3, "label": "1", "lines": [2, 3], "last": last}


@given(st.lists(st.lists(st.integers(1, 5), max_size=4), min_size=1, max_size=6), st.data())
def test_the_page_and_line_of_any_passage_are_those_that_a_reader_counts(
    pages: list[list[int]], data: st.DataObject
) -> None:
    lines = [
        (page, number)
        for page, sizes in enumerate(pages, 1)
        for number, size in enumerate(sizes, 1)
        for _ in range(size + 1)
    ]
    document = printed(*(("", ["x" * size for size in sizes]) for sizes in pages))
    if not lines:
        return
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    where = place(document, Span(start, end))
    assert isinstance(where, PageLocator)
    assert ((where.first.page, where.first.line), (where.last.page, where.last.line)) == (lines[start], lines[end - 1])
    assert where.end_of_page == max(line for page, line in lines[start:end] if page == where.first.page) or (
        where.first.page != where.last.page and where.end_of_page == len(pages[where.first.page - 1])
    )


@pytest.mark.parametrize("document", [THESIS, BOOK, Document("d", "words\n"), Document("d", "")])
def test_every_document_has_a_place_for_an_empty_passage(document: Document) -> None:
    assert place(document, Span(0, 0)).words
    assert place(document, Span(len(document.text), len(document.text))).words


def test_slides_are_cited_by_their_number_and_only_their_own_title() -> None:
    slides = [("slide[1]", ("# Ferries", "One.", "Two.")), ("slide[2]", ("Three.", "Four."))]
    blocks, text = [], ""
    for path, lines in slides:
        for number, line in enumerate(lines, 1):
            kind = BlockKind.HEADING if line.startswith("#") else BlockKind.PARAGRAPH
            blocks.append(Block(Span(len(text), len(text) + len(line)), kind, path=f"{path}/p[{number}]"))
            text += line + "\n"
    document = Document("a", text, blocks=tuple(blocks))
    words = [place(document, block.span).words for block in blocks]
    assert words[1:] == ["slide 1, # Ferries, ¶ 1", "slide 1, # Ferries, ¶ 2", "slide 2, ¶ 1", "slide 2, ¶ 2"]
    assert (
        place(document, Span(text.index("Two"), text.index("Four"))).words == "slide 1, # Ferries, ¶ 2 – slide 2, ¶ 1"
    )
    assert place(document, blocks[3].span).record == {"slide": 2, "heading": "", "paragraph": 1}


def test_cells_of_a_sheet_are_cited_by_their_names() -> None:
    cells = [("sheet[1]", "Budget"), ("sheet[1]/B3", "Rowing boats"), ("sheet[1]/C3", "Two oars")]
    blocks, text = [], ""
    for path, words in cells:
        kind = BlockKind.TABLE_CELL if "/" in path else BlockKind.HEADING
        blocks.append(Block(Span(len(text), len(text) + len(words)), kind, path=path))
        text += words + "\n"
    document = Document("a", text, blocks=tuple(blocks))
    assert place(document, blocks[1].span).words == "Budget, B3"
    assert place(document, Span(7, len(text))).words == "Budget, B3–C3"
    assert place(document, blocks[2].span).record == {"heading": "Budget", "paragraph": 1, "cell": "C3"}


def test_notes_are_cited_as_such_and_are_not_paragraphs_of_the_text() -> None:
    paths = ("h1/p[1]", "p[2]", "footnotes/p[1]", "p[3]", "endnotes/p[1]", "footnotes/p[2]", "quote/footnotes/p[3]")
    words = ("Ferries", "One.", "See below.", "Two.", "The end.", "A copy.", "Its quotation.")
    kinds = (HEADING, *[PARAGRAPH] * 6)
    document = with_blocks(*zip(kinds, words, strict=True))
    blocks = [block._replace(path=path) for block, path in zip(document.blocks, paths, strict=True)]
    document = replace(document, blocks=tuple(blocks))
    assert cited(document, "Two") == ("Ferries, ¶ 2", {"heading": "Ferries", "paragraph": 2})
    assert cited(document, "A copy") == ("footnotes, ¶ 2", {"heading": "", "paragraph": 2, "notes": "footnotes"})
    assert cited(document, "A copy", "quotation")[0] == "footnotes, ¶ 2–3"
    assert cited(document, "The end", "A copy")[0] == "endnotes, ¶ 1 – footnotes, ¶ 2"


def test_notes_of_a_slide_are_cited_with_it() -> None:
    document = with_blocks((PARAGRAPH, "One."), (PARAGRAPH, "Say this."), (PARAGRAPH, "And this."))
    paths = ("slide[2]/p[1]", "slide[2]/notes/p[1]", "slide[2]/notes/p[2]")
    blocks = [block._replace(path=path) for block, path in zip(document.blocks, paths, strict=True)]
    document = replace(document, blocks=tuple(blocks))
    assert cited(document, "And")[0] == "slide 2, notes, ¶ 2"


def test_each_paragraph_is_numbered_once_as_it_is_cited() -> None:
    cells = [(BlockKind.TABLE_CELL, f"cell {number}") for number in range(3)]
    document = with_blocks(
        (PARAGRAPH, "Before."),
        (HEADING, "1 Ferries"),
        (PARAGRAPH, "One,\nin two lines."),
        *cells,
        (PARAGRAPH, "After."),
    )
    starts = [at for at in range(len(document.text)) if at == 0 or document.text[at - 1] == "\n"]
    assert list(Places(document).numbers(starts)) == [1, 0, 1, 0, 2, 0, 0, 3]
    assert list(Places(Document("d", "one\n\nthree\n")).numbers([0, 4, 5])) == [1, 2, 3]
