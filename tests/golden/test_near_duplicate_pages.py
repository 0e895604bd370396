"""Near-duplicate pages on real collections: any change of quality must be deliberate."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.golden.near_duplicates import Quality, measure
from workbench.methods.core import registry

PRECISION = 0.99
RECALL = 0.95
EDITIONS = {"laws_zh": 0.93, "aozora": 0.98}
"""The statutes are Markdown, whose marks and comments, alike in all, are no text."""

RESTING = (("laws_zh", 0.73), ("debian_guide", 0.99))
"""Recall of sketches on the larger collections."""

once = cache(measure)
"""The quality on a collection, measured once for all tests that ask."""

EACH = pytest.mark.parametrize("name", ["aozora", pytest.param("laws_zh", marks=pytest.mark.rest)])


@pytest.fixture(scope="module")
def guide(shared_data: Path) -> Quality:
    return once("debian_guide", shared_data)


@pytest.mark.rest
def test_the_same_page_on_two_architectures_is_found(guide: Quality) -> None:
    assert len(guide.pages.all) > 300
    assert guide.precision >= PRECISION
    assert guide.recall >= RECALL


@pytest.mark.rest
def test_no_page_is_found_less_often_than_by_simhash(guide: Quality, shared_data: Path) -> None:
    assert guide.recall >= once("debian_guide", shared_data, "simhash").recall


def test_pages_of_one_site_that_share_template_text_are_not_near_duplicates(shared_data: Path) -> None:
    assert not once("pages_zh", shared_data).results.pairs


@EACH
def test_what_is_reported_of_editions_is_right(name: str, shared_data: Path) -> None:
    assert once(name, shared_data).precision >= PRECISION


def test_mirrored_editions_are_found(shared_data: Path) -> None:
    right, of = once("aozora", shared_data).kinds["mirror"]
    assert right >= RECALL * of


@pytest.mark.rest
def test_little_changed_editions_are_found(shared_data: Path) -> None:
    right, of = once("laws_zh", shared_data).kinds["shares 75 % of its sentences or more"]
    assert right == of


@EACH
@pytest.mark.rest
def test_revised_editions_are_found_and_mostly_not_with_the_settings_of_the_paper(name: str, shared_data: Path) -> None:
    ours = once(name, shared_data)
    assert ours.recall >= EDITIONS[name]
    plain = measure(name, shared_data, settings=registry.get("trustable-lcs").parameters.preset("paper"))
    assert plain.recall < ours.recall - 0.2
    assert plain.precision >= PRECISION


SKETCHES = ("shingle", "minhash", "simhash")
SLIPS = {"paper": 0.3, "": 0.98}
"""Recall of English articles with slips, at most with the settings of the papers and at least without."""


@pytest.mark.parametrize("method", SKETCHES)
@pytest.mark.parametrize("name", ["slips_en", pytest.param("slips_zh", marks=pytest.mark.rest), "slips_ja"])
def test_copies_with_slips_are_found_by_sketches(method: str, name: str, shared_data: Path) -> None:
    quality = measure(name, shared_data, method)
    assert quality.recall >= SLIPS[""]
    assert not quality.wrong


@pytest.mark.parametrize("method", SKETCHES)
def test_shingles_of_words_fail_on_slips(method: str, shared_data: Path) -> None:
    paper = registry.get(method).parameters.preset("paper")
    assert measure("slips_en", shared_data, method, paper).recall <= SLIPS["paper"]


@pytest.mark.parametrize("method", SKETCHES)
@pytest.mark.parametrize(
    ("name", "recall"), [("aozora", 0.95), *(pytest.param(n, r, marks=pytest.mark.rest) for n, r in RESTING)]
)
def test_sketches_find_editions_and_no_pages_in_two_languages(
    method: str, name: str, recall: float, shared_data: Path
) -> None:
    quality = once(name, shared_data, method)
    assert quality.recall >= recall
    assert quality.precision >= PRECISION
