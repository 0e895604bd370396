from __future__ import annotations

import gzip

import pytest

from workbench.base.errors import UnreadableInput
from workbench.reading.web import listings
from workbench.reading.web.listings import Sitemap, read_sitemap

SPACE = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
)
URLSET = f"""<?xml version="1.0" encoding="UTF-8"?><urlset {SPACE}>
<url><loc> http://h/old?a=1&amp;b=2 </loc><lastmod>2020-01-01</lastmod>
<image:image><image:loc>http://h/picture.png</image:loc></image:image></url>
<url><loc><![CDATA[http://h/undated]]></loc></url><url><lastmod>2024-01-01</lastmod></url>
<url><loc>http://h/new</loc><lastmod>2024-05-05T10:00:00Z</lastmod></url></urlset>"""
PAGES = ("http://h/new", "http://h/old?a=1&b=2", "http://h/undated")


def test_pages_come_latest_first():
    assert read_sitemap(URLSET.encode()) == Sitemap(PAGES, dates=("2024-05-05T10:00:00Z", "2020-01-01"))
    assert read_sitemap(URLSET.replace(SPACE, "").replace("image:", "").encode()).pages == PAGES


def test_addresses_with_ampersands_that_are_not_escaped_are_whole():
    written = (
        "http://h/?a=1&b=2",
        "http://h/?a=1&amp;b=2&copy=3",
        "<![CDATA[http://h/?a=1&amp=2]]>",
        "http://h/?a&#38;b",
    )
    data = "".join(f"<url><loc>{address}</loc></url>" for address in written)
    pages = ("http://h/?a=1&b=2", "http://h/?a=1&b=2&copy=3", "http://h/?a=1&amp=2", "http://h/?a&b")
    assert read_sitemap(f"<urlset>{data}</urlset>".encode()).pages == pages


def test_packed_marked_and_plain_sitemaps():
    assert read_sitemap(gzip.compress(URLSET.encode())).pages == PAGES
    assert read_sitemap(b"\xef\xbb\xbf \n" + URLSET.encode()).pages == PAGES
    assert read_sitemap(b"http://h/a\r\n\r\nhttps://h/b\nrubbish\n").pages == ("http://h/a", "https://h/b")


def test_an_index_leads_to_sitemaps():
    text = "<sitemapindex><sitemap><loc>http://h/1.xml.gz</loc></sitemap></sitemapindex>"
    assert read_sitemap(text.encode()) == Sitemap(children=("http://h/1.xml.gz",))


def test_what_is_beyond_the_protocol_is_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listings, "MOST_URLS", 2)
    assert read_sitemap(URLSET.encode()).cut == 1
    assert read_sitemap(b"http://h/a\nhttp://h/b\nhttp://h/c") == Sitemap(("http://h/a", "http://h/b"), cut=1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        b"<html><body>http://h/</body></html>",
        b"<?xml version='1.0'?>",
        b"\x1f\x8bbroken",
        gzip.compress(URLSET.encode(), mtime=0)[:50],
    ],
)
def test_anything_else_is_refused(data: bytes):
    with pytest.raises(UnreadableInput):
        read_sitemap(data)


def test_one_that_unpacks_to_too_much_is_refused():
    with pytest.raises(UnreadableInput):
        read_sitemap(gzip.compress(bytes(listings.MOST_BYTES + 10), 1))


def test_entities_do_not_expand_and_files_are_not_read():
    for entity in ('SYSTEM "file:///etc/passwd"', '"' + "a" * 100 + '"'):
        text = f"<!DOCTYPE urlset [<!ENTITY x {entity}>]><urlset><url><loc>http://h/&x;</loc></url></urlset>"
        assert "root" not in str(read_sitemap(text.encode()))


def test_what_is_cut_off_is_read_as_far_as_it_goes():
    assert "http://h/old?a=1&b=2" in read_sitemap(URLSET[: URLSET.index("<url><lastmod>")].encode()).pages


def test_an_address_that_comes_in_many_pieces_is_one():
    address = "http://a.example/" + "長い" * 100_000
    assert read_sitemap(f"<urlset><url><loc>{address}</loc></url></urlset>".encode()).pages == (address,)
