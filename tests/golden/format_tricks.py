"""Tricks that one format makes possible: filler words among copied sentences that nobody sees, and a copy that is shown
though it is no text of the file's body.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from tests.unit.reading.formats.drawn_pdf import drawn_pdf, map_of, text


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip file of the parts in order, the first one not compressed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


class Planted(NamedTuple):
    """A file with a trick; ``hides``: with filler words that nobody sees, else with a copy shown elsewhere."""

    name: str
    format: str
    data: bytes
    hides: bool


class Words(NamedTuple):
    """What the files are made of: the sentences of the copy, filler words, and words before and after."""

    copied: Sequence[str]
    filler: str
    start: str
    end: str

    def between(self, mark: str) -> str:
        """The copied sentences, each followed by the filler in ``mark``, which has ``%s`` in its place."""
        return "".join(f"{sentence} {mark % self.filler} " for sentence in self.copied)


def planted(words: Words) -> Iterator[Planted]:
    """Every trick in the formats that have it."""
    for make in (_word, _opendocument, _rich_text, _slides, _sheets, _latex, _pages, _books, _subtitles, _notebooks):
        yield from make(words)
    yield from _lying_pdf(words)


_OFFICE = "http://schemas.openxmlformats.org"
_W = f'xmlns:w="{_OFFICE}/wordprocessingml/2006/main"'
_A = f'xmlns:a="{_OFFICE}/drawingml/2006/main"'
_R = f'xmlns:r="{_OFFICE}/officeDocument/2006/relationships"'
_V = 'xmlns:v="urn:schemas-microsoft-com:vml"'


def _related(**parts: str) -> str:
    kinds = f"{_OFFICE}/officeDocument/2006/relationships"
    each = "".join(
        f'<Relationship Id="{k}" Type="{kinds}/{k.rstrip("0123456789")}" Target="{v}"/>' for k, v in parts.items()
    )
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{each}</Relationships>'


def word_file(body: str, parts: Mapping[str, str] = {}, **related: str) -> bytes:
    """A Word file of the markup of its body, with more parts below ``word/``."""
    main = f"<w:document {_W} {_A} {_R} {_V}><w:body>{body}</w:body></w:document>"
    more = {f"word/{name}.xml": content for name, content in parts.items()}
    rels = {"word/_rels/document.xml.rels": _related(**related)} if related else {}
    return zipped({"[Content_Types].xml": "<x/>", "word/document.xml": main, **more, **rels})


def _p(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def _run(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(words)}</w:t></w:r>'


_NO = '<w:vanish w:val="0"/>'
_WORD_RUNS = {
    "near white on near white": '<w:color w:val="F2F2F2"/>',
    "highlight of its own colour": '<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>',
    "shading of its own colour": '<w:color w:val="203040"/><w:shd w:val="clear" w:fill="213141"/>',
    "theme colour": '<w:color w:themeColor="background1"/>',
    "tint of the theme": '<w:color w:val="auto" w:themeColor="text1" w:themeTint="05"/>',
    "vanish by a character style": '<w:rStyle w:val="Gone"/>',
    "vanish by a style based on it": '<w:rStyle w:val="GoneToo"/>',
    "white by a character style": '<w:rStyle w:val="White"/>',
    "raised off the page": '<w:position w:val="3000"/>',
}
_WORD_PARAGRAPHS = {
    "vanish by a paragraph style": '<w:pStyle w:val="GoneP"/>',
    "white by a paragraph style": '<w:pStyle w:val="WhiteP"/>',
    "tiny by a paragraph style": '<w:pStyle w:val="TinyP"/>',
    "colour of the shaded paragraph": '<w:pStyle w:val="DarkP"/>',
    "lines of no height": '<w:spacing w:line="1" w:lineRule="exact"/>',
    "indented off the page": '<w:ind w:left="-20000" w:right="20000"/>',
}
_WORD_STYLES = (
    f"<w:styles {_W}>%s"
    '<w:style w:type="character" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="GoneToo"><w:basedOn w:val="Gone"/></w:style>'
    '<w:style w:type="character" w:styleId="White"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="GoneP"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="WhiteP"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="TinyP"><w:rPr><w:sz w:val="2"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="DarkP"><w:pPr><w:shd w:val="clear" w:fill="102030"/></w:pPr>'
    '<w:rPr><w:color w:val="102030"/></w:rPr></w:style>'
    '<w:style w:type="table" w:styleId="GoneT"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
)
_THEME = (
    f"<a:theme {_A}><a:themeElements><a:clrScheme><a:dk1><a:sysClr val='windowText' lastClr='000000'/></a:dk1><a:lt1>"
    "<a:srgbClr val='FFFFFF'/></a:lt1><a:accent1><a:srgbClr val='4472C4'/></a:accent1><a:accent6><a:srgbClr "
    "val='FEFEFE'/></a:accent6></a:clrScheme></a:themeElements></a:theme>"
)


def _word(words: Words) -> Iterator[Planted]:
    styles = {"styles": _WORD_STYLES % ""}
    themed = {**styles, "theme/theme1": _THEME}
    related = {"styles": "styles.xml", "theme": "theme/theme1.xml"}
    around = [_p(_run(words.start)), _p(_run(words.end))]
    for name, look in _WORD_RUNS.items():
        inner = "".join(_run(f"{s} ") + _run(f"{words.filler} ", look) for s in words.copied)
        yield Planted(name, "docx", word_file(around[0] + _p(inner) + around[1], themed, **related), True)
    for name, look in _WORD_PARAGRAPHS.items():
        body = "".join(_p(_run(s)) + _p(_run(words.filler), look) for s in words.copied)
        yield Planted(name, "docx", word_file(around[0] + body + around[1], themed, **related), True)
    gone = "<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>"
    inner = "".join(_run(f"{s} ", _NO) + _run(f"{words.filler} ") for s in words.copied)
    shown = [_p(_run(edge, _NO)) for edge in (words.start, words.end)]
    defaults = {"styles": _WORD_STYLES % gone}
    yield Planted("vanish by default", "docx", word_file(shown[0] + _p(inner) + shown[1], defaults), True)
    for name, table, cell, look in (
        ("vanish by a table style", '<w:tblStyle w:val="GoneT"/>', "", ""),
        ("colour of the cell", "", '<w:shd w:val="clear" w:fill="102030"/>', '<w:color w:val="102030"/>'),
        ("white in a plain table", "", "", '<w:color w:val="FFFFFF"/>'),
        ("row of no height", "", "", ""),
    ):
        height = '<w:trPr><w:trHeight w:val="1" w:hRule="exact"/></w:trPr>' if "row" in name else ""
        box = f"<w:tc><w:tcPr>{cell}</w:tcPr>{_p(_run(words.filler, look))}</w:tc>"
        rows = f"<w:tbl><w:tblPr>{table}</w:tblPr><w:tr>{height}{box}</w:tr></w:tbl>"
        body = "".join(_p(_run(s)) + rows for s in words.copied)
        yield Planted(name, "docx", word_file(around[0] + body + around[1], styles), True)
    page = '<w:background w:color="FFFF00"/>'
    yellow = "".join(_run(f"{s} ") + _run(f"{words.filler} ", '<w:color w:val="FFFF00"/>') for s in words.copied)
    data = word_file(
        around[0] + _p(yellow) + around[1], {"settings": f"<w:settings {_W}><w:displayBackgroundShape/></w:settings>"}
    )
    data = _in_part(data, "word/document.xml", "<w:body>", f"{page}<w:body>")
    yield Planted("colour of the page", "docx", data, True)
    copy = " ".join(words.copied)
    for kind in ("header", "footer"):
        root = {"header": "hdr", "footer": "ftr"}[kind]
        part = {f"{kind}1": f"<w:{root} {_W}>{''.join(_p(_run(s)) for s in words.copied)}</w:{root}>"}
        body = around[0] + around[1] + f'<w:sectPr><w:{kind}Reference r:id="{kind}1"/></w:sectPr>'
        yield Planted(f"in the {kind}", "docx", word_file(body, part, **{f"{kind}1": f"{kind}1.xml"}), False)
    art = "".join(
        f'<w:r><w:pict><v:shape><v:textpath string="{escape(s)}"/></v:shape></w:pict></w:r>' for s in words.copied
    )
    yield Planted("as WordArt", "docx", word_file(around[0] + _p(art) + around[1]), False)
    signs = "".join(f'<w:sym w:font="Arial" w:char="F0{ord(c):02X}"/>' for c in copy)
    yield Planted("as symbols", "docx", word_file(around[0] + _p(f"<w:r>{signs}</w:r>") + around[1]), False)
    chart = f'<c:chartSpace xmlns:c="{_OFFICE}/drawingml/2006/chart" {_A}><c:title><a:p><a:r><a:t>{copy}'
    chart += "</a:t></a:r></a:p></c:title></c:chartSpace>"
    data = word_file(around[0] + around[1], {"charts/chart1": chart}, chart1="charts/chart1.xml")
    yield Planted("in a chart", "docx", data, False)
    diagram = (
        f'<d:dataModel xmlns:d="{_OFFICE}/drawingml/2006/diagram" {_A}>'
        + "".join(f"<d:pt><d:t><a:p><a:r><a:t>{s}</a:t></a:r></a:p></d:t></d:pt>" for s in words.copied)
        + "</d:dataModel>"
    )
    data = word_file(around[0] + around[1], {"diagrams/data1": diagram}, diagramData1="diagrams/data1.xml")
    yield Planted("in a diagram", "docx", data, False)
    button = "".join(
        f'<w:r><w:instrText xml:space="preserve"> MACROBUTTON None {s} </w:instrText></w:r>' for s in words.copied
    )
    begin, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "end"))
    yield Planted("in a field", "docx", word_file(around[0] + _p(begin + button + end) + around[1]), False)


def _in_part(data: bytes, name: str, old: str, new: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {n: archive.read(n) for n in archive.namelist()}
    parts[name] = parts[name].replace(old.encode(), new.encode())
    return zipped(parts)


_NAMES = " ".join(
    f'xmlns:{p}="urn:oasis:names:tc:opendocument:xmlns:{u}:1.0"'
    for p, u in (
        *(("office", "office"), ("text", "text"), ("style", "style"), ("fo", "xsl-fo-compatible")),
        *(("table", "table"), ("draw", "drawing"), ("svg", "svg-compatible")),
    )
)
_ODT_SPANS = {
    "near white on near white": 'fo:color="#f2f2f2"',
    "highlight of its own colour": 'fo:color="#ffff00" fo:background-color="#fffe00"',
    "raised and without size": 'style:text-position="300% 1%"',
    "size in percent": 'fo:font-size="2%"',
    "size in centimetres": 'fo:font-size="0.02cm"',
    "letters upon each other": 'fo:letter-spacing="-0.5cm"',
}


def _odt_file(inner: str, styles: str = "", others: str = "") -> bytes:
    content = (
        f"<office:document-content {_NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{inner}</office:text></office:body></office:document-content>"
    )
    parts = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}
    return zipped({**parts, **({"styles.xml": others} if others else {})})


def _opendocument(words: Words) -> Iterator[Planted]:
    start, end = (f"<text:p>{edge}</text:p>" for edge in (words.start, words.end))
    for name, look in _ODT_SPANS.items():
        style = f'<style:style style:name="T" style:family="text"><style:text-properties {look}/></style:style>'
        inner = words.between('<text:span text:style-name="T">%s</text:span>')
        yield Planted(name, "odt", _odt_file(f"{start}<text:p>{inner}</text:p>{end}", style), True)
    letters = '<style:text-properties fo:color="#102030"/>'
    for name, own in (
        ("colour of the shaded paragraph", '<style:paragraph-properties fo:background-color="#102030"/>' + letters),
        ("lines of no height", '<style:paragraph-properties fo:line-height="0.01cm"/>'),
        ("indented off the page", '<style:paragraph-properties fo:margin-left="-60cm" fo:margin-right="60cm"/>'),
    ):
        style = f'<style:style style:name="P" style:family="paragraph">{own}</style:style>'
        inner = "".join(
            f'<text:p>{s}</text:p><text:p text:style-name="P">{words.filler}</text:p>' for s in words.copied
        )
        yield Planted(name, "odt", _odt_file(start + inner + end, style), True)
    style = (
        '<style:style style:name="C" style:family="table-cell">'
        '<style:table-cell-properties fo:background-color="#102030"/>'
        f'</style:style><style:style style:name="P" style:family="paragraph">{letters}</style:style>'
        '<style:style style:name="W" style:family="paragraph"><style:text-properties fo:color="#ffffff"/></style:style>'
    )
    for name, cell, paragraph in (("colour of the cell", "C", "P"), ("white in a plain table", "", "W")):
        box = f'<text:p text:style-name="{paragraph}">{words.filler}</text:p>'
        box = f'<table:table-cell table:style-name="{cell}">{box}</table:table-cell>'
        inner = "".join(
            f"<text:p>{s}</text:p><table:table><table:table-row>{box}</table:table-row></table:table>"
            for s in words.copied
        )
        yield Planted(name, "odt", _odt_file(start + inner + end, style), True)
    paper = '<style:page-layout-properties fo:background-color="#ffff00"/>'
    paper = f'<style:page-layout style:name="L">{paper}</style:page-layout>'
    masters = '<style:master-page style:name="Standard" style:page-layout-name="L">%s</style:master-page>'
    other = f"<office:automatic-styles>{paper}</office:automatic-styles><office:master-styles>{masters}"
    other = f"<office:document-styles {_NAMES}>{other}</office:master-styles></office:document-styles>"
    style = '<style:style style:name="T" style:family="text"><style:text-properties fo:color="#ffff00"/></style:style>'
    inner = words.between('<text:span text:style-name="T">%s</text:span>')
    yield Planted(
        "colour of the page", "odt", _odt_file(f"{start}<text:p>{inner}</text:p>{end}", style, other % ""), True
    )
    for kind in ("header", "footer"):
        part = f"<style:{kind}>{''.join(f'<text:p>{s}</text:p>' for s in words.copied)}</style:{kind}>"
        yield Planted(f"in the {kind}", "odt", _odt_file(start + end, "", other.replace(paper, "") % part), False)


_RTF = {
    "highlight of its own colour": r"\cf2\highlight2",
    "near its background": r"\cf2\chcbpat3",
    "near white on near white": r"\cf4",
    "raised off the page": r"\up2000",
}


def _rich_text(words: Words) -> Iterator[Planted]:
    colours = ("255;255;255", "255;255;0", "250;250;5", "242;242;242")
    table = "".join(r"\red{}\green{}\blue{};".format(*colour.split(";")) for colour in colours)
    head = rf"{{\rtf1\ansi{{\colortbl;{table}}}\pard\plain\fs24 "
    for name, look in _RTF.items():
        inner = words.between(f"{{{look} %s}}")
        yield Planted(name, "rtf", rf"{head}{words.start}\par {inner}\par {words.end}\par}}".encode(), True)
    for name, look in (
        ("colour of the shaded paragraph", r"\pard\plain\cbpat2\cf2 %s\par"),
        ("lines of no height", r"\pard\plain\sl-1\slmult0 %s\par"),
        ("indented off the page", r"\pard\plain\li-20000\ri20000 %s\par"),
        ("colour of the cell", r"\trowd\clcbpat2\cellx5000\pard\plain\intbl\cf2 %s\cell\row"),
        ("white in a plain table", r"\trowd\cellx5000\pard\plain\intbl\cf1 %s\cell\row"),
    ):
        inner = "".join(rf"\pard\plain {s}\par {look % words.filler} " for s in words.copied)
        yield Planted(name, "rtf", rf"{head}{words.start}\par {inner}\pard\plain {words.end}\par}}".encode(), True)
    copy = " ".join(words.copied)
    for kind in ("header", "footer"):
        yield Planted(
            f"in the {kind}", "rtf", rf"{head}{{\{kind} {copy}\par}}{words.start}\par {words.end}\par}}".encode(), False
        )
    signs = "".join(rf'{{\field{{\*\fldinst SYMBOL {ord(c)} \\f "Arial"}}{{\fldrslt}}}}' for c in copy)
    yield Planted("as symbols", "rtf", rf"{head}{words.start}\par {signs}\par {words.end}\par}}".encode(), False)
    art = rf"{{\shp{{\*\shpinst{{\sp{{\sn gtextUNICODE}}{{\sv {copy}}}}}}}}}"
    yield Planted("as WordArt", "rtf", rf"{head}{words.start}\par {art}\par {words.end}\par}}".encode(), False)


def _fill(colour: str) -> str:
    return f"<a:solidFill>{colour}</a:solidFill>"


def _rgb(colour: str, inner: str = "") -> str:
    return f'<a:srgbClr val="{colour}">{inner}</a:srgbClr>'


_SLIDE_RUNS = {
    "near white on near white": _fill(_rgb("F2F2F2")),
    "theme colour": _fill('<a:schemeClr val="bg1"/>'),
    "tint of the theme": _fill('<a:schemeClr val="tx1"><a:lumMod val="2000"/><a:lumOff val="98000"/></a:schemeClr>'),
    "accent that is white": _fill('<a:schemeClr val="accent6"/>'),
    "highlight of its own colour": _fill(_rgb("FFFF00")) + f"<a:highlight>{_rgb('FFFF00')}</a:highlight>",
    "not filled": "<a:noFill/>",
    "clear": _fill(_rgb("000000", '<a:alpha val="0"/>')),
}


def _deck(shapes: str, layout: str = "", **slide: str) -> bytes:
    names = f'{_A} {_R} xmlns:p="{_OFFICE}/presentationml/2006/main"'

    def page(name: str, inner: str, more: str = "") -> str:
        return f"<p:{name} {names}><p:cSld><p:spTree>{inner}</p:spTree></p:cSld>{more}</p:{name}>"

    listed = '<p:sldIdLst><p:sldId id="256" r:id="slide"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>'
    ground = page("sldMaster", "", '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt1" tx2="dk1" accent6="accent6"/>').replace(
        "<p:cSld>", '<p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>'
    )
    return zipped(
        {
            "[Content_Types].xml": "<x/>",
            "ppt/presentation.xml": f"<p:presentation {names}>{listed}</p:presentation>",
            "ppt/_rels/presentation.xml.rels": _related(slide="slides/s1.xml", slideMaster="m1.xml"),
            "ppt/slides/s1.xml": page("sld", shapes),
            "ppt/slides/_rels/s1.xml.rels": _related(slideLayout="../l1.xml", **slide),
            "ppt/l1.xml": page("sldLayout", layout),
            "ppt/_rels/l1.xml.rels": _related(slideMaster="m1.xml"),
            "ppt/m1.xml": ground,
            "ppt/_rels/m1.xml.rels": _related(theme="t1.xml"),
            "ppt/t1.xml": _THEME,
        }
    )


def _frame(y: float, x: float = 1, fill: str = "") -> str:
    left, top = (int(914400 * n) for n in (x, y))
    return f'<p:spPr><a:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="6400000" cy="400000"/></a:xfrm>{fill}</p:spPr>'


def _shape(y: float, *runs: tuple[str, str], x: float = 1, fill: str = "", body: str = "") -> str:
    inner = "".join(f"<a:r><a:rPr>{look}</a:rPr><a:t>{words}</a:t></a:r>" for words, look in runs)
    return f"<p:sp>{_frame(y, x, fill)}<p:txBody><a:bodyPr>{body}</a:bodyPr><a:p>{inner}</a:p></p:txBody></p:sp>"


def _slides(words: Words) -> Iterator[Planted]:
    edges = _shape(0.1, (words.start, "")) + _shape(7, (words.end, ""))
    dark = _fill(_rgb("102030"))
    for name, look in _SLIDE_RUNS.items():
        runs = [run for s in words.copied for run in ((f"{s} ", ""), (f"{words.filler} ", look))]
        yield Planted(name, "pptx", _deck(edges + _shape(2, *runs)), True)
    for name, how in (
        ("colour of the shape", {"fill": dark}),
        ("off the slide", {"x": -30.0}),
        ("shrunk to nothing", {"body": '<a:normAutofit fontScale="1000"/>'}),
    ):
        look = dark if "colour" in name else ""
        inner = "".join(
            _shape(1 + n, (s, "")) + _shape(1.5 + n, (words.filler, look), **how) for n, s in enumerate(words.copied)
        )
        yield Planted(name, "pptx", _deck(edges + inner), True)
    cell = f"<a:p><a:r><a:rPr>{dark}</a:rPr><a:t>{words.filler}</a:t></a:r></a:p>"
    cell = f"<a:tc><a:txBody>{cell}</a:txBody><a:tcPr>{dark}</a:tcPr></a:tc>"
    plain = "".join(
        f"<a:tc><a:txBody><a:p><a:r><a:t>{s}</a:t></a:r></a:p></a:txBody></a:tc>" + cell for s in words.copied
    )
    frame = f"<a:graphic><a:graphicData><a:tbl><a:tr>{plain}</a:tr></a:tbl></a:graphicData></a:graphic>"
    frame = f"<p:graphicFrame>{frame}</p:graphicFrame>"
    yield Planted("colour of the cell", "pptx", _deck(edges + frame), True)
    below = "".join(_shape(1 + n, (s, "")) for n, s in enumerate(words.copied))
    yield Planted("in the layout", "pptx", _deck(edges, layout=below), False)


def _sheets(words: Words) -> Iterator[Planted]:
    for name, font, fill in (
        ("near white on near white", '<color rgb="FFF2F2F2"/>', '<patternFill patternType="none"/>'),
        ("theme colour", '<color theme="0"/>', '<patternFill patternType="none"/>'),
        (
            "colour of the cell",
            '<color rgb="FF102030"/>',
            '<patternFill patternType="solid"><fgColor rgb="FF102030"/></patternFill>',
        ),
    ):
        rows = [cell for s in words.copied for cell in ((s, 0), (words.filler, 1))]
        yield Planted(name, "xlsx", _workbook([(words.start, 0), *rows, (words.end, 0)], font, fill), True)
    head = f"<headerFooter><oddHeader>&amp;C{' '.join(words.copied)}</oddHeader></headerFooter>"
    yield Planted("in the header", "xlsx", _workbook([(words.start, 0)], "", "", head), False)


def _workbook(cells: Sequence[tuple[str, int]], font: str, fill: str, more: str = "") -> bytes:
    main = f'xmlns="{_OFFICE}/spreadsheetml/2006/main" {_R}'
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" s="{style}" t="inlineStr"><is><t>{words}</t></is></c></row>'
        for n, (words, style) in enumerate(cells, 1)
    )
    styles = (
        f"<styleSheet {main}><fonts><font/><font>{font}</font></fonts><fills><fill/><fill/><fill>{fill}</fill></fills>"
        '<cellXfs><xf fontId="0" fillId="0"/><xf fontId="1" fillId="2"/></cellXfs></styleSheet>'
    )
    return zipped(
        {
            "[Content_Types].xml": "<x/>",
            "xl/workbook.xml": f'<workbook {main}><sheets><sheet name="A" r:id="worksheet"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _related(worksheet="s1.xml", styles="styles.xml", theme="t1.xml"),
            "xl/s1.xml": f"<worksheet {main}><sheetData>{rows}</sheetData>{more}</worksheet>",
            "xl/styles.xml": styles,
            "xl/t1.xml": _THEME,
        }
    )


_TEX_HIDING = {
    "near white": r"\textcolor[rgb]{0.97,0.97,0.97}{%s}",
    "mixed to white": r"\textcolor{white!98!black}{%s}",
    "by its HTML name": r"\textcolor[HTML]{FDFDFD}{%s}",
    "in a box of its colour": r"\colorbox{blue}{\textcolor{blue}{%s}}",
    "box never used": r"\sbox{\mybox}{%s}",
    "saved box never used": r"\savebox{\mybox}{%s}",
    "hbox never used": r"\setbox0=\hbox{%s}",
    "lrbox never used": r"\begin{lrbox}{\mybox}%s\end{lrbox}",
    "raised off the page": r"\raisebox{-900cm}[0pt][0pt]{%s}",
    "pushed off the page": r"\hspace*{90cm}%s\hspace*{-90cm}",
    "phantom": r"\phantom{%s}",
    "only on no slide": r"\only<0>{%s}",
    "invisible": r"\invisible{%s}",
    "drawn without ink": r"\pdfliteral direct {3 Tr}%s\pdfliteral direct {0 Tr}",
    "clipped": r"\clipbox{0pt 0pt 0pt 50cm}{%s}",
    "false condition": r"\ifnum1=2 %s\fi",
}
_TEX_SHOWN: Mapping[str, Callable[[Sequence[str]], str]] = {
    "in nodes of a drawing": lambda c: (
        r"\begin{tikzpicture}" + "".join(rf"\node at (0,1) {{{s}}};" for s in c) + r"\end{tikzpicture}"
    ),
    "in a picture": lambda c: (
        r"\begin{picture}(9,9)" + "".join(rf"\put(0,1){{{s}}}" for s in c) + r"\end{picture}"
    ),
    "by codes": lambda c: "".join(rf"\char{ord(x)} " if x != " " else r"\ " for x in " ".join(c)),
    "by symbols": lambda c: "".join(rf"\symbol{{{ord(x)}}}" if x != " " else " " for x in " ".join(c)),
    "by carets": lambda c: "".join(f"^^{ord(x):02x}" if x != " " else " " for x in " ".join(c)),
    "in a used box": lambda c: r"\sbox{\mybox}{\parbox{9cm}{" + " ".join(c) + r"}}\usebox{\mybox}",
    "by active letters": lambda c: r"\DeclareUnicodeCharacter{025B}{e}" + " ".join(c).replace("e", "ɛ"),
}  # fmt: skip


def _latex(words: Words) -> Iterator[Planted]:
    head = "\\documentclass{article}\n\\usepackage{xcolor,tikz}\n\\begin{document}\n"
    hidden = [(name, words.between(mark), True) for name, mark in _TEX_HIDING.items()]
    shown = [(name, make(words.copied), False) for name, make in _TEX_SHOWN.items()]
    for name, middle, hides in hidden + shown:
        body = f"{words.start}\n\n{middle}\n\n{words.end}"
        yield Planted(name, "tex", f"{head}{body}\n\\end{{document}}\n".encode(), hides)


_HTML_HIDING = {
    "closed dialog": ("<dialog>%s</dialog>", ""),
    "template": ("<template>%s</template>", ""),
    "no frames": ("<noframes>%s</noframes>", ""),
    "no script": ("<noscript>%s</noscript>", ""),
    "no object": ("<object data='data:text/plain,x'>%s</object>", ""),
    "in a video": ("<video>%s</video>", ""),
    "content not visible": ('<span style="content-visibility:hidden;display:block">%s</span>', ""),
    "content not visible by a class": ('<span class="x">%s</span>', ".x{content-visibility:hidden;display:block}"),
    "clipped away": ('<span style="clip-path:inset(100%%)">%s</span>', ""),
    "clipped away by a class": ('<span class="x">%s</span>', ".x{clip-path:circle(0)}"),
    "clipped to a polygon": ('<span style="clip-path:polygon(0 0,0 0,0 0)">%s</span>', ""),
    "not displayed by a class": ('<span class="x">%s</span>', ".x{display:none}"),
    "not visible by a class": ('<span class="x">%s</span>', "span.x{visibility:hidden}"),
    "clear by a class": ('<span class="x">%s</span>', ".x{opacity:0}"),
    "off the page by a class": ('<span class="x">%s</span>', ".x{position:absolute;left:-9999px}"),
    "white by a selector of the element": ("<s>%s</s>", "s{color:#fff;text-decoration:none}"),
    "white by a longer selector": ('<b class="x">%s</b>', "p b.x, h2{color:#fff}"),
    "tiny by a selector of the element": ("<s>%s</s>", "p s{font-size:0}"),
    "near white": ('<span style="color:#f4f4f4">%s</span>', ""),
    "near its own background": ('<span style="color:#f00;background:#fe0000">%s</span>', ""),
    "colour of the dark page": ('<span style="color:#123">%s</span>', "body{background:#112233;color:#eee}"),
    "negative order": ('<span style="position:absolute;z-index:-1">%s</span>', "p{background:#fff}"),
    "by a filter": ('<span style="filter:opacity(0)">%s</span>', ""),
    "scaled": ('<span style="display:inline-block;scale:0">%s</span>', ""),
    "indented away": ('<span style="display:block;text-indent:-9999em;overflow:hidden">%s</span>', ""),
    "in a mask": ('<span style="-webkit-mask:linear-gradient(transparent,transparent)">%s</span>', ""),
    "by a variable": ('<span style="color:var(--w)">%s</span>', ":root{--w:#fff}"),
    "turned away": ('<span style="display:inline-block;transform:rotateY(90deg)">%s</span>', ""),
    "high line": ('<span style="display:block;height:0;overflow:hidden">%s</span>', ""),
    "behind": ('<span style="font:0/0 a">%s</span>', ""),
    "as an attribute of colour": ('<font color="#fefefe">%s</font>', ""),
}  # fmt: skip
_HTML_SHOWN: Mapping[str, Callable[[str], str]] = {
    "open dialog": lambda c: f"<dialog open>{c}</dialog>",
    "in MathML": lambda c: f"<math><mtext>{c}</mtext></math>",
    "in SVG spans": lambda c: (
        "<svg><text>" + "".join(f'<tspan x="0" dy="9">{s}</tspan>' for s in c.split(". ")) + "</text></svg>"
    ),
    "in a foreign object": lambda c: f"<svg><foreignObject><div>{c}</div></foreignObject></svg>",
    "in a frame of data": lambda c: f'<iframe src="data:text/html,{escape(c)}"></iframe>',
    "in a frame of coded data": lambda c: f'<iframe src="data:text/html;base64,{_base64(c)}"></iframe>',
    "in an object of data": lambda c: f'<object data="data:text/html,{escape(c)}"></object>',
    "as a placeholder": lambda c: f'<input placeholder="{c}">',
    "as the text of a picture": lambda c: f'<img alt="{c}">',
    "as options": lambda c: "<select size=9>" + "".join(f"<option>{s}</option>" for s in c.split(". ")) + "</select>",
    "as a button": lambda c: f'<button>{c}</button><input type="submit" value="{c}">',
    "in a shadow": lambda c: f'<div><template shadowrootmode="open"><p>{c}</p></template></div>',
    "by a script": lambda c: f'<p id="a"></p><script>document.getElementById("a").textContent="{c}"</script>',
    "by a picture of data": lambda c: f"<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text>{c}</text></svg>\">",
    "in a tag of its own": lambda c: f"<x-words>{c}</x-words>",
    "letter by letter": lambda c: "".join(f"<span>{x}</span>" for x in c),
    "letter by letter in boxes": lambda c: "".join(f'<div style="display:inline">{x}</div>' for x in c),
    "as a caption": lambda c: f"<table><caption>{c}</caption></table>",
}  # fmt: skip


def _base64(words: str) -> str:
    from base64 import b64encode

    return b64encode(words.encode()).decode()


def _page(inner: str, style: str = "", head: str = "", start: str = "", end: str = "") -> bytes:
    style = f"<style>{style}</style>" if style else ""
    body = f"<h1>Essay</h1><p>{start}</p><p>{inner}</p><p>{end}</p>"
    return f"<html><head><title>Essay</title>{head}{style}</head><body>{body}</body></html>".encode()


def _pages(words: Words) -> Iterator[Planted]:
    for name, (mark, style) in _HTML_HIDING.items():
        yield Planted(name, "html", _page(words.between(mark), style, "", words.start, words.end), True)
    copy = " ".join(words.copied)
    for name, make in _HTML_SHOWN.items():
        yield Planted(name, "html", _page(make(copy), "", "", words.start, words.end), False)


def _books(words: Words) -> Iterator[Planted]:
    opf = (
        '<package><metadata/><manifest><item id="a" href="t/a.xhtml" media-type="application/xhtml+xml"/><item id="s" '
        'href="s.css" media-type="text/css"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "b.opf": opf}
    link = '<link rel="stylesheet" href="../s.css"/>'
    for name, sheet in (
        ("white by a linked sheet", ".x{color:#fff}"),
        ("tiny by a linked sheet", ".x{font-size:0}"),
        ("not displayed by a linked sheet", ".x{display:none}"),
        ("clear by a linked sheet", ".x{opacity:0}"),
        ("off the page by a linked sheet", ".x{position:absolute;left:-9999px}"),
    ):
        chapter = _page(words.between('<span class="x">%s</span>'), "", link, words.start, words.end)
        yield Planted(name, "epub", zipped({**parts, "t/a.xhtml": chapter, "s.css": sheet}), True)
    for name in ("in SVG spans", "in MathML", "open dialog"):
        chapter = _page(_HTML_SHOWN[name](" ".join(words.copied)), "", "", words.start, words.end)
        yield Planted(name, "epub", zipped({**parts, "t/a.xhtml": chapter}), False)
    chapter = _page('<i class="x"></i>', "", link, words.start, words.end)
    sheet = f'.x::before{{content:"{" ".join(words.copied)}"}}'
    yield Planted("in a linked sheet", "epub", zipped({**parts, "t/a.xhtml": chapter, "s.css": sheet}), False)


_CUES = {
    "clear cue style": ("::cue(.x){opacity:0}", "<c.x>%s</c>"),
    "white on white cue style": ("::cue(.x){color:white;background:white}", "<c.x>%s</c>"),
    "white cue style": ("::cue(.x){color:white}", "<c.x>%s</c>"),
    "cue style of an element": ("::cue(i){color:transparent}", "<i>%s</i>"),
    "cue style of a voice": ('::cue(v[voice="A"]){opacity:0}', "<v A>%s</v>"),
    "cue style of a list": ("::cue(b), ::cue(.x){font-size:0}", "<c.x>%s</c>"),
}


def _subtitles(words: Words) -> Iterator[Planted]:
    for name, (style, mark) in _CUES.items():
        cues = [
            f"00:{2 * n:02}.000 --> 00:{2 * n + 1:02}.900\n{s} {mark % words.filler}\n"
            for n, s in enumerate(words.copied)
        ]
        yield Planted(name, "vtt", f"WEBVTT\n\nSTYLE\n{style}\n\n{chr(10).join(cues)}".encode(), True)
    cues = [
        f"00:{2 * n:02}.000 --> 00:{2 * n + 1:02}.900\n{s}\n\nNOTE {words.filler}\n" for n, s in enumerate(words.copied)
    ]
    yield Planted("note", "vtt", f"WEBVTT\n\n{chr(10).join(cues)}".encode(), True)


def _notebooks(words: Words) -> Iterator[Planted]:
    copy = " ".join(words.copied)

    def notebook(*outputs: object) -> bytes:
        text = {"cell_type": "markdown", "metadata": {}, "source": [f"{words.start}\n\n{words.end}"]}
        code = {"cell_type": "code", "metadata": {}, "source": ["show()"], "outputs": outputs, "execution_count": 1}
        return json.dumps({"cells": [text, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()

    for kind, shown in (("html", f"<p>{copy}</p>"), ("markdown", copy), ("plain", copy)):
        data = {"output_type": "display_data", "metadata": {}, "data": {f"text/{kind}": [shown]}}
        yield Planted(f"in an output as {kind}", "ipynb", notebook(data), False)
    stream = {"output_type": "stream", "name": "stdout", "text": [f"{s}\n" for s in words.copied]}
    yield Planted("printed", "ipynb", notebook(stream), False)


def _lying_pdf(words: Words) -> Iterator[Planted]:
    letters = dict(zip("etaoinshr", "qzxjvkwyg", strict=True))
    for count in (1, 2, 3):
        part = " ".join(words.copied[0].split()[: 3 * count])
        data = drawn_pdf([text([part], y=700)], to_unicode=map_of(letters))
        yield Planted(f"a short map that lies, {len(part)} letters", "pdf", data, False)
