"""How well the rules for content blocks find the text of real pages: F1 by shingles of four words or characters.

    python -m tests.golden.blocks [FOLDER] [--all]

FOLDER (default: the real texts beside the repository) holds ``articles_en``, ``articles_mixed``, ``articles_zh`` and
``pages_ja``. The points of the default rule are fitted on such pages; its figures are those of points fitted on the
half of the hosts that a page is not of. ``--all`` adds the points that the program ships: no figure to expect
elsewhere, and marked. On ``pages_ja`` the truth is what CSS selectors of a person take; nothing is fitted there.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from lxml import etree
from lxml.cssselect import CSSSelector

from workbench.base.types import Block, BlockClass
from workbench.reading.blocks import scorecard
from workbench.reading.blocks.rules import LEANS, RULES, judge, trafilatura_rule
from workbench.reading.blocks.selectors import judge_by_selectors
from workbench.reading.decoding import decode
from workbench.reading.html.page import extract_html

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ARTICLES = ("articles_en", "articles_mixed", "articles_zh")
PAGES = "pages_ja"
CORPORA = (*ARTICLES, PAGES)
FITTED = ("default", "strict", "generous", "alone")
"""Rules whose points were fitted on pages."""
_INVISIBLE = ("script", "style", "noscript", "template", "textarea", "select", "iframe", "svg")
_JAPANESE_CHINESE = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\W\u3040-\u30ff\u3400-\u9fff]+")
_WORD = re.compile(r"\w+")
N = 4


@dataclass(frozen=True, slots=True)
class Sample:
    """A page with the text that a person would take from it; ``selector`` is what takes it, where known."""

    name: str
    host: str
    markup: str
    truth: str
    selector: str = ""


Extract = Callable[[Sample], str]


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over pages: precision, recall and the F1 of both."""

    pages: int
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@cache
def samples(folder: Path, corpus: str) -> tuple[Sample, ...]:
    """The pages of a corpus, decoded as they are on import."""
    root = folder / corpus
    if corpus == PAGES:
        rows = json.loads((root / "selectors.json").read_text(encoding="utf-8"))
        return tuple(_chosen(root / row["file"], row) for row in rows)
    truth = json.loads((root / "ground-truth.json").read_text(encoding="utf-8"))
    return tuple(
        Sample(name, _host(row.get("url")), _decoded(gzip.decompress(_page(root, name))), row["articleBody"])
        for name, row in truth.items()
    )


def is_for_training(name: str) -> bool:
    """Whether the points of "half" are fitted on the pages of this host (of this name, where the host is unknown).

    Those of "other" are fitted on the other pages.
    """
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def _page(root: Path, name: str) -> bytes:
    return (root / "html" / f"{name}.html.gz").read_bytes()


def _decoded(data: bytes) -> str:
    return decode(data, html=True).text


def _host(url: str | None) -> str:
    return (urlsplit(url or "").hostname or "").removeprefix("www.")


def _chosen(file: Path, row: dict[str, list[str]]) -> Sample:
    """The truth: what the selectors take, less what the others clean away, on a plain tree."""
    markup = _decoded(file.read_bytes())
    root = etree.fromstring(markup.encode("utf-8", "replace"), etree.HTMLParser(huge_tree=True, encoding="utf-8"))
    cleaned = {e for css in row["clean_selectors"] for e in _elements(root, css)}
    wanted = {e for css in row["content_selectors"] for e in _elements(root, css)}
    texts: list[str] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        inside = [element, *element.iterancestors()]
        taken = not any(e in cleaned or e.tag in _INVISIBLE for e in inside) and any(e in wanted for e in inside)
        if event == "start" and isinstance(element.tag, str) and taken:
            texts.append(element.text or "")
        elif event == "end" and (above := element.getparent()) is not None:
            outside = [above, *above.iterancestors()]
            if any(e in wanted for e in outside) and not any(e in cleaned or e.tag in _INVISIBLE for e in outside):
                texts.append(element.tail or "")
    url = str(row["url"])
    return Sample(file.stem, _host(url), markup, "".join(texts), ", ".join(row["content_selectors"]))


def _elements(root: etree._Element, css: str) -> list[etree._Element]:
    return cast("list[etree._Element]", CSSSelector(css, translator="html")(root))


def content(text: str, blocks: Iterable[Block]) -> str:
    """The content blocks, a line each."""
    return "\n".join(text[b.span.start : b.span.end] for b in blocks if b.verdict is BlockClass.CONTENT)


def by_rule(name: str, *, apart: bool = False) -> Extract:
    """Our extraction with the rule of this name; ``apart``: with points fitted on the half of the hosts without it."""

    def extract(sample: Sample) -> str:
        page = extract_html(sample.markup).page
        if apart and name in FITTED:
            card = scorecard.fitted("other" if is_for_training(sample.host or sample.name) else "half")
            ask = (lambda: trafilatura_rule(page, sample.markup)) if name != "alone" else None
            chosen = scorecard.weigh(page, ask, card, lean=LEANS.get(name, 0.0)).content
            return "\n".join([page.text[slice(*limits)] for limits in page.columns.leaves[chosen, :2].tolist()])
        return content(page.text, judge(page, name, sample.markup))

    return extract


def by_selector(sample: Sample) -> str:
    """Our extraction with the selector chosen for the page's host."""
    page = extract_html(sample.markup).page
    return content(page.text, judge_by_selectors(page, sample.markup, sample.host, {sample.host: sample.selector}))


def shingles(text: str, *, by_character: bool) -> Counter[tuple[str, ...]]:
    """Runs of four words (characters in Japanese and Chinese)."""
    tokens = (_JAPANESE_CHINESE if by_character else _WORD).findall(text)
    return Counter(tuple(tokens[i : i + N]) for i in range(max(1, len(tokens) - N + 1)) if tokens)


def quality(corpus: str, extracts: Iterable[tuple[Sample, str]]) -> Quality:
    """How the texts taken compare with the truth; every page weighs the same."""
    right = too_much = too_little = 0.0
    pages = 0
    for sample, taken in extracts:
        pages += 1
        words, true = (shingles(t, by_character=corpus.endswith(("zh", "ja"))) for t in (taken, sample.truth))
        both, more, less = (sum(c.values()) for c in (words & true, words - true, true - words))
        total = both + more + less or 1
        right, too_much, too_little = right + both / total, too_much + more / total, too_little + less / total
    return Quality(pages, right / (right + too_much or 1), right / (right + too_little or 1))


def measured(folder: Path, *, apart: bool) -> Iterator[tuple[str, str, Quality]]:
    """Corpus, name of the rule, figures: of points fitted on the other half of the hosts (``apart``), or of all."""
    for corpus in CORPORA:
        ways: dict[str, Extract] = {name: by_rule(name, apart=apart) for name in RULES}
        if corpus == PAGES:
            ways["selectors"] = by_selector
        for name, extract in ways.items():
            yield corpus, name, quality(corpus, ((sample, extract(sample)) for sample in samples(folder, corpus)))


def main() -> None:
    """Print a line for each corpus and rule."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--all", action="store_true", help="also the shipped points, on the pages they were fitted on")
    arguments = parser.parse_args()
    for apart in (True, False) if arguments.all else (True,):
        print("points of the other half of the hosts" if apart else "shipped points, on the pages they were fitted on")
        for corpus, name, figure in measured(arguments.folder, apart=apart):
            figures = f"F1 {figure.f1:.3f}  P {figure.precision:.3f}  R {figure.recall:.3f}"
            print(f"  {corpus:15}{name:12}{figure.pages:4} pages  {figures}")


if __name__ == "__main__":
    main()
