"""Text recognition in pictures (OCR) by Tesseract: lines with their positions and confidence.

pytesseract runs one process of the program ``tesseract`` per page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.reading.decoding import clean
from workbench.reading.formats.paragraphs import CJK
from workbench.reading.formats.running_heads import PdfLine, SeenWord

if TYPE_CHECKING:
    from PIL.Image import Image

AUTOMATIC = "auto"
"""Languages are chosen by the first page: those with the highest confidence."""
SCALE = 300 / 72
"""Pixels per point at which pages are drawn for recognition."""
MOST_PIXELS = 40_000_000
"""Maximum number of pixels of a picture that is read."""
PAGE_SECONDS = 40
"""Time limit of one page."""
_LEAST_SURE = 30
"""Confidence, in percent, below which lines are mostly specks or drawings."""
_MOST_AT_ONCE = 4
_NOT_LATIN = frozenset(("jpn", "chi_sim", "chi_tra", "kor"))
_NO_LANGUAGES = frozenset(("osd", "equ"))
_MOST_TOGETHER = 4
_BY_SUBTAG = {
    "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra",
    "hu": "hun", "it": "ita", "ja": "jpn", "ko": "kor", "la": "lat", "nl": "nld", "no": "nor", "pl": "pol",
    "pt": "por", "ro": "ron", "ru": "rus", "sv": "swe", "tr": "tur", "uk": "ukr", "vi": "vie",
}  # fmt: skip
"""Tesseract's names of languages."""
_BETWEEN_CJK = re.compile(rf"(?<={CJK.pattern}) (?={CJK.pattern})")

on_page: ContextVar[Callable[[int, int], None] | None] = ContextVar("on_page", default=None)
"""Called after each page with the numbers of pages read and of all pages."""


class Recognised(NamedTuple):
    """Lines read from a picture, and Tesseract's average confidence in their characters, 1 to 100; 0 without text."""

    lines: list[PdfLine]
    confidence: int


@lru_cache(maxsize=1)
def installed() -> tuple[str, ...]:
    """The languages that the installed Tesseract can read, by its own names, in alphabetical order.

    Raises UserError, which states what to install, if the binding, the program or its data are missing.
    """
    try:
        import pytesseract
    except ImportError:
        raise UserError(
            Message("Reading text from pictures needs an optional part."),
            hint=Message("Install it with: pip install 'palimpsest[ocr]'"),
        ) from None
    try:
        names = [name for name in pytesseract.get_languages() if name not in _NO_LANGUAGES and "/" not in name]
    except (pytesseract.TesseractNotFoundError, OSError):
        names = []
    if not names:
        raise UserError(
            Message("Reading text from pictures needs the program tesseract and a language for it."),
            hint=Message("On Debian: apt install tesseract-ocr tesseract-ocr-eng (or -jpn, -chi-sim, …)"),
        )
    return tuple(sorted(names))


def check(languages: str) -> None:
    """Raise UserError unless ``languages`` (AUTOMATIC, or names joined with ``+``) can be read here."""
    there = installed()
    missing = [name for name in languages.split("+") if languages != AUTOMATIC and name not in there]
    if missing:
        raise UserError(
            Message("Tesseract has no data for {languages}.", languages=", ".join(missing)),
            hint=Message("It can read: {languages}.", languages=", ".join(there)),
        )


def read_pictures(
    pictures: Iterable[Image], languages: str, *, count: int, language: str | None = None
) -> Iterator[Recognised]:
    """The text read from each of ``count`` pictures, in order. ``language`` (BCP 47) narrows AUTOMATIC."""
    os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # several threads per page wait for each other
    report = on_page.get()
    at_once = min(_MOST_AT_ONCE, os.cpu_count() or 1)
    chosen = ""
    done = 0
    with ThreadPoolExecutor(at_once) as pool:
        waiting: list[Any] = []
        for picture in pictures:
            chosen = chosen or _chosen(picture, languages, language, count, report)
            waiting.append(pool.submit(_recognised, picture, chosen))
            while len(waiting) > at_once:
                yield waiting.pop(0).result()
                done += 1
                if report:
                    report(done, count)
        for result in waiting:
            yield result.result()
            done += 1
            if report:
                report(done, count)


def _chosen(
    picture: Image, languages: str, language: str | None, count: int, report: Callable[[int, int], None] | None
) -> str:
    """The languages for reading a document, chosen by its first picture; each trial has its own time limit."""
    if languages != AUTOMATIC:
        return languages
    candidates = _candidates(installed(), language)
    if len(candidates) == 1:
        return candidates[0]
    sure: dict[str, float] = {}
    for names in candidates:
        trial = _recognised(picture, names)
        # A few letters that resemble those of another script are recognised with high confidence.
        sure[names] = trial.confidence * sum(line.area for line in trial.lines)
        if report:
            report(0, count)
    return max(candidates, key=sure.__getitem__)


def _candidates(there: Sequence[str], language: str | None) -> list[str]:
    subtag = (language or "").split("-")[0]
    wanted = [name for name in there if name == _BY_SUBTAG.get(subtag) or (subtag == "zh" and name.startswith("chi_"))]
    wanted = [name for name in wanted or there if not name.endswith("_vert")] or [*there]
    others = sorted((name for name in wanted if name not in _NOT_LATIN), key=lambda name: name != "eng")
    together = "+".join(others[:_MOST_TOGETHER])
    return [*([together] if together else []), *(name for name in wanted if name in _NOT_LATIN)]


def _recognised(picture: Image, languages: str) -> Recognised:
    import pytesseract

    try:
        table = pytesseract.image_to_data(
            picture, lang=languages, timeout=PAGE_SECONDS, output_type=pytesseract.Output.DICT
        )
    except (RuntimeError, pytesseract.TesseractError):
        return Recognised([], 0)
    return _of_table(table, picture.width, picture.height)


def _of_table(table: dict[str, list[Any]], width: int, height: int) -> Recognised:
    """The lines of tesseract's table of words. Its paragraphs are ignored, as wide spaces between lines divide them."""
    lines: dict[tuple[int, int, int], _Words] = {}
    names = ("block_num", "par_num", "line_num", "left", "top", "width", "height", "conf", "text")
    across, down = max(1, width), max(1, height)
    for block, paragraph, line, left, top, wide, high, confidence, text in zip(*(table[k] for k in names), strict=True):
        word = _BETWEEN_CJK.sub("", clean(str(text))[0].strip())
        if word and float(confidence) >= 0:
            words = lines.setdefault((int(block), int(paragraph), int(line)), _Words(float(top) / down))
            right, bottom = float(left) + float(wide), float(top) + float(high)
            words.add(word, (float(left) / across, float(top) / down, right / across, bottom / down))
            words.sure += float(confidence) * len(word)
    kept = [words for words in lines.values() if words.sure >= _LEAST_SURE * words.characters]
    sure, characters = sum(words.sure for words in kept), sum(words.characters for words in kept)
    return Recognised(
        [PdfLine(words.text, words.top, words=tuple(words.seen)) for words in kept],
        max(1, round(sure / characters)) if characters else 0,
    )


@dataclass(slots=True)
class _Words:
    """The words of a line, the distance from the top, and the sum of confidence (percent) times characters."""

    top: float
    text: str = ""
    seen: list[SeenWord] = field(default_factory=list)
    sure: float = 0.0
    characters: int = 0

    def add(self, word: str, box: tuple[float, float, float, float]) -> None:
        """Add a word after a space; no space between CJK characters."""
        if self.text and not (CJK.match(self.text[-1]) and CJK.match(word)):
            self.text += " "
        start = len(self.text)
        self.text += word
        self.seen.append(SeenWord(start, len(self.text), *box))
        self.characters += len(word)
