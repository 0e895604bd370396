"""Names of the yes/no features of a leaf block, in the order of their bits, with their limits."""

from __future__ import annotations

from workbench.base.types import BlockKind
from workbench.text.markup.hints import GROUPS, TAG_BITS, TAGS
from workbench.text.markup.labels import LABELS

_AROUND_TAGS = ("nav", "header", "footer", "aside", "form", "article", "main", "section", "table", "ul", "dl", "figure",
                "blockquote", "details", "address", "li")  # fmt: skip
LENGTHS = (12, 25, 50, 100, 200, 400)
SHARES = (0.01, 0.2, 0.5, 0.9)
_NEIGHBOUR = ("linked", "prose", "same", "short")
OF_ARTICLES = (
    "page", "around:comments", "around:message", "around:related", "around:sidebar", "around:caption", "in:aside",
    "in:ul", "in:footer", "in:figure", "after-prose", "before-prose", "outside-main", "linked:0.5", "length:100",
)  # fmt: skip
OF_CJK = (
    "page",
    "prose",
    "ends:stop",
    "has:stop",
    "has:comma",
    "length:50",
    "length:100",
    "linked:0.5",
    "tag:td",
    "tag:p",
    "tag:div",
    "has:date",
    "has:bars",
    "in:table",
    "in:ul",
    "after-prose",
    "before-prose",
    "under:comments",
    "under:related",
    "previous:prose",
    "next:prose",
    "run:same",
)
WHOLE = 0.99
"""An element with at least this share of the page's text distinguishes nothing: it is a layout frame or a form."""

MAIN = {"main:85": 0.85, "main:60": 0.6, "main:40": 0.4}

NAMES: tuple[str, ...] = (
    *(f"near:{g}" for g in GROUPS),
    *(f"around:{g}" for g in GROUPS),
    *(f"in:{t}" for t in _AROUND_TAGS),
    *(f"tag:{t}" for t in TAGS),
    "parent:linked", "grandparent:linked", "parent:prose", "grandparent:prose", "parent:many-short",
    *MAIN,
    *(f"length:{n}" for n in LENGTHS),
    *(f"linked:{s}" for s in SHARES),
    *(f"inline:{g}" for g in GROUPS),
    "links:3", "ends:stop", "has:stop", "has:stops", "has:comma", "has:commas", "ends:colon", "has:date",
    "has:copyright",
    "digits", "has:bars", "capitals", "emphasised", "in-title", "is-title", "repeated", "lines",
    *(f"previous:{n}" for n in _NEIGHBOUR),
    *(f"next:{n}" for n in _NEIGHBOUR),
    "before-prose", "after-prose", "first-tenth", "last-tenth", "last-third", "run:same", "prose",
    "page:prose-rare", "comments-on-prose", "later-article", "later-article-of-article", "before-h1", "has-h1",
    *(f"article:{n}" for n in OF_ARTICLES),
    *(f"says:{g}" for g in LABELS),
    *(f"brief:{g}" for g in LABELS),
    "under:related", "under:comments",
    *(f"cjk:{n}" for n in OF_CJK),
)  # fmt: skip
INDEX = {name: at for at, name in enumerate(NAMES)}
BIT = {name: 1 << at for at, name in enumerate(NAMES)}

IN = {t: f"in:{t}" for t in _AROUND_TAGS}
IN |= {"ol": IN["ul"], "menu": IN["ul"], "fieldset": IN["form"], "dialog": IN["form"]}
"""The feature of everything inside a tag."""

TAG = {tag: f"tag:{TAGS[bit.bit_length() - 1]}" for tag, bit in TAG_BITS.items()}
"""The feature of a block whose element has a tag."""

HEADING = BlockKind.HEADING
CLOSING = "\"'”’」』）)]"
"""Characters allowed between the end of a sentence and the end of its block."""
COMMAS = ",，、;；"
BARS = "|｜»›>·•/"
