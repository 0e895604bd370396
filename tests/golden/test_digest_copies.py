"""The digest on real Japanese texts with constructed copies: any change of quality must be deliberate."""

from pathlib import Path

import pytest

from tests.golden.copies import Quality, measure

BAR = 0.98


@pytest.fixture(scope="module")
def quality(shared_data: Path) -> Quality:
    return measure(shared_data / "copies_ja")


def test_copies_of_three_sentences_are_found(quality: Quality) -> None:
    assert quality.recall >= BAR


def test_what_is_reported_is_a_copy(quality: Quality) -> None:
    assert quality.matches > 300
    assert quality.precision >= BAR


def test_rarity_finds_short_copies_that_the_papers_rule_misses(quality: Quality, shared_data: Path) -> None:
    paper = measure(
        shared_data / "copies_ja", settings={"rule": "length", "layout": "never", "bits": 32, "bridge": False}
    )
    short = [key for key in quality.copies if not key[1] and key[0] == "none"]
    assert sum(paper.recalled[k] for k in short) == 0
    assert sum(quality.recalled[k] for k in short) >= 0.8 * sum(quality.copies[k] for k in short)
