"""Hints about the text of an element from its class, id, role and tag."""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS = {
    "navigation": "nav menu breadcrumb crumb pagination pager paging toolbar navbar navigation sitemap skip jump toc",
    "sidebar": "sidebar side aside rail widget sidenav complementary secondary",
    "footer": "footer foot copyright copyrights legal bottom contentinfo disclaimer colophon",
    "header": "header masthead topbar banner logo branding top hd",
    "related": "related relate recommend recommended recommendation popular trending latest teaser promo suggest "
    "suggested hot rank ranking readmore more upnext recirc carousel slider similar recent",
    "sharing": "share sharing social sns follow facebook twitter addthis bookmark print like vote rating",
    "comments": "comment comments disqus reply replies respond response discussion",
    "advertisement": "ad ads advert advertisement adsense sponsor sponsored dfp outbrain taboola affiliate partner",
    "byline": "byline meta metadata author date time timestamp published info source views credit posted dateline "
    "kicker",
    "tags": "tag tags category categories topic topics keywords label badge",
    "caption": "caption figcaption figure image img photo gallery media video",
    "form": "form login signin signup register search subscribe subscription newsletter cookie consent gdpr modal "
    "popup overlay dialog alert notice toast account",
    "hidden": "hidden hide invisible offscreen collapsed sr screenreader visually noprint",
    "button": "button btn cta action actions dropdown toggle tooltip",
    "article": "article articlebody content contents body entry post story text main prose markdown rte richtext copy "
    "paragraph blog news detail details readable wysiwyg document doc",
    "message": "message thread forum question answer topic posts quote reviewbody review reviews",
    "product": "product price cart shop sku spec specs specification specifications feature features description "
    "summary overview desc intro lead excerpt abstract about",
    "card": "card cards tile grid item items list row col listing results result",
    "biography": "bio biography profile avatar contributor user username member",
    "hero": "hero headline title heading subtitle subhead section",
    "reference": "reference references reflist footnote footnotes citation cite note notes appendix",
    "faq": "faq accordion tab tabs panel",
}
GROUPS = tuple(_WORDS)
"""The distinguished groups of words, in the order of their bits."""

_BIT = {word: 1 << at for at, words in enumerate(_WORDS.values()) for word in words.split()}
_TOKEN = re.compile(r"[a-z]+")
_STARTS = re.compile(
    r"(comment|relat|recommend|sidebar|navbar|menu|footer|header|shar|social|advert|sponsor|subscri|newsletter|caption|"
    r"cookie|breadcrumb|article|content|author|copyright|promo|widget|product|review|forum|profile|trend|popular|button)"
)
_ENDS = re.compile(
    r".{3,}(nav|menu|footer|header|content|body|text|article|comments?|ads|banner|related|list|title|"
    r"share|box|post|entry|author|tags|links|form)$"
)
_FULL = {"relat": "related", "shar": "share", "recommend": "recommend", "subscri": "subscribe", "trend": "trending"}


@lru_cache(maxsize=1 << 14)
def groups(hints: str) -> int:
    """The groups of words in ``hints`` (lower case), a bit each in the order of :data:`GROUPS`.

    Compound words are classified by their beginning (``commentlist``), otherwise by their end (``pagecontent``).
    """
    bits = 0
    for word in _TOKEN.findall(hints[:400]):
        bits |= _group(word)
    return bits


@lru_cache(maxsize=1 << 14)
def _group(word: str) -> int:
    bit = _BIT.get(word)
    if bit is None and (part := _STARTS.match(word) or _ENDS.match(word)):
        bit = _BIT.get(_FULL.get(part[1], part[1]))
    return bit or 0


TAGS = (
    "nav", "header", "footer", "aside", "form", "article", "main", "section", "table", "ul", "li", "dl", "figure",
    "blockquote", "pre", "address", "details", "p", "div", "td", "h1", "h2", "h3", "h4", "dt", "dd", "figcaption",
    "body", "center", "caption",
)  # fmt: skip
"""The distinguished tags, in the order of their bits."""

_ALIKE = {"ol": "ul", "th": "td", "h5": "h4", "h6": "h4", "menu": "ul", "fieldset": "form", "dialog": "form"}
TAG_BITS = {tag: 1 << at for at, tag in enumerate(TAGS)}
TAG_BITS |= {tag: TAG_BITS[like] for tag, like in _ALIKE.items()}
