"""PDFs whose pages show other words than their text: words that nobody sees, or a copy that is drawn, not written."""

from __future__ import annotations

import io
import random
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from tests.unit.reading.formats.drawn_pdf import drawn_pdf, stream, text


def unseen_in_pdf(copied: Sequence[str], filler: str, around: tuple[str, str]) -> Iterator[tuple[str, bytes]]:
    """PDFs of the sentences ``copied`` between the words ``around``, with ``filler`` three times that nobody sees."""
    start, end = around
    seen = text([start]) + "".join(text([part], y=700 - 40 * n, size=9) for n, part in enumerate(copied))
    seen += text([end], y=100)
    places = [680 - 40 * n for n in range(3)]
    cut = "".join(f"q 0 0 10 10 re W n {text([filler], y=y)} Q\n" for y in places)
    yield "cut by a path", drawn_pdf([seen + cut])
    layered = "".join(f"/OC /Layer BDC {text([filler], y=y)} EMC\n" for y in places)
    off = "/OCProperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >>"
    yield "layer switched off", drawn_pdf([seen + layered], catalog=off, more=["<< /Type /OCG /Name (A) >>"])
    blank = "".join(text([filler], y=y).replace("/F1", "/F2") for y in places)
    yield "letters without ink", drawn_pdf([seen + blank], fonts="/F2 5 0 R", more=[_blank_font(), _blank_font_file()])


def drawn_in_pdf(copied: Sequence[str], around: tuple[str, str]) -> Iterator[tuple[str, bytes]]:
    """PDFs that show the sentences ``copied``, which are no text of them, between the words ``around``."""
    lines = [part for sentence in copied for part in _wrapped(sentence)]
    seen = text([around[0]]) + text([around[1]], y=100)
    yield "outlined letters", drawn_pdf([seen + _outlines(lines)])
    yield "picture of the copy", drawn_pdf([seen + _picture(lines)])
    words = " ".join(copied)
    note = f"/Type /Annot /Rect [60 500 500 700] /DA (/Helv 10 Tf 0 g) /F 4 /Contents ({words})"
    yield "in a note", drawn_pdf([seen], page=f"/Annots [<< {note} /Subtype /FreeText >>]")
    field = f"/Type /Annot /Subtype /Widget /FT /Tx /T (a) /Rect [60 500 500 700] /DA (/Helv 10 Tf 0 g) /V ({words})"
    yield "in a field", drawn_pdf([seen], page=f"/Annots [<< {field} >>]")
    yield "words in no order", drawn_pdf([text([around[0]]) + _shuffled(lines) + text([around[1]], y=100)])


def _wrapped(sentence: str) -> Iterator[str]:
    words = sentence.split()
    for at in range(0, len(words), 10):
        yield " ".join(words[at : at + 10])


def _shuffled(lines: Sequence[str]) -> str:
    """Words written one by one, each at its place, in an order of chance."""
    pieces = [
        text([word], x=72 + 55 * column, y=700 - 20 * row, size=9)
        for row, line in enumerate(lines)
        for column, word in enumerate(line.split()[:9])
    ]
    random.Random(5).shuffle(pieces)
    return "".join(pieces)


def _outlines(lines: Sequence[str]) -> str:
    """The letters of ``lines`` as filled shapes."""
    from matplotlib.textpath import TextPath

    drawn = []
    for number, line in enumerate(lines):
        for letter, at in ((letter, 72 + 6.5 * column) for column, letter in enumerate(line) if letter != " "):
            commands = []
            for polygon in TextPath((at, 700 - 20 * number), letter, size=11).to_polygons():
                points = [
                    f"{x:.2f} {y:.2f} {'l' if index else 'm'}"
                    for index, (x, y) in enumerate(np.asarray(polygon).tolist())
                ]
                commands.append(" ".join(points) + " h")
            drawn.append(" ".join(commands) + " f*\n")
    return "".join(drawn)


def _picture(lines: Sequence[str]) -> str:
    """A picture of ``lines`` on the page."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (900, 500), 255)
    letters = ImageFont.load_default(size=24)
    ImageDraw.Draw(image).multiline_text((20, 20), "\n".join(lines), font=letters, fill=0, spacing=20)
    packed = zlib.compress(image.tobytes()).hex()
    head = f"BI /W {image.width} /H {image.height} /CS /G /BPC 8 /F [/AHx /Fl] ID "
    return f"q 450 0 0 250 72 400 cm {head}{packed}>\nEI\nQ\n"


def _blank_font_file() -> str:
    """A font file whose letters have a width and no shape."""
    from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]
    from fontTools.pens.ttGlyphPen import TTGlyphPen  # type: ignore[import-untyped]

    names = [".notdef", *(f"g{code}" for code in range(32, 127))]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({code: f"g{code}" for code in range(32, 127)})
    builder.setupGlyf({name: TTGlyphPen(None).glyph() for name in names})
    builder.setupHorizontalMetrics(dict.fromkeys(names, (500, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Blank", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    file = io.BytesIO()
    builder.save(file)
    data = file.getvalue()
    return stream(data.decode("latin-1"), f"/Length1 {len(data)}")


def _blank_font() -> str:
    """A font whose file is object 6."""
    widths = " ".join(["500"] * 95)
    descriptor = (
        "<< /Type /FontDescriptor /FontName /Blank /Flags 32 /FontBBox [0 -200 500 800] /ItalicAngle 0 /Ascent 800 "
        "/Descent -200 /CapHeight 700 /StemV 80 /FontFile2 6 0 R >>"
    )
    return (
        "<< /Type /Font /Subtype /TrueType /BaseFont /Blank /FirstChar 32 /LastChar 126 "
        f"/Widths [{widths}] /Encoding /WinAnsiEncoding /FontDescriptor {descriptor} >>"
    )
