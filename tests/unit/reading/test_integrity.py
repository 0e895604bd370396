"""What is unusual in a text is listed with its places; honest texts have nothing listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.base.messages import Message
from workbench.base.types import IntegrityFlag
from workbench.reading import formats
from workbench.reading.formats import ReadOptions, Record, Source
from workbench.reading.integrity import INVISIBLE, MOST_SPANS
from workbench.text.disguises import in_words

PROSE = (
    "The harbour was quiet in the morning, and the fishermen mended their nets beside the wall. Nobody had seen the "
    "ship for a week, but the old man was certain that it would return before the storm. He counted the days on the "
    "door of his hut with a piece of chalk. "
)
START = "A few honest words at the start of the essay.\n\n"
TRICKS = {
    "invisible": PROSE.replace("e", "e\u200b"),
    "lookalikes": PROSE.translate(str.maketrans("aeopcx", "аеорсх")),
    "separators": "·".join(PROSE),
    "override": "\u202e" + PROSE[::-1] + "\u202c",
    "marks": "".join(c + "\u0332" if c.isalpha() else c for c in PROSE),
    "unreadable": "".join(chr(0xE000 + ord(c)) if c.isalpha() else c for c in PROSE),
    "accents": PROSE.translate(str.maketrans("aeioun", "àéíöúñ")),
    "digits": PROSE.translate(str.maketrans("aeiot", "43107")),
    "small-capitals": PROSE.translate(str.maketrans("aeimnort", "ᴀᴇɪᴍɴᴏʀᴛ")),
}
HONEST = {
    "phonetics": "The word is pronounced /ˈlɪbɚˌtɪ dɪˈfɪʃɪənt ɪn ɪts ˈbɪɡɪnɪŋ/ or /ɪʀɪ ɢɪʟɪ ɴɪʏɪ/ in this dialect. "
    * 3,
    "typesetting": PROSE.replace("morning", "morn\u00ading").replace("fishermen", "fish\u00ader\u00admen") * 3,
    "model numbers": "Kernel 4.19.0-27 and CH6350B, 50LHZD01, MD5 5da499872becccfeda2c4872f917 of 110 files. " * 9,
    "Greek and Cyrillic": "Он сказал: мы идём домой. Ἐν ἀρχῇ ἦν ὁ λόγος. The word λόγος means word. " * 5,
    "Persian": "می‌خواهم کتاب‌ها را بخوانم و نمی‌دانم چه بگویم. " * 5,
    "fingerprints": "sha256//AA:1A:6A:D4:3D:C6:C1:1B:EA:C6:23:DE:BA:2A:14:62:62:93:5C:7A:EA:3E:C3:B3:5B:32:E8:AE:BB "
    * 3,
    "addresses": "See wiki/%D0%B1%D1%8A%D0%B0%D0%B2%D0%BB%D0%B5%D0%BD%D0%B8%D1%8F and others. " * 3,
    "an index": "Index: A B C D E F G H I J K L M N O P Q R S T U V W X Y Z and the index begins here. " * 2,
    "emoji": "A family 👨‍👩‍👧‍👦 and a flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 in every line of this text. " * 5,
    "French": "L’été était à peine arrivé que déjà l’élève préférée révélait sa vérité très émue. " * 4,
}


def flags(tmp_path: Path, text: str, suffix: str = "txt") -> tuple[IntegrityFlag, ...]:
    path = tmp_path / f"a.{suffix}"
    path.write_text(text, "utf-8")
    (item,) = formats.read(Source(path, path.name), options=ReadOptions(encoding="utf-8"))
    assert isinstance(item, Record)
    return item.document.extraction.integrity


def test_invisible_characters_between_all_letters_are_counted_once(tmp_path: Path) -> None:
    (flag,) = flags(tmp_path, f"{START}{chr(0x200B).join(PROSE)}\n\nAnd a few at its end.")
    assert (flag.kind, flag.characters) == ("invisible", len(PROSE) - 1)


@pytest.mark.parametrize("kind", TRICKS)
def test_a_disguised_paragraph_is_flagged_with_its_places(kind: str, tmp_path: Path) -> None:
    (flag,) = flags(tmp_path, f"{START}{TRICKS[kind]}\n\nAnd a few at its end.")
    assert flag.kind == kind
    end = len(START) + len(TRICKS[kind])
    assert all(len(START) <= span.start < span.end <= end for span in flag.spans)
    assert flag.characters >= sum(1 for _ in flag.spans)
    assert isinstance(in_words(flag), Message)


@pytest.mark.parametrize("name", HONEST)
def test_honest_texts_have_no_flags(name: str, tmp_path: Path) -> None:
    assert flags(tmp_path, HONEST[name]) == ()


def test_a_few_invisible_characters_are_not_a_sign(tmp_path: Path) -> None:
    words = "harbour fishermen quiet morning beside certain return counted"
    for count, flagged in ((INVISIBLE - 1, 0), (INVISIBLE + 1, INVISIBLE + 1)):
        text = words
        for word in words.split()[:count]:
            text = text.replace(word, f"{word[:3]}\u200b{word[3:]}")
        assert sum(flag.characters for flag in flags(tmp_path, text)) == flagged


def test_every_place_counts_though_not_all_are_kept(tmp_path: Path) -> None:
    (flag,) = flags(tmp_path, PROSE.replace(" ", " a\u200bb ") * 50)
    assert len(flag.spans) == MOST_SPANS
    assert flag.characters == PROSE.count(" ") * 50


@pytest.mark.parametrize(
    "style",
    ["color:#fff;background:#fff", "font-size:0", "font-size: 0px;", "position:absolute;left:-9999px", "opacity: 0"],
)
def test_words_that_their_style_hides_within_a_paragraph_are_flagged(style: str, tmp_path: Path) -> None:
    page = f'<h1>An essay</h1><p>{PROSE}<span style="{style}">filler words nobody sees here</span>{PROSE}</p>'
    (flag,) = flags(tmp_path, f"<html><body>{page}</body></html>", "html")
    assert (flag.kind, flag.characters) == ("hidden-by-style", len("filler words nobody sees here"))


@pytest.mark.parametrize("style", ["color:#fff;background:#000", "font-size:10px", "left:-5px", "opacity:0.9"])
def test_other_styles_hide_nothing(style: str, tmp_path: Path) -> None:
    page = f'<h1>An essay</h1><p>{PROSE}<span style="{style}">words everybody sees</span>{PROSE}</p>'
    assert flags(tmp_path, f"<html><body>{page}</body></html>", "html") == ()


@pytest.mark.slow
@pytest.mark.rest
def test_at_most_one_real_document_in_two_hundred_is_flagged(shared_data: Path) -> None:
    paths = [
        *sorted((shared_data / "pan13").glob("s*/*.txt"))[::2],
        *sorted((shared_data / "aozora/txt").iterdir())[::4],
    ]
    paths += sorted((shared_data / "articles_mixed").rglob("*.html.gz"))[::8]
    items = [item for path in paths for item in formats.read(Source(path, path.name))]
    documents = [item.document for item in items if isinstance(item, Record)]
    flagged = [json.dumps([d.id, d.extraction.integrity]) for d in documents if d.extraction.integrity]
    assert len(documents) > 200
    assert 200 * len(flagged) <= len(documents), flagged
