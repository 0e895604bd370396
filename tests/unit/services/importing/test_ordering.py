from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.services.importing.parsing import HELD, in_order


@given(st.permutations(range(3 * HELD)))
def test_results_come_in_the_order_of_their_chunks(order: list[int]) -> None:
    ordered = list(in_order(((i, f"result {i}") for i in order), lambda i: i * 10))
    assert ordered == [(i * 10, f"result {i}") for i in range(len(order))]


def test_results_are_passed_on_as_soon_as_their_turn_comes() -> None:
    seen: list[int] = []

    def results() -> list[tuple[int, str]]:
        for index in (0, 2, 1):
            yield index, str(index)  # type: ignore[misc]
            seen.append(index)

    stream = in_order(results(), lambda i: i)
    next(stream)
    assert seen == []
    next(stream)
    assert seen == [0, 2]
