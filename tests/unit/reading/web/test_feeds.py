from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import UnreadableInput
from workbench.reading.web.listings import feed_titles, read_feed, shortened

ATOM = """<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>x</title>
<entry><title>1</title><link href="/one"/><published>2023-12-31T23:30:00-02:00</published></entry>
<entry><title>2</title><link rel="alternate" href="http://other.example/two"/><updated>2024-02-03T00:00:00Z</updated></entry>
<entry><title>no link</title></entry></feed>"""

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>x</title><link>http://h/</link>
<item><guid isPermaLink="true">http://h/guid</guid><pubDate>nonsense</pubDate></item>
<item><link>http://h/two</link><pubDate>Mon, 01 Jan 2024 10:00:00 GMT</pubDate></item></channel></rss>"""


def test_entries_of_atom_and_rss_with_their_times():
    assert list(read_feed(ATOM.encode(), "http://h/dir/feed")) == [
        ("http://h/one", "2024-01-01T01:30:00Z"),
        ("http://other.example/two", "2024-02-03T00:00:00Z"),
    ]
    assert list(read_feed(RSS.encode(), "http://h/feed", "application/rss+xml")) == [
        ("http://h/guid", ""),
        ("http://h/two", "2024-01-01T10:00:00Z"),
    ]


@pytest.mark.parametrize("written", ["2024-01-01", "Mon, 01 Jan 2024", "2024-01-01T10:00:00"])
def test_a_date_without_time_or_zone_is_a_day(written: str):
    text = RSS.replace("Mon, 01 Jan 2024 10:00:00 GMT", written)
    assert ("http://h/two", "2024-01-01") in read_feed(text.encode(), "http://h/feed", "application/rss+xml")


def test_the_charset_of_the_header_counts():
    text = RSS.replace("http://h/two", "http://h/路").encode("euc-jp")
    assert ("http://h/路", "2024-01-01T10:00:00Z") in read_feed(
        text, "http://h/", "application/rss+xml; charset=euc-jp"
    )


@pytest.mark.parametrize("data", [b"", b"<html><body>page</body></html>", b"\0\1\2", b'{"items": []}'])
def test_anything_else_is_refused(data: bytes):
    with pytest.raises(UnreadableInput):
        list(read_feed(data, "http://h/"))


def test_a_path_in_an_answer_opens_no_file(tmp_path: Path):
    (tmp_path / "feed.xml").write_text(RSS, encoding="utf-8")
    path = str(tmp_path / "feed.xml").encode()
    assert feed_titles(path) == []
    with pytest.raises(UnreadableInput):
        list(read_feed(path, "http://h/"))


@pytest.mark.slow
def test_entities_do_not_expand():
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + n)} "{("&" + chr(97 + n) + ";") * 10}">' for n in range(9)
    )
    text = RSS.replace('<?xml version="1.0"?>', f'<?xml version="1.0"?>{bomb}]>').replace("nonsense", "&j;")
    assert len(list(read_feed(text.encode(), "http://h/"))) <= 2


@pytest.mark.parametrize("entry", ["<item><link>http://h/x</link></item>", "<item><link>http://h/x</link>", "<item>"])
def test_of_a_feed_without_end_the_first_entries_are_read_and_the_others_counted(
    entry: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("workbench.reading.web.listings.MOST_ENTRIES", 40)
    text = RSS.replace("</channel></rss>", entry * 100 + "</channel></rss>")
    data, cut = shortened(text.encode())
    assert cut == 62
    assert len(data) < len(text) - 60 * len(entry)
    assert ("http://h/two", "2024-01-01T10:00:00Z") in read_feed(data, "http://h/feed")
