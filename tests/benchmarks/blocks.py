"""Our content blocks beside trafilatura, resiliparse and jusText on real pages, in one run: quality and speed.

    python -m tests.benchmarks.blocks [FOLDER] [--quick]

FOLDER (default: the real texts beside the repository) is that of ``tests.golden.blocks``, whose figures these are.
Every extractor gets the same decoded markup and gives a string; quality is F1 by shingles of four words (characters in
Japanese and Chinese), speed is pages a CPU second of one core, parsing included. Our rules are named as in the program;
those with fitted points use the ones fitted on the half of the hosts that a page is not of. Settings of the others, the
best on these pages of those we tried:

- trafilatura fast: ``extract(include_comments=False, fast=True)``; precise: with ``favor_precision=True`` instead;
  default: with neither, so that other extractors are asked where it is in doubt
- resiliparse: ``extract_plain_text(main_content=True, alt_texts=False)``
- jusText: its stop words of English; for Japanese and Chinese none and no stop-word thresholds, as it advises
- all text: every block of the page

Ratios matter; rates are this machine's. --quick takes every eighth page.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import justext
import trafilatura
from resiliparse.extract.html2text import extract_plain_text

from tests.golden.blocks import (
    CORPORA,
    DATA,
    PAGES,
    Extract,
    Quality,
    Sample,
    by_rule,
    by_selector,
    quality,
    samples,
)
from workbench.reading.blocks.rules import RULES

BASE = "trafilatura fast"


def by_trafilatura(*, fast: bool = False, precise: bool = False) -> Extract:
    """trafilatura's main text."""

    def extract(sample: Sample) -> str:
        return trafilatura.extract(sample.markup, include_comments=False, fast=fast, favor_precision=precise) or ""

    return extract


def by_resiliparse(sample: Sample) -> str:
    """resiliparse's main content."""
    taken: str = extract_plain_text(sample.markup, main_content=True, alt_texts=False)
    return taken


def by_justext(*, english: bool) -> Extract:
    """jusText's good paragraphs."""
    words = justext.get_stoplist("English") if english else frozenset()
    limits = {} if english else {"stopwords_low": 0.0, "stopwords_high": 0.0}

    def extract(sample: Sample) -> str:
        try:
            paragraphs = justext.justext(sample.markup.encode("utf-8", "replace"), words, encoding="utf-8", **limits)
        except Exception:  # noqa: BLE001 - it raises what its parser raises; then it takes nothing
            return ""
        return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)

    return extract


def extractors(corpus: str) -> dict[str, Extract]:
    """Every extractor by name, ours first."""
    ours = {f"ours {name}": by_rule(name, apart=True) for name in RULES}
    if corpus == PAGES:
        ours["ours selectors"] = by_selector
    return ours | {
        BASE: by_trafilatura(fast=True),
        "trafilatura precise": by_trafilatura(precise=True),
        "trafilatura default": by_trafilatura(),
        "resiliparse": by_resiliparse,
        "jusText": by_justext(english=corpus not in (PAGES, "articles_zh")),
    }


def timed(extract: Extract, pages: Sequence[Sample]) -> tuple[list[str], float]:
    """The texts, and CPU seconds; what is loaded on first use is not counted."""
    extract(pages[0])
    begun = time.process_time()
    taken = [extract(sample) for sample in pages]
    return taken, time.process_time() - begun


def measured(corpus: str, pages: Sequence[Sample]) -> Iterator[tuple[str, Quality, float]]:
    """For every extractor: quality, and pages a second."""
    for name, extract in extractors(corpus).items():
        taken, seconds = timed(extract, pages)
        yield name, quality(corpus, zip(pages, taken, strict=True)), len(pages) / max(seconds, 1e-9)


def main() -> None:
    """Print a table for each corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--quick", action="store_true", help="every eighth page")
    arguments = parser.parse_args()
    for corpus in CORPORA:
        pages = samples(arguments.folder, corpus)
        if arguments.quick and corpus != PAGES:
            pages = pages[::8]
        rows = list(measured(corpus, pages))
        base = next(row for row in rows if row[0] == BASE)
        print(f"\n{corpus}: {len(pages)} pages")
        print(f"{'':22}{'F1':>6}{'P':>7}{'R':>7}{'to ' + BASE:>22}{'pages/s':>9}{'times ' + BASE:>24}")
        for name, figure, rate in rows:
            figures = f"{figure.f1:6.3f}{figure.precision:7.3f}{figure.recall:7.3f}{figure.f1 - base[1].f1:+22.3f}"
            print(f"{name:22}{figures}{rate:9.0f}{rate / base[2]:24.2f}")


if __name__ == "__main__":
    main()
