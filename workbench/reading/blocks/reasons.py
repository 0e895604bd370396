"""The scorecard's reasons, in a few English words understandable to a reader of the page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from workbench.base.messages import Message
from workbench.reading.blocks.page import Leaf, Page
from workbench.text.markup.hints import GROUPS, groups

_MOST = 3
_HIGHEST = 40
_WORDS = {
    "parent:linked": Message("mostly links around it"),
    "grandparent:linked": Message("mostly links further away"),
    "parent:prose": Message("prose around it"),
    "grandparent:prose": Message("prose further away"),
    "parent:many-short": Message("one of many short lines"),
    "main:85": Message("in the part with most of the prose"),
    "main:60": Message("in the part with most of the prose"),
    "main:40": Message("in the part with most of the prose"),
    "links:3": Message("three or more links"),
    "ends:stop": Message("ends like a sentence"),
    "ends:colon": Message("ends with a colon"),
    "has:stop": Message("has sentences"),
    "has:stops": Message("has several sentences"),
    "has:comma": Message("has commas"),
    "has:commas": Message("has several commas"),
    "has:date": Message("has a date"),
    "has:copyright": Message("has a copyright sign"),
    "has:bars": Message("has separators"),
    "digits": Message("mostly digits"),
    "capitals": Message("all capitals"),
    "emphasised": Message("all emphasised"),
    "in-title": Message("occurs in the page's title"),
    "is-title": Message("is the page's title"),
    "repeated": Message("occurs more than once on the page"),
    "lines": Message("has several lines"),
    "before-prose": Message("before the first prose of the page"),
    "after-prose": Message("after the last prose of the page"),
    "first-tenth": Message("at the top of the page"),
    "last-tenth": Message("at the bottom of the page"),
    "last-third": Message("low on the page"),
    "prose": Message("prose"),
    "page:prose-rare": Message("a page with little prose"),
    "comments-on-prose": Message("comments on other prose"),
    "later-article": Message("in another <article> than the first"),
    "later-article-of-article": Message("in another <article> than the first"),
    "before-h1": Message("before the page's <h1>"),
    "has-h1": Message("a page with an <h1>"),
    "run:same": Message("one of a row of such blocks"),
    "heading": Message("heading"),
    "heading-of": Message("heading of content"),
    "between": Message("between blocks of prose"),
    "short": Message("a short line"),
    "short-before": Message("a short line before content"),
    "short-after": Message("a short line after content"),
    "filled-parent": Message("among content"),
    "alike": Message("blocks that look the same"),
    "keeps": Message("trafilatura keeps it"),
    "keeps-previous": Message("trafilatura keeps the block before"),
    "keeps-next": Message("trafilatura keeps the block after"),
    "keeps-parent": Message("trafilatura keeps its surroundings"),
    "keeps-nothing": Message("trafilatura keeps nothing here"),
    "keeps-alike": Message("trafilatura keeps blocks that look the same"),
    "drops": Message("trafilatura drops it"),
    "drops-content": Message("trafilatura drops it"),
    "drops-alike": Message("trafilatura drops blocks that look the same"),
    "drops-from-article": Message("trafilatura drops it"),
    "drops-and-agrees:0.6": Message("trafilatura drops it"),
    "drops-and-agrees:0.9": Message("trafilatura drops it"),
    "outside": Message("outside the part trafilatura keeps"),
    "outside-of-article": Message("outside the part trafilatura keeps"),
    "says:related": Message("mentions other pages"),
    "says:credit": Message("names an author, a source or a time"),
    "says:comments": Message("mentions comments"),
    "says:action": Message("tells readers what to do next"),
    "says:rights": Message("mentions rights"),
    "under:related": Message("below a line about other pages"),
    "under:comments": Message("below a line about comments"),
    "cjk:page": Message("a page in Chinese or Japanese"),
    "article:outside-main": Message("outside the part with most of the prose"),
    "article:page": Message("a page marked as an article"),
    "previous": Message("follows content"),
    "next": Message("precedes content"),
    "previous-long": Message("follows content"),
    "next-long": Message("precedes content"),
}
_BESIDE = {
    "previous:linked": Message("links before it"),
    "previous:prose": Message("prose before it"),
    "previous:same": Message("a block in the same place before it"),
    "previous:short": Message("a short line before it"),
    "next:linked": Message("links after it"),
    "next:prose": Message("prose after it"),
    "next:same": Message("a block in the same place after it"),
    "next:short": Message("a short line after it"),
}
_CONTENT = {
    "parent": Message("content around it"),
    "grandparent": Message("content around it"),
    "third": Message("content around it"),
    "window": Message("content near it"),
    "alike": Message("content in blocks that look the same"),
}


def reason(page: Page, leaf: Leaf, causes: Sequence[str], points: float, bar: float) -> str:
    """One line: the first few of ``causes`` (names of features), the points and the threshold, in log odds."""
    reasons: list[str] = []
    for name in causes:
        words = _always(name) or _words(page, leaf, name)
        if words and words not in reasons:
            reasons.append(words)
            if len(reasons) == _MOST:
                break
    compared = f"{points:.1f} {'≥' if points >= bar else '<'} {bar:.1f}".replace("-", "−")
    return _with_points(tuple(reasons), compared)


# Many blocks of a page, and of a site, share their reasons.
@lru_cache(maxsize=4096)
def _with_points(reasons: tuple[str, ...], compared: str) -> str:
    return Message("{reasons} (points {points})", reasons=_joined(reasons), points=compared)


@lru_cache(maxsize=1024)
def _joined(reasons: tuple[str, ...]) -> str:
    return Message.joined("; ", reasons) if reasons else Message("no feature stands out")


@lru_cache(maxsize=1024)
def _always(name: str) -> str:
    """The words for a feature if independent of the block, otherwise empty."""
    kind, _, value = name.partition(":")
    if name in _WORDS:
        return _WORDS[name]
    if kind in ("article", "cjk"):
        return _always(value)
    if kind == "brief":
        return _always(f"says:{value}")
    if kind in ("in", "tag"):
        return f"<{value}>"
    if kind in ("previous", "next"):
        return _BESIDE[name]
    return _CONTENT.get(kind, "")


@lru_cache(maxsize=1024)
def _parted(name: str) -> tuple[str, str]:
    kind, _, value = name.removeprefix("article:").removeprefix("cjk:").partition(":")
    return kind, value


def _words(page: Page, leaf: Leaf, name: str) -> str:
    kind, value = _parted(name)
    if kind in ("near", "around", "inline"):
        return _named(_hint(page, leaf, 1 << GROUPS.index(value)) or value)
    if kind == "linked":
        return _linked(100 * leaf.linked // max(leaf.size, 1))
    if kind == "length":
        return _long(leaf.size)
    return ""


@lru_cache(maxsize=1024)
def _named(name: str) -> str:
    return Message("named “{name}”", name=name)


@lru_cache(maxsize=128)
def _linked(share: int) -> str:
    return Message("link text {share} % of it", share=share)


@lru_cache(maxsize=1024)
def _long(size: int) -> str:
    return Message("{count} characters", count=f"{size:,}")


def _hint(page: Page, leaf: Leaf, bit: int) -> str:
    """The class, id or role on or around ``leaf`` that belongs to the group with this bit; empty if there is none."""
    at, hints = leaf.element, leaf.inline
    for _ in range(_HIGHEST + 2):
        if hints and groups(hints) & bit:
            return next((word for word in hints.split() if groups(word) & bit), "")[:_HIGHEST]
        if at < 0:
            break
        hints = page.elements[at].hints
        at = page.elements[at].parent
    return ""
