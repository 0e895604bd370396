from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Block, BlockClass, Document, Extraction, IntegrityFlag, Role, Span
from workbench.text.disguises import Trick
from workbench.text.left_out import hidden_words, left_out


def document(text: str, *hidden: str, kind: Trick = Trick.HIDDEN, blocks: tuple[Block, ...] = ()) -> Document:
    spans, at = [], 0
    for words in hidden:
        at = text.index(words, at)
        spans.append(Span(at, at + len(words)))
        at += len(words)
    flag = IntegrityFlag(kind.value, sum(map(len, hidden)), tuple(spans))
    return Document("d", text, Role.SUSPECT, blocks=blocks, extraction=Extraction(integrity=(flag,)))


def without(one: Document) -> str:
    kept, at = [], 0
    for span in hidden_words(one):
        kept.append(one.text[at : span.start])
        at = span.end
    return "".join([*kept, one.text[at:]])


@pytest.mark.parametrize(
    ("text", "hidden", "seen"),
    [
        ("The fox [one two three] jumps over it.", "[one two three]", "The fox jumps over it."),
        ("The fo[abcdefgh]x jumps over it.", "[abcdefgh]", "The fox jumps over it."),
        (
            "狐は[隠した言葉がある]垣根を跳び越えた。そして去った。",
            "[隠した言葉がある]",
            "狐は垣根を跳び越えた。そして去った。",
        ),
        ("First line.\nThe fox [one two] jumps.\nLast.", "[one two]", "First line.\nThe fox jumps.\nLast."),
    ],
)
def test_words_hidden_among_visible_ones_are_left_out_as_if_they_were_not_there(text: str, hidden: str, seen: str):
    for kind in (Trick.HIDDEN, Trick.UNSEEN):
        assert without(document(text, hidden, kind=kind)) == seen


def test_a_paragraph_that_is_hidden_as_a_whole_or_for_the_most_part_stays():
    text = "Own words.\nThe hidden copy of a text is one paragraph.\nMore words."
    assert hidden_words(document(text, text.split("\n")[1])) == ()
    assert hidden_words(document(text, "The hidden copy of a text is one")) == ()


def test_characters_that_the_page_shows_otherwise_stay():
    assert hidden_words(document("The fox [one two] jumps over it.", "[one two]", kind=Trick.SHOWN_OTHERWISE)) == ()


def test_what_is_left_out_includes_blocks_that_are_not_content_once():
    text = "Menu with [hidden] words.\nThe fox [one two] jumps over it."
    at = text.index("\n")
    blocks = (Block(Span(0, at), verdict=BlockClass.NON_CONTENT), Block(Span(at + 1, len(text))))
    one = document(text, "[hidden]", "[one two]", blocks=blocks)
    assert [text[slice(*span)] for span in left_out(one)] == [text[:at], "[one two] "]


@given(st.text("ab \n", max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 8)), max_size=6))
def test_hidden_words_are_disjoint_parts_of_the_flags_and_at_most_a_space_more(
    text: str, places: list[tuple[int, int]]
):
    spans = sorted(Span(min(start, len(text)), min(start + length, len(text))) for start, length in places)
    flag = IntegrityFlag(Trick.HIDDEN.value, 0, tuple(spans))
    one = Document("d", text, Role.SUSPECT, extraction=Extraction(integrity=(flag,)))
    flagged = {at for span in spans for at in range(*span)}
    end = 0
    for span in hidden_words(one):
        assert end <= span.start < span.end
        assert set(range(span.start, span.end - 1)) <= flagged
        assert span.end - 1 in flagged or text[span.end - 1] == " "
        end = span.end


def test_flags_that_overlap_over_lines_are_left_out_once():
    text = "One line of words.\nA line [with some] more.\nAnother line of words."
    start = text.index("[")
    spans = (Span(start, text.index("Another") + 3), Span(start + 2, start + 6))
    one = Document(
        "d", text, Role.SUSPECT, extraction=Extraction(integrity=(IntegrityFlag("hidden-by-style", 0, spans),))
    )
    ends = [edge for span in hidden_words(one) for edge in span]
    assert ends == sorted(set(ends))


def test_words_hidden_from_the_end_of_one_line_to_the_next_are_left_out_on_both():
    assert without(document("Visible words and a tail\nhead, then more words to see.", "a tail\nhead,")) == (
        "Visible words and \nthen more words to see."
    )
