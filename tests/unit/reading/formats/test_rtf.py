"""RTF: what a person sees of it, in whatever encodings its fonts have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_office import blocks, error
from workbench.base.types import LookKind
from workbench.text.markup.frames import frames_of

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset128 MS Mincho;}{\f2\fcharset204 Arial;}}"
)


def rtf(body: str, head: str = HEAD) -> bytes:
    return f"{head}{body}}}".encode("latin-1")


def test_paragraphs_know_their_kind_and_place(tmp_path: Path) -> None:
    styles = r"{\stylesheet{\s0 Normal;}{\s1\sb240 heading 1;}{\*\cs2 heading of characters;}}"
    body = (
        rf"{styles}\pard\plain\s1 A heading\par\pard\plain One\tab two\line three\par\par"
        r"\pard{\listtext\pard\plain 1.\tab}\ls1 item\par\pard\outlinelevel1 Another\par"
        r"\pard\intbl c1\cell c2\cell\row\pard \emdash\~ends"
    )
    assert blocks(one(tmp_path / "a.rtf", rtf(body))) == [
        ("heading", "h1/p[1]", "A heading"),
        ("paragraph", "p[2]", "One\ttwo\nthree"),
        ("list-item", "ul/li[1]/p[3]", "item"),
        ("heading", "h2/p[4]", "Another"),
        ("table-cell", "table[1]/tr[1]/td[1]/p[5]", "c1"),
        ("table-cell", "table[1]/tr[1]/td[2]/p[6]", "c2"),
        ("paragraph", "p[7]", "—\xa0ends"),
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"caf\'e9", "café"),
        (r"\f1\'93\'fa\'96\'7b{\f2\'cf\'f0}\f0\'e9", "日本Прé"),
        (r"\u26085?\u26412\'3f", "日本"),
        (r"\uc2\u26085 ab\uc0\u26412 c", "日本c"),
        (r"\uc1\u-10179?\u-8704?", "😀"),
        (r"\u26085\line x", "日x"),
        (r"{\upr{old}{\*\ud{\u26085 ?new}}}", "日new"),
        (r"\{a\}\\b", r"{a}\b"),
        (r"\f1\'83\\\'95\'5c\'83\{\\", "ソ表ボ\\"),
        ("wrap\r\nped", "wrapped"),
        (r"x{\pict\pngblip 89504e47}{\*\shppict{\pict\bin5 }}{\y}}z", "xz"),
    ],
)
def test_characters_are_read_in_the_encoding_of_their_font(tmp_path: Path, body: str, text: str) -> None:
    assert one(tmp_path / "a.rtf", rtf(body)).text == text


def test_bytes_of_the_file_are_read_in_its_code_page(tmp_path: Path) -> None:
    data = b"{\\rtf1\\ansi\\ansicpg932 " + "文書".encode("cp932") + b"}"
    assert one(tmp_path / "a.rtf", data).text == "文書"
    assert one(tmp_path / "b.rtf", data.replace(b"932", b"77777")).text
    assert one(tmp_path / "c.rtf", b"{\\rtf1\\mac caf\\'8e}").text == "café"


def test_insertions_notes_boxes_and_results_are_kept_and_the_rest_is_left_out(tmp_path: Path) -> None:
    shape = r"{\shp{\*\shpinst\shpleft0{\sp{\sn x}{\sv 1}}{\shptxt \pard in a box\par}}{\shprslt drawn again}}"
    body = (
        r"{\header on top\par}{\info{\title {\upr{? }{\*\ud{\u38988 ?}}}}{\author me}{\creatim\yr2020\mo1\dy2}}"
        r"kept {\revised inserted }{\deleted taken away }{\v unseen }"
        r'{\field{\*\fldinst{HYPERLINK "http://a/" }}{\fldrslt a link}}'
        r"{\footnote \chftn\pard a note\par second}{\footnote\ftnalt at the end}{\*\annotation a remark}"
        rf"{shape}{{\object{{\*\objdata 0102}}{{\result shown}}}} more{{\xe{{\v index}}}}\par last"
    )
    document = one(tmp_path / "a.rtf", rtf(body))
    assert blocks(document) == [
        ("paragraph", "p[1]", "kept inserted a linkshown more"),
        ("paragraph", "footnotes/p[1]", "a note"),
        ("paragraph", "footnotes/p[2]", "second"),
        ("paragraph", "endnotes/p[1]", "at the end"),
        ("paragraph", "p[2]", "in a box"),
        ("paragraph", "p[3]", "last"),
    ]
    assert (document.title, document.extraction.created, document.links) == ("題", "2020-01-02", ("http://a/",))
    assert document.extraction.repairs == ("left out tracked deletions (1)",)


@pytest.mark.parametrize(
    "title",
    [
        r"{\title {\upr{t ?}{\*\ud{t \u38988 ?}}}}",
        r"{\upr{\title t ?}{\*\ud{\title t \u38988\'3f}}}",
        r"{\title t \u38988?}",
    ],
)
def test_a_title_that_is_said_twice_is_read_in_unicode(tmp_path: Path, title: str) -> None:
    document = one(tmp_path / "a.rtf", rtf(rf"{{\info{title}}}text"))
    assert (document.title, document.text) == ("t 題", "text")


@pytest.mark.parametrize(
    ("run", "flagged"),
    [
        (r"{\fs2 unseen words that nobody reads}", True),
        (r"{\cf2 unseen words that nobody reads}", True),
        (r"{\cf1 black words}", False),
        (r"{\highlight1\cf2 on black}", False),
        (r"{\cf2\plain as usual}", False),
        (r"\pard\cbpat1\plain\cf2 on a colour", False),
        (r"\pard\intbl\cf2 in a cell\cell", False),
    ],
)
def test_words_that_nobody_sees_are_flagged(tmp_path: Path, run: str, flagged: bool) -> None:
    colours = r"{\colortbl;\red0\green0\blue0;\red255\green255\blue254;}"
    document = one(tmp_path / "a.rtf", rtf(rf"{colours}before {run} after"))
    flags = [
        (flag.kind, [document.text[slice(*span)] for span in flag.spans]) for flag in document.extraction.integrity
    ]
    assert flags == ([("hidden-by-style", ["unseen words that nobody reads"])] if flagged else [])


def test_what_is_not_rtf_or_hostile_is_refused_in_a_sentence(tmp_path: Path) -> None:
    assert error(tmp_path / "a.rtf", b"plain text") == "This is not an RTF file."
    assert error(tmp_path / "a.rtf", rtf(r"{\pict 00}")) == "There is no text in this document."
    assert error(tmp_path / "a.rtf", rtf("{" * 5000 + "x")) == "This input is nested too deeply."


def test_an_end_that_is_missing_costs_nothing(tmp_path: Path) -> None:
    whole = rtf(r"one\par two{\footnote three")
    assert one(tmp_path / "a.rtf", whole[:-1]).text == "one\ntwo\nthree"
    assert one(tmp_path / "a.rtf", rtf(r"one}}}two\par")).text == "one"
    assert one(tmp_path / "a.rtf", rtf(r"one{\bin999999999 x} two")).text == "one"


def test_it_is_known_by_its_beginning(tmp_path: Path) -> None:
    assert one(tmp_path / "nameless", rtf("text")).extraction.format == "rtf"


def test_emphasis_is_kept_and_tables_are_told_apart(tmp_path: Path) -> None:
    body = (
        r"\pard plain {\b bold} \i slanted\b  both\plain  none\par"
        r"\pard\intbl a\cell\cell c\cell\row\pard\intbl d\cell\row\pard between\par\pard\intbl e\cell\row"
    )
    document = one(tmp_path / "a.rtf", rtf(body))
    looks = [(document.text[slice(*look.span)].strip(), look.kind) for look in document.extraction.looks]
    both = LookKind.BOLD | LookKind.ITALIC
    assert looks == [("bold", LookKind.BOLD), ("slanted", LookKind.ITALIC), ("both", both)]
    cells = [frame.cell for frame in frames_of(document.blocks) if frame.cell]
    assert [(cell.row, cell.column) for cell in cells] == [
        ("table[1]/tr[1]", 1),
        ("table[1]/tr[1]", 3),
        ("table[1]/tr[2]", 1),
        ("table[2]/tr[3]", 1),
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"TGF-{\f3 \'62} and {\f3 a}.", "TGF-β and α."),
        (r"TGF-{\f3\u-3999?} {\f3 \'a3} 5{\f4 \'4a}", "TGF-α ≤ 5"),
        (r"x{\f3 a\tab b\emdash\u8364?\~c}", "xα\tβ—€\xa0χ"),
        (r'TGF-{\field{\*\fldinst SYMBOL 97 \\f "Symbol" \\s 12}{\fldrslt\f3\fs24}}.', "TGF-α."),
        (r'x{\field{\*\fldinst SYMBOL 74 \\f "Wingdings"}{\fldrslt\f4}}y', "xy"),
    ],
)
def test_letters_of_the_symbol_font_are_read_as_they_look(tmp_path: Path, body: str, text: str) -> None:
    head = HEAD[:-1] + r"{\f3\froman\fcharset2{\*\panose 0505}Symbol;}{\f4\fcharset2 Wingdings;}}"
    assert one(tmp_path / "a.rtf", rtf(body, head)).text == text
