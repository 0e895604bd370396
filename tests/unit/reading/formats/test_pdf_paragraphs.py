"""Paragraphs of printed pages, by where their lines are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from workbench.base.locators import place
from workbench.base.types import Document, Extraction, PrintedPage, Span
from workbench.reading.formats.pdf import assembled
from workbench.reading.formats.running_heads import Measure, PdfLine

RIGHT = 300.0
SIZE = 10.0


def lines(*rows: tuple[float, float, float, str], size: float = SIZE) -> list[PdfLine]:
    """Lines of (start, end, base, text) in points of a page of 800."""
    return [
        PdfLine(text, base / 800, (), Measure(0, start, end, base, size, 5.0 * len(text.split()[0]), False))
        for start, end, base, text in rows
    ]


def body(first: float, *texts: str, start: float = 0.0, end: float = RIGHT) -> list[PdfLine]:
    """Full lines, 12 points from each other."""
    return lines(*((start, end, first + 12 * at, text) for at, text in enumerate(texts)))


def short(base: float, text: str) -> list[PdfLine]:
    return lines((0, 120, base, text))


def paragraphs(*pages: Sequence[PdfLine]) -> list[str]:
    return assembled(pages)[0].text.split("\n")


SEA = (
    "The ferry left the harbour at dawn with nine",
    "Passengers and put out to sea on a wind from",
    "The north and nobody",
)
LAND = (
    "No one of them had told the pilot of the bank",
    "Of fog that lay across the southern cape on",
    "That day of the year",
)


COAST = ("A bay that nobody had seen before them and", "The stones on its shore")
CAPTAIN = ("The ferry has a well-", "known captain of the sea")
PILOT = ("No one of them had told the pi-", "lot of the bank")


def test_a_short_line_an_indent_and_a_gap_begin_paragraphs() -> None:
    assert paragraphs([*body(100, *SEA), *short(136, "Spoke."), *body(148, *SEA)]) == [
        " ".join((*SEA, "Spoke.")),
        " ".join(SEA),
    ]
    indented = lines((12, RIGHT, 136, "The second"))
    assert paragraphs([*body(100, *SEA), *indented, *body(148, *SEA)]) == [
        " ".join(SEA),
        " ".join(("The second", *SEA)),
    ]
    assert paragraphs([*body(100, *SEA), *body(142, *SEA)]) == [" ".join((*SEA, *SEA))]
    stopped = (*SEA[:2], "The north.")
    assert paragraphs([*body(100, *stopped), *body(142, *SEA)]) == [" ".join(stopped), " ".join(SEA)]


def test_lines_between_which_a_word_is_divided_are_of_one_paragraph_whatever_their_size() -> None:
    typed = lines((0, RIGHT, 112, "bour of the town"), size=8)
    page = [*body(100, "Away from the har-"), *typed, *body(124, *SEA)]
    assert paragraphs(page) == [" ".join(("Away from the harbour of the town", *SEA))]


def test_the_lines_of_a_hanging_item_are_one_paragraph() -> None:
    item = [*body(100, "• The ferry left the harbour at dawn with nine."), *body(112, *SEA[1:], start=14)]
    assert paragraphs([*item, *lines((0, 80, 136, "• Another"))]) == [
        " ".join(("• The ferry left the harbour at dawn with nine.", *SEA[1:])),
        "• Another",
    ]


def test_items_that_fill_their_lines_are_paragraphs() -> None:
    items = ["• The ferry left the harbour at dawn with nine", "• Passengers put out to sea on a wind from it"]
    assert paragraphs([*body(100, *items, "• The north and nobody knew of it")]) == [
        *items,
        "• The north and nobody knew of it",
    ]


def test_two_columns_are_read_one_after_the_other_and_a_word_between_them_is_whole() -> None:
    left = body(100, *SEA[:2], "Away from the har-", end=140)
    right = body(100, "bour of the town", *SEA[1:], start=160)
    assert paragraphs([*left, *right]) == [f"{SEA[0]} {SEA[1]} Away from the harbour of the town {SEA[1]} {SEA[2]}"]


@pytest.mark.parametrize("between", [["1 A footnote of the year."], ["Figure 1: A ferry"]])
def test_a_paragraph_continues_past_what_is_at_the_end_of_its_page_which_comes_after_it(between: list[str]) -> None:
    notes = lines(*((0, 120, 700 + 10 * at, text) for at, text in enumerate(between)), size=8)
    first = [*body(100, *SEA * 2), *notes]
    second = [*body(100, *LAND, "Was left."), *short(300, "An end.")]
    assert paragraphs(first, second) == [" ".join((*SEA, *SEA, *LAND, "Was left.")), *between, "An end."]


def test_a_passage_below_a_footnote_is_cited_by_its_own_page_and_line() -> None:
    notes = lines((0, 120, 700, "1 A footnote of the year."), size=8)
    second = [*body(100, *LAND, "Was left."), *short(300, "An end.")]
    whole, starts = assembled([[*body(100, *SEA), *notes], second])
    pages = tuple(PrintedPage("", tuple(own)) for own in starts)
    document = Document("a", whole.text, blocks=whole.blocks, extraction=Extraction("pdf", pages=pages))

    def cited(words: str) -> dict[str, object]:
        at = document.text.rindex(words)
        return place(document, Span(at, at + len(words))).record

    assert cited("A footnote") == {"page": 1, "lines": [4, 4]}
    assert cited("Was left") == {"page": 2, "lines": [4, 4]}
    assert cited("An end") == {"page": 2, "lines": [5, 5]}


def test_headings_captions_and_rows_do_not_continue_elsewhere() -> None:
    heading = lines((0, RIGHT, 700, "Of harbours and of"), size=14)
    assert paragraphs([*body(100, *SEA), *heading], body(100, *LAND))[1] == "Of harbours and of"
    row = lines((0, RIGHT, 700, "Dawn 9 Dusk 12"))
    row = [line._replace(measure=line.measure and line.measure._replace(is_row=True)) for line in row]
    assert paragraphs([*body(100, *SEA), *row], body(100, *LAND))[-1] == "Dawn 9 Dusk 12"
    caption = body(700, "Figure 1: The ferry left the harbour at dawn")
    assert paragraphs([*short(100, "An end."), *caption], body(100, *LAND))[-1] == " ".join(LAND)


def test_a_paragraph_does_not_continue_behind_a_heading() -> None:
    heading = lines((0, 200, 60, "Of harbours"), size=14)
    assert paragraphs(body(100, *SEA), [*heading, *body(100, *LAND)]) == [" ".join(SEA), "Of harbours", " ".join(LAND)]


def test_lines_that_run_down_are_paragraphs_in_the_same_way() -> None:
    def down(lines: Sequence[PdfLine]) -> list[PdfLine]:
        return [line._replace(measure=line.measure and line.measure._replace(turn=2)) for line in lines]

    page = [*body(100, *SEA), *short(136, "Spoke."), *body(148, *SEA)]
    assert paragraphs(down(page)) == paragraphs(page)


@pytest.mark.parametrize(
    ("elsewhere", "whole"),
    [
        ("It is a well-known man.", "well-known"),
        ("It is all well and a known man.", "well-known"),
        ("It is a wellknown man.", "wellknown"),
        ("It is a man of all.", "wellknown"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_stays_where_the_document_shows_that_it_is_part_of_a_word(
    elsewhere: str, whole: str
) -> None:
    page = [*body(100, elsewhere), *body(200, "The ferry has a well-", "known captain of the sea")]
    assert paragraphs(page)[-1] == f"The ferry has a {whole} captain of the sea"


@pytest.mark.parametrize(
    ("elsewhere", "whole"), [((), "wellknown"), (SEA * 40, "well-known"), ((*SEA * 40, *PILOT), "wellknown")]
)
def test_a_hyphen_stays_in_a_document_that_divides_no_words(elsewhere: tuple[str, ...], whole: str) -> None:
    assert f"has a {whole} captain" in paragraphs(body(100, *elsewhere, *LAND, *CAPTAIN))[0]


def hyphenated(base: float, divides: bool | None, *texts: str) -> list[PdfLine]:
    """Lines of which the file says whether the hyphen at their end divides a word."""
    return [line._replace(divides=divides if line.text[-1] == "-" else None) for line in body(base, *texts)]


@pytest.mark.parametrize(
    ("first", "other", "whole"),
    [(True, None, "well-known"), (None, False, "well-known"), (False, None, "wellknown"), (None, True, "wellknown")],
)
def test_a_hyphen_is_what_the_file_says_about_it_and_any_other_the_contrary(
    first: bool | None, other: bool | None, whole: str
) -> None:
    page = [
        *hyphenated(100, first, "All of them had told the pas-", "sengers of the bank"),
        *hyphenated(124, other, "That the ferry has a well-", "known captain of the sea"),
    ]
    passengers = "pas-sengers" if first is False or other else "passengers"
    assert paragraphs(page) == [
        f"All of them had told the {passengers} of the bank That the ferry has a {whole} captain of the sea"
    ]


def test_a_sign_that_only_ends_lines_divides_words() -> None:
    page = body(100, "An in-law of all in the in\u2010", "vited party has a well-", "known ferry")
    assert paragraphs(page) == ["An in-law of all in the invited party has a well-known ferry"]
    same = body(100, "An in\u2010law of all and known well in the well\u2010", "known party")
    assert paragraphs(same) == ["An in\u2010law of all and known well in the well\u2010known party"]


def test_notes_in_letters_of_the_text_are_not_part_of_it() -> None:
    texts = (("The ferry left.1 And", *SEA[1:]), ("No one.2 Of them", *LAND[1:]), ("Of the wind.3 And", *COAST))
    notes = ["1 At dawn", "2 Of nine of them", "3 From the north"]
    pages = [[*body(100, *text), *short(142, note)] for text, note in zip(texts, notes, strict=True)]
    whole = " ".join((*texts[0], *texts[1], *texts[2], LAND[0]))
    assert paragraphs(*pages, body(100, LAND[0])) == [whole, *notes]


def test_the_lines_of_a_cell_do_not_continue_in_the_next_one() -> None:
    def row(base: float) -> list[PdfLine]:
        cell = lines((100, 200, base, "A cell of two lines, the"))
        last = lines((100, 290, base + 12, "second one 12"))
        return [*cell, *(line._replace(measure=line.measure and line.measure._replace(is_row=True)) for line in last)]

    page = [*row(100), *row(140)]
    assert paragraphs(page) == ["A cell of two lines, the", "second one 12"] * 2


def test_a_first_line_indented_on_both_sides_is_not_a_centred_line() -> None:
    first = lines((12, RIGHT - 12, 100, "余の考がここまで漂流して来た時に余の右足は突"))
    rest = body(
        112, "然坐りのわるい角石の端を踏み損くなった平衡を保つ", "ためにすわやと前に飛び出した左足が仕損じの埋め合"
    )
    (whole,) = paragraphs([*first, *rest])
    assert whole.startswith("余の考がここまで漂流して来た時に余の右足は突然坐り")
