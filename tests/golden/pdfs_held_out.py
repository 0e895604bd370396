"""PDF files of known text that differ in kind from those of :mod:`tests.golden.pdfs`, by which the rules were made.

Other texts, other makers (ReportLab, WeasyPrint, fpdf2 where they are installed), other templates of Typst and
LibreOffice: reports, journals, theses, manuscripts with numbers of lines, printed web pages, slides, judgments.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from tests.golden.pdfs import (
    PAGE,
    Sample,
    converted,
    flat_text,
    office_note,
    office_table,
    pages_of,
    typeset,
    writer,
)
from workbench.base.resources import resource

TEMPLATE = Path(__file__).with_suffix(".typ")
_SOURCES = {
    "en": ("mansfield_park.txt", "sense_and_sensibility.txt"),
    "ja": ("kusamakura_sjis.txt", "kumo_no_ito.txt", "kenpo_zenbun.txt"),
    "zh": ("zhufu.html",),
}
_OTHER = {"en": ("pride_and_prejudice.txt",), "ja": ("wagahai.txt",), "zh": ("lunyu.txt", "guwen.txt")}
"""What notes, captions, headings and tables are from: none of it is in the body."""
_TITLES = {
    "en": ("On Estates and Their Heirs", "J. Dashwood"),
    "ja": ("山路の芸術論", "那美 一郎"),
    "zh": ("鲁镇年终记事", "周 树人"),
    "mixed": ("山路と Estates の比較", "那美 J."),
}
_FONTS = {"ja": "Palimpsest Sans JP", "zh": "Palimpsest Sans SC", "mixed": "Palimpsest Sans JP"}
_MISSING = {ord("〓"): None, ord("犍"): "健"}
"""What the bundled fonts lack."""
_CM = 72 / 2.54
_FILES = {"ja": "PalimpsestSansJP.otf", "zh": "PalimpsestSansSC.otf", "mixed": "PalimpsestSansJP.otf"}


@dataclass(frozen=True)
class Sheet:
    """A document of a kind: its language and what it is made from."""

    kind: str
    lang: str
    maker: str
    seed: int

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.maker}-{self.lang}-{self.kind}-{self.seed}"

    @property
    def script(self) -> str:
        """By whose rules runs of words are counted."""
        return "ja" if self.lang == "mixed" else self.lang


_KINDS: Mapping[str, tuple[str, Sequence[str]]] = {
    "report": ("reportlab", ("en", "ja", "zh")),
    "report, two frames": ("reportlab", ("en", "ja", "zh")),
    "printed web page": ("weasyprint", ("en", "ja", "zh", "mixed")),
    "book by style sheet": ("weasyprint", ("en", "ja", "zh", "mixed")),
    "magazine": ("weasyprint", ("en", "ja", "zh")),
    "letter": ("fpdf2", ("en", "ja", "zh")),
    "thesis": ("typst", ("en", "ja", "zh", "mixed")),
    "journal": ("typst", ("en", "ja", "zh", "mixed")),
    "manuscript": ("typst", ("en", "ja")),
    "slides": ("typst", ("en", "ja", "zh")),
    "judgment": ("typst", ("en", "ja", "zh")),
    "side notes": ("typst", ("en", "zh")),
    "office": ("writer", ("en", "ja", "zh", "mixed")),
    "vertical": ("writer", ("ja", "zh")),
}


def sheets() -> Iterator[Sheet]:
    """The documents, two of each kind and language."""
    seed = 100
    for kind, (maker, languages) in _KINDS.items():
        for lang in languages:
            for _ in range(2):
                seed += 1
                yield Sheet(kind, lang, maker, seed)


@dataclass
class _Parts:
    """The parts of a document in order, and its truth."""

    parts: list[dict[str, Any]] = field(default_factory=list)
    flow: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)

    def add(self, type_: str, text: str = "", **more: Any) -> None:
        self.parts.append({"type": type_, "text": text, **more})
        if type_ in ("heading", "par", "quote", "item"):
            self.flow.append(text)
        elif type_ in ("caption", "code"):
            self.beside.append(text)
        elif type_ == "table":
            self.beside += [cell for row in more["rows"] for cell in row]
        if note := more.get("note"):
            self.beside.append(note)


@cache
def _prose(lang: str, *, other: bool = False) -> tuple[str, ...]:
    if lang == "mixed":
        pairs = zip(_prose("ja", other=other), _prose("en", other=other), strict=False)
        return tuple(f"{ja} {' '.join(en.split()[:25])} {ja[:25]}" for ja, en in pairs)
    parts: list[str] = []
    for name in (_OTHER if other else _SOURCES)[lang]:
        data = resource("sample", "sources", name).read_bytes()
        text = data.decode("cp932" if "sjis" in name else "utf-8")
        if name.endswith(".html"):
            text = "\n".join(re.sub("<[^>]+>", "", part) for part in re.findall(r"<p>(.*?)</p>", text, re.DOTALL))
        parts += re.split(r"\n\s*\n" if lang == "en" else r"\n+", text)
    clean = [" ".join(part.translate(_MISSING).split()).replace("_", "").replace("--", " – ") for part in parts]
    return tuple(part for part in clean if len(part) > (80 if lang == "en" else 40))


def _sentences(text: str) -> list[str]:
    return [one.strip() for one in re.findall(r"[^.!?。！？]+[.!?。！？]+[”」’\"]*\s*", text)]


def _short(random: Random, lang: str, count: int = 1) -> str:
    """A sentence, or some, of what is not in the body."""
    some = _sentences(" ".join(_prose(lang, other=True)))
    at = random.randrange(len(some) - count)
    return " ".join(some[at : at + count])[: 160 if lang == "en" else 60].strip()


def _name(random: Random, lang: str) -> str:
    text = _short(random, lang)
    return (
        " ".join(text.split()[:4]).strip("\"';:.,-–“”‘’") if lang == "en" else text[:8].strip("、。，「」“”：？！…— ")
    )


def parts_of(sheet: Sheet) -> _Parts:
    """What a document has."""
    random, content = Random(sheet.seed), _Parts()
    lang, kind = sheet.lang, sheet.kind
    prose = _prose(lang)
    first = sheet.seed % 2 * (len(prose) // 4)
    for number, text in enumerate(prose[first:]):
        if number % 5 == 0:
            content.add("heading", _name(random, lang))
        if kind == "slides":
            for item in _sentences(text):
                content.add("item", item)
            continue
        is_quoted = kind in ("thesis", "book by style sheet") and number % 6 == 3
        noted = kind in ("thesis", "journal", "book by style sheet", "side notes", "vertical") and number % 3 == 1
        content.add("quote" if is_quoted else "par", text, **({"note": _short(random, lang)} if noted else {}))
        if kind in ("report", "thesis", "office", "letter") and number % 7 == 4:
            rows = [[_name(random, lang), _short(random, lang), str(random.randrange(1000))] for _ in range(4)]
            content.add("table", rows=rows)
        if kind in ("report", "magazine", "journal", "office", "printed web page") and number % 8 == 5:
            content.add("caption", _short(random, lang))
        if kind in ("report", "printed web page", "office") and number % 9 == 7:
            for _ in range(3):
                content.add("item", _short(random, lang))
    return content


def _sample(sheet: Sheet, data: bytes, content: _Parts, heads: Mapping[int, list[str]]) -> Sample:
    return Sample(sheet.name, sheet.kind, sheet.script, data, content.flow, content.beside, dict(heads))


def _story(content: _Parts, font: str, *, size: float, lang: str) -> list[Any]:
    platypus = import_module("reportlab.platypus")
    style = import_module("reportlab.lib.styles").ParagraphStyle
    wrap = {"wordWrap": "CJK"} if lang != "en" else {}
    body = style("b", fontName=font, fontSize=size, leading=size * 1.35, alignment=4, spaceAfter=6, **wrap)
    large = style("h", parent=body, fontSize=size + 4, leading=size + 8, spaceBefore=10, alignment=0)
    small = style("s", parent=body, fontSize=size - 2, leading=size, alignment=0)
    story: list[Any] = []
    for part in content.parts:
        text = escape(part["text"], quote=False)
        if part["type"] == "table":
            rows = [[platypus.Paragraph(escape(c, quote=False), small) for c in row] for row in part["rows"]]
            grid = [("GRID", (0, 0), (-1, -1), 0.5, "grey")]
            story.append(platypus.Table(rows, colWidths=[4 * _CM, 9 * _CM, 3 * _CM], style=grid))
            story.append(platypus.Spacer(1, 8))
        elif part["type"] == "caption":
            story += [platypus.Spacer(1, 2.5 * _CM), platypus.Paragraph(text, small)]
        elif part["type"] == "item" and lang == "en":
            story.append(platypus.Paragraph(text, body, bulletText="•"))
        else:
            story.append(platypus.Paragraph(text, large if part["type"] == "heading" else body))
    return story


def by_reportlab(sheet: Sheet) -> Sample:
    """The document as ReportLab sets it: heads are drawn on the finished page; Chinese and Japanese fonts are not in
    the file.
    """
    pdfmetrics, fonts, platypus = map(
        import_module, ("reportlab.pdfbase.pdfmetrics", "reportlab.pdfbase.cidfonts", "reportlab.platypus")
    )
    base: Any = import_module("reportlab.pdfgen.canvas").Canvas
    content, heads = parts_of(sheet), defaultdict[int, list[str]](list)
    title, author = _TITLES[sheet.lang]
    font = {"ja": "HeiseiMin-W3", "zh": "STSong-Light"}.get(sheet.lang, "Times-Roman")
    if sheet.lang != "en":
        pdfmetrics.registerFont(fonts.UnicodeCIDFont(font))
    two = sheet.kind.endswith("frames")

    class Numbered(base):  # type: ignore[misc]
        """Pages are drawn when their number is known."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.states: list[dict[str, Any]] = []

        def showPage(self) -> None:  # noqa: N802
            self.states.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, state in enumerate(self.states, 1):
                self.__dict__.update(state)
                self.setFont(font, 8)
                left, right = f"{author} – {title}", f"Page {number} of {len(self.states)}"
                if number > 1 or two:
                    self.drawString(2 * _CM, 28.4 * _CM, left)
                    self.drawRightString(19 * _CM, 28.4 * _CM, "2026-03-14")
                    heads[number] += [left, "2026-03-14"]
                self.drawRightString(19 * _CM, 1.2 * _CM, right)
                heads[number].append(right)
                super().showPage()
            super().save()

    wide = 8.2 * _CM if two else 17 * _CM
    frames = [platypus.Frame(2 * _CM + n * 8.8 * _CM, 2 * _CM, wide, 25.8 * _CM) for n in range(1 + two)]
    out = BytesIO()
    page = platypus.PageTemplate("p", frames)
    file = platypus.BaseDocTemplate(
        out, pagesize=(21 * _CM, 29.7 * _CM), pageTemplates=[page], title=title, invariant=1
    )
    file.build(_story(content, font, size=9 if two else 11, lang=sheet.lang), canvasmaker=Numbered)
    return _sample(sheet, out.getvalue(), content, heads)


_STYLES = {
    "printed web page": """@page { size: letter; margin: 1.6cm 1.2cm;
  @top-left { content: "14/03/2026, 09:26"; font-size: 8pt } @top-center { content: string(t); font-size: 8pt }
  @bottom-left { content: "https://example.org/a/page.html?id=26"; font-size: 8pt }
  @bottom-right { content: counter(page) "/" counter(pages); font-size: 8pt } }
  body { font-size: 11pt; line-height: 1.5 } p { margin: 0 0 1em } h2 { font-size: 16pt }""",
    "book by style sheet": """@page { size: 12cm 19cm; margin: 2cm 1.6cm 2.2cm }
  @page :left { @top-left { content: counter(page) } @top-right { content: string(t); font-style: italic } }
  @page :right { @top-left { content: string(c); font-style: italic } @top-right { content: counter(page) } }
  @page :first { @top-left { content: none } @top-right { content: none } }
  body { font-size: 9.5pt; line-height: 1.3; text-align: justify; hyphens: auto } p { margin: 0; text-indent: 1.2em }
  h2 { font-size: 13pt; string-set: c content(); break-before: page; margin: 2cm 0 1cm }
  blockquote { margin: 0.8em 2em; font-size: 8.5pt } .n { float: footnote; font-size: 7.5pt; text-indent: 0 }""",
    "magazine": """@page { size: a4; margin: 2cm 1.5cm; @bottom-center { content: string(t) " | " counter(page) } }
  body { font-size: 8.5pt; line-height: 1.35; text-align: justify } .t { font-size: 26pt }
  .all { columns: 3; column-gap: 0.6cm } p { margin: 0; text-indent: 1em } h2 { font-size: 11pt; text-align: left }
  figure { margin: 0.5em 0; break-inside: avoid; font-size: 7.5pt } figure div { height: 2.5cm; background: #ccc }""",
}


def by_weasyprint(sheet: Sheet) -> Sample:
    """The document as a browser prints a page."""
    boxes = import_module("weasyprint.formatting_structure.boxes")
    content = parts_of(sheet)
    title, author = _TITLES[sheet.lang]
    family = f'"{_FONTS[sheet.lang]}"' if sheet.lang in _FONTS else "DejaVu Serif"
    face = ""
    if sheet.lang in _FILES:
        path = resource("fonts", _FILES[sheet.lang])
        face = f'@font-face {{ font-family: {family}; src: url("file://{path}") }}'
    tags = {"heading": "h2", "par": "p", "quote": "blockquote", "item": "li", "caption": "figure"}
    body = ""
    for part in content.parts:
        text, tag = escape(part["text"], quote=False), tags[part["type"]]
        text += f'<span class="n">{escape(part["note"], quote=False)}</span>' if "note" in part else ""
        body += f"<{tag}>{'<div></div>' if tag == 'figure' else ''}{text}</{tag}>"
    content.beside += [title, author]
    page = f"""<html lang="{sheet.script}"><title>{title}</title><style>{face} * {{ font-family: {family} }}
        .t {{ string-set: t content() }} h1 {{ font-weight: normal }} {_STYLES[sheet.kind]}</style>
        <h1 class="t">{title}</h1><p>{author}</p><div class="all">{body}</div>"""
    printed = import_module("weasyprint").HTML(string=page).render()
    heads = {}
    for number, own in enumerate(printed.pages, 1):
        margins = [box for box in own._page_box.descendants() if isinstance(box, boxes.MarginBox)]
        texts = ["".join(t.text for t in box.descendants() if isinstance(t, boxes.TextBox)) for box in margins]
        heads[number] = [text for text in texts if text]
    return _sample(sheet, printed.write_pdf(), content, heads)


def _fitting(text: str, lang: str) -> str:
    """What of a text the standard fonts have."""
    plain = text.replace("–", "-")
    return plain if lang != "en" else plain.encode("latin-1", "ignore").decode("latin-1")


def by_fpdf2(sheet: Sheet) -> Sample:
    """The document as fpdf2 sets it."""
    base: Any = import_module("fpdf").FPDF

    content, heads = _Parts(), defaultdict[int, list[str]](list)
    for part in parts_of(sheet).parts:
        rows = [
            [_fitting(cell, sheet.lang)[: 75 if sheet.lang == "en" else 30] for cell in row]
            for row in part.get("rows", ())
        ]
        content.add(part["type"], _fitting(part["text"], sheet.lang), **({"rows": rows} if rows else {}))
    title, author = _TITLES[sheet.lang]
    font = "f" if sheet.lang in _FILES else "Helvetica"

    class Letter(base):  # type: ignore[misc]
        def header(self) -> None:
            self.set_font(font, size=9)
            for line in (f"{author} & Co.", "12 Park Lane, Norland"):
                self.cell(0, 5, line, align="R", new_x="LMARGIN", new_y="NEXT")
                heads[self.page_no()].append(line)
            self.ln(8)

        def footer(self) -> None:
            self.set_y(-15)
            self.set_font(font, size=8)
            self.cell(0, 10, f"{title} - {self.page_no()}", align="C")
            heads[self.page_no()].append(f"{title} - {self.page_no()}")

    pdf = Letter()
    pdf.creation_date = datetime(2026, 3, 14, tzinfo=UTC)
    if sheet.lang in _FILES:
        pdf.add_font("f", fname=str(resource("fonts", _FILES[sheet.lang])))
    pdf.set_auto_page_break(auto=True, margin=20)
    pdf.add_page()
    for part in content.parts:
        pdf.set_font(font, size=14 if part["type"] == "heading" else 11)
        if part["type"] == "table":
            for row in part["rows"]:
                pdf.set_font(font, size=8)
                for width, cell in zip((40, 110, 20), row, strict=True):
                    pdf.cell(width, 6, cell, border=1)
                pdf.ln()
            pdf.ln(4)
            continue
        pdf.multi_cell(0, 6, part["text"], align="J", new_x="LMARGIN", new_y="NEXT")
        pdf.ln(3)
    return _sample(sheet, bytes(pdf.output()), content, heads)


def by_typst(sheet: Sheet) -> Sample:
    """The document as Typst sets it."""
    content = parts_of(sheet)
    title, author = _TITLES[sheet.lang]
    fonts = ["Libertinus Serif" if sheet.seed % 2 else "New Computer Modern"]
    fonts += [_FONTS[sheet.lang]] if sheet.lang in _FONTS else []
    spec = {"kind": sheet.kind, "lang": sheet.script, "fonts": fonts, "title": title, "author": author}
    data, heads = typeset(TEMPLATE, {**spec, "elements": content.parts}, tagged=bool(sheet.seed % 2))
    if sheet.kind in ("thesis", "journal", "slides"):
        content.beside += [title, author]
    if sheet.kind == "thesis":
        content.beside += [part["text"] for part in content.parts if part["type"] == "heading"]
    return _sample(sheet, data, content, heads)


_OFFICE_STYLES = """<style:default-style style:family="paragraph"><style:paragraph-properties fo:text-indent="{indent}"
 fo:text-align="justify" fo:line-height="{leading}" style:writing-mode="{mode}"/><style:text-properties
 fo:font-family="{font}" style:font-family-asian="{font}" fo:font-size="{size}pt" style:font-size-asian="{size}pt"
 fo:language="{lang}" fo:country="{country}" fo:hyphenate="true" style:language-asian="{lang}"/></style:default-style>
<style:style style:name="Standard" style:family="paragraph"/>
<style:style style:name="Flat" style:family="paragraph"><style:paragraph-properties fo:text-indent="0cm"
 fo:text-align="start"/></style:style>
<style:style style:name="Head" style:family="paragraph" style:parent-style-name="Flat"><style:paragraph-properties
 fo:margin-top="0.5cm" fo:margin-bottom="0.3cm" fo:keep-with-next="always"/><style:text-properties fo:font-weight="bold"
 fo:font-size="{large}pt" style:font-size-asian="{large}pt"/></style:style>"""
_LAYOUT = """<style:page-layout style:name="P"><style:page-layout-properties
 fo:page-width="{width}cm" fo:page-height="{height}cm" fo:margin-top="1.2cm" fo:margin-bottom="1.2cm"
 fo:margin-left="2cm" fo:margin-right="2cm" style:writing-mode="{mode}"/>
 <style:header-style><style:header-footer-properties fo:min-height="1cm" fo:margin-bottom="0.6cm"/></style:header-style>
 <style:footer-style><style:header-footer-properties fo:min-height="1cm" fo:margin-top="0.6cm"/></style:footer-style>
</style:page-layout>"""
_MASTERS = """<style:master-page style:name="Standard" style:page-layout-name="P"><style:header>{head}
</style:header><style:footer>{foot}</style:footer></style:master-page>"""


def _office(sheet: Sheet, content: _Parts) -> str:
    title, author = _TITLES[sheet.lang]
    flat = '<text:p text:style-name="Flat">'
    vertical = sheet.kind == "vertical"
    head = f"{flat}{author}</text:p>{flat}{title}</text:p>" if not vertical else f"{flat}{title}　{PAGE}</text:p>"
    foot = (
        ""
        if vertical
        else f"{flat}Printed by the office of {author}</text:p>{flat}{PAGE} (<text:page-count/>)</text:p>"
    )
    body, notes = "", 0
    for part in content.parts:
        text = escape(part["text"], quote=False)
        if part["type"] == "table":
            body += office_table([[f"{flat}{escape(c, quote=False)}</text:p>" for c in row] for row in part["rows"]])
            continue
        if "note" in part:
            notes += 1
            text += office_note(notes, f"{flat}{escape(part['note'], quote=False)}</text:p>")
        if part["type"] == "item":
            body += f"<text:list><text:list-item>{flat}{text}</text:p></text:list-item></text:list>"
        else:
            style = {"heading": "Head", "caption": "Flat"}.get(part["type"], "Standard")
            body += f'<text:p text:style-name="{style}">{text}</text:p>'
    width, height = (14.8, 21) if vertical else (21.59, 27.94)
    return flat_text(
        body,
        styles=_OFFICE_STYLES,
        layout=_LAYOUT,
        pages=_MASTERS,
        indent="0cm" if sheet.seed % 2 else "0.8cm",
        leading="150%" if sheet.seed % 4 < 2 else "100%",
        mode="tb-rl" if vertical else "lr-tb",
        font=_FONTS.get(sheet.lang, "DejaVu Sans"),
        size=10,
        large=13,
        lang=sheet.script,
        country="US" if sheet.lang == "en" else "none",
        width=width,
        height=height,
        head=head,
        foot=foot,
    )


def by_writer(wanted: Sequence[Sheet]) -> Iterator[Sample]:
    """The documents as LibreOffice sets them."""
    content = {sheet.name: parts_of(sheet) for sheet in wanted}
    files = converted({sheet.name: (_office(sheet, content[sheet.name]), bool(sheet.seed % 2)) for sheet in wanted})
    for sheet in wanted:
        title, author = _TITLES[sheet.lang]
        count = pages_of(files[sheet.name])
        if sheet.kind == "vertical":
            heads = {n: [f"{title}　{n}"] for n in range(1, count + 1)}
        else:
            foot = f"Printed by the office of {author}"
            heads = {n: [author, title, foot, f"{n} ({count})"] for n in range(1, count + 1)}
        yield _sample(sheet, files[sheet.name], content[sheet.name], heads)


MAKERS: Mapping[str, tuple[str, Callable[[Sheet], Sample]]] = {
    "typst": ("typst", by_typst),
    "reportlab": ("reportlab", by_reportlab),
    "weasyprint": ("weasyprint", by_weasyprint),
    "fpdf2": ("fpdf", by_fpdf2),
}
"""The package that each maker needs, and what it makes."""


def made_here(wanted: Sequence[Sheet]) -> Iterator[Sample]:
    """The files of some documents, without those of makers that are not installed."""
    for sheet in wanted:
        if sheet.maker in MAKERS and find_spec(MAKERS[sheet.maker][0]):
            yield MAKERS[sheet.maker][1](sheet)
    if writer():
        yield from by_writer([sheet for sheet in wanted if sheet.maker == "writer"])
