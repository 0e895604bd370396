from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.base.types import Label, Matches, Span
from workbench.services.labels.sets import ATTACHED
from workbench.services.labels.targets import parse_passage, passage_spans, passage_target
from workbench.services.review.judgement import CONFLICT, Judgement, Reviewer
from workbench.services.review.verdict_index import CARRY_OVER, PairVerdicts, VerdictIndex


@pytest.mark.parametrize(
    ("a", "b"),
    [("a", "b"), ("a:1-2:b", "c"), ("match:x:3-4:y:5-6", "a.zip!b:7-8"), ("一\n行", "http://x:80/?a=1-2:")],
)
def test_a_target_can_be_read_back_whatever_is_in_the_ids(a: str, b: str) -> None:
    name = passage_target(a, Span(1, 5), b, Span(20, 24))
    assert parse_passage(name, {a, b}) == (a, Span(1, 5), b, Span(20, 24))


def test_other_targets_are_not_passages() -> None:
    assert parse_passage("document:a", {"a"}) is None
    assert parse_passage("match:a:1-2:b:3-4", {"a"}) is None


def _pair(*judged: tuple[Span, Span]) -> PairVerdicts:
    labels = [Label(passage_target("a", x, "b", y), "copy", "me", "2024-01-01T00:00:00Z") for x, y in judged]
    return VerdictIndex(labels).of("a", "b")


def test_a_verdict_holds_for_its_own_spans() -> None:
    judgement = _pair((Span(0, 100), Span(50, 150))).at(Span(0, 100), Span(50, 150))
    assert judgement is not None
    assert (judgement.value, judgement.is_carried) == ("copy", False)


def _matches(*spans: tuple[Span, Span]) -> Matches:
    table = np.array([(*a, *b) for a, b in spans], np.int64).reshape(-1, 4)
    n, ones = len(table), np.ones(len(table), np.int64)
    return Matches(ones, ones * 2, *(table[:, at] for at in range(4)), np.ones(n), np.zeros(n, np.int8))


WHOLE = (Span(0, 100), Span(50, 150))


@pytest.mark.parametrize(
    ("passage", "value"),
    [
        ((Span(0, 80), Span(50, 130)), "copy"),
        ((Span(0, 200), Span(50, 250)), "copy"),
        ((Span(10, 40), Span(60, 90)), "copy"),
        ((Span(0, 201), Span(50, 250)), None),
        ((Span(0, 200), Span(50, 251)), None),
        ((Span(0, 100), Span(150, 250)), None),
        ((Span(100, 180), Span(50, 150)), None),
    ],
)
def test_a_verdict_carries_over_to_a_passage_of_which_it_judged_half(
    passage: tuple[Span, Span], value: str | None
) -> None:
    judgement = _pair(WHOLE).at(*passage)
    assert (judgement and judgement.value) == value
    assert judgement is None or judgement.is_carried


def test_the_parts_of_a_split_passage_and_merged_passages_take_the_verdict_over() -> None:
    left, right = (Span(0, 50), Span(50, 100)), (Span(50, 100), Span(100, 150))
    split = _pair(WHOLE).on(_matches(left, right))
    assert [judgement and (judgement.value, judgement.is_carried) for judgement in split] == [("copy", True)] * 2
    merged = _pair(left, right).on(_matches(WHOLE))
    assert [judgement and (judgement.value, judgement.is_carried) for judgement in merged] == [("copy", True)]


def test_of_merged_passages_with_different_verdicts_the_longer_decides_and_halves_decide_nothing() -> None:
    def merged(cut: int) -> Judgement | None:
        parts = ((Span(0, cut), Span(50, 50 + cut)), (Span(cut, 100), Span(50 + cut, 150)))
        labels = [Label(passage_target("a", x, "b", y), v, "me", "") for (x, y), v in zip(parts, "cn", strict=True)]
        return VerdictIndex(labels).of("a", "b").on(_matches(WHOLE))[0]

    assert [judgement and judgement.value for judgement in map(merged, (49, 50, 51))] == ["n", None, "c"]


def test_a_verdict_on_a_passage_of_the_run_says_nothing_of_one_inside_it() -> None:
    inside = (Span(10, 90), Span(60, 140))
    assert [bool(judgement) for judgement in _pair(WHOLE).on(_matches(WHOLE, inside))] == [True, False]


def test_a_verdict_that_was_carried_over_can_be_withdrawn() -> None:
    part = (Span(0, 80), Span(50, 130))
    index = VerdictIndex([Label(passage_target("a", WHOLE[0], "b", WHOLE[1]), "copy", "me", "")])
    index.put(Label(passage_target("a", part[0], "b", part[1]), "", "me", "", old="copy"))
    assert index.of("a", "b").on(_matches(part)) == (None,)


def test_verdicts_that_no_passage_takes_over_are_listed() -> None:
    far = (Span(500, 600), Span(500, 600))
    pair = _pair(WHOLE, far)
    (lost,) = pair.without_passage(_matches((Span(0, 80), Span(50, 130))))
    assert (lost.a, lost.b, lost.spans, lost.judgement.value) == ("a", "b", far, "copy")
    assert pair.without_passage(_matches(WHOLE, far)) == []
    assert len(pair.without_passage(_matches())) == 2


def test_a_verdict_attached_by_hand_is_that_of_the_other_passage() -> None:
    far = (Span(500, 600), Span(500, 600))
    old, new = (passage_target("a", x, "b", y) for x, y in (WHOLE, far))
    index = VerdictIndex([Label(old, "copy", "me", ""), Label(old, new, "you", "", label_set=ATTACHED)])
    pair = index.of("a", "b")
    (judgement,) = pair.on(_matches(far))
    assert judgement is not None
    assert (judgement.value, judgement.label.who, judgement.is_carried, judgement.attached) == (
        "copy",
        "me",
        True,
        (("me", "you"),),
    )
    assert pair.without_passage(_matches(far)) == []
    index.put(Label(old, "", "you", "", label_set=ATTACHED))
    assert pair.on(_matches(far)) == (None,)
    assert len(pair.without_passage(_matches(far))) == 1


def _say(*verdicts: tuple[str, str]) -> Judgement | None:
    target = passage_target("a", WHOLE[0], "b", WHOLE[1])
    return VerdictIndex([Label(target, value, who, "") for who, value in verdicts]).of("a", "b").at(*WHOLE)


def test_the_verdict_of_a_second_reviewer_stands_beside_the_first() -> None:
    agreed = _say(("ann", "copy"), ("bob", "copy"))
    assert agreed is not None
    assert (agreed.value, agreed.conflict, [v.who for v in agreed.verdicts]) == ("copy", False, ["ann", "bob"])
    differing = _say(("ann", "copy"), ("bob", "not-copy"))
    assert differing is not None
    assert (differing.value, differing.conflict) == (CONFLICT, True)
    assert [(v.who, v.value) for v in differing.verdicts] == [("ann", "copy"), ("bob", "not-copy")]


def test_a_reviewer_who_changes_or_withdraws_a_verdict_leaves_the_others() -> None:
    changed = _say(("ann", "copy"), ("bob", "not-copy"), ("ann", "not-copy"))
    assert changed is not None
    assert (changed.value, len(changed.verdicts)) == ("not-copy", 2)
    withdrawn = _say(("ann", "copy"), ("bob", "not-copy"), ("ann", ""))
    assert withdrawn is not None
    assert [(v.who, v.value) for v in withdrawn.verdicts] == [("bob", "not-copy")]
    assert _say(("ann", "copy"), ("ann", "")) is None


def test_what_settles_a_conflict_is_kept_apart_from_the_verdicts() -> None:
    settled = _say(("ann", "copy"), ("bob", "not-copy"), ("adjudicator:cid", "partial"))
    assert settled is not None
    assert (settled.value, settled.conflict, len(settled.verdicts)) == ("partial", False, 2)
    assert settled.settled is not None
    assert settled.settled.who == "adjudicator:cid"
    opened = _say(("ann", "copy"), ("bob", "not-copy"), ("adjudicator:cid", "partial"), ("adjudicator:cid", ""))
    assert opened is not None
    assert opened.conflict


def test_a_blind_reviewer_sees_what_others_say_only_after_judging() -> None:
    judgement = _say(("ann", "copy"))
    assert Reviewer("bob", blind=True).sees(judgement) is None
    assert Reviewer("ann", blind=True).sees(judgement) is judgement
    assert Reviewer("bob").sees(judgement) is judgement


def test_a_verdict_of_another_pair_does_not_hold() -> None:
    label = Label(passage_target("a", Span(0, 9), "b", Span(0, 9)), "copy", "", "")
    assert VerdictIndex([label]).of("b", "c").at(Span(0, 9), Span(0, 9)) is None
    assert VerdictIndex([label]).of("b", "a").at(Span(0, 9), Span(9, 18)) is None


SPANS = st.tuples(st.integers(0, 60), st.integers(0, 40)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


PASSAGES = st.tuples(SPANS, SPANS)


def _by_characters(
    judged: list[tuple[tuple[Span, Span], str]], passages: list[tuple[Span, Span]], passage: tuple[Span, Span]
) -> str | None:
    """What holds for ``passage``, found character by character."""
    last = dict(judged)
    if passage in last:
        return last[passage]
    shares: dict[str, float] = {}
    for value in set(last.values()):
        loose = [s for s, v in last.items() if v == value and s not in passages]
        near = [s for s in loose if all(set(range(*x)) & set(range(*y)) for x, y in zip(s, passage, strict=True))]
        sides = []
        for side in (0, 1):
            own = set(range(*passage[side]))
            sides.append(len(own & {i for s in near for i in range(*s[side])}) / max(1, len(own)))
        shares[value] = min(sides)
    best = sorted(shares.items(), key=lambda item: -item[1])
    if best[0][1] < CARRY_OVER or (len(best) > 1 and best[1][1] == best[0][1]):
        return None
    return best[0][0]


@pytest.mark.slow
@example(
    [((Span(0, 1), Span(1, 1)), "x"), ((Span(1, 2), Span(0, 1)), "x")],
    [(Span(0, 3), Span(0, 2))],
)
@given(
    st.lists(st.tuples(PASSAGES, st.sampled_from("xyz")), min_size=1, max_size=12),
    st.lists(PASSAGES, min_size=1, max_size=6),
)
def test_the_verdicts_that_hold_are_those_that_looking_at_every_character_finds(
    judged: list[tuple[tuple[Span, Span], str]], passages: list[tuple[Span, Span]]
) -> None:
    index = VerdictIndex([Label(passage_target("a", *s[:1], "b", *s[1:]), v, "me", "") for s, v in judged])
    judgements = index.of("a", "b").on(_matches(*passages))
    assert [f and f.value for f in judgements] == [_by_characters(judged, passages, p) for p in passages]


def test_a_target_with_a_number_that_no_text_reaches_is_not_a_passage() -> None:
    assert parse_passage(f"match:a:1-2:b:3-{'9' * 5000}", {"a", "b"}) is None
    assert parse_passage(f"match:a:1-{'9' * 20}:b:3-4", {"a", "b"}) is None


IDS = st.lists(st.sampled_from(["a", ":", "1-2", "b", "0-0"]), min_size=1, max_size=5).map("".join)


@given(IDS, IDS, IDS, IDS, SPANS, SPANS)
def test_a_pair_has_exactly_the_verdicts_whose_target_may_name_it(
    a: str, b: str, other_a: str, other_b: str, a_span: Span, b_span: Span
) -> None:
    name = passage_target(a, a_span, b, b_span)
    index = VerdictIndex([Label(name, "copy", "", "")])
    judgement = index.of(a, b).at(a_span, b_span)
    assert judgement is not None
    assert (a, b) in set(index.pairs({a, b}))
    elsewhere = passage_spans(name, other_a, other_b)
    other = None if elsewhere is None else index.of(other_a, other_b).at(*elsewhere)
    assert (other is not None) == (elsewhere is not None)
    if (other_a, other_b) == (a, b):
        assert elsewhere == (a_span, b_span)


def test_a_withdrawn_verdict_no_longer_holds() -> None:
    name = passage_target("a", Span(0, 9), "b", Span(0, 9))
    index = VerdictIndex([Label(name, "copy", "", "")])
    pair = index.of("a", "b")
    assert isinstance(pair.at(Span(0, 9), Span(0, 9)), Judgement)
    index.put(Label(name, "", "", ""))
    assert pair.at(Span(0, 9), Span(0, 9)) is None
    assert list(index.pairs({"a", "b"})) == []


def test_a_verdict_attached_by_hand_comes_before_one_that_overlaps() -> None:
    far = (Span(500, 600), Span(500, 600))
    near = (Span(505, 600), Span(505, 600))
    old, beside, new = (passage_target("a", x, "b", y) for x, y in (WHOLE, near, far))
    index = VerdictIndex(
        [
            Label(beside, "not-copy", "me", ""),
            Label(old, "copy", "me", ""),
            Label(old, new, "you", "", label_set=ATTACHED),
        ]
    )
    (judgement,) = index.of("a", "b").on(_matches(far))
    assert judgement is not None
    assert (judgement.value, judgement.attached) == ("copy", (("me", "you"),))
