from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.reading.formats.html import _web_links, page

WRITTEN = (
    "http:// https:// HTTP:// ftp:// // / . .. a.example B :80 ? # ; x=1 [ ] あ %20 @ \\ : javascript: file:/// data:,"
)
PIECES = st.sampled_from([*WRITTEN.split(), " ", "\t"])
ADDRESSES = st.lists(PIECES, max_size=7).map("".join)


def joined(base: str, link: str) -> list[str]:
    """What ``urljoin`` makes of a link, if that leads into the web."""
    try:
        absolute = urljoin(base, link) if base else link
    except ValueError:
        return []
    scheme = absolute.partition(":")[0].strip().lower() if ":" in absolute else "http"
    is_scheme = scheme.isascii() and scheme[:1].isalpha() and scheme.replace(".", "").replace("+", "").isalnum()
    return [absolute] if not is_scheme or scheme in ("http", "https", "ftp") else []


@given(
    st.one_of(
        st.sampled_from(["", "http://a.example", "https://a.example/b/c?d#e", "http://a.example:80/b/;c"]), ADDRESSES
    ),
    st.one_of(ADDRESSES, ADDRESSES.map("http://a.example/".__add__), ADDRESSES.map("/b".__add__)),
)
@example("http://a.example/b", "/c/../d")
@example("http://a.example/b", "/c?")
@example("http://a.example/b", "http://a.example?#x")
@example("http://[", "http://a.example")
def test_links_are_joined_as_urljoin_does(base: str, link: str) -> None:
    try:
        urljoin(base, "any")  # it returns an empty link's base unread
    except ValueError:
        return
    assert [absolute for _, absolute in _web_links(base, [link])] == joined(base, link)


def test_an_absolute_link_needs_no_base() -> None:
    assert [a for _, a in _web_links("http://[", ["http://a.example/b", "c"])] == ["http://a.example/b"]


@pytest.mark.parametrize(
    ("link", "absolute"),
    [
        ("c.html", "https://a.example/b/c.html"),
        ("/c.html", "https://a.example/c.html"),
        ("//d.example/c", "https://d.example/c"),
        ("http://d.example/c?x=1#y", "http://d.example/c?x=1#y"),
        ("../c", "https://a.example/c"),
    ],
)
def test_links_of_a_page_are_absolute(link: str, absolute: str) -> None:
    assert page(f'<p><a href="{link}">x</a>', "1", url="https://a.example/b/").links == (absolute,)
