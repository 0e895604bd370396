"""From stretches of equal initials to passages, verified character by character."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.base.progress import Progress
from workbench.base.types import Matches, Span, Tier
from workbench.kernels.edit_script import TooDifferent, common_blocks
from workbench.kernels.initials.stretches import VOTES
from workbench.methods.initials.parameters import InitialsParameters
from workbench.methods.initials.text import Lettered, lettered
from workbench.text.scripts import same_but_for_script, script_variants

if TYPE_CHECKING:
    from workbench.methods.initials.index import InitialsIndex

Blocks = NDArray[np.int64]
"""Equal blocks (position in a, position in b, length), ascending on both sides."""
_WHOLE, _PIECE = 1 << 16, 1 << 13
"""Longest passage, in characters, that is verified as a whole, and the size of the pieces of longer ones."""
_HELD = 1 << 22
"""Code points of folded sources in memory at a time."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Folded characters ``a`` of the suspect and ``b`` of a source, and the number of window pairs that support it."""

    a: Span
    b: Span
    votes: int


@dataclass(frozen=True, slots=True)
class Checked:
    """A stretch after the edit script, with its ends trimmed. ``holder`` is the number of the source.

    ``common`` characters are equal or homophones, of which ``homophones`` are not equal; ``difference`` is 1 - 2 ·
    common / (length of ``a`` + length of ``b``). ``parts`` is the number of joined stretches.
    """

    a: Span
    b: Span
    holder: int
    votes: int
    common: int
    homophones: int
    difference: float
    accepted: bool
    parts: int = 1

    @property
    def length(self) -> int:
        """Characters on the shorter side."""
        return min(self.a.end - self.a.start, self.b.end - self.b.start)


class Judge:
    """Verifies stretches against the texts of an index."""

    def __init__(self, index: InitialsIndex, parameters: InitialsParameters, progress: Progress):
        self._index, self._parameters, self._watch = index, parameters, progress
        self._sources: dict[int, Lettered] = {}
        self._size = 0

    def source(self, holder: int) -> Lettered:
        """The text of an indexed document, folded."""
        if holder not in self._sources:
            if self._size > _HELD:
                self._sources, self._size = {}, 0
            (text,) = lettered([self._index.text(holder)], ruby=self._parameters.ruby)
            self._watch.check()
            self._sources[holder] = text
            self._size += len(text.raw)
        return self._sources[holder]

    def verdicts(self, own: Lettered, holder: int, rows: NDArray[np.int64], parts: NDArray[np.int64]) -> list[Checked]:
        """Passages of ``own`` in one source, and the stretches that were rejected, in order. Raises Cancelled.

        ``rows`` of ``extended``, and the part of each that counts (``free_parts``).
        """
        other = self.source(holder)
        self._watch.check()
        stretches = _stretches(rows, parts, own, other, int(self._index.bounds[holder]))
        passages: list[Checked] = []
        for group in _groups(stretches, self._parameters.gap):
            current: Checked | None = None
            for stretch in group:
                self._watch.check()
                checked, blocks = self._check(own, other, holder, stretch)
                if current is not None:
                    joined = self._joined(own, other, current, checked, blocks)
                    if joined and (joined.accepted or not (current.accepted or checked.accepted)):
                        checked = joined
                    else:
                        passages.append(self._whole(own, other, current))
                current = checked
            if current is not None:
                passages.append(self._whole(own, other, current))
        return passages

    def _whole(self, own: Lettered, other: Lettered, passage: Checked) -> Checked:
        """A passage of several parts, after one edit script for the whole of it."""
        if passage.parts == 1:
            return passage
        checked, _ = self._check(own, other, passage.holder, Stretch(passage.a, passage.b, passage.votes))
        return checked if checked.accepted else passage

    def _check(self, own: Lettered, other: Lettered, holder: int, stretch: Stretch) -> tuple[Checked, Blocks]:
        """Result of the edit script of a stretch, and its equal blocks."""
        p = self._parameters
        blocks = _trimmed(
            self._aligned(own, other, stretch.a, stretch.b), p.window // 4, 1 / max(p.max_difference, 0.02)
        )
        if not len(blocks):
            return Checked(stretch.a, stretch.b, holder, stretch.votes, 0, 0, 1.0, False), blocks
        _grow(blocks, own, other)
        a = Span(int(blocks[0, 0]), int(blocks[-1, 0] + blocks[-1, 2]))
        b = Span(int(blocks[0, 1]), int(blocks[-1, 1] + blocks[-1, 2]))
        common, homophones = _counted(blocks, own, other)
        return self._weighed(Checked(a, b, holder, stretch.votes, common, homophones, 1.0, False)), blocks

    def _joined(self, own: Lettered, other: Lettered, first: Checked, then: Checked, blocks: Blocks) -> Checked | None:
        """Both passages as one, with the equal characters between them; None if one adds nothing to the other.

        The sum of the parts' common characters is at most the passage's: re-examining all of it for each part would
        take quadratic time. ``blocks`` are those of ``then``; overlapping characters count for ``first``.
        """
        over = np.maximum(np.maximum(first.a.end - blocks[:, 0], first.b.end - blocks[:, 1]), 0)
        rest = (blocks + over[:, None] * np.array([1, 1, -1], np.int64))[over < blocks[:, 2]]
        if not first.common or not len(rest):
            return None
        between = self._blocks(own, other, Span(first.a.end, int(rest[0, 0])), Span(first.b.end, int(rest[0, 1])))
        counts = [_counted(part, own, other) for part in (between, rest)]
        common, homophones = (sum(c) for c in zip((first.common, first.homophones), *counts, strict=True))
        a, b = Span(first.a.start, then.a.end), Span(first.b.start, then.b.end)
        votes, parts = first.votes + then.votes, first.parts + 1
        return self._weighed(Checked(a, b, first.holder, votes, common, homophones, 1.0, False, parts))

    def _aligned(self, own: Lettered, other: Lettered, a: Span, b: Span) -> Blocks:
        """Blocks as from :meth:`_blocks`. A passage longer than ``_WHOLE`` is divided after the longest run of equal
        characters in the middle of each ``_PIECE``, so that time grows with the length and not with the square of the
        edits.
        """
        if max(a.end - a.start, b.end - b.start) <= _WHOLE:
            return self._blocks(own, other, a, b)
        parts = []
        (i, a_end), (j, b_end) = a, b
        while min(a_end - i, b_end - j) > _PIECE:
            blocks = self._blocks(own, other, Span(i, i + _PIECE), Span(j, j + _PIECE))
            ends = np.minimum(blocks[:, 0] + blocks[:, 2], i + 3 * _PIECE // 4)
            inside = ends - np.maximum(blocks[:, 0], i + _PIECE // 4)
            best = int(np.argmax(inside)) if len(blocks) else 0
            if not len(blocks) or inside[best] <= 0:
                return blocks[:0]
            blocks[best, 2] = ends[best] - blocks[best, 0]
            parts.append(blocks[: best + 1])
            i, j = (int(x) for x in blocks[best, :2] + blocks[best, 2])
        return np.concatenate([*parts, self._blocks(own, other, Span(i, a_end), Span(j, b_end))])

    def _blocks(self, own: Lettered, other: Lettered, a: Span, b: Span) -> Blocks:
        """Blocks of a longest common subsequence of characters with equal readings; none if they differ too much."""
        try:
            common = common_blocks(own.readings[a.start : a.end], other.readings[b.start : b.end], self._watch)
        except TooDifferent:
            return np.zeros((0, 3), np.int64)
        blocks = common.astype(np.int64)
        blocks[:, :2] += (a.start, b.start)
        return blocks

    def _weighed(self, passage: Checked) -> Checked:
        """The stretch with its difference and the verdict on it."""
        sizes = (passage.a.end - passage.a.start, passage.b.end - passage.b.start)
        difference = 1 - 2 * passage.common / sum(sizes)
        accepted = difference <= self._parameters.max_difference and min(sizes) >= self._parameters.min_length
        return replace(passage, difference=difference, accepted=accepted)


def _counted(blocks: Blocks, own: Lettered, other: Lettered) -> tuple[int, int]:
    """Numbers of characters in equal blocks, and of homophones among these."""
    i, j, sizes = blocks.T
    inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    differ = own.codes[np.repeat(i, sizes) + inside] != other.codes[np.repeat(j, sizes) + inside]
    return len(inside), int(np.count_nonzero(differ))


def _stretches(
    rows: NDArray[np.int64], parts: NDArray[np.int64], own: Lettered, other: Lettered, shift: int
) -> list[Stretch]:
    """The parts of rows of ``extended``, in folded characters, in order; ``shift``: the first letter of ``other``."""
    begins, ends = rows[:, 2] - shift + parts[:, 0] - rows[:, 0], rows[:, 3] - shift + parts[:, 1] - rows[:, 1]
    some = np.argsort(parts[:, 0])
    some = some[begins[some] < ends[some]]
    (a, a_end), b, b_end = parts[some].T, begins[some], ends[some]
    columns = (own.at[a], own.at[a_end - 1] + 1, other.at[b], other.at[b_end - 1] + 1, rows[some, VOTES])
    return [Stretch(Span(a, a_end), Span(b, b_end), n) for a, a_end, b, b_end, n in np.stack(columns, 1).tolist()]


def _groups(stretches: Sequence[Stretch], gap: int) -> list[list[Stretch]]:
    """Groups of stretches that are consecutive on both sides, at most ``gap`` characters apart."""
    groups: list[list[Stretch]] = []
    for stretch in stretches:
        if groups:
            last = groups[-1][-1]
            near = stretch.a.start - last.a.end <= gap and abs(stretch.b.start - last.b.end) <= gap
            if near and stretch.b.start > last.b.start and stretch.b.end > last.b.end:
                groups[-1].append(stretch)
                continue
        groups.append([stretch])
    return groups


def _trimmed(blocks: NDArray[np.int64], least: int, cost: float) -> NDArray[np.int64]:
    """``blocks`` without blocks at the ends that are shorter than ``least`` and do not compensate for the adjacent
    edits.
    """
    first, last = 0, len(blocks)
    while last - first > 1:
        edits = (blocks[first + 1, :2] - blocks[first, :2] - blocks[first, 2]).max()
        if blocks[first, 2] >= min(least, cost * edits):
            break
        first += 1
    while last - first > 1:
        edits = (blocks[last - 1, :2] - blocks[last - 2, :2] - blocks[last - 2, 2]).max()
        if blocks[last - 1, 2] >= min(least, cost * edits):
            break
        last -= 1
    return blocks[first:last].copy()


def _grow(blocks: NDArray[np.int64], a: Lettered, b: Lettered) -> None:
    """Extend both ends by equal characters without an initial (digits and others)."""
    i, j = int(blocks[0, 0]), int(blocks[0, 1])
    more = 0
    while i > more and j > more and a.codes[i - more - 1] == b.codes[j - more - 1] and a.plain(i - more - 1):
        more += 1
    blocks[0] += (-more, -more, more)
    i, j = int(blocks[-1, 0] + blocks[-1, 2]), int(blocks[-1, 1] + blocks[-1, 2])
    more = 0
    while i + more < len(a.codes) and j + more < len(b.codes) and a.codes[i + more] == b.codes[j + more]:
        if not a.plain(i + more):
            break
        more += 1
    blocks[-1, 2] += more


def spans(own: Lettered, other: Lettered, checked: Checked) -> tuple[Span, Span]:
    """Offsets of a passage, including closing marks that follow it and opening marks that precede it on both
    sides.
    """
    bounds = []
    for text, span in ((own, checked.a), (other, checked.b)):
        low = int(text.end[span.start - 1]) if span.start else 0
        high = int(text.start[span.end]) if span.end < len(text.codes) else len(text.raw)
        bounds.append((low, int(text.start[span.start]), int(text.end[span.end - 1]), high))
    (low_a, a, a_end, high_a), (low_b, b, b_end, high_b) = bounds
    while a > low_a and b > low_b and own.raw[a - 1] == other.raw[b - 1] and _opens(int(own.raw[a - 1])):
        a, b = a - 1, b - 1
    while a_end < high_a and b_end < high_b and own.raw[a_end] == other.raw[b_end] and _closes(int(own.raw[a_end])):
        a_end, b_end = a_end + 1, b_end + 1
    return Span(a, a_end), Span(b, b_end)


def _opens(code: int) -> bool:
    return unicodedata.category(chr(code)) in ("Ps", "Pi")


def _closes(code: int) -> bool:
    return unicodedata.category(chr(code))[0] in "PSM" and not _opens(code)


def _text(lettered: Lettered, start: int, end: int) -> str:
    return "".join(map(chr, lettered.raw[start:end].tolist()))


def matches(key: int, own: Lettered, checked: Sequence[Checked], names: NDArray[np.int64], judge: Judge) -> Matches:
    """The accepted passages of the document ``key``, ordered by position and source."""
    rows = []
    for c in checked:
        if not c.accepted:
            continue
        other = judge.source(c.holder)
        (a, a_end), (b, b_end) = spans(own, other, c)
        exact = a_end - a == b_end - b and bool((own.raw[a:a_end] == other.raw[b:b_end]).all())
        size = c.a.end - c.a.start
        common, homophones = c.common, c.homophones
        if homophones:
            texts = _text(own, a, a_end), _text(other, b, b_end)
            if same_but_for_script(*texts):
                common, homophones = size, 0
            else:
                homophones -= min(homophones, script_variants(*texts))
        differ = size - common + homophones
        folded = not differ and c.b.end - c.b.start == size
        tier = Tier.EXACT if exact else Tier.FOLDED if folded else Tier.ALTERED
        name = int(names[c.holder])
        rows.append((name, a, a_end, b, b_end, common, tier, common, differ, homophones, c.votes))
    if not rows:
        return Matches.empty()
    columns = np.array(rows, np.int64).T.copy()
    passages = Matches(
        np.full(len(rows), key, np.int64),
        columns[0],
        columns[1],
        columns[2],
        columns[3],
        columns[4],
        score=columns[5].astype(np.float64),
        tier=columns[6].astype(np.int8),
        evidence=dict(zip(("characters", "differ", "homophones", "votes"), columns[7:], strict=True)),
    )
    return passages.take(np.lexsort((passages.b_start, passages.b, passages.a_start)))
