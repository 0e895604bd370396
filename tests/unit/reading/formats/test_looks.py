"""Emphasis, places of pictures and the structure around blocks, in every format that has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.golden.tricks import slides
from tests.rich import FORMATS, written
from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_hidden_styles import odt_of
from tests.unit.reading.formats.test_office import docx, run
from tests.web_archives import response, write_archive
from workbench.base.types import Block, BlockKind, Document, LookKind, Span
from workbench.text.markup.frames import frames_of

BOLD, ITALIC, CODE, PICTURE = LookKind.BOLD, LookKind.ITALIC, LookKind.CODE, LookKind.PICTURE


def looks(document: Document) -> list[tuple[str, LookKind]]:
    return [(document.text[slice(*look.span)].strip(), look.kind) for look in document.extraction.looks]


@pytest.mark.parametrize("name", FORMATS)
def test_emphasis_and_places_of_pictures_are_kept(tmp_path: Path, name: str) -> None:
    document = written(tmp_path, name)
    expected = [("many", BOLD), ("few", ITALIC), ("are", BOLD | ITALIC), ("port", CODE), ("", PICTURE)]
    assert looks(document)[-5:] == expected
    place = document.extraction.looks[-1].span.start
    assert document.text[:place].rstrip().endswith("port.")
    assert document.text[place:].lstrip().startswith("Evening")


def test_emphasis_of_latex_is_kept_by_commands_and_by_switches_of_a_group(tmp_path: Path) -> None:
    body = (
        r"~There are \textbf{many} of  them, {\em few   \bfseries are}, old\footnote{So \emph{they} say.}; \verb|port|"
        " and\n\\texttt{pier}.\n\n\\section{Not \\emph{here}}\n漢字と\n\\textbf{仮名}\nの文。"
        " \\textbf{one\n\ntwo}{} three {\\it four} five"
    )
    source = f"\\documentclass{{article}}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    document = one(tmp_path / "a.tex", source.encode())
    assert "There are many of them, few are, old; port and pier." in document.text
    assert "漢字と仮名の文。" in document.text
    assert looks(document) == [
        ("many", BOLD),
        ("few", ITALIC),
        ("are", BOLD | ITALIC),
        ("port", CODE),
        ("pier", CODE),
        ("they", ITALIC),
        ("here", ITALIC),
        ("仮名", BOLD),
        ("one", BOLD),
        ("four", ITALIC),
    ]


def test_text_of_an_odt_in_the_style_for_source_text_is_code(tmp_path: Path) -> None:
    span = '<text:span text:style-name="{}">{}</text:span>'
    inner = f"<text:p>Type {span.format('Source_20_Text', 'port')} or {span.format('T', 'pier')}.</text:p>"
    own = '<style:style style:name="T" style:family="text" style:parent-style-name="Source_20_Text"/>'
    assert looks(one(tmp_path / "a.odt", odt_of(inner, own))) == [("port", CODE), ("pier", CODE)]


def test_bold_and_italic_runs_of_a_slide_are_kept(tmp_path: Path) -> None:
    runs = (("There are ", ""), ("many", '<a:rPr b="1"/>'), (" of them, ", '<a:rPr b="0" i="0"/>'))
    document = one(tmp_path / "a.pptx", slides(*runs, ("few are", '<a:rPr lang="en" b="1" i="1"/>'), (" old.", "")))
    assert looks(document) == [("many", BOLD), ("few are", BOLD | ITALIC)]


@pytest.mark.parametrize("name", FORMATS)
def test_blocks_know_the_headings_lists_tables_and_quotations_around_them(tmp_path: Path, name: str) -> None:
    document = written(tmp_path, name)
    words = [document.text[slice(*block.span)] for block in document.blocks]
    frames = dict(zip(words, frames_of(document.blocks), strict=True))
    assert (frames["Harbours of the north"].level, frames["Evening"].level, frames["The end."].level) == (1, 2, 0)
    items = ["The first light", "The second light", "A light within the second", "The third light"]
    assert [(frames[item].lists, frames[item].number) for item in items] == [(1, 1), (1, 2), (2, 0), (1, 3)]
    cells = [frames[word].cell for word in ("Port", "Boats", "North", "Twelve, three of them under repair")]
    assert all(cell is not None for cell in cells)
    assert len({cell.table for cell in cells if cell}) == 1
    assert [cell.column for cell in cells if cell] == [1, 2, 1, 2]
    rows = [cell.row for cell in cells if cell]
    assert rows[0] == rows[1] != rows[2] == rows[3]
    assert (frames["Nobody saw it, the keeper said."].quotes, frames["The end."].quotes) == (1, 0)


def test_headings_of_the_first_column_do_not_take_the_place_of_the_cells_beside_them(tmp_path: Path) -> None:
    page = b"<table><tr><th>a</th><td>b</td><td>c</td></tr><tr><td>d</td><td></td><td>e</td></tr></table>"
    document = one(tmp_path / "a.html", page)
    cells = [frame.cell for frame in frames_of(document.blocks)]
    assert [cell and cell.column for cell in cells] == [1, 2, 3, 1, 3]


def test_the_cells_of_a_sheet_are_those_of_a_table() -> None:
    paths = ["sheet[1]", "sheet[1]/A1", "sheet[1]/B1", "sheet[1]/AA7", "sheet[2]/A1"]
    cells = [frame.cell for frame in frames_of([Block(Span(0, 0), path=path) for path in paths])]
    assert [cell and (cell.table, cell.row, cell.column) for cell in cells] == [
        None,
        ("sheet[1]", "sheet[1]/1", 1),
        ("sheet[1]", "sheet[1]/1", 2),
        ("sheet[1]", "sheet[1]/7", 27),
        ("sheet[2]", "sheet[2]/1", 1),
    ]


def test_a_cell_across_columns_moves_those_beside_it(tmp_path: Path) -> None:
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p>{run("wide")}</w:p></w:tc>'
    body = f"<w:tbl><w:tr>{wide}<w:tc><w:p>{run('beside')}</w:p></w:tc></w:tr></w:tbl>"
    document = one(tmp_path / "a.docx", docx(body))
    assert [frame.cell and frame.cell.column for frame in frames_of(document.blocks)] == [1, 3]


def test_hostile_numbers_of_lists_and_levels_are_read(tmp_path: Path) -> None:
    numbers = f'<w:numPr><w:ilvl w:val="{"9" * 500}"/><w:numId w:val="../../x"/></w:numPr>'
    body = f"<w:p><w:pPr>{numbers}</w:pPr>{run('item')}</w:p>"
    document = one(tmp_path / "a.docx", docx(body))
    assert document.blocks[0].kind is BlockKind.LIST_ITEM
    assert frames_of(document.blocks)[0].lists > 0


def test_captured_pages_have_the_looks_of_their_markup(tmp_path: Path) -> None:
    page = "<html><body><p>A page of <b>bold</b> words.</p></body></html>"
    write_archive(tmp_path / "a.warc", [response("http://a.example/", page.encode())])
    archived = one(tmp_path / "a.warc", (tmp_path / "a.warc").read_bytes())
    row = one(tmp_path / "a.jsonl", json.dumps({"id": "a", "html": page}).encode())
    head = b"MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Location: http://a.example/\r\n"
    saved = one(tmp_path / "a.mhtml", head + b"Snapshot-Content-Location: http://a.example/\r\n\r\n" + page.encode())
    assert [looks(document) for document in (archived, row, saved)] == [[("bold", BOLD)]] * 3


def test_paths_of_what_is_nested_without_need_stay_short(tmp_path: Path) -> None:
    inner = f"<w:p>{run('deep')}</w:p>"
    for _ in range(70):
        inner = f"<w:tbl><w:tr><w:tc>{inner}</w:tc></w:tr></w:tbl>"
    nested = one(tmp_path / "a.docx", docx(inner))
    assert (nested.text, nested.blocks[0].kind) == ("deep", BlockKind.TABLE_CELL)
    assert len(nested.blocks[0].path) < 500


@pytest.mark.parametrize(("name", "bold"), [("a.html", "<b>a</b> b "), ("a.md", "**a** b ")])
def test_the_looks_of_a_file_of_nothing_but_looks_are_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, bold: str
) -> None:
    monkeypatch.setattr("workbench.reading.html.page.MOST_LOOKS", 5)
    monkeypatch.setattr("workbench.reading.formats.paragraphs.MOST_LOOKS", 5)
    document = one(tmp_path / name, (bold * 9).encode())
    assert looks(document) == [("a", BOLD)] * 5
    assert document.text.count("a") == 9


def test_a_letter_that_is_left_out_moves_no_emphasis(tmp_path: Path) -> None:
    text = "A [^1]**bold**\nword, \u6f22\u5b57\n**\u6f22**\u5b57 and `code`.\n\n[^1]: A *note*.\n"
    assert looks(one(tmp_path / "a.md", text.encode())) == [
        ("bold", BOLD),
        ("\u6f22", BOLD),
        ("code", CODE),
        ("note", ITALIC),
    ]
