"""The reasons that the scorecard gives, in a few words of English that a reader of the page understands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from workbench.text.blocks.hints import GROUPS, groups
from workbench.text.blocks.page import Leaf, Page

_MOST = 3
_HIGHEST = 40
_WORDS = {
    "parent:linked": "mostly links around it",
    "grandparent:linked": "mostly links further around it",
    "parent:prose": "prose around it",
    "grandparent:prose": "prose further around it",
    "parent:many-short": "one of many short lines",
    "main:85": "in the part that holds most prose",
    "main:60": "in the part that holds most prose",
    "main:40": "in the part that holds most prose",
    "links:3": "three or more links",
    "ends:stop": "ends like a sentence",
    "ends:colon": "ends with a colon",
    "has:stop": "has sentences",
    "has:stops": "has several sentences",
    "has:comma": "has commas",
    "has:commas": "has several commas",
    "has:date": "has a date",
    "has:copyright": "has a copyright sign",
    "has:bars": "has dividing signs",
    "digits": "mostly digits",
    "capitals": "all capitals",
    "emphasised": "all emphasised",
    "in-title": "stands in the page's title",
    "is-title": "is the page's title",
    "repeated": "stands more than once on the page",
    "lines": "has several lines",
    "before-prose": "before the first prose of the page",
    "after-prose": "after the last prose of the page",
    "first-tenth": "at the top of the page",
    "last-tenth": "at the bottom of the page",
    "last-third": "low on the page",
    "prose": "prose",
    "page:prose-rare": "a page with little prose",
    "comments-on-prose": "comments on other prose",
    "later-article": "in another <article> than the first",
    "later-article-of-article": "in another <article> than the first",
    "before-h1": "before the page's <h1>",
    "has-h1": "a page with an <h1>",
    "run:same": "one of a row of such blocks",
    "heading": "heading",
    "heading-of": "heading of content",
    "between": "between blocks of prose",
    "short": "a short line",
    "short-before": "a short line before content",
    "short-after": "a short line after content",
    "filled-parent": "among content",
    "alike": "blocks of the same look",
    "keeps": "trafilatura keeps it",
    "keeps-previous": "trafilatura keeps the block before",
    "keeps-next": "trafilatura keeps the block after",
    "keeps-parent": "trafilatura keeps what is around it",
    "keeps-nothing": "trafilatura keeps nothing here",
    "keeps-alike": "trafilatura keeps blocks of the same look",
    "drops": "trafilatura drops it",
    "drops-content": "trafilatura drops it",
    "drops-alike": "trafilatura drops blocks of the same look",
    "drops-from-article": "trafilatura drops it",
    "drops-and-agrees:0.6": "trafilatura drops it",
    "drops-and-agrees:0.9": "trafilatura drops it",
    "outside": "outside what trafilatura keeps",
    "outside-of-article": "outside what trafilatura keeps",
    "says:related": "speaks of other pages",
    "says:credit": "names an author, a source or a time",
    "says:comments": "speaks of comments",
    "says:action": "says what to do next",
    "says:rights": "speaks of rights",
    "under:related": "below a line about other pages",
    "under:comments": "below a line about comments",
    "cjk:page": "a page in Chinese or Japanese",
    "article:outside-main": "outside the part that holds most prose",
    "article:page": "a page that calls itself an article",
    "previous": "follows content",
    "next": "stands before content",
    "previous-long": "follows content",
    "next-long": "stands before content",
}
_BESIDE = {"linked": "links", "prose": "prose", "same": "a block of the same place", "short": "a short line"}
_PLACES = {"parent": "around it", "grandparent": "around it", "third": "around it", "window": "near it",
           "alike": "in blocks of the same look"}  # fmt: skip


def reason(page: Page, leaf: Leaf, causes: Sequence[tuple[float, str]], points: float, bar: float) -> str:
    """One line: the first few of ``causes`` (points and name of features), the points and the bar, in log odds."""
    said: list[str] = []
    for _, name in causes:
        words = _always(name) or _words(page, leaf, name)
        if words and words not in said:
            said.append(words)
            if len(said) == _MOST:
                break
    compared = f"{points:.1f} {'≥' if points >= bar else '<'} {bar:.1f}".replace("-", "−")
    return f"{'; '.join(said) or 'no feature stands out'} (points {compared})"


@lru_cache(maxsize=1024)
def _always(name: str) -> str:
    """The words for a feature that do not depend on the block; empty where they do."""
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
        return f"{_BESIDE[value]} {'before' if kind == 'previous' else 'after'} it"
    return f"content {_PLACES[kind]}" if kind in _PLACES else ""


@lru_cache(maxsize=1024)
def _parted(name: str) -> tuple[str, str]:
    kind, _, value = name.removeprefix("article:").removeprefix("cjk:").partition(":")
    return kind, value


def _words(page: Page, leaf: Leaf, name: str) -> str:
    kind, value = _parted(name)
    if kind in ("near", "around", "inline"):
        return f"named “{_hint(page, leaf, 1 << GROUPS.index(value)) or value}”"
    if kind == "linked":
        return f"link text {100 * leaf.linked // max(leaf.size, 1)} % of it"
    if kind == "length":
        return f"{leaf.size:,} characters"
    return ""


def _hint(page: Page, leaf: Leaf, bit: int) -> str:
    """The name in the mark-up of ``leaf`` or around it that belongs to the group with this bit; empty for none."""
    at, hints = leaf.element, leaf.inline
    for _ in range(_HIGHEST + 2):
        if hints and groups(hints) & bit:
            return next((word for word in hints.split() if groups(word) & bit), "")[:_HIGHEST]
        if at < 0:
            break
        hints = page.elements[at].hints
        at = page.elements[at].parent
    return ""
