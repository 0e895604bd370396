"""Any text and any marks, for property tests of what draws and reads texts."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from workbench.gui.document.marks import Marks

FRAGMENTS = (
    *("\n", "\n\n\n", "\r\n", "\r", "\u2028", "\u2029", "\t", "\0", " ", "\u3000", "\x85", "\x1b[31m", "\x0b\x0c"),
    *(
        "👩\u200d👩\u200d👧",
        "🇯🇵",
        "👍🏽",
        "𠮷",
        "e\u0301\u0323\u0301",
        "\u0301",
        "\u200d",
        "\ufe0f",
        "葛\U000e0100",
        "が",
    ),
    *("שלום", "مرحبا", "\u202eabc", "\u202c", "\u2067", "\u200f", "\ud800", "\udfff", "\udfff\ud800", "\uffff"),
    *("word ", "日本語の文。", "汉语句子。", "<b>&amp;</b>", "a" * 70, "。", "字" * 130, "ﷺ", "\u0e33", "\U0010ffff"),
)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(st.characters(), max_size=8), max_size=24).map("".join)
"""Texts of up to a few hundred characters of every kind, lone surrogates too."""


@st.composite
def spans(draw: st.DrawFn, length: int, most: int = 8) -> list[tuple[int, int]]:
    """Spans in a text of ``length`` characters: empty, adjacent, nested, overlapping, at the very end."""
    place = st.integers(0, length) | st.sampled_from([0, length, max(0, length - 1)])
    pairs = draw(st.lists(st.tuples(place, place).map(sorted), max_size=most))
    ends = [(end, min(length, end + 3)) for _, end in pairs[:2]]
    return [(start, end) for start, end in pairs] + ends


def marks_of(ranges: list[tuple[int, int]]) -> Marks:
    """Marks at ``ranges``, of all tiers and of this and other sources in turn."""
    n = len(ranges)
    columns = np.array(ranges, np.int64).reshape(-1, 2)
    turn = np.arange(n)
    return Marks.of(
        columns[:, 0].copy(), columns[:, 1].copy(), (turn % 3).astype(np.int8), turn, (turn % 4 == 3).astype(np.int16)
    )
