"""DOC: Word files of 1997 to 2003, without Word."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.faults.old_word import CELL, DELETED, HIDDEN, ITEM, LEVEL_2, SYMBOL, compound, old_word
from tests.unit.reading.formats.items import one, read
from tests.unit.reading.formats.test_office import blocks, docx, error, run
from tests.unit.reading.formats.test_rtf import rtf
from workbench.base.types import LookKind
from workbench.reading.formats import Record, doc
from workbench.reading.formats.package import OLE


def test_paragraphs_know_their_kind_and_place(tmp_path: Path) -> None:
    text = "見出し\rBased on it\rOutlined\rBullet\rNumbered\rcell one\x07\x07One\ttwo\x0bthree\x1efour\x1f five 😀\r"
    paragraphs = {
        "見出し": (1, b""),
        "Based": (2, b""),
        "Outlined": (0, LEVEL_2),
        "Bullet": (3, b""),
        "Numbered": (0, ITEM),
        "cell": (0, CELL),
    }
    assert blocks(one(tmp_path / "a.doc", old_word(text, paragraphs=paragraphs))) == [
        ("heading", "p[1]", "見出し"),
        ("heading", "p[2]", "Based on it"),
        ("heading", "p[3]", "Outlined"),
        ("list-item", "p[4]", "Bullet"),
        ("list-item", "p[5]", "Numbered"),
        ("table-cell", "p[6]", "cell one"),
        ("paragraph", "p[7]", "One\ttwo\nthree-four five 😀"),
    ]


def test_text_is_put_together_from_pieces_of_8_and_16_bits(tmp_path: Path) -> None:
    assert one(tmp_path / "a.doc", old_word("日本\r", compressed="“café” ")).text == "“café” 日本"


def test_notes_and_boxes_are_kept_and_the_rest_is_left_out(tmp_path: Path) -> None:
    link = '\x13 HYPERLINK "http://a/" \x01\x14a link\x15'
    content = old_word(
        f"kept deleted hidden ( {link} and \x13PAGE\x15on\x02\r",
        notes="\x02 a note\r",
        headers="on top\r",
        comments="a remark\r",
        endnotes="at the end\r",
        boxes="in a box\r",
        marks={"deleted ": DELETED, "hidden ": HIDDEN, "(": SYMBOL},
    )
    document = one(tmp_path / "a.doc", content)
    assert blocks(document) == [
        ("paragraph", "p[1]", "kept  a link and on"),
        ("paragraph", "footnotes/p[1]", "a note"),
        ("paragraph", "endnotes/p[1]", "at the end"),
        ("paragraph", "p[2]", "in a box"),
    ]
    assert document.links == ("http://a/",)
    assert document.extraction.repairs == ("left out tracked deletions (1)",)


def test_a_deleted_end_of_a_paragraph_joins_it_to_the_next(tmp_path: Path) -> None:
    assert one(tmp_path / "a.doc", old_word("one \rtwo\r", marks={"\r": DELETED})).text == "one two"


TINY, WHITE, WHITE_OF_16 = b"\x43\x4a\x02\x00", b"\x70\x68\xff\xff\xff\x00", b"\x42\x2a\x08"
BOLD, ITALIC = b"\x35\x08\x01", b"\x36\x08\x01"
ON_BLACK = WHITE + b"\x0c\x2a\x01"


@pytest.mark.parametrize(
    ("look", "flagged"),
    [(TINY, True), (WHITE, True), (WHITE_OF_16, True), (ON_BLACK, False), (b"\x70\x68\0\0\0\0", False)],
)
def test_words_that_nobody_sees_are_flagged(tmp_path: Path, look: bytes, flagged: bool) -> None:
    words = "unseen words that nobody reads"
    text = f"First.\rbefore \x13PAGE\x14\x155 {words} after\rcell of white words here\x07\x07"
    marks, paragraphs = {words: look, "of white words here": WHITE}, {"cell": (0, CELL)}
    document = one(tmp_path / "a.doc", old_word(text, marks=marks, paragraphs=paragraphs))
    flags = [
        (flag.kind, [document.text[slice(*span)] for span in flag.spans]) for flag in document.extraction.integrity
    ]
    assert flags == ([("hidden-by-style", [words])] if flagged else [])


def test_bold_and_italic_words_keep_their_look(tmp_path: Path) -> None:
    marks = {"many": BOLD, "few ": ITALIC, "are": BOLD + ITALIC, "not": b"\x35\x08\x00", "太字": BOLD}
    text = "Of \x13PAGE\x14\x15 many, few are, not old.\r日本の太字\r"
    document = one(tmp_path / "a.doc", old_word(text, marks=marks))
    assert [(document.text[slice(*look.span)], look.kind) for look in document.extraction.looks] == [
        ("many", LookKind.BOLD),
        ("few ", LookKind.ITALIC),
        ("are", LookKind.BOLD | LookKind.ITALIC),
        ("太字", LookKind.BOLD),
    ]


@pytest.mark.parametrize("content", [rtf("text"), docx(f"<w:p>{run('text')}</w:p>"), b"<html><body><p>text"])
def test_files_of_other_formats_are_read_as_what_they_are(tmp_path: Path, content: bytes) -> None:
    document = one(tmp_path / "a.doc", content)
    assert document.text == "text"
    assert document.extraction.format != "doc"


def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path, damaged = tmp_path / "a.doc", "This is not a document of this format, or it is damaged."
    assert error(path, b"plain") == error(path, OLE + b"x" * 5000) == damaged
    assert error(path, OLE + "EncryptedPackage".encode("utf-16-le")) == "This document is protected by a password."
    assert error(path, old_word("x\r", flags=0x0100)) == "This document is protected by a password."
    assert error(path, old_word("x\r", version=104)).startswith("This file is older than Word 97.")
    assert error(path, compound({"Workbook": b"x"})) == "This is an old Office file, not this format."
    assert error(path, old_word("\r", headers="only a header\r")) == "There is no text in this document."


def test_pieces_cannot_repeat_themselves_into_a_text_without_end(tmp_path: Path) -> None:
    content = old_word("x" * 2000 + "\r")
    at = content.index(struct.pack("<2I", 0, 2001))
    repeated = content[: at + 4] + struct.pack("<I", 900_000_000) + content[at + 8 :]
    [item] = read(tmp_path / "a.doc", repeated.replace(struct.pack("<I", 2001), struct.pack("<I", 900_000_000)))
    assert not isinstance(item, Record)


def test_it_is_known_by_its_beginning(tmp_path: Path) -> None:
    assert one(tmp_path / "nameless", old_word("text\r")).extraction.format == "doc"


def test_properties_after_the_definition_of_a_table_are_read() -> None:
    cells = b"\1\0\0\0\x10"
    definition = struct.pack("<HH", 0xD608, len(cells) + 1) + cells
    listed = [*doc._properties(definition + struct.pack("<HB", 0x2416, 1))]
    assert [code for code, _ in listed] == [0xD608, 0x2416]
    assert listed[1][1] == b"\1"
