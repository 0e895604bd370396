"""Merged passages against a plain reference, and what becomes of limits, kinds and confidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.progress import Unwatched
from workbench.base.types import Document, Matches, Results, Role, Span, Tier
from workbench.methods.copies.confidence import MEASURED, confidence
from workbench.methods.copies.kinds import CopyKind
from workbench.methods.copies.limits import at_words
from workbench.methods.copies.merging import NEAR, Part, Texts, grouped, merge, passage

BEFORE = Unwatched()
SPANS = st.builds(lambda start, size: Span(start, start + size), st.integers(0, 60), st.integers(1, 20))
PARTS = st.builds(
    lambda a, b, tier: Part("digest", a, b, tier, CopyKind.VERBATIM, (1.0, 0.0, 0.0, 0.0)),
    SPANS,
    SPANS,
    st.integers(0, 2),
)


def plainly_grouped(parts: list[Part]) -> list[list[Part]]:
    """Groups by repeated search for one part that overlaps another group's on both sides."""
    groups = [[p] for p in parts]
    while True:
        meeting = next(
            (
                (g, h)
                for i, g in enumerate(groups)
                for h in groups[:i]
                if any(p.a_span.overlap(q.a_span) and p.b_span.overlap(q.b_span) for p in g for q in h)
            ),
            None,
        )
        if meeting is None:
            return groups
        groups = [g for g in groups if g is not meeting[0] and g is not meeting[1]] + [meeting[0] + meeting[1]]


@given(st.lists(PARTS, max_size=12))
def test_groups_are_those_of_the_plain_reference(parts: list[Part]) -> None:
    groups = grouped(parts, BEFORE) if parts else []
    assert sorted(map(sorted, groups)) == sorted(map(sorted, plainly_grouped(parts)))


@given(st.lists(PARTS, min_size=1, max_size=8))
def test_a_passage_keeps_its_limits_within_reach_of_all_its_matches(parts: list[Part]) -> None:
    merged = passage(parts, "x" * 100, None)
    for side in ("a_span", "b_span"):
        spans = [getattr(p, side) for p in parts]
        start, end = getattr(merged, side)
        assert min(s.start for s in spans) <= start <= min(s.start for s in spans) + NEAR
        assert max(s.end for s in spans) - NEAR <= end <= max(s.end for s in spans)


def places(span: Span, gaps: Sequence[Span]) -> set[int]:
    return set(range(*span)) - {place for gap in gaps for place in range(*gap)}


@given(st.lists(PARTS, min_size=1, max_size=5), st.data())
def test_the_gaps_of_a_passage_are_what_none_of_its_matches_takes_in(parts: list[Part], data: st.DataObject) -> None:
    group = []
    for part in parts:
        method = data.draw(st.sampled_from(["digest", "initials", "altered"]))
        tier = {"digest": Tier.FOLDED, "initials": Tier.ALTERED, "altered": Tier.ALTERED}[method]
        sides: list[tuple[Span, ...]] = []
        for span in (part.a_span, part.b_span):
            low = data.draw(st.integers(span.start, span.end - 1))
            high = data.draw(st.integers(low + 1, span.end))
            sides.append((Span(low, high),) if method == "altered" and data.draw(st.booleans()) else ())
        group.append(part._replace(method=method, tier=tier, gaps=(sides[0], sides[1])))
    merged = passage(group, "x" * 100, None)
    for side, limits in enumerate((merged.a_span, merged.b_span)):
        every = {place for p in group for gap in p.gaps[side] for place in range(*gap)}
        taken: set[int] = set()
        for p in group:
            whole = places((p.a_span, p.b_span)[side], p.gaps[side])
            taken |= whole - every if p.method == "initials" else whole
        if merged.tier == Tier.ALTERED and every:
            assert places(limits, merged.gaps[side]) == set(range(*limits)) & taken
        else:
            assert merged.gaps[side] == ()


def columns(*spans: tuple[int, int, int, int], tier: int, score: float, **evidence: float) -> Results:
    """Matches of the suspect 2 in the source 1."""
    a, a_end, b, b_end = np.array(spans, np.int64).T
    n = len(spans)
    shown = {name: np.full(n, value) for name, value in evidence.items()}
    keys = np.full(n, 2, np.int64), np.full(n, 1, np.int64)
    return Results(Matches(*keys, a, a_end, b, b_end, np.full(n, score), np.full(n, tier, np.int8), shown))


def test_an_altered_passage_around_a_verbatim_core_is_one_that_notes_both() -> None:
    results = {
        "digest": columns((200, 300, 700, 800), tier=Tier.EXACT, score=100, surprisal=400, segments=3, characters=100),
        "altered": columns((100, 310, 600, 815), tier=Tier.ALTERED, score=90, kind=CopyKind.REWORDED),
    }
    documents = [Document("s", "a" * 1000, Role.SUSPECT, key=2)]
    merged = merge(results, documents, Texts.of_all({1: "b" * 1000}), BEFORE)
    (match,) = merged.matches
    assert merged.joined == 1
    assert (match.a_span, match.b_span) == (Span(100, 300), Span(600, 800))
    assert match.evidence["methods"] == 5
    assert match.evidence["kind"] == CopyKind.REWORDED
    assert (match.evidence["surprisal"], match.evidence["odds"]) == (400, 90)
    assert match.score == match.evidence["confidence"]


def test_matches_that_overlap_on_one_side_alone_stay_apart() -> None:
    results = {"altered": columns((0, 100, 0, 100), (50, 150, 400, 500), tier=2, score=90, kind=2)}
    documents = [Document("s", "a" * 1000, Role.SUSPECT, key=2)]
    merged = merge(results, documents, Texts.of_all({}), BEFORE)
    assert (len(merged.matches), merged.joined) == (2, 0)


@given(st.lists(st.floats(0, 1e4), min_size=4, max_size=4), st.integers(0, 3), st.floats(0, 1e3), st.booleans())
def test_more_evidence_is_never_less_sure(figures: list[float], which: int, more: float, aligned: bool) -> None:
    assert len(figures) == len(MEASURED)
    added = [*figures]
    added[which] += more
    before, after = confidence(np.array([figures, added]), aligned=aligned)
    assert 0 <= before <= after <= 1


def test_passages_begin_and_end_at_words() -> None:
    text = "of letters. The first thing to say is that nobody expected it."
    assert text[slice(*at_words(text, Span(8, 40)))] == "The first thing to say is"
    assert at_words("これは文であり、", Span(1, 5)) == Span(1, 5)
