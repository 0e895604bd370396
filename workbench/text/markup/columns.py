"""A web page as arrays: what the compiled reader writes, and the rules for content blocks read."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import BlockKind

GONE, VEILED, SHOWN = 1, 2, 3
"""The visibility of an element: left out with its content (``display: none``); its text left out (``visibility:
hidden``), and that of its descendants, except those SHOWN (``visibility: visible``).
"""


@dataclass(frozen=True, slots=True)
class Columns:
    """A page as arrays; places are offsets in ``data``, UTF-8 with the entities of XML.

    ``text`` uint32: the code points of the leaves' texts, joined by line ends. ``leaves`` int32 [l, 11]: start, end,
    kind (see :data:`KINDS`), element, node, size, linked, links, emphasised, and the rows of ``inline`` with the hints
    of its inline elements. ``elements`` int32 [e, 7]: parent, tag, hints, depth, first leaf, the leaf after the last,
    node. ``nodes`` int32 [n, 7]: the open tags outside elements that are left out; of each its parent, tag, number
    among the siblings of that tag, depth, and the node, kind and element of the block it is in. ``inline`` int32:
    hints; ``hint_texts`` uint8: class, id, role and itemprop of each of them, separated by spaces, and NUL. ``names``
    int32 [t, 2]: where the names of tags begin and end. ``anchors`` int32 [a, 4]: start and end of the text of a link,
    and the place of its address. ``links`` int32 [k, 2]: the places of the addresses of all links. ``notes`` int32 [m,
    3]: kinds and places of metadata. ``looks`` int32 [s, 3]: start, end and look (a sum of ``LookKind``) of stretches
    of text, and of pictures, in order. ``noscript``: the number of characters left out in ``<noscript>``; ``depth``:
    that of the deepest element.
    """

    data: bytes
    text: NDArray[np.uint32]
    leaves: NDArray[np.int32]
    elements: NDArray[np.int32]
    nodes: NDArray[np.int32]
    inline: NDArray[np.int32]
    hint_texts: NDArray[np.uint8]
    names: NDArray[np.int32]
    anchors: NDArray[np.int32]
    links: NDArray[np.int32]
    notes: NDArray[np.int32]
    looks: NDArray[np.int32]
    noscript: int
    depth: int

    def written(self, first: int, end: int) -> str:
        """The characters at a place."""
        return unescaped(self.data[first:end].decode())


KINDS = (
    BlockKind.PARAGRAPH,
    BlockKind.PARAGRAPH,
    BlockKind.HEADING,
    BlockKind.LIST_ITEM,
    BlockKind.TABLE_CELL,
    BlockKind.PREFORMATTED,
)
"""Kinds by their number in :class:`Columns`."""

PATH_STEPS = 32
"""Most steps of a block's path; a longer path is written as ``//`` and its last steps."""

INLINE_HINTS = 240
"""Most characters of the hints of a leaf's inline elements."""
_REFERENCE = re.compile("&#([0-9]+);")
_DIGITS = 7
"""Digits of the greatest reference that is a character."""
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
"""The ampersand last: its character begins other entities."""


def _referred(match: re.Match[str]) -> str:
    """The character of a reference; one beyond Unicode is shown as browsers show it."""
    digits = match[1].lstrip("0")
    return chr(int(digits)) if len(digits) <= _DIGITS and 0 < int(digits or 0) <= sys.maxunicode else "\ufffd"


def unescaped(written: str) -> str:
    """``written`` without the entities of XML and decimal character references."""
    if "&" in written:
        if "&#" in written:
            written = _REFERENCE.sub(_referred, written)
        for entity, character in _ENTITIES:
            written = written.replace(entity, character)
    return written
