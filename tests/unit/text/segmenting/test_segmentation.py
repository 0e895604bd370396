from __future__ import annotations

import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Block, BlockKind, Span
from workbench.text.segmenting.characters import CharClass, char_class, stops
from workbench.text.segmenting.segmentation import Layout, hard_breaks, segments

LAID_OUT = st.text(st.sampled_from("あ漢a1A。．.！?？」）\"'… \u3000\n\n・-*|#①、,（(ｶ"), max_size=80)


def split(text: str, layout: Layout = Layout.LAYOUT, blocks: tuple[Block, ...] = ()) -> list[str]:
    return [text[a:b] for a, b in segments(text, blocks=blocks, layout=layout)]


@given(st.one_of(st.text(max_size=80), LAID_OUT), st.sampled_from(list(Layout)))
def test_segments_are_disjoint_ordered_trimmed_and_lose_only_white_space(text: str, layout: Layout) -> None:
    at, left_out = 0, []
    for start, end in segments(text, layout=layout):
        assert at <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        left_out.append(text[at:start])
        at = end
    assert not "".join([*left_out, text[at:]]).strip()


@given(LAID_OUT, st.lists(st.integers(0, 80), max_size=6))
def test_no_segment_crosses_a_block_boundary(text: str, cuts: list[int]) -> None:
    edges = sorted({min(c, len(text)) for c in cuts})
    blocks = tuple(Block(Span(a, b)) for a, b in zip(edges[::2], edges[1::2], strict=False))
    for start, end in segments(text, blocks=blocks):
        assert not any(start < edge < end for block in blocks for edge in block.span)


@given(LAID_OUT, st.sampled_from(list(Layout)))
def test_hard_breaks_are_ascending_and_inside(text: str, layout: Layout) -> None:
    breaks = hard_breaks(text, (), layout)
    assert breaks.dtype == np.int32
    assert (np.diff(breaks) > 0).all()
    assert all(text[b - 1] == "\n" for b in breaks)
    assert all(0 < b < len(text) for b in breaks)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一つ目。二つ目！三つ目？", ["一つ目。", "二つ目！", "三つ目？"]),
        ("「はい。」と言った。", ["「はい。」", "と言った。"]),
        ("（終わり。）次。", ["（終わり。）", "次。"]),
        ("“你好。”他说。", ["“你好。”", "他说。"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("円周率は3.14です。", ["円周率は3.14です。"]),
        ("円周率は３．１４です．次の文．", ["円周率は３．１４です．", "次の文．"]),
        ("See https://a.example/b.html?x=1 now. Next.", ["See https://a.example/b.html?x=1 now.", "Next."]),
        ("まさか!?本当…そう", ["まさか!?", "本当…", "そう"]),
        ("See a.example/b…?c…d now.", ["See a.example/b…?c…d now."]),
        ("It works... mostly.", ["It works...", "mostly."]),
        ("यह है। वह है।", ["यह है।", "वह है।"]),
        ("", []),
        (" \n\u3000\n", []),
    ],
)
def test_sentences_end_at_stops(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_every_width_of_a_stop_counts_alike() -> None:
    assert {".", "．", "﹒", "…", "!", "！", "。", "｡", "?", "？", "‼"} <= set(stops())
    assert char_class("。") == char_class("｡") == CharClass.STRONG_STOP
    assert char_class("！") == char_class("!") == CharClass.WEAK_STOP | CharClass.GRAPHIC


PROSE_EN = (
    "Inheritance is a basic concept of object oriented programming where the basic idea is to create new classes that "
    "add extra detail to existing classes and this is done by allowing the new classes to reuse the methods and "
    "variables of the existing classes"
)
PROSE_JA = (
    "梅雨は北海道と小笠原諸島を除く日本、朝鮮半島南部、中国の南部から長江流域にかけての沿海部、および台湾など、"
    "東アジアの広範囲においてみられる特有の気象現象で、五月から七月にかけて来る曇りや雨の多い期間のことである"
)


@pytest.mark.parametrize("columns", [40, 64, 76])
def test_wrapped_english_prose_is_not_broken(columns: int) -> None:
    assert split(textwrap.fill(PROSE_EN, columns) + ".") == [textwrap.fill(PROSE_EN, columns) + "."]


@pytest.mark.parametrize("characters", [15, 20, 35, 38])
def test_wrapped_cjk_prose_is_not_broken(characters: int) -> None:
    wrapped = "\n".join(PROSE_JA[i : i + characters] for i in range(0, len(PROSE_JA), characters)) + "。"
    assert split(wrapped) == [wrapped]


@pytest.mark.parametrize("paragraph", [PROSE_JA[:45] + "。", (PROSE_JA + "。") * 2])
def test_wrapped_prose_between_paragraphs_that_are_not_wrapped_is_not_broken(paragraph: str) -> None:
    wrapped = "\n".join(PROSE_JA[i : i + 30] for i in range(0, len(PROSE_JA), 30)) + "。"
    segments = split("\n".join([paragraph, wrapped, paragraph]))
    assert wrapped in segments
    assert "".join(segments) == "".join([paragraph, wrapped, paragraph])


@pytest.mark.parametrize("mark", ["> ", ">> ", "> > "])
def test_prose_quoted_in_mail_is_not_broken(mark: str) -> None:
    english = mark + ("\n" + mark).join(textwrap.wrap(PROSE_EN + ".", 64))
    japanese = mark + ("\n" + mark).join(PROSE_JA[i : i + 35] for i in range(0, len(PROSE_JA), 35)) + "。"
    assert split(f"He wrote:\n\n{english}\n\n{japanese}\n{mark}- one\n{mark}- two") == [
        *("He wrote:", english, japanese),
        *(mark + "- one", mark + "- two"),
    ]


def test_a_reply_is_not_part_of_what_it_quotes() -> None:
    quoted, reply = textwrap.wrap(PROSE_EN, 64), textwrap.wrap(PROSE_EN.upper(), 64)
    again = "\n".join(f">> {line}" for line in quoted)
    once = "\n".join(f"> {line}" for line in quoted)
    assert split("\n".join([again, once, *reply])) == [again, once, "\n".join(reply)]


@pytest.mark.parametrize("marker", ["・", "●", "- ", "* ", "■", "※", "①"])
def test_each_item_of_a_bullet_list_is_a_segment(marker: str) -> None:
    items = [f"{marker}りんごを三つ買って食べる", f"{marker}みかんを食べる", f"{marker}ぶどうを少しだけ食べる"]
    assert split("買うもの\n" + "\n".join(items)) == ["買うもの", *items]


@pytest.mark.parametrize("style", ["({})", "（{}）", "{})", "{}、"])
def test_each_item_of_a_numbered_list_is_a_segment(style: str) -> None:
    items = [style.format(i) + " write the longer items down here" for i in "123"]
    assert split("\n".join(items)) == items


def test_kanji_numbers_mark_items() -> None:
    items = ["一、总则的规定适用于下列各种情形和所有的当事人", "二、分则的规定", "三、附则的规定"]
    assert split("\n".join(items)) == items


def test_a_long_item_that_is_wrapped_stays_one_segment() -> None:
    text = "- " + textwrap.fill(PROSE_EN, 60, subsequent_indent="  ") + "\n- another item"
    assert len(split(text)) == 2


def test_a_lone_dash_or_number_at_the_start_of_a_wrapped_line_is_not_an_item() -> None:
    text = "The committee met in the old town hall of the city\n- as it had done every year before the war began\n"
    assert len(split(text + "to discuss whether the number of members should be\n12. It did not.")) == 2


def test_turns_of_a_dialogue_are_apart() -> None:
    assert split("「ほんとうにそうでしょうか」\n「ええ、そうですとも」") == [
        "「ほんとうにそうでしょうか」",
        "「ええ、そうですとも」",
    ]


def test_poems_of_two_wrapped_lines_are_read_as_the_whole_text_is_wrapped() -> None:
    poems = [PROSE_JA[i : i + 20] + "\n" + PROSE_JA[i + 20 : i + 26] for i in range(0, 60, 10)]
    assert split("\n\n".join(poems)) == poems


def test_a_heading_is_apart_from_the_prose_below() -> None:
    wrapped = textwrap.fill(PROSE_EN, 70) + "."
    assert split("Introduction\n" + wrapped) == ["Introduction", wrapped]
    assert split("第一章　梅雨\n\n" + PROSE_JA + "。") == ["第一章　梅雨", PROSE_JA + "。"]
    assert split("# Title\nText") == ["# Title", "Text"]


def test_unmarked_short_lines_are_apart() -> None:
    assert split("Home\nAbout us\nContact") == ["Home", "About us", "Contact"]


def test_an_ideographic_space_begins_a_paragraph() -> None:
    first = "\n".join(PROSE_JA[i : i + 30] for i in range(0, 90, 30))
    assert split(first + "\n\u3000次の段落である。")[-1] == "次の段落である。"


def test_table_rows_and_rules_are_apart() -> None:
    assert split("name\tage\nTaro\t12\n----\nend") == ["name\tage", "Taro\t12", "----", "end"]


def test_the_paper_s_layout_ignores_line_ends_and_always_obeys_them() -> None:
    text = "・一\n・二\n\n三"
    assert split(text, Layout.NEVER) == [text]
    assert split(text, Layout.ALWAYS) == ["・一", "・二", "三"]


def test_blocks_bound_segments_in_every_layout() -> None:
    text = "見出し\n本文の一つ目\n"
    blocks = (Block(Span(0, 3), BlockKind.HEADING), Block(Span(4, 10)))
    for layout in Layout:
        assert split(text, layout, blocks) == ["見出し", "本文の一つ目"]


def test_an_unknown_layout_is_refused() -> None:
    with pytest.raises(ValueError, match="sometimes"):
        hard_breaks("a\nb", (), "sometimes")


def test_a_sentence_pasted_behind_a_longer_line_stays_whole() -> None:
    text = (
        "The third is entered by marriage. About thirty years ago Miss Maria Ward, of Huntingdon, with only seven\n"
        "thousand pounds, had the good luck to captivate Sir Thomas Bertram, of\n"
        "Mansfield Park, in the county of Northampton, and to be thereby raised\n"
        "to the rank of a baronet's lady, with all the comforts and consequences\n"
        "of an handsome house and large income.\n"
    )
    assert len(segments(text)) == 2
