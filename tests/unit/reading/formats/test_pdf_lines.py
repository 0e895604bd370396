"""What PDFium takes for one line and is not: numbers of lines, notes in the margin, numbers of paragraphs."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.printed import printed
from tests.unit.reading.formats.drawn_pdf import drawn_pdf, map_of
from tests.unit.reading.formats.drawn_pdf import text as text_at
from workbench.base.types import Document
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.line_numbers import without_numbers
from workbench.reading.formats.pdf import document as pdf_document
from workbench.reading.formats.pdf import goes_on, page_lines
from workbench.reading.formats.running_heads import Measure, PdfLine

_PAGE = '#set page(width: 14cm, height: 16cm, margin: 2cm)\n#set text(size: 10pt, font: "Libertinus Serif")\n'
_PROSE = (
    "The keeper of the northern harbour wrote that no boat had left before the fog was gone, and that he had counted "
    "twelve of them along the pier, three of which were still under repair since the storm of the winter before. "
)


def read(source: str) -> Document:
    return pdf_document(printed(_PAGE + source), "a.pdf", ReadOptions())


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_of_lines_are_left_out_and_the_file_says_so(step: int) -> None:
    numbering = f"#set par.line(numbering: n => if calc.rem(n, {step}) == 0 [#n])\n#set par(justify: true)\n"
    document = read("#set text(size: 7pt)\n" + numbering + "\n\n".join([_PROSE * 3] * 4))
    assert [document.text[slice(*block.span)] for block in document.blocks] == [" ".join((_PROSE * 3).split())] * 4
    assert [repair for repair in document.extraction.repairs if "numbers of lines" in repair]


def test_numbers_that_begin_the_lines_they_count_are_left_out() -> None:
    words = _PROSE.split()[:12]
    rows = "".join(f"[{n}], [{word} has been counted here],\n" for n, word in enumerate(words, 7))
    document = read(f"#grid(columns: (1cm, 1fr), row-gutter: 6pt,\n{rows})")
    assert not any(character.isdigit() for character in document.text)
    assert all(f"{word} has been counted here" in document.text for word in words)


@pytest.mark.parametrize("cells", ["[A boat], [12 %]", "[12 %], []", "[A boat that was lost in a storm], [12 %]"])
def test_years_that_begin_the_rows_of_a_table_stay(cells: str) -> None:
    rows = "".join(f"[{year}], {cells},\n" for year in range(1871, 1880))
    document = read(f"#grid(columns: (2cm, 6cm, 1fr), row-gutter: 6pt,\n{rows})")
    assert all(str(year) in document.text for year in range(1871, 1880))


def test_few_numbers_below_each_other_are_text() -> None:
    def line(text: str, start: float, base: float) -> PdfLine:
        return PdfLine(text, base / 800, (), Measure(0, start, start + 6, base, 10, 6, False))

    numbers = [line(str(n), 20, 100 + 14 * n) for n in range(1, 5)]
    text = [PdfLine("Some text", 0.1, (), Measure(0, 50, 300, 100, 10, 20, False))]

    def rest(_line: PdfLine, _start: int) -> PdfLine:
        raise AssertionError

    assert without_numbers([*text, *numbers], rest) == [*text, *numbers]
    more = [*numbers, line("5", 20, 170)]
    assert without_numbers([*text, *more], rest) == text
    right_of_text = [line(one.text, 400, 100 + 14 * n) for n, one in enumerate(more)]
    assert without_numbers([*text, *right_of_text], rest) == [*text, *right_of_text]
    assert without_numbers([*text, *more[:4], line("9", 20, 170)], rest) == [*text, *more[:4], line("9", 20, 170)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_note_in_the_margin_is_not_part_of_the_line_beside_it(side: str) -> None:
    margin = "(left: 5cm, right: 2cm, y: 2cm)" if side == "left" else "(left: 2cm, right: 5cm, y: 2cm)"
    shift = "dx: -3.6cm" if side == "left" else "dx: 3.6cm"
    note = f"#place({side}, {shift}, block(width: 3cm, text(size: 7pt, [An aside that stands in the margin.])))"
    source = f"#set page(margin: {margin})\n" + f"{note}{_PROSE}\n\n" * 3
    document = read(source)
    texts = [document.text[slice(*block.span)] for block in document.blocks]
    assert texts.count(" ".join(_PROSE.split())) == 3
    assert texts.count("An aside that stands in the margin.") == 3


def test_a_numbered_paragraph_is_whole() -> None:
    rows = "".join(f"[{n}.], [{_PROSE}],\n" for n in range(1, 4))
    document = read(f"#set par(justify: true)\n#grid(columns: (1.2cm, 1fr), row-gutter: 12pt,\n{rows})")
    whole = " ".join(_PROSE.split())
    assert [document.text[slice(*block.span)] for block in document.blocks] == [f"{n}. {whole}" for n in range(1, 4)]


def test_a_page_whose_line_down_ends_with_a_number_far_below_is_read() -> None:
    # The space between both is part of neither.
    source = "#place(rotate(90deg, origin: top + left, [Printed by the keeper #h(4cm) 12]))"
    pdf = pypdfium2.PdfDocument(printed(_PAGE + source))
    try:
        lines = page_lines(pdf, 0)
    finally:
        pdf.close()
    assert lines is not None
    assert [line.text for line in lines] == ["Printed by the keeper", "12"]


def test_a_line_drawn_out_in_a_narrow_column_is_not_a_row_and_a_row_of_words_is_one() -> None:
    drawn_out = "to be or incomprehensibility as it is incomprehensibility"
    document = read(f"#set par(justify: true)\n#set text(hyphenate: false)\n#block(width: 3cm)[{drawn_out}]")
    assert document.text == drawn_out
    rows = "[Port], [Boats],\n" * 4
    document = read(f"#grid(columns: (3cm, 3cm), row-gutter: 6pt,\n{rows})")
    assert document.text.split("\n") == ["Port Boats"] * 4


@pytest.mark.parametrize("first", ["An unexceptionable", "A self-denying"])
@pytest.mark.parametrize("width", range(36, 70, 3))
def test_words_are_as_they_were_written_whatever_hyphens_divide_them(first: str, width: int) -> None:
    text = (
        f"{first} understanding of backgammon-tables, light-headed considerations and eight-and-thirty "
        "particularly comfortable neighbourhoods of daughters-in-law, whom a self-denying generosity of "
        "good-humoured matchmaking had recommended to unsatisfactorily established match-makers."
    )
    document = read(f"#set par(justify: true)\n#set text(hyphenate: true)\n#block(width: {width}mm)[{text}]")
    assert document.text == text


@pytest.mark.parametrize(
    ("start", "base", "size", "turn", "expected"),
    [
        (20, 50, 10, 0, True),
        (23, 50, 10, 0, False),
        (20, 53, 10, 0, False),
        (20, 50, 8, 0, False),
        (20, 50, 10, 2, False),
    ],
)
def test_lines_are_one_where_the_second_begins_where_the_first_ends(
    start: float, base: float, size: float, turn: int, expected: bool
) -> None:
    first = Measure(0, 10, 20, 50, 10, 10, False)
    assert goes_on(first, Measure(turn, start, start + 5, base, size, 5, False)) is expected
    assert not goes_on(first, None)


@pytest.mark.parametrize(
    ("before", "mark", "rise", "text"),
    [
        ("The first claim", "1", 4, "The first claim goes on"),
        ("It ends here.", "[2,3]", 4, "It ends here. goes on"),
        ("on 5 m", "2", 4, "on 5 m2 goes on"),
        ("The law of the sea", "1", 4, "The law of the sea goes on"),
        ("An area of 9 km", "2", 4, "An area of 9 km2 goes on"),
        ("The Senate \\(as of 1990\\)", "3", 4, "The Senate (as of 1990) goes on"),
        ("The file name", "1", 0, "The file name1 goes on"),
    ],
)
def test_a_small_raised_number_behind_a_word_is_the_mark_of_a_note(
    before: str, mark: str, rise: int, text: str
) -> None:
    drawn = f"BT /F1 11 Tf 72 700 Td ({before}) Tj /F1 6 Tf {rise} Ts ({mark}) Tj /F1 11 Tf 0 Ts ( goes on) Tj ET"
    assert pdf_document(drawn_pdf([drawn]), "a.pdf", ReadOptions()).text == text


def test_notes_in_a_font_with_raised_digits_are_read_as_the_page_shows_them() -> None:
    notes = "Soviet era#footnote[First of all.] by law#footnote[Another one.] and of it#footnote[The third.] end"
    source = f"#set page(height: 9cm, width: 12cm)\n#lorem(20) Deeds of the {notes} here. 5 km#super[2]"
    document = pdf_document(printed(source), "a.pdf", ReadOptions())
    body, *own = document.text.split("\n")
    assert body.endswith("Deeds of the Soviet era by law and of it end here. 5 km2")
    assert own == ["1 First of all.", "2 Another one.", "3 The third."]


def test_marks_of_notes_between_characters_are_left_out() -> None:
    text = "人間#super[1]というものを見た#super[2)]（第三章を参照#super[注3]）。面積は5#super[2]である"
    source = f'#set page(width: 12cm, height: 9cm)\n#set text(lang: "ja", font: "Palimpsest Sans JP")\n{text}。'
    document = pdf_document(printed(source), "a.pdf", ReadOptions())
    assert document.text.replace(" ", "") == "人間というものを見た（第三章を参照）。面積は52である。"


def test_a_note_at_a_word_that_ends_like_the_label_of_notes_is_left_out() -> None:
    source = '#set page(height: 9cm, width: 12cm)\n#set text(font: "Palimpsest Sans JP")\n'
    source += "これは訳注#footnote[あとがき。]のある文である。詳しくは付注#footnote[まえがき。]を見よ。"
    document = pdf_document(printed(source), "a.pdf", ReadOptions())
    assert document.text.split("\n")[0] == "これは訳注のある文である。詳しくは付注を見よ。"


def test_raised_digits_that_are_written_as_such_are_marks_of_notes_too() -> None:
    source = "#set page(height: 9cm, width: 12cm)\n#lorem(20) The law of the sea¹ of 9 km² ends.\n\n#lorem(10)"
    document = pdf_document(printed(source), "a.pdf", ReadOptions())
    assert "The law of the sea of 9 km² ends." in document.text


def test_notes_as_large_as_the_text_do_not_cut_its_paragraphs() -> None:
    large = "#set page(height: 9cm, width: 12cm)\n#show footnote.entry: set text(size: 1.176em)\n"
    notes = "first#footnote[At dawn.] second#footnote[Of nine.] third#footnote[From the north.] "
    document = pdf_document(printed(f"{large}#lorem(60) {notes}#lorem(60)"), "a.pdf", ReadOptions())
    whole, *own = document.text.split("\n")
    assert "first second third Lorem ipsum" in whole
    assert len(document.extraction.pages) > 1
    assert own == ["1 At dawn.", "2 Of nine.", "3 From the north."]


@pytest.mark.parametrize(
    ("language", "font", "text"),
    [
        ("ar", "DejaVu Sans Mono", "أسطر لاختبار الكلمات ولا شيء."),
        ("he", "Libertinus Serif", "מספר 123 בתוך ו־some English words here בפנים."),
        ("he", "Libertinus Serif", "בתוך Windows 10 Pro של הכל."),
    ],
)
def test_ligatures_and_latin_phrases_in_text_to_the_left_are_in_order(language: str, font: str, text: str) -> None:
    source = f'#set text(lang: "{language}", dir: rtl, font: "{font}")\n{text}'
    assert pdf_document(printed(source), "a.pdf", ReadOptions()).text == text


@pytest.mark.parametrize(
    ("cap", "first", "words"),
    [("T", "he ferry left the harbour at dawn", "The ferry"), ("A", "ferry left the harbour at dawn", "A ferry")],
)
def test_a_drop_cap_begins_the_first_word_beside_it(cap: str, first: str, words: str) -> None:
    beside = text_at([f"{first} with nine", "passengers, and put out to sea on a wind from"], x=100, y=712, size=11)
    below = text_at(["the north, of which nobody had told the old pilot.", "An end."], x=72, y=683.4, size=11)
    document = pdf_document(
        drawn_pdf([text_at([cap], x=72, y=697.7, size=36) + beside + below]), "a.pdf", ReadOptions()
    )
    whole, _ = document.text.split("\n")
    assert whole.startswith(f"{words} left the harbour")
    assert whole.endswith("wind from the north, of which nobody had told the old pilot.")


@pytest.mark.parametrize("marks", ["“”", "㐂㐂"])
def test_letters_that_another_font_draws_before_the_others_are_in_their_gaps(marks: str) -> None:
    own = map_of({"m": "他", "w": "们", "M": marks[0], "W": marks[1]})
    run = "1 0 0 1 72 770 Tm [(mmmm) -840 (wwww)] TJ"
    drawn = f"q BT /F1 10 Tf 105.4 770 Td (M) Tj 1 0 0 1 143 770 Tm (W) Tj {run} ET Q"
    read = pdf_document(drawn_pdf([drawn], to_unicode=own), "a", ReadOptions())
    assert read.text.strip() == f"他他他他{marks[0]}们们们们{marks[1]}"
