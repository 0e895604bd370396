"""Start tags of a page: those whose own attributes may hide their element, and those with too many attributes.

libxml2 compares each attribute of a tag with all others, so building a tree of a page with crowded tags takes too
long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.kernels.compiled import helper, kernel

_WORDS = tuple(np.frombuffer(word, np.uint8) for word in (b"display", b"visibility"))
_HIDDEN, _STYLE = np.frombuffer(b"hidden", np.uint8), np.frombuffer(b"style", np.uint8)
_LT, _GT, _SLASH, _BLANK, _EQUALS, _QUOTE, _ESCAPE = b'<>/ ="\\'
_APOSTROPHE, _A, _Z, _LOWER_CASE = b"'az "


def styled(data: Any) -> Any:
    """Tags of ``data``, markup written by libxml2 as XML, with an attribute ``hidden``, or a ``style`` that may affect
    display: int64 [n, 2], the start of the name of each and the end of its last attribute.
    """
    room = np.empty((int(np.count_nonzero(data == _LT)), 2), np.int64)
    return room[: _styled(data, room)]


@kernel
def _styled(data: Any, rows: Any) -> Any:
    n = at = 0
    size = len(data)
    while at < size:
        if data[at] != _LT:
            at += 1
            continue
        at += 1
        first = at
        while data[at] != _BLANK and data[at] != _GT and (data[at] != _SLASH or at == first):
            at += 1
        may_hide = False
        while data[at] == _BLANK:
            begin = at + 1
            at += 2  # a name may begin with an equals sign
            while data[at] != _EQUALS:
                at += 1
            name_end = at
            value = at + 2
            at = value
            while data[at] != _QUOTE:
                at += 1
            if not may_hide:
                may_hide = _equal(data, begin, name_end, _HIDDEN) or (
                    _equal(data, begin, name_end, _STYLE) and _may_hide(data, value, at)
                )
            at += 1
        if may_hide:
            rows[n, 0], rows[n, 1] = first, at
            n += 1
        while data[at] != _GT:
            at += 1
    return n


@helper
def _equal(data: Any, first: Any, end: Any, word: Any) -> Any:
    if end - first != len(word):
        return False
    for i in range(len(word)):  # noqa: SIM110 - compiled
        if data[first + i] != word[i]:
            return False
    return True


@helper
def _may_hide(data: Any, first: Any, end: Any) -> Any:
    """Whether an escape or one of the properties occurs, ignoring case."""
    for at in range(first, end):
        if data[at] == _ESCAPE:
            return True
        for word in _WORDS:
            if at + len(word) <= end:
                i = 0
                while i < len(word) and (data[at + i] | np.uint8(32)) == word[i]:
                    i += 1
                if i == len(word):
                    return True
    return False


@kernel
def has_many_attributes(data: Any, most: Any) -> Any:
    """Whether a start tag in ``data`` (uint8) may have more than ``most`` attributes, as parsed by libxml2.

    Any ``<`` before a letter may begin a tag, even in a comment, a script or a value: each is followed separately to
    its ``>``. Also True if that takes more than eight passes over the data.
    """
    left = 8 * len(data) + 1024
    for start in range(len(data) - 1):
        if data[start] != _LT or not _is_letter(data[start + 1]):
            continue
        count, apart, i = 0, False, start + 1
        while i < len(data) and data[i] != _GT:
            byte = data[i]
            i += 1
            if byte <= _BLANK or byte == _SLASH:
                apart = True
            elif byte == _EQUALS:
                while i < len(data) and data[i] <= _BLANK:
                    i += 1
                if i < len(data) and (data[i] == _QUOTE or data[i] == _APOSTROPHE):
                    quote = data[i]
                    i += 1
                    while i < len(data) and data[i] != quote:
                        i += 1
                    i += 1
                    apart = True
            elif apart:
                count, apart = count + 1, False
        left -= i - start
        if count > most or left < 0:
            return True
    return False


@helper
def _is_letter(byte: Any) -> Any:
    return _A <= (byte | _LOWER_CASE) <= _Z
