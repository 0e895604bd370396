"""How often an encoding is found: passages of real text in each encoding, with right, wrong and no declaration.

    python -m tests.golden.encodings [--shared] [--misses]

A passage is written in an encoding and read back; it counts as right when the text is the same. Declarations: none; the
transport's (an HTTP header) or the page's own (``<meta charset>``), right or wrong; a byte order mark under a wrong
declaration by the transport. Texts: the bundled sample; with ``--shared`` also the texts beside the repository.
"""

from __future__ import annotations

import argparse
import codecs
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.base.errors import UnreadableInput
from workbench.reading.decoding import decode

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample"
SHARED = ROOT.parent / "shared" / "data"
LENGTHS = (60, 300, 2000)
"""Code points of a passage."""
MOST = 20
"""Passages of one length from one text."""

JAPANESE, CHINESE = ("shift_jis", "euc_jp", "iso2022_jp"), ("gb18030", "big5")
CODECS = {"shift_jis": "cp932"}
"""As browsers, who all take Shift_JIS for Windows-31J: the two differ in five punctuation marks."""

UNICODE = ("utf-8", "utf-16-le", "utf-16-be")
DECLARED = {
    "shift_jis": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "iso2022_jp": "ISO-2022-JP",
    "gb18030": "GB18030",
    "big5": "Big5",
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
}
WRONG = {
    "shift_jis": ("UTF-8", "EUC-JP", "ISO-8859-1"),
    "euc_jp": ("UTF-8", "Shift_JIS", "GB2312"),
    "iso2022_jp": ("UTF-8", "Shift_JIS", "ISO-8859-1"),
    "gb18030": ("UTF-8", "Big5", "ISO-8859-1"),
    "big5": ("UTF-8", "GB2312", "ISO-8859-1"),
    "utf-8": ("Shift_JIS", "GB2312", "ISO-8859-1"),
    "utf-16-le": ("UTF-8", "Shift_JIS", "GB2312"),
    "utf-16-be": ("UTF-8", "Shift_JIS", "GB2312"),
}
MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
CASES = ("none", "transport right", "meta right", "transport wrong", "meta wrong", "mark, wrong")


@dataclass(frozen=True)
class Trial:
    """A passage as bytes under a declaration."""

    encoding: str
    length: int
    case: str
    text: str
    data: bytes
    transport: str | None
    page: bool

    def is_right(self) -> bool:
        """Whether the program reads the text that was written."""
        try:
            return decode(self.data, declared=self.transport, html=self.page).text == self.text
        except UnreadableInput:
            return False


def sample_texts() -> Iterator[tuple[str, str]]:
    """Language and text of the bundled sources in Japanese and Chinese."""
    manifest = json.loads((SAMPLE / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["documents"]:
        path = SAMPLE / entry["id"]
        if entry["language"] in ("ja", "zh") and path.suffix == ".txt" and path.exists():
            yield entry["language"], decode(path.read_bytes()).text


def shared_texts() -> Iterator[tuple[str, str]]:
    """Language and text of articles and works beside the repository."""
    for line in (SHARED / "wiki_ja" / "documents.jsonl").open(encoding="utf-8"):
        yield "ja", json.loads(line)["text"]
    for path in sorted((SHARED / "laws_zh").rglob("*.md"))[:40]:
        yield "zh", decode(path.read_bytes()).text


def trials(texts: Iterator[tuple[str, str]]) -> Iterator[Trial]:
    """Every passage that an encoding can hold, under each declaration."""
    for language, text in texts:
        for encoding in (*(JAPANESE if language == "ja" else CHINESE), *UNICODE):
            for length in LENGTHS:
                passages = (text[at : at + length].replace("\r", "") for at in range(0, len(text), length))
                fitting = [p for p in passages if len(p) == length and _holds(encoding, p)]
                step = max(1, len(fitting) // MOST)
                for number, passage in enumerate(fitting[::step][:MOST]):
                    yield from _cases(encoding, length, passage, WRONG[encoding][number % 3])


def _holds(encoding: str, passage: str) -> bool:
    """Whether the encoding has every character and gives each back; a passage of ASCII only says nothing."""
    try:
        return not passage.isascii() and _written(passage, encoding).decode(CODECS.get(encoding, encoding)) == passage
    except UnicodeError:
        return False


def _written(text: str, encoding: str) -> bytes:
    return text.encode(CODECS.get(encoding, encoding))


def _cases(encoding: str, length: int, text: str, wrong: str) -> Iterator[Trial]:
    def trial(case: str, charset: str = "", transport: str | None = None, mark: bytes = b"") -> Trial:
        shown = f'<html><head><meta charset="{charset}"></head><p>{text}' if charset else text
        return Trial(encoding, length, case, shown, mark + _written(shown, encoding), transport, bool(charset))

    right = DECLARED[encoding]
    yield trial("none")
    yield trial("transport right", transport=right)
    yield trial("meta right", charset=right)
    yield trial("transport wrong", transport=wrong)
    yield trial("meta wrong", charset=wrong)
    if encoding in MARKS:
        yield trial("mark, wrong", transport=wrong, mark=MARKS[encoding])


Counts = dict[tuple[str, str], tuple[int, int]]


def count(texts: Iterator[tuple[str, str]], misses: list[Trial] | None = None) -> Counts:
    """Right and all passages by encoding and case."""
    right: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for trial in trials(texts):
        key = (trial.encoding, trial.case)
        total[key] += 1
        if trial.is_right():
            right[key] += 1
        elif misses is not None:
            misses.append(trial)
    return {key: (right[key], total[key]) for key in total}


def main() -> None:
    """Print the counts, and on request each passage that was not found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    misses: list[Trial] = []
    counts = count(shared_texts() if arguments.shared else sample_texts(), misses)
    print(f"{'':11}" + "".join(f"{case:>18}" for case in CASES))
    for encoding in DECLARED:
        cells = [counts.get((encoding, case)) for case in CASES]
        if any(cells):
            print(f"{encoding:11}" + "".join(f"{f'{c[0]:,}/{c[1]:,}' if c else '-':>18}" for c in cells))
    right, total = (sum(cell[i] for cell in counts.values()) for i in (0, 1))
    print(f"{right:,} of {total:,} right; wrong by length {dict(Counter(t.length for t in misses))}")
    for trial in misses if arguments.misses else ():
        print(trial.encoding, trial.case, trial.length, repr(trial.text[:80]))


if __name__ == "__main__":
    main()
