"""What is said of a constructed web: any change of quality must be deliberate."""

from __future__ import annotations

import pytest

from tests.golden.local_web import ARCHIVE, CITATION, COPIERS, COPY, MIRROR, Measured, measure

pytestmark = pytest.mark.rest


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measure(seed=1)


@pytest.mark.parametrize("name", [MIRROR, ARCHIVE, CITATION, COPY])
def test_relations_are_told_by_what_whole_sites_show(measured: Measured, name: str) -> None:
    precision, recall = measured.figure(name)
    assert precision >= 0.95, "\n".join(measured.lines())
    assert recall >= 0.95, "\n".join(measured.lines())


def test_stitched_pages_name_their_originals(measured: Measured) -> None:
    right, total, wrong = measured.stitched
    assert right >= 0.95 * total
    assert wrong <= 0.05 * total
    assert measured.originals[0] >= 0.95 * measured.originals[1]


def test_a_forged_date_turns_no_victim_into_the_copier_and_hours_are_reported(measured: Measured) -> None:
    assert [reversed_ for _, _, reversed_ in measured.directions.values()] == [0, 0, 0]
    assert measured.directions["hours"][1] == 0


def test_an_article_with_many_copies_is_found_with_all_of_them(measured: Measured) -> None:
    assert measured.copies == COPIERS
