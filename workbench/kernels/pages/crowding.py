"""Pages of which libxml2 cannot make a tree in reasonable time: it compares each attribute of a tag with all others."""

from __future__ import annotations

from typing import Any

from workbench.kernels.compiled import helper, kernel

_TAG_LT, _TAG_GT, _SLASH, _EQUALS, _QUOTE, _BLANK = b'<>/=" '
_APOSTROPHE, _A, _Z, _LOWER_CASE = b"'az "


@kernel
def crowded(data: Any, most: Any) -> Any:
    """Whether a start tag in ``data`` (uint8) may have more than ``most`` attributes, as libxml2 divides it.

    Any ``<`` before a letter may begin a tag, also one in a comment, a script or a value: each is followed by itself
    to its ``>``. True also where that takes more than eight passes over the data.
    """
    left = 8 * len(data) + 1024
    for start in range(len(data) - 1):
        if data[start] != _TAG_LT or not _is_letter(data[start + 1]):
            continue
        count, apart, i = 0, False, start + 1
        while i < len(data) and data[i] != _TAG_GT:
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
