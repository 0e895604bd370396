"""The roles of a page's tags for its text."""

from __future__ import annotations

from workbench.base.types import BlockKind

_BLOCK_NAMES = """
    address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure
    footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav
    ol p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp caption title
"""
_SKIPPED_NAMES = """
    script style template noscript noframes iframe object embed svg math audio video canvas map select datalist textarea
    rt rp rtc
"""
_INLINE_NAMES = """
    a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark meter nobr output progress q
    ruby rb s samp small span strike strong sub sup time tt u var wbr button input link meta o:p g-emoji picture source
"""
BLOCK_TAGS = frozenset(_BLOCK_NAMES.split())
SKIPPED_TAGS = frozenset(_SKIPPED_NAMES.split())
INLINE_TAGS = frozenset(_INLINE_NAMES.split())
EMPHASIS = frozenset(("b", "strong", "em", "i", "u", "big"))
BOLD, ITALIC = frozenset(("b", "strong")), frozenset(("em", "i", "cite", "var", "dfn"))
CODE = frozenset(("code", "kbd", "samp", "tt"))
KIND_OF = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), BlockKind.HEADING),
    **dict.fromkeys(("li", "dt", "dd"), BlockKind.LIST_ITEM),
    **dict.fromkeys(("td", "th", "caption"), BlockKind.TABLE_CELL),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), BlockKind.PREFORMATTED),
}
NEVER_HIDDEN = ("html", "body")
KNOWN = tuple(sorted(BLOCK_TAGS | SKIPPED_TAGS | INLINE_TAGS))
"""All known tags, in order of number."""
