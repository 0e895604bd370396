"""Gaps of matches from two sources become one list of disjoint stretches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.base.gaps import Gaps

_PLACES = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 1)), st.sets(st.integers(0, 12), min_size=1), max_size=6
)


def _gaps(places: dict[tuple[int, int], set[int]]) -> Gaps:
    """The gaps that hold just these characters, by row and side."""
    rows = []
    for (row, side), inside in places.items():
        for place in sorted(inside):
            if place - 1 in inside:
                rows[-1] = (row, side, rows[-1][2], place + 1)
            else:
                rows.append((row, side, place, place + 1))
    return Gaps.of(rows)


def _rows(gaps: Gaps) -> list[tuple[int, int, int, int]]:
    columns = (column.tolist() for column in (gaps.row, gaps.side, gaps.start, gaps.end))
    return list(zip(*columns, strict=True))


@given(_PLACES, _PLACES)
def test_joined_gaps_hold_what_one_or_the_other_holds(
    one: dict[tuple[int, int], set[int]], other: dict[tuple[int, int], set[int]]
) -> None:
    both = {key: one.get(key, set()) | other.get(key, set()) for key in {*one, *other}}
    assert _rows(_gaps(one).joined(_gaps(other))) == _rows(_gaps(both))
