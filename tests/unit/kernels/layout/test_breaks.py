"""The compiled layout rule against the plain one."""

from __future__ import annotations

import re
import textwrap
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.types import Block, Span
from workbench.kernels.code_points import code_points
from workbench.kernels.layout import _SETS, LOWER, SPACE, STOP, WIDE, batch_breaks, line_table
from workbench.text.segmenting.characters import CharClass, char_class
from workbench.text.segmenting.layout import UNFINISHED, WIDE_RANGES, _lines, line_breaks
from workbench.text.segmenting.segmentation import Layout, hard_breaks

MARKS = "・●【①㈠㊀-*+–#|│┃()（）[]［］「」『』.．、,，-\u2010\u00ad。!…\"'=~_"
LETTERS = "aAzZiIvxXſKİé漢字一二十あアンａＡⅠⅻｶ\U00020000\U0001f600\ud800"
SPACES = " \t\r\x0b\u3000\u2003\xa0\x85\u2028\0"
CHARACTERS = "\n\n\n   >>019０９" + MARKS + LETTERS + SPACES

HEADS = ["・", "- ", "-", "1.", "12、", "1.2 ", "1.2.3. ", "123)", "(1)", "（１）", "[7]", "1.2.3.4.5 ", "3.14", "a) "]
HEADS += [
    "(a)",
    "(iv)",
    "一、",
    "（二）",
    "(一二三四)",
    "Ⅰ.",
    "ⅻ ",
    "# ",
    "####### ",
    "##",
    "\u3000",
    "「",
    "> ",
    ">> ",
]
ENDS = ["", "。", "、", ",", "-", "a-", "」", "）", " the", " The", " bEtween", "the", " amonst", " hiſ", ".", "\u3000"]
BODIES = [
    "",
    "word",
    "aあ",
    "a   b   c",
    "a\u3000   b   c",
    "a   b\u3000   c",
    "a\tb",
    "|x|",
    "----",
    "=-=-=",
    "＊　＊　＊",
    "a b c d e f g h i j k l m n o p",
    "東京は日本の首都である",
    "東京は日本の首都であり、人口は世界一である",
    "東京は日本の首都である。" * 8,
]


def compiled(text: str) -> list[int]:
    ends = np.array([len(text)], np.int64)
    breaks = batch_breaks(code_points(text), ends, [()], Layout.LAYOUT, np.ones(1, np.bool_))
    return sorted(set(breaks.tolist()) - {len(text)})


def plain(text: str) -> list[int]:
    return [i for i in line_breaks(text) if i < len(text)]


@pytest.mark.slow
@settings(max_examples=600)
@given(st.one_of(st.text(CHARACTERS, max_size=120), st.text(max_size=60)))
def test_any_text_breaks_where_the_plain_rule_breaks_it(text: str) -> None:
    assert compiled(text) == plain(text)


HEAD = st.sampled_from(HEADS + [""] * 20)
LINE = st.tuples(HEAD, st.lists(st.sampled_from(BODIES), max_size=4), st.sampled_from(ENDS))
WORDS = [*UNFINISHED, "house", "river,", "old", "Town", "end.", "1998", "- x"]


@pytest.mark.slow
@settings(max_examples=600)
@given(st.lists(LINE, max_size=14))
def test_lists_tables_and_headings_break_where_the_plain_rule_breaks_them(lines) -> None:  # type: ignore[no-untyped-def]
    text = "\n".join(head + " ".join(body) + end for head, body, end in lines)
    assert compiled(text) == plain(text)


@settings(max_examples=300)
@given(
    st.lists(st.text("漢字かなabc 12。、", max_size=300), max_size=5),
    st.integers(8, 60),
    st.sampled_from(["\n", "\n\n"]),
)
def test_text_cut_after_so_many_characters_breaks_where_the_plain_rule_breaks_it(
    paragraphs: list[str], size: int, between: str
) -> None:
    parts = ("\n".join(text[i : i + size] for i in range(0, len(text), size)) for text in paragraphs)
    text = between.join(parts)
    assert compiled(text) == plain(text)


def test_text_cut_after_so_many_characters_is_joined_whatever_their_width() -> None:
    prose = (
        "品質マネジメントシステムの規格ISO 9001:2008は2015年9月15日に改訂され、ISO/TS 16949 (Technical Specification)も"
        * 6
    )
    lines = [prose[i : i + 35] for i in range(0, len(prose), 35)]
    assert plain("\n".join(lines)) == compiled("\n".join(lines)) == []
    # Short verses of equal length are no wrapped prose.
    assert len(plain("\n".join(["春眠暁を覚えず処処啼鳥"] * 6))) == 5


def test_a_short_paragraph_is_joined_at_the_width_of_the_others() -> None:
    long = (
        "the old house beside the river was sold to a family from the north who had never seen the sea and wanted to "
    )
    long = textwrap.fill(long + "know what it was like in winter when nobody else went there at all", 50)
    short = "Another one came later and stayed for many Summers\nHelen Brown too"
    assert plain(short) == compiled(short) == [short.index("\n") + 1]
    text = f"{long}\n\n{short}"
    assert plain(text) == compiled(text) == [len(long) + 1, len(long) + 2]


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(WORDS), max_size=60),
            st.integers(20, 90),
            st.booleans(),
        ),
        max_size=5,
    ),
    st.sampled_from(["\n", "\n\n", "\n\u3000"]),
)
def test_wrapped_prose_breaks_where_the_plain_rule_breaks_it(paragraphs, between) -> None:  # type: ignore[no-untyped-def]
    parts = []
    for words, width, wide in paragraphs:
        if wide:
            letters = "".join(words).replace("e", "漢").replace("o", "、")
            parts.append("\n".join(letters[i : i + width] for i in range(0, len(letters), width)))
        else:
            parts.append(textwrap.fill(" ".join(words), width))
    text = between.join(parts)
    assert compiled(text) == plain(text)


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(st.text(CHARACTERS, max_size=50), st.lists(st.integers(0, 60), max_size=4), st.booleans()), max_size=5
    ),
    st.sampled_from(list(Layout)),
)
def test_a_batch_breaks_as_its_documents_do(documents, layout) -> None:  # type: ignore[no-untyped-def]
    ends = np.cumsum([len(text) for text, _, _ in documents], dtype=np.int64)
    blocks = [
        tuple(Block(Span(a, b)) for a, b in zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False))
        for _, cuts, _ in documents
    ]
    is_open = np.array([o for _, _, o in documents], np.bool_)
    codes = code_points("".join(text for text, _, _ in documents))
    breaks = batch_breaks(codes, ends, blocks, layout, is_open)
    assert (np.diff(breaks) >= 0).all()
    expected = {int(end) for end in ends if end}
    for (text, _, opened), own_blocks, end in zip(documents, blocks, ends.tolist(), strict=True):
        inside = hard_breaks(text, own_blocks, layout if opened else Layout.NEVER)
        expected.update(int(i) + end - len(text) for i in inside)
    start = 0
    allowed = {0}
    for end in ends.tolist():
        allowed |= {start, end}
        start = end
    assert set(breaks.tolist()) - allowed == expected - allowed
    assert {end for end in ends.tolist() if end} <= set(breaks.tolist())


@pytest.mark.parametrize("head", HEADS)
def test_two_lines_with_one_marker_break_as_the_plain_rule_says(head: str) -> None:
    line = "これは長い行であり、続きがあるので折り返される、"
    for first, second in ((head + line, head + line), (line, head + line), (head + line, line)):
        assert compiled(f"{first}\n{second}") == plain(f"{first}\n{second}")


@pytest.mark.slow
def test_the_table_holds_what_the_plain_rule_asks_of_characters() -> None:
    table = line_table()
    ending = CharClass.STRONG_STOP | CharClass.WEAK_STOP | CharClass.CLOSER
    every = "".join(map(chr, range(0x110000)))
    assert np.flatnonzero(table & SPACE).tolist() == [code for code, c in enumerate(every) if c.isspace()]
    assert np.flatnonzero(table & LOWER).tolist() == [code for code, c in enumerate(every) if c.islower()]
    signs = [code for code, c in enumerate(every) if unicodedata.category(c)[0] in "PSNZ"]
    stops = [code for code in signs if char_class(every[code]) & ending]
    assert [code for code in signs if table[code] & STOP] == stops
    for members, flag in _SETS:
        assert np.flatnonzero(table & flag).tolist() == [m.start() for m in re.finditer(f"[{members}]", every)]
    assert table[ord("漢")] & WIDE
    assert not table[ord("ｶ")] & WIDE


def test_the_plain_rule_counts_as_two_columns_what_the_table_has_as_wide() -> None:
    table = line_table()
    edges = {code + beside for ends in WIDE_RANGES for code in ends for beside in (-1, 0, 1)}
    characters = [chr(code) for code in sorted(edges) if code < len(table) and not table[code] & SPACE]
    widths = [line.width for line in _lines("\n".join(characters))]
    assert widths == [2 if table[ord(character)] & WIDE else 1 for character in characters]
