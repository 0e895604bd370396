"""PDF files of known text, made when they are needed: by Typst, by LibreOffice, and those of Debian's documentation.

The text is that of the bundled sample. A file's truth is its text in the order in which a person reads it, and the
running heads of each page. Documentation has the same text beside its PDF; what runs on its pages is not known.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from xml.sax.saxutils import escape

from workbench.base.resources import resource

TEMPLATE = Path(__file__).with_suffix(".typ")
_SOURCES = {"en": "emma.txt", "ja": "wagahai.txt", "zh": "xiangyu_benji.txt"}
_OTHER = {"en": "pride_and_prejudice.txt", "ja": "kumo_no_ito.txt", "zh": "guwen.txt"}
"""What footnotes, captions, headings and tables are from: none of it is in the body."""
_TITLES = {
    "en": ("Emma, or the Matchmaker", "Jane Austen"),
    "ja": ("吾輩は猫である", "夏目漱石"),
    "zh": ("項羽本紀", "司馬遷"),
}
_FONTS = {"ja": "Palimpsest Sans JP", "zh": "Palimpsest Sans SC"}
_LATIN = {"latex": "New Computer Modern", "writer": "Libertinus Serif"}


@dataclass(frozen=True)
class Layout:
    """How a document is laid out. ``head`` and ``foot`` name what runs on its pages; lengths are in pt, cm and em."""

    name: str
    kind: str
    maker: str = "typst"
    lang: str = "en"
    look: str = "latex"
    columns: int = 1
    head: str = ""
    foot: str = "number"
    front: bool = False
    notes: bool = False
    figures: bool = False
    tables: bool = False
    lists: bool = False
    floating: bool = False
    tagged: bool = True
    hyphenate: bool = True
    justify: bool = True
    indent: bool = True
    vertical: bool = False
    paper: str = "a4"
    size: float = 10.5
    margin: float = 2.5
    gutter: float = 2
    words: int = 2_600
    seed: int = 1


@dataclass
class Sample:
    """A PDF and its truth: ``flow`` are the paragraphs of its body in order, ``beside`` its footnotes, captions, tables
    and title, ``heads`` the running heads of each page from 1, None where they are not known.
    """

    name: str
    kind: str
    lang: str
    data: bytes
    flow: list[str]
    beside: list[str] = field(default_factory=list)
    heads: dict[int, list[str]] | None = None


def layouts() -> Iterator[Layout]:
    """The layouts that are made here, 60 or more."""
    seed = 0
    for lang in ("en", "ja", "zh"):
        for look in ("latex", "writer"):
            plain = look == "writer"
            common: dict[str, Any] = {
                "lang": lang,
                "look": look,
                "tagged": plain,
                "hyphenate": not plain,
                "justify": not plain,
                "indent": not plain,
            }
            for kind, more in _KINDS.items():
                seed += 1
                yield Layout(f"typst-{lang}-{look}-{kind}", kind, seed=seed, **{**common, **more})
    for lang in ("en", "ja", "zh"):
        for kind, more in _KINDS.items():
            if kind in ("one column", "two columns", "footnotes", "mirrored", "tables", "title page"):
                seed += 1
                yield Layout(
                    f"writer-{lang}-{kind}",
                    kind,
                    maker="writer",
                    lang=lang,
                    seed=seed,
                    **{**more, "tagged": bool(seed % 2), "justify": seed % 3 > 0, "hyphenate": False},
                )
    for lang in ("ja", "zh"):
        for foot in ("", "number"):
            seed += 1
            yield Layout(
                f"writer-{lang}-vertical-{foot or 'bare'}",
                "vertical",
                maker="writer",
                lang=lang,
                vertical=True,
                foot=foot,
                head="title" if foot else "",
                seed=seed,
            )


_KINDS: Mapping[str, Mapping[str, Any]] = {
    "one column": {"head": "title"},
    "two columns": {"columns": 2, "head": "title", "size": 9},
    "mirrored": {"head": "mirrored", "foot": "", "words": 4_000, "paper": "a5", "margin": 2},
    "chapters": {"head": "chapter", "foot": "of", "words": 4_000, "paper": "a5", "margin": 2},
    "footnotes": {"notes": True, "foot": "dashes"},
    "captions": {"figures": True, "floating": True, "head": "three"},
    "tables": {"tables": True, "lists": True, "foot": "of"},
    "title page": {"front": True, "head": "mirrored", "foot": "number"},
    "two columns, notes": {"columns": 2, "notes": True, "figures": True, "front": True, "size": 9},
    "no heads": {"foot": ""},
}


@cache
def _prose(lang: str, name: str) -> tuple[str, ...]:
    text = resource("sample", "sources", name).read_text("utf-8")
    parts = re.split(r"\n\s*\n" if lang == "en" else r"\n+", text)
    parts = [" ".join(part.split()).replace("_", "") for part in parts]
    return tuple(part for part in parts if len(part) > (80 if lang == "en" else 30))


_WORD = {"en": re.compile(r"\S+\s*"), "ja": re.compile(r"[^、。]+[、。」]*"), "zh": re.compile(r"[^，。]+[，。」]*")}


def elements(layout: Layout) -> list[dict[str, Any]]:
    """What the document has, in order: headings, paragraphs with notes, lists, figures and tables."""
    random = Random(layout.seed)
    prose = _prose(layout.lang, _SOURCES[layout.lang])
    at, taken = random.randrange(len(prose) // 3), 0
    parts: list[dict[str, Any]] = []
    size = layout.words * (6 if layout.lang == "en" else 2.4)
    while taken < size:
        part = prose[at % len(prose)]
        at, taken = at + 1, taken + len(part)
        if len(parts) % 7 == 0:
            parts.append({"type": "heading", "text": _short(layout, random)})
        runs: list[dict[str, str]] = [{"text": part}]
        pieces = _WORD[layout.lang].findall(part)
        if layout.notes and len(pieces) > 5 and random.random() < 0.5:
            cut = random.randrange(2, len(pieces) - 1)
            head, tail = "".join(pieces[:cut]), "".join(pieces[cut:])
            space = " " if head.endswith(" ") else ""
            runs = [{"text": head.rstrip()}, {"note": _sentence(layout, random)}, {"text": space + tail}]
        parts.append({"type": "par", "runs": runs})
        if layout.lists and len(parts) % 9 == 0:
            parts.append({"type": "list", "items": [_sentence(layout, random) for _ in range(4)]})
        if layout.figures and len(parts) % 6 == 0:
            parts.append({"type": "figure", "caption": _sentence(layout, random)})
        if layout.tables and len(parts) % 5 == 0:
            rows = [[_short(layout, random), str(random.randrange(10, 999)), _short(layout, random)] for _ in range(5)]
            parts.append({"type": "table", "caption": _sentence(layout, random), "rows": rows})
    return parts


def _sentence(layout: Layout, random: Random) -> str:
    prose = _prose(layout.lang, _OTHER[layout.lang])
    count = 16 if layout.lang == "en" else 3
    pieces = _WORD[layout.lang].findall(" ".join(prose) if layout.lang == "en" else "".join(prose))
    at = random.randrange(len(pieces) - count)
    return "".join(pieces[at : at + count]).strip().rstrip(",、，;") + ("." if layout.lang == "en" else "")


def _short(layout: Layout, random: Random) -> str:
    words = _sentence(layout, random).rstrip(".")
    return " ".join(words.split()[:3]).strip("\"';:.,-") if layout.lang == "en" else words[:6].strip("、。，「」")


def _truth(parts: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    flow, beside = [], []
    for e in parts:
        if e["type"] == "heading":
            flow.append(e["text"])
        elif e["type"] == "par":
            flow.append("".join(run.get("text", "") for run in e["runs"]))
            beside += [run["note"] for run in e["runs"] if "note" in run]
        elif e["type"] == "list":
            flow += e["items"]
        else:
            beside.append(e["caption"])
            beside += [cell for row in e.get("rows", ()) for cell in row]
    return flow, beside


def by_typst(layout: Layout) -> Sample:
    """The document as Typst sets it."""
    parts = elements(layout)
    title, author = _TITLES[layout.lang]
    fonts = [_LATIN[layout.look], *([_FONTS[layout.lang]] if layout.lang in _FONTS else [])]
    spec = {**asdict(layout), "title": title, "author": author, "fonts": fonts, "elements": parts}
    data, heads = typeset(TEMPLATE, spec, tagged=layout.tagged)
    flow, beside = _truth(parts)
    if layout.front:
        beside += [title, author]
    return Sample(layout.name, layout.kind, layout.lang, data, flow, beside, heads)


def typeset(template: Path, spec: Mapping[str, Any], *, tagged: bool) -> tuple[bytes, dict[int, list[str]]]:
    """The PDF that Typst makes of ``spec`` by a template, and the running heads of each page."""
    import typst

    options: dict[str, Any] = {
        "sys_inputs": {"spec": json.dumps(spec)},
        "font_paths": [str(resource("fonts"))],
        "ignore_system_fonts": True,
    }
    data = typst.compile(str(template), format="pdf", pdf_tags=tagged, **options)
    heads: dict[int, list[str]] = defaultdict(list)
    for one in json.loads(typst.query(str(template), "<running>", field="value", **options)):
        heads[one["page"]].append(one["text"])
    return data, dict(heads)


def writer() -> str | None:
    """The LibreOffice that is installed."""
    return shutil.which("soffice")


_FLAT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.text">
<office:styles>{styles}</office:styles><office:automatic-styles>{layout}</office:automatic-styles>
<office:master-styles>{pages}</office:master-styles>
<office:body><office:text>{body}</office:text></office:body></office:document>
"""
_STYLES = """<style:default-style style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.2cm"
 fo:text-align="{align}" style:writing-mode="{mode}"/><style:text-properties fo:font-family="{font}"
 style:font-family-asian="{font}" fo:font-size="{size}pt" style:font-size-asian="{size}pt" fo:language="{lang}"
 fo:country="none" style:language-asian="{lang}"/></style:default-style>
<style:style style:name="Standard" style:family="paragraph"/>
<style:style style:name="Head" style:family="paragraph" style:parent-style-name="Standard"><style:text-properties
 fo:font-weight="bold" fo:font-size="14pt" style:font-size-asian="14pt"/></style:style>
<style:style style:name="Front" style:family="paragraph" style:parent-style-name="Head" style:master-page-name="First"/>
<style:style style:name="Begin" style:family="paragraph" style:parent-style-name="Standard"
 style:master-page-name="Standard"/>"""
_LAYOUT = """<style:page-layout style:name="P" style:page-usage="{usage}"><style:page-layout-properties
 fo:page-width="{width}cm" fo:page-height="{height}cm" fo:margin-top="1.5cm" fo:margin-bottom="1.5cm"
 fo:margin-left="{margin}cm" fo:margin-right="{margin}cm" style:writing-mode="{mode}">
 <style:columns fo:column-count="{columns}" fo:column-gap="0.8cm"/></style:page-layout-properties>
 <style:header-style><style:header-footer-properties fo:min-height="1cm" fo:margin-bottom="0.5cm"/></style:header-style>
 <style:footer-style><style:header-footer-properties fo:min-height="1cm" fo:margin-top="0.5cm"/></style:footer-style>
</style:page-layout>"""
_MASTERS = """<style:master-page style:name="Standard" style:page-layout-name="P">{heads}</style:master-page>
<style:master-page style:name="First" style:page-layout-name="P" style:next-style-name="Standard"/>"""
PAGE = '<text:page-number text:select-page="current"/>'


def _flat(layout: Layout) -> str:
    title, author = _TITLES[layout.lang]
    heads = {
        "title": f"<style:header><text:p>{title}</text:p></style:header>",
        "mirrored": f"<style:header><text:p>{title} {PAGE}</text:p></style:header>"
        f"<style:header-left><text:p>{PAGE} {author}</text:p></style:header-left>",
    }.get(layout.head, "")
    feet = {
        "number": f"<style:footer><text:p>{PAGE}</text:p></style:footer>",
        "dashes": f"<style:footer><text:p>– {PAGE} –</text:p></style:footer>",
        "of": f"<style:footer><text:p>Page {PAGE} of <text:page-count/></text:p></style:footer>",
    }.get(layout.foot, "")
    body = []
    if layout.front:
        body.append(f'<text:p text:style-name="Front">{title}</text:p><text:p>{author}</text:p>')
    style, note = ' text:style-name="Begin"' if layout.front else "", 0
    for e in elements(layout):
        if e["type"] == "heading":
            body.append(f'<text:p text:style-name="Head">{escape(e["text"])}</text:p>' if not style else "")
            body[-1] = body[-1] or f"<text:p{style}>{escape(e['text'])}</text:p>"
        elif e["type"] == "par":
            text = ""
            for run in e["runs"]:
                if "note" in run:
                    note += 1
                    text += office_note(note, f"<text:p>{escape(run['note'])}</text:p>")
                else:
                    text += escape(run["text"])
            body.append(f"<text:p{style}>{text}</text:p>")
        elif e["type"] == "list":
            items = "".join(f"<text:list-item><text:p>{escape(i)}</text:p></text:list-item>" for i in e["items"])
            body.append(f"<text:list>{items}</text:list>")
        else:
            rows = e.get("rows", ())
            body.append(office_table([[f"<text:p>{escape(cell)}</text:p>" for cell in row] for row in rows]))
            body.append(f"<text:p>{escape(e['caption'])}</text:p>")
        style = ""
    width, height = (14.8, 21) if layout.paper == "a5" else (21, 29.7)
    return flat_text(
        "".join(body),
        styles=_STYLES,
        layout=_LAYOUT,
        pages=_MASTERS,
        align="justify" if layout.justify else "start",
        mode="tb-rl" if layout.vertical else "lr-tb",
        font=_FONTS.get(layout.lang, "DejaVu Serif"),
        size=layout.size,
        lang=layout.lang,
        usage="mirrored" if layout.head == "mirrored" else "all",
        width=width,
        height=height,
        margin=layout.margin,
        columns=layout.columns,
        heads=heads + feet,
    )


def flat_text(body: str, *, styles: str, layout: str, pages: str, **values: Any) -> str:
    """A flat OpenDocument text of styles, page layout and master pages with ``values`` in them."""
    parts = {"styles": styles, "layout": layout, "pages": pages}
    return _FLAT.format(body=body, **{name: part.format(**values) for name, part in parts.items()})


def office_note(number: int, text: str) -> str:
    """A footnote of an OpenDocument text."""
    return (
        f'<text:note text:id="n{number}" text:note-class="footnote"><text:note-citation>{number}</text:note-citation>'
        f"<text:note-body>{text}</text:note-body></text:note>"
    )


def office_table(rows: Sequence[Sequence[str]]) -> str:
    """A table of an OpenDocument text, of three columns; cells are paragraphs."""
    cells = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell>{cell}</table:table-cell>' for cell in row)}</table:table-row>"
        for row in rows
    )
    return f'<table:table><table:table-column table:number-columns-repeated="3"/>{cells}</table:table>'


def pages_of(data: bytes) -> int:
    """How many pages a PDF has."""
    import pypdfium2

    with pypdfium2.PdfDocument(data) as pdf:
        return len(pdf)


def converted(files: Mapping[str, tuple[str, bool]]) -> dict[str, bytes]:
    """The PDF of each flat OpenDocument text that LibreOffice makes, with tags where that is asked for. Raises
    RuntimeError where it makes none.
    """
    program = writer()
    assert program is not None
    pdf_of = {}
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "fonts.conf").write_text(
            '<?xml version="1.0"?><fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>'
            f"<dir>{resource('fonts')}</dir><cachedir>{folder / 'cache'}</cachedir></fontconfig>"
        )
        environment = {**os.environ, "HOME": scratch, "FONTCONFIG_FILE": str(folder / "fonts.conf")}
        for name, (flat, _) in files.items():
            (folder / f"{name}.fodt").write_text(flat, "utf-8")
        command = [program, f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to"]
        for tagged in (False, True):
            some = [str(folder / f"{name}.fodt") for name, (_, is_tagged) in files.items() if is_tagged is tagged]
            value = f'{{"type":"boolean","value":"{str(tagged).lower()}"}}'
            export = f'pdf:writer_pdf_Export:{{"UseTaggedPDF":{value}}}'
            if some:
                subprocess.run(
                    [*command, export, "--outdir", scratch, *some], env=environment, check=True, capture_output=True
                )
        for name in files:
            if not (folder / f"{name}.pdf").is_file():
                raise RuntimeError(f"LibreOffice made no {name}.pdf")
            pdf_of[name] = (folder / f"{name}.pdf").read_bytes()
    return pdf_of


def by_writer(wanted: Sequence[Layout]) -> Iterator[Sample]:
    """The documents as LibreOffice sets them. Raises RuntimeError where it makes none."""
    pdf_of = converted({layout.name: (_flat(layout), layout.tagged) for layout in wanted})
    for layout in wanted:
        data = pdf_of[layout.name]
        flow, beside = _truth(elements(layout))
        title, author = _TITLES[layout.lang]
        if layout.front:
            beside += [title, author]
        heads = _writer_heads(layout, pages_of(data))
        yield Sample(layout.name, layout.kind, layout.lang, data, flow, beside, heads)


def _writer_heads(layout: Layout, count: int) -> dict[int, list[str]]:
    title, author = _TITLES[layout.lang]
    heads: dict[int, list[str]] = {}
    for n in range(1 + layout.front, count + 1):
        head = {"title": title, "mirrored": f"{n} {author}" if n % 2 == 0 else f"{title} {n}"}.get(layout.head)
        foot = {"number": str(n), "dashes": f"– {n} –", "of": f"Page {n} of {count}"}.get(layout.foot)
        heads[n] = [text for text in (head, foot) if text]
    return heads


_DOCUMENTATION = (
    ("debmake-doc", "debmake-doc/debmake-doc.en", "en"),
    ("debmake-doc", "debmake-doc/debmake-doc.ja", "ja"),
    ("debmake-doc", "debmake-doc/debmake-doc.zh-cn", "zh"),
    ("maint-guide", "maint-guide/maint-guide.en", "en"),
    ("maint-guide-ja", "maint-guide-ja/maint-guide.ja", "ja"),
    ("developers-reference", "developers-reference/developers-reference", "en"),
    ("developers-reference-ja", "developers-reference/ja/developers-reference", "ja"),
    ("installation-guide-amd64", "installation-guide-amd64/en/install.en", "en"),
    ("installation-guide-amd64", "installation-guide-amd64/ja/install.ja", "ja"),
    ("installation-guide-amd64", "installation-guide-amd64/zh_CN/install.zh_CN", "zh"),
    ("debian-policy", "debian-policy/policy", "en"),
    ("debian-policy", "debian-policy/fhs/fhs-3.0", "en"),
    ("debian-faq", "debian/FAQ/debian-faq.en", "en"),
)
"""Packages of Debian with a PDF and its text side by side, both of one source."""


def documentation(folder: Path) -> Iterator[Sample]:
    """The PDFs of Debian's documentation, whose packages are downloaded to ``folder`` unless they are there; without
    those that cannot be had.
    """
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return
    for package, stem, lang in _DOCUMENTATION:
        root = folder / package
        if not root.is_dir():
            with TemporaryDirectory(dir=folder) as scratch:
                subprocess.run(["apt-get", "download", package], cwd=scratch, capture_output=True, check=False)
                for file in Path(scratch).glob("*.deb"):
                    subprocess.run(["dpkg-deb", "-x", str(file), str(root)], check=True)
        for base in (root / "usr/share/doc" / stem, root / "usr/share" / stem):
            pdf, text = (_unpacked(base, suffix) for suffix in (".pdf", ".txt"))
            if pdf and text:
                yield Sample(
                    f"debian-{lang}-{stem.rsplit('/')[-1]}",
                    "documentation",
                    lang,
                    pdf,
                    [text.decode("utf-8", "replace")],
                )


def _unpacked(base: Path, suffix: str) -> bytes:
    plain, packed = base.with_name(base.name + suffix), base.with_name(base.name + suffix + ".gz")
    if plain.is_file():
        return plain.read_bytes()
    return gzip.decompress(packed.read_bytes()) if packed.is_file() else b""
