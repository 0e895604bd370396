"""Finds a passage in a later version of its text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from rapidfuzz.distance import Indel, Levenshtein

from workbench.base.types import Span
from workbench.services.review.coverage import share
from workbench.text.segmenting.segmentation import segments

ENOUGH = 0.5
"""Smallest share of a passage, and of what it has become, that must be the same text."""
_RUN = 8
"""Shortest run of characters inside a changed stretch that counts as the same text; shorter ones any texts share."""
_STRETCH = 20_000
"""Longest changed stretch, in characters, that is compared character by character: memory grows with its square."""

Stretch = tuple[int, int, int]
"""Equal text: its start in the old text, its start in the new one, its length."""


class Relocation:
    """Maps spans of the text ``old`` to the later text ``new``."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def place(self, span: Span) -> Span | None:
        """Where the text of ``span`` is in the new text; None if less than ENOUGH of it is.

        The very text counts, wherever it moved to: of several places the nearest. Where it was changed, sentences in
        the same order, and inside changed ones characters, tell what became of it.
        """
        wanted = self._old[span.start : span.end]
        if not wanted:
            return None
        if self._new[span.start : span.end] == wanted:
            return span
        if places := list(_occurrences(wanted, self._new)):
            start = min(places, key=lambda at: (abs(at - span.start), at))
            return Span(start, start + len(wanted))
        kept = list(self._kept(span))
        if not kept:
            return None
        moved = Span(kept[0][1], kept[-1][1] + kept[-1][2])
        same = sum(length for _, _, length in kept)
        return moved if share(same, max(len(wanted), moved.end - moved.start)) >= ENOUGH else None

    def _kept(self, span: Span) -> Iterator[Stretch]:
        """The equal stretches inside ``span``, in order."""
        for equal, old, new in self._stretches:
            if old.start >= span.end or old.end <= span.start:
                continue
            parts = [(old.start, new.start, old.end - old.start)] if equal else self._inside(old, new)
            for a, b, length in parts:
                first, last = max(a, span.start), min(a + length, span.end)
                if first < last:
                    yield first, b + first - a, last - first

    @cached_property
    def _stretches(self) -> list[tuple[bool, Span, Span]]:
        """Both texts cut into stretches of sentences, equal or changed, in order."""
        numbers: dict[str, int] = {}
        cuts = [_cuts(text) for text in (self._old, self._new)]
        left, right = (
            [numbers.setdefault(text[i:j], len(numbers)) for i, j in pairwise(at)]
            for text, at in zip((self._old, self._new), cuts, strict=True)
        )
        stretches = []
        a = b = 0
        for block in Levenshtein.editops(left, right).as_matching_blocks():
            ends = block.a + block.size, block.b + block.size
            for equal, i, j, k, m in ((False, a, block.a, b, block.b), (True, block.a, ends[0], block.b, ends[1])):
                if i < j:
                    stretches.append((equal, Span(cuts[0][i], cuts[0][j]), Span(cuts[1][k], cuts[1][m])))
            a, b = ends
        return stretches

    def _inside(self, old: Span, new: Span) -> list[Stretch]:
        """Equal runs of a changed stretch; none of one that is too long to look into."""
        if max(old.end - old.start, new.end - new.start) > _STRETCH:
            return []
        ops = Indel.editops(self._old[old.start : old.end], self._new[new.start : new.end])
        return [(old.start + m.a, new.start + m.b, m.size) for m in ops.as_matching_blocks() if m.size >= _RUN]


def _cuts(text: str) -> list[int]:
    """Where ``text`` is cut into sentences, from its start to its end."""
    return sorted({0, len(text), *(s.end for s in segments(text))})


def _occurrences(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)
