"""Markdown: the text that a page made of it would show, in blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_office import blocks, error
from workbench.base.locators import place
from workbench.base.types import Document, Span


def markdown(folder: Path, text: str) -> Document:
    return one(folder / "a.md", text.encode())


def test_blocks_know_their_kind_and_place(tmp_path: Path) -> None:
    text = (
        "# A *heading*\n\npara\ngraph\n\n- one\n- two\n\n  more of two\n1. three\n\n> quoted\n> on\n\n"
        "| h | i |\n|---|---|\n| c | d |\n\n```python\ndef f():\n    pass\n```\n\n    indented\n\n"
        "Setext\n------\n\n### Third ###\n"
    )
    assert blocks(markdown(tmp_path, text)) == [
        ("heading", "h1/p[1]", "A heading"),
        ("paragraph", "p[2]", "para graph"),
        ("list-item", "ul[1]/li[1]/p[3]", "one"),
        ("list-item", "ul[1]/li[2]/p[4]", "two"),
        ("list-item", "ul[1]/li[2]/p[5]", "more of two"),
        ("list-item", "ol[1]/li[1]/p[6]", "three"),
        ("paragraph", "quote/p[1]", "quoted on"),
        ("table-cell", "table[1]/tr[1]/th[1]/p[7]", "h"),
        ("table-cell", "table[1]/tr[1]/th[2]/p[8]", "i"),
        ("table-cell", "table[1]/tr[2]/td[1]/p[9]", "c"),
        ("table-cell", "table[1]/tr[2]/td[2]/p[10]", "d"),
        ("preformatted", "p[11]", "def f():\n    pass"),
        ("preformatted", "p[12]", "indented"),
        ("heading", "h2/p[13]", "Setext"),
        ("heading", "h3/p[14]", "Third"),
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("**bold** `code` ~~gone~~ &amp; \\*", "bold code gone & *"),
        ("漢字\n続き\nand\n漢字", "漢字続き and 漢字"),
        ("one  \ntwo<br>three", "one\ntwo\nthree"),
        ("[words](http://a/ 'title') ![a picture](b.png) <b>c</b><!-- no -->", "words a picture c"),
        ("<div>block <i>of</i> markup</div>\n\n<!-- no -->", "block of markup"),
        ("$x_1 * y_1$", "$x_1 * y_1$"),
        ("It holds [see @doe2019, p. 3; @roe] for @jones.", "It holds for @jones."),
        ("::: {.note}\nInside.\n:::\n\n:::tip My title\n\nwords\n\n:::", "Inside.\nMy title\nwords"),
        ("# One {#one .unnumbered}\n\n## Two {-}\n\n### {three}", "One\nTwo\n{three}"),
        ('![a plot](a.png){width=50%} `x`{.py} [b](c){target="_blank"} {d}', "a plot x b {d}"),
    ],
)
def test_marks_are_left_out_and_words_are_kept(tmp_path: Path, source: str, text: str) -> None:
    assert markdown(tmp_path, source).text == text


def test_notes_are_blocks_of_their_own_however_short(tmp_path: Path) -> None:
    document = markdown(tmp_path, "Words[^1] and more.[^b]\n\n[^1]: Short\n[^b]: Another note,\nwrapped.\n")
    assert blocks(document) == [
        ("paragraph", "p[1]", "Words and more."),
        ("paragraph", "footnotes/p[1]", "Short"),
        ("paragraph", "footnotes/p[2]", "Another note, wrapped."),
    ]


def test_notes_within_a_sentence_and_all_paragraphs_of_a_note_are_notes(tmp_path: Path) -> None:
    note = "[^1]: First\n    of all.\n\n    Second.\n\n        code\n\n"
    text = f"Words[^1] and^[A note of *its* own.] more.\n\n{note}End.\n"
    assert blocks(markdown(tmp_path, text)) == [
        ("paragraph", "p[1]", "Words and more."),
        ("paragraph", "footnotes/p[1]", "A note of its own."),
        ("paragraph", "footnotes/p[2]", "First of all."),
        ("paragraph", "footnotes/p[3]", "Second."),
        ("paragraph", "footnotes/p[4]", "code"),
        ("paragraph", "p[2]", "End."),
    ]


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("---\ndate: 2020\ntitle: 'By the head'\n---\n", "By the head"),
        ('+++\ntitle = "By TOML"\n+++\n', "By TOML"),
        ("---\n# a comment\n\nposted on: 2020\n---\n", "One"),
        ("---\n---\n", "One"),
        ("", "One"),
    ],
)
def test_the_head_gives_the_title_and_no_text(tmp_path: Path, head: str, title: str) -> None:
    document = markdown(tmp_path, f"{head}# One\n\ntext [a](http://a/) [b](b.md)")
    assert (document.title, document.text, document.links) == (title, "One\ntext a b", ("http://a/",))


def test_a_rule_at_the_start_is_not_a_head(tmp_path: Path) -> None:
    assert markdown(tmp_path, "---\n\ntext\n").text == "text"
    assert (
        markdown(tmp_path, "---\nFirst part.\n\nMore.\n\n---\nSecond part.\n").text
        == "First part.\nMore.\nSecond part."
    )
    assert markdown(tmp_path, "---\n# Heading\n\nSee https://example.org/.\n\n---\nEnd.\n").text.endswith("End.")
    assert markdown(tmp_path, "text alone").title == "a"


def test_a_passage_is_cited_by_heading_and_paragraph(tmp_path: Path) -> None:
    document = markdown(tmp_path, "# One\n\nfirst\n\nsecond\n\n# Two\n\nthird\n")
    at = document.text.index("third")
    assert place(document, Span(at, at + 5)).words == "Two, ¶ 1"


def test_text_in_another_encoding_says_so(tmp_path: Path) -> None:
    document = one(tmp_path / "a.md", "# 見出し\n\nこれは正しい文書です。二つ目の文もあります。\n".encode("cp932"))
    assert document.text.startswith("見出し\nこれは")
    assert document.extraction.encoding == "cp932"


def test_words_that_markup_hides_are_counted(tmp_path: Path) -> None:
    document = markdown(tmp_path, 'shown\n\n<div>more<p style="display:none">hidden</p></div>\n')
    assert (document.text, document.extraction.hidden) == ("shown\nmore", 6)


def test_what_is_nested_too_deeply_or_empty_is_refused(tmp_path: Path) -> None:
    assert error(tmp_path / "a.md", b">" * 200 + b" deep") == "This input is nested too deeply."
    assert error(tmp_path / "a.md", b"---\ntitle: x\n---\n") == "There is no text in this document."
    assert error(tmp_path / "a.md", b"") == "There is no text in this document."
    assert one(tmp_path / "b.md", b">" * 60 + b" deep").text == "deep"
