"""Words, order, running heads and places of PDF files of known text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from random import Random
from statistics import mean

import pytest

from tests.exact_places import differences
from tests.golden import pdfs, pdfs_held_out
from tests.golden.pdf_text import Figures, compared, laid_out, measured, read
from workbench.base.locators import Places
from workbench.base.types import Document, Span


@cache
def files(every: int, maker: str) -> list[tuple[pdfs.Sample, Document]]:
    # Ten layouts in each language and style: a step of 11 meets all of these, and six of the ten.
    step = 11 if every > 1 else 1
    wanted = [one for one in pdfs.layouts() if one.maker == maker][::step]
    return [(one, read(one)) for one in laid_out(wanted)]


@pytest.mark.parametrize(
    "maker",
    [
        "typst",
        pytest.param(
            "writer",
            marks=[pytest.mark.rest, pytest.mark.skipif(not pdfs.writer(), reason="LibreOffice is not there")],
        ),
    ],
)
def test_pdf_files_are_read_as_they_were_written(every: int, maker: str) -> None:
    some = [measured(*one) for one in files(every, maker)]
    assert mean(one.words for one in some) > 0.998
    assert min(one.words for one in some) > 0.994
    assert mean(one.order for one in some) > 0.997
    assert mean(one.whole or 0 for one in some) > 0.98
    assert mean(one.precision or 0 for one in some) > 0.98
    assert mean(one.recall or 0 for one in some) > 0.98
    assert mean(one.places or 0 for one in some) > 0.999


OTHER_MAKERS = [
    "typst",
    *(
        pytest.param(name, marks=pytest.mark.skipif(not installed, reason=f"{name} is not there"))
        for name, installed in (
            ("writer", pdfs.writer()),
            *((name, find_spec(module)) for name, (module, _) in pdfs_held_out.MAKERS.items() if name != "typst"),
        )
    ),
]


def assert_exact(samples: Iterable[tuple[pdfs.Sample, Document]], *, pages: int) -> None:
    """Passages of random pages have their words in their rectangles and no others."""
    for sample, document in samples:
        compared, wrong = differences(sample.data, document, Random(3), most_pages=pages, passages=12)
        assert (compared > 0, wrong) == (True, []), sample.name


def test_in_the_rectangles_of_a_passage_are_its_words(every: int) -> None:
    assert_exact(files(every, "typst"), pages=4)


@pytest.mark.rest
@pytest.mark.skipif(not pdfs.writer(), reason="LibreOffice is not there")
def test_in_the_rectangles_of_a_passage_by_libreoffice_are_its_words() -> None:
    assert_exact(files(1, "writer"), pages=4)


@pytest.mark.rest
@pytest.mark.parametrize("maker", OTHER_MAKERS)
def test_pdf_files_of_other_kinds_have_passages_in_their_rectangles(maker: str) -> None:
    wanted = [sheet for sheet in pdfs_held_out.sheets() if sheet.maker == maker]
    assert_exact(((one, read(one)) for one in pdfs_held_out.made_here(wanted)), pages=3)


@pytest.mark.rest
@pytest.mark.parametrize("maker", OTHER_MAKERS)
def test_pdf_files_of_other_kinds_are_read_as_they_were_written(every: int, maker: str) -> None:
    wanted = [sheet for sheet in pdfs_held_out.sheets() if sheet.maker == maker][::every]
    some = [measured(one, read(one)) for one in pdfs_held_out.made_here(wanted)]
    assert len(some) == len(wanted)
    assert min(one.words for one in some) > 0.985
    assert mean(one.order for one in some) > 0.98
    assert mean(one.whole or 0 for one in some) > 0.9
    assert mean(one.precision or 0 for one in some) > 0.98
    assert mean(one.recall or 0 for one in some) > 0.98
    assert mean(one.places or 0 for one in some) > 0.999


def test_every_printed_line_is_cited_by_its_page_and_number(every: int) -> None:
    for sample, document in files(every, "typst")[::2]:
        places, lines = Places(document), 0
        for number, page in enumerate(document.extraction.pages, 1):
            for line, start in enumerate(page.lines, 1):
                assert places.of(Span(start, start + 1)).record == {"page": number, "lines": [line, line]}, sample.name
            lines += len(page.lines)
        assert lines > 50


def test_sixty_files_or_more_are_made() -> None:
    names = [one.name for one in pdfs.layouts()]
    assert len(set(names)) == len(names) >= 60


def test_the_measures_know_lost_words_and_wrong_order() -> None:
    one = pdfs.Sample("a", "", "en", b"", ["the first of all lines", "and then the second of them"], [])
    assert compared(one, "the first of all lines\nand then the second of them") == Figures(1.0, 1.0)
    turned = compared(one, "and then the second of them\nthe first of all lines")
    assert turned.words == 1.0
    assert turned.order < 0.7
    assert compared(one, "the first of all lines").words < 0.8
