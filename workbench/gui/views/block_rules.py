"""Why a block counts or not, in the interface language: the reasons of the rules are kept in English."""

from __future__ import annotations

import re
from collections.abc import Callable

from workbench.gui.i18n import tr

_POINTS = re.compile(r"(?P<reasons>.*?) \(points (?P<points>[^()]*)\)(?:; (?P<more>.*))?", re.DOTALL)


class RuleWords:
    """Translates reasons; one that is not known stays as it is. Made anew where the language changes."""

    def __init__(self) -> None:
        self._known = _phrases()
        self._patterns = [(re.compile(pattern, re.DOTALL), words) for pattern, words in _patterns()]

    def __call__(self, rule: str) -> str:
        """The reason ``rule`` in the interface language."""
        scored = _POINTS.fullmatch(rule)
        if scored is None:
            return self._joined(rule)
        said = tr("{reasons} (points {points})", reasons=self._joined(scored["reasons"]), points=scored["points"])
        return f"{said}; {self._joined(scored['more'])}" if scored["more"] else said

    def _joined(self, reasons: str) -> str:
        whole = self._one(reasons)
        # A selector may hold the sign that divides reasons.
        return "; ".join(map(self._one, reasons.split("; "))) if whole == reasons else whole

    def _one(self, reason: str) -> str:
        if reason in self._known:
            return self._known[reason]
        for pattern, words in self._patterns:
            if found := pattern.fullmatch(reason):
                return words(**found.groupdict())
        return reason


def _patterns() -> list[tuple[str, Callable[..., str]]]:
    """Reasons with something of the page in them."""
    return [
        (r"decided by (?P<name>.+)", lambda name: tr("decided by {name}", name=name)),
        (r"named “(?P<name>[^”]*)”", lambda name: tr("named “{name}”", name=name)),
        (r"link text (?P<share>\d+) % of it", lambda share: tr("link text {share} % of it", share=share)),
        (r"(?P<count>[\d,]+) characters", lambda count: tr("{count} characters long", count=count)),
        (r"<(?P<tag>\w+)> is exempt", lambda tag: tr("<{tag}> is always content", tag=tag)),
        (
            r"link text is (?P<share>\d+) % of (?P<name>[^,]+), the longest sentence of [^,]+ has "
            r"(?P<count>[\d,]+) characters",
            lambda share, name, count: tr(
                "link text is {share} % of {name}, its longest sentence has {count} characters",
                share=share,
                name=name,
                count=count,
            ),
        ),
        (
            r"link text is (?P<share>\d+) % of (?P<name>[^,]+)",
            lambda share, name: tr("link text is {share} % of {name}", share=share, name=name),
        ),
        (
            r"the longest sentence of (?P<name>[^,]+) has (?P<count>[\d,]+) characters",
            lambda name, count: tr("the longest sentence of {name} has {count} characters", name=name, count=count),
        ),
        (
            r"repeated on (?P<count>[\d,]+\+?) of (?P<pages>[\d,]+\+?) pages of the site",
            lambda count, pages: tr("repeated on {count} of {pages} pages of the site", count=count, pages=pages),
        ),
        (
            r"inside the selector of (?P<host>\S+|all hosts) \((?P<css>.*)\)",
            lambda host, css: tr("inside the selector of {host} ({css})", host=_host(host), css=css),
        ),
        (
            r"outside the selector of (?P<host>\S+|all hosts) \((?P<css>.*)\)",
            lambda host, css: tr("outside the selector of {host} ({css})", host=_host(host), css=css),
        ),
        (
            r"the selector of (?P<host>\S+|all hosts) selects nothing here",
            lambda host: tr("the selector of {host} selects nothing here", host=_host(host)),
        ),
        (
            r"the selector of (?P<host>\S+|all hosts) would take too long here",
            lambda host: tr("the selector of {host} would take too long here", host=_host(host)),
        ),
    ]


def _host(host: str) -> str:
    return tr("all hosts") if host == "all hosts" else host


def _phrases() -> dict[str, str]:
    return {
        "mostly links around it": tr("mostly links around it"),
        "mostly links further around it": tr("mostly links further around it"),
        "prose around it": tr("prose around it"),
        "prose further around it": tr("prose further around it"),
        "one of many short lines": tr("one of many short lines"),
        "in the part that holds most prose": tr("in the part that holds most prose"),
        "three or more links": tr("three or more links"),
        "ends like a sentence": tr("ends like a sentence"),
        "ends with a colon": tr("ends with a colon"),
        "has sentences": tr("has sentences"),
        "has several sentences": tr("has several sentences"),
        "has commas": tr("has commas"),
        "has several commas": tr("has several commas"),
        "has a date": tr("has a date"),
        "has a copyright sign": tr("has a copyright sign"),
        "has dividing signs": tr("has dividing signs"),
        "mostly digits": tr("mostly digits"),
        "all capitals": tr("all capitals"),
        "all emphasised": tr("all emphasised"),
        "stands in the page's title": tr("stands in the page's title"),
        "is the page's title": tr("is the page's title"),
        "stands more than once on the page": tr("stands more than once on the page"),
        "has several lines": tr("has several lines"),
        "before the first prose of the page": tr("before the first prose of the page"),
        "after the last prose of the page": tr("after the last prose of the page"),
        "at the top of the page": tr("at the top of the page"),
        "at the bottom of the page": tr("at the bottom of the page"),
        "low on the page": tr("low on the page"),
        "prose": tr("prose"),
        "speaks of other pages": tr("speaks of other pages"),
        "names an author, a source or a time": tr("names an author, a source or a time"),
        "speaks of comments": tr("speaks of comments"),
        "says what to do next": tr("says what to do next"),
        "speaks of rights": tr("speaks of rights"),
        "below a line about other pages": tr("below a line about other pages"),
        "below a line about comments": tr("below a line about comments"),
        "a page in Chinese or Japanese": tr("a page in Chinese or Japanese"),
        "clear without a second opinion": tr("clear without a second opinion"),
        "a page with little prose": tr("a page with little prose"),
        "comments on other prose": tr("comments on other prose"),
        "in another <article> than the first": tr("in another <article> than the first"),
        "before the page's <h1>": tr("before the page's <h1>"),
        "a page with an <h1>": tr("a page with an <h1>"),
        "one of a row of such blocks": tr("one of a row of such blocks"),
        "heading": tr("heading"),
        "heading of content": tr("heading of content"),
        "between blocks of prose": tr("between blocks of prose"),
        "a short line": tr("a short line"),
        "a short line before content": tr("a short line before content"),
        "a short line after content": tr("a short line after content"),
        "among content": tr("among content"),
        "blocks of the same look": tr("blocks of the same look"),
        "trafilatura keeps it": tr("trafilatura keeps it"),
        "trafilatura keeps the block before": tr("trafilatura keeps the block before"),
        "trafilatura keeps the block after": tr("trafilatura keeps the block after"),
        "trafilatura keeps what is around it": tr("trafilatura keeps what is around it"),
        "trafilatura keeps nothing here": tr("trafilatura keeps nothing here"),
        "trafilatura keeps blocks of the same look": tr("trafilatura keeps blocks of the same look"),
        "trafilatura drops it": tr("trafilatura drops it"),
        "trafilatura drops blocks of the same look": tr("trafilatura drops blocks of the same look"),
        "outside what trafilatura keeps": tr("outside what trafilatura keeps"),
        "outside the part that holds most prose": tr("outside the part that holds most prose"),
        "a page that calls itself an article": tr("a page that calls itself an article"),
        "follows content": tr("follows content"),
        "stands before content": tr("stands before content"),
        "links before it": tr("links before it"),
        "links after it": tr("links after it"),
        "prose before it": tr("prose before it"),
        "prose after it": tr("prose after it"),
        "a block of the same place before it": tr("a block of the same place before it"),
        "a block of the same place after it": tr("a block of the same place after it"),
        "a short line before it": tr("a short line before it"),
        "a short line after it": tr("a short line after it"),
        "content around it": tr("content around it"),
        "content near it": tr("content near it"),
        "content in blocks of the same look": tr("content in blocks of the same look"),
        "no feature stands out": tr("no feature stands out"),
        "outside <body>": tr("outside <body>"),
    }
