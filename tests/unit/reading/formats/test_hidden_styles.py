"""Words that their style hides in Word, OpenDocument and EPUB files are flagged, and words on a colour are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.golden.tricks import epub, html, latex, odt, rtf, slides, zipped
from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_office import docx, run
from workbench.base.types import Document

WORDS = "The harbour was quiet in the morning, and nobody was there. "
SECRET = "filler words nobody sees"
LETTERS = len(SECRET.replace(" ", ""))
WHITE = '<w:color w:val="FFFFFF"/>'


def flagged(document: Document) -> list[tuple[str, str]]:
    """The kind of each flag, and the text from its first place to its last."""
    return [
        (flag.kind, document.text[flag.spans[0].start : flag.spans[-1].end]) for flag in document.extraction.integrity
    ]


@pytest.mark.parametrize(
    "look", [WHITE, '<w:color w:val="f8f8f8"/>', '<w:sz w:val="2"/>', '<w:w w:val="1"/>', '<w:rStyle w:val="x"/>']
)
def test_hidden_runs_of_a_word_file_are_flagged(look: str, tmp_path: Path) -> None:
    styles = (
        '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f'<w:style w:styleId="x"><w:name w:val="x"/><w:rPr>{WHITE}</w:rPr></w:style></w:styles>'
    )
    body = f"<w:p>{run(WORDS)}<w:r><w:rPr>{look}</w:rPr><w:t>{SECRET}</w:t></w:r>{run(WORDS)}</w:p>"
    document = one(tmp_path / "a.docx", docx(body, **{"word/styles.xml": styles}))
    assert flagged(document) == [("hidden-by-style", SECRET)]
    assert document.extraction.integrity[0].characters == LETTERS


@pytest.mark.parametrize(
    "body",
    [
        f"<w:p><w:r><w:rPr>{WHITE}<w:shd w:fill='203040'/></w:rPr><w:t>{SECRET}</w:t></w:r></w:p>",
        f"<w:p><w:r><w:rPr>{WHITE}<w:highlight w:val='black'/></w:rPr><w:t>{SECRET}</w:t></w:r></w:p>",
        f"<w:p><w:pPr><w:shd w:fill='203040'/></w:pPr><w:r><w:rPr>{WHITE}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p>",
        "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill='203040'/></w:tcPr><w:p><w:r><w:rPr>"
        f"{WHITE}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
        "<w:tbl><w:tblPr><w:tblStyle w:val='unknown'/></w:tblPr><w:tr><w:tc><w:p><w:r><w:rPr>"
        f"{WHITE}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
        "<w:p><w:r><w:txbxContent><w:p><w:r><w:rPr>"
        f"{WHITE}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p></w:txbxContent></w:r></w:p>",
        f"<w:p><w:r><w:rPr><w:color w:val='808080'/><w:sz w:val='12'/></w:rPr><w:t>{SECRET}</w:t></w:r></w:p>",
        f"<w:p><w:r><w:rPr>{WHITE}</w:rPr><w:t>a white o</w:t></w:r></w:p>",
    ],
)
def test_words_of_a_word_file_on_a_colour_or_only_small_are_not_flagged(body: str, tmp_path: Path) -> None:
    assert flagged(one(tmp_path / "a.docx", docx(f"<w:p>{run(WORDS)}</w:p>{body}"))) == []


@pytest.mark.parametrize("look", ['fo:color="#ffffff"', 'fo:font-size="1pt"', 'fo:font-size="0.5pt"'])
def test_hidden_spans_of_an_opendocument_text_are_flagged(look: str, tmp_path: Path) -> None:
    document = one(tmp_path / "a.odt", odt((WORDS, ""), (SECRET, look), (WORDS, "")))
    assert flagged(document) == [("hidden-by-style", SECRET)]


def test_other_spans_are_not_flagged_and_those_not_displayed_are_left_out(tmp_path: Path) -> None:
    dark = 'fo:color="#ffffff" fo:background-color="#203040"'
    document = one(tmp_path / "a.odt", odt((WORDS, dark), (SECRET, 'fo:font-size="6pt"')))
    assert flagged(document) == []
    assert SECRET in document.text
    assert SECRET not in one(tmp_path / "b.odt", odt((WORDS, ""), (SECRET, 'text:display="none"'))).text


def test_hidden_words_of_a_book_are_flagged_each_time(tmp_path: Path) -> None:
    inner = f'{WORDS}<span style="font-size:0">{SECRET}</span>{WORDS}<span class="x">{SECRET}</span>{WORDS}'
    document = one(tmp_path / "a.epub", epub(inner, ".x{color:#fefefe;background:#fefefe}"))
    assert document.extraction.integrity[0].characters == 2 * LETTERS
    assert len({document.text.index(SECRET), document.text.rindex(SECRET)}) == 2


def test_words_of_a_link_that_a_class_keeps_for_screen_readers_are_not_a_sign(tmp_path: Path) -> None:
    inner = f'{WORDS} <a href="b.html">next <span class="sr-only">{SECRET}</span> one</a> {WORDS}'
    style = ".sr-only{position:absolute;left:-9999px;clip:rect(0,0,0,0)}"
    assert flagged(one(tmp_path / "a.epub", epub(inner, style))) == []


@pytest.mark.parametrize(
    ("properties", "hides"),
    [
        ('<a:rPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>', True),
        ('<a:rPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill></a:rPr>', True),
        ('<a:rPr sz="100"/>', True),
        ('<a:rPr sz="1800"><a:solidFill><a:srgbClr val="C00000"/></a:solidFill></a:rPr>', False),
    ],
)
def test_white_and_tiny_words_of_a_slide_are_flagged(properties: str, hides: bool, tmp_path: Path) -> None:
    document = one(tmp_path / "a.pptx", slides(("Words seen, and ", ""), ("words that nobody sees", properties)))
    if hides:
        assert flagged(document) == [("hidden-by-style", "words that nobody sees")]
    else:
        assert not document.extraction.integrity


def test_white_words_of_a_dark_slide_are_seen(tmp_path: Path) -> None:
    white = '<a:rPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>'
    document = one(tmp_path / "a.pptx", slides(("All the words of this line ", white), ("are white words.", white)))
    assert not document.extraction.integrity


WHITE_RUN = '<a:rPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>'
NAVY = '<a:solidFill><a:srgbClr val="101040"/></a:solidFill>'
OF_THEME = '<p:bg><p:bgRef idx="1001"><a:schemeClr val="{}"/></p:bgRef></p:bg>'


def on_slide(words: str, *, shapes: str = "", fill: str = "", ground: str = "", of_master: str = "bg1") -> bytes:
    """A presentation of one slide with a text box of white words, one inch from the left and the top."""
    office = "http://schemas.openxmlformats.org"
    kinds = f"{office}/officeDocument/2006/relationships"
    names = f'xmlns:a="{office}/drawingml/2006/main" xmlns:p="{office}/presentationml/2006/main" xmlns:r="{kinds}"'
    own, own_types = (f"{office}/package/2006/{what}" for what in ("relationships", "content-types"))

    def relations(**parts: str) -> str:
        each = (f'<Relationship Id="{k}" Type="{kinds}/{k}" Target="{target}"/>' for k, target in parts.items())
        return f'<Relationships xmlns="{own}">{"".join(each)}</Relationships>'

    def page(name: str, inner: str, background: str = "", more: str = "") -> str:
        return f"<p:{name} {names}><p:cSld>{background}<p:spTree>{inner}</p:spTree></p:cSld>{more}</p:{name}>"

    system = '<a:sysClr val="window" lastClr="{}"/>'
    colours = f"<a:dk1>{system.format('000000')}</a:dk1><a:lt1>{system.format('FFFFFF')}</a:lt1>"
    theme = f"<a:themeElements><a:clrScheme>{colours}</a:clrScheme></a:themeElements>"
    map_ = '<p:clrMap bg1="lt1" tx1="dk1" bg2="dk1"/>'
    white = f"<a:p><a:r>{WHITE_RUN}<a:t>{words}</a:t></a:r></a:p>"
    box = f"<p:sp>{framed(1, 1, 6, 1, fill)}<p:txBody>{white}</p:txBody></p:sp>"
    master = '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="slideMaster"/></p:sldMasterIdLst>'
    listed = f'{master}<p:sldIdLst><p:sldId id="256" r:id="slide"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>'
    of_office = "application/vnd.openxmlformats-officedocument"
    of_parts = {
        "presentation": "presentationml.presentation.main",
        "slides/s1": "presentationml.slide",
        "l1": "presentationml.slideLayout",
        "m1": "presentationml.slideMaster",
        "t1": "theme",
    }
    types = "".join(
        f'<Override PartName="/ppt/{part}.xml" ContentType="{of_office}.{kind}+xml"/>'
        for part, kind in of_parts.items()
    )
    of_names = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{own_types}">{of_names}{types}</Types>',
            "_rels/.rels": relations(officeDocument="ppt/presentation.xml"),
            "ppt/presentation.xml": f"<p:presentation {names}>{listed}</p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(slide="slides/s1.xml", slideMaster="m1.xml"),
            "ppt/slides/s1.xml": page("sld", shapes + box, ground),
            "ppt/slides/_rels/s1.xml.rels": relations(slideLayout="../l1.xml"),
            "ppt/l1.xml": page("sldLayout", ""),
            "ppt/_rels/l1.xml.rels": relations(slideMaster="m1.xml"),
            "ppt/m1.xml": page("sldMaster", "", OF_THEME.format(of_master), map_),
            "ppt/_rels/m1.xml.rels": relations(theme="t1.xml"),
            "ppt/t1.xml": f"<a:theme {names}>{theme}</a:theme>",
        }
    )


def framed(x: int, y: int, width: int, height: int, fill: str = "") -> str:
    """The properties of a shape at ``x``, ``y``, in inches."""
    left, top, wide, high = (914400 * n for n in (x, y, width, height))
    frame = f'<a:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="{wide}" cy="{high}"/></a:xfrm>'
    return f"<p:spPr>{frame}{fill}</p:spPr>"


@pytest.mark.parametrize(
    ("how", "hides"),
    [
        ({}, True),
        ({"fill": "<a:noFill/>"}, True),
        ({"shapes": f"<p:sp>{framed(1, 5, 2, 1, NAVY)}</p:sp>"}, True),
        ({"shapes": f"<p:sp>{framed(0, 0, 9, 4, NAVY)}</p:sp>"}, False),
        ({"shapes": f"<p:pic>{framed(0, 0, 9, 4)}</p:pic>"}, False),
        ({"fill": NAVY}, False),
        ({"ground": f"<p:bg><p:bgPr>{NAVY}</p:bgPr></p:bg>"}, False),
        ({"ground": "<p:bg><p:bgPr><a:blipFill/></p:bgPr></p:bg>"}, False),
        ({"ground": OF_THEME.format("bg2")}, False),
        ({"of_master": "tx1"}, False),
    ],
)
def test_a_white_paragraph_alone_on_a_slide_is_flagged_where_nothing_but_white_is_behind_it(
    how: dict[str, str], hides: bool, tmp_path: Path
) -> None:
    document = one(tmp_path / "a.pptx", on_slide("words that nobody sees", **how))
    assert flagged(document) == ([("hidden-by-style", "words that nobody sees")] if hides else [])


@pytest.mark.parametrize(
    ("left", "of_content", "wide", "hides"), [(1, 20, 6, False), (20, 1, 6, True), (1, 0, 600, False)]
)
def test_words_in_a_group_are_where_the_group_is(
    left: int, of_content: int, wide: int, hides: bool, tmp_path: Path
) -> None:
    inch = 914400
    frame = f'<a:off x="{left * inch}" y="{inch}"/><a:ext cx="{6 * inch}" cy="{inch}"/>'
    scale = f'<a:chOff x="{of_content * inch}" y="{inch}"/><a:chExt cx="{wide * inch}" cy="{inch}"/>'
    words = "<p:txBody><a:p><a:r><a:t>words in a group of shapes</a:t></a:r></a:p></p:txBody>"
    inside = f"<p:sp>{framed(of_content + wide // 2, 1, 3, 1)}{words}</p:sp>"
    group = f"<p:grpSp><p:grpSpPr><a:xfrm>{frame}{scale}</a:xfrm></p:grpSpPr>{inside}</p:grpSp>"
    document = one(tmp_path / "a.pptx", on_slide("", shapes=group))
    assert flagged(document) == ([("hidden-by-style", "words in a group of shapes")] if hides else [])


@pytest.mark.parametrize(
    "source",
    [
        r"Seen. \textcolor{white}{words that nobody sees} Seen.",
        r"Seen. \textcolor[rgb]{1, 1, 1}{words that nobody sees} Seen.",
        r"Seen. {\color{white} words that nobody sees} Seen.",
    ],
)
def test_white_words_of_latex_are_flagged(source: str, tmp_path: Path) -> None:
    document = one(tmp_path / "a.tex", latex(source))
    assert flagged(document) == [("hidden-by-style", "words that nobody sees")]
    assert "Seen. words that nobody sees Seen." in " ".join(document.text.split())


@pytest.mark.parametrize(
    "source",
    [
        r"\colorbox{blue}{\textcolor{white}{words that are seen on blue}}",
        r"\textcolor{red}{words that are seen in red colour}",
        r"{\color{black} words that are seen in black ink}",
        r"\pagecolor{black}\textcolor{white}{words that are seen on black}",
    ],
)
def test_coloured_words_of_latex_are_seen(source: str, tmp_path: Path) -> None:
    document = one(tmp_path / "a.tex", latex(source))
    assert "words that are seen" in document.text
    assert not document.extraction.integrity


@pytest.mark.parametrize(
    ("hiding", "style", "hides"),
    [
        ('<font color="white">{}</font>', "", True),
        ('<span style="color:#fff">{}</span>', "", True),
        ('<span id="x">{}</span>', "#x{color:white}", True),
        ('<span style="color:rgba(0, 0, 0, 0)">{}</span>', "", True),
        ('<span style="color:transparent">{}</span>', "body{background:#000}", True),
        ('<span style="display:inline-block;width:0;height:0;overflow:hidden">{}</span>', "", True),
        ('<span style="transform: rotate(3deg) scale(0)">{}</span>', "", True),
        ("<s>{}</s>", "p s, h2{color:#fff}", True),
        ('<b class="x">{}</b>', "p > b.x{font-size:0}", True),
        ('<span style="color:var(--w)">{}</span>', ":root{--w:#fff}", True),
        ('<span class="x">{}</span>', "@media screen{.x{opacity:0}}", True),
        ('<span class="x">{}</span>', ".x{color:#fff} p .x{color:#333}", False),
        ('<span class="x">{}</span>', ".x{font-size:0} .x{font-size:14px}", False),
        ('<s class="x"><b>{}</b></s>', ".x{font-size:0} b{font-size:14px}", False),
        ('<span class="x">{}</span>', ".x:hover{color:#fff}", False),
        ('<span class="x">{}</span>', "@media (width < 300px){.x{color:#fff}}", False),
        ('<s><b class="x">{}</b></s>', "p > b.x{font-size:0}", False),
        ('<span style="color:#fff">{}</span>', ".x{background:url(a.png)}", False),
        ('<span style="color:#fff">{}</span>', "body{background:#102030}", False),
        ('<span style="color:#fff">{}</span>', "@import url(x.css);", False),
        ('<span style="color:#fff;background:#c00">{}</span>', "", False),
        ('<span style="color:rgba(255,255,255,.8)">{}</span>', "body{background-color:navy}", False),
        ('<span style="width:0;height:12px">{}</span>', "", False),
        ('<span style="transform:scale(0.8)">{}</span>', "", False),
    ],
)
def test_words_of_a_page_that_its_styles_hide_are_flagged(hiding: str, style: str, hides: bool, tmp_path: Path) -> None:
    inner = f"{WORDS}{hiding.format(SECRET)} {WORDS}"
    for name, content in (("a.html", html(inner, style)), ("a.epub", epub(inner, style))):
        assert flagged(one(tmp_path / name, content)) == ([("hidden-by-style", SECRET)] if hides else [])


@pytest.mark.parametrize(
    ("hiding", "hides"),
    [
        ('<span style="display:none">{}</span>', True),
        ('<font color="#ffffff" size="1">{}</font>', True),
        ('<span style="color:#c00">{}</span>', False),
        ('`<span style="display:none">{}</span>`', False),
    ],
)
def test_words_that_markup_in_markdown_hides_are_flagged(hiding: str, hides: bool, tmp_path: Path) -> None:
    text = f"# Essay\n\n{WORDS}{hiding.format(SECRET)} {WORDS}\n"
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [text]}]
    notebook = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    for name, content in (("a.md", text), ("a.ipynb", notebook)):
        assert flagged(one(tmp_path / name, content.encode())) == ([("hidden-by-style", SECRET)] if hides else [])


@pytest.mark.parametrize(
    ("properties", "hides"),
    [
        ('<style:text-properties fo:color="#ffffff"/>', True),
        ('<style:text-properties fo:font-size="1pt"/>', True),
        (
            '<style:text-properties fo:color="#ffffff"/><style:paragraph-properties fo:background-color="#203040"/>',
            False,
        ),
        ('<style:text-properties fo:color="#800000"/>', False),
    ],
)
def test_a_paragraph_of_an_odt_that_its_style_hides_is_flagged_but_for_spans_of_their_own_colour(
    properties: str, hides: bool, tmp_path: Path
) -> None:
    styles = (
        f'<style:style style:name="W" style:family="paragraph">{properties}</style:style>'
        '<style:style style:name="T" style:family="text"><style:text-properties fo:color="#000000" '
        'fo:font-size="12pt"/></style:style>'
    )
    inner = f'<text:p text:style-name="W">{SECRET}<text:span text:style-name="T"> seen again.</text:span></text:p>'
    assert flagged(one(tmp_path / "a.odt", odt_of(inner, styles))) == ([("hidden-by-style", SECRET)] if hides else [])


@pytest.mark.parametrize(
    "inner",
    [
        '<text:p>Seen.<text:hidden-text text:is-hidden="true">{}</text:hidden-text></text:p>',
        '<text:p>Seen.</text:p><text:p><text:hidden-paragraph text:is-hidden="true"/>{}</text:p>',
        '<text:p>Seen.</text:p><text:section text:display="none"><text:p>{}</text:p></text:section>',
        '<text:p>Seen.</text:p><text:section text:display="condition" text:is-hidden="true"><text:p>{}</text:p>'
        "</text:section>",
    ],
)
def test_text_that_an_odt_hides_is_left_out_and_counted(inner: str, tmp_path: Path) -> None:
    document = one(tmp_path / "a.odt", odt_of(inner.format(SECRET)))
    assert document.text == "Seen."
    assert document.extraction.repairs == ("left out hidden text (1)",)
    shown = one(tmp_path / "b.odt", odt_of(inner.format(SECRET).replace("true", "false").replace("none", "true")))
    assert SECRET in shown.text


def odt_of(inner: str, styles: str = "") -> bytes:
    """An OpenDocument text of markup."""
    names = " ".join(
        f'xmlns:{p}="urn:oasis:names:tc:opendocument:xmlns:{u}:1.0"'
        for p, u in (("office", "office"), ("text", "text"), ("style", "style"), ("fo", "xsl-fo-compatible"))
    )
    content = (
        f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{inner}</office:text></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


@pytest.mark.parametrize(
    ("before", "hides"),
    [
        (r"\textcolor{paper}{", True),
        (r"\textcolor{black!0}{", True),
        (r"\textcolor[cmyk]{0,0,0,0}{", True),
        (r"{\fontsize{0.1pt}{0.1pt}\selectfont ", True),
        (r"{\transparent{0}", True),
        (r"\scalebox{0.001}{", True),
        (r"\resizebox{1pt}{!}{", True),
        (r"\textcolor{ink}{", False),
        (r"\resizebox{0.9\textwidth}{!}{", False),
        (r"\scalebox{0.8}{", False),
        (r"{\fontsize{9}{11}\selectfont ", False),
        (r"{\transparent{0.5}", False),
    ],
)
def test_words_of_latex_that_nobody_sees_are_flagged(before: str, hides: bool, tmp_path: Path) -> None:
    defined = rb"\definecolor{paper}{rgb}{1, 1, 1}\definecolor{ink}{gray}{0.1}" + b"\n\\begin{document}"
    source = latex(f"{WORDS}{before}{SECRET}}} seen again.").replace(b"\\begin{document}", defined)
    document = one(tmp_path / "a.tex", source)
    assert flagged(document) == ([("hidden-by-style", SECRET)] if hides else [])
    assert f"{SECRET} seen again." in document.text


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        (rf"\pdfliteral direct {{3 Tr}}{SECRET}\pdfliteral direct {{0 Tr}}", ""),
        (rf"\ifnum1=2 {SECRET}\fi", ""),
        (rf"\ifnum 3<2 {SECRET}\else otherwise\fi", "otherwise"),
    ],
)
def test_words_that_latex_never_shows_are_left_out(hidden: str, shown: str, tmp_path: Path) -> None:
    text = one(tmp_path / "a.tex", latex(f"Seen before. {hidden} Seen after.")).text
    assert f"Seen before. {shown} Seen after.".split() == text[text.index("Seen before") :].split()[: 4 + bool(shown)]


def test_a_condition_of_latex_that_holds_shows_its_words(tmp_path: Path) -> None:
    assert "seen words" in one(tmp_path / "a.tex", latex(r"Before. \ifnum2>1 seen words\else not these\fi")).text


@pytest.mark.parametrize(
    ("properties", "hides"),
    [
        ('<w:color w:val="auto" w:themeColor="background1"/>', True),
        ('<w:color w:val="auto" w:themeColor="background1" w:themeShade="80"/>', False),
        ('<w:spacing w:val="-400"/>', True),
        ('<w:spacing w:val="-10"/>', False),
        ("<w14:textFill><w14:noFill/></w14:textFill>", True),
        ("<w14:textFill><w14:noFill/></w14:textFill><w14:textOutline><w14:solidFill/></w14:textOutline>", False),
    ],
)
def test_runs_of_a_word_file_that_are_not_drawn_are_flagged(properties: str, hides: bool, tmp_path: Path) -> None:
    names = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    body = f"<w:p>{run(WORDS)}<w:r><w:rPr {names}>{properties}</w:rPr><w:t>{SECRET}</w:t></w:r>{run(WORDS)}</w:p>"
    assert flagged(one(tmp_path / "a.docx", docx(body))) == ([("hidden-by-style", SECRET)] if hides else [])


@pytest.mark.parametrize(
    ("control", "hides"),
    [(r"\charscalex1", True), (r"\expndtw-400", True), (r"\charscalex90", False), (r"\expndtw-10", False)],
)
def test_letters_of_rtf_without_width_are_flagged(control: str, hides: bool, tmp_path: Path) -> None:
    runs = ((WORDS, ""), (SECRET, control), (r" seen again.", r"\plain"))
    assert flagged(one(tmp_path / "a.rtf", rtf(*runs))) == ([("hidden-by-style", SECRET)] if hides else [])
