"""Small valid files of every format that is read, and of labels."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

from tests.faults.old_word import CELL, DELETED, HIDDEN, old_word
from workbench.base.types import Document
from workbench.reading.formats import standard

PROSE = (
    "これは正しい文書です。二つ目の文もあります。三つ目の文です。",
    "它是一篇正确的文章。第二句话也在这里。第三句话结束。",
    "It is a truth universally acknowledged, that a single man must be in want of a wife.",
)
TEXT = "\n\n".join(PROSE)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)
PAGE = (
    '<!DOCTYPE html><html lang="ja"><head><meta charset="utf-8"><title>題名</title>'
    '<meta name="date" content="2020-01-02"></head><body><nav><a href="/a">案内</a></nav><article>'
    + "".join(f"<p>{paragraph} <a href='http://example.org/b'>b</a></p>" for paragraph in PROSE)
    + "<table><tr><td>表</td></tr></table><ul><li>項目</li></ul><!-- 注 --><script>x()</script></article></body></html>"
)


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive; a member called ``mimetype`` is stored."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else method)
    return buffer.getvalue()


def tarred(members: Mapping[str, bytes], layout: int = tarfile.GNU_FORMAT) -> bytes:
    """A tar archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=layout) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _pdf() -> bytes:
    lines = PROSE[2].split(", ")
    drawn = "BT /F1 11 Tf 14 TL 72 770 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> >>",
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 5 >>\nstream\n0 0 m\nendstream",
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{o:010} 00000 n \n" for o in offsets)
    return out + f"{table}trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n".encode()


def _docx() -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{paragraph}</w:t></w:r></w:p>" for paragraph in PROSE)
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>".encode(),
            "word/styles.xml": f'<w:styles {_W}><w:style w:styleId="1"/></w:styles>'.encode(),
            "word/footnotes.xml": f"<w:footnotes {_W}><w:p><w:r><w:t>注</w:t></w:r></w:p></w:footnotes>".encode(),
        }
    )


_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SLIDE = f'xmlns:p="p" xmlns:a="a" xmlns:r="{_OFFICE}"'


def _relations(**targets: str) -> bytes:
    """Relations by id; a target is its kind and the part, with a colon between."""
    entries = ((identity, *target.split(":")) for identity, target in targets.items())
    rows = (f'<Relationship Id="{i}" Type="{_OFFICE}/{kind}" Target="{part}"/>' for i, kind, part in entries)
    return f"<Relationships>{''.join(rows)}</Relationships>".encode()


def presentation(
    slides: Sequence[str],
    *,
    notes: Mapping[int, str] | None = None,
    hidden: Sequence[int] = (),
    order: Sequence[int] = (),
    raw: Mapping[int, str] | None = None,
) -> bytes:
    """A PowerPoint file of slides from the shapes on them, numbered from 1; ``raw`` replaces whole parts."""
    listed = "".join(f'<p:sldId id="256" r:id="s{n}"/>' for n in order or range(1, len(slides) + 1))
    parts = {
        "[Content_Types].xml": b"<Types/>",
        "_rels/.rels": _relations(a="officeDocument:ppt/presentation.xml"),
        "ppt/presentation.xml": f"<p:presentation {_SLIDE}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>".encode(),
        "ppt/_rels/presentation.xml.rels": _relations(
            **{f"s{n}": f"slide:slides/s{n}.xml" for n in range(1, len(slides) + 1)}
        ),
    }
    for n, shapes in enumerate(slides, 1):
        show = int(n not in hidden)
        tree = f'<p:sld {_SLIDE} show="{show}"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>'
        parts[f"ppt/slides/s{n}.xml"] = (raw or {}).get(n, tree).encode()
    for n, shapes in (notes or {}).items():
        parts[f"ppt/slides/_rels/s{n}.xml.rels"] = _relations(n=f"notesSlide:../notes/n{n}.xml")
        parts[f"ppt/notes/n{n}.xml"] = f"<p:notes {_SLIDE}><p:spTree>{shapes}</p:spTree></p:notes>".encode()
    return zipped(parts)


def workbook(
    sheets: Mapping[str, str],
    strings: str = "",
    *,
    styles: Sequence[str] = ("0",),
    own: str = "General",
    hidden: Sequence[str] = (),
) -> bytes:
    """An Excel file of sheets by name from their rows; ``own`` is the number format 200, ``styles`` the formats."""
    states = {name: "hidden" if name in hidden else "visible" for name in sheets}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" state="{states[name]}" r:id="s{n}"/>' for n, name in enumerate(sheets)
    )
    formats = "".join(f'<xf numFmtId="{number}"/>' for number in styles)
    code = '<numFmt numFmtId="200" formatCode="{}"/>'.format(own.replace('"', "&quot;"))
    parts = {
        "[Content_Types].xml": b"<Types/>",
        "_rels/.rels": _relations(a="officeDocument:/xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'.encode(),
        "xl/_rels/workbook.xml.rels": _relations(
            t="sharedStrings:strings.xml",
            f="styles:styles.xml",
            **{f"s{n}": f"worksheet:s{n}.xml" for n in range(len(sheets))},
        ),
        "xl/strings.xml": f"<sst>{strings}</sst>".encode(),
        "xl/styles.xml": f"<styleSheet><numFmts>{code}</numFmts><cellXfs>{formats}</cellXfs></styleSheet>".encode(),
    }
    for n, rows in enumerate(sheets.values()):
        parts[f"xl/s{n}.xml"] = f"<worksheet><sheetData>{rows}</sheetData></worksheet>".encode()
    return zipped(parts)


def _pptx() -> bytes:
    slides = (f"<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>" for text in PROSE)
    return presentation(list(slides), notes={1: "<p:sp><p:txBody><a:p><a:r><a:t>n</a:t></a:r></a:p></p:txBody></p:sp>"})


def _markdown() -> bytes:
    table = "| a | b |\n|---|---|\n| [c](http://h/) | `d` |\n"
    parts = (
        "---\ntitle: t\n---",
        f"# {PROSE[0]}",
        f"> {PROSE[1]}[^1]",
        f"- *{PROSE[2]}*",
        table,
        "```\nx\n```",
        "[^1]: n",
    )
    return "\n\n".join((*parts, "<p>b")).encode()


def _notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": [f"# {PROSE[0]}\n", PROSE[1]]},
        {"cell_type": "code", "source": PROSE[2]},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()


def _standard() -> bytes:
    page = Document("NAME", TEXT, title="NAME", url="http://NAME.example/", links=("http://other.example/",))
    return standard.written(page, [("q", "http://q.example/")])


def _subtitles() -> bytes:
    cues = (f"{n}\n00:00:0{n},000 --> 00:00:0{n + 1},500\n<i>{text}</i>\n" for n, text in enumerate(PROSE, 1))
    return "\n".join(cues).encode()


def _latex() -> bytes:
    opening = r"\documentclass{article}\newcommand{\own}[1]{own #1}\title{t}\begin{document}\maketitle "
    table = r"\begin{tabular}{l} a & $x^2$ \\ b\end{tabular}\begin{verbatim}x\end{verbatim}\input{gone}\verb|a|"
    text = rf"\section{{{PROSE[0]}}} {PROSE[1]}\footnote{{\own{{note}} \'e}} "
    text += rf"\begin{{itemize}}\item {PROSE[2]}\end{{itemize}}"
    return f"{opening}\n{text} % comment\n{table}\n\\end{{document}}".encode()


def _rtf() -> bytes:
    fonts = r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset128 B;}}{\stylesheet{\s1 heading 1;}}{\info{\title t}}"
    texts = ["".join(f"\\u{ord(c)}?" if ord(c) > 126 else c for c in text) for text in PROSE]
    body = rf"\pard\s1 {texts[0]}\par\pard\f1\'93\'fa{{\footnote \pard {texts[1]}}}{{\deleted x}}{{\*\unknown y}}\par"
    field = r'{\field{\*\fldinst{HYPERLINK "http://h/" }}{\fldrslt z}}{\shp{\*\shpinst{\shptxt box\par}}}'
    return rf"{{\rtf1\ansi\ansicpg1252\deff0{fonts}{body}{field}\pard\intbl {texts[2]}\cell\row}}".encode()


def _xlsx() -> bytes:
    rows = "".join(f'<row><c r="A{n}" t="s"><v>{n}</v></c><c r="B{n}"><v>{n}</v></c></row>' for n in range(3))
    return workbook({"S": rows}, "".join(f"<si><t>{text}</t></si>" for text in PROSE))


def _doc() -> bytes:
    text = "".join(f"{paragraph}\r" for paragraph in PROSE) + '\x13 HYPERLINK "http://h/" \x14link\x15 cell\x07\x07'
    return old_word(
        text,
        notes="注\r",
        boxes="箱\r",
        marks={"二つ目": DELETED, "第二句": HIDDEN},
        paragraphs={"これ": (1, b""), "cell": (0, CELL)},
        compressed="“eight bits” ",
    )


def _odt() -> bytes:
    body = "".join(f"<text:p>{paragraph}<text:s text:c='2'/></text:p>" for paragraph in PROSE)
    content = f"<office:document {_ODF}><office:body><office:text>{body}</office:text></office:body></office:document>"
    mime = b"application/vnd.oasis.opendocument.text"
    return zipped({"mimetype": mime, "content.xml": content.encode(), "meta.xml": b"<meta><title>t</title></meta>"})


def _epub() -> bytes:
    package = (
        "<package><metadata><title>t</title></metadata><manifest>"
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>'
        '</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    return zipped(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": b'<container><rootfile full-path="p.opf"/></container>',
            "p.opf": package.encode(),
            "a.xhtml": PAGE.encode(),
            "b.xhtml": f"<html><body><p>{PROSE[1]}</p></body></html>".encode(),
        }
    )


def _wiki() -> bytes:
    text = (
        "'''猫'''は{{lang|ja|動物}}である。<nowiki>[[</nowiki>[[犬|いぬ]]も。<ref>注</ref>\n== 節 ==\n"
        "* 一つ目\n{| class=x\n|-\n| 表\n|}\n[http://example.org 外]-{zh-hans:简;zh-hant:簡}- &amp;lt; "
        "これは本文である。"
    )
    page = f"<page><title>猫</title><ns>0</ns><revision><text>{text.replace('<', '&lt;')}</text></revision></page>"
    return (
        f"<mediawiki><siteinfo><base>http://w/x</base></siteinfo>{page}{page.replace('猫', '犬')}</mediawiki>".encode()
    )


def _warc() -> bytes:
    records = b""
    for number, paragraph in enumerate(PROSE):
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + f"<p>{paragraph}".encode()
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/{number}\r\n"
        head += f"Content-Length: {len(http)}\r\n\r\n"
        records += head.encode() + http + b"\r\n\r\n"
    return records


def _eml() -> bytes:
    head = "From: a@example.org\r\nDate: Thu, 2 Jan 2020 03:04:05 +0900\r\nSubject: =?utf-8?B?6aGM?=\r\n"
    parts = f"--x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{TEXT}\r\n"
    parts += f"--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{PAGE}\r\n--x--\r\n"
    return f'{head}MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="x"\r\n\r\n{parts}'.encode()


def _mbox() -> bytes:
    message = f"From a@b Thu Jan  2 03:04:05 2020\nFrom: a@b\nDate: Thu, 2 Jan 2020 03:04:05 +0000\n\n{TEXT}\n\n"
    return (message * 2).encode()


def _rows() -> bytes:
    rows = (f'{{"id": "NAME{n}", "text": "{text}", "label": "x"}}\n' for n, text in enumerate(PROSE))
    return "".join(rows).encode()


def _table(delimiter: str) -> bytes:
    rows = (f'NAME{n}{delimiter}"{text}\n二行目"\n' for n, text in enumerate(PROSE))
    return (f"id{delimiter}text\n" + "".join(rows)).encode()


def _parquet() -> bytes:
    import pyarrow
    from pyarrow import parquet

    buffer = io.BytesIO()
    rows = [{"id": f"NAME{number}", "text": text, "label": "splog"} for number, text in enumerate(PROSE)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), buffer, row_group_size=2)
    return buffer.getvalue()


def _picture() -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("L", (40, 20), 255).save(buffer, "png")
    return buffer.getvalue()


_MEMBERS = {"a.txt": TEXT.encode(), "b/c.html": PAGE.encode(), "d.txt.gz": gzip.compress(TEXT.encode())}


def _nested() -> bytes:
    return zipped({"in.zip": zipped(_MEMBERS, zipfile.ZIP_LZMA), "in.tar": tarred(_MEMBERS), "a.txt": TEXT.encode()})


SEEDS: dict[str, Callable[[], bytes]] = {
    ".txt": TEXT.encode,
    ".sjis.txt": lambda: PROSE[0].encode("cp932"),
    ".html": PAGE.encode,
    ".jsonl": _rows,
    ".csv": lambda: _table(","),
    ".tsv": lambda: _table("\t"),
    ".tar": lambda: tarred(_MEMBERS),
    ".pax.tar": lambda: tarred({"長い名前" * 40 + ".txt": TEXT.encode()}, tarfile.PAX_FORMAT),
    ".tar.gz": lambda: gzip.compress(tarred(_MEMBERS)),
    ".zip": lambda: zipped(_MEMBERS),
    ".lzma.zip": lambda: zipped(_MEMBERS, zipfile.ZIP_LZMA),
    ".bz2.zip": lambda: zipped(_MEMBERS, zipfile.ZIP_BZIP2),
    ".nested.zip": _nested,
    ".nested.tar": lambda: tarred({"in.zip": zipped(_MEMBERS, zipfile.ZIP_BZIP2), "in.tar": tarred(_MEMBERS)}),
    ".warc": _warc,
    ".warc.gz": lambda: b"".join(gzip.compress(b"WARC/" + part) for part in _warc().split(b"WARC/")[1:]),
    ".pdf": _pdf,
    ".doc": _doc,
    ".docx": _docx,
    ".pptx": _pptx,
    ".xlsx": _xlsx,
    ".rtf": _rtf,
    ".md": _markdown,
    ".ipynb": _notebook,
    ".tex": _latex,
    ".srt": _subtitles,
    ".vtt": lambda: b"WEBVTT\n\n" + _subtitles().replace(b",", b"."),
    ".py": lambda: f'"""{TEXT}"""\n'.encode(),
    ".odt": _odt,
    ".epub": _epub,
    ".xml": _wiki,
    ".standard.xml": _standard,
    ".xml.bz2": lambda: bz2.compress(_wiki()),
    ".eml": _eml,
    ".mhtml": lambda: _eml().replace(b"alternative", b"related"),
    ".mbox": _mbox,
    ".txt.gz": lambda: gzip.compress(TEXT.encode()),
    ".txt.bz2": lambda: bz2.compress(TEXT.encode()),
    ".txt.xz": lambda: lzma.compress(TEXT.encode()),
    ".png": _picture,
    "": PAGE.encode,
    **({".parquet": _parquet} if find_spec("pyarrow") else {}),
}
"""A file by its suffix; ``NAME`` in it stands for something that no other file has."""

LABELS: dict[str, Callable[[], bytes]] = {
    ".jsonl": lambda: (
        b'{"id": "d1", "label": "splog", "who": "me", "time": "2024-01-31T12:00:00Z", "note": "n"}\n'
        b'{"a": "d1", "b": "d2", "label": "copy"}\n'
        b'{"a": {"id": "d1", "start": 0, "end": 5}, "b": {"id": "d2", "start": 1, "end": 4}, "label": "yes"}\n'
        b'{"id": "d2", "labels": {"x": "splog", "y": "ham"}, "set": "kind"}\n'
    ),
    ".csv": lambda: "id,label,who,time\nd1,splog,me,2024-01-31\nd2,ham,私,\n".encode(),
    ".tsv": lambda: b"a\tb\ta_start\ta_end\tb_start\tb_end\tlabel\nd1\td2\t0\t5\t1\t4\tyes\n",
    ".wide.csv": lambda: "id;label:甲;label:乙\nd1;splog;ham\nd2;ham;ham\n".encode(),
}
