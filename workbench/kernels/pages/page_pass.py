"""From the markup of a page to its blocks and elements, in one pass over its bytes.

The markup is a tree written by libxml2 as XML: every element is closed, attributes are in double quotes, and only
character references and the five entities of XML occur. Names of tags and attributes may contain any other characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import mix
from workbench.kernels.pages.classes import CJK, SPACE, classes
from workbench.text.markup.columns import GONE, SHOWN, VEILED, Columns

(
    BLOCK, SKIPPED, INLINE, EMPHASIS, BREAK, LINK, TITLE, SCRIPT, NOSCRIPT, SPEAKS, CANONICAL,
    BOLD, ITALIC, CODE, PICTURE,
) = (1 << bit for bit in range(15))  # fmt: skip
"""The role of a tag: bounds text; is omitted with its content; contains no blocks; emphasises; a line break; a link;
the title; a script; content for browsers without scripts; metadata of the page, or metadata if its ``rel`` is
``canonical``; bold; italic; code; a picture.
"""
LOOK = 11
"""The bit of BOLD; the bits from there on are those of ``LookKind``."""

ELEMENT, TITLE_TEXT, TITLE_END, DATA, HIDDEN = range(5)
"""Kinds of notes: a start tag, a stretch of the title's text, the end of a title, a data script, all for the metadata;
a stretch of hidden text, empty where a block begins or ends.
"""

_CLASSES = classes()
_SPACE, _CJK = np.uint8(SPACE), np.uint8(CJK)
_MOST_INLINE, _LONGEST_KEY = 30, 8
(
    _LENGTH, _PENDING, _STARTED, _LAST, _RUN, _SOURCE_BREAK, _BREAKS, _AFTER_CJK, _BEGIN, _SIZE, _LINKED, _LINKS,
    _EMPHASISED, _INLINE_FROM, _INLINE_TO, _LINK, _EMPHASIS, _HREF_FROM, _HREF_TO, _ANCHOR_FROM, _ANCHOR_TO, _LEAVES,
    _ANCHORS, _FIRST, _STATE,
) = range(25)  # fmt: skip
_TAG_LT, _TAG_GT, _SLASH, _EQUALS, _QUOTE, _BLANK, _AMPERSAND, _SEMICOLON = b'<>/=" &;'

VERBATIM = 5
"""The kind of blocks in which white space is kept."""


def _key(name: bytes) -> int:
    return int.from_bytes(name, "big")


_CLASS, _ID, _ROLE, _ITEMPROP = _key(b"class"), _key(b"id"), _key(b"role"), _key(b"itemprop")
_HREF, _TYPE, _REL = _key(b"href"), _key(b"type"), _key(b"rel")
_DATE_PUBLISHED = np.frombuffer(b"datepublished", np.uint8)
_IS_CANONICAL = np.frombuffer(b"canonical", np.uint8)
_IS_DATA = np.frombuffer(b"ld+json", np.uint8)


@dataclass(frozen=True, slots=True)
class Tags:
    """The known tags: their names, separated by spaces; for each its ``flags`` (uint16, BLOCK …), and the kind of the
    blocks in it (uint8), 0 for the kind of the enclosing element.
    """

    names: bytes
    flags: NDArray[np.uint16]
    kinds: NDArray[np.uint8]


StartTagVisibility = tuple[NDArray[np.int64], NDArray[np.uint8]]
"""The offsets of the names of the start tags of some elements in the markup, in order, and their visibility: GONE,
VEILED or SHOWN of ``text.markup.columns``.
"""

NONE_HIDDEN: StartTagVisibility = np.zeros(0, np.int64), np.zeros(0, np.uint8)


def read(markup: bytes, tags: Tags, hidden: StartTagVisibility = NONE_HIDDEN, *, skip_noscript: bool = True) -> Columns:
    """``markup``, written by libxml2 as XML, in UTF-8, without comments and declarations."""
    data = tags.names + b" " + markup
    # Upper bounds: the number of tags, and of stretches of text, of which each leaf and each text of a link needs one.
    most = markup.count(b"<") + 1
    text = np.empty(len(markup) + most, np.uint32)
    leaves, elements, nodes, hints = (np.empty((most, width), np.int32) for width in (11, 7, 7, 8))
    anchors, links = np.empty((most, 4), np.int32), np.empty((most, 2), np.int32)
    inline, names = np.empty(most, np.int32), np.empty((most + len(tags.flags), 2), np.int32)
    notes, looks = np.empty((4 * most, 3), np.int32), np.empty((2 * most, 3), np.int32)
    counts = np.zeros(13, np.int64)
    flags = tags.flags if skip_noscript else tags.flags & ~np.where(tags.flags & NOSCRIPT, SKIPPED, 0).astype(np.uint16)
    _read(
        np.frombuffer(data, np.uint8), len(tags.names) + 1, flags, tags.kinds, *hidden, _CLASSES, text, leaves,
        elements, nodes, inline, hints, names, anchors, links, notes, looks, counts,
    )  # fmt: skip
    return Columns(
        data,
        text[: counts[0]],
        leaves[: counts[1]],
        elements[: counts[2]],
        nodes[: counts[3]],
        inline[: counts[4]],
        _joined(np.frombuffer(data, np.uint8), hints[: counts[5]]),
        names[: counts[6]],
        anchors[: counts[7]],
        links[: counts[8]],
        notes[: counts[9]],
        looks[: counts[12]],
        int(counts[10]),
        int(counts[11]),
    )


@kernel
def _joined(data: Any, hints: Any) -> Any:
    """The values at the positions in each row of ``hints``, separated by spaces and followed by NUL."""
    size = 0
    for i in range(len(hints)):
        size += 1
        for k in range(0, 8, 2):
            if hints[i, k] >= 0:
                size += hints[i, k + 1] - hints[i, k] + 1
    joined = np.empty(size, np.uint8)
    n = 0
    for i in range(len(hints)):
        begun = False
        for k in range(0, 8, 2):
            if hints[i, k] >= 0:
                if begun:
                    joined[n] = _BLANK
                    n += 1
                begun = True
                for at in range(hints[i, k], hints[i, k + 1]):
                    joined[n] = data[at]
                    n += 1
        joined[n] = 0
        n += 1
    return joined[:n]


@helper
def _place(data: Any, at: Any, byte: Any) -> Any:
    """The first position of ``byte`` from ``at`` on, or the end."""
    i, end = np.uintp(at), np.uintp(len(data))  # unsigned, so that no index counts from the end
    while i < end and data[i] != byte:
        i += np.uintp(1)
    return np.int64(i)


@helper
def _hash(data: Any, first: Any, end: Any, value: Any) -> Any:
    for i in range(first, end):
        value = (value ^ np.uint64(data[i])) * np.uint64(0xD1342543DE82EF95)
        value ^= value >> np.uint64(32)
    return value


@helper
def _same(data: Any, a: Any, a_end: Any, b: Any, b_end: Any) -> Any:
    if a_end - a != b_end - b:
        return False
    for i in range(a_end - a):  # noqa: SIM110 - compiled
        if data[a + i] != data[b + i]:
            return False
    return True


@helper
def _tag(data: Any, first: Any, end: Any, slots: Any, names: Any, count: Any) -> Any:
    """The number of the tag ``data[first:end]``; equal to ``count`` for a new one, which is added."""
    mask = np.int64(len(slots) - 1)
    slot = np.int64(mix(_hash(data, first, end, np.uint64(0))) & np.uint64(mask))
    while slots[slot] >= 0:
        at = slots[slot]
        if _same(data, first, end, names[at, 0], names[at, 1]):
            return at
        slot = (slot + 1) & mask
    slots[slot] = count
    names[count, 0], names[count, 1] = first, end
    return count


@helper
def _hint(data: Any, places: Any, slots: Any, hints: Any, count: Any) -> Any:
    """The number of the hints at ``places``, a row of ``hints``; equal to ``count`` for new ones, which are added."""
    mask = np.int64(len(slots) - 1)
    value = np.uint64(1)
    for k in range(0, 8, 2):
        value = mix(value + np.uint64(k))
        if places[k] >= 0:
            value = _hash(data, places[k], places[k + 1], value)
    slot = np.int64(mix(value) & np.uint64(mask))
    while slots[slot] >= 0:
        at = slots[slot]
        same = True
        for k in range(0, 8, 2):
            if (places[k] < 0) != (hints[at, k] < 0) or not _same(
                data, places[k], places[k + 1], hints[at, k], hints[at, k + 1]
            ):
                same = False
                break
        if same:
            return at
        slot = (slot + 1) & mask
    slots[slot] = count
    for k in range(8):
        hints[count, k] = places[k]
    return count


@helper
def _number(parent: Any, tag: Any, keys: Any, values: Any) -> Any:
    """The number of the next child with this ``tag`` of the node ``parent``: one more than at the last call."""
    mask = np.int64(len(keys) - 1)
    key = np.int64(parent + 1) << np.int64(32) | np.int64(tag)
    slot = np.int64(mix(np.uint64(key)) & np.uint64(mask))
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    keys[slot] = key
    values[slot] += 1
    return values[slot]


@helper
def _code(data: Any, at: Any) -> Any:
    """The code point at ``data[at]``, and the position after it."""
    first = np.uint32(data[at])
    if first == np.uint32(_AMPERSAND):
        kind = data[at + 1]
        if kind == 108:  # &lt;
            return np.uint32(60), at + 4
        if kind == 103:  # &gt;
            return np.uint32(62), at + 4
        if kind == 97:  # &amp; or &apos;
            return (np.uint32(38), at + 5) if data[at + 2] == 109 else (np.uint32(39), at + 6)
        if kind == 113:  # &quot;
            return np.uint32(34), at + 6
        value = np.uint32(0)
        at += 2
        while data[at] != _SEMICOLON:
            value = value * np.uint32(10) + np.uint32(data[at] - 48)
            at += 1
        return value, at + 1
    if first < np.uint32(0x80):
        return first, at + 1
    second = np.uint32(data[at + 1]) & np.uint32(0x3F)
    if first < np.uint32(0xE0):
        return (first & np.uint32(0x1F)) << np.uint32(6) | second, at + 2
    third = np.uint32(data[at + 2]) & np.uint32(0x3F)
    if first < np.uint32(0xF0):
        return (first & np.uint32(0x0F)) << np.uint32(12) | second << np.uint32(6) | third, at + 3
    fourth = np.uint32(data[at + 3]) & np.uint32(0x3F)
    code = (first & np.uint32(0x07)) << np.uint32(18) | second << np.uint32(12) | third << np.uint32(6) | fourth
    return code, at + 4


@helper
def _is_blank(data: Any, first: Any, end: Any, classes: Any) -> Any:
    while first < end:
        code, first = _code(data, first)
        if not classes[code] & _SPACE:
            return False
    return True


@helper
def _stripped_length(data: Any, first: Any, end: Any, classes: Any) -> Any:
    """Number of characters from the first to the last that is not white space."""
    length = seen = 0
    while first < end:
        code, first = _code(data, first)
        if not classes[code] & _SPACE:
            seen += 1
            length = seen
        elif length:
            seen += 1
    return length


@helper
def _is(data: Any, first: Any, end: Any, word: Any) -> Any:
    """Whether ``data[first:end]`` is ``word``, ignoring case."""
    if end - first != len(word):
        return False
    for i in range(len(word)):
        byte = data[first + i]
        if 65 <= byte <= 90:
            byte += 32
        if byte != word[i]:
            return False
    return True


@helper
def _occurs(data: Any, first: Any, end: Any, word: Any) -> Any:
    for start in range(first, end - len(word) + 1):
        at = 0
        while at < len(word) and data[start + at] == word[at]:
            at += 1
        if at == len(word):
            return True
    return False


@helper
def _write(data: Any, at: Any, end: Any, verbatim: Any, classes: Any, text: Any, state: Any) -> Any:
    """Add ``data[at:end]`` to the current leaf, with white space as a browser shows it, or ``verbatim``."""
    length, last, started, run = state[_LENGTH], state[_LAST], state[_STARTED], state[_RUN]
    source_break, after_cjk, size = state[_SOURCE_BREAK], state[_AFTER_CJK], state[_SIZE]
    seen = size
    state[_FIRST] = -1
    while at < end:
        code, at = _code(data, at)
        kind = classes[code]
        if not started:
            if kind & _SPACE:
                continue
            started = state[_PENDING] = 1
            if state[_LEAVES]:
                text[length] = np.uint32(10)
                length += 1
            state[_BEGIN] = length
            run = source_break = state[_BREAKS] = 0
        elif not verbatim:
            if code == np.uint32(32) or np.uint32(9) <= code <= np.uint32(13):
                run = 1
                if code == np.uint32(10) or code == np.uint32(11):
                    source_break = 1
                continue
            if run:
                if state[_BREAKS]:
                    for _ in range(state[_BREAKS]):
                        text[length] = np.uint32(10)
                        length += 1
                    state[_BREAKS] = 0
                elif not (source_break and after_cjk and kind & _CJK):
                    text[length] = np.uint32(32)
                    length += 1
                run = source_break = 0
        text[length] = code
        length += 1
        after_cjk = np.int64(kind & _CJK)
        if not kind & _SPACE:
            if size == seen:
                state[_FIRST] = length - 1
            size += 1
            last = length
            if state[_LINK] >= 0:
                state[_LINKED] += 1
                if state[_ANCHOR_FROM] < 0:
                    state[_ANCHOR_FROM] = length - 1
                state[_ANCHOR_TO] = length
            if state[_EMPHASIS] >= 0:
                state[_EMPHASISED] += 1
    state[_LENGTH], state[_LAST], state[_STARTED], state[_RUN] = length, last, started, run
    state[_SOURCE_BREAK], state[_AFTER_CJK], state[_SIZE] = source_break, after_cjk, size


@helper
def _anchor(anchors: Any, state: Any) -> Any:
    """Record the text of the current link so far, if any."""
    if state[_ANCHOR_FROM] >= 0:
        row = anchors[state[_ANCHORS]]
        row[0], row[1] = state[_ANCHOR_FROM], state[_ANCHOR_TO]
        row[2], row[3] = state[_HREF_FROM], state[_HREF_TO]
        state[_ANCHORS] += 1
        state[_ANCHOR_FROM] = -1


@helper
def _append(rows: Any, count: Any, first: Any, second: Any, third: Any) -> Any:
    """Write row ``count`` of three columns; the new count. Assigning a row takes numba much longer to compile."""
    rows[count, 0], rows[count, 1], rows[count, 2] = first, second, third
    return count + 1


@helper
def _flush(node: Any, nodes: Any, leaves: Any, anchors: Any, state: Any) -> Any:
    """End the current block: its text, if any, becomes a leaf of the block ``nodes[node]``."""
    if state[_STARTED]:
        row = leaves[state[_LEAVES]]
        row[0], row[1], row[2], row[3], row[4] = state[_BEGIN], state[_LAST], nodes[node, 5], nodes[node, 6], node
        row[5], row[6], row[7], row[8] = state[_SIZE], state[_LINKED], state[_LINKS], state[_EMPHASISED]
        row[9], row[10] = state[_INLINE_FROM], state[_INLINE_TO]
        state[_LEAVES] += 1
        state[_LENGTH] = state[_LAST]
        state[_INLINE_FROM] = state[_INLINE_TO]
        _anchor(anchors, state)
    state[_PENDING] = state[_STARTED] = state[_RUN] = state[_SOURCE_BREAK] = state[_BREAKS] = state[_AFTER_CJK] = 0
    state[_SIZE] = state[_LINKED] = state[_EMPHASISED] = 0
    state[_LINKS] = 1 if state[_LINK] >= 0 else 0
    state[_INLINE_TO] = state[_INLINE_FROM]


@kernel
def _read(
    data: Any,
    at: Any,
    flags: Any,
    kinds: Any,
    hidden_at: Any,
    fates: Any,
    classes: Any,
    text: Any,
    leaves: Any,
    elements: Any,
    nodes: Any,
    inline: Any,
    hints: Any,
    names: Any,
    anchors: Any,
    links: Any,
    notes: Any,
    looks: Any,
    counts: Any,
) -> Any:
    room = 64
    while room < 2 * len(names):
        room *= 2
    slots = np.full(room, -1, np.int32)
    hint_slots = np.full(room, -1, np.int32)
    keys = np.full(room, -1, np.int64)
    numbers = np.zeros(room, np.int32)
    places = np.full(8, -1, np.int32)
    state = np.zeros(_STATE, np.int64)
    state[_LINK] = state[_EMPHASIS] = state[_ANCHOR_FROM] = -1

    n_names = known = first = 0
    for i in range(at):
        if data[i] == _BLANK:
            _tag(data, first, i, slots, names, n_names)
            n_names += 1
            first = i + 1
    known = n_names

    n_elements = n_nodes = n_hints = n_links = n_notes = n_looks = n_fates = noscript = deepest = depth = 0
    node = -1
    offset = at
    veiled = np.zeros(len(nodes), np.bool_)
    looked = np.zeros(len(nodes), np.uint16)
    skipped = 0  # number of open tags from the skipped one on
    unread = 0  # their number when a tag that is always skipped began inside hidden content
    skipped_flags = np.uint16(0)
    raw = np.uint16(0)  # TITLE or SCRIPT, if the innermost tag is one of these
    is_data = False
    size = len(data)
    while at < size:
        if data[at] != _TAG_LT:
            first = at
            at = _place(data, at, _TAG_LT)
            if raw & TITLE:
                n_notes = _append(notes, n_notes, TITLE_TEXT, first, at)
            elif raw & SCRIPT:
                if is_data:
                    n_notes = _append(notes, n_notes, DATA, first, at)
            elif not skipped and node >= 0 and not veiled[node]:
                _write(data, first, at, nodes[node, 5] == VERBATIM, classes, text, state)
                if looked[node] and state[_FIRST] >= 0:
                    n_looks = _append(looks, n_looks, state[_FIRST], state[_LAST], looked[node])
            elif skipped and skipped_flags & NOSCRIPT:
                noscript += _stripped_length(data, first, at, classes)
            elif node >= 0 and not unread and not _is_blank(data, first, at, classes):
                n_notes = _append(notes, n_notes, HIDDEN, first, at)
                if not skipped:
                    state[_RUN] = 1  # it separates the text before and after it
            continue
        at += 1
        ending = data[at] == _SLASH
        if ending:
            first = at + 1
            at = _place(data, at, _TAG_GT) + 1
            closes = True
        else:
            first = at
            while data[at] != _BLANK and data[at] != _SLASH and data[at] != _TAG_GT:
                at += 1
            tag = _tag(data, first, at, slots, names, n_names)
            if tag == n_names:
                n_names += 1
            flag = flags[tag] if tag < known else np.uint16(0)
            speaks = canonical = is_data = False
            places[:] = -1
            href, href_end = -1, -1
            while data[at] == _BLANK:
                at += 1
                begin = at
                key = np.uint64(data[at])
                at += 1
                while data[at] != _EQUALS:
                    key = key << np.uint64(8) | np.uint64(data[at])
                    at += 1
                length = at - begin
                at += 2
                value = at
                at = _place(data, at, _QUOTE)
                if length <= _LONGEST_KEY:
                    if key == np.uint64(_CLASS):
                        places[0], places[1] = value, at
                    elif key == np.uint64(_ID):
                        places[2], places[3] = value, at
                    elif key == np.uint64(_ROLE):
                        places[4], places[5] = value, at
                    elif key == np.uint64(_ITEMPROP):
                        places[6], places[7] = value, at
                        speaks = _is(data, value, at, _DATE_PUBLISHED)
                    elif key == np.uint64(_HREF):
                        href, href_end = value, at
                    elif key == np.uint64(_TYPE):
                        is_data = _occurs(data, value, at, _IS_DATA)
                    elif key == np.uint64(_REL):
                        canonical = _is(data, value, at, _IS_CANONICAL)
                at += 1
            closes = data[at] == _SLASH
            at += 2 if closes else 1
            depth += 1
            deepest = max(deepest, depth)
            raw = flag & np.uint16(TITLE | SCRIPT)
            is_data = is_data and not skipped
            fate = np.uint8(0)
            while n_fates < len(hidden_at) and hidden_at[n_fates] + offset <= first:
                fate = fates[n_fates] if hidden_at[n_fates] + offset == first else np.uint8(0)
                n_fates += 1

            if skipped:
                skipped += 1
                if flag & SKIPPED and not unread:
                    unread = skipped
                if flag & BLOCK and (state[_PENDING] or state[_LINKS] or state[_INLINE_TO] > state[_INLINE_FROM]):
                    _flush(nodes[node, 4], nodes, leaves, anchors, state)
                if flag & (BLOCK | BREAK) and not unread:
                    n_notes = _append(notes, n_notes, HIDDEN, first, first)
            else:
                parent = node
                node = n_nodes
                n_nodes += 1
                nodes[node, 0], nodes[node, 1] = parent, tag
                nodes[node, 2], nodes[node, 3] = _number(parent, tag, keys, numbers), depth
                if parent >= 0:
                    nodes[node, 4], nodes[node, 5], nodes[node, 6] = (
                        nodes[parent, 4],
                        nodes[parent, 5],
                        nodes[parent, 6],
                    )
                else:
                    nodes[node, 4], nodes[node, 5], nodes[node, 6] = -1, 1, -1
                if flag & BLOCK:
                    if parent >= 0 and (state[_PENDING] or state[_LINKS] or state[_INLINE_TO] > state[_INLINE_FROM]):
                        _flush(nodes[parent, 4], nodes, leaves, anchors, state)
                    nodes[node, 4] = node
                    if kinds[tag]:
                        nodes[node, 5] = kinds[tag]
                if flag & SPEAKS or speaks or (flag & CANONICAL and canonical):
                    n_notes = _append(notes, n_notes, ELEMENT, first, at)
                looked[node] = (flag & np.uint16(BOLD | ITALIC | CODE)) >> np.uint16(LOOK)
                if parent >= 0:
                    looked[node] |= looked[parent]
                veiled[node] = fate == VEILED or (fate != SHOWN and parent >= 0 and veiled[parent])
                if flag & (BLOCK | BREAK) and (veiled[node] or fate == GONE):
                    n_notes = _append(notes, n_notes, HIDDEN, first, first)
                if flag & SKIPPED or fate == GONE:
                    skipped = 1
                    unread = 1 if flag & SKIPPED else 0
                    skipped_flags = flag
                else:
                    hint = -1
                    values = 0
                    some = False
                    for k in range(0, 8, 2):
                        if places[k] >= 0:
                            values += 1
                            some = some or places[k + 1] > places[k]
                    if some or values > 1:
                        hint = _hint(data, places, hint_slots, hints, n_hints)
                        if hint == n_hints:
                            n_hints += 1
                    if not flag & INLINE:
                        row = elements[n_elements]
                        row[0], row[1], row[2], row[3] = nodes[node, 6], tag, hint, depth
                        row[4], row[5], row[6] = state[_LEAVES], -1, node
                        nodes[node, 6] = n_elements
                        n_elements += 1
                    elif flag & BREAK:
                        state[_PENDING] = 1
                        if state[_STARTED]:
                            if nodes[node, 5] == VERBATIM:
                                text[state[_LENGTH]] = np.uint32(10)
                                state[_LENGTH] += 1
                            else:
                                state[_RUN] = 1
                                state[_BREAKS] += 1
                    elif not veiled[node]:
                        if flag & PICTURE:
                            place = state[_LAST] if state[_STARTED] else state[_LENGTH]
                            n_looks = _append(looks, n_looks, place, place, PICTURE >> LOOK)
                        if hint >= 0 and state[_INLINE_TO] - state[_INLINE_FROM] < _MOST_INLINE:
                            inline[state[_INLINE_TO]] = hint
                            state[_INLINE_TO] += 1
                        if flag & LINK and href >= 0 and not _is_blank(data, href, href_end, classes):
                            state[_LINKS] += 1
                            links[n_links, 0], links[n_links, 1] = href, href_end
                            n_links += 1
                            if state[_LINK] < 0:
                                state[_LINK] = node
                                state[_HREF_FROM], state[_HREF_TO] = href, href_end
                        elif flag & EMPHASIS and state[_EMPHASIS] < 0:
                            state[_EMPHASIS] = node
        if not closes:
            continue
        depth -= 1
        if raw & TITLE:
            n_notes = _append(notes, n_notes, TITLE_END, at, at)
        raw = np.uint16(0)
        if skipped > 1:
            # The tag that ends is unknown here; a block inside was flushed when it began.
            if ending and not unread:
                tag = _tag(data, first, at - 1, slots, names, n_names)
                if tag < known and flags[tag] & BLOCK:
                    n_notes = _append(notes, n_notes, HIDDEN, first, first)
            if unread == skipped:
                unread = 0
            skipped -= 1
            continue
        skipped = unread = 0
        tag = nodes[node, 1]
        parent = nodes[node, 0]
        flag = flags[tag] if tag < known else np.uint16(0)
        if flag & BLOCK:
            if state[_PENDING] or state[_LINKS] or state[_INLINE_TO] > state[_INLINE_FROM]:
                _flush(nodes[node, 4], nodes, leaves, anchors, state)
            if veiled[node]:
                n_notes = _append(notes, n_notes, HIDDEN, at, at)
        element = nodes[node, 6]
        if element != (nodes[parent, 6] if parent >= 0 else -1):
            elements[element, 5] = state[_LEAVES]
            if elements[element, 4] == state[_LEAVES] and not state[_PENDING]:
                n_elements = element
        if state[_LINK] == node:
            _anchor(anchors, state)
            state[_LINK] = -1
        elif state[_EMPHASIS] == node:
            state[_EMPHASIS] = -1
        node = parent
    counts[0], counts[1], counts[2], counts[3] = state[_LENGTH], state[_LEAVES], n_elements, n_nodes
    counts[4], counts[5], counts[6], counts[7] = state[_INLINE_FROM], n_hints, n_names, state[_ANCHORS]
    counts[8], counts[9], counts[10], counts[11] = n_links, n_notes, noscript, deepest
    counts[12] = n_looks
