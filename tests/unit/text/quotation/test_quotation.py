from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.base.messages import Message
from workbench.base.types import Block, BlockKind, Span
from workbench.text import quotation
from workbench.text.quotation import Citation, CitationKind, citations


def _quoted(text: str) -> list[str]:
    return [text[slice(*c.span)] for c in citations(text) if c.kind is CitationKind.QUOTATION]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("彼は「生命の起源は地球のものではない」と述べた。", ["「生命の起源は地球のものではない」"]),
        # A copied piece has lost its closing mark: what follows is found all the same.
        (
            "「見て、扉を開けました。彼は「生命の起源は地球のものではない」と述べた。",
            ["「生命の起源は地球のものではない」"],
        ),
        ("彼は「『水と労働の下流』を読めと父は言った」と語る。", ["「『水と労働の下流』を読めと父は言った」"]),
        ("他说\"送来的粮食我们已经没有水去磨了\"，然后走了。", ["\"送来的粮食我们已经没有水去磨了\""]),
        ('He wrote "we have neither water nor hands" and left.', ['"we have neither water nor hands"']),
        ("It's the miller's boys' idea, isn't it, and the dogs' too.", []),
        ("He wrote ‘it isn’t water, it’s the hands we lack’ and left.", ["‘it isn’t water, it’s the hands we lack’"]),
        ("A 5'10\" shaft and a 12\" wheel of oak were all that stood there.", []),
        ("“First paragraph of what she said.\n“And the second one ends it.” So she said.",
         ["“First paragraph of what she said.\n“And the second one ends it.”"]),
        ("“Never closed in this paragraph of many words.\nNothing quoted in the next of them.", []),
        ("「短い」言葉と『書名』だけ。", []),
        # Numbers of notes, as a PDF has them.
        ("有学者指出：“送来的粮食我们已经没有水去磨了。”5其后又说。", ["“送来的粮食我们已经没有水去磨了。”"]),
        ('He wrote, "we have neither water nor hands."12 Then he left.', ['"we have neither water nor hands."']),
        # French sets spaces within the marks, German has them the other way round.
        ("Il dit «\xa0nous n’avons ni eau ni bras\xa0» et partit « sans un mot de plus ce soir ».",
         ["«\xa0nous n’avons ni eau ni bras\xa0»", "« sans un mot de plus ce soir »"]),
        ("Er schrieb »wir haben weder Wasser noch Hände« und ging selbst nach Hause. »So kam es an jenem Abend«.",
         ["»wir haben weder Wasser noch Hände«", "»So kam es an jenem Abend«"]),
        # Swedish and Finnish have the same mark on both sides; so has much typed Chinese.
        ("Hon skrev ”vi har varken vatten eller händer” och gick ut i den mörka kvällen.",
         ["”vi har varken vatten eller händer”"]),
        ("他说：”送来的粮食我们已经没有水去磨了。”然后走了。", ["”送来的粮食我们已经没有水去磨了。”"]),
        ("没有水去磨了。”然后他一个人慢慢地走出了这个村子。”她说。", []),
        ("A 6” pipe of the old kind lies beside a 7” pipe of the new kind, ” he wrote.", []),
        ("Home » Products » A wheel of oak for your own mill » Details", []),
    ],
)  # fmt: skip
def test_what_is_between_marks_is_a_quotation(text: str, expected: list[str]) -> None:
    assert _quoted(text) == expected


def test_blocks_of_a_page_and_notes_of_a_document_say_what_they_are() -> None:
    text = "Before it.\nSomebody else wrote this.\nA note.\nAn indented note."
    blocks = [
        Block(Span(0, 10), path="/html[1]/body[1]/p[1]"),
        Block(Span(11, 36), path="/html[1]/body[1]/blockquote[1]/p[1]"),
        Block(Span(37, 44), path="footnotes/p[1]"),
        Block(Span(45, 62), path="quote/footnotes/p[2]"),
    ]
    assert [(text[slice(*c.span)], c.kind) for c in citations(text, blocks)] == [
        ("Somebody else wrote this.", CitationKind.BLOCK_QUOTATION),
        ("A note.", CitationKind.NOTE),
        ("An indented note.", CitationKind.NOTE),
    ]


def test_a_bar_quotes_mail_and_a_row_of_a_table_quotes_nothing() -> None:
    mail = "Before it.\n\n| What he wrote in his last mail.\n| And its second line.\n\n"
    text = mail + "| 章 | 内容 |\n|---|---|\n| 一 | 山路を登る |\n"
    assert [text[c.span.start : c.span.end] for c in citations(text)] == [
        "| What he wrote in his last mail.\n| And its second line."
    ]


@pytest.mark.parametrize(
    ("block", "quoted"),
    [
        ("    We have neither water\n    nor hands to grind it.", True),
        ("      The mill goes round, the mill goes round,\n    And no one hears its sound", True),
        ("    　　古池や蛙飛び込む水の音", True),
        ("                 GNU GENERAL PUBLIC LICENSE\n                    Version 2, June 1991", False),
        ("                            TERMS AND CONDITIONS", False),
        ("    $ apt-get install palimpsest\n    $ palimpsest demo", False),
        ("    name      width   height.\n         cog       3        4.\n    wheel     12       12.", False),
    ],
)
def test_indented_words_are_a_quotation_and_centred_headings_listings_and_tables_are_not(
    block: str, quoted: bool
) -> None:
    text = f"The miller wrote so to his son.\n\n{block}\n\nThat is all there is.\n\nNothing else came.\n"
    assert [text[slice(*c.span)].strip() for c in citations(text)] == [block.strip()] * quoted


@pytest.mark.parametrize(
    ("own", "pasted", "quoted"),
    [
        ("研究对象是十三岁至十五岁的儿童。", "　　本次研究分为两个阶段：首先设计问卷，然后入户访问。", False),
        ("研究对象是十三岁至十五岁的儿童。", "　　　　本次研究分为两个阶段：首先设计问卷，然后入户访问。", True),
        ("対象は十三歳から十五歳の児童である。", "　　調査は二つの段階に分かれ、はじめに質問票を作った。", True),
    ],
)
def test_two_wide_spaces_begin_a_paragraph_in_chinese_and_set_in_a_quotation_in_japanese(
    own: str, pasted: str, quoted: bool
) -> None:
    text = f"{own}\n\n{own}\n\n{pasted}\n\n{own}\n"
    assert [text[slice(*c.span)].strip() for c in citations(text)] == [pasted.strip()] * quoted


@pytest.mark.parametrize(
    ("own", "colon", "block"),
    [
        (
            "今天的语文老师多半要扣分。",
            "他在书中这样描写荷塘：",
            "　　弥望的是田田的叶子。叶子出水很高。（朱自清，1927）",
        ),
        (
            "今天的语文老师多半要扣分。",
            "他在书中写道：",
            "　　弥望的是田田的叶子。\n\n　　层层的叶子中间，点缀着些白花。",
        ),
        ("Nobody knows it today.", "He said:", "    We have neither water nor hands to grind it. (King, 1963)"),
    ],
)
def test_what_a_colon_introduces_or_whose_words_are_named_in_brackets_is_a_quotation_if_set_in(
    own: str, colon: str, block: str
) -> None:
    text = f"{own}\n\n{own}\n\n{colon}\n\n{block}\n\n{own}\n\n{own}\n"
    quoted = "".join(text[slice(*c.span)] for c in citations(text))
    assert quoted.split() == block.split()


def test_an_indented_title_before_any_running_text_is_not_a_quotation() -> None:
    assert citations("　　　　　坊っちゃんの世界とその時代\n\n本文はここから始まる。\n\n続き。\n") == []


def test_a_heading_in_a_sentence_begins_no_list() -> None:
    text = "References to earlier work are few.\n\nNothing else.\n\n参考文献については巻末にゆずる。\n\n本文。"
    assert citations(text) == []


@given(*2 * [st.lists(st.integers(0, 30), unique=True, max_size=10).map(sorted)])
@example([2, 3, 5, 6, 8, 9], [0, 10])
def test_citations_are_added_where_there_were_none(earlier: list[int], more: list[int]) -> None:
    def cited(bounds: list[int], kind: CitationKind) -> list[Citation]:
        return [Citation(Span(*pair), kind, Message("")) for pair in zip(bounds[::2], bounds[1::2], strict=False)]

    first, second = cited(earlier, CitationKind.NOTE), cited(more, CitationKind.QUOTATION)
    kinds = {at: c.kind for c in (*second, *first) for at in range(*c.span)}
    added = quotation._added(first, second)
    assert {at: c.kind for c in added for at in range(*c.span)} == kinds
    assert sum(c.span.end - c.span.start for c in added) == len(kinds), "disjoint"
    assert [c.span for c in added] == sorted(c.span for c in added)


@pytest.mark.parametrize(
    "heading",
    [
        "参照文献",
        "引用および参考文献",
        "Ⅴ　参考文献",
        "引用文獻",
        "徵引書目",
        "征引书目",
        "参考文献与注释",
        "七、註釋與參考文獻",
    ],
)
def test_headings_of_reference_lists_in_several_house_styles(heading: str) -> None:
    entries = "秋道智彌（1992）『アユと日本人』丸善。\n何明珂. 电子商务[M]. 北京: 经济科学出版社, 2002.\n"
    text = f"本文の最後の段落である。\n\n{heading}\n{entries}"
    (references,) = citations(text)
    assert (references.kind, references.span.start) == (CitationKind.REFERENCES, text.index(heading))


@given(st.text(alphabet='「」『』“”"‘’> \n\u3000a。参考文献1[]', max_size=80), st.booleans())
def test_citations_are_ordered_disjoint_and_inside_of_any_text(text: str, in_blocks: bool) -> None:
    half = len(text) // 2
    blocks = [Block(Span(0, half)), Block(Span(half, len(text)), BlockKind.HEADING)] if in_blocks else []
    recognised = citations(text, blocks)
    ends = [0, *(c.span.end for c in recognised)]
    assert all(end <= c.span.start < c.span.end <= len(text) for end, c in zip(ends, recognised, strict=False))
    assert all(c.why for c in recognised)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["「", "」", '"a ', "[1] ", "> x\n", "（注1）", "参考文献\n", "\u3000\u3000\n", "1998 vol. ", "| "]
)
def test_any_text_is_read_in_time_that_grows_with_it(piece: str) -> None:
    began = time.perf_counter()
    citations(piece * (200_000 // len(piece)))
    assert time.perf_counter() - began < 10
