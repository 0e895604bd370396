from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Span
from workbench.services.review.differences import Edit, differences, differing, units

texts = st.text(alphabet="あいう。\nab \u3000", max_size=40)


def read(text: str) -> list[str]:
    """What ``text`` is compared by: its words, characters and spaces, without spaces that divide nothing."""
    pieces = re.findall(r"\s+|[ab]+|.", text)
    kept = []
    for at, piece in enumerate(pieces):
        if piece.isspace():
            beside = [pieces[i] for i in (at - 1, at + 1) if 0 <= i < len(pieces)]
            if len(beside) == 2 and all(p.isascii() for p in beside):
                kept.append(" ")
        else:
            kept.append(piece)
    return kept


@given(texts)
def test_units_are_as_defined(text: str) -> None:
    assert [unit.key for unit in units(text)] == read(text)


@given(texts, texts, st.text(max_size=3), st.text(max_size=3))
def test_what_is_not_in_a_difference_is_equal_on_both_sides_but_for_white_space(
    a: str, b: str, left: str, right: str
) -> None:
    a_text, b_text = left + a + right, right + b + left
    a_span, b_span = Span(len(left), len(left) + len(a)), Span(len(right), len(right) + len(b))
    edits = differences(a_text, a_span, b_text, b_span)
    at_a, at_b = a_span.start, b_span.start
    for edit in [*edits, Edit("", Span(a_span.end, a_span.end), Span(b_span.end, b_span.end))]:
        same = a_text[at_a : edit.a_span.start], b_text[at_b : edit.b_span.start]
        assert "".join(same[0].split()) == "".join(same[1].split())
        assert edit.kind in ("", "inserted") or len(range(*edit.a_span))
        assert edit.kind in ("", "deleted") or len(range(*edit.b_span))
        at_a, at_b = edit.a_span.end, edit.b_span.end


@given(texts)
def test_line_ends_and_spaces_that_divide_nothing_are_not_differences(text: str) -> None:
    wrapped = re.sub("([あいう。])", "\\1\n", text).replace(" ", "\n  ")
    assert differences(text, Span(0, len(text)), wrapped, Span(0, len(wrapped))) == []


_WORDS = st.lists(st.from_regex("[a-z]{1,6}(-[a-z]{1,4})?", fullmatch=True), min_size=1, max_size=12)


@pytest.mark.slow
@given(_WORDS, st.data())
def test_words_that_hyphens_break_at_line_ends_are_not_differences(words: list[str], data: st.DataObject) -> None:
    def broken(word: str) -> str:
        at = data.draw(st.integers(0, len(word)))
        if not 0 < at < len(word):
            return word
        if "-" in word[at - 1 : at + 1]:
            return word.replace("-", "-\n", 1)
        hyphen = data.draw(st.sampled_from(["-\n", "\u2010\r\n", "-\n  ", "\u00ad", "\u00ad\n"]))
        return word[:at] + hyphen + word[at:]

    whole = " ".join(words)
    a, b = " ".join(map(broken, words)), " ".join(map(broken, words))
    for one, other in ((whole, b), (a, whole)):
        assert differences(one, Span(0, len(one)), other, Span(0, len(other))) == []


def test_both_sides_may_break_the_same_word_in_other_places() -> None:
    a, b = "they deter-\nmine it", "they determ-\nine it"
    assert differences(a, Span(0, len(a)), b, Span(0, len(b))) == []


def test_a_hyphen_that_is_not_at_a_line_end_is_a_difference() -> None:
    (edit,) = differences("a recreation", Span(0, 12), "a re-creation", Span(0, 13))
    assert edit.kind == "replaced"


def test_another_word_after_a_line_end_is_a_difference_of_that_word() -> None:
    a, b = "a well-\nmade thing", "a well-known thing"
    (edit,) = differences(a, Span(0, len(a)), b, Span(0, len(b)))
    assert (a[slice(*edit.a_span)], b[slice(*edit.b_span)]) == ("made", "known")


def test_a_space_that_divides_words_is_a_difference() -> None:
    (edit,) = differences("the rapist", Span(0, 10), "therapist", Span(0, 9))
    assert edit.kind == "replaced"


def test_a_changed_word_is_one_difference() -> None:
    (edit,) = differences("she ran home", Span(0, 12), "she rode home", Span(0, 13))
    assert (edit.a_span, edit.b_span) == (Span(4, 7), Span(4, 8))


def test_equal_passages_have_no_difference() -> None:
    assert differences("x同じ", Span(1, 3), "同じ", Span(0, 2)) == []


def test_a_changed_character_is_found_in_its_sentence() -> None:
    (edit,) = differences("一つ。二つ。", Span(0, 6), "一つ。三つ。", Span(0, 6))
    assert (edit.kind, edit.a_span, edit.b_span) == ("replaced", Span(3, 4), Span(3, 4))


@pytest.mark.slow
def test_a_very_long_change_is_one_replacement() -> None:
    a, b = "ab " * 12_000, "cd " * 12_000
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


@pytest.mark.slow
def test_a_long_passage_with_a_change_in_every_other_sentence_needs_little_time() -> None:
    count = 8_000
    a = "".join(f"同じ文{n}。" if n % 2 else f"左の文{n}。" for n in range(count))
    b = "".join(f"同じ文{n}。" if n % 2 else f"右の文{n}。" for n in range(count))
    edits = differences(a, Span(0, len(a)), b, Span(0, len(b)))
    assert len(edits) == count // 2
    assert {e.kind for e in edits} == {"replaced"}


@pytest.mark.parametrize(("a", "b", "place"), [("一つ。", "一つ。二つ。", 3), ("二つ。", "一つ。二つ。", 0)])
def test_a_sentence_that_one_side_lacks_is_marked_where_it_would_stand(a: str, b: str, place: int) -> None:
    (edit,) = differences(a, Span(0, len(a)), b, Span(0, len(b)))
    assert (edit.a_span, b[slice(*edit.b_span)]) == (Span(place, place), b.replace(a, ""))
    (edit,) = differences(b, Span(0, len(b)), a, Span(0, len(a)))
    assert (b[slice(*edit.a_span)], edit.b_span) == (b.replace(a, ""), Span(place, place))


@pytest.mark.parametrize(
    ("sentences", "changed"),
    [
        (["湖の氷は二月に最も厚くなる。", "漁師は夜明け前に穴を開ける。", "網は氷の下を百歩ほど進む。"], "舟"),
        (["湖冰在二月最厚。", "渔夫天亮以前凿开冰洞。", "渔网在冰下走一百步。"], "船"),
        (["The ice is thickest in March. ", "Holes are cut before dawn. ", "The nets go a mile under it. "], "boat"),
    ],
)
def test_sentences_in_another_order_do_not_differ_but_changed_ones_do(sentences: list[str], changed: str) -> None:
    source, suspect = "".join(sentences), "".join(reversed(sentences))
    limits = Span(0, len(suspect)), Span(0, len(source))
    edits = differences(suspect, limits[0], source, limits[1])
    assert edits
    assert differing(suspect, limits[0], source, limits[1], edits) == 0
    suspect = "".join([sentences[2], sentences[1].replace(sentences[1][:2], changed), sentences[0]])
    limits = Span(0, len(suspect)), limits[1]
    edits = differences(suspect, limits[0], source, limits[1])
    different = differing(suspect, limits[0], source, limits[1], edits)
    assert len(changed) <= different <= 2 * len(sentences[1] + changed)


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [
        ("バスで港へ行けば、早い。", "ハ\u3099スて\u3099港へ行けは\u3099、早い。", []),
        ("le café du port", "le cafe\u0301 du port", []),
        ("港まで葛\U000e0100城から歩いた。", "港まで葛城から歩いた。", [("葛\U000e0100", "葛")]),
        ("「か\u3099」と書く。", "「か」と書く。", [("か\u3099", "か")]),
    ],
)
def test_a_character_is_compared_with_its_combining_marks(a: str, b: str, edits: list[tuple[str, str]]) -> None:
    rows = differences(a, Span(0, len(a)), b, Span(0, len(b)))
    assert [(a[slice(*edit.a_span)], b[slice(*edit.b_span)]) for edit in rows] == edits


def test_only_text_outside_gaps_differs() -> None:
    source, between = "湖の氷は二月に最も厚くなる。漁師は夜明け前に穴を開ける。", "\n私は切手を眺めていた。\n"
    suspect = source[:14] + between + "1" + source[14:]
    limits = Span(0, len(suspect)), Span(0, len(source))
    edits = differences(suspect, limits[0], source, limits[1])
    gap = Span(14, 14 + len(between))
    assert differing(suspect, limits[0], source, limits[1], edits, ([gap], [])) == 1


@pytest.mark.parametrize(
    ("sentences", "old", "new"),
    [
        (["湖の氷は二月に最も厚くなる。", "漁師は夜明け前に穴を開ける。", "網は氷の下を百歩ほど進む。"], "は", "が"),
        (["湖冰在二月最厚，可以走车。", "渔夫天亮以前凿开冰洞。", "渔网在冰下走一百步。"], "冰", "水"),
        (
            ["The ice is thickest in March. ", "All the holes are cut in the dark. ", "The nets go the mile. "],
            "the",
            "a",
        ),
    ],
)
def test_of_a_sentence_that_was_moved_and_changed_only_the_changes_differ(
    sentences: list[str], old: str, new: str
) -> None:
    source = "".join(sentences)
    suspect = "".join(sentence.replace(old, new) for sentence in (*sentences[1:], sentences[0]))
    limits = Span(0, len(suspect)), Span(0, len(source))
    edits = differences(suspect, limits[0], source, limits[1])
    assert sum(edit.a_span.end - edit.a_span.start for edit in edits) > len(sentences[0])
    changes = (len(old) + len(new)) * source.count(old)
    assert differing(suspect, limits[0], source, limits[1], edits) == changes
    unlike = "".join(sentences[:2]), "".join(sentences[2:])
    limits = Span(0, len(unlike[0])), Span(0, len(unlike[1]))
    edits = differences(unlike[0], limits[0], unlike[1], limits[1])
    assert differing(unlike[0], limits[0], unlike[1], limits[1], edits) > 0.6 * sum(map(len, unlike))
