"""PDFs of drawing commands, for what text alone cannot say: colours, places, render modes and what covers what."""

from __future__ import annotations

import json
import re
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.base.resources import resource

PIXELS = "\nEI\nQ\n"


def drawn_pdf(
    pages: Sequence[str],
    *,
    to_unicode: str = "",
    font: str = "",
    fonts: str = "",
    catalog: str = "",
    page: str = "",
    more: Sequence[str] = (),
    figure: str = "",
) -> bytes:
    """Pages of A4 drawn by content streams: ``/F1`` is ``font``, or Helvetica with the character map ``to_unicode``.

    ``fonts``, ``catalog`` and ``page`` are more fonts, and more entries of the catalogue and of each page; they may
    refer to ``more`` objects from number 5 on, of which the first is the layer ``/Layer``. Pages draw
    the content stream ``figure`` by ``/Figure Do``.
    """
    font = font or f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica{' /ToUnicode 4 0 R' if to_unicode else ''} >>"
    objects = [f"<< /Type /Catalog /Pages 2 0 R {catalog} >>", "", font, stream(to_unicode), *more]
    resources = f"/Font << /F1 3 0 R {fonts} >>{' /Properties << /Layer 5 0 R >>' if more else ''}"
    if figure:
        objects.append(
            stream(figure, f"/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << {resources} >>")
        )
        resources += f" /XObject << /Figure {len(objects)} 0 R >>"
    kids = []
    for content in pages:
        objects.append(stream(content))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            f"/Resources << {resources} >> {page} >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{o:010} 00000 n \n" for o in offsets)
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return bytes(out) + (table + tail).encode()


def stream(content: str, entries: str = "") -> str:
    """A stream with more ``entries`` in its dictionary."""
    return f"<< /Length {len(content)} {entries} >>\nstream\n{content}\nendstream"


def text(lines: Sequence[str], *, x: float = 72, y: float = 770, size: float = 11, set: str = "") -> str:  # noqa: A002
    """Lines from ``x``, ``y`` downward; ``set`` are commands before them: a colour, a render mode."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    return f"q BT {set} /F1 {size} Tf {1.3 * size} TL {x} {y} Td {shown} ET Q\n"


def picture(x: float, y: float, width: float, height: float) -> str:
    """A picture of grey stripes over a part of the page."""
    return f"q {width} 0 0 {height} {x} {y} cm BI /W 2 /H 2 /CS /G /BPC 8 /F /AHx ID 80A0C0E0>{PIXELS}"


def box(x: float, y: float, width: float, height: float, colour: str) -> str:
    """A filled rectangle of a ``colour``: three numbers from 0 to 1."""
    return f"q {colour} rg {x} {y} {width} {height} re f Q\n"


def map_of(letters: dict[str, str]) -> str:
    """A character map (ToUnicode) that says that ``letters`` are others, and all others themselves."""
    pairs = "\n".join(f"<{code:02X}> <{ord(letters.get(chr(code), chr(code))):04X}>" for code in range(32, 127))
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n95 beginbfchar\n{pairs}\nendbfchar\nendcmap end end"
    )


def typeset_pdf(
    words: str, font: str = "Libertinus Serif", letters: Mapping[str, str] | None = None, *, fallback: bool = True
) -> bytes:
    """A PDF as Typst sets ``words`` in ``font``, whose character map says that ``letters`` are others. Without
    ``fallback`` a box stands for letters that the font lacks.
    """
    import typst

    shown = json.dumps(words, ensure_ascii=False)
    source = f"#set text(size: 11pt, font: {json.dumps(font)}, fallback: {json.dumps(fallback)})\n#{shown}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.typ"
        path.write_text(source, "utf-8")
        data: bytes = typst.compile(str(path), format="pdf", font_paths=[str(resource("fonts"))])
    return re.sub(_MAP, lambda match: _with_others(match, letters), data, flags=re.DOTALL) if letters else data


_MAP = rb"<</Length \d+(/Type/CMap[^<>]*)>>\s+stream\n(.*?)\nendstream"
_ENTRY = re.compile(rb"(?<=> <)([0-9A-F]{4})(?=>)")


def _with_others(stream: re.Match[bytes], letters: Mapping[str, str]) -> bytes:
    """A character map with other letters in place of ``letters``. PDFium finds what stands after it elsewhere then."""
    entries = zlib.decompress(stream[2])
    changed = _ENTRY.sub(lambda m: b"%04X" % ord(letters.get(c := chr(int(m[1], 16)), c)), entries)
    packed = zlib.compress(changed)
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(packed), stream[1], packed)
