from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.reading.web.urls import canonical, host_parts, url_similarity

# Kang (2009), table 2. The third row is printed as 0.38, but the printed formula, a Simpson coefficient, gives 0.50:
# 0.38 needs a division by the larger of the two sets.
TABLE = [
    (
        0.50,
        "http://www.gipc.kanazawa-u.ac.jp/whatsnew/host/kh23102.htm",
        "http://133.28.23.100/whatsnew/host/kh23102.htm",
    ),
    (
        1.00,
        "http://www.softic.or.jp/lib/cases/Nikkei_v_Comline.html",
        "http://mail.softic.or.jp/lib/cases/Nikkei_v_Comline.html",
    ),
    (
        0.50,
        "http://www.dd.ij4u.or.jp/~yamano/dokyo/saigoku/saigoku_17.htm",
        "http://yamanokanata.net/dokyo/saigoku/saigoku_17.htm",
    ),
    (
        1.00,
        "http://www.fdev.ce.hiroshima-cu.ac.jp/~terauchi/SEIKEI.HTM",
        "http://va620v.fdev.ce.hiroshima-cu.ac.jp/~terauchi/SEIKEI.HTM",
    ),
    (1.00, "http://www.keiju.co.jp/data2/tushinbo.htm", "http://keijyulion.keiju.co.jp/data2/tushinbo.htm"),
]


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize(("expected", "a", "b"), TABLE)
def test_addresses_of_the_thesis_are_as_similar_as_it_says(expected: float, a: str, b: str, every: bool) -> None:
    assert url_similarity(a, b, every_top_level=every) == pytest.approx(expected)
    assert url_similarity(b, a, every_top_level=every) == pytest.approx(expected)


def test_a_country_makes_hosts_alike_in_the_thesis_only() -> None:
    a, b = "http://one.cn/x", "http://two.cn/y"
    assert url_similarity(a, b) == 0
    assert url_similarity(a, b, every_top_level=False) == 0.25
    assert url_similarity("http://one.co.uk/", "http://two.co.uk/") == 0


def test_a_blog_is_like_the_site_under_whose_name_it_is() -> None:
    assert host_parts("blog.example.de") == {"blog", "example"}
    assert url_similarity("http://blog.example.de/a", "http://example.de/a") == 1


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("http://a.com/", "http://b.com/", 0.0),
        ("http://a.com/", "http://www.a.com/index.html", 0.5),
        ("http://a.com/%7Eme/x.html", "https://a.com:8080/~me/x.htm", 1.0),
        ("", "", 0.0),
        ("no address", "http://a.com/", 0.0),
    ],
)
def test_edges_of_the_formula(a: str, b: str, expected: float) -> None:
    assert url_similarity(a, b) == pytest.approx(expected)


@given(st.text(), st.text())
def test_similarity_is_symmetric_and_a_share(a: str, b: str) -> None:
    assert 0 <= url_similarity(a, b) == url_similarity(b, a) <= 1
    assert isinstance(canonical(a), str)


@pytest.mark.parametrize(
    "url",
    [
        "http://foo.com/a",
        "https://www.FOO.com/a/",
        "//foo.com:80/a/index.html#top",
        "http://me@foo.com/%61/Default.aspx",
    ],
)
def test_addresses_of_one_page_have_one_form(url: str) -> None:
    assert canonical(url) == "foo.com/a"


@pytest.mark.parametrize("url", ["", "page.html", "/a/b", "mailto:me@foo.com", "http://"])
def test_what_is_not_an_absolute_address_has_no_form(url: str) -> None:
    assert canonical(url) == ""


def test_queries_tell_pages_apart() -> None:
    assert canonical("http://foo.com/?p=1") != canonical("http://foo.com/?p=2")
