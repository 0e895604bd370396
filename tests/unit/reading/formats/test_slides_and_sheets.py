"""PPTX and XLSX: slides and sheets as a person sees them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.faults.fuzz_seeds import presentation, workbook
from tests.golden.tricks import zipped
from tests.unit.reading.formats.items import one, read
from tests.unit.reading.formats.test_office import LAUGHS, blocks, error
from workbench.base.locators import place
from workbench.base.types import Span
from workbench.reading.formats import Record
from workbench.reading.formats.package import OLE


def shape(place: str, *paragraphs: str, hidden: str = "0") -> str:
    ph = f'<p:ph type="{place}"/>' if place else ""
    body = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    about = f'<p:nvSpPr><p:cNvPr id="1" name="" hidden="{hidden}"/><p:nvPr>{ph}</p:nvPr></p:nvSpPr>'
    return f"<p:sp>{about}<p:txBody>{body}</p:txBody></p:sp>"


def test_slides_are_read_in_their_order_with_titles_first_and_notes_last(tmp_path: Path) -> None:
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>cell</a:t></a:r></a:p></a:txBody></a:tc>"
    table = f"<p:graphicFrame><a:tbl><a:tr>{cell}</a:tr></a:tbl></p:graphicFrame>"
    first = shape("body", "one", "two") + table + shape("title", "題名") + shape("sldNum", "7") + shape("ftr", "footer")
    runs = '<a:r><a:t>on </a:t></a:r><a:fld type="datetime"><a:t>today</a:t></a:fld><a:br/><a:r><a:t>b</a:t></a:r>'
    field = f"<p:sp><p:txBody><a:p>{runs}</a:p></p:txBody></p:sp>"
    second = shape("ctrTitle", "Second") + shape("subTitle", "below it") + shape("", "out of sight", hidden="1") + field
    content = presentation([first, second], notes={1: shape("sldImg") + shape("body", "spoken")})
    document = one(tmp_path / "a.pptx", content)
    assert blocks(document) == [
        ("heading", "slide[1]/p[1]", "題名"),
        ("list-item", "slide[1]/p[2]", "one"),
        ("list-item", "slide[1]/p[3]", "two"),
        ("table-cell", "slide[1]/p[4]", "cell"),
        ("paragraph", "slide[1]/notes/p[1]", "spoken"),
        ("heading", "slide[2]/p[1]", "Second"),
        ("paragraph", "slide[2]/p[2]", "below it"),
        ("paragraph", "slide[2]/p[3]", "on \nb"),
    ]
    at = document.text.index("below it")
    assert place(document, Span(at, at + 8)).words == "slide 2, Second, ¶ 1"


def test_a_hidden_slide_is_left_out_with_a_word_and_a_slide_listed_again_is_read_once(tmp_path: Path) -> None:
    seen, unseen = shape("title", "Shown"), shape("title", "Never shown")
    document = one(tmp_path / "a.pptx", presentation([seen, unseen], hidden=(2,), order=(1, 2, 1, 1)))
    assert document.text == "Shown"
    assert document.extraction.repairs == ("left out hidden slides (1)",)


def test_cells_of_hidden_rows_and_columns_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [
        f"<row r='1'>{text_cell('A1', 'seen')}{text_cell('B1', 'unseen')}<c r='C1'><v>7</v></c><c r='D1'/></row>",
        f"<row r='2' hidden='1'>{text_cell('A2', 'never')}</row>",
        f"<row r='3' ht='0' customHeight='1'>{text_cell('A3', 'flat')}</row>",
    ]
    hidden = "<cols><col min='2' max='2' hidden='1'/><col min='4' max='9' width='0'/></cols>"
    sheet = f"<worksheet>{hidden}<sheetData>{''.join(rows)}</sheetData></worksheet>"
    document = one(tmp_path / "a.xlsx", replaced(workbook({"S": ""}), **{"xl/s0.xml": sheet}))
    assert document.text == "S\nseen\n7"
    assert document.extraction.repairs == ("left out cells of hidden rows and columns (3)",)


@pytest.mark.parametrize(
    ("style", "more", "hides"),
    [(0, "", False), (1, "", True), (2, "", True), (3, "", True), (4, "", False), (1, "<tableParts/>", False)],
    ids=["plain", "white", "tiny", "a format that shows nothing", "white on blue", "white in a table of a style"],
)
def test_cells_that_nobody_sees_are_flagged(style: int, more: str, hides: bool, tmp_path: Path) -> None:
    styles = (
        "<numFmts><numFmt numFmtId='164' formatCode=';;;'/></numFmts>"
        "<fonts><font/><font><color rgb='FFFFFFFF'/></font><font><sz val='1'/></font></fonts>"
        "<fills><fill><patternFill patternType='none'/></fill><fill/>"
        "<fill><patternFill patternType='solid'><fgColor rgb='FF0000FF'/></patternFill></fill></fills><cellXfs>"
        "<xf fontId='0'/><xf fontId='1' fillId='0'/><xf fontId='2'/><xf fontId='0' numFmtId='164'/>"
        "<xf fontId='1' fillId='2'/></cellXfs>"
    )
    cells = text_cell("A1", "words that everybody sees") + text_cell("B1", "words that nobody sees", style)
    sheet = f"<worksheet><sheetData><row r='1'>{cells}</row></sheetData>{more}</worksheet>"
    parts = {"xl/s0.xml": sheet, "xl/styles.xml": f"<styleSheet>{styles}</styleSheet>"}
    document = one(tmp_path / "a.xlsx", replaced(workbook({"S": ""}), **parts))
    spans = [document.text[slice(*span)] for flag in document.extraction.integrity for span in flag.spans]
    assert spans == (["words that nobody sees"] if hides else [])


@pytest.mark.parametrize(("fit", "hides"), [("", False), ('fontScale="92500"', False), ('fontScale="1000"', True)])
def test_a_text_shrunk_to_fit_its_slide_is_seen_unless_nothing_is_left_of_it(
    fit: str, hides: bool, tmp_path: Path
) -> None:
    fitted = shape("body", "words in a crowded box").replace("<p:txBody>", f"<p:txBody><a:normAutofit {fit}/>")
    document = one(tmp_path / "a.pptx", presentation([shape("title", "Heading") + fitted]))
    assert document.text.splitlines() == ["Heading", "words in a crowded box"]
    assert [flag.kind for flag in document.extraction.integrity] == (["hidden-by-style"] if hides else [])


def replaced(content: bytes, **parts: str) -> bytes:
    """A zip file with other ``parts`` in place of those of their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        kept: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**kept, **parts})


def text_cell(place: str, text: str, style: int = 0) -> str:
    return f"<c r='{place}' s='{style}' t='inlineStr'><is><t>{text}</t></is></c>"


def test_a_slide_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    content = presentation([shape("title", "Good"), shape("title", "Bad")], raw={2: f"{LAUGHS}<x>&i;</x>"})
    document = one(tmp_path / "a.pptx", content)
    assert (document.text, document.extraction.repairs) == ("Good", ("left out slides that cannot be read (1)",))
    alone = presentation([shape("title", "Bad")], raw={1: f"{LAUGHS}<x>&i;</x>"})
    assert error(tmp_path / "b.pptx", alone).startswith("The part ppt/slides/s1.xml is not well-formed XML")


def test_the_cells_of_a_sheet_are_read_below_its_name(tmp_path: Path) -> None:
    sheet = (
        '<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>99</v></c></row>'
        '<row><c r="A2" s="1"><v>43832</v></c><c r="B2" s="2"><v>43832.545138889</v></c>'
        '<c r="C2" s="1"><v>1e300</v></c>'
        '<c r="D2"><f>0.1+0.2</f><v>0.30000000000000004</v></c><c r="E2" t="str"><f>A1</f><v>result</v></c>'
        '<c r="F2" t="b"><v>1</v></c><c r="G2" t="e"><v>#N/A</v></c>'
        '<c r="H2" t="inlineStr"><is><t>here</t></is></c></row>'
    )
    strings = "<si><r><t>漢</t></r><r><t>字</t></r><rPh><t>カンジ</t></rPh></si><si><t>two\nlines</t></si>"
    document = one(
        tmp_path / "a.xlsx", workbook({"資料": sheet}, strings, styles=("0", "14", "200"), own="yyyy.m.d h:mm")
    )
    assert blocks(document) == [
        ("heading", "sheet[1]", "資料"),
        ("table-cell", "sheet[1]/A1", "漢字"),
        ("table-cell", "sheet[1]/B1", "two\nlines"),
        ("table-cell", "sheet[1]/A2", "2020-01-02"),
        ("table-cell", "sheet[1]/B2", "2020-01-02 13:05"),
        ("table-cell", "sheet[1]/C2", "1e+300"),
        ("table-cell", "sheet[1]/D2", "0.3"),
        ("table-cell", "sheet[1]/E2", "result"),
        ("table-cell", "sheet[1]/F2", "TRUE"),
        ("table-cell", "sheet[1]/H2", "here"),
    ]


def test_characters_that_a_sheet_writes_by_number_are_read_as_they_are_shown(tmp_path: Path) -> None:
    sheet = (
        '<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="str"><f>A1</f><v>a_x0009_b</v></c>'
        '<c r="C1" t="inlineStr"><is><t>my_x_file</t></is></c></row>'
    )
    strings = "<si><t>one_x000D_\ntwo _x005F_x000D_ _x0007_</t></si>"
    cells = blocks(one(tmp_path / "a.xlsx", workbook({"S": sheet}, strings)))[1:]
    assert [text for _, _, text in cells] == ["one\ntwo _x000D_", "a\tb", "my_x_file"]


def test_an_own_format_is_a_date_only_outside_its_quotations(tmp_path: Path) -> None:
    sheet = '<row><c r="A1" s="1"><v>43832</v></c></row>'
    document = one(tmp_path / "a.xlsx", workbook({"S": sheet}, styles=("0", "200"), own='[Red]0.0 "days"'))
    assert document.text == "S\n43832"


@pytest.mark.parametrize(
    ("own", "value", "text"),
    [
        ("[h]:mm:ss", "1.5", "36:00"),
        ("[mm]", "0.0625", "1:30"),
        ("[HH]:mm", "-0.25", "-6:00"),
        ("h:mm", "0.5", "12:00"),
        ("[Red]h:mm", "0.5", "12:00"),
        ("[h]:mm", "1e400", "inf"),
    ],
)
def test_a_duration_is_no_day_of_the_year_1899(own: str, value: str, text: str, tmp_path: Path) -> None:
    sheet = f'<row><c r="A1" s="1"><v>{value}</v></c></row>'
    document = one(tmp_path / "a.xlsx", workbook({"S": sheet}, styles=("0", "200"), own=own))
    assert document.text == f"S\n{text}"


def test_hidden_sheets_are_left_out_with_a_word(tmp_path: Path) -> None:
    def cell(text: str) -> str:
        return f'<row><c r="A1" t="inlineStr"><is><t>{text}</t></is></c></row>'

    sheets = {"Shown": cell("seen"), "Kept back": cell("unseen")}
    document = one(tmp_path / "a.xlsx", workbook(sheets, hidden=("Kept back",)))
    assert document.text == "Shown\nseen"
    assert document.extraction.repairs == ("left out hidden sheets (1)",)
    assert error(tmp_path / "b.xlsx", workbook(sheets, hidden=tuple(sheets))) == "There is no text in this document."


def test_one_string_cannot_fill_the_memory_by_a_million_cells(tmp_path: Path) -> None:
    content = workbook({"S": '<row><c t="s"><v>0</v></c></row>' * 1000}, f"<si><t>{'x' * 10_000}</t></si>")
    [item] = read(tmp_path / "a.xlsx", content, member_bytes=1_000_000)
    assert not isinstance(item, Record)
    assert item.error == "This is larger than the limit of 1 MB."


@pytest.mark.parametrize(
    "content", [presentation([shape("title", "text")]), workbook({"S": "<row><c><v>1</v></c></row>"})]
)
def test_they_are_known_by_their_beginning_and_not_by_a_wrong_suffix(tmp_path: Path, content: bytes) -> None:
    assert one(tmp_path / "nameless", content).text
    error(tmp_path / "a.docx", content)
    for name in ("a.pptx", "a.xlsx"):
        assert error(tmp_path / name, OLE + b"x") == "This is an old Office file, not this format."


def test_parts_over_the_limits_are_refused(tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"<x>" + b" " * 30_000_000 + b"</x>")
    assert "200 times" in error(tmp_path / "a.xlsx", bomb.getvalue())
