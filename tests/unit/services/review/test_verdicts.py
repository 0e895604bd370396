from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Label, Span
from workbench.services.labels.targets import parse_passage, passage_spans, passage_target
from workbench.services.review.coverage import mutual_overlap
from workbench.services.review.verdict_index import CARRY_OVER, Held, PairVerdicts, VerdictIndex, tally


@pytest.mark.parametrize(
    ("a", "b"),
    [("a", "b"), ("a:1-2:b", "c"), ("match:x:3-4:y:5-6", "a.zip!b:7-8"), ("一\n行", "http://x:80/?a=1-2:")],
)
def test_a_target_can_be_read_back_whatever_stands_in_the_ids(a: str, b: str) -> None:
    name = passage_target(a, Span(1, 5), b, Span(20, 24))
    assert parse_passage(name, {a, b}) == (a, Span(1, 5), b, Span(20, 24))


def test_other_targets_are_no_passages() -> None:
    assert parse_passage("document:a", {"a"}) is None
    assert parse_passage("match:a:1-2:b:3-4", {"a"}) is None


def _pair(*judged: tuple[Span, Span]) -> PairVerdicts:
    labels = [Label(passage_target("a", x, "b", y), "copy", "me", "2024-01-01T00:00:00Z") for x, y in judged]
    return VerdictIndex(labels).of("a", "b")


def test_a_verdict_holds_for_its_own_spans() -> None:
    held = _pair((Span(0, 100), Span(50, 150))).held(Span(0, 100), Span(50, 150))
    assert held is not None
    assert (held.label.value, held.carried) == ("copy", False)


def test_a_verdict_carries_over_to_a_passage_that_overlaps_on_both_sides() -> None:
    index = _pair((Span(0, 100), Span(50, 150)))
    near = index.held(Span(0, 80), Span(50, 130))
    assert near is not None
    assert near.carried
    assert index.held(Span(0, 79), Span(50, 150)) is None
    assert index.held(Span(0, 100), Span(150, 250)) is None


def test_a_verdict_of_another_pair_does_not_hold() -> None:
    label = Label(passage_target("a", Span(0, 9), "b", Span(0, 9)), "copy", "", "")
    assert VerdictIndex([label]).of("b", "a").held(Span(0, 9), Span(0, 9)) is None


def test_of_two_verdicts_that_overlap_the_nearer_carries_over() -> None:
    labels = {
        passage_target("a", Span(0, 100), "b", Span(0, 100)): "copy",
        passage_target("a", Span(0, 110), "b", Span(0, 110)): "not-copy",
    }
    index = VerdictIndex(Label(name, v, "", "") for name, v in labels.items()).of("a", "b")
    held = index.held(Span(0, 108), Span(0, 108))
    assert held is not None
    assert held.label.value == "not-copy"
    assert tally([held, None, held]) == {"not-copy": 2}


SPANS = st.tuples(st.integers(0, 60), st.integers(0, 40)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


@given(st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=12), SPANS, SPANS)
def test_the_verdict_that_holds_is_the_one_that_looking_at_all_finds(
    judged: list[tuple[Span, Span]], a: Span, b: Span
) -> None:
    labels = [Label(passage_target("a", x, "b", y), str(n), "", "") for n, (x, y) in enumerate(judged)]
    current = {label.target: label for label in labels}
    best, overlap = None, CARRY_OVER
    for name, label in current.items():
        _, x, _, y = parse_passage(name, {"a", "b"}) or pytest.fail(name)
        if (x, y) == (a, b):
            best = label
            break
        if (shared := min(mutual_overlap(x, a), mutual_overlap(y, b))) >= overlap:
            best, overlap = label, shared
    held = VerdictIndex(labels).of("a", "b").held(a, b)
    assert (held and held.label) == best


def test_a_target_with_a_number_that_no_text_reaches_is_no_passage() -> None:
    assert parse_passage(f"match:a:1-2:b:3-{'9' * 5000}", {"a", "b"}) is None
    assert parse_passage(f"match:a:1-{'9' * 20}:b:3-4", {"a", "b"}) is None


IDS = st.lists(st.sampled_from(["a", ":", "1-2", "b", "0-0"]), min_size=1, max_size=5).map("".join)


@given(IDS, IDS, IDS, IDS, SPANS, SPANS)
def test_a_pair_has_exactly_the_verdicts_whose_target_may_name_it(
    a: str, b: str, other_a: str, other_b: str, a_span: Span, b_span: Span
) -> None:
    name = passage_target(a, a_span, b, b_span)
    index = VerdictIndex([Label(name, "copy", "", "")])
    held = index.of(a, b).held(a_span, b_span)
    assert held is not None
    assert (a, b) in set(index.pairs({a, b}))
    elsewhere = passage_spans(name, other_a, other_b)
    found = None if elsewhere is None else index.of(other_a, other_b).held(*elsewhere)
    assert (found is not None) == (elsewhere is not None)
    if (other_a, other_b) == (a, b):
        assert elsewhere == (a_span, b_span)


def test_a_withdrawn_verdict_no_longer_holds() -> None:
    name = passage_target("a", Span(0, 9), "b", Span(0, 9))
    index = VerdictIndex([Label(name, "copy", "", "")])
    pair = index.of("a", "b")
    assert isinstance(pair.held(Span(0, 9), Span(0, 9)), Held)
    index.put(Label(name, "", "", ""))
    assert pair.held(Span(0, 9), Span(0, 9)) is None
    assert list(index.pairs({"a", "b"})) == []
