from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UnreadableInput
from workbench.base.types import BlockKind
from workbench.reading.html import page as html
from workbench.reading.html.metadata import iso_date, iso_time
from workbench.reading.html.page import extract_html
from workbench.text.markup.columns import PATH_STEPS

GOOD = "これは正しい文書です。"


def test_block_elements_bound_text_and_inline_elements_do_not() -> None:
    page = extract_html("<h1>見出し</h1>前<p>一<b>二</b>三<p>四<ul><li>五<li>六</ul><table><tr><td>七<td>八</table>後")
    assert page.text == "見出し\n前\n一二三\n四\n五\n六\n七\n八\n後"
    kinds = [b.kind for b in page.leaves]
    assert kinds[0] is BlockKind.HEADING
    assert kinds[4:8] == [BlockKind.LIST_ITEM, BlockKind.LIST_ITEM, BlockKind.TABLE_CELL, BlockKind.TABLE_CELL]
    assert page.leaves[2].path == "/html[1]/body[1]/p[1]"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("A first claim<sup>1</sup> goes on.<sup>2</sup>", "A first claim goes on."),
        ("Wiki<sup class=reference><a href='#n1'>[1]</a></sup> text<a href=#n2>[2]</a>, see <a href=#n3>[3]</a>", None),
        (
            "Book<a epub:type=noteref href=n.xhtml#n3>3</a>, <a href='#f' role=doc-noteref><sup>9</sup></a>end",
            "Book, end",
        ),
        ("<i>Star</i><sup><a href='#n'>*</a></sup> and <b>more</b>", "Star and more"),
        ("5 m<sup>2</sup>, 10<sup>6</sup>, the 1<sup>st</sup>, H<sub>2</sub>O", "5 m2, 106, the 1st, H2O"),
        ("<sup>1</sup> The note, and <a href='#top'>1</a> link", "1 The note, and 1 link"),
        ("<a href='#ref1'>[1]</a> Smith, 1999", "[1] Smith, 1999"),
        ("The sea<sup>1</sup> and law<sup>[2]</sup> of it<a class=fn href='#n5'>5</a>", "The sea and law of it"),
        ("Cells grow<sup><a href='#b1'>1</a>,<a href='#b2'>2</a></sup> so<sup>3–5</sup> fast", "Cells grow so fast"),
        ("dated with <sup>14</sup>C, about <sup>1</sup>/<sub>2</sub>", "dated with 14C, about 1/2"),
        (
            "重要だ<span><a href='#f-1'>*1</a></span>。次の言葉<sup>1)</sup>と猫<sup>※2</sup>、f<sup>(3)</sup>階。",
            "重要だ。次の言葉と猫、f(3)階。",
        ),
        ("底辺<sup>2</sup>＋高さ<sup>2</sup> = 斜辺、width<sup>2</sup> + 1", "底辺2＋高さ2 = 斜辺、width2 + 1"),
        ("not bitter about it<sup>4</sup><small>No, seriously.</small>", "not bitter about it No, seriously."),
        ("your goals. <sup>*</sup>Terms apply", "your goals. Terms apply"),
        ("The sea¹ and states.&sup2; 9 km² and 50 meters² or x²", "The sea and states. 9 km² and 50 meters² or x²"),
        ("人間¹という。", "人間という。"),
        ("an area of 9 km<sup>2</sup>, f(time)<sup>2</sup>", "an area of 9 km2, f(time)2"),
    ],
)
def test_marks_of_notes_are_not_part_of_a_sentence(markup: str, text: str | None) -> None:
    assert extract_html(f"<p>{markup}</p>").text == (text or "Wiki text, see [3]")


def test_notes_within_a_sentence_follow_its_paragraph() -> None:
    mark = "<sup class=ltx_note_mark>1</sup>"
    words = "<span class=ltx_tag_note>1</span>See the <i>appendix</i> for details."
    note = f"<span class=ltx_note_outer>{mark}{words}</span>"
    side = "<span class=sidenote>{}</span>".format
    beside = f"<p>The sea{side('As of 1990, at least.')},{side('And of nine years.')} so.</p>"
    page = extract_html(f"<p>Our approach{mark}{note} and <b>its</b> results.</p> {beside}")
    assert page.text.split("\n") == [
        *("Our approach and its results.", "See the appendix for details.", "The sea, so.", "As of 1990, at least."),
        "And of nine years.",
    ]
    assert extract_html("<h2>Life<span class=mw-editsection>[<a>edit</a>]</span></h2><p>Text.").text == "Life\nText."


def test_numbers_of_printed_pages_are_not_part_of_a_sentence() -> None:
    page = extract_html(
        "<p>The age of wis<span class=pagenum><a id=P14>[Pg 14]</a></span>dom, and<span epub:type=pagebreak>15</span>"
        " it <span role=doc-pagebreak>xvi</span>was <span class=pagenum>quite</span> over.</p>"
    )
    assert page.text == "The age of wisdom, and it was quite over."


PARTS = ["<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<br>", "<li>", "<td>", "あ", "a ", "\n"]


@given(st.lists(st.sampled_from(PARTS)))
def test_blocks_are_the_lines_of_the_text(parts: list[str]) -> None:
    page = extract_html("".join(parts))
    at = 0
    for block in page.leaves:
        start, end = block.span
        assert start == at
        assert page.text[start:end].strip() == page.text[start:end] != ""
        at = end + 1
    assert len(page.text) == max(0, at - 1)


def test_ruby_readings_scripts_styles_comments_and_hidden_parts_are_not_text() -> None:
    page = extract_html(
        "<style>a{}</style><p>漢<ruby>字<rp>(</rp><rt>じ</rt></ruby>を<!-- no --><script>if(a<b)x()</script>読む"
        "<p hidden>no<p style='display: none'>no<template>no</template><textarea>no</textarea>"
    )
    assert page.text == "漢字を読む"


def test_white_space_is_as_a_browser_shows_it() -> None:
    page = extract_html("<p>  a \n b<br>  c &amp; d </p><p>文の途中で\n  改行した。<pre>x\n  y</pre>")
    assert page.text == "a b\nc & d\n文の途中で改行した。\nx\n  y"


def test_a_page_drawn_by_scripts_gives_its_noscript_text() -> None:
    assert extract_html("<p>JS</p><noscript><p>The posts of this forum.</p></noscript>").text.endswith("of this forum.")
    assert extract_html("<p>All of the text here.</p><noscript>enable it</noscript>").text == "All of the text here."


def test_what_a_page_says_of_itself() -> None:
    page = extract_html(
        "<html lang=ja-JP><title> A\n b </title><link rel=canonical href=https://x.example/a>"
        "<meta property='article:published_time' content='2021-03-04T05:06+09:00'><a href='/q'>q</a><a href='#x'>x</a>"
    )
    assert (page.title, page.language, page.published[:16], page.url) == (
        "A b",
        "ja",
        "2021-03-04T05:06",
        "https://x.example/a",
    )
    assert page.links == ("/q",)


def test_structured_data_gives_the_date() -> None:
    page = extract_html('<script type="application/ld+json">{"datePublished": "2019-01-02"}</script><p>x')
    assert page.published == "2019-01-02"


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2020/1/2", "2020-01-02"),
        ("20200102", "2020-01-02"),
        ("2020年3月4日", "2020-03-04"),
        ("２０２０年３月４日", "2020-03-04"),
        ("令和2年3月4日", "2020-03-04"),
        ("平成元年１月８日", "1989-01-08"),
        ("4 March 2020", "2020-03-04"),
        ("Wed, 04 Mar 2020 05:06:07 +0900", "2020-03-04"),
        ("Posted on Sept. 4th, 2020 by me", "2020-09-04"),
        ("in May 2020, or 5 Jul 2020", "2020-07-05"),
        ("Marching 5, 2020", ""),
        ("2020-13-40", ""),
        ("no date", ""),
    ],
)
def test_dates_are_written_one_way(written: str, date: str) -> None:
    assert iso_date(written) == date


HOSTILE = {
    "deep": "<div>" * 60_000 + GOOD,
    "deep text": "<div>a" * 60_000 + GOOD,
    "deep and closed": "<div>" * 60_000 + "</div>" * 60_000 + GOOD,
    "deep inline": "<b>" * 60_000 + GOOD,
    "one attribute": "<p " + "a=" * 500_000 + ">" + GOOD,
    "many attributes": "<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">" + GOOD,
    "entities": '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;&a;">]><p>&b;' + GOOD,
    "one line": "<p>" + "x " * 1_000_000 + GOOD,
    "spaces": "<p>a" + " " * 1_000_000 + GOOD,
    "open brackets": "<" * 200_000 + "<p>" + GOOD,
}


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_text_behind_hostile_markup_is_kept(name: str) -> None:
    assert extract_html(HOSTILE[name]).text.endswith(GOOD)


def test_a_page_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "_SLOWEST", 0.0)
    with pytest.raises(UnreadableInput, match="seconds"):
        extract_html("<p>" + GOOD)


def test_long_paths_keep_their_last_steps() -> None:
    path = extract_html("<div>" * 200 + GOOD).leaves[0].path
    assert path.startswith("//div[1]/")
    assert path.count("/") == PATH_STEPS + 1


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2026-11-20T08:15:30+09:00", "2026-11-20T08:15:30+09:00"),
        ("2026-11-20 08:15 +0900", "2026-11-20T08:15:00+09:00"),
        ("2026-11-20T08:15:30.123Z", "2026-11-20T08:15:30Z"),
        ("2026-11-20T08:15:30", "2026-11-20"),
        ("2026-11-20T25:15:30Z", "2026-11-20"),
        ("20 November", ""),
    ],
)
def test_a_time_of_day_is_kept_with_its_zone_and_not_without(written: str, time: str) -> None:
    assert iso_time(written) == time


def anchors(markup: str) -> list[tuple[str, str]]:
    page = extract_html(markup)
    return [(page.text[a.span.start : a.span.end], a.address) for a in page.anchors]


def test_texts_of_links_are_where_they_are() -> None:
    assert anchors("<p>見る：<a href=/x>これ</a>と <a href=/y>\n それ  も </a>。<p><a href=/z>次</a>") == [
        ("これ", "/x"),
        ("それ も", "/y"),
        ("次", "/z"),
    ]
    assert anchors("<a href=/x><p>一<p>二</a><p>三") == [("一", "/x"), ("二", "/x")]
    assert anchors("<a href=/x><img src=i></a><a name=n>文</a><a href='#top'>上へ</a>") == [("上へ", "#top")]


LINKED = ["<p>", "</p>", "<a href=/x>", "</a>", "<b>", "<br>", " ", "\n", "あ", "a b", "<li>", "<script>x</script>"]


@given(st.lists(st.sampled_from(LINKED)))
def test_texts_of_links_are_trimmed_parts_of_one_block_each(parts: list[str]) -> None:
    page = extract_html("".join(parts))
    at = 0
    for anchor in page.anchors:
        start, end = anchor.span
        assert at <= start < end
        assert page.text[start:end].strip() == page.text[start:end]
        assert any(leaf.span.start <= start and end <= leaf.span.end for leaf in page.leaves)
        at = end
    inside = sum(len("".join(page.text[slice(*a.span)].split())) for a in page.anchors)
    assert inside == sum(leaf.linked for leaf in page.leaves)
