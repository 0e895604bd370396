"""Text that nobody sees on the pages of a PDF, or that they show otherwise, is flagged with its places."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.reading.formats.drawn_pdf import box, drawn_pdf, map_of, picture, text, typeset_pdf
from workbench.base.types import Document
from workbench.reading import formats
from workbench.reading.formats import Record, Source, pdf_hidden
from workbench.reading.integrity import LEAST_UNSEEN

SEEN = (
    "The harbour was quiet in the morning, and the fishermen mended their nets.",
    "Nobody had seen the ship for a week, but the old man was certain.",
)
SECRET = "Filler words that nobody reads here"
HIDDEN = {
    "white": text([SECRET], y=700, set="1 1 1 rg"),
    "almost white": text([SECRET], y=700, set="0.98 0.98 0.96 rg"),
    "colour of the box below it": box(60, 690, 400, 30, "0.2 0.3 0.4") + text([SECRET], y=700, set="0.2 0.3 0.4 rg"),
    "render mode 3": text([SECRET], y=700, set="3 Tr"),
    "one point": text([SECRET], y=700, size=1),
    "off the page": text([SECRET], x=-900, y=700),
    "off the page beside words on it": text(["so"], y=700) + text([SECRET], x=900, y=700),
    "below the page": text([SECRET], y=-200),
    "just below the page": text([SECRET], y=-9),
    "behind a picture": text([SECRET], y=700) + picture(60, 690, 400, 30),
    "behind a white box": text([SECRET], y=700) + box(60, 690, 400, 30, "1 1 1"),
    "white between the words": text(["so"], y=700) + text([SECRET], x=88, y=700, set="1 1 1 rg"),
}
VISIBLE = {
    "white on a dark box": box(60, 690, 400, 30, "0.2 0.3 0.4") + text([SECRET], y=700, set="1 1 1 rg"),
    "on a picture": picture(60, 690, 400, 30) + text([SECRET], y=700),
    "grey": text([SECRET], y=700, set="0.6 g"),
    "cut by the lower edge": text([SECRET], y=-5),
    "cut by the upper edge": text([SECRET], y=838),
    "small print": text([SECRET], y=700, size=4),
    "outlined": text([SECRET], y=700, set="1 Tr"),
    "too long a line": text([SECRET], x=500, y=700),
    "a box beside it": text([SECRET], y=700) + box(60, 400, 400, 30, "1 1 1"),
    "a white letter or two": text(["ab"], y=700, set="1 1 1 rg"),
}


def read(tmp_path: Path, *pages: str, figure: str = "") -> Document:
    path = tmp_path / "a.pdf"
    path.write_bytes(drawn_pdf(pages, figure=figure))
    (item,) = formats.read(Source(path, path.name))
    assert isinstance(item, Record), item
    return item.document


@pytest.mark.parametrize("trick", HIDDEN)
def test_text_that_nobody_sees_is_flagged_where_it_is_or_not_read(trick: str, tmp_path: Path) -> None:
    document = read(tmp_path, text(SEEN), text(SEEN) + HIDDEN[trick])
    if SECRET not in document.text:
        assert "page" in trick, "only text off the page is no text of it"
        return
    (flag,) = document.extraction.integrity
    assert (flag.kind, flag.characters) == ("unseen-on-page", len(SECRET.replace(" ", "")))
    start = document.text.index(SECRET)
    assert (flag.spans[0].start, flag.spans[-1].end) == (start, start + len(SECRET))


@pytest.mark.parametrize("case", VISIBLE)
def test_text_that_is_seen_is_not_flagged(case: str, tmp_path: Path) -> None:
    document = read(tmp_path, text(SEEN) + VISIBLE[case])
    assert document.extraction.integrity == ()


def test_small_print_is_seen_on_a_page_that_is_small_itself(tmp_path: Path) -> None:
    """Such a page is magnified when it is read: what is tiny depends on its height, wherever it begins."""
    for below, flagged in ((0, 1), (640, 0)):
        path = tmp_path / "a.pdf"
        content = text(SEEN, size=3) + text([SECRET], y=700, size=1)
        path.write_bytes(drawn_pdf([content], page=f"/CropBox [0 {below} 595 842]"))
        (item,) = formats.read(Source(path, path.name))
        assert isinstance(item, Record)
        assert SECRET in item.document.text
        assert len(item.document.extraction.integrity) == flagged


def test_pages_too_many_to_look_for_hidden_text_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_hidden, "MOST_PAGES", 1)
    suspicious = text(SEEN) + HIDDEN["white"]
    document = read(tmp_path, suspicious, suspicious, text(SEEN), suspicious)
    (flag,) = document.extraction.integrity
    assert flag.characters == len(SECRET.replace(" ", ""))
    assert "hidden text was not looked for on 2 pages" in document.extraction.repairs


def test_a_page_of_invisible_text_without_a_picture_is_flagged(tmp_path: Path) -> None:
    document = read(tmp_path, text(SEEN), text([SECRET], set="3 Tr"))
    (flag,) = document.extraction.integrity
    assert (flag.kind, flag.characters) == ("unseen-on-page", len(SECRET.replace(" ", "")))


def test_a_few_unseen_letters_are_not_a_sign(tmp_path: Path) -> None:
    for count, flagged in ((LEAST_UNSEEN - 1, 0), (LEAST_UNSEEN, 1)):
        document = read(tmp_path, text(SEEN) + text(["x" * count], y=700, set="1 1 1 rg"))
        assert len(document.extraction.integrity) == flagged


def test_of_the_words_of_a_figure_that_nobody_sees_short_ones_are_no_sign_however_many(tmp_path: Path) -> None:
    labels = ["north", "south", "east", "west", "depth", "sand"]
    for lines, flagged in ((labels, 0), ([SECRET], 1)):
        figure = "".join(
            text([line], y=700 - 40 * number, set="1 1 1 rg") + text(["seen"], x=300, y=700 - 40 * number)
            for number, line in enumerate(lines)
        )
        document = read(tmp_path, text(SEEN) + "/Figure Do\n", figure=figure)
        assert all(line in document.text for line in lines)
        assert len(document.extraction.integrity) == flagged


def test_the_text_layer_of_a_scanned_page_is_reported_and_not_flagged(tmp_path: Path) -> None:
    document = read(tmp_path, picture(0, 0, 595, 842) + text([*SEEN, SECRET], set="3 Tr"))
    assert SECRET in document.text
    assert document.extraction.integrity == ()
    assert document.extraction.repairs == ("1 page of pictures with a layer of text",)


PROSE = (
    "We walked to the harbour in the morning, and nobody was there to meet us.",
    "The captain had left his ship before the storm, which nobody could explain,",
    "and the keeper of the lighthouse shrugged and went back to his breakfast.",
)
SWAPPED = dict(zip("etaoinshr", "qzxjvkwyg", strict=True))


def test_a_character_map_that_lies_is_flagged(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(drawn_pdf([text(PROSE)], to_unicode=map_of(SWAPPED)))
    (item,) = formats.read(Source(path, path.name))
    assert isinstance(item, Record), item
    document = item.document
    assert "harbour" not in document.text
    (flag,) = document.extraction.integrity
    assert flag.kind == "shown-otherwise"
    assert flag.characters > 100
    assert flag.spans[0].start < 10


@pytest.mark.parametrize(
    ("letters", "lines"),
    [
        ({}, PROSE),
        ({c.upper(): c for c in "abcdefghijklmnopqrstuvwxyz"}, tuple(line.upper() for line in PROSE)),
        ({"e": "o", "a": "e"}, PROSE),
    ],
    ids=["honest", "capitals for small letters", "a few letters of the same shape"],
)
def test_fonts_that_are_only_odd_are_not_flagged(
    letters: dict[str, str], lines: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(drawn_pdf([text(lines)], to_unicode=map_of(letters)))
    (item,) = formats.read(Source(path, path.name))
    assert isinstance(item, Record), item
    assert item.document.extraction.integrity == ()


IN_SCRIPTS = {
    "Japanese": (
        "Palimpsest Sans JP",
        "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた事だけは記憶している。"
        "吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という人間中で一番獰悪な種族であったそうだ。",
    ),
    "Chinese": (
        "Palimpsest Sans SC",
        "项籍者，下相人也，字羽。初起时，年二十四。其季父项梁，梁父即楚将项燕，为秦将王翦所戮者也。项氏世世为楚将，封于项，故姓项氏。",
    ),
    "Russian": (
        "Libertinus Serif",
        "Гавань была тиха утром, и рыбаки чинили свои сети у стены. Никто не видел корабля целую неделю, но старик был "
        "уверен, что он вернётся до бури.",
    ),
    "Greek": (
        "New Computer Modern",
        "Το λιμάνι ήταν ήσυχο το πρωί και οι ψαράδες επισκεύαζαν τα δίχτυα τους δίπλα στον τοίχο. Κανείς δεν είχε δει "
        "το πλοίο για μια εβδομάδα.",
    ),
    "English, letters as high as each other": ("Libertinus Serif", " ".join(PROSE)),
}


@pytest.mark.parametrize("name", IN_SCRIPTS)
def test_a_character_map_that_lies_is_flagged_in_other_scripts_and_an_honest_one_is_not(
    name: str, tmp_path: Path
) -> None:
    font, words = IN_SCRIPTS[name]
    letters = sorted({letter for letter in words.lower() if letter.isalpha()})
    if name.startswith("English"):
        rows = ("acemnorsuvwxz", "bdfhkl", "gpqy")
        others = {a: b for row in rows for a, b in zip(row, row[1:] + row[0], strict=True)}
    else:
        others = dict(zip(letters, letters[7:] + letters[:7], strict=True))
    flags = {}
    for case, changed in (("honest", None), ("lying", others)):
        path = tmp_path / f"{case}.pdf"
        path.write_bytes(typeset_pdf(words, font, changed))
        (item,) = formats.read(Source(path, path.name))
        assert isinstance(item, Record), item
        assert (words[:20] in item.document.text.replace("\n", " ")) == (changed is None)
        flags[case] = item.document.extraction.integrity
    assert flags["honest"] == ()
    (flag,) = flags["lying"]
    assert flag.kind == "shown-otherwise"
    assert flag.characters > len(words) / 2
    assert flag.spans[0].start < 10


def test_boxes_for_letters_that_a_font_lacks_are_not_flagged(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    words = IN_SCRIPTS["Japanese"][1]
    path.write_bytes(typeset_pdf(words, "New Computer Modern", fallback=False))
    (item,) = formats.read(Source(path, path.name))
    assert isinstance(item, Record), item
    assert words[1:20] in item.document.text
    assert item.document.extraction.integrity == ()


NOT_EMBEDDED = (
    "<< /Type /Font /Subtype /Type0 /BaseFont /Mincho /Encoding /Identity-H /ToUnicode 4 0 R /DescendantFonts [<< "
    "/Type /Font /Subtype /CIDFontType2 /BaseFont /Mincho /DW 1000 /CIDSystemInfo << /Registry (Adobe) /Ordering "
    "(Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /Mincho /Flags 6 /StemV 90 "
    "/FontBBox [-123 -257 1001 910] /Ascent 709 /Descent -241 /CapHeight 709 /ItalicAngle 0 >> >>] >>"
)


def test_letters_in_a_font_that_the_file_does_not_contain_are_not_hidden_text(tmp_path: Path) -> None:
    words = IN_SCRIPTS["Japanese"][1]
    first = 0xF000  # no font of a machine has as many glyphs
    codes = [f"{first + at:04X}" for at in range(len(words))]
    entries = "\n".join(f"<{code}> <{ord(letter):04X}>" for code, letter in zip(codes, words, strict=True))
    mapped = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n"
        "1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{entries}\nendbfchar\nendcmap end end"
    )
    shown = " ".join(f"<{''.join(codes[start : start + 30])}> Tj T*" for start in range(0, len(codes), 30))
    path = tmp_path / "a.pdf"
    path.write_bytes(drawn_pdf([f"BT /F1 11 Tf 15 TL 72 770 Td {shown} ET"], font=NOT_EMBEDDED, to_unicode=mapped))
    (item,) = formats.read(Source(path, path.name))
    assert isinstance(item, Record), item
    assert words[1:20] in item.document.text.replace("\n", "")
    assert item.document.extraction.integrity == ()
