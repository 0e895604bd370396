"""A stranger's page is shown without anything that runs or is fetched."""

from __future__ import annotations

import pytest

from workbench.base.errors import UnreadableInput
from workbench.reading.html.safe import safe_page

HOSTILE = """<html><head><title>T</title><base href="https://evil.example/">
<meta http-equiv="refresh" content="0;url=https://evil.example/"><link rel="stylesheet" href="https://evil.example/a.css">
<style>@import url(https://evil.example/b.css); body{background:url(https://evil.example/c.png)}</style>
<script src="https://evil.example/d.js">alert(1)</script></head>
<body onload="alert(2)" background="https://evil.example/e.png"><h1>Kept &amp; kept</h1>
<p style="background:url(https://evil.example/f.png)" onclick="alert(3)">A <a href="javascript:alert(4)" ping="https://evil.example/">link</a>.</p>
<img src="https://evil.example/g.png" srcset="https://evil.example/h.png 2x"><picture><source srcset="https://evil.example/i.png"></picture>
<svg><image href="https://evil.example/j.png"/><script>alert(5)</script></svg><iframe src="https://evil.example/k"></iframe>
<object data="https://evil.example/l"></object><embed src="https://evil.example/m"><video src="https://evil.example/n" poster="https://evil.example/o"></video>
<form action="https://evil.example/p"><input type="image" src="https://evil.example/q"><button formaction="https://evil.example/r">b</button></form>
<noscript><img src="https://evil.example/s"></noscript><!-- <img src="https://evil.example/t"> --><template><img src="https://evil.example/u"></template>
<table><tr><td colspan="2">cell</td></tr></table>
</body></html>"""


def test_nothing_runs_and_nothing_is_fetched() -> None:
    page = safe_page(HOSTILE, "<T>")
    for gone in ("evil", "alert", "script", "javascript", "src", "href", "url(", "style", "onload", "refresh", "<T>"):
        assert gone not in page.replace("default-src", "")
    assert "default-src 'none'" in page
    for kept in ("<h1>Kept &amp; kept</h1>", "A <a>link</a>.", 'colspan="2"', "cell"):
        assert kept in page


def test_the_encoding_that_markup_declares_does_not_garble_it() -> None:
    assert "写本" in safe_page('<meta charset="shift_jis"><p>写本</p>')
    assert "写本" in safe_page('<?xml version="1.0" encoding="shift_jis"?><html><body><p>写本</p></body></html>')


def test_what_is_not_markup_is_refused() -> None:
    with pytest.raises(UnreadableInput):
        safe_page("")
