"""How many copies are found in scans of texts, of those that are found in the texts themselves.

    python -m tests.golden.scans [SUSPECTS]

Suspects of other people's sentences in Japanese, Chinese and English get copies of one, two and four sentences, each
from a source of its own. They are drawn as pages, stored as PDF files of pictures, and read as any file handed in with
text recognition in languages that it chooses. Copies and characters are counted in the sources: a copy is found where
matches cover at least 60 % of it.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from tests.golden.altered import DATA, all_matches
from workbench.base.coverage import B, stretches
from workbench.base.types import Document, Role
from workbench.reading import formats, recognition
from workbench.reading.formats import ReadOptions, Record, Source
from workbench.text.languages import detect_language

_FONTS = Path(__file__).resolve().parents[2] / "resources" / "fonts"
FONTS = {"ja": "PalimpsestSansJP.otf", "zh": "PalimpsestSansSC.otf", "en": "PalimpsestUI-Regular.otf"}
_LETTERS, _PER_PAGE = 34, 40
"""Full-width letters of a line; lines of a page."""
_COPIES = (1, 2, 4)
"""Sentences of the copies of each suspect."""
_COVERED = 0.6


class Look(NamedTuple):
    """How pages are scanned: dots per inch, largest turn in degrees, noise in grey levels, blur in dots."""

    dots: int
    turn: float
    noise: float
    blur: float


LOOKS = {"scanned": Look(200, 0.4, 8, 0), "photocopied": Look(150, 0.8, 20, 0.7)}


class Figures(NamedTuple):
    """Copies and their characters: all, those found in the texts, and those of these that are found in the scans."""

    planted: int
    in_text: int
    in_scans: int
    characters_in_text: int
    characters_in_scans: int


class Planted(NamedTuple):
    """A suspect, its sources, and the copied part of each source by the source's key."""

    suspect: Document
    sources: list[Document]
    copied: dict[int, range]


def texts(language: str) -> list[str]:
    """Texts of people in this language; among those in English are some in others."""
    if language == "ja":
        with (DATA / "wiki_ja" / "documents.jsonl").open(encoding="utf-8") as file:
            return [json.loads(line)["text"] for line in file]
    truth = json.loads((DATA / f"articles_{language}" / "ground-truth.json").read_text("utf-8"))
    every = [v["articleBody"] if isinstance(v, dict) else v for _, v in sorted(truth.items())]
    return [text for text in every if detect_language(text).startswith(language)]


def planted(language: str, count: int) -> Iterator[Planted]:
    """Up to ``count`` suspects; no text is used twice."""
    kept = [re.findall(r"[^。！？.!?\n]{12,200}[。！？.!?]+", text) for text in texts(language)]
    kept = [[s.strip() for s in sentences] for sentences in kept if len(sentences) >= 12]
    glue = " " if language == "en" else ""
    each = 1 + len(_COPIES)
    for first in range(0, min(len(kept) // each, count) * each, each):
        own, *others = kept[first : first + each]
        parts, sources, copied = own[:3], [], {}
        for number, (sentences, size) in enumerate(zip(others, _COPIES, strict=True), 1):
            copy = sentences[3 : 3 + size]
            parts += [*copy, *own[3 * number : 3 * number + 3]]
            before, key = len(glue.join(sentences[:3])) + len(glue), 2 + first + number
            copied[key] = range(before, before + len(glue.join(copy)))
            sources.append(Document(f"t{key}", glue.join(sentences), Role.SOURCE, key, language=language))
        yield Planted(
            Document(f"s{first}", glue.join(parts), Role.SUSPECT, 2 + first, language=language), sources, copied
        )


def scan(text: str, language: str, look: Look, seed: int) -> bytes:
    """A PDF file with pictures of the pages of the text, as a scanner would write it."""
    size = look.dots * 11 // 72
    font = ImageFont.truetype(str(_FONTS / FONTS[language]), size)
    width = 2 * _LETTERS if language == "en" else _LETTERS
    lines = (
        textwrap.wrap(text, width) if language == "en" else [text[i : i + width] for i in range(0, len(text), width)]
    )
    rng = np.random.default_rng(seed)
    pages = []
    for first in range(0, len(lines), _PER_PAGE):
        page = Image.new("L", (look.dots * 827 // 100, look.dots * 1169 // 100), 248)
        draw = ImageDraw.Draw(page)
        for number, line in enumerate(lines[first : first + _PER_PAGE]):
            draw.text((look.dots * 0.9, look.dots * 0.8 + number * 1.6 * size), line, font=font, fill=30)
        page = page.rotate(float(rng.uniform(-look.turn, look.turn)), Image.Resampling.BICUBIC, fillcolor=248)
        grey = np.asarray(page.filter(ImageFilter.GaussianBlur(look.blur))).astype(np.float64)
        pages.append(Image.fromarray((grey + rng.normal(0, look.noise, grey.shape)).clip(0, 255).astype(np.uint8)))
    file = io.BytesIO()
    pages[0].save(file, "PDF", save_all=True, append_images=pages[1:], resolution=look.dots, quality=60)
    return file.getvalue()


def recognised(document: Document, look: Look, seed: int) -> Document:
    """The suspect as it is read from a scan of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scan.pdf")
        path.write_bytes(scan(document.text, document.language, look, seed))
        options = ReadOptions(ocr=recognition.AUTOMATIC)
        read = next(i.document for i in formats.read(Source(path, path.name), options=options) if isinstance(i, Record))
    return replace(read, id=document.id, role=document.role, key=document.key)


def copied_characters(suspects: Sequence[Document], every: Sequence[Planted]) -> dict[tuple[int, int], int]:
    """The copied characters that matches cover, by suspect and source."""
    matches = all_matches([*suspects, *(source for one in every for source in one.sources)], "copies")
    covered: dict[tuple[int, int], set[int]] = defaultdict(set)
    for row, start, end in zip(*(column.tolist() for column in stretches(matches, B)), strict=True):
        covered[int(matches.a[row]), int(matches.b[row])].update(range(start, end))
    return {
        (one.suspect.key, b): len(covered[one.suspect.key, b] & {*part})
        for one in every
        for b, part in one.copied.items()
    }


def measure(language: str, count: int, look: Look) -> Figures:
    """The figures of one language for ``count`` suspects."""
    every = list(planted(language, count))
    copied = {(one.suspect.key, b): part for one in every for b, part in one.copied.items()}
    in_text = copied_characters([one.suspect for one in every], every)
    in_scans = copied_characters([recognised(one.suspect, look, seed) for seed, one in enumerate(every)], every)
    wanted = [pair for pair, part in copied.items() if in_text[pair] >= _COVERED * len(part)]
    return Figures(
        len(copied),
        len(wanted),
        sum(in_scans[pair] >= _COVERED * len(copied[pair]) for pair in wanted),
        sum(in_text[pair] for pair in wanted),
        sum(in_scans[pair] for pair in wanted),
    )


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    for name, look in LOOKS.items():
        for language in FONTS:
            one = measure(language, count, look)
            letters = f"{one.characters_in_text:,} and {one.characters_in_scans:,} characters"
            counts = f"{one.in_text} found in the text, {one.in_scans} in the scans ({letters})"
            print(f"{name} {language}: {one.planted} copies, {counts}", flush=True)


if __name__ == "__main__":
    main()
