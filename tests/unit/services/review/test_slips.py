"""What was taken back within minutes is a slip, not an act."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Label
from workbench.services.review.judgement import UNDONE_WITHIN, without_slips

START = datetime(2026, 1, 1, tzinfo=UTC)
acts = st.lists(
    st.tuples(
        st.sampled_from(["ann", "ben"]),
        st.sampled_from(["copy", "partial", ""]),
        st.sampled_from(["", "note"]),
        st.integers(0, 1200),
    ),
    max_size=12,
)


def events(acts_drawn: list[tuple[str, str, str, int]]) -> list[Label]:
    log, now = [], START
    for who, value, note, seconds in acts_drawn:
        now += timedelta(seconds=seconds)
        log.append(Label("match:x", value, who, now.isoformat(), note))
    return log


def test_a_slip_is_left_out_up_to_the_limit_and_told_after_it() -> None:
    limit = int(UNDONE_WITHIN.total_seconds())
    for seconds, listed in ((limit, 0), (limit + 1, 2)):
        kept, undone = without_slips(events([("ann", "copy", "", 0), ("ann", "", "", seconds)]))
        assert (len(kept), undone) == (listed, 2 - listed)


def test_several_undos_in_a_row_leave_out_all_that_they_undid() -> None:
    steps = [("copy", ""), ("partial", ""), ("partial", "n"), ("partial", ""), ("copy", ""), ("", "")]
    kept, undone = without_slips(events([("ann", value, note, 5) for value, note in steps]))
    assert (kept, undone) == ([], 6)


@given(acts)
def test_what_everybody_says_in_the_end_is_the_same_and_nothing_is_lost_uncounted(
    acts_drawn: list[tuple[str, str, str, int]],
) -> None:
    log = events(acts_drawn)
    kept, undone = without_slips(log)
    assert len(kept) + undone == len(log)
    assert undone % 2 == 0
    assert [event for event in log if event in kept] == kept

    def last(labels: list[Label]) -> dict[str, tuple[str, str]]:
        last_of = {event.who: (event.value, event.note) for event in labels}
        return {who: state for who, state in last_of.items() if state != ("", "")}

    assert last(kept) == last(log)


def test_only_what_was_said_last_is_a_slip_however_long_the_history_before() -> None:
    minute = 60
    log = events([("ann", "partial", "", 0), ("ann", "copy", "", 30 * minute), ("ann", "partial", "", minute)])
    kept, undone = without_slips(log)
    assert ([event.value for event in kept], undone) == (["partial"], 2)
    late = events([("ann", "partial", "", 0), ("ann", "copy", "", minute), ("ann", "partial", "", 30 * minute)])
    assert without_slips(late) == (late, 0)
