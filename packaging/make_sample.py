"""Write the suspects and the truth of the bundled sample from its sources and templates.

    python packaging/make_sample.py        # rewrites resources/sample/suspects/ and truth.jsonl

A template is a made-up text with directives ``{{SOURCE | first words…last words | EDIT}}``; each is replaced by that
passage of the source, edited. EDIT is one of ``none``, ``width`` (half-width forms), ``symbols`` (other punctuation),
``spaces``, ``case``, ``kyujitai``, ``traditional``, ``simplified``, ``list`` (items with other bullets) and
``light:old>new;…`` (words replaced). The same input always gives the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from opencc import OpenCC  # noqa: E402

from workbench.base.types import Document  # noqa: E402
from workbench.reading import formats  # noqa: E402
from workbench.text.scripts import kyujitai_to_shinjitai, traditional_to_simplified  # noqa: E402
from workbench.text.segmenting.segmentation import segments  # noqa: E402

SAMPLE = ROOT / "resources" / "sample"
DIRECTIVE = re.compile(r"\{\{(?P<source>[^|]+?) \| (?P<first>.+?)…(?P<last>.+?) \| (?P<edit>.+?)\}\}")
KATAKANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"
HALF_WIDTH = {c: chr(0xFF71 + i) for i, c in enumerate(KATAKANA)}
WIDTH = str.maketrans(HALF_WIDTH | {"。": "｡", "、": "､", "「": "｢", "」": "｣", "ー": "ｰ", "・": "･"})
SYMBOLS = str.maketrans({"。": "．", "、": "，", "，": "、", ",": " -", ";": " -", '"': "“", "'": "’"})
BULLETS = "・*-→"


@dataclass(frozen=True)
class Copy:
    """One copied passage, in code points of both texts."""

    suspect: str
    suspect_span: tuple[int, int]
    source: str
    source_span: tuple[int, int]
    sentences: int
    edit: str


def width(text: str) -> str:
    """Half-width katakana and punctuation; NFKC leads back."""
    return text.translate(WIDTH)


def symbols(text: str) -> str:
    """Other punctuation, and a star before each sentence."""
    return "☆" + re.sub(r"([．！？])(?=.)", r"\1☆", text.translate(SYMBOLS))


def spaces(text: str) -> str:
    """Doubled spaces between words; an ideographic space after each comma or full stop."""
    return re.sub(r"([、。，；])", "\\1\u3000", re.sub(r"[ \n]+", "  ", text)).rstrip()


def kyujitai(text: str) -> str:
    """New Japanese character forms to old ones."""
    old_form = {new: old for old, new in reversed(list(kyujitai_to_shinjitai().items()))}
    return "".join(old_form.get(c, c) for c in text)


def traditional(text: str) -> str:
    """Simplified Chinese characters to traditional ones."""
    return str(OpenCC("s2t").convert(text))


def simplified(text: str) -> str:
    """Traditional Chinese characters to simplified ones."""
    table = traditional_to_simplified()
    return "".join(table.get(c, c) for c in text)


def bullets(text: str) -> str:
    """One item a line, each behind a bullet."""
    items = (line.strip() for line in text.split("\n"))
    return "\n".join(f"{BULLETS[i % len(BULLETS)]} {item}" for i, item in enumerate(filter(None, items)))


EDITS: dict[str, Callable[[str], str]] = {
    "none": str,
    "width": width,
    "symbols": symbols,
    "spaces": spaces,
    "case": str.upper,
    "kyujitai": kyujitai,
    "traditional": traditional,
    "simplified": simplified,
    "list": bullets,
}


def edited(text: str, edit: str) -> str:
    """``text`` after ``edit``. Raises ``ValueError`` when a word to be replaced does not occur."""
    name, _, words = edit.partition(":")
    if name != "light":
        return EDITS[name](text)
    for change in words.split(";"):
        old, new = change.split(">")
        if old not in text:
            raise ValueError(f"{old!r} does not occur in the passage")
        text = text.replace(old, new)
    return text


def passage(source: Document, first: str, last: str) -> tuple[int, int]:
    """Where the passage from ``first`` to ``last`` stands; a space in either stands for any white space."""
    pattern = ".*?".join(r"\s+".join(map(re.escape, part.split())) for part in (first, last))
    found = [match.span() for match in re.finditer(pattern, source.text, re.DOTALL)]
    if len(found) != 1:
        raise ValueError(f"{first}…{last}: {len(found)} times in {source.id}")
    return found[0]


def written(name: str, template: str, sources: dict[str, Document]) -> tuple[str, list[Copy]]:
    """A suspect's text and its copied passages."""
    parts: list[str] = []
    copies: list[Copy] = []
    length = at = 0
    for match in DIRECTIVE.finditer(template):
        source = sources[match["source"]]
        start, end = passage(source, match["first"], match["last"])
        text = edited(source.text[start:end], match["edit"])
        parts += [template[at : match.start()], text]
        begin = length + match.start() - at
        length, at = begin + len(text), match.end()
        inside = [span for span in segments(source.text, blocks=source.blocks) if start < span.end and span.start < end]
        edit = match["edit"].partition(":")[0]
        copies.append(Copy(name, (begin, length), source.id, (start, end), len(inside), edit))
    return "".join((*parts, template[at:])), copies


def read_folder(name: str) -> dict[str, Document]:
    """The documents of ``sources`` or ``suspects`` as the program extracts them, by their id in the manifest."""
    documents: dict[str, Document] = {}
    for source in formats.expand([SAMPLE / name]):
        for item in [source] if isinstance(source, formats.Failure) else formats.read(source):
            if isinstance(item, formats.Failure):
                raise ValueError(f"{item.path}: {item.error}")
            identifier = f"{name}/{item.document.id.rpartition(f'{name}/')[2]}"
            documents[identifier] = replace(item.document, id=identifier)
    return documents


def main() -> None:
    """Write suspects and truth."""
    sources = read_folder("sources")
    copies: list[Copy] = []
    for template in sorted((SAMPLE / "templates").glob("*.txt")):
        name = f"suspects/{template.name}"
        text, found = written(name, template.read_text("utf-8"), sources)
        (SAMPLE / name).write_text(text, "utf-8", newline="\n")
        copies += found
    lines = (json.dumps(vars(copy), ensure_ascii=False) for copy in copies)
    (SAMPLE / "truth.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
