"""The method ``altered`` on real texts: any change of quality must be deliberate."""

from pathlib import Path

import pytest

from tests.golden import altered, copies


@pytest.mark.slow
def test_copies_in_japanese_prose_are_found_whatever_was_edited(shared_data: Path, every: int) -> None:
    quality = copies.measure(shared_data / "copies_ja", altered.METHOD, every=every)
    assert sum(quality.recalled.values()) >= 0.98 * sum(quality.copies.values())
    assert quality.precision >= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", *(pytest.param(each, marks=pytest.mark.rest) for each in ("ja", "zh"))])
def test_passages_altered_in_six_ways_are_found(shared_data: Path, language: str) -> None:
    figures, _ = altered.sets(language, 1)
    precision, recall, f = figures["all sets"]
    assert recall >= 0.95
    assert f >= 0.92, precision


@pytest.mark.slow
def test_revised_answers_are_found_and_others_are_not(shared_data: Path) -> None:
    figures = altered.clough()
    for name in ("cut", "light", "heavy"):
        right, of = figures[name]
        assert right >= 0.85 * of
    assert figures["non"][0] <= 1


def test_own_text_within_copies_is_not_counted_and_copied_text_is(shared_data: Path) -> None:
    before, after, lost = altered.own_share([(matches, own) for matches, own, _ in altered.own_text("copies")])
    assert after < 0.5 * before
    assert lost < 0.02
