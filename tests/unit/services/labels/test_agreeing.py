"""Agreement over time."""

from __future__ import annotations

from workbench.base.types import Label
from workbench.services.labels.labelling import over_time


def labels(*votes: tuple[str, str, int]) -> list[Label]:
    return [Label("document:e", value, who, f"2026-01-{day:02}T00:00:00.000Z") for who, value, day in votes]


def test_an_entry_belongs_to_the_time_of_its_second_label_whoever_comes_later() -> None:
    entry = labels(("cho", "blog", 20), ("ann", "blog", 1), ("adjudicator:ann", "splog", 2), ("ben", "blog", 5))
    (block,) = over_time([entry, labels(("ann", "blog", 3))])
    assert (block.since, block.until) == ("2026-01-05T00:00:00.000Z",) * 2
    assert (block.entries, block.agreed) == (1, 1)


def test_blocks_are_in_the_order_of_time_and_count_who_agrees_now() -> None:
    early = [labels(("ann", "blog", 1), ("ben", "splog", 2)) for _ in range(10)]
    late = [labels(("ann", "blog", 8), ("ben", "blog", 9)) for _ in range(10)]
    assert [block.agreed for block in over_time([*late, *early])] == [0, 1]
