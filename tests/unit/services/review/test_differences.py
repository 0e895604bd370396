from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Span
from workbench.services.review.differences import differences

texts = st.text(alphabet="あいう。\nab", max_size=40)


@given(texts, texts, st.text(max_size=3), st.text(max_size=3))
def test_what_is_not_in_a_difference_is_equal_on_both_sides(a: str, b: str, left: str, right: str) -> None:
    a_text, b_text = left + a + right, right + b + left
    a_span, b_span = Span(len(left), len(left) + len(a)), Span(len(right), len(right) + len(b))
    edits = differences(a_text, a_span, b_text, b_span)
    at_a, at_b = a_span.start, b_span.start
    for edit in edits:
        assert a_text[at_a : edit.a_span.start] == b_text[at_b : edit.b_span.start]
        assert edit.kind == ("inserted" if not len(range(*edit.a_span)) else edit.kind)
        at_a, at_b = edit.a_span.end, edit.b_span.end
    assert a_text[at_a : a_span.end] == b_text[at_b : b_span.end]


def test_equal_passages_have_no_difference() -> None:
    assert differences("x同じ", Span(1, 3), "同じ", Span(0, 2)) == []


def test_a_changed_character_is_found_in_its_sentence() -> None:
    (edit,) = differences("一つ。二つ。", Span(0, 6), "一つ。三つ。", Span(0, 6))
    assert (edit.kind, edit.a_span, edit.b_span) == ("replaced", Span(3, 4), Span(3, 4))


def test_a_very_long_change_is_one_replacement() -> None:
    a, b = "ab" * 3_000, "cd" * 3_000
    (edit,) = differences(a, Span(0, len(a)), b, Span(0, len(b)))
    assert edit.kind == "replaced"


_sentences = st.lists(st.sampled_from("あいうえ"), max_size=8)


@given(_sentences, _sentences)
def test_the_fewest_sentences_differ(a: list[str], b: list[str]) -> None:
    left, right = ("".join(f"{name * 3}。" for name in side) for side in (a, b))
    edits = differences(left, Span(0, len(left)), right, Span(0, len(right)))
    touched = {n for e in edits for n in range(e.a_span.start // 4, -(-e.a_span.end // 4))}
    assert len(a) - len(touched) >= max(len(a), len(b)) - _edits(a, b)


def _edits(a: list[str], b: list[str]) -> int:
    """Insertions, deletions and replacements that turn one into the other, by definition."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y)))
    return row[-1]


def test_a_long_passage_with_a_change_in_every_other_sentence_needs_little_time() -> None:
    count = 8_000
    a = "".join(f"同じ文{n}。" if n % 2 else f"左の文{n}。" for n in range(count))
    b = "".join(f"同じ文{n}。" if n % 2 else f"右の文{n}。" for n in range(count))
    edits = differences(a, Span(0, len(a)), b, Span(0, len(b)))
    assert len(edits) == count // 2
    assert {e.kind for e in edits} == {"replaced"}
