"""Bridged passages against joining strings."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.kernels.digest.bridging import MOST_PARTS, SmallNumbers, bridge
from workbench.kernels.digest.fingerprint_suffixes import suffix_array
from workbench.kernels.digest.runs import Digests, find_runs, locate
from workbench.kernels.rabin import fingerprint

Pieces = list[str]
Row = tuple[int, int, int, int]


@st.composite
def divided(draw: st.DrawFn) -> tuple[Pieces, Pieces]:
    """Two texts with common stretches, each cut into pieces anywhere."""
    parts = draw(st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=6))
    texts = ["".join(parts), "".join(draw(st.sampled_from([p, "c"])) for p in parts)]
    cut = [draw(st.sets(st.integers(1, max(1, len(t) - 1)), max_size=8)) for t in texts]
    pieces = [
        [t[a:b] for a, b in pairwise([0, *sorted(x for x in c if x < len(t)), len(t)])]
        for t, c in zip(texts, cut, strict=True)
    ]
    return pieces[0], pieces[1]


def block(mine: Pieces, theirs: Pieces, step: int) -> tuple[int, int]:
    """The plain rule: pieces joined until both sides are equally long, then compared."""
    for total in range(2, MOST_PARTS + 1):
        for a in range(1, total):
            x, y = mine[::step][:a][::step], theirs[::step][: total - a][::step]
            if len(x) == a and len(y) == total - a and len("".join(x)) == len("".join(y)):
                return (a, total - a) if "".join(x) == "".join(y) else (0, 0)
    return 0, 0


def grown(mine: Pieces, theirs: Pieces, j: int, p: int, length: int) -> Row:
    j_end, p_end = j + length, p + length
    while (step := block(mine[:j], theirs[:p], -1))[0]:
        j, p = j - step[0], p - step[1]
    while (step := block(mine[j_end:], theirs[p_end:], 1))[0]:
        j_end, p_end = j_end + step[0], p_end + step[1]
    return j, j_end, p, p_end


@pytest.mark.slow
@settings(max_examples=500)
@given(divided(), st.sampled_from([32, 64]))
def test_runs_grow_as_far_as_the_letters_agree(texts: tuple[Pieces, Pieces], bits: int) -> None:
    mine, theirs = texts
    prints = np.array([fingerprint(x, bits) for x in mine], np.uint64)
    text = np.array([0, *(fingerprint(x, bits) for x in theirs), 0], np.uint64)
    index = suffix_array(text, bits)
    end = np.array([len(text)], np.int64)
    digests = Digests(prints, np.array([0, len(mine)], np.int64), end, end, end)
    slots = locate(digests, text, index, bits)
    runs = find_runs(digests, slots, np.ones(len(mine), np.int64), text, index)
    lengths = np.array([len(x) for x in mine], np.int32)
    text_lengths = SmallNumbers.of(np.array([0, *(len(x) for x in theirs), 0], np.uint32))
    bridged = bridge(runs, digests, lengths, text, text_lengths, bits)
    rows = zip(runs.query.tolist(), (runs.place - 1).tolist(), runs.length.tolist(), strict=True)
    expected = [grown(mine, theirs, j, p, n) for j, p, n in rows]
    columns = (bridged.query, bridged.query_end, bridged.place - 1, bridged.place_end - 1)
    assert list(zip(*(c.tolist() for c in columns), strict=True)) == list(dict.fromkeys(expected))
