"""What of a page is left out because a browser would not show it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.reading.html.hiding import Declared, declared
from workbench.reading.html.page import extract_html

SHOWN = [
    ("color:red", ""),
    ("--x-display:none", ""),
    ("x-display:none", ""),
    ("/*display:none*/color:red", ""),
    ("display/**/:none;display:block", ""),
    ("disp/**/lay:none", ""),
    ("display:none;display:block", ""),
    ("display:none;DISPLAY:Block", ""),
    ("display:none;display:inline flex", ""),
    ("display:block!important;display:none", ""),
    ("display:block ! IMPORTANT ;display:none", ""),
    ("display:nonesuch", ""),
    ("display:none none", ""),
    ("display:none()", ""),
    ("display:none{}", ""),
    ("display:'none'", ""),
    ("dısplay:none", ""),
    ("display:none\u00a0", ""),
    ("display:none;all:initial", ""),
    ("content:'display:none'", ""),
    ('font-family:"a;display:none;b"', ""),
    ("background:url(a;display:none)", ""),
    ("a:(;display:none", ""),
    ("display:none;display:var(--nothing)", ""),
    (r"display:none;display:bl\6f ck", ""),
    (r"display\:none", ""),
    ("visibility:hidden;visibility:visible", ""),
    ("visibility:nonesuch", ""),
    ("display:none", "p{display:block!important}"),
    ("display:none", ".a.b > p, p.c{color:red;display:block !important}"),
    ("display:none", r".\63{display:flex!important}"),
    ("display:none", "@media screen{#d{display:block!important}}"),
    ("display:none", "/*}*/ a{content:'}'} p{display:block!important}"),
    ("visibility:hidden", "p{visibility:visible!important}"),
    ("display:none", "a{x:'\n} p{display:block!important} a{x:'"),
]
HIDDEN = [
    ("display:none", ""),
    ("DISPLAY : NONE ", ""),
    ("display:none!important;display:block", ""),
    ("display:none;display:nonesuch", ""),
    ("display:none;display:block none", ""),
    ("display:none;color:red", ""),
    ("color:red;;display:none", ""),
    ("nonsense;display:none", ""),
    (r"d\69splay:none", ""),
    (r"display:\6eone", ""),
    ("display:/* here */none", ""),
    ("content:'x\n;display:none", ""),
    ("display:none;x:')';", ""),
    ("visibility:hidden", ""),
    ("visibility:collapse", ""),
    ("display:none", "p{display:block}"),
    ("display:none", ".other{display:block!important}"),
    ("display:none", "p::before{display:block!important}"),
    ("display:none", "@media print{p{display:block!important}}"),
    ("display:none", "/* p{display:block!important} */"),
    ("display:none!important", "p{display:block!important;color:red} p{display:none!important}"),
]


def _page(attributes: str, sheet: str) -> str:
    styles = f"<style>{sheet}</style>" if sheet else ""
    return f"{styles}<p {attributes} class='a b c' id=d>These words.</p><p>Other words.</p>"


@pytest.mark.parametrize(("style", "sheet"), SHOWN)
def test_what_a_browser_shows_is_text(style: str, sheet: str) -> None:
    page = extract_html(_page(f'style="{style.replace(chr(34), "&quot;")}"', sheet))
    assert page.text == "These words.\nOther words."
    assert page.hidden == ""


@pytest.mark.parametrize(("style", "sheet"), HIDDEN)
def test_what_a_browser_hides_is_left_out_and_kept_apart(style: str, sheet: str) -> None:
    page = extract_html(_page(f'style="{style.replace(chr(34), "&quot;")}"', sheet))
    assert page.text == "Other words."
    assert page.hidden == "These words."


@pytest.mark.parametrize(
    ("attributes", "sheet", "shown"),
    [
        ("hidden", "", False),
        ("hidden=until-found", "", False),
        ("hidden style='display:block'", "", True),
        ("hidden style='display:revert'", "", False),
        ("hidden style='all:unset'", "", True),
        ("hidden style='color:red'", "", False),
        ("hidden", "[hidden]{display:block!important}", True),
        ("hidden", "p{display:block}", True),
        ("hidden", "section p{display:block}", True),
        ("hidden", "p{display:block} [hidden]{display:none!important}", False),
        ("hidden", "#d{display:block} .a{display:none}", True),
        ("hidden", "#d{display:none} .a{display:block}", False),
        ("hidden", ".x{display:block}", False),
        ("hidden", "@font-face{display:block} @keyframes p{from{display:block}}", False),
    ],
)
def test_styles_decide_over_the_hidden_attribute(attributes: str, sheet: str, shown: bool) -> None:
    page = extract_html(_page(attributes, sheet))
    assert ("These" in page.text, "These" in page.hidden) == (shown, not shown)


def test_a_sheet_for_print_shows_nothing_on_a_screen() -> None:
    sheet = "[hidden]{display:block}</style>"
    assert "a" not in extract_html(f"<style media=print>{sheet}<p hidden>a</p><p>b</p>").text
    assert "a" in extract_html(f"<style media=screen>{sheet}<p hidden>a</p><p>b</p>").text


def test_what_is_visible_within_the_invisible_is_text() -> None:
    page = extract_html(
        "<div style='visibility:hidden'>no<p>no <b style='visibility:visible'>yes</b> no</p>"
        "<ul style='visibility:visible'><li>yes<li style='visibility:inherit'>yes</ul>no</div>yes"
    )
    assert page.text.split() == ["yes"] * 4
    assert page.hidden == "no\nno no\nno"


def test_nothing_within_what_is_not_displayed_is_text() -> None:
    page = extract_html("<div style='display:none'>no<p style='display:block;visibility:visible'>no</p></div>yes")
    assert (page.text, page.hidden) == ("yes", "no\nno")


def test_invisible_words_leave_a_space_and_those_not_displayed_none() -> None:
    words = "one<span style='{}'> filler </span>two"
    assert extract_html(words.format("visibility:hidden")).text == "one two"
    assert extract_html(words.format("display:none")).text == "onetwo"


def test_the_hidden_text_has_its_lines_and_no_scripts() -> None:
    page = extract_html(
        "<div hidden>one <b>two</b><p>three<script>x()</script><style>y{}</style></p><textarea>z</textarea>four</div>"
    )
    assert page.hidden == "one two\nthree\nfour"


@pytest.mark.parametrize(
    "markup",
    [
        "\x01<p style='display:none;display:block'>These words.</p>",
        "<style>p{display:block}</style>\x01<p hidden>These words.</p>",
        "<p style='display:none;display:block'>These words.</p>" + "<b>" * 3000,
    ],
)
def test_pages_that_make_no_tree_are_read_alike(markup: str) -> None:
    assert "These words." in extract_html(markup).text


@given(st.text(alphabet=";:(){}[]'\"\\/*! displaynoe-\n\u00e9"))
def test_any_style_is_read(style: str) -> None:
    own = declared(style)
    after = declared(style + "\n*/\"'" + ")]}" * len(style) + ";display:none")
    assert after == own or (after.display is not None and after.display[0] == "hides") or own != Declared()


@pytest.mark.parametrize(
    "page",
    [
        "<p style='display:none;x:" + "(" * 300_000 + "'>a</p>b",
        "<p style='" + "display:none;" * 60_000 + "'>a</p>b",
        "<p style='" + "display:none\\" * 60_000 + "'>a</p>b",
        "<style>" + "p{display:block}" * 20_000 + "</style>" + "<p hidden>a" * 100 + "</p>b",
        "<style>" + "p{" * 100_000 + "display:block" + "</style><p hidden>a</p>b",
        "<style>" + ":is(" * 100_000 + "p{display:block}</style><p hidden>a</p>b",
        "<style>" + '/*"' * 100_000 + "</style><p hidden>a</p>b",
    ],
    ids=["brackets", "declarations", "escapes", "rules", "nested rules", "nested selectors", "comments"],
)
def test_endless_styles_are_read_in_time(page: str) -> None:
    started = time.monotonic()
    assert "b" in extract_html(page).text
    assert time.monotonic() - started < 30
