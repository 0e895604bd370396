from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml.etree import _Element as Node

from workbench.base.types import BlockClass
from workbench.reading.blocks import kang
from workbench.reading.html.page import extract_html

INLINE = ("a", "b", "span")
LONG = "この文章は十文字よりもずっと長いので本文とみなされます。"


def judged(markup: str) -> dict[str, tuple[bool, str]]:
    """Whether each leaf is content, and why, by its text."""
    page = extract_html(markup).page
    judgements = zip(page.leaves, kang.judge(page), strict=True)
    return {page.text_of(leaf): (j.verdict is BlockClass.CONTENT, j.reason) for leaf, j in judgements}


def reference(markup: str) -> dict[str, bool]:
    """The definition on a tree: whether each word (a text node of its own) is content."""
    body = etree.fromstring(markup, etree.HTMLParser()).find("body")
    assert body is not None
    half = size(body) / 2
    blocks: list[list[Node | str]] = []
    waiting = [body]
    while waiting:
        parent = waiting.pop()
        by_tag: dict[str, list[Node | str]] = {}
        for child in nodes(parent):
            if isinstance(child, str):
                by_tag.setdefault("", []).append(child)
            elif size(child) >= half and any(not isinstance(n, str) for n in nodes(child)):
                waiting.append(child)
            else:
                by_tag.setdefault(str(child.tag), []).append(child)
        blocks.extend(by_tag.values())
    return {word: verdict for block in blocks for word, verdict in verdicts(block, body).items()}


def nodes(parent: Node) -> list[Node | str]:
    """Texts and block elements of ``parent``, those in inline elements too."""
    children: list[Node | str] = [parent.text] if parent.text else []
    for child in parent:
        children += nodes(child) if child.tag in INLINE else [child]
        children += [child.tail] if child.tail else []
    return children


def size(node: Node) -> int:
    return len("".join(map(str, node.itertext())))


def verdicts(block: list[Node | str], body: Node) -> dict[str, bool]:
    inside = [str(t) for n in block for t in ([n] if isinstance(n, str) else n.itertext())]
    heads = {str(t) for h in body.iter("h1", "h2") for t in h.itertext()}
    links = {str(t) for a in body.iter("a") if a.get("href") for t in a.itertext()}
    counted = [t for t in inside if t not in heads]
    total, linked = sum(map(len, counted)), sum(len(t) for t in counted if t in links)
    longest = max((len(s) for p in paragraphs(body) if set(p) & set(counted) for s in sentences("".join(p))), default=0)
    content = not (2 * linked >= total > 0) and longest > 10
    return {t: content or t in heads for t in inside}


def paragraphs(body: Node) -> list[list[str]]:
    """Text nodes between the edges of block elements."""
    lines: list[list[str]] = [[]]

    def walk(node: Node) -> None:
        if node.tag not in INLINE:
            lines.append([])
        if node.text:
            lines[-1].append(str(node.text))
        for child in node:
            walk(child)
            if child.tail:
                lines[-1].append(str(child.tail))
        if node.tag not in INLINE:
            lines.append([])

    walk(body)
    return lines


def sentences(text: str) -> list[str]:
    """Cut behind stops, except before と, っ and です."""
    return re.split(r"(?<=[。！」…])(?![。！」…]|と|っ|です)", text)


def test_a_menu_and_a_list_of_short_words_are_not_content():
    verdicts = judged(f"<ul><li><a href='/a'>記事の一覧をここに長く表示しています</a></ul><p>短い<div>{LONG}</div>")
    assert verdicts["記事の一覧をここに長く表示しています"] == (False, "link text is 100 % of <ul>")
    assert verdicts["短い"] == (False, "the longest sentence of <p> has 2 characters")
    assert verdicts[LONG][0]


def test_an_element_with_half_of_the_page_is_replaced_by_its_children():
    verdicts = judged(f"<div id=all><div><a href=x>{LONG}</a></div><p>{LONG}いま</p></div>")
    assert [verdict for verdict, _ in verdicts.values()] == [False, True]


def test_siblings_of_one_tag_are_judged_together():
    verdicts = judged(f"<div><p>短い<p>{LONG}<p>これも</div><div><span>{LONG}{LONG}</span><p>短文</div>")
    assert verdicts["短い"][0]
    assert verdicts["これも"][0]
    assert not verdicts["短文"][0]


def test_headings_are_content_and_do_not_count():
    verdicts = judged(f"<div><h2><a href=x>{LONG}</a></h2><p>短い</p></div><div>{LONG * 3}</div><p>ん")
    assert verdicts[LONG] == (True, "<h2> is exempt")
    assert not verdicts["ん"][0]


def test_sentences_continue_where_the_thesis_says_so():
    assert kang.longest_sentence("1年ってあっという間!と思う．次。") == len("1年ってあっという間!と思う．")
    assert kang.longest_sentence("はい。 いいえ。\n一行") == 4
    assert kang.longest_sentence("") == 0


def test_a_page_without_a_body_is_judged_too():
    assert judged(f"<html><head></head><frameset>{LONG}</frameset></html>")[LONG][0]


def test_depth_is_not_a_limit():
    assert judged("<div>" * 5_000 + LONG)[LONG][0]


pieces = st.sampled_from(
    ["あ", "いう。", "ええええええええええ", "お！と", "かかかかかか。きき", "」です", "く…っけけけけけけけけ"]
)


def tree(children: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    tags = st.sampled_from(["div", "div", "section", "ul", "h1", "h2", "a", "b", "span"])
    return st.tuples(tags, st.lists(children, min_size=1, max_size=4))


@pytest.mark.slow
@given(st.lists(st.recursive(pieces, tree, max_leaves=14), min_size=1, max_size=4))
def test_equals_the_definition_on_a_tree(content: list[object]):
    """Every word ends with a private-use character of its own, which ends no sentence."""
    number = 0

    def html(node: object) -> str:
        nonlocal number
        if isinstance(node, str):
            number += 1
            return f"<b>{node}{chr(0xE000 + number)}</b>"
        assert isinstance(node, tuple)
        tag, inner = node
        return f"<{tag} href=x>{''.join(map(html, inner))}</{tag}>"

    markup = f"<body>{''.join(map(html, content))}</body>"
    expected = reference(markup)
    page = extract_html(markup).page
    for leaf, judgement in zip(page.leaves, kang.judge(page), strict=True):
        mine = judgement.verdict is BlockClass.CONTENT
        words = [word for word in expected if word[-1] in page.text_of(leaf)]
        assert words
        assert {expected[word] for word in words} == {mine}
