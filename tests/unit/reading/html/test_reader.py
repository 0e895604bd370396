"""The compiled reader of pages beside the plain one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.reading.html.plain_reader import read_plainly
from workbench.base.types import LookKind
from workbench.kernels.pages.page_pass import read
from workbench.reading.html import page as html
from workbench.reading.html.hiding import StyleSheets, hidden_elements
from workbench.reading.html.page import extract_html

PARTS = [
    *("<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<br>", "<br/>", "<li>", "<td>", "<table>", "</table>", "<ul>"),
    *("</ul>", "<pre>", "</pre>", "<h1>", "</h1>", "<dl><dt>", "<dd>", "<caption>", "<xmp>", "</xmp>", "<center>"),
    *(
        "あ",
        "a ",
        " \n ",
        "\n",
        "字\n",
        "\u3000",
        "\xa0",
        "\x85",
        "文。",
        "word. ",
        "&lt;",
        "&amp;",
        "&#13;",
        "&#x1F600;",
    ),
    *("<a href=x>", "<a href=' /y?a=1&amp;b=2'>", "<a href=' '>", "<a href='#q'>", "<a name=q>", "</a>"),
    *(
        "<span class='x Y'>",
        "<span class=''>",
        "<span id=K role=main>",
        "</span>",
        "<em>",
        "</em>",
        "<i class=İ>",
        "</i>",
    ),
    *("<div class='İ nav'>", "<p hidden>", "<p style='DISPLAY : none'>", "<p style='visibility:hidden'>", "<i hidden>"),
    *("<b style='visibility:hidden'>", "<div style='visibility:visible'>", "<i style='visibility:collapse'>"),
    *("<b style='visibility:initial'>", "<p hidden class=u style='color:red'>", "<style>.u{display:block}</style>"),
    *("<p style='color:red'>", "<svg><title>s</title>", "</svg>", "<title>T &amp; <b> t</title>", "<noscript>"),
    *("</noscript>", "<script>if(a<b)x</script>", "<template>", "</template>", "<textarea>", "</textarea>"),
    '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2019-01-02"}</script>',
    *("<my-tag class=u>", "</my-tag>", "<x:y>", "</x:y>", "<o:p>", "</o:p>", '<y"<z>', '<a "b="c">', "<a =b=c hidden>"),
    *("<html lang=en>", "</html>", "<body class=z>", "</body>", "<head>", "<ruby>漢<rt>かん</rt></ruby>"),
    *("<meta name=date content=2020-01-02>", "<meta property=og:type content=article>", "<form>", "</form>"),
    *(
        "<time itemprop=datePublished datetime=2018-02-03>",
        "</time>",
        "<link rel=CANONICAL href=' https://e.example/ '>",
    ),
    *(
        "&#1;",
        "\x0b",
        "\x0c",
        "<!-- c -->",
        "<?pi ?>",
        "<![CDATA[x]]>",
        "\ufffd",
        "<frameset>",
        "<iframe>",
        "</iframe>",
    ),
]


@given(st.lists(st.sampled_from(PARTS), max_size=60))
def test_a_page_is_read_as_by_the_plain_reader(parts: list[str]) -> None:
    _compare("".join(parts))


def test_each_part_of_a_page_is_read_as_by_the_plain_reader() -> None:
    for part in PARTS:
        _compare(f"<p>a{part}b</p>c")


@pytest.mark.parametrize("tag", ["<div>", "<b>", "<a href=x>", "<li>t"])
@pytest.mark.parametrize("depth", [31, 32, 33, 2045, 2046, 2047, 3000])
def test_a_deep_page_is_read_as_by_the_plain_reader(tag: str, depth: int) -> None:
    _compare(tag * depth + "x<p>y</p>z")


def test_a_page_of_xhtml_is_read_as_by_the_plain_reader() -> None:
    doctype = (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
    )
    _compare(doctype + "<html lang=ja><title>a</title><body lang=en><br/>b<p/>c<script>d<e</script></html>")


@given(st.lists(st.sampled_from(PARTS), max_size=30))
def test_a_stream_gives_what_a_tree_gives(parts: list[str]) -> None:
    markup = "".join(parts)
    written, sheets = html.parse(markup, html._Writer()).result()
    streamed = read(written, html._tags(), hidden_elements(written, StyleSheets(sheets)))
    built = extract_html(markup).page.columns
    if streamed.noscript <= len(streamed.text):
        assert streamed.text.tolist() == built.text.tolist()
        assert streamed.leaves.tolist() == built.leaves.tolist()


def _compare(markup: str) -> None:
    plain, read = read_plainly(markup), extract_html(markup)
    assert read.text == plain.text
    assert read.leaves == plain.leaves
    assert read.page.elements == plain.elements
    assert read.links == plain.links
    assert read.anchors == plain.anchors
    assert list(read.looks) == sorted(read.looks)
    for span, kind in read.looks:
        inside = kind is LookKind.PICTURE or any(
            leaf.span.start <= span.start < span.end <= leaf.span.end for leaf in read.leaves
        )
        assert inside
        assert 0 <= span.start <= span.end <= len(read.text)
    assert "".join(read.hidden.split()) == plain.hidden
    about = plain.metadata
    assert (read.title, read.page.kind, read.language) == (about.title, about.kind, about.language)
    assert (read.published, read.dated_by, read.url) == (about.published, about.dated_by, about.url)
