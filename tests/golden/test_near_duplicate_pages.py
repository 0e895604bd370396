"""Near-duplicate pages on real collections: any change of quality must be deliberate."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.golden.near_duplicates import Quality, measure
from workbench.methods.core import registry

PRECISION = 0.99
RECALL = 0.95
EDITIONS = {"laws_zh": 0.83, "aozora": 0.98}
"""The statutes are Markdown, whose marks and comments, alike in all, are no text."""

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
def test_revised_editions_are_found_and_mostly_not_with_the_settings_of_the_paper(name: str, shared_data: Path) -> None:
    ours = once(name, shared_data)
    assert ours.recall >= EDITIONS[name]
    plain = measure(name, shared_data, settings=registry.get("trustable-lcs").parameters.preset("paper"))
    assert plain.recall < ours.recall - 0.2
    assert plain.precision >= PRECISION
