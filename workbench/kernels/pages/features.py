"""The features of the blocks of a page, with the names in :mod:`workbench.text.markup.feature_names`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.kernels.code_points import CODE_POINTS
from workbench.kernels.compiled import helper, kernel
from workbench.kernels.mixing import mix, number_below
from workbench.kernels.pages.classes import DECIMAL, DIGIT, LOWER, SPACE, UPPER, WIDE, WORD, classes
from workbench.text.markup import feature_names as named
from workbench.text.markup.columns import KINDS, PATH_STEPS, Columns
from workbench.text.markup.feature_names import LABELS, WORDS
from workbench.text.markup.hints import GROUPS
from workbench.text.markup.tags import KNOWN

_AT = named.INDEX
_CLASSES = classes()
_SPACE, _DECIMAL, _DIGIT, _WORD = np.uint8(SPACE), np.uint8(DECIMAL), np.uint8(DIGIT), np.uint8(WORD)
_UPPER, _LOWER, _WIDE = np.uint8(UPPER), np.uint8(LOWER), np.uint8(WIDE)


def _both(kind: str, names: Sequence[str]) -> NDArray[np.int32]:
    """Rows of a feature and its variant for pages of ``kind``: int32 [n, 2]."""
    return np.array([(_AT[n], _AT[f"{kind}:{n}"]) for n in names if n in _AT], np.int32)


_ENDS, _FULL_STOP, _HALF_STOP, _CLOSES, _QUOTE, _COMMA, _BAR, _SEPARATES = (np.uint8(1 << bit) for bit in range(8))
_OF_ARTICLES, _OF_CJK = _both("article", named.OF_ARTICLES), _both("cjk", named.OF_CJK)
_IN = np.full(len(KNOWN), -1, np.int32)
_TAG = np.full(len(KNOWN), -1, np.int32)
for _name, _row in named.IN.items():
    _IN[KNOWN.index(_name)] = _AT[_row]
for _name, _row in named.TAG.items():
    _TAG[KNOWN.index(_name)] = _AT[_row]
_FIRST_IN = min(_AT[name] for name in named.IN.values())
_BODY, _ARTICLE = KNOWN.index("body"), KNOWN.index("article")
_HEADING = KINDS.index(named.HEADING)
_LENGTHS, _LENGTH = np.array(named.LENGTHS, np.float64), _AT[f"length:{named.LENGTHS[0]}"]
_SHARES, _LINKED = np.array(named.SHARES, np.float64), _AT[f"linked:{named.SHARES[0]}"]
_MAIN, _MAINS = np.array(list(named.MAIN.values()), np.float64), _AT[next(iter(named.MAIN))]
_WHOLE = named.WHOLE
_NEAR, _AROUND, _INLINE = _AT["near:" + GROUPS[0]], _AT["around:" + GROUPS[0]], _AT["inline:" + GROUPS[0]]
_COMMENTS = GROUPS.index("comments")
_SAYS, _BRIEF = _AT["says:" + LABELS[0]], _AT["brief:" + LABELS[0]]
_BRIEF_RELATED, _BRIEF_COMMENTS = _AT["brief:related"], _AT["brief:comments"]
_UNDER_RELATED, _UNDER_COMMENTS = _AT["under:related"], _AT["under:comments"]
_H1 = _AT["tag:h1"]
_PARENT_LINKED, _GRANDPARENT_LINKED = _AT["parent:linked"], _AT["grandparent:linked"]
_PARENT_PROSE, _GRANDPARENT_PROSE, _MANY_SHORT = _AT["parent:prose"], _AT["grandparent:prose"], _AT["parent:many-short"]
_LINKS, _ENDS_STOP, _HAS_STOP, _HAS_STOPS = _AT["links:3"], _AT["ends:stop"], _AT["has:stop"], _AT["has:stops"]
_HAS_COMMA, _HAS_COMMAS, _ENDS_COLON, _HAS_DATE = (
    _AT["has:comma"],
    _AT["has:commas"],
    _AT["ends:colon"],
    _AT["has:date"],
)
_COPYRIGHT, _DIGITS, _HAS_BARS, _CAPITALS = _AT["has:copyright"], _AT["digits"], _AT["has:bars"], _AT["capitals"]
_EMPHASISED, _IN_TITLE, _IS_TITLE = _AT["emphasised"], _AT["in-title"], _AT["is-title"]
_REPEATED, _LINES = _AT["repeated"], _AT["lines"]
_PREVIOUS, _NEXT = _AT["previous:linked"], _AT["next:linked"]
_BESIDE_LINKED, _BESIDE_PROSE, _BESIDE_SAME, _BESIDE_SHORT = range(4)
_BEFORE_PROSE, _AFTER_PROSE = _AT["before-prose"], _AT["after-prose"]
_FIRST_TENTH, _LAST_TENTH, _LAST_THIRD = _AT["first-tenth"], _AT["last-tenth"], _AT["last-third"]
_RUN, _PROSE, _PROSE_RARE = _AT["run:same"], _AT["prose"], _AT["page:prose-rare"]
_ON_PROSE, _LATER, _LATER_OF_ARTICLE = (
    _AT["comments-on-prose"],
    _AT["later-article"],
    _AT["later-article-of-article"],
)
_BEFORE_H1, _HAS_H1 = _AT["before-h1"], _AT["has-h1"]
_ARTICLE_PAGE, _OUTSIDE_MAIN, _MAIN_60, _CJK_PAGE = (
    _AT["article:page"],
    _AT["article:outside-main"],
    _AT["main:60"],
    _AT["cjk:page"],
)
_LONGEST_WORD = 12
_COPYRIGHT_SIGN = np.uint32(0xA9)
_KELVIN, _DOTTED_I = np.uint32(0x212A), np.uint32(0x130)
_PAIR = np.uint64(1 << 63)


def _key(word: str) -> int:
    """A number for a word of a label, which has at most 12 lower-case Latin letters or two other characters."""
    if not word.isascii():
        return 1 << 63 | ord(word[0]) << 21 | ord(word[1])
    key = 0
    for letter in word:
        key = key << 5 | ord(letter) - 96
    return key


_LABELLED = sorted((_key(word), bits) for word, bits in WORDS.items())
_LABELLED_KEYS = np.array([key for key, _ in _LABELLED], np.uint64)
_LABELLED_BITS = np.array([bits for _, bits in _LABELLED], np.int64)


def _signs() -> NDArray[np.uint8]:
    """The meaning of each code point as a mark, in bits: uint8 [0x110000]."""
    signs = np.zeros(CODE_POINTS, np.uint8)
    for characters, bit in (
        (".!?。．！？…", _ENDS),
        ("。！？", _FULL_STOP),
        (".!?", _HALF_STOP),
        (named.CLOSING, _CLOSES),
        ("\"'”’)", _QUOTE),
        (named.COMMAS, _COMMA),
        (named.BARS, _BAR),
        ("-/.年:", _SEPARATES),
    ):
        signs[[ord(c) for c in characters]] |= bit
    return signs


_SIGNS = _signs()


def lengths(columns: Columns) -> NDArray[np.float64]:
    """The weighted length of every leaf: float64 [l]."""
    length: NDArray[np.float64] = _lengths(columns.text, columns.leaves, _CLASSES)
    return length


def inline_groups(columns: Columns, bits: NDArray[np.int64], sizes: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The groups of the inline hints of each leaf: int64 [l]; ``bits`` are the groups of each hint; -1 if the hints are
    longer than ``most`` by their ``sizes``.
    """
    groups: NDArray[np.int64] = _inline(columns.leaves, columns.inline, bits, sizes, most)
    return groups


def features(
    columns: Columns,
    length: NDArray[np.float64],
    groups: NDArray[np.int64],
    inline: NDArray[np.int64],
    titled: NDArray[np.uint8],
    *,
    is_article: bool,
) -> NDArray[np.uint8]:
    """The features of every leaf: uint8 [l, len(NAMES)], 1 where it has the feature.

    ``groups`` are the groups of words in each hint (the last is for none), ``inline`` in the inline hints of each leaf;
    ``titled``: 1 for a leaf that occurs in the page's title, 2 for one that is most of it.
    """
    rows = np.zeros((len(columns.leaves), len(named.NAMES)), np.uint8)
    if len(rows):
        _own(columns.text, columns.leaves, length, inline, titled, _CLASSES, _SIGNS, rows)
        _with_long_text(columns.leaves, length, rows)
        _inherited(columns.leaves, columns.elements, length, groups, rows)
        _placed(columns.text, columns.leaves, columns.nodes, length, is_article, rows)
    return rows


def scores(rows: NDArray[np.uint8], points: NDArray[np.int64], start: int) -> NDArray[np.int64]:
    """``start`` plus the sum of the ``points`` of each row's features: int64 [l]."""
    sums: NDArray[np.int64] = _scores(rows, points, start)
    return sums


@kernel
def _scores(rows: Any, points: Any, start: Any) -> Any:
    sums = np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        total = start
        for k in range(len(points)):
            total += points[k] * rows[i, k]
        sums[i] = total
    return sums


@kernel
def _lengths(text: Any, leaves: Any, classes: Any) -> Any:
    length = np.empty(len(leaves), np.float64)
    for i in range(len(leaves)):
        wide = 0
        for at in range(leaves[i, 0], leaves[i, 1]):
            if classes[text[at]] & _WIDE:
                wide += 1
        length[i] = leaves[i, 5] + 1.5 * wide
    return length


@kernel
def _inline(leaves: Any, inline: Any, bits: Any, sizes: Any, most: Any) -> Any:
    groups = np.zeros(len(leaves), np.int64)
    for i in range(len(leaves)):
        size = leaves[i, 10] - leaves[i, 9] - 1
        for k in range(leaves[i, 9], leaves[i, 10]):
            size += sizes[inline[k]]
            groups[i] |= bits[inline[k]]
        if size > most:
            groups[i] = -1
    return groups


@helper
def _spread(bits: Any, first: Any, row: Any) -> Any:
    """Set feature ``first`` + i from bit i of ``bits``."""
    while bits:
        if bits & 1:
            row[first] = 1
        bits >>= 1
        first += 1


@helper
def _stop(text: Any, at: Any, end: Any, classes: Any, signs: Any) -> Any:
    """The offset after the first end of a sentence in ``text[at:end]``; -1 if there is none."""
    while at < end:
        code = text[at]
        if signs[code] & _FULL_STOP:
            return at + 1
        if signs[code] & _HALF_STOP:
            after = at + 1
            if after < end and signs[text[after]] & _QUOTE:
                after += 1
            if after < end and classes[text[after]] & _SPACE:
                return after + 1
        at += 1
    return -1


@helper
def _has_date(text: Any, first: Any, end: Any, classes: Any, signs: Any) -> Any:
    """Whether two numbers with a sign between them, or a year of 1900 to 2099, occur in ``text[first:end]``."""
    for at in range(first, end):
        code = text[at]
        if signs[code] & _SEPARATES:
            before, after = at - 1, at + 1
            if before >= first and classes[text[before]] & _SPACE:
                before -= 1
            if after < end and classes[text[after]] & _SPACE:
                after += 1
            if before >= first and after < end and classes[text[before]] & classes[text[after]] & _DECIMAL:
                return True
        elif (
            at + 3 < end
            and ((code == 49 and text[at + 1] == 57) or (code == 50 and text[at + 1] == 48))
            and classes[text[at + 2]] & classes[text[at + 3]] & _DECIMAL
            and not (at > first and classes[text[at - 1]] & _WORD)
            and not (at + 4 < end and classes[text[at + 4]] & _WORD)
        ):
            return True
    return False


@helper
def _looked_up(key: Any) -> Any:
    at = number_below(_LABELLED_KEYS, key)
    if at < len(_LABELLED_KEYS) and _LABELLED_KEYS[at] == key:
        return _LABELLED_BITS[at]
    return np.int64(0)


@helper
def _says(text: Any, first: Any, end: Any) -> Any:
    """The labels of a line, as :func:`workbench.text.markup.feature_names.says`."""
    labels = np.int64(0)
    key = np.uint64(0)
    letters = 0
    before = np.uint32(0)
    for at in range(first, end):
        code = text[at]
        if 65 <= code <= 90:
            code += np.uint32(32)
        elif code == _KELVIN:
            code = np.uint32(107)
        is_dotted = code == _DOTTED_I
        if is_dotted:
            code = np.uint32(105)
        if 97 <= code <= 122:
            letters += 1
            key = key << np.uint64(5) | np.uint64(code - np.uint32(96))
            if not is_dotted:
                before = np.uint32(0)
                continue
            code = np.uint32(0)
        if letters:
            if letters <= _LONGEST_WORD:
                labels |= _looked_up(key)
            letters = 0
            key = np.uint64(0)
        if 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF:
            if before:
                labels |= _looked_up(_PAIR | np.uint64(before) << np.uint64(21) | np.uint64(code))
            before = code
        else:
            before = np.uint32(0)
    if letters and letters <= _LONGEST_WORD:
        labels |= _looked_up(key)
    return labels


@helper
def _ends_with_stop(text: Any, first: Any, end: Any, signs: Any) -> Any:
    last = end - 1
    if signs[text[last]] & _ENDS:
        return True
    lowest = max(first, end - 8)
    while last >= lowest and signs[text[last]] & _CLOSES:
        last -= 1
    return last < end - 1 and last >= lowest and signs[text[last]] & _ENDS != 0


@kernel
def _own(text: Any, leaves: Any, length: Any, inline: Any, titled: Any, classes: Any, signs: Any, rows: Any) -> Any:
    for i in range(len(leaves)):
        row = rows[i]
        first, end = leaves[i, 0], leaves[i, 1]
        size, linked = leaves[i, 5], leaves[i, 6]
        _spread(inline[i], _INLINE, row)
        for k in range(len(_LENGTHS)):
            if length[i] < _LENGTHS[k]:
                break
            row[_LENGTH + k] = 1
        if linked:
            for k in range(len(_SHARES)):
                if linked < _SHARES[k] * size:
                    break
                row[_LINKED + k] = 1
        if leaves[i, 7] >= 3:
            row[_LINKS] = 1
        if leaves[i, 8] * 10 >= size * 9:
            row[_EMPHASISED] = 1
        if _ends_with_stop(text, first, end, signs):
            row[_ENDS_STOP] = 1
        if text[end - 1] == 58 or text[end - 1] == 0xFF1A:
            row[_ENDS_COLON] = 1
        if length[i] >= 25:
            head = min(end, first + 2000)
            stop = _stop(text, first, head, classes, signs)
            if stop >= 0:
                row[_HAS_STOP] = 1
                if _stop(text, stop, head, classes, signs) >= 0:
                    row[_HAS_STOPS] = 1
            commas = 0
            for at in range(first, head):
                if signs[text[at]] & _COMMA:
                    commas += 1
            if commas:
                row[_HAS_COMMA] = 1
                if commas > 2:
                    row[_HAS_COMMAS] = 1
            if (row[_ENDS_STOP] or row[_HAS_STOP]) and linked * 4 < size:
                row[_PROSE] = 1
        if length[i] < 200:
            if _has_date(text, first, end, classes, signs):
                row[_HAS_DATE] = 1
            digits = 0
            upper = lower = False
            for at in range(first, end):
                kind = classes[text[at]]
                if kind & _DIGIT:
                    digits += 1
                if kind & _UPPER:
                    upper = True
                elif kind & _LOWER:
                    lower = True
            if digits * 10 >= size * 3:
                row[_DIGITS] = 1
            if upper and not lower:
                row[_CAPITALS] = 1
            if titled[i]:
                row[_IN_TITLE] = 1
                if titled[i] > 1:
                    row[_IS_TITLE] = 1
        if length[i] < 100:
            labels = _says(text, first, end)
            if labels:
                _spread(labels, _SAYS, row)
                if length[i] < 30 or leaves[i, 2] == _HEADING:
                    _spread(labels, _BRIEF, row)
        bars = lines = 0
        for at in range(first, end):
            code = text[at]
            if code == _COPYRIGHT_SIGN or (code == 40 and at + 2 < end and text[at + 1] == 99 and text[at + 2] == 41):
                row[_COPYRIGHT] = 1
            elif code == 10:
                lines += 1
            elif at < first + 500 and signs[code] & _BAR:
                bars += 1
        if bars >= 2:
            row[_HAS_BARS] = 1
        if lines >= 2:
            row[_LINES] = 1


@kernel
def _with_long_text(leaves: Any, length: Any, rows: Any) -> Any:
    """Mark long text without links as prose on pages with few sentence ends."""
    prose = 0
    for i in range(len(rows)):
        prose += rows[i, _PROSE]
    if prose >= 3:
        return
    for i in range(len(rows)):
        rows[i, _PROSE_RARE] = 1
        if length[i] >= 100 and leaves[i, 6] * 4 < leaves[i, 5]:
            rows[i, _PROSE] = 1


@kernel
def _inherited(leaves: Any, elements: Any, length: Any, groups: Any, rows: Any) -> Any:
    """Set the features of leaves that come from the elements around them."""
    n, count = len(leaves), len(elements)
    of_length, of_prose = np.zeros(n + 1), np.zeros(n + 1)
    of_linked, of_size = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    prosaic = np.zeros(n + 1, np.int64)
    for i in range(n):
        of_length[i + 1] = of_length[i] + length[i]
        of_prose[i + 1] = of_prose[i] + (length[i] if rows[i, _PROSE] else 0.0)
        of_size[i + 1] = of_size[i] + leaves[i, 5]
        of_linked[i + 1] = of_linked[i] + leaves[i, 6]
        prosaic[i + 1] = prosaic[i] + rows[i, _PROSE]
    most = _WHOLE * of_length[n]
    # The last of a chain of elements from BODY, each with at least this share of its parent's prose.
    mains = np.full(len(_MAIN), -1, np.int64)
    for k in range(len(_MAIN)):
        above = 0.0
        for at in range(count):
            if elements[at, 0] == mains[k] if mains[k] >= 0 else elements[at, 1] == _BODY:
                within = of_prose[elements[at, 5]] - of_prose[elements[at, 4]]
                if within > 0 and within >= _MAIN[k] * above:
                    mains[k] = at
                    above = within
    near, around, inside = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    main = np.zeros(count, np.int64)
    in_article, later = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    end_of_first = -1
    for at in range(count):
        parent, tag = elements[at, 0], elements[at, 1]
        first, end = elements[at, 4], elements[at, 5]
        if of_length[end] - of_length[first] < most:
            near[at] = around[at] = groups[elements[at, 2]]
            if tag < len(_IN) and _IN[tag] >= 0:
                inside[at] = 1 << (_IN[tag] - _FIRST_IN)
        for k in range(len(_MAIN)):
            if mains[k] == at:
                main[at] |= 1 << k
        if parent >= 0:
            around[at] |= around[parent]
            inside[at] |= inside[parent]
            main[at] |= main[parent]
            in_article[at], later[at] = in_article[parent], later[parent]
        if tag == _ARTICLE and not in_article[at]:
            in_article[at] = True
            if end_of_first >= 0:
                later[at] = first >= end_of_first
            elif prosaic[end] > prosaic[first]:
                end_of_first = end
    for i in range(n):
        at = leaves[i, 3]
        if at < 0:
            continue
        row = rows[i]
        tag = elements[at, 1]
        if tag < len(_TAG) and _TAG[tag] >= 0:
            row[_TAG[tag]] = 1
        by_name = near[at]
        parent = elements[at, 0]
        if parent >= 0:
            by_name |= near[parent]
            _within(elements[parent], of_length, of_prose, of_linked, of_size, True, row)
            above = elements[parent, 0]
            if above >= 0:
                by_name |= near[above]
                _within(elements[above], of_length, of_prose, of_linked, of_size, False, row)
        _spread(by_name, _NEAR, row)
        _spread(around[at], _AROUND, row)
        _spread(inside[at], _FIRST_IN, row)
        _spread(main[at], _MAINS, row)
        if later[at]:
            row[_LATER] = 1


@helper
def _within(element: Any, of_length: Any, of_prose: Any, of_linked: Any, of_size: Any, is_parent: Any, row: Any) -> Any:
    """Set the features from the contents of an element that is the parent or grandparent of the leaf's own."""
    first, end = element[4], element[5]
    length = of_length[end] - of_length[first]
    if 2 * (of_linked[end] - of_linked[first]) >= of_size[end] - of_size[first]:
        row[_PARENT_LINKED if is_parent else _GRANDPARENT_LINKED] = 1
    if 2 * (of_prose[end] - of_prose[first]) >= length:
        row[_PARENT_PROSE if is_parent else _GRANDPARENT_PROSE] = 1
    if is_parent and end - first >= 5 and length < 40 * (end - first):
        row[_MANY_SHORT] = 1


@helper
def _same_place(a: Any, b: Any, nodes: Any) -> Any:
    """Whether the paths of two nodes differ at most in their last step."""
    deep = nodes[a, 3] > PATH_STEPS
    if deep != (nodes[b, 3] > PATH_STEPS):
        return False
    a, b = nodes[a, 0], nodes[b, 0]
    if not deep:
        return a == b
    for _ in range(PATH_STEPS - 1):
        if a == b:
            return True
        if nodes[a, 1] != nodes[b, 1] or nodes[a, 2] != nodes[b, 2]:
            return False
        a, b = nodes[a, 0], nodes[b, 0]
    return True


@helper
def _repeated(text: Any, leaves: Any, rows: Any) -> Any:
    """Mark leaves whose text occurs more than once."""
    room = 16
    while room < 2 * len(leaves):
        room *= 2
    mask = np.int64(room - 1)
    slots = np.full(room, -1, np.int64)
    for i in range(len(leaves)):
        first, end = leaves[i, 0], leaves[i, 1]
        value = np.uint64(0)
        for at in range(first, end):
            value = (value ^ np.uint64(text[at])) * np.uint64(0xD1342543DE82EF95)
            value ^= value >> np.uint64(32)
        slot = np.int64(mix(value) & np.uint64(mask))
        while slots[slot] >= 0:
            other = slots[slot]
            same = leaves[other, 1] - leaves[other, 0] == end - first
            at = 0
            while same and at < end - first:
                same = text[first + at] == text[leaves[other, 0] + at]
                at += 1
            if same:
                rows[other, _REPEATED] = rows[i, _REPEATED] = 1
                break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot] = i


@kernel
def _placed(text: Any, leaves: Any, nodes: Any, length: Any, is_article: Any, rows: Any) -> Any:
    """Set the features of leaves that come from their position among the others."""
    n = len(leaves)
    _repeated(text, leaves, rows)
    first, last, h1 = n, -1, -1
    total = commented = 0.0
    sizes = 0
    for i in range(n):
        total += length[i]
        sizes += leaves[i, 5]
        if rows[i, _PROSE]:
            first = min(first, i)
            last = i
            if not rows[i, _AROUND + _COMMENTS]:
                commented += length[i]
        if h1 < 0 and rows[i, _H1]:
            h1 = i
    if last < 0:
        first, last = 0, n
    is_cjk = total > 1.5 * sizes  # more than a third of its characters
    under_related = under_comments = False
    prose = before = 0.0
    same_before = False
    for i in range(n):
        row = rows[i]
        if row[_PROSE]:
            if length[i] >= 100:
                under_related = False
            prose += length[i]
        if under_related:
            row[_UNDER_RELATED] = 1
        if under_comments:
            row[_UNDER_COMMENTS] = 1
        if row[_BRIEF_RELATED]:
            under_related = True
        if prose >= 300 and row[_BRIEF_COMMENTS]:
            under_comments = True
        if commented >= 300 and row[_AROUND + _COMMENTS]:
            row[_ON_PROSE] = 1
        if row[_LATER] and is_article:
            row[_LATER_OF_ARTICLE] = 1
        if h1 >= 0:
            row[_HAS_H1] = 1
            if i < h1:
                row[_BEFORE_H1] = 1
        if i < first:
            row[_BEFORE_PROSE] = 1
        elif i > last:
            row[_AFTER_PROSE] = 1
        middle = (before + length[i] / 2) / total
        before += length[i]
        if middle < 0.1:
            row[_FIRST_TENTH] = 1
        elif middle > 0.67:
            row[_LAST_THIRD] = 1
            if middle > 0.9:
                row[_LAST_TENTH] = 1
        same_after = i + 1 < n and _same_place(leaves[i, 4], leaves[i + 1, 4], nodes)
        if i:
            _beside(leaves[i - 1], rows[i - 1], length[i - 1], same_before, _PREVIOUS, row)
        if i + 1 < n:
            _beside(leaves[i + 1], rows[i + 1], length[i + 1], same_after, _NEXT, row)
        if same_before and same_after:
            row[_RUN] = 1
        same_before = same_after
        if is_article:
            row[_ARTICLE_PAGE] = 1
            for k in range(len(_OF_ARTICLES)):
                if row[_OF_ARTICLES[k, 0]]:
                    row[_OF_ARTICLES[k, 1]] = 1
            if not row[_MAIN_60]:
                row[_OUTSIDE_MAIN] = 1
        if is_cjk:
            row[_CJK_PAGE] = 1
            for k in range(len(_OF_CJK)):
                if row[_OF_CJK[k, 0]]:
                    row[_OF_CJK[k, 1]] = 1


@helper
def _beside(leaf: Any, other: Any, length: Any, same: Any, feature: Any, row: Any) -> Any:
    """Set the features of a leaf from its neighbour ``leaf``, which has the features ``other``."""
    if 2 * leaf[6] >= leaf[5]:
        row[feature + _BESIDE_LINKED] = 1
    if other[_PROSE]:
        row[feature + _BESIDE_PROSE] = 1
    if same:
        row[feature + _BESIDE_SAME] = 1
    if length <= 25:
        row[feature + _BESIDE_SHORT] = 1
