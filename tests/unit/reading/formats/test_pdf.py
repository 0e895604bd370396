from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench.reading import formats
from workbench.reading.formats import Failure, Item, Record, Source
from workbench.reading.formats.pdf import _whole, assembled
from workbench.reading.formats.running_heads import PdfLine

PROSE = (
    "It is a truth universally acknowledged, that a single man in posses-",
    "sion of a good fortune, must be in want of a wife. However little",
    "known the feelings of such a man may be on his first entering a",
    "neighbourhood.",
)
KEY = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def rc4(key: bytes, data: bytes) -> bytes:
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def pdf(pages: Sequence[Sequence[str]], *, password: str = "") -> bytes:
    """Pages of lines in Helvetica; with a password the standard security handler of PDF 1.4, revision 2."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        drawn = "BT /F1 11 Tf 14 TL 72 770 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        content = drawn if lines else "0 0 100 100 re f"
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream".encode())
        box, font = "/MediaBox [0 0 595 842]", "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} /Contents {len(objects)} 0 R {font} >>".encode())
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    objects.append(b"<< /Title (A  title) /CreationDate (D:20200102030405+09'00') >>")
    extra = f"/Info {len(objects)} 0 R"
    if password:
        owner = rc4(hashlib.md5((b"owner" + KEY)[:32]).digest()[:5], (password.encode() + KEY)[:32])
        secret = (password.encode() + KEY)[:32] + owner + b"\xff\xff\xff\xff" + b"0123456789abcdef"
        user = rc4(hashlib.md5(secret).digest()[:5], KEY)
        objects.append(
            f"<< /Filter /Standard /V 1 /R 2 /P -1 /O <{owner.hex()}> /U <{user.hex()}> >>".encode(),
        )
        identity = b"0123456789abcdef".hex()
        extra += f" /Encrypt {len(objects)} 0 R /ID [<{identity}> <{identity}>]"
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{o:010} 00000 n \n" for o in offsets)
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R {extra} >>\nstartxref\n{len(out)}\n%%EOF\n"
    return bytes(out) + table.encode() + tail.encode()


def read(path: Path, content: bytes) -> Item:
    path.write_bytes(content)
    [item] = formats.read(Source(path, path.name))
    return item


def test_wrapped_lines_are_joined_and_each_block_names_its_page(tmp_path: Path) -> None:
    item = read(tmp_path / "a.pdf", pdf([["1. A heading", "", *PROSE], [], ["On the second page."]]))
    assert isinstance(item, Record)
    document = item.document
    blocks = [(b.path, document.text[b.span.start : b.span.end]) for b in document.blocks]
    assert [path for path, _ in blocks] == ["page[1]", "page[1]", "page[3]"]
    assert blocks[1][1].startswith("It is a truth universally acknowledged, that a single man in possession of a good")
    assert blocks[1][1].endswith(
        "However little known the feelings of such a man may be on his first entering a neighbourhood."
    )
    assert (document.title, document.published, document.extraction.created) == ("A title", "", "2020-01-02")
    assert document.extraction.repairs == ("1 page with no text (2)",)


def test_the_lines_of_a_table_of_contents_are_blocks_of_their_own(tmp_path: Path) -> None:
    entries = [f"1.{n} Of harbours{' .' * 40} {n}" for n in range(1, 7)]
    item = read(tmp_path / "a.pdf", pdf([["Contents", *entries], [*PROSE]]))
    assert isinstance(item, Record)
    blocks = [item.document.text[slice(*block.span)] for block in item.document.blocks]
    assert blocks[1:7] == entries


def test_cjk_lines_are_joined_without_a_space() -> None:
    text = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で" * 4
    lines = [PdfLine(text[i : i + 35], i / 1000) for i in range(0, len(text), 35)]
    paragraphs, _ = assembled([lines])
    assert paragraphs.text == text


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (pdf([PROSE], password="secret"), "This PDF is encrypted and needs a password."),
        (pdf([[], []]), "There is no text in this PDF: its pages are images"),
        (pdf([]), "This is not a PDF file, or it is damaged."),
        (b"%PDF-1.7\n" + bytes(range(256)) * 90, "This is not a PDF file, or it is damaged."),
        (b"", "This is not a PDF file, or it is damaged."),
    ],
)
def test_what_gives_no_text_is_refused_in_a_sentence(tmp_path: Path, content: bytes, error: str) -> None:
    item = read(tmp_path / "a.pdf", content)
    assert isinstance(item, Failure)
    assert item.error.startswith(error)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_file_is_read_or_refused(tmp_path: Path, share: float) -> None:
    content = pdf([PROSE] * 5)
    assert isinstance(read(tmp_path / "a.pdf", content[: int(len(content) * share)]), Record | Failure)


def test_a_pdf_is_known_by_its_beginning(tmp_path: Path) -> None:
    assert isinstance(read(tmp_path / "a", pdf([PROSE])), Record)


def test_characters_that_come_as_two_halves_are_whole_again() -> None:
    halves = "a\ud83d\ude00b\ud83d\ude00"
    assert _whole(halves, range(6)) == ("a\U0001f600b\U0001f600", [0, 1, 3, 4])
    assert _whole("a\ud83db", (7, 8, 9)) == ("a\ud83db", (7, 8, 9))
