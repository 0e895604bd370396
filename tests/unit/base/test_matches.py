"""Matches as rows and as columns say the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Match, Matches, Span, Tier


@st.composite
def _match(draw: st.DrawFn) -> Match:
    sides = []
    for _ in range(2):
        a, b, c, d = sorted(draw(st.sets(st.integers(0, 10**6), min_size=4, max_size=4)))
        gaps = draw(st.sampled_from([(), (Span(b, c),), (Span(b, c), Span(c + 1, d))]))
        sides.append((Span(a, d + 2), gaps))
    evidence = {"odds": draw(st.floats(0, 100)), "words": draw(st.integers(0, 100))}
    evidence["tier"] = draw(st.sampled_from(Tier))
    keys = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    return Match(*keys, sides[0][0], sides[1][0], draw(st.floats(0, 1)), evidence, sides[0][1], sides[1][1])


@given(st.lists(_match(), max_size=5))
def test_columns_give_back_the_matches_they_are_of(matches: list[Match]) -> None:
    columns = Matches.of(matches)
    assert [columns.row(at) for at in range(len(columns))] == matches
