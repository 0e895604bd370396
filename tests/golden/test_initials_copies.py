"""``initials`` on altered copies of real statutes: any change of quality must be deliberate."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.copies import measure as measure_copies
from tests.golden.initials import KINDS, Corpus, Quality, editions, measure, passages

RECALL = 0.95
PRECISION = 0.98


@pytest.fixture(scope="module")
def corpus(shared_data: Path) -> Corpus:
    return passages(shared_data, seed=5, each=12)


@pytest.fixture(scope="module")
def quality(corpus: Corpus) -> Quality:
    return measure(corpus, "initials")


@pytest.mark.parametrize("kind", KINDS)
def test_passages_of_64_characters_are_found_after_every_alteration(quality: Quality, kind: str) -> None:
    assert quality.recall(kind) >= RECALL


def test_what_is_reported_is_in_the_source(quality: Quality) -> None:
    assert quality.matches > 200
    assert quality.precision >= PRECISION


@pytest.mark.rest
def test_what_is_reported_of_whole_statutes_is_in_the_source(shared_data: Path) -> None:
    assert measure(editions(shared_data), "initials").precision >= PRECISION


@pytest.mark.parametrize("method", ["digest", "minhash", "winnowing"])
def test_altered_passages_are_found_more_often_than_by_other_methods(
    corpus: Corpus, quality: Quality, method: str
) -> None:
    other = measure(corpus, method)
    for kind in KINDS[1:]:
        assert quality.recall(kind) > other.recall(kind)


def test_japanese_copies_are_found_and_nothing_else(shared_data: Path) -> None:
    figures = measure_copies(shared_data / "copies_ja", "initials")
    assert figures.recall >= RECALL
    assert figures.precision >= PRECISION
