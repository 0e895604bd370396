from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html
from lxml.cssselect import CSSSelector

from workbench.base.errors import UserError
from workbench.base.types import Block, BlockClass
from workbench.reading.blocks import selectors as module
from workbench.reading.blocks.selectors import check_selector, is_fallback, judge_by_selectors, selector_of
from workbench.reading.html.page import extract_html

MARKUP = """<!doctype html><body><div id=nav><a href=/>Home</a></div>
<div class="entry main"><h1>Title</h1><p>First.</p>two<p>Third with <span class=price>price</span></div>
<div class=entry><p>Other.</p></div>"""


def blocks(markup: str, css: str, host: str = "example.jp") -> tuple[str, tuple[Block, ...]]:
    page = extract_html(markup).page
    return page.text, judge_by_selectors(page, markup, host, {"example.jp": css})


def chosen(markup: str, css: str) -> list[str]:
    """The texts of the blocks that a selector made content; none where it fell back."""
    text, judged = blocks(markup, css)
    return [
        text[b.span.start : b.span.end]
        for b in judged
        if b.verdict is BlockClass.CONTENT and b.rule.startswith("inside")
    ]


def test_what_is_inside_is_content_and_the_rest_is_not():
    assert chosen(MARKUP, "div.main") == ["Title", "First.", "two", "Third with price"]
    _, judged = blocks(MARKUP, "div.main")
    assert judged[0].verdict is BlockClass.NON_CONTENT
    assert judged[0].rule == "outside the selector for example.jp (div.main)"
    assert judged[1].rule == "inside the selector for example.jp (div.main)"


def test_several_selectors_add_up():
    assert chosen(MARKUP, "h1, #nav") == ["Home", "Title"]


@pytest.mark.parametrize(
    ("css", "texts"),
    [
        ("div.entry:has(h1) > p:nth-child(2)", ["First."]),
        ("h1 ~ p + p", ["Third with price"]),
        ('div[class^="entry"] p:not(:first-child)', ["First.", "Third with price"]),
        ("p:empty, div:not(:empty) > h1", ["Title"]),
        (".price", ["Third with price"]),
        ("*", ["Home", "Title", "First.", "two", "Third with price", "Other."]),
    ],
)
def test_css_is_understood(css: str, texts: list[str]):
    assert chosen(MARKUP, css) == texts


def test_an_inline_element_around_blocks_selects_only_them():
    assert chosen("<body>before<span class=x><div>in</div><div>too</div></span>after", ".x") == ["in", "too"]


def test_a_selector_without_a_match_leaves_the_page_to_the_rule():
    _, judged = blocks(MARKUP, "#gone")
    page = extract_html(MARKUP).page
    by_rule = judge_by_selectors(page, MARKUP, "example.jp", {})
    assert [b.verdict for b in judged] == [b.verdict for b in by_rule]
    assert all(b.rule.endswith("the selector for example.jp selects nothing here") for b in judged)
    assert all(map(is_fallback, judged))
    assert not any(map(is_fallback, by_rule))


@pytest.mark.parametrize(
    "css", ["", "div[", "p::before", "svg|a", ":nth-of-type(2)", "p:contains(x)", "a" * 3000, ":not(" * 900]
)
def test_css_that_cannot_be_used_names_its_host(css: str):
    with pytest.raises(UserError, match=r"example\.jp"):
        check_selector("example.jp", css)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("example.jp", "example.jp"),
        ("WWW.Example.jp:8080", "example.jp"),
        ("www.blog.example.jp.", "blog.example.jp"),
        ("news.example.jp", "example.jp"),
        ("badexample.jp", "*"),
        ("", "*"),
    ],
)
def test_the_nearest_host_speaks(host: str, expected: str):
    known = {"example.jp": "a", "blog.example.jp": "b", "*": "c"}
    assert selector_of(host, known) == (expected, known[expected])


def test_without_a_host_that_speaks_there_is_no_selector():
    assert selector_of("example.com", {"example.jp": "a"}) == ("", "")


@pytest.mark.slow
def test_depth_and_width_are_bounded():
    deep = "<div>" * 20_000 + "text" + "</div>" * 20_000 + "<p id=x>end"
    assert chosen(deep, "div div div p, #x") == ["end"]
    assert chosen("<div class=a>" + "<div>" * 100 + "<p>text</p></div>", ".a") == ["text"]
    wide = "<body><p>text" + "<i></i>" * 40_000
    assert chosen(wide, "i ~ b, p") == []
    assert blocks(wide, "i ~ b, p")[1][0].rule.endswith("would take too long here")
    assert chosen(wide, "p") == ["text"]


def test_odd_markup_is_searched_too():
    odd = "<body><a<b c=1 \x01='\x02' d<=3>one</a<b><p class='x\x0by'>two<p>three"
    assert chosen(odd, "p") == ["two", "three"]
    assert module.selected("", "p") is not None


tags = st.sampled_from(["div", "p", "b", "section", "span", "li", "table", "td", "a"])
nodes = st.recursive(
    st.sampled_from(["x", " ", "yy"]),
    lambda inner: st.tuples(tags, st.sampled_from("klm"), st.lists(inner, max_size=3)),
)
styles = st.sampled_from([".k", "p", "div .l", "b, .m", "div > *", "p ~ *", "li:first-child", "span"])


@pytest.mark.slow
@given(st.lists(nodes, min_size=1, max_size=4), styles)
def test_agrees_with_lxml_on_a_tree(content: list[object], css: str):
    """Every text inside an element that lxml's own tree selects is in a block that is content."""
    number = 0

    def write(node: object) -> str:
        nonlocal number
        if isinstance(node, str):
            number += 1
            return f"{node}{number}." if node.strip() else node
        assert isinstance(node, tuple)
        return f"<{node[0]} class={node[1]}>{''.join(map(write, node[2]))}</{node[0]}>"

    markup = "<body>" + "".join(map(write, content))
    root = html.document_fromstring(markup + "<i></i>", parser=etree.HTMLParser())
    inside = {
        word
        for element in CSSSelector(css, translator="html")(root)
        for text in element.itertext()
        for word in str(text).split(".")
        if word.strip()
    }
    got = chosen(markup, css)
    words = {word.strip() for text in got for part in text.split("\n") for word in part.split(".")}
    assert {w.strip() for w in inside} <= words
    assert bool(inside) == bool(got)
