"""How many copies are found in scans of texts, of those that are found in the texts themselves.

    python -m tests.golden.scans [DOCUMENTS]

Texts of other people in Japanese, Chinese and English get four sentences of a source. They are drawn as pages (200 dots
to an inch, a little turned and noisy), and read again by text recognition.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.golden.altered import DATA, all_matches
from workbench.base.types import Document, Role
from workbench.reading import recognition

_FONTS = Path(__file__).resolve().parents[2] / "resources" / "fonts"
FONTS = {"ja": "PalimpsestSansJP.otf", "zh": "PalimpsestSansSC.otf", "en": "PalimpsestUI-Regular.otf"}
LANGUAGES = {"ja": "jpn", "zh": "chi_sim", "en": "eng"}
_SIZE, _LETTERS, _PER_PAGE = 32, 34, 40
"""Pixels of a letter; full-width letters of a line; lines of a page."""


class Figures(NamedTuple):
    """Planted copies, those found in the texts themselves, and those of these that are found in the scans."""

    planted: int
    in_text: int
    in_scans: int


def texts(language: str) -> list[str]:
    """Texts of people in this language."""
    if language == "ja":
        with (DATA / "wiki_ja" / "documents.jsonl").open(encoding="utf-8") as file:
            return [json.loads(line)["text"] for line in file]
    truth = json.loads((DATA / f"articles_{language}" / "ground-truth.json").read_text("utf-8"))
    return [v["articleBody"] if isinstance(v, dict) else v for _, v in sorted(truth.items())]


def planted(language: str, count: int) -> Iterator[tuple[Document, Document]]:
    """Suspects with four sentences of a source each, and the sources."""
    kept = [re.findall(r"[^。！？.!?\n]{12,200}[。！？.!?]+", text) for text in texts(language)]
    kept = [sentences for sentences in kept if len(sentences) >= 12][: 2 * count]
    glue = " " if language == "en" else ""
    for number, (own, other) in enumerate(zip(kept[::2], kept[1::2], strict=False)):
        first = number % (len(other) - 8)
        sentences = [s.strip() for s in (*own[:4], *other[first : first + 4], *own[4:8])]
        source = glue.join(s.strip() for s in other[: first + 8])
        yield (
            Document(f"s{number}", glue.join(sentences), Role.SUSPECT, 2 * number + 1, language=language),
            Document(f"t{number}", source, Role.SOURCE, 2 * number + 2, language=language),
        )


def scan(text: str, language: str, seed: int) -> list[Image.Image]:
    """Pages of the text, as a scanner would have them."""
    font = ImageFont.truetype(str(_FONTS / FONTS[language]), _SIZE)
    width = 2 * _LETTERS if language == "en" else _LETTERS
    lines = (
        textwrap.wrap(text, width) if language == "en" else [text[i : i + width] for i in range(0, len(text), width)]
    )
    rng = np.random.default_rng(seed)
    pages = []
    for first in range(0, len(lines), _PER_PAGE):
        page = Image.new("L", (1654, 2339), 248)
        draw = ImageDraw.Draw(page)
        for number, line in enumerate(lines[first : first + _PER_PAGE]):
            draw.text((180, 160 + number * 1.6 * _SIZE), line, font=font, fill=30)
        turned = np.asarray(page.rotate(float(rng.uniform(-0.4, 0.4)), fillcolor=248)).astype(np.float64)
        pages.append(Image.fromarray((turned + rng.normal(0, 8, turned.shape)).clip(0, 255).astype(np.uint8)))
    return pages


def recognised(document: Document, seed: int) -> Document:
    """The suspect as it is read from a scan of it."""
    pages = scan(document.text, document.language, seed)
    read = recognition.read_pictures(pages, LANGUAGES[document.language], count=len(pages))
    glue = " " if document.language == "en" else ""
    text = glue.join(line.text for page in read for line in page.lines)
    return Document(document.id, text, document.role, document.key, language=document.language)


def measure(language: str, count: int) -> Figures:
    """The figures of one language for ``count`` suspects."""
    pairs = list(planted(language, count))
    sources = [source for _, source in pairs]

    def copies(suspects: list[Document]) -> set[tuple[int, int]]:
        matches = all_matches([*suspects, *sources], "copies")
        return set(zip(matches.a.tolist(), matches.b.tolist(), strict=True))

    wanted = {(suspect.key, source.key) for suspect, source in pairs}
    in_text = wanted & copies([suspect for suspect, _ in pairs])
    in_scans = in_text & copies([recognised(suspect, seed) for seed, (suspect, _) in enumerate(pairs)])
    return Figures(len(pairs), len(in_text), len(in_scans))


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for language in FONTS:
        copies, in_text, in_scans = measure(language, count)
        print(f"{language}: {copies} planted, {in_text} found in the text, {in_scans} in the scans")


if __name__ == "__main__":
    main()
