"""Headers, footers and page numbers of printed documents."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
import typst

from workbench.reading import formats
from workbench.reading.formats import Record, Source
from workbench.reading.formats.pdf import assembled
from workbench.reading.formats.running_heads import Measure, PdfLine, running_heads

BODY = (
    "The ferry left the harbour at dawn with nine passengers",
    "and put out to sea on a wind from the north. Not one of",
    "them had told the pilot of the bank of fog that lay",
    "across the southern cape on that morning of the year.",
)


def page(*, header: str = "", footer: str = "", body: tuple[str, ...] = BODY) -> list[PdfLine]:
    lines = [PdfLine(header, 0.05)] if header else []
    lines += [PdfLine(text, 0.2 + 0.1 * at) for at, text in enumerate(body)]
    return lines + ([PdfLine(footer, 0.95)] if footer else [])


def numbered(at: int) -> tuple[str, ...]:
    return tuple(f"{text[:-6]} {at * 7 % 11} words" for text in BODY)


def heads_of(pages: list[list[PdfLine]]) -> list[list[str]]:
    heads = running_heads(pages)
    return [[line.text for n, line in enumerate(lines) if (p, n) in heads] for p, lines in enumerate(pages)]


@pytest.mark.parametrize("count", [2, 3, 12])
def test_the_same_header_and_a_counting_footer_are_running_heads(count: int) -> None:
    pages = [page(header="A history of harbours", footer=f"– {n} –", body=numbered(n)) for n in range(1, count + 1)]
    assert heads_of(pages) == [["A history of harbours", f"– {n} –"] for n in range(1, count + 1)]


def test_left_and_right_pages_have_headers_of_their_own() -> None:
    heads = [f"{n}  A. Writer" if n % 2 == 0 else f"A history of harbours  {n}" for n in range(10, 20)]
    pages = [page(header=head, body=numbered(n)) for n, head in enumerate(heads)]
    assert heads_of(pages) == [[head] for head in heads]


def test_headers_of_every_other_page_are_known_without_a_number() -> None:
    heads = [("A history of harbours", "The years of fog")[n % 2] for n in range(6)]
    pages = [page(header=head, body=numbered(n)) for n, head in enumerate(heads)]
    assert heads_of(pages) == [[head] for head in heads]


def test_a_header_that_counts_the_pages_is_the_same_on_few_of_many_pages() -> None:
    pages = [page(header=f"Fog at sea {n}" if 5 <= n < 8 else "", body=numbered(n)) for n in range(30)]
    rules = running_heads(pages)
    assert {at: str(rule) for at, rule in rules.items()} == dict.fromkeys(
        ((5, 0), (6, 0), (7, 0)), "running header, the same on 3 pages"
    )


def test_the_header_of_a_chapter_of_one_page_is_known_by_its_place_and_number() -> None:
    heads = [
        f"Chapter {c}: {name}  {n}"
        for n, (c, name) in enumerate([(1, "Ships")] * 4 + [(2, "Fog")] + [(3, "Bells")] * 4, 5)
    ]
    pages = [page(header=head, body=numbered(n)) for n, head in enumerate(heads)]
    assert heads_of(pages) == [[head] for head in heads]


def test_headers_that_change_on_every_page_are_known_by_the_number_of_their_page() -> None:
    heads = [f"{name} {n}" for n, name in enumerate(("Ships", "Fog at sea", "Bells", "The pilot", "Ropes"), 17)]
    pages = [page(header=head, body=numbered(n)) for n, head in enumerate(heads)]
    assert heads_of(pages) == [[head] for head in heads]


@pytest.mark.parametrize(("gap", "size", "expected"), [(40, 10, True), (12, 10, False), (40, 14, False)])
def test_headers_without_a_number_are_known_by_the_gap_below_them_unless_they_are_large_as_headings_are(
    gap: float, size: float, expected: bool
) -> None:
    names = ("Ships", "Fog at sea", "Bells", "The pilot")
    pages = [
        [
            PdfLine(name, 0.05, (), Measure(0, 0, 80, 40, size, 20, False)),
            *(
                PdfLine(text, 0.2 + 0.1 * at, (), Measure(0, 0, 300, 40 + gap + 12 * at, 10, 20, False))
                for at, text in enumerate(numbered(n))
            ),
        ]
        for n, name in enumerate(names)
    ]
    assert heads_of(pages) == [[name] if expected else [] for name in names]


def test_notes_that_count_on_as_the_pages_do_are_text() -> None:
    notes = [f"{n} {text}" for n, text in enumerate(BODY, 1)]
    pages = [page(header=f"Page {n}", footer=note, body=numbered(n)) for n, note in enumerate(notes, 1)]
    assert heads_of(pages) == [[f"Page {n}"] for n in range(1, 5)]


def test_a_word_that_is_a_roman_number_too_is_a_page_number_only_at_the_end_of_a_line() -> None:
    pages = [page(footer="and yet I have seen it." if n == 1 else f"Page {n}", body=numbered(n)) for n in range(1, 5)]
    assert heads_of(pages) == [[], ["Page 2"], ["Page 3"], ["Page 4"]]


@pytest.mark.parametrize("number", ["12", "xii", "Page 12 of 90", "12 / 90", "12 (90)", "第12頁", "12ページ"])
def test_page_numbers_are_known_in_many_forms(number: str) -> None:
    after = number.replace("12", "13").replace("xii", "xiii")
    assert heads_of([page(footer=number, body=numbered(1)), page(footer=after, body=numbered(2))]) == [
        [number],
        [after],
    ]


def test_numbers_that_do_not_count_the_pages_and_single_lines_are_text() -> None:
    pages = [page(footer=str(n), body=numbered(n)) for n in (1871, 24, 31)]
    assert heads_of(pages) == [[], [], []]
    assert heads_of([page(header="A history of harbours")]) == [[]]


def test_repeated_lines_within_a_page_and_brackets_are_text() -> None:
    program = ("int f(void)", "{", "    return 0;", "}", "int g(void)", "}")
    pages = [
        page(body=tuple(f"{text} /* {n} */" if n and at < 3 else text for at, text in enumerate(program)))
        for n in range(8)
    ]
    assert all("}" not in heads for heads in heads_of(pages))


def test_running_heads_are_not_content_and_a_sentence_over_a_page_break_is_whole() -> None:
    first = page(header="A history of harbours", footer="1")
    second = page(
        header="A history of harbours",
        footer="2",
        body=("and nobody has asked why it was so quiet there in the", "harbour. That was all."),
    )
    third = page(header="A history of harbours", footer="3", body=numbered(3))
    first[-2] = PdfLine("across the southern cape on that morning of the", first[-2].top)
    paragraphs, starts = assembled([first, second, third])
    texts = {paragraphs.text[slice(*b.span)]: b for b in paragraphs.blocks}
    whole = next(text for text in texts if "morning of the and nobody has asked" in text)
    assert texts[whole].path == "page[1]"
    heads = [
        (paragraphs.text[slice(*b.span)], b.path, str(b.rule)) for b in paragraphs.blocks if b.verdict == "non-content"
    ]
    assert heads == [
        (text, f"page[{n}]", rule)
        for n in (1, 2, 3)
        for text, rule in (("A history of harbours", "running header, the same on 3 pages"), (str(n), "page number"))
    ]
    assert paragraphs.text[starts[1][0] :].startswith("and nobody has asked")
    assert [len(lines) for lines in starts] == [4, 2, 4]


def test_a_word_that_a_page_break_divides_is_whole() -> None:
    first = page(body=(*BODY[:3], "across the southern cape there were no pas-"))
    second = page(body=("sengers on that morning of the year in the harbour,", "and nobody asked."))
    paragraphs, starts = assembled([first, second])
    assert "no passengers on that morning" in paragraphs.text
    assert paragraphs.text[starts[1][0] :].startswith("sengers")


def test_a_number_of_any_length_is_read_as_text() -> None:
    long = "9" * 5_000
    assert heads_of([page(header=f"{long} pages of it {n}", body=numbered(n)) for n in range(4)]) == [
        [f"{long} pages of it {n}"] for n in range(4)
    ]
    assert heads_of([page(footer=long, body=numbered(n)) for n in range(4)]) == [[], [], [], []]


def test_a_page_that_does_not_say_where_its_lines_are_keeps_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(*_: object) -> tuple[float, float, float, float]:
        raise pypdfium2.PdfiumError("no box")

    path = tmp_path / "a.pdf"
    path.write_bytes(typst.compile(b"#set page(height: 8cm)\nWords of a page.\n#pagebreak()\nWords of another."))
    monkeypatch.setattr(pypdfium2.PdfTextPage, "get_charbox", nowhere)
    (item,) = formats.read(Source(path, path.name))
    assert isinstance(item, Record)
    assert item.document.text == "Words of a page.\nWords of another."


def test_a_footer_that_counts_the_pages_between_other_numbers_is_one() -> None:
    feet = [f"https://example.org/p.html?id=26 {n}/9" for n in range(1, 4)]
    assert heads_of([page(footer=foot, body=numbered(n)) for n, foot in enumerate(feet)]) == [[foot] for foot in feet]


def lines_down_to(page: int, base: float, *, foot: tuple[str, float, float] | None = None) -> list[PdfLine]:
    """Lines of the body 12 points from each other, the last at ``base``; below them a foot of (text, base, size)."""
    body = [
        PdfLine(
            f"{BODY[n % 4][:-6]} {page * 31 + n} words",
            (base - 12 * n) / 900,
            (),
            Measure(0, 0, 300, base - 12 * n, 10, 20, False),
        )
        for n in range(30, -1, -1)
    ]
    return body + (
        [PdfLine(foot[0], foot[1] / 900, (), Measure(0, 0, 200, foot[1], foot[2], 20, False))] if foot else []
    )


@pytest.mark.parametrize(
    ("base", "size", "others", "expected"),
    [
        (740, 8, (700, 700, 700), True),
        (712, 8, (700, 700, 700), False),  # no gap: the last line of a longer page
        (740, 14, (700, 700, 700), False),  # as large as a heading
        (740, 8, (700, 500, 620), False),  # pages that end anywhere have no foot
        (740, 8, (700,), False),
    ],
)
def test_what_is_below_the_text_of_all_other_pages_is_a_footer(
    base: float, size: float, others: tuple[float, ...], expected: bool
) -> None:
    foot = "Received 3 March 2026"
    pages = [lines_down_to(0, 690, foot=(foot, base, size)), *(lines_down_to(n, b) for n, b in enumerate(others, 1))]
    assert heads_of(pages) == [[foot] if expected else [], *([] for _ in others)]


def test_a_line_that_a_page_repeats_by_itself_is_text() -> None:
    refrain = [PdfLine("Row, row, row your boat", 0.1 + 0.01 * at) for at in range(6)]
    assert heads_of([refrain]) == [[]]
    assert heads_of([refrain, page(body=numbered(2)), page(body=numbered(3))]) == [[], [], []]
