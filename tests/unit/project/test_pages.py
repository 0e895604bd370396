from __future__ import annotations

from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Block, BlockClass, Span
from workbench.project.pages import Override, overridden

PLACES = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: Span(*sorted(pair)))


def at_least_half(block: Block, override: Override) -> bool:
    shared = min(block.span.end, override.span.end) - max(block.span.start, override.span.start)
    return shared > 0 and 2 * shared >= block.span.end - block.span.start


@given(st.lists(st.integers(0, 6), max_size=12), st.lists(st.tuples(PLACES, st.sampled_from(BlockClass)), max_size=12))
def test_the_latest_decision_that_covers_half_of_a_block_holds(
    edges: list[int], decided: list[tuple[Span, BlockClass]]
):
    places = [0, *accumulate(edges)]
    blocks = tuple(Block(Span(a, b), rule="rule") for a, b in pairwise(places))
    overrides: dict[Span, Override] = {}
    for number, (span, verdict) in enumerate(decided):
        overrides.pop(span, None)
        overrides[span] = Override(1, span, verdict, f"person {number}")
    for block, judged in zip(blocks, overridden(blocks, overrides), strict=True):
        latest = [override for override in overrides.values() if at_least_half(block, override)][-1:]
        expected = [(o.verdict, f"decided by {o.who}") for o in latest] or [(block.verdict, "rule")]
        assert [(judged.verdict, judged.rule)] == expected
        assert judged.span == block.span


def test_very_many_decisions_are_not_a_burden():
    count = 10_000
    blocks = tuple(Block(Span(2 * n, 2 * n + 1)) for n in range(count))
    overrides = {
        span: Override(1, span, BlockClass.NON_CONTENT, "")
        for n in range(count)
        for span in (Span(0, 2 * n + 1), Span(2 * n, 2 * n + 1))
    }
    assert {block.verdict for block in overridden(blocks, overrides)} == {BlockClass.NON_CONTENT}
