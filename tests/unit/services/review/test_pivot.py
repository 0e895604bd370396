"""Lists by source and by pair count what a plain count of the matches gives."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Matches, Role
from workbench.project.listing import DocumentItem
from workbench.services.review.overview import make_columns, nothing_judged
from workbench.services.review.pivot import Pivot, grouped

LENGTH = 50
ITEMS = {k: DocumentItem(k, f"d{k}", f"title {k}", Role.SOURCE, "en", LENGTH, "", "") for k in range(1, 7)}
ROWS = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.integers(4, 6),
        st.integers(0, 30),
        st.integers(1, 20),
        st.integers(0, 30),
        st.integers(1, 20),
        st.integers(0, 2),
        st.integers(1, 9),
    ),
    min_size=1,
    max_size=12,
)


def _matches(rows: list[tuple[int, ...]]) -> Matches:
    a, b, a_start, a_size, b_start, b_size, tier, score = np.array(rows, np.int64).T
    evidence = {"surprisal": score * 2.0}
    return Matches(
        a, b, a_start, a_start + a_size, b_start, b_start + b_size, score * 1.0, tier.astype(np.int8), evidence
    )


@given(ROWS, st.sampled_from([Pivot.SOURCES, Pivot.PAIRS]), st.integers(1, 9))
def test_each_row_counts_the_matches_of_its_source_or_pair(
    rows: list[tuple[int, ...]], pivot: Pivot, threshold: int
) -> None:
    matches = _matches(rows)
    columns = make_columns(matches, ITEMS)
    groups = grouped(columns, pivot, ())
    side = slice(4, 6) if pivot is Pivot.SOURCES else slice(2, 4)
    above = groups.counts(columns.above(threshold))
    assert sum(row.matches for row in groups.rows) == len(rows)
    for at, row in enumerate(groups.rows):
        a, b = groups.opens(at)
        own = [r for r in rows if r[1] == b and (pivot is Pivot.SOURCES or r[0] == a)]
        assert groups.key_of(a, b or 0) == row.key
        assert row.matches == len(own)
        assert row.score == max(r[7] for r in own)
        assert row.longest == max(r[side][1] for r in own)
        covered = {c for r in own for c in range(r[side][0], r[side][0] + r[side][1])}
        assert math.isclose(row.coverage, len(covered) / LENGTH)
        assert row.sources == len({r[0] if pivot is Pivot.SOURCES else r[1] for r in own})
        assert above[at] == sum(r[7] >= threshold for r in own)
        place = groups.place[at]
        assert groups.rarest[place] == 2 * row.score
        assert groups.tiers[place].tolist() == [sum(r[side][1] for r in own if r[6] == t) for t in range(3)]
        assert a in {r[0] for r in own if r[7] == row.score}


def test_verdicts_and_decisions_are_those_of_the_rows_matches_and_of_its_suspect() -> None:
    rows = [(1, 4, 0, 5, 0, 5, 0, 3), (1, 5, 0, 5, 0, 5, 0, 2), (2, 4, 0, 5, 0, 5, 0, 1)]
    columns = make_columns(_matches(rows), ITEMS)
    judged = nothing_judged(columns)
    judged.code[[0, 2]] = [1, 2]
    judged.decision[:] = [3, 0]
    pairs = grouped(columns, Pivot.PAIRS, ())
    assert [row.key & 0xFFFF for row in pairs.rows] == [4, 5, 4]
    assert pairs.verdict_counts(judged)[:, :2].tolist() == [[1, 0], [0, 0], [0, 1]]
    assert pairs.decisions(judged).tolist() == [3, 3, 0]
    sources = grouped(columns, Pivot.SOURCES, ())
    assert sources.verdict_counts(judged)[:, :2].tolist() == [[1, 1], [0, 0]]
    assert sources.decisions(judged).tolist() == [0, 0]
