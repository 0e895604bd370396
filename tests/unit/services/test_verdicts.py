from __future__ import annotations

import pytest

from workbench.base.types import Label, Match, Span
from workbench.services.verdicts import VerdictIndex, parse_target, tally, target


@pytest.mark.parametrize(
    ("a", "b"),
    [("a", "b"), ("a:1-2:b", "c"), ("match:x:3-4:y:5-6", "a.zip!b:7-8"), ("一\n行", "http://x:80/?a=1-2:")],
)
def test_a_target_can_be_read_back_whatever_stands_in_the_ids(a: str, b: str) -> None:
    name = target(a, Span(1, 5), b, Span(20, 24))
    assert parse_target(name, {a, b}) == (a, Span(1, 5), b, Span(20, 24))


def test_other_targets_are_no_passages() -> None:
    assert parse_target("document:a", {"a"}) is None
    assert parse_target("match:a:1-2:b:3-4", {"a"}) is None


def _index(*judged: tuple[Span, Span]) -> VerdictIndex:
    labels = [Label(target("a", x, "b", y), "copy", "me", "2024-01-01T00:00:00Z") for x, y in judged]
    return VerdictIndex({label.target: label for label in labels}, {1: "a", 2: "b"})


def test_a_verdict_holds_for_its_own_spans() -> None:
    held = _index((Span(0, 100), Span(50, 150))).held(Match(1, 2, Span(0, 100), Span(50, 150), 1.0))
    assert held is not None
    assert (held.label.value, held.carried) == ("copy", False)


def test_a_verdict_carries_over_to_a_passage_that_overlaps_on_both_sides() -> None:
    index = _index((Span(0, 100), Span(50, 150)))
    near = index.held(Match(1, 2, Span(0, 80), Span(50, 130), 1.0))
    assert near is not None
    assert near.carried
    assert index.held(Match(1, 2, Span(0, 79), Span(50, 150), 1.0)) is None
    assert index.held(Match(1, 2, Span(0, 100), Span(150, 250), 1.0)) is None


def test_a_verdict_of_another_pair_does_not_hold() -> None:
    assert _index((Span(0, 9), Span(0, 9))).held(Match(2, 1, Span(0, 9), Span(0, 9), 1.0)) is None


def test_of_two_verdicts_that_overlap_the_nearer_carries_over() -> None:
    labels = {
        target("a", Span(0, 100), "b", Span(0, 100)): "copy",
        target("a", Span(0, 110), "b", Span(0, 110)): "not-copy",
    }
    index = VerdictIndex({name: Label(name, v, "", "") for name, v in labels.items()}, {1: "a", 2: "b"})
    held = index.held(Match(1, 2, Span(0, 108), Span(0, 108), 1.0))
    assert held is not None
    assert held.label.value == "not-copy"
    assert tally([held, None, held]) == {"not-copy": 2}
