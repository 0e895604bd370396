"""The text of a document on pages that another program made of it."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from tests.printed import COLUMNS, ENGLISH, JAPANESE, printed
from workbench.base.types import BlockClass, Document
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.pdf import document
from workbench.reading.made_pages import aligned, made_pages, pages_from
from workbench.reading.printed_pages import PrintedPages, boxes_of

WORDS = ("the", "harbour", "was", "quiet", "and", "fishermen", "mended", "nets", "nobody", "had", "seen", "ship")


def letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(WORDS) for _ in range(count))


def test_equal_letters_are_aligned_wherever_they_are() -> None:
    rng = random.Random(5)
    parts = [letters(rng, 60) for _ in range(12)]
    moved = [*parts[:4], parts[9], *parts[4:9], *parts[10:]]
    shown = "".join(f"{number}Header{part}" for number, part in enumerate(moved))
    own = "".join(parts)
    stretches = aligned(own, shown)
    assert sum(s.length for s in stretches) > 0.97 * len(own)
    assert all(own[s.a : s.a + s.length] == shown[s.b : s.b + s.length] for s in stretches)
    assert all(a.a + a.length <= b.a for a, b in pairwise(stretches))


def test_paragraphs_that_occur_several_times_are_in_their_order() -> None:
    rng = random.Random(6)
    again = letters(rng, 80)
    own = again + "one" + again + "two" + again
    shown = again + "one9" + again + "9two" + again
    assert sum(s.length for s in aligned(own, shown)) == len(own)


def test_other_letters_are_nowhere() -> None:
    assert aligned("", "abc") == []
    assert aligned("xyz" * 9, "abc" * 9) == []


@cache
def case(source: str) -> tuple[bytes, Document, Document, list[int]]:
    """A PDF, its document, and one from elsewhere without headers and page numbers; where that has each character."""
    data = printed(source)
    own = document(data, "pdf", ReadOptions())
    kept = [block.span for block in own.blocks if block.verdict is BlockClass.CONTENT]
    offsets = [at for span in kept for at in range(span.start, span.end + 1)]
    return data, own, Document("d", "\n".join(own.text[span.start : span.end] for span in kept)), offsets


@pytest.mark.parametrize("source", [ENGLISH, COLUMNS, JAPANESE], ids=["paragraphs", "two columns", "Japanese"])
def test_the_words_are_where_the_pdf_has_them(source: str) -> None:
    data, own, elsewhere, offsets = case(source)
    done = made_pages(data, elsewhere)
    assert (done.nowhere, done.words) == (0, len(elsewhere.text.split()))
    pages, shown = PrintedPages(data, own), PrintedPages(data, elsewhere, done.boxes)
    checked = misplaced = 0
    for page in range(done.pages):
        there, here = pages.places(page), shown.places(page)
        for box in (box for box in done.boxes if box.page == page):
            first, last = np.searchsorted(there.offsets, (offsets[box.start], offsets[box.end - 1]))
            [whole] = boxes_of(here, box.start, box.end)
            assert there.offsets[first] == offsets[box.start]
            off = max(abs(whole.left - there.boxes[first][0]), abs(whole.right - there.boxes[last][2]))
            misplaced += off > 0.2
            checked += 1
    assert checked > 300
    # The three letters that end each of several equal paragraphs.
    assert misplaced <= (3 if source == JAPANESE else 0)
    shown.close()
    pages.close()


def test_a_word_of_which_the_pages_lack_a_part_is_counted_as_nowhere() -> None:
    data, _, elsewhere, _ = case(ENGLISH)
    first, _, rest = elsewhere.text.partition(" ")
    lacking = replace(elsewhere, text=f"{first}zqj {rest}")
    assert made_pages(data, lacking).nowhere == 1


def test_lines_begin_with_the_words_of_the_text() -> None:
    data, own, elsewhere, offsets = case(ENGLISH)
    done = made_pages(data, elsewhere)
    for mine, theirs in zip(pages_from(done.boxes, done.pages), own.extraction.pages, strict=True):
        assert [offsets[start] for start in mine.lines] == list(theirs.lines)
