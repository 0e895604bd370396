"""One document with headings, emphasis, lists, a table, a quotation, code and a picture, in several formats."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from workbench.base.types import Document
from workbench.reading import formats
from workbench.reading.formats import ReadOptions, Record, Source

_HEAD, _PART, _EMOJI = "Harbours of the north", "Evening", "It is 😀 quiet, 静かな夕方である。"
_LONG = "The harbour of the old town was quiet, and nobody on the long pier saw the small boat leave. " * 20
_ITEMS = ("The first light", "The second light", "A light within the second", "The third light")
_ROWS = (("Port", "Boats"), ("North", "Twelve, three of them under repair"), ("South", "None"))
_QUOTED = "Nobody saw it, the keeper said."
_CODE = "if light:\n    sail()"


def html() -> bytes:
    """A web page."""
    one, two, inner, three = _ITEMS
    named = zip(_ROWS, ("th", "td", "td"), strict=True)
    rows = "".join("<tr>" + "".join(f"<{name}>{cell}</{name}>" for cell in row) + "</tr>" for row, name in named)
    return (
        f"<!DOCTYPE html><html><head><title>{_HEAD}</title></head><body><h1>{_HEAD}</h1>"
        f"<p>There are <b>many</b> of them, and <i>few <strong>are</strong></i> old; <code>port</code>.</p>"
        f"<p><img src='boat.png'></p><h2>{_PART}</h2><p>{_EMOJI}</p><p>{_LONG}</p>"
        f"<ol><li>{one}</li><li>{two}<ul><li>{inner}</li></ul></li><li>{three}</li></ol>"
        f"<blockquote><p>{_QUOTED}</p></blockquote><pre>{_CODE}</pre><table>{rows}</table><p>The end.</p></body></html>"
    ).encode()


def markdown() -> bytes:
    """A Markdown file."""
    one, two, inner, three = _ITEMS
    rows = "\n".join("| " + " | ".join(row) + " |" for row in (_ROWS[0], ("---", "---"), *_ROWS[1:]))
    return (
        f"# {_HEAD}\n\nThere are **many** of them, and *few **are*** old; `port`.\n\n![](boat.png)\n\n## {_PART}\n\n"
        f"{_EMOJI}\n\n{_LONG}\n\n1. {one}\n2. {two}\n   - {inner}\n3. {three}\n\n> {_QUOTED}\n\n```\n{_CODE}\n```\n\n"
        f"{rows}\n\nThe end.\n"
    ).encode()


def epub() -> bytes:
    """A book of two chapters, the second of which is the page of :func:`html`."""
    container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
    kind = 'media-type="application/xhtml+xml"'
    book = (
        '<package><metadata><dc:title xmlns:dc="d">A book</dc:title></metadata><manifest>'
        f'<item id="a" href="a.xhtml" {kind}/><item id="b" href="text/b.xhtml" {kind}/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    first = "<html><body><p>Before <em>all</em> else.</p></body></html>"
    return _zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "b.opf": book,
            "a.xhtml": first,
            "text/b.xhtml": html(),
        }
    )


def docx() -> bytes:
    """A Word document."""
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

    def run(text: str, look: str = "") -> str:
        return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'

    def paragraph(inner: str, properties: str = "") -> str:
        return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"

    def style(name: str) -> str:
        return f'<w:pStyle w:val="{name}"/>'

    def item(text: str, level: int) -> str:
        numbers = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="3"/></w:numPr>'
        return paragraph(run(text), numbers)

    cells = "".join(
        "<w:tr>" + "".join(f"<w:tc>{paragraph(run(cell))}</w:tc>" for cell in row) + "</w:tr>" for row in _ROWS
    )
    mixed = (
        run("There are ") + run("many", "<w:b/>") + run(" of them, and ") + run("few ", "<w:i/>")
        + run("are", '<w:b w:val="1"/><w:i/>') + run(" old; ") + run("port", '<w:rStyle w:val="C"/>')
        + run(".", '<w:b w:val="0"/>')
    )  # fmt: skip
    one, two, inner, three = _ITEMS
    body = (
        paragraph(run(_HEAD), style("H1"))
        + paragraph(mixed)
        + paragraph("<w:r><w:drawing><a:blip xmlns:a='a'/></w:drawing></w:r>")
        + paragraph(run(_PART), style("H2"))
        + paragraph(run(_EMOJI))
        + paragraph(run(_LONG))
        + item(one, 0)
        + item(two, 0)
        + item(inner, 1)
        + item(three, 0)
        + paragraph(run(_QUOTED), style("Q"))
        + f"<w:tbl>{cells}</w:tbl>"
        + paragraph(run("The end."))
    )

    def named(kind: str, name: str, title: str, more: str = "") -> str:
        return f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{title}"/>{more}</w:style>'

    styles = (
        named("paragraph", "H1", "heading 1")
        + named("paragraph", "H2", "heading 2")
        + named("paragraph", "Q", "Quote")
        + named("character", "C", "HTML Code")
    )
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:numFmt w:val="{kind}"/></w:lvl>' for n, kind in enumerate(("decimal", "bullet"))
    )
    numbering = (
        f'<w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>'
    )
    return _zipped(
        {
            "[Content_Types].xml": "<x/>",
            "word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {names}>{styles}</w:styles>",
            "word/numbering.xml": f"<w:numbering {names}>{numbering}</w:numbering>",
        }
    )


def odt() -> bytes:
    """An OpenDocument text."""
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for short, name in (
            ("office", "office"), ("text", "text"), ("style", "style"), ("table", "table"), ("draw", "drawing"),
            ("fo", "xsl-fo-compatible"),
        )
    )  # fmt: skip

    def look(name: str, properties: str) -> str:
        return f'<style:style style:name="{name}"><style:text-properties {properties}/></style:style>'

    looks = (
        look("B", 'fo:font-weight="bold"')
        + look("I", 'fo:font-style="italic"')
        + look("M", 'style:font-name="Liberation Mono"')
        + '<style:style style:name="Q" style:parent-style-name="Quotations"/>'
        + '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/>'
        + '<text:list-level-style-bullet text:level="2"/></text:list-style>'
    )

    def paragraph(inner: str, style: str = "") -> str:
        return f'<text:p text:style-name="{style}">{inner}</text:p>'

    def span(style: str, inner: str) -> str:
        return f'<text:span text:style-name="{style}">{inner}</text:span>'

    def item(inner: str) -> str:
        return f"<text:list-item>{inner}</text:list-item>"

    one, two, within, three = _ITEMS
    cells = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell>{paragraph(cell)}</table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in _ROWS
    )
    bold, italic, code = span("B", "many"), span("I", "few " + span("B", "are")), span("M", "port")
    nested = f"<text:list>{item(paragraph(within))}</text:list>"
    body = (
        f'<text:h text:outline-level="1">{_HEAD}</text:h>'
        + paragraph(f"There are {bold} of them, and {italic} old; {code}.")
        + paragraph("<draw:frame><draw:image/></draw:frame>")
        + f'<text:h text:outline-level="2">{_PART}</text:h>'
        + paragraph(_EMOJI)
        + paragraph(_LONG)
        + '<text:list text:style-name="L">'
        + item(paragraph(one))
        + item(paragraph(two) + nested)
        + item(paragraph(three))
        + "</text:list>"
        + paragraph(_QUOTED, "Q")
        + f"<table:table>{cells}</table:table>"
        + paragraph("The end.")
    )
    content = (
        f"<office:document-content {names}><office:automatic-styles>{looks}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return _zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


FORMATS = {"page.html": html, "text.md": markdown, "book.epub": epub, "text.docx": docx, "text.odt": odt}
"""What makes the file of each name."""


def written(folder: Path, name: str) -> Document:
    """The document in the file of FORMATS called ``name``, written to ``folder``."""
    path = folder / name
    path.write_bytes(FORMATS[name]())
    [item] = formats.read(Source(path, path.name), options=ReadOptions())
    assert isinstance(item, Record), item
    return item.document


def _zipped(parts: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()
