"""The data of ICU, that Qt brings for every language and use, cut down to what the window can ask for.

Qt asks ICU for order, upper and lower case, time zones and character encodings, and for nothing else. The layout of the
data is that of ICU's ``udata.h`` and ``ucmndata.h``: a header, a table of names and places, the items.
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from pathlib import Path

LANGUAGES = ("en", "ja", "zh")
"""Of the window; for the others there is what ICU calls root."""
UNUSED = ("brkitr", "curr", "lang", "rbnf", "region", "translit", "unit")
"""Folders for breaking text, for numbers in words, for other scripts and for names of things."""
FORMAT = b"CmnD"
LOCALE = re.compile(r"([a-z]{2,3})(_\w+)?\.res")
INDEX = "res_index.res"


def wanted(name: str) -> bool:
    """Whether the item ``PACKAGE/FOLDER/FILE`` or ``PACKAGE/FILE`` is kept."""
    *folders, file = name.split("/")[1:]
    locale = LOCALE.fullmatch(file)
    return not set(folders) & set(UNUSED) and (locale is None or file == INDEX or locale[1] in LANGUAGES)


def cut_down(data: bytes) -> bytes:
    """Data of ICU with the items that are wanted. Raises ValueError if it is laid out in another way."""
    head, size = struct.unpack_from("<H", data)[0], 8
    if data[12:16] != FORMAT:
        raise ValueError("this is no data of ICU")
    body = data[head:]
    (count,) = struct.unpack_from("<I", body)
    entries = [struct.unpack_from("<II", body, 4 + size * number) for number in range(count)]
    ends = [*(start for _, start in entries[1:]), len(body)]
    items = [
        (body[name : body.index(b"\0", name) + 1], body[start:end])
        for (name, start), end in zip(entries, ends, strict=True)
    ]
    kept = [(name, item) for name, item in items if wanted(name[:-1].decode("ascii"))]
    names = b"".join(name for name, _ in kept)
    at_name = 4 + size * len(kept)
    at_item = -(-(at_name + len(names)) // 16) * 16
    table, contents = struct.pack("<I", len(kept)), b""
    for name, item in kept:
        table += struct.pack("<II", at_name, at_item + len(contents))
        at_name += len(name)
        contents += item + bytes(-len(item) % 16)
    return data[:head] + (table + names).ljust(at_item, b"\0") + contents


def cut_down_library(library: Path) -> None:
    """Put a library with less data in the place of ``library`` (libicudata.so.VERSION). Needs binutils."""
    listed = subprocess.run(["readelf", "--dyn-syms", "-W", library], capture_output=True, text=True, check=True).stdout
    ((start, size, symbol),) = re.findall(r"([0-9a-f]{16})\s+(\w+) OBJECT .* (icudt\d+_dat)$", listed, re.MULTILINE)
    # The data is in a segment that lies in the file as in memory.
    whole = library.read_bytes()[int(start, 16) :][: int(size, 0)]
    with tempfile.TemporaryDirectory() as folder:
        data, source, compiled = (Path(folder, name) for name in ("data", "data.s", "data.o"))
        data.write_bytes(cut_down(whole))
        source.write_text(
            f".section .rodata\n.balign 16\n.global {symbol}\n.type {symbol}, @object\n"
            f'{symbol}: .incbin "{data}"\n.size {symbol}, .-{symbol}\n.section .note.GNU-stack,"",@progbits\n',
            encoding="ascii",
        )
        subprocess.run(["as", "-o", compiled, source], check=True)
        subprocess.run(
            ["ld", "-shared", "--strip-all", "-z", "noexecstack", "-soname", library.name, "-o", library, compiled],
            check=True,
        )
