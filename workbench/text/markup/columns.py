"""A web page as arrays: written by the compiled reader, read by the rules for content blocks."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base.types import BlockKind

GONE, VEILED, SHOWN = 1, 2, 3
"""The visibility of an element: left out with its content (``display: none``); its text left out (``visibility:
hidden``), and the text of its descendants, except those SHOWN (``visibility: visible``).
"""


@dataclass(frozen=True, slots=True)
class Columns:
    """A page as arrays; positions are offsets in ``data``, UTF-8 with XML entities.

    ``text`` uint32: the code points of the leaves' texts, joined by line ends. ``leaves`` int32 [l, 11]: start, end,
    kind (see :data:`KINDS`), element, node, size, linked, links, emphasised, and the rows of ``inline`` with the hints
    of its inline elements. ``elements`` int32 [e, 7]: parent, tag, hints, depth, first leaf, the leaf after the last,
    node. ``nodes`` int32 [n, 7]: the open tags outside omitted elements: parent, tag, number among siblings with the
    same tag, depth, and the node, kind and element of the enclosing block. ``inline`` int32: hints; ``hint_texts``
    uint8: class, id, role and itemprop of each, separated by spaces and ended by NUL. ``names`` int32 [t, 2]: start and
    end of the names of tags. ``anchors`` int32 [a, 4]: start and end of the text of a link, and the position of its
    address. ``links`` int32 [k, 2]: positions of the addresses of all links. ``notes`` int32 [m, 3]: kinds and
    positions of metadata. ``looks`` int32 [s, 3]: start, end and look (a sum of ``LookKind``) of stretches of text, and
    of pictures, in order. ``noscript``: the number of characters left out in ``<noscript>``; ``depth``: the depth of
    the deepest element.
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
        """The characters from ``first`` to ``end``, unescaped."""
        return unescaped(self.data[first:end].decode())


KINDS = (
    BlockKind.PARAGRAPH,
    BlockKind.PARAGRAPH,
    BlockKind.HEADING,
    BlockKind.LIST_ITEM,
    BlockKind.TABLE_CELL,
    BlockKind.PREFORMATTED,
)
"""Block kinds by their number in :class:`Columns`."""

PATH_STEPS = 32
"""Maximum number of steps of a block's path; a longer path is written as ``//`` and its last steps."""

INLINE_HINTS = 240
"""Maximum length of the hints of a leaf's inline elements, in characters."""
_REFERENCE = re.compile("&#([0-9]+);")
_DIGITS = 7
"""Digits of the largest character reference that is valid."""
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
"""The ampersand comes last, because it begins the other entities."""


def _referred(match: re.Match[str]) -> str:
    """The character of a reference; references beyond Unicode are treated as in browsers."""
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
