from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.methods.rare_sentences.relations import Direction, Facts, Relation, Thresholds, decide, interval

SAME, PART = Facts(0.9, 0.9), Facts(0.1, 0.2)
HELD = Facts(0.4, 0.9, a_is_larger=True)


@pytest.mark.parametrize(
    ("facts", "relation"),
    [
        (replace(SAME, url_similarity=0.25), Relation.MIRROR),
        (replace(SAME, url_similarity=0.0), Relation.IDENTICAL_COPY),
        (SAME, Relation.IDENTICAL_COPY),
        (replace(HELD, url_similarity=0.5), Relation.ARCHIVE),
        (replace(HELD, url_similarity=0.0, link_ab=True), Relation.LINK_COLLECTION),
        (replace(HELD, url_similarity=0.0, link_ba=True), Relation.INCLUSION),
        (replace(HELD, a_is_larger=False, link_ba=True), Relation.LINK_COLLECTION),
        (HELD, Relation.INCLUSION),
        (replace(PART, url_similarity=0.1, link_ab=True), Relation.SAME_SITE),
        (replace(PART, url_similarity=0.0, link_ba=True), Relation.CITATION),
        (replace(PART, url_similarity=0.0), Relation.SHARED_SENTENCES),
        (PART, Relation.SHARED_SENTENCES),
        (Facts(0.6, 0.6, url_similarity=0.0), Relation.INCLUSION),
        (Facts(0.5, 0.5, url_similarity=0.0), Relation.SHARED_SENTENCES),
    ],
)
def test_every_path_of_the_tree(facts: Facts, relation: Relation) -> None:
    decision = decide(facts)
    assert decision.relation is relation
    assert decision.steps
    assert relation.meaning


def test_an_unknown_address_is_reported() -> None:
    assert "no URL known" in decide(PART).steps


def test_thresholds_are_those_given() -> None:
    facts = replace(SAME, url_similarity=0.3)
    assert decide(facts, Thresholds(similar_url=0.3)).relation is Relation.IDENTICAL_COPY
    assert decide(facts, Thresholds(identical=0.9)).relation is Relation.ARCHIVE
    assert decide(facts, Thresholds(0.9, 0.9)).relation is Relation.SAME_SITE


@pytest.mark.parametrize(
    ("a", "b", "links", "direction"),
    [
        ("2008-01-02", "2008-01-03", (False, False), Direction.B_FROM_A),
        ("2008-01-03", "2007", (False, True), Direction.A_FROM_B),
        ("2008-01-03", "2008", (False, False), Direction.UNKNOWN),
        ("2008-01-03", "2008", (True, False), Direction.A_FROM_B),
        ("2008-01-03", "", (False, True), Direction.B_FROM_A),
        ("", "", (True, True), Direction.UNKNOWN),
        ("2008-01-03T10:00", "2008-01-03T11:00", (False, False), Direction.B_FROM_A),
        ("2008-01-03T10:00+09:00", "2008-01-03T02:00Z", (False, False), Direction.B_FROM_A),
    ],
)
def test_dates_then_links_tell_who_took_from_whom(
    a: str, b: str, links: tuple[bool, bool], direction: Direction
) -> None:
    facts = replace(PART, link_ab=links[0], link_ba=links[1], published_a=interval(a), published_b=interval(b))
    decision = decide(facts)
    assert decision.direction is direction
    assert decision.direction_step
    mirrored = decide(
        replace(PART, link_ab=links[1], link_ba=links[0], published_a=interval(b), published_b=interval(a))
    )
    opposite = {Direction.A_FROM_B: Direction.B_FROM_A, Direction.B_FROM_A: Direction.A_FROM_B}
    assert mirrored.direction is opposite.get(direction, direction)


@pytest.mark.parametrize(
    "written", ["", "yesterday", "2008-13", "0000-01-01", "2008-02-30", "2008-01-01T25:00", "9999-12-31T23:59-99:99"]
)
def test_what_is_not_a_date_has_no_interval(written: str) -> None:
    assert interval(written) is None


def test_a_month_lasts_as_long_as_it_does() -> None:
    first, last = interval("2008-02") or (0, 0)
    assert last - first == 29 * 86400
