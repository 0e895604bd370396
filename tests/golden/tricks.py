"""Which tricks that hide a copy are seen through, flagged, said in a remark, or missed: each trick in each format.

    python -m tests.golden.tricks [FORMAT ...]

A trick is *seen* where the copy is found although it is disguised, *flagged* where ``Extraction.integrity`` lists it.
Words that are hidden between those of the copy are seen through where the reader of the format leaves them out.
"""

from __future__ import annotations

import io
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

from tests.golden.altered import all_matches
from tests.golden.format_tricks import Planted, Words, planted, zipped
from tests.golden.pdf_tricks import drawn_in_pdf, unseen_in_pdf
from tests.unit.reading.formats.drawn_pdf import box, drawn_pdf, map_of, picture, text, typeset_pdf
from workbench.base.types import Document, Role
from workbench.reading import formats
from workbench.reading.formats import Record, Source

COPY = (
    "The harbour was quiet in the morning, and the fishermen mended their nets beside the wall. Nobody had seen the "
    "ship for a week, but the old man was certain that it would return before the storm. He counted the days on the "
    "door of his hut with a piece of chalk. "
)
START, END = "A few honest words at the start of the essay.", "And a few honest words at its end."
FILLER = "filler words that nobody sees"

DISGUISES: Mapping[str, Callable[[str], str]] = {
    "zero-width characters": lambda t: t.replace("e", "e\u200b"),
    "soft hyphens": lambda t: t.replace("n", "n\u00ad"),
    "word joiners": lambda t: t.replace("o", "o\u2060"),
    "Cyrillic letters": lambda t: t.translate(str.maketrans("aeopcx", "аеорсх")),
    "Greek letters": lambda t: t.translate(str.maketrans("ovu", "ονυ")),
    "Armenian letters": lambda t: t.translate(str.maketrans("onuhg", "օոսհց")),
    "Cherokee letters": lambda t: t.upper().translate(str.maketrans("DRTWSMHEGLCPKVBA", "ᎠᎡᎢᎳᏚᎷᎻᎬᏀᏞᏟᏢᏦᏙᏴᎪ")),
    "letters on their heads": lambda t: t.translate(str.maketrans("aehmrtvwy", "ɐǝɥɯɹʇʌʍʎ")),
    "letters spaced out": " ".join,
    "dots between letters": "·".join,
    "right-to-left override": lambda t: f"\u202e{t[::-1]}\u202c",
    "marks below letters": lambda t: "".join(c + "\u0332" if c.isalpha() else c for c in t),
    "private use": lambda t: "".join(chr(0xE000 + ord(c)) if c.isalpha() else c for c in t),
    "accents": lambda t: t.translate(str.maketrans("aeioun", "àéíöúñ")),
    "digits for letters": lambda t: t.translate(str.maketrans("aeiot", "43107")),
    "small capitals": lambda t: t.translate(str.maketrans("aeimnort", "ᴀᴇɪᴍɴᴏʀᴛ")),
    "full width": lambda t: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in t),
    "mathematical letters": lambda t: "".join(chr(0x1D41A + ord(c) - 97) if "a" <= c <= "z" else c for c in t),
    "written backwards": lambda t: t[::-1],
    "in quotation marks": lambda t: f"“{t.strip()}”",
    "synonyms": lambda t: t.replace("quiet", "calm").replace("beside", "next to").replace("certain", "sure"),
}
"""What is done to the copied text; ``private use`` is what a font of its own has a reader see as letters."""

SCRIPTS: Mapping[str, tuple[str, str]] = {
    "ja": (
        "Palimpsest Sans JP",
        "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは"
        "記憶している。吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という人間中で一番獰悪な種族であったそうだ。",
    ),
    "zh": (
        "Palimpsest Sans SC",
        "项籍者，下相人也，字羽。初起时，年二十四。其季父项梁，梁父即楚将项燕，为秦将王翦所戮者也。项氏世世为楚将，封于项，故姓项氏。"
        "项籍少时，学书不成，去学剑，又不成。项梁怒之。籍曰：书足以记名姓而已。剑一人敌，不足学，学万人敌。",
    ),
    "ru": (
        "Libertinus Serif",
        "Гавань была тиха утром, и рыбаки чинили свои сети у стены. Никто не видел корабля целую неделю, но старик был "
        "уверен, что он вернётся до бури. Он считал дни на двери своей хижины куском мела.",
    ),
    "el": (
        "New Computer Modern",
        "Το λιμάνι ήταν ήσυχο το πρωί και οι ψαράδες επισκεύαζαν τα δίχτυα τους δίπλα στον τοίχο. Κανείς δεν είχε δει "
        "το πλοίο για μια εβδομάδα, αλλά ο γέρος ήταν σίγουρος ότι θα επέστρεφε πριν από την καταιγίδα.",
    ),
}
"""Sentences in other scripts, and a font for them."""

HIDING = (
    *("white", "tiny", "off the page", "behind a picture", "without ink", "not displayed"),
    *("white by a class", "white by a switch"),
    *("cut by a path", "layer switched off", "letters without ink"),
)
"""How filler words between the copied ones are hidden."""


class Outcome(NamedTuple):
    """What became of a trick in a format."""

    name: str
    format: str
    seen: bool
    flags: tuple[str, ...]

    @property
    def is_silent(self) -> bool:
        """Whether it is neither seen through nor flagged."""
        return not (self.seen or self.flags)


def txt(paragraph: str) -> bytes:
    """A plain text."""
    return f"{START}\n\n{paragraph}\n\n{END}".encode()


def html(inner: str, style: str = "") -> bytes:
    """A web page with a paragraph of markup."""
    head = f"<head><title>Essay</title>{f'<style>{style}</style>' if style else ''}</head>"
    return f"<html>{head}<body><h1>Essay</h1><p>{START}</p><p>{inner}</p><p>{END}</p></body></html>".encode()


def epub(inner: str, style: str = "") -> bytes:
    """A book of one chapter."""
    opf = (
        '<package><metadata/><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "b.opf": opf}
    return zipped({**parts, "a.xhtml": html(inner, style)})


def word(*runs: tuple[str, str]) -> bytes:
    """A Word file with a paragraph of runs, each with its properties."""
    inner = "".join(
        f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(words)}</w:t></w:r>'
        for words, properties in runs
    )
    around = [f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>" for words in (START, END)]
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f"<w:body>{around[0]}<w:p>{inner}</w:p>{around[1]}</w:body>"
    main = f'<w:document xmlns:w="{namespace}">{body}</w:document>'
    return zipped({"[Content_Types].xml": "<x/>", "word/document.xml": main})


def odt(*spans: tuple[str, str]) -> bytes:
    """An OpenDocument text with a paragraph of spans, each with the properties of its style."""
    styles = "".join(
        f'<style:style style:name="T{n}" style:family="text"><style:text-properties {properties}/></style:style>'
        for n, (_, properties) in enumerate(spans)
    )
    inner = "".join(f'<text:span text:style-name="T{n}">{escape(w)}</text:span>' for n, (w, _) in enumerate(spans))
    names = " ".join(
        f'xmlns:{p}="urn:oasis:names:tc:opendocument:xmlns:{u}:1.0"'
        for p, u in (("office", "office"), ("text", "text"), ("style", "style"), ("fo", "xsl-fo-compatible"))
    )
    body = f"<text:p>{START}</text:p><text:p>{inner}</text:p><text:p>{END}</text:p>"
    content = (
        f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    return zipped({"mimetype": kind, "content.xml": content})


def rtf(*runs: tuple[str, str]) -> bytes:
    """An RTF file with a paragraph of runs, each with its properties."""
    inner = "".join(f"{{{properties} {_escaped(words)}}}" for words, properties in runs)
    head = r"{\rtf1\ansi\ansicpg1252{\colortbl;\red255\green255\blue255;}\pard\plain\fs24 "
    return rf"{head}{START}\par {inner}\par {END}\par}}".encode("ascii")


def latex(inner: str) -> bytes:
    """A LaTeX file with a paragraph of source."""
    head = "\\documentclass{article}\n\\usepackage{xcolor}\n\\begin{document}\n"
    return f"{head}{START}\n\n{inner}\n\n{END}\n\\end{{document}}\n".encode()


def slides(*runs: tuple[str, str]) -> bytes:
    """A presentation of one slide with a paragraph of runs, each with its properties."""
    office = "http://schemas.openxmlformats.org"
    kinds = f"{office}/officeDocument/2006/relationships"
    names = f'xmlns:a="{office}/drawingml/2006/main" xmlns:p="{office}/presentationml/2006/main" xmlns:r="{kinds}"'
    inner = "".join(f"<a:r>{properties}<a:t>{escape(words)}</a:t></a:r>" for words, properties in runs)
    shape = f"<p:sp><p:txBody><a:p><a:r><a:t>{START}</a:t></a:r></a:p><a:p>{inner}</a:p></p:txBody></p:sp>"
    slide = f"<p:sld {names}><p:cSld><p:spTree>{shape}</p:spTree></p:cSld></p:sld>"
    listed = f'<p:presentation {names}><p:sldIdLst><p:sldId id="256" r:id="s"/></p:sldIdLst></p:presentation>'
    relation = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="s" Type="{kinds}/slide" Target="slides/slide1.xml"/></Relationships>'
    )
    parts = {"[Content_Types].xml": "<x/>", "ppt/presentation.xml": listed, "ppt/slides/slide1.xml": slide}
    return zipped({**parts, "ppt/_rels/presentation.xml.rels": relation})


def _escaped(words: str) -> str:
    units = words.encode("utf-16-le")
    codes = (int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2))
    return "".join(chr(code) if code < 0x80 else rf"\u{code}?" for code in codes)


def disguised(name: str) -> Iterator[tuple[str, bytes]]:
    """The copy disguised by ``name``, by format."""
    words = DISGUISES[name](COPY)
    yield "txt", txt(words)
    yield "html", html(escape(words))
    yield "epub", epub(escape(words))
    yield "docx", word((words, ""))
    yield "odt", odt((words, ""))
    yield "rtf", rtf((words, ""))
    if name != "right-to-left override":  # Typst has no line of such a text
        yield "pdf", typeset_pdf(f"{START}\n\n{words}\n\n{END}")


_WORD = {
    "white": '<w:color w:val="FFFFFF"/>', "tiny": '<w:sz w:val="2"/>', "not displayed": "<w:vanish/>",
}  # fmt: skip
_ODT = {"white": 'fo:color="#ffffff"', "tiny": 'fo:font-size="1pt"', "not displayed": 'text:display="none"'}
_RTF = {"white": r"\cf1", "tiny": r"\fs2", "not displayed": r"\v"}
_SLIDES = {
    "white": '<a:rPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>', "tiny": '<a:rPr sz="100"/>',
}  # fmt: skip
_LATEX = {"white": r"\textcolor{white}{%s}", "white by a switch": r"{\color{white} %s}"}
_CSS = {
    "white": "color:#fff;background:#fff", "tiny": "font-size:1px", "off the page": "position:absolute;left:-9999px",
    "not displayed": "display:none",
}  # fmt: skip


def hidden(name: str) -> Iterator[tuple[str, bytes]]:
    """The copy with words between its own that are hidden by ``name``, by format."""
    parts = COPY.split(". ")
    if style := _CSS.get(name):
        inner = f'. <span style="{style}">{FILLER}</span> '.join(parts)
        yield "html", html(inner)
        yield "epub", epub(inner)
    if name == "white by a class":
        inner = f'. <span class="x">{FILLER}</span> '.join(parts)
        yield "html", html(inner, ".x { color: white; background: white }")
        yield "epub", epub(inner, ".x { color: white; background: white }")
    styled = (("docx", word, _WORD), ("odt", odt, _ODT), ("rtf", rtf, _RTF), ("pptx", slides, _SLIDES))
    for kind, build, looks in styled:
        if name in looks:
            yield kind, build(*((w, p) for part in parts for w, p in ((part + ". ", ""), (FILLER + " ", looks[name]))))
    if name in _LATEX:
        yield "tex", latex(". ".join(parts[:1]) + "".join(f". {_LATEX[name] % FILLER} {part}" for part in parts[1:]))
    if name in _PDF:
        yield "pdf", drawn_pdf([text([START]) + _lines(parts) + _PDF[name](), text([END])])


def _lines(parts: list[str]) -> str:
    return "".join(text([part + "."], y=700 - 40 * number, size=9) for number, part in enumerate(parts[:-1]))


def _beside(**how: object) -> str:
    return "".join(text([FILLER], y=680 - 40 * number, **how) for number in range(3))  # type: ignore[arg-type]


_PDF: Mapping[str, Callable[[], str]] = {
    "white": lambda: _beside(set="1 1 1 rg"),
    "tiny": lambda: _beside(size=1),
    "off the page": lambda: _beside(x=-900),
    "behind a picture": lambda: _beside() + "".join(picture(60, 675 - 40 * n, 400, 15) for n in range(3)),
    "without ink": lambda: _beside(set="3 Tr"),
    "white by a class": lambda: box(60, 600, 400, 90, "0.2 0.3 0.4") + _beside(set="0.2 0.3 0.4 rg"),
}


def lying() -> Iterator[tuple[str, bytes]]:
    """PDFs whose character maps say that their letters are others: the copy, and sentences in other scripts."""
    letters = dict(zip("etaoinshr", "qzxjvkwyg", strict=True))
    sentences = [f"{part}." for part in COPY.split(". ") if part.strip()]
    yield "pdf", drawn_pdf([text([START, *sentences, END], size=9)], to_unicode=map_of(letters))
    for language, (font, words) in SCRIPTS.items():
        yield f"pdf {language}", typeset_pdf(words, font, others_for(words))


def subtitled() -> Iterator[tuple[str, str, bytes]]:
    """Subtitles with words that players do not show after each sentence: name, format, file."""
    sentences = [f"{part}." for part in COPY.strip(" .").split(". ")]
    marks = {
        "white": '<font color="white">%s</font>',
        "clear": r"{\alpha&HFF&}%s{\r}",
        "tiny": '<font size="0">%s</font>',
    }
    for name, mark in marks.items():
        cues = [f"{sentence} {mark % FILLER}" for sentence in sentences]
        numbered = (f"{n}\n00:00:{2 * n:02},000 --> 00:00:{2 * n + 1:02},900\n{cue}\n" for n, cue in enumerate(cues, 1))
        yield f"subtitles {name}", "srt", "\n".join(numbered).encode()
    cues = [
        f"00:{2 * n:02}.000 --> 00:{2 * n + 1:02}.900\n{s} <c.white>{FILLER}</c>\n" for n, s in enumerate(sentences)
    ]
    yield "subtitles white", "vtt", ("WEBVTT\n\n" + "\n".join(cues)).encode()


def outside() -> Iterator[tuple[str, str, bytes]]:
    """The copy where a web page shows it outside of its text: name, format, file."""
    parts = {
        "in a field": f"<textarea>{COPY}</textarea>",
        "in a drawing": f"<svg><text>{COPY}</text></svg>",
        "in a frame": f'<iframe srcdoc="{COPY}"></iframe>',
        "in a reading": f"<ruby>&nbsp;<rt>{COPY}</rt></ruby>",
    }
    for name, inner in parts.items():
        yield name, "html", html(inner)
    yield "in a style", "html", html('<i class="x"></i>', f'.x::before {{ content: "{COPY}" }}')


def others_for(words: str) -> dict[str, str]:
    """Another letter of ``words`` for each of their letters."""
    letters = sorted({letter for letter in words.lower() if letter.isalpha()})
    return dict(zip(letters, letters[len(letters) // 2 :] + letters[: len(letters) // 2], strict=True))


def pictured() -> Iterator[tuple[str, bytes]]:
    """The copy as a picture in a Word file."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (1200, 600), 255)
    letters = ImageFont.load_default(size=28)
    sentences = COPY.replace(", ", ",\n").replace(". ", ".\n").splitlines()
    ImageDraw.Draw(image).multiline_text((60, 60), "\n".join(sentences), font=letters, fill=0, spacing=20)
    file = io.BytesIO()
    image.save(file, "PNG")
    data = io.BytesIO(word(("See the picture.", "")))
    with zipfile.ZipFile(data, "a") as archive:
        archive.writestr("word/media/image1.png", file.getvalue())
    yield "docx", data.getvalue()


def in_pdfs() -> Iterator[tuple[str, str, bytes]]:
    """The copy in PDFs whose pages show other words than their text has: name, format, file."""
    sentences = [f"{part}." for part in COPY.strip(" .").split(". ")]
    for name, data in (*unseen_in_pdf(sentences, FILLER, (START, END)), *drawn_in_pdf(sentences, (START, END))):
        yield name, "pdf", data


def outcome(name: str, kind: str, data: bytes, hides: bool | None = None) -> Outcome:
    """What becomes of ``data``, a file of the format ``kind``; ``hides``: by filler words nobody sees."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{kind.split()[0]}"
        path.write_bytes(data)
        (item,) = formats.read(Source(path, path.name))
    assert isinstance(item, Record), item
    is_hiding = name in HIDING if hides is None else hides
    flags = tuple(flag.kind for flag in item.document.extraction.integrity)
    return Outcome(name, kind, FILLER not in item.document.text if is_hiding else _is_copy(item.document), flags)


def _is_copy(read: Document) -> bool:
    """Whether more than four fifths of the copied text are found in the document."""
    suspect = Document("a", read.text, Role.SUSPECT, 1, language="en", blocks=read.blocks)
    matches = all_matches([suspect, Document("b", COPY, Role.SOURCE, 2, language="en")], "copies")
    spans = [(m.b_span.start, m.b_span.end) for m in map(matches.row, range(len(matches)))]
    covered = {at for start, end in spans for at in range(start, end)}
    return len(covered) > 0.8 * len(COPY)


def in_formats(*kinds: str) -> Iterator[Planted]:
    """The tricks that one format makes possible, in those of ``kinds`` or all."""
    words = Words([f"{part}." for part in COPY.strip(" .").split(". ")], FILLER, START, END)
    return (one for one in planted(words) if not kinds or one.format in kinds)


def outcomes(*kinds: str) -> Iterator[Outcome]:
    """Each trick in each format, or those of ``kinds``."""
    for names, plant in ((DISGUISES, disguised), (HIDING, hidden)):
        for name in names:
            yield from (outcome(name, kind, data) for kind, data in plant(name) if not kinds or kind in kinds)
    for name, kind, data in (*subtitled(), *outside(), *in_pdfs()):
        if not kinds or kind in kinds:
            yield outcome(name, kind, data)
    yield from (outcome(*one) for one in in_formats(*kinds))
    for name, files in (("a character map that lies", lying()), ("text as a picture", pictured())):
        yield from (outcome(name, kind, data) for kind, data in files if kind.split()[0] in (kinds or kind))


def main() -> None:
    """Print the table."""
    every = list(outcomes(*sys.argv[1:]))
    for one in every:
        print(f"{one.name:28} {one.format:5} {'seen' if one.seen else '':5} {', '.join(one.flags) or '-'}")
    silent = [f"{one.name} ({one.format})" for one in every if one.is_silent]
    flagged = sum(bool(one.flags) for one in every)
    print(
        f"{len(every)} planted, {sum(o.seen for o in every)} seen through, {flagged} flagged, "
        f"{len(silent)} silent: {silent}"
    )


if __name__ == "__main__":
    main()
