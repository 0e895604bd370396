"""How well the text of PDF files is read: words, order, paragraphs, running heads and places, beside other readers.

    python -m tests.golden.pdf_text [--held-out] [--debian FOLDER] [--peers PYTHON] [--each] [KIND ...]

The files are those of :mod:`tests.golden.pdfs`, or those of :mod:`tests.golden.pdfs_held_out`. FOLDER keeps the
packages of Debian's documentation; without it these are left out. PYTHON is an interpreter that has pypdf and
pdfminer.six; ``pdftotext`` is asked where it is installed.

- *words*: F1 of the words (of Chinese and Japanese: of pairs of characters) of all text, running heads included, since
  no other reader knows them; a pair with the end of a paragraph in it counts for none, whatever comes after it;
- *order*: of the runs of three words (of eight characters) that are once in the paragraphs of the truth's body, how
  many are in the text in their order;
- *content*: F1 of the words of what is no running head;
- *heads*: precision and recall of the characters that are judged running heads, page by page;
- *whole*: how many paragraphs of the body are one block, and nothing else;
- *places*: how many characters of the text are known to be somewhere on its pages.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from tests.golden import pdfs, pdfs_held_out
from tests.golden.pdfs import Layout, Sample
from workbench.base.types import BlockClass, Document
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.pdf import document
from workbench.reading.printed_pages import PrintedPages

_CJK = "\u3040-\u30ff\u3400-\u9fff々〆"
_PIECE = re.compile(f"[{_CJK}]|[^\\W\\d_{_CJK}]+")
_SPACES = re.compile(r"\s+")
PEERS = {
    "pypdf": "import sys, pypdf; print('\\n'.join(p.extract_text() for p in pypdf.PdfReader(sys.argv[1]).pages))",
    "pdfminer.six": "import sys; from pdfminer.high_level import extract_text; print(extract_text(sys.argv[1]))",
}


def pieces(text: str) -> list[str]:
    """The words of a text, of Chinese and Japanese its characters; numbers are none, for they mark footnotes."""
    return _PIECE.findall(unicodedata.normalize("NFKC", text).replace("\u00ad", "").casefold())


def words(text: str) -> Counter[str]:
    """How often each word, or pair of Chinese or Japanese characters, is in a text."""
    some = pieces(text)
    lone = Counter(one for one in some if not re.match(f"[{_CJK}]", one))
    return lone + Counter(a + b for a, b in pairwise(some) if re.match(f"[{_CJK}]{{2}}", a + b))


def f1(truth: Sequence[str], text: str) -> float:
    """F1 of the words of a text, against those of paragraphs in whatever order; 1 where both have none.

    A pair of characters that begins with the end of a paragraph is not held against a text: something has to follow.
    """
    wanted, there = Counter[str](), words(text)
    for part in truth:
        wanted.update(words(part))
    ends = Counter(some[-1] for part in truth if (some := pieces(part)))
    for pair, count in (there - wanted).items():
        if re.match(f"[{_CJK}]{{2}}", pair):
            there[pair] -= (free := min(count, ends[pair[0]]))
            ends[pair[0]] -= free
    total = wanted.total() + there.total()
    return 2 * (wanted & there).total() / total if total else 1.0


def order(truth: Sequence[str], text: str, lang: str) -> float:
    """The share of the runs that are once in ``truth`` which ``text`` has in the same order."""
    n = 3 if lang == "en" else 8
    wanted, there = (_once([pieces(part) for part in some], n) for some in (truth, [text]))
    rising: list[int] = []
    for run in sorted(wanted, key=wanted.__getitem__):
        if (at := there.get(run)) is not None:
            place = bisect_left(rising, at)
            rising[place : place + 1] = [at]
    return len(rising) / len(wanted) if wanted else 1.0


def _once(parts: Sequence[Sequence[str]], n: int) -> dict[tuple[str, ...], int]:
    """The runs of ``n`` that are once in the parts, none of which goes over to another part, and where they begin."""
    places: dict[tuple[str, ...], int] = {}
    twice, before = set(), 0
    for part in parts:
        for at in range(len(part) - n + 1):
            run = tuple(part[at : at + n])
            if run in places:
                twice.add(run)
            places[run] = before + at
        before += len(part)
    return {run: at for run, at in places.items() if run not in twice}


@dataclass
class Figures:
    """What was measured of files of one kind, each a mean over them, or None where it is not known."""

    words: float
    order: float
    content: float | None = None
    precision: float | None = None
    recall: float | None = None
    whole: float | None = None
    places: float | None = None


def compared(sample: Sample, text: str) -> Figures:
    """The figures that any reader's text has."""
    heads = [one for page in (sample.heads or {}).values() for one in page]
    return Figures(f1((*sample.flow, *sample.beside, *heads), text), order(sample.flow, text, sample.lang))


def measured(sample: Sample, read: Document) -> Figures:
    """The figures of the document that was read from a file."""
    content = [read.text[slice(*b.span)] for b in read.blocks if b.verdict is not BlockClass.NON_CONTENT]
    figures = compared(sample, read.text)
    # The order is that of the content: what runs on the pages comes after the paragraph that a page break divides.
    figures.order = order(sample.flow, "\n".join(content), sample.lang)
    if sample.heads is None:
        return figures
    figures.content = f1((*sample.flow, *sample.beside), "\n".join(content))
    figures.precision, figures.recall = _heads(sample.heads, read)
    bare = Counter(_bare(one) for one in content)
    wanted = Counter(_bare(one) for one in sample.flow)
    figures.whole = (wanted & bare).total() / wanted.total()
    figures.places = _places(sample.data, read)
    return figures


def _bare(text: str) -> str:
    # The marks of footnotes are no part of the truth.
    return re.sub(r"[\d\W_]+", "", unicodedata.normalize("NFKC", text))


def _heads(heads: Mapping[int, Sequence[str]], read: Document) -> tuple[float, float]:
    judged: dict[str, Counter[str]] = defaultdict(Counter)
    for block in read.blocks:
        if block.verdict is BlockClass.NON_CONTENT:
            judged[block.path].update(_SPACES.sub("", read.text[slice(*block.span)]))
    true = {f"page[{page}]": Counter(_SPACES.sub("", "".join(texts))) for page, texts in heads.items()}
    both = sum((judged[path] & own).total() for path, own in true.items())
    all_judged, all_true = (sum(c.total() for c in some.values()) for some in (judged, true))
    return both / all_judged if all_judged else 1.0, both / all_true if all_true else 1.0


def _places(data: bytes, read: Document) -> float:
    """The share of the text's characters, other than white space, with a place on a page."""
    pages = PrintedPages(data, read)
    try:
        seen = {at for index in range(len(pages.sizes())) for at in pages.places(index).offsets.tolist()}
    finally:
        pages.close()
    there = [at for at, c in enumerate(read.text) if not c.isspace()]
    return sum(at in seen for at in there) / len(there)


def read(sample: Sample) -> Document:
    """The document that the program reads from a file."""
    return document(sample.data, sample.name, ReadOptions())


def files(kinds: Iterable[str] = (), debian: Path | None = None) -> Iterator[Sample]:
    """The files of some kinds, without names of all; without what is not installed."""
    wanted = [one for one in pdfs.layouts() if not kinds or one.kind in kinds]
    yield from laid_out(wanted)
    if debian and (not kinds or "documentation" in kinds):
        yield from pdfs.documentation(debian)


def laid_out(wanted: Sequence[Layout]) -> Iterator[Sample]:
    """The files of some layouts, without those of a program that is not installed."""
    yield from (pdfs.by_typst(one) for one in wanted if one.maker == "typst")
    if pdfs.writer():
        yield from pdfs.by_writer([one for one in wanted if one.maker == "writer"])


def _peers(sample: Sample, python: str) -> dict[str, Figures]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.pdf"
        path.write_bytes(sample.data)
        commands = {name: [python, "-c", code, str(path)] for name, code in PEERS.items()} if python else {}
        if shutil.which("pdftotext"):
            commands["pdftotext -layout"] = ["pdftotext", "-layout", str(path), "-"]
            commands["pdftotext"] = ["pdftotext", str(path), "-"]
        texts = {}
        for name, command in commands.items():
            done = subprocess.run(command, capture_output=True, check=False)
            texts[name] = done.stdout.decode("utf-8", "replace")
    return {name: compared(sample, text) for name, text in texts.items()}


@dataclass
class Table:
    """Figures by kind and reader."""

    rows: dict[tuple[str, str], list[Figures]] = field(default_factory=lambda: defaultdict(list))

    def lines(self) -> Iterator[str]:
        """The table, a row for each kind and reader."""
        yield f"{'kind':22}{'reader':20}{'n':>4}" + "".join(f"{one.name:>11}" for one in fields(Figures))
        for (kind, reader), some in sorted(self.rows.items()):
            cells = ""
            for one in fields(Figures):
                values = [value for f in some if (value := getattr(f, one.name)) is not None]
                cells += f"{mean(values):11.4f}" if values else f"{'':11}"
            yield f"{kind:22}{reader:20}{len(some):4}{cells}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--debian", type=Path)
    parser.add_argument("--held-out", action="store_true", help="the files that differ in kind")
    parser.add_argument("--peers", default="")
    parser.add_argument("--each", action="store_true", help="a row for each file")
    arguments = parser.parse_args()
    table, kinds = Table(), arguments.kinds
    other = [sheet for sheet in pdfs_held_out.sheets() if not kinds or sheet.kind in kinds]
    for one in pdfs_held_out.made_here(other) if arguments.held_out else files(kinds, arguments.debian):
        kind = one.name if arguments.each else one.kind
        table.rows[kind, "palimpsest"].append(measured(one, read(one)))
        for name, figures in _peers(one, arguments.peers).items():
            table.rows[kind, name].append(figures)
    print("\n".join(table.lines()))


if __name__ == "__main__":
    main()
