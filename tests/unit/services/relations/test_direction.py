"""Directions: dates, captures, links and names must agree; a page's own word is weak."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import DateSource
from workbench.methods.rare_sentences.relations import Direction, interval
from workbench.services.relations.direction import Edit, PageAge, Strength, direction
from workbench.services.relations.hosts import mirrors

HOUR, DAY = 3600.0, 86_400.0
EARLY, LATE = interval("2026-03-01T09:00:00Z"), interval("2026-03-01T14:00:00Z")
B_FROM_A, UNKNOWN = Direction.B_FROM_A, Direction.UNKNOWN


def outcome(a: PageAge, b: PageAge, **signs: bool) -> tuple[Direction, Strength]:
    verdict = direction(a, b, **signs)
    return verdict.direction, verdict.strength


def captured(day: float, fetch: str, **more: float) -> PageAge:
    return PageAge(captured=day * DAY, fetch=fetch, **more)


def test_times_of_the_same_day_are_told_by_the_hour_as_the_pages_own_word() -> None:
    assert outcome(PageAge(EARLY), PageAge(LATE)) == (B_FROM_A, Strength.WEAK)
    assert outcome(PageAge(interval("2026-03-01")), PageAge(LATE)) == (UNKNOWN, Strength.NONE)


@pytest.mark.parametrize("links", [{}, {"link_ba": True}, {"names_ba": True}])
def test_a_forged_earlier_date_never_turns_the_victim_into_the_copier(links: dict[str, bool]) -> None:
    victim, forger = replace(captured(1, "one"), published=LATE), replace(captured(2, "two"), published=EARLY)
    assert outcome(victim, forger, **links) == (UNKNOWN, Strength.NONE)
    visited = replace(forger, missed=1.5 * DAY)
    assert outcome(victim, visited, **links)[0] in (UNKNOWN, B_FROM_A)


def test_a_date_before_a_visit_that_did_not_find_the_page_is_not_believed() -> None:
    day = interval("2026-03-10")
    assert day is not None
    victim = PageAge(day, day[0] + DAY, "one")
    forger = PageAge(interval("2026-03-01"), day[0] + 5 * DAY, "two", missed=day[0] + 3 * DAY)
    verdict = direction(victim, forger)
    assert (verdict.direction, verdict.strength) == (B_FROM_A, Strength.MEDIUM)
    assert "b was missing when its host was visited after the date it gives" in verdict.reason


def test_a_date_before_the_one_that_the_text_begins_with_is_not_believed() -> None:
    text = interval("2026-03-10")
    forger = PageAge(interval("2026-03-01"), dateline=text)
    verdict = direction(PageAge(interval("2026-03-10"), dateline=text), forger)
    assert verdict.direction is UNKNOWN
    assert "b gives a date earlier than the one at the start of its text" in verdict.reason
    same_day = PageAge(interval("2026-03-09T22:00:00Z"), dateline=text)
    assert outcome(same_day, PageAge(interval("2026-03-12")))[0] is B_FROM_A


def test_a_suspects_own_date_is_not_evidence_against_a_source() -> None:
    source, suspect = PageAge(LATE, is_source=True), PageAge(EARLY)
    assert outcome(source, suspect) == (UNKNOWN, Strength.NONE)
    assert outcome(suspect, source) == (UNKNOWN, Strength.NONE)
    assert outcome(PageAge(EARLY, is_source=True), PageAge(LATE)) == (B_FROM_A, Strength.WEAK)
    assert outcome(replace(suspect, dated_by=DateSource.IMPORTER), source)[0] is B_FROM_A


def test_what_was_compared_and_decided_nothing_is_as_it_was() -> None:
    source, suspect, day = PageAge(LATE, is_source=True), PageAge(EARLY), PageAge(interval("2026-03-01"))
    for a, b, words in (
        (source, suspect, ""),
        (suspect, source, ""),
        (day, PageAge(LATE), "both give dates of the same time"),
        (PageAge(EARLY), day, "both give dates of the same time"),
        (PageAge(), PageAge(), "neither gives a date"),
        (PageAge(), day, "a gives no date"),
        (day, PageAge(), "b gives no date"),
    ):
        reason = direction(a, b).reason
        assert ("dates of the same time" in reason) is ("same time" in words)
        assert words in reason
    on_web = [
        replace(captured(day, fetch), is_addressed=True) for day, fetch in ((1, "one"), (1.02, "two"), (9, "one"))
    ]
    reasons = [direction(on_web[0], other).reason for other in on_web[1:]]
    assert "both were first captured within an hour" in reasons[0]
    assert "both were first captured by the same fetch" in reasons[1]
    assert all("neither links to the other; neither names the other's site" in reason for reason in reasons)
    both = direction(on_web[0], on_web[2], link_ab=True, link_ba=True, names_ab=True, names_ba=True).reason
    assert "each links to the other; each names the other's site" in both
    assert "links were not compared: at least one has no address" in direction(day, day).reason


def test_captures_are_good_evidence_only_where_somebody_looked_in_between() -> None:
    assert outcome(captured(1, "one"), captured(2, "two")) == (B_FROM_A, Strength.WEAK)
    assert outcome(captured(1, "one"), captured(2, "two", missed=0.5 * DAY)) == (B_FROM_A, Strength.WEAK)
    assert outcome(captured(1, "one"), captured(2, "two", missed=1.5 * DAY)) == (B_FROM_A, Strength.MEDIUM)
    assert outcome(captured(1, "one"), captured(2, "one")) == (UNKNOWN, Strength.NONE)
    assert outcome(captured(1, "one"), captured(1 + 0.5 / 24, "two")) == (UNKNOWN, Strength.NONE)


def test_signs_that_agree_are_stronger_and_those_that_differ_decide_nothing() -> None:
    a, b = replace(captured(1, "one"), published=EARLY), replace(captured(2, "two"), published=LATE)
    assert outcome(a, b) == (B_FROM_A, Strength.MEDIUM)
    assert outcome(a, b, names_ba=True) == (B_FROM_A, Strength.STRONG)
    assert outcome(a, b, link_ba=True) == (B_FROM_A, Strength.STRONG)
    assert outcome(a, b, link_ab=True) == (UNKNOWN, Strength.NONE)
    assert outcome(PageAge(), PageAge(), link_ba=True) == (B_FROM_A, Strength.WEAK)
    assert outcome(PageAge(), PageAge(), link_ba=True, names_ba=True) == (B_FROM_A, Strength.MEDIUM)
    assert outcome(PageAge(), PageAge(), names_ba=True) == (B_FROM_A, Strength.MEDIUM)
    assert outcome(PageAge(), PageAge(), link_ab=True, link_ba=True) == (UNKNOWN, Strength.NONE)


def test_a_reason_names_where_the_dates_come_from() -> None:
    a, b = PageAge(EARLY, dated_by=DateSource.JSON_LD), PageAge(LATE, dated_by=DateSource.FEED)
    assert "dates: JSON-LD (a), feed (b)" in direction(a, b).reason


days = st.floats(0, 30)
sides = st.builds(
    PageAge,
    published=st.none() | st.tuples(days, st.floats(30, 40)) | st.builds(lambda d: (d * DAY, d * DAY + HOUR), days),
    captured=st.none() | days.map(lambda d: d * DAY),
    fetch=st.sampled_from(["one", "two"]),
    missed=st.none() | days.map(lambda d: d * DAY),
    dated_by=st.sampled_from(["", *DateSource]),
    dateline=st.none() | st.builds(lambda d: (d * DAY, d * DAY + DAY), days),
    is_source=st.booleans(),
)


@given(sides, sides, st.tuples(*[st.booleans()] * 4))
def test_exchanging_the_pages_exchanges_the_direction(
    a: PageAge, b: PageAge, signs: tuple[bool, bool, bool, bool]
) -> None:
    names = ("link_ab", "link_ba", "names_ab", "names_ba")
    one = direction(a, b, **dict(zip(names, signs, strict=True)))
    swapped = (signs[1], signs[0], signs[3], signs[2])
    other = direction(b, a, **dict(zip(names, swapped, strict=True)))
    opposite = {B_FROM_A: Direction.A_FROM_B, Direction.A_FROM_B: B_FROM_A, UNKNOWN: UNKNOWN}
    assert (other.direction, other.strength) == (opposite[one.direction], one.strength)


def test_a_time_that_ends_where_another_begins_is_the_earlier_one_whichever_page_comes_first() -> None:
    before, after = PageAge(published=(0.0, HOUR)), PageAge(published=(HOUR, 2 * HOUR))
    assert outcome(before, after)[0] == B_FROM_A
    assert outcome(after, before)[0] == Direction.A_FROM_B


def test_an_edit_of_the_others_words_is_a_weak_sign_that_contradicts_or_supports_others() -> None:
    assert direction(PageAge(), PageAge(), edits_ba=[Edit.OMISSION]).strength is Strength.WEAK
    verdict = direction(PageAge(EARLY), PageAge(LATE), edits_ba=[Edit.OMISSION, Edit.REMARK])
    assert (verdict.direction, verdict.strength) == (B_FROM_A, Strength.MEDIUM)
    assert "b marks an omission where a has text; b comments on the wording of a" in verdict.reason
    assert direction(PageAge(EARLY), PageAge(LATE), edits_ab=[Edit.DAMAGE]).direction is UNKNOWN
    assert direction(PageAge(), PageAge(), edits_ab=[Edit.BROKEN_OFF]).direction is Direction.A_FROM_B


def test_a_date_is_not_believed_only_where_all_that_it_may_mean_is_before_the_visit() -> None:
    day = replace(captured(3, "one"), published=(0.0, DAY))
    assert not replace(day, missed=0.5 * DAY).is_backdated
    assert replace(day, missed=DAY).is_backdated


def test_a_mirror_has_most_of_the_smaller_host() -> None:
    pages = {"small.example": 6, "large.example": 900}
    identical = [(f"http://small.example/{n}", f"http://large.example/{n}") for n in range(6)]
    (pair,) = mirrors(identical, pages, lambda _a, _b: 0.0).values()
    assert (pair.pages, pair.covered) == (6, 1.0)


@pytest.mark.parametrize("turned", [False, True])
def test_pages_of_two_hosts_are_compared_by_host_whichever_page_of_a_pair_comes_first(turned: bool) -> None:
    # One page of one host has copies at three addresses of the other; every second pair names them the other way.
    identical = [("http://one.example/", f"http://two.example/{n}") for n in range(4)]
    identical = [pair[::-1] if turned and n % 2 else pair for n, pair in enumerate(identical)]
    (pair,) = mirrors(identical, {"one.example": 10, "two.example": 10}, lambda _a, _b: 0.0).values()
    assert (pair.pages, pair.covered) == (1, 0.1)


def test_addresses_with_numbers_of_any_length_are_ordered_by_value() -> None:
    numbers = [1, 2, 9, 10, 11, 100]
    long = [f"http://one.example/{n}{'0' * 5000}" for n in numbers]
    identical = list(zip(long, (f"http://two.example/p{n:05d}" for n in numbers), strict=True))
    (pair,) = mirrors(identical, {"one.example": 6, "two.example": 6}, lambda _a, _b: 0.0).values()
    assert pair.order == pytest.approx(1.0)
