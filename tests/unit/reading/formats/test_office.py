"""DOCX, ODT and EPUB: zip files of XML."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.faults.fuzz_seeds import presentation
from tests.faults.old_word import old_word
from tests.golden.tricks import odt
from tests.unit.reading.formats.items import one, read
from workbench.base.types import BlockKind, Document
from workbench.reading.formats import Failure, Record
from workbench.reading.formats.package import OLE
from workbench.reading.note_marks import is_mark_after
from workbench.text.quotation import CitationKind, citations

GOOD = "これは正しい文書です。"

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STYLES = f"""<w:styles {W}><w:style w:styleId="1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Kid"><w:name w:val="My heading"/><w:basedOn w:val="1"/></w:style></w:styles>"""
CORE = """<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">
<dc:title> A  title </dc:title><dcterms:created>2020-01-02T03:04:05Z</dcterms:created></c>"""
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)


def zipped(**parts: str | bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def docx(body: str, **more: str | bytes) -> bytes:
    main = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    parts = {
        "[Content_Types].xml": "<x/>",
        "word/document.xml": main,
        "word/styles.xml": STYLES,
        "docProps/core.xml": CORE,
    }
    return zipped(**(parts | more))


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def error(path: Path, content: bytes) -> str:
    [item] = read(path, content)
    assert isinstance(item, Failure)
    return item.error


def blocks(document: Document) -> list[tuple[str, str, str]]:
    return [(b.kind.value, b.path, document.text[b.span.start : b.span.end]) for b in document.blocks]


def test_paragraphs_of_a_word_file_know_their_kind_and_place(tmp_path: Path) -> None:
    body = (
        f'<w:p><w:pPr><w:pStyle w:val="Kid"/></w:pPr>{run("見出し")}</w:p><w:p/>'
        f'<w:p><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr>{run("item")}</w:p>'
        f"<w:tbl><w:tr><w:tc><w:p>{run('cell')}</w:p></w:tc></w:tr></w:tbl>"
        f"<w:p>{run('a')}<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>"
    )
    document = one(tmp_path / "a.docx", docx(body))
    assert blocks(document) == [
        ("heading", "h1/p[1]", "見出し"),
        ("list-item", "ul[3]/li[1]/p[3]", "item"),
        ("table-cell", "table[1]/tr[1]/td[1]/p[4]", "cell"),
        ("paragraph", "p[5]", "a\tb\nc"),
    ]
    assert (document.title, document.published, document.extraction.created) == ("A title", "", "2020-01-02")


def test_paragraphs_set_apart_in_a_word_file_are_quotations(tmp_path: Path) -> None:
    def indented(attributes: str, text: str) -> str:
        return f"<w:p><w:pPr><w:ind {attributes}/></w:pPr>{run(text)}</w:p>"

    names = (("Q", "Quote"), ("R", "Quotations"))
    named = "".join(f'<w:style w:styleId="{key}"><w:name w:val="{name}"/></w:style>' for key, name in names)
    styles = f"<w:styles {W}>{named}</w:styles>"
    body = (
        f"<w:p>{run('Before the quotations there is a paragraph.')}</w:p>"
        f'<w:p><w:pPr><w:pStyle w:val="Q"/></w:pPr>{run("Quoted by the style of the paragraph.")}</w:p>'
        f'<w:p><w:pPr><w:pStyle w:val="R"/></w:pPr>{run("Quoted by the style of another program.")}</w:p>'
        + indented('w:left="720"', "Quoted by the indent of all of its lines.")
        + indented('w:left="567" w:hanging="0"', "Quoted by the indent that hangs nothing.")
        + indented('w:left="720" w:hanging="720"', "An entry of a list with a hanging indent.")
        + indented('w:firstLine="720"', "A paragraph with an indented first line.")
    )
    document = one(tmp_path / "a.docx", docx(body, **{"word/styles.xml": styles}))
    recognised = citations(document.text, document.blocks)
    assert [(c.kind, document.text[slice(*c.span)].split()[2]) for c in recognised] == [
        (CitationKind.BLOCK_QUOTATION, "the"),
    ] * 4


def test_what_a_paragraph_was_before_a_tracked_change_of_its_format_does_not_matter(tmp_path: Path) -> None:
    styles = '<w:styles xmlns:w="w"><w:style w:styleId="H"><w:name w:val="heading 1"/></w:style></w:styles>'
    before = (
        '<w:pStyle w:val="H"/>',
        '<w:ind w:left="720"/>',
        '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr>',
    )
    body = "".join(
        f"<w:p><w:pPr><w:pPrChange><w:pPr>{of}</w:pPr></w:pPrChange></w:pPr>{run('plain')}</w:p>" for of in before
    )
    bold = "<w:rPr><w:rPrChange><w:rPr><w:b/></w:rPr></w:rPrChange></w:rPr>"
    body += f"<w:p><w:r>{bold}<w:t>not bold</w:t></w:r></w:p>"
    document = one(tmp_path / "a.docx", docx(body, **{"word/styles.xml": styles}))
    assert blocks(document) == [
        *(("paragraph", f"p[{number}]", "plain") for number in (1, 2, 3)),
        ("paragraph", "p[4]", "not bold"),
    ]
    assert document.extraction.looks == ()


def test_notes_that_cannot_be_read_are_left_out_with_a_word(tmp_path: Path) -> None:
    body = f"<w:p>{run(GOOD)}</w:p>"
    document = one(tmp_path / "a.docx", docx(body, **{"word/footnotes.xml": LAUGHS + "<x>&i;</x>"}))
    assert (document.text, document.extraction.repairs) == (GOOD, ("left out footnotes that cannot be read",))


def test_the_parts_of_a_file_are_limited_together(tmp_path: Path) -> None:
    notes = f"<w:footnotes {W}><w:footnote><w:p>{run('note ' * 1000)}</w:p></w:footnote></w:footnotes>"
    content = docx(f"<w:p>{run(GOOD)}</w:p>", **{"word/footnotes.xml": notes, "word/endnotes.xml": notes})
    [item] = read(tmp_path / "a.docx", content, member_bytes=9000)
    assert isinstance(item, Record)
    assert item.document.text.count("note") == 1000
    assert item.document.extraction.repairs == ("left out endnotes that cannot be read",)


def test_greek_letters_and_signs_of_the_symbol_font_are_text(tmp_path: Path) -> None:
    signs = "".join(
        f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'
        for font, code in [("Symbol", "F061"), ("Symbol", "F0A3"), ("Symbol", "0062"), ("Wingdings", "F04A")]
    )
    assert one(tmp_path / "a.docx", docx(f"<w:p>{run('TGF-')}{signs}{run(' end')}</w:p>")).text == "TGF-α≤β end"


def test_typed_marks_of_notes_are_left_out_and_exponents_stay(tmp_path: Path) -> None:
    raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{}</w:t></w:r>'
    body = f"<w:p>{run('A first claim')}{raised.format(12)}{run(' of 5 m')}{raised.format(2)}{run(' ends.')}"
    document = one(tmp_path / "a.docx", docx(f"{body}{raised.format('[3]')}</w:p>"))
    assert document.text == "A first claim of 5 m2 ends."


@pytest.mark.parametrize(
    ("before", "raised", "after", "text"),
    [
        ("The law of the sea", "1", " holds", "The law of the sea holds"),
        ("as these", "3,4", " say", "as these say"),
        ("It grew by 9%", "5", " then", "It grew by 9% then"),
        ("dated with ", "14", "C", "dated with 14C"),
        ("the base of the log", "2", " of x", "the base of the log2 of x"),
    ],
)
def test_raised_numbers_behind_words_are_marks_of_notes_in_every_office_file(
    tmp_path: Path, before: str, raised: str, after: str, text: str
) -> None:
    mark = f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{raised}</w:t></w:r>'
    assert one(tmp_path / "a.docx", docx(f"<w:p>{run(before)}{mark}{run(after)}</w:p>")).text == text
    small = f'<a:r><a:rPr baseline="30000"/><a:t>{raised}</a:t></a:r>'
    words = f"<a:p><a:r><a:t>{before}</a:t></a:r>{small}<a:r><a:t>{after}</a:t></a:r></a:p>"
    slide = presentation([f"<p:sp><p:txBody>{words}</p:txBody></p:sp>"])
    assert one(tmp_path / "a.pptx", slide).text == text
    styled = odt((before, ""), (raised, 'style:text-position="super 58%"'), (after, ""))
    assert one(tmp_path / "a.odt", styled).text.split("\n")[1] == text
    for control in (r"\super", r"\up6\fs16", r"\nosupersub\super"):
        assert one(tmp_path / "a.rtf", rf"{{\rtf1\ansi {before}{{{control} {raised}}}{after}}}".encode()).text == text


@pytest.mark.parametrize(
    ("before", "is_exponent"),
    [
        ("重力加速度约为9.8米/秒", True),
        ("面积为一百平方厘米", True),
        ("每公里", True),
        ("速さは毎秒", True),
        ("縦横10センチ", True),
        ("Es sind 20 Meter", True),
        ("It is 9.8 metres per second", True),
        ("他买了玉米", False),
        ("她来自这里", False),
        ("in the second", False),
    ],
)
def test_a_squared_unit_is_no_mark_of_a_note(before: str, is_exponent: bool) -> None:
    assert [is_mark_after(before, digit, "，") for digit in ("2", "3", "4")] == [not is_exponent, not is_exponent, True]


@pytest.mark.parametrize(
    ("before", "after", "properties", "control"),
    [
        (
            "T",
            "he ferry left.",
            '<w:framePr w:dropCap="drop"/>',
            r"{\pard\dropcapli2\dropcapt1 T\par}\pard he ferry left.",
        ),
        ("It left ", "at dawn.", "<w:rPr><w:del/></w:rPr>", r"It left {\deleted\par}at dawn."),
    ],
)
def test_a_drop_cap_and_words_before_a_deleted_mark_continue_in_the_next_paragraph(
    tmp_path: Path, before: str, after: str, properties: str, control: str
) -> None:
    body = f"<w:p><w:pPr>{properties}</w:pPr>{run(before)}</w:p><w:p>{run(after)}</w:p>"
    assert one(tmp_path / "a.docx", docx(body)).text == f"{before}{after}"
    assert one(tmp_path / "a.rtf", rf"{{\rtf1\ansi {control}}}".encode()).text == f"{before}{after}"
    alone = docx(f"<w:p><w:pPr>{properties}</w:pPr>{run('Alone')}</w:p>")
    assert one(tmp_path / "b.docx", alone).text == "Alone"


def test_marks_of_notes_in_raised_digits_are_left_out_but_of_plain_text(tmp_path: Path) -> None:
    words = "The law of the sea¹ and of nine km² ends."
    assert one(tmp_path / "a.docx", docx(f"<w:p>{run(words)}</w:p>")).text == "The law of the sea and of nine km² ends."
    assert one(tmp_path / "a.md", words.encode()).text == "The law of the sea and of nine km² ends."
    assert one(tmp_path / "a.txt", words.encode()).text == words


def test_a_mark_of_your_own_choice_in_place_of_a_number_of_word_is_left_out(tmp_path: Path) -> None:
    mark = '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>a</w:t></w:r>'
    assert one(tmp_path / "a.docx", docx(f"<w:p>{run('The law')}{mark}{run(' holds')}</w:p>")).text == "The law holds"
    beside = '<w:r><w:footnoteReference w:id="2"/><w:t> holds</w:t></w:r>'
    assert one(tmp_path / "a.docx", docx(f"<w:p>{run('The law')}{beside}</w:p>")).text == "The law holds"


def test_insertions_ruby_bases_text_boxes_and_notes_are_kept_and_the_rest_left_out(tmp_path: Path) -> None:
    box = f"<w:txbxContent><w:p>{run('in a box')}</w:p></w:txbxContent>"
    body = (
        f"<w:p>{run('kept ')}<w:ins>{run('inserted ')}</w:ins>"
        "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('moved away')}</w:moveFrom><w:moveTo>{run('moved here ')}</w:moveTo>"
        f"<w:r><w:ruby><w:rt>{run('かんじ')}</w:rt><w:rubyBase>{run('漢字')}</w:rubyBase></w:ruby></w:r>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r>"
        f"<w:hyperlink><w:r><w:t> link</w:t></w:r></w:hyperlink></w:p>"
        '<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    notes = f"<w:footnotes {W}><w:footnote><w:p>{run('a note')}</w:p></w:footnote></w:footnotes>"
    links = '<R><Relationship Type="x/hyperlink" Target="http://a/"/><Relationship Type="x/hyperlink" Target="file:///b"/></R>'
    more = {"word/footnotes.xml": notes, "word/_rels/document.xml.rels": links, "word/vbaProject.bin": b"macros"}
    document = one(tmp_path / "a.docm", docx(body, **more))
    assert document.text == "kept inserted moved here 漢字 link\nin a box\na note"
    assert [b.path for b in document.blocks] == ["p[1]", "p[3]", "footnotes/p[1]"]
    assert document.links == ("http://a/",)
    assert document.extraction.repairs == ("macros in the file were ignored", "left out tracked deletions (2)")


@pytest.mark.parametrize("name", ["a.docx", "a.odt", "a.epub"])
def test_what_is_damaged_or_protected_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    assert (
        error(tmp_path / name, OLE + "EncryptedPackage".encode("utf-16-le"))
        == "This document is protected by a password."
    )
    assert error(tmp_path / name, OLE + b"WordDocument").startswith("This is an old Office file")
    assert error(tmp_path / name, b"PK\x03\x04" + bytes(500)).startswith("This is not a document of this format")
    assert error(tmp_path / name, b"").startswith("This is not a document of this format")
    error(tmp_path / name, zipped(other="x"))


@pytest.mark.parametrize(("name", "part"), [("a.docx", "word/document.xml"), ("a.odt", "content.xml")])
def test_entities_and_hostile_xml_are_refused(tmp_path: Path, name: str, part: str) -> None:
    bad = {
        "laughs": f"{LAUGHS}<x><p>&i;</p></x>",
        "attribute": f'{LAUGHS}<x a="&i;"><p>t</p></x>',
        "file": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
        "deep": "<p>" * 5000 + "</p>" * 5000,
        "broken": "<x><p>",
        "empty": "",
    }
    for content in bad.values():
        assert error(tmp_path / name, zipped(**{part: content})).startswith("The part ")
    bomb = zipped(**{part: b"<x>" + b" " * 30_000_000 + b"</x>"})
    assert "200 times" in error(tmp_path / name, bomb)


@pytest.mark.parametrize(("count", "spaces"), [("2", 2), ("9" * 5000, 80), ("-3", 1), ("x", 1)])
def test_no_count_of_spaces_fills_the_memory(tmp_path: Path, count: str, spaces: int) -> None:
    paragraph = f'<text:p>a<text:s text:c="{count}"/>b</text:p>'
    body = f'<o:d xmlns:o="o" xmlns:text="t"><o:body><o:text>{paragraph}</o:text></o:body></o:d>'
    assert one(tmp_path / "a.odt", zipped(**{"content.xml": body})).text == f"a{' ' * spaces}b"


def test_an_open_document_text_is_read(tmp_path: Path) -> None:
    body = """<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d" xmlns:xlink="l">
<office:body><office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion>
</text:changed-region></text:tracked-changes><text:h>見出し</text:h>
<text:p>one<text:s text:c="2"/>two <text:span>three
four</text:span><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>
<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body>
</text:note><draw:frame><draw:text-box><text:p>in a box</text:p></draw:text-box></draw:frame>
<text:a xlink:href="http://a/">link</text:a></text:p>
<text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell></table:table-row></table:table>
</office:text></office:body></office:document-content>"""
    meta = '<m xmlns:dc="d"><dc:title>T</dc:title><dc:date>2020-01-02T03:04:05</dc:date></m>'
    document = one(tmp_path / "a.odt", zipped(**{"content.xml": body, "meta.xml": meta}))
    assert [(kind, text.replace("  ", "_")) for kind, _, text in blocks(document)] == [
        ("heading", "見出し"),
        ("paragraph", "one_two three four漢字_ link"),
        ("paragraph", "a note"),
        ("paragraph", "in a box"),
        ("list-item", "item"),
        ("table-cell", "cell"),
    ]
    assert (document.title, document.extraction.created, document.links) == ("T", "2020-01-02", ("http://a/",))
    assert [path for _, path, text in blocks(document) if text in ("a note", "in a box")] == ["footnotes/p[3]", "p[4]"]


def test_equations_are_read_as_their_characters(tmp_path: Path) -> None:
    power = "<m:sSup><m:r><m:t>c</m:t></m:r><m:r><m:t>2</m:t></m:r></m:sSup>"
    linear = f'<m:oMath xmlns:m="m"><m:r><m:t>E=m</m:t></m:r>{power}</m:oMath>'
    assert one(tmp_path / "a.docx", docx(f"<w:p>{run('so ')}{linear}</w:p>")).text == "so E=mc2"
    frame = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
    names = 'xmlns:o="o" xmlns:text="t" xmlns:draw="d" xmlns:xlink="l"'
    body = f"<o:d {names}><o:text><text:p>so {frame}.</text:p></o:text></o:d>"
    math = "<math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow>"
    math += "<annotation>E = m c^2</annotation></semantics></math>"
    content = zipped(**{"content.xml": body, "Object 1/content.xml": math})
    assert one(tmp_path / "a.odt", content).text == "so E=mc2."


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (r' EQ \* jc2 \* "Font:MS 明朝" \* hps10 \o\ad(\s\up 9(かんじ),漢字)', "漢字"),
        (r" EQ \o\ac(○,印)", "○印"),
        (r"eq \f(1,\r(x))", "1x"),
        (r" PAGE \* MERGEFORMAT ", ""),
    ],
)
def test_ruby_and_equations_written_as_fields_are_read(tmp_path: Path, code: str, shown: str) -> None:
    parts = [f'<w:r><w:instrText xml:space="preserve">{part}</w:instrText></w:r>' for part in (code[:9], code[9:])]
    mark = '<w:r><w:fldChar w:fldCharType="%s"/></w:r>'
    field = mark % "begin" + "".join(parts) + mark % "end"
    assert one(tmp_path / "a.docx", docx(f"<w:p>{run('so ')}{field}{run('.')}</w:p>")).text == f"so {shown}."
    assert one(tmp_path / "a.doc", old_word(f"so \x13{code}\x15.\r")).text == f"so {shown}."
    units = "".join(c if c < "\x80" else rf"\u{ord(c)}\'3f" for c in code.replace("\\", "\\\\"))
    body = rf"{{\rtf1\ansi so {{\field{{\*\fldinst {{{units}}}}}{{\fldrslt {{}}}}}}.}}"
    assert one(tmp_path / "a.rtf", body.encode("ascii")).text == f"so {shown}."


def test_operands_of_a_field_of_a_word_file_are_not_text_but_parts_of_an_equation_are(tmp_path: Path) -> None:
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{m}"/></w:r>' for m in ("begin", "separate", "end"))

    def code(text: str) -> str:
        return f'<w:r><w:instrText xml:space="preserve">{text}</w:instrText></w:r>'

    def inner(text: str) -> str:
        return f"{begin}{code(' REF x ')}{separate}{run(text)}{end}"

    choice = f"{begin}{code(' IF ')}{inner('female')}{code(' = female Madam Sir ')}{separate}{run('Madam')}{end}"
    equation = code(r"EQ \f(")
    fraction = f"{begin}{equation}{inner('1')}{code(',')}{inner('2')}{code(')')}{end}"
    link = f"{begin}{code(' HYPERLINK x ')}{separate}{run('page ')}{inner('7')}{end}"
    body = f"<w:p>{run('Dear ')}{choice}{run(', ')}{fraction}{run(' on ')}{link}{run('.')}</w:p>"
    assert one(tmp_path / "a.docx", docx(body)).text == "Dear Madam, 12 on page 7."


def test_descriptions_of_pictures_in_an_open_document_text_are_left_out(tmp_path: Path) -> None:
    names = 'xmlns:o="o" xmlns:text="t" xmlns:draw="d"'
    names += ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
    frame = "<draw:frame><draw:image/><svg:title>Map</svg:title><svg:desc>A map of Europe</svg:desc></draw:frame>"
    body = f"<o:d {names}><o:text><text:p>The <text:title>name</text:title>{frame} here</text:p></o:text></o:d>"
    assert one(tmp_path / "a.odt", zipped(**{"content.xml": body})).text == "The name here"


def test_words_in_shapes_of_an_open_document_text_are_paragraphs_of_their_own(tmp_path: Path) -> None:
    shape = "<draw:custom-shape><text:p>in a shape</text:p><text:p>below it</text:p></draw:custom-shape>"
    names = 'xmlns:o="o" xmlns:text="t" xmlns:draw="d"'
    body = f"<o:d {names}><o:text><text:p><draw:g>{shape}</draw:g>around it</text:p></o:text></o:d>"
    texts = [text for _, _, text in blocks(one(tmp_path / "a.odt", zipped(**{"content.xml": body})))]
    assert texts == ["around it", "in a shape", "below it"]


def test_comments_are_left_out(tmp_path: Path) -> None:
    comments = f"<w:comments {W}><w:comment><w:p>{run('a remark')}</w:p></w:comment></w:comments>"
    content = docx(f"<w:p>{run(GOOD)}<w:r><w:commentReference/></w:r></w:p>", **{"word/comments.xml": comments})
    assert one(tmp_path / "a.docx", content).text == GOOD
    remark = "<office:annotation><dc:creator>me</dc:creator><text:p>a remark</text:p></office:annotation>"
    names = 'xmlns:office="o" xmlns:text="t" xmlns:dc="d"'
    body = f"<x {names}><office:text><text:p>{GOOD}{remark}</text:p></office:text></x>"
    assert one(tmp_path / "a.odt", zipped(**{"content.xml": body})).text == GOOD


def test_an_encrypted_open_document_is_refused(tmp_path: Path) -> None:
    manifest = "<m><file-entry><encryption-data/></file-entry></m>"
    content = zipped(**{"content.xml": b"\x01\x02", "META-INF/manifest.xml": manifest})
    assert error(tmp_path / "a.odt", content) == "This document is protected by a password."


def epub(chapters: dict[str, str | bytes], date: str = "2020-01-02", **more: str) -> bytes:
    items = "".join(
        f'<item id="i{n}" href="{c.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for n, c in enumerate(chapters)
    )
    order = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    about = f'<dc:title xmlns:dc="d">本</dc:title><dc:date xmlns:dc="d">{date}</dc:date>'
    opf = f"<package><metadata>{about}</metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "OPS/book.opf": opf,
    }
    return zipped(**(parts | {f"OPS/{n}": c for n, c in chapters.items()} | more))


@pytest.mark.parametrize(("date", "published"), [("1998", "1998"), ("2011-05", "2011-05"), ("2011年5月", "2011-05")])
def test_the_year_of_a_book_is_its_date(tmp_path: Path, date: str, published: str) -> None:
    assert one(tmp_path / "a.epub", epub({"c.xhtml": xhtml("<p>本文である。</p>")}, date)).published == published


def xhtml(text: str) -> str:
    head = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body>'
    return f"{head}{text}</body></html>"


def test_a_book_is_one_document_with_its_chapters_in_order(tmp_path: Path) -> None:
    chapters: dict[str, str | bytes] = {
        "cover.xhtml": xhtml("<img src='x.png'/>"),
        "ch 2.xhtml": xhtml("<h1>第一章</h1><p><ruby>漢字<rt>かんじ</rt></ruby>の本。</p>"),
        "ch1.xhtml": xhtml("<p>次の章。</p><script>alert(1)</script>"),
    }
    document = one(tmp_path / "b.epub", epub(chapters))
    assert document.text == "第一章\n漢字の本。\n次の章。"
    assert [b.path for b in document.blocks] == [
        "OPS/ch 2.xhtml/html[1]/body[1]/h1[1]",
        "OPS/ch 2.xhtml/html[1]/body[1]/p[1]",
        "OPS/ch1.xhtml/html[1]/body[1]/p[1]",
    ]
    assert document.blocks[0].kind is BlockKind.HEADING
    assert (document.title, document.published, document.language) == ("本", "2020-01-02", "ja")


def test_a_chapter_that_cannot_be_read_is_named_and_the_others_are_in(tmp_path: Path) -> None:
    good = xhtml("<p>本文です。</p>")
    items = read(tmp_path / "b.epub", epub({"a.xhtml": good, "bad.xhtml": b"\0\1\2" * 99, "c.xhtml": good}))
    assert [i.path for i in items if isinstance(i, Failure)] == ["b.epub!OPS/bad.xhtml"]
    assert [i.document.text for i in items if isinstance(i, Record)] == ["本文です。\n本文です。"]


def test_a_protected_book_is_refused_but_not_for_its_fonts(tmp_path: Path) -> None:
    def rights(algorithm: str) -> str:
        return f'<e><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/></EncryptedData></e>'

    chapters: dict[str, str | bytes] = {"a.xhtml": xhtml("<p>本文です。</p>")}
    locked = epub(chapters, **{"META-INF/encryption.xml": rights("http://www.w3.org/2001/04/xmlenc#aes128-cbc")})
    assert error(tmp_path / "b.epub", locked) == "This book is protected (DRM) and cannot be read."
    fonts = epub(chapters, **{"META-INF/encryption.xml": rights("http://www.idpf.org/2008/embedding")})
    assert one(tmp_path / "b.epub", fonts).text == "本文です。"


@pytest.mark.parametrize(
    ("name", "content"), [("docx", docx(f"<w:p>{run('x')}</w:p>")), ("epub", epub({"a.xhtml": xhtml("<p>text</p>")}))]
)
def test_the_formats_are_known_by_their_beginning(tmp_path: Path, name: str, content: bytes) -> None:
    assert one(tmp_path / "nameless", content).extraction.format == name
