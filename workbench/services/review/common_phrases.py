"""Which other documents of the project hold a passage: a phrase that many hold says little about who copied it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.types import Ints
from workbench.jobs.context import Context
from workbench.project.batches import batched
from workbench.project.database import open_project
from workbench.project.documents import texts_of
from workbench.project.listing import current_keys_in_order

_STAGE = Message("Searching")
_APART = re.compile(r"[\W_]+")
_GRAM = 12
"""Characters at the start of a passage by which places to compare are found."""
_FACTOR = np.uint64(0x100000001B3)


@dataclass(frozen=True, slots=True)
class Holders:
    """What :func:`find_holders` found: of each passage the keys of the documents that hold it, among ``documents``.

    The document that the passages are of is neither among them nor counted.
    """

    passages: tuple[tuple[int, ...], ...]
    documents: int

    def beside(self, number: int, source: int) -> tuple[int, ...]:
        """The documents that hold passage ``number``, beside ``source`` (key), which it is a match with."""
        return tuple(key for key in self.passages[number] if key != source)


def find_holders(ctx: Context, project_path: Path, key: int, passages: Ints) -> Holders:
    """The other documents of the project that hold ``passages`` of the document ``key``, whatever their role.

    ``passages`` are starts and ends in its text, int64[n, 2].

    Letters and digits are compared; width, case, symbols, spaces and line breaks make no difference. A passage without
    letters has no holders. Texts are read one after another: time grows with their characters. Raises Cancelled.
    """
    holders: list[list[int]] = [[] for _ in passages]
    with open_project(project_path, write=False) as project, project.read() as connection:
        text = next((text for _, text in texts_of(connection, [key])), "")
        finder = _Finder([letters(text[start:end]) for start, end in passages.tolist()])
        others = [other for other in current_keys_in_order(connection) if other != key]
        done = 0
        for some in batched(others):
            for other, text in texts_of(connection, some):
                ctx.advance(_STAGE, done, len(others))
                done += 1
                for number in finder.inside(letters(text)):
                    holders[number].append(other)
    return Holders(tuple(tuple(sorted(keys)) for keys in holders), len(others))


def find_holders_of_each(ctx: Context, project_path: Path, asked: Sequence[tuple[int, Ints]]) -> list[Holders]:
    """As :func:`find_holders` of each document (key) and its passages in turn. Raises Cancelled."""
    return [find_holders(ctx, project_path, key, passages) for key, passages in asked]


def letters(text: str) -> str:
    """The letters and digits of ``text``, without differences of width and case."""
    return _APART.sub("", unicodedata.normalize("NFKC", text)).casefold()


class _Finder:
    """Finds which of many ``needles`` a text holds, in time that grows with the text, not with their number."""

    def __init__(self, needles: Sequence[str]) -> None:
        self._needles = needles
        self._short = [n for n, needle in enumerate(needles) if 0 < len(needle) < _GRAM]
        self._long: dict[int, list[int]] = {}
        for number, needle in enumerate(needles):
            if len(needle) >= _GRAM:
                self._long.setdefault(int(_grams(needle[:_GRAM])[0]), []).append(number)
        self._starts = np.array(sorted(self._long), np.uint64)

    def inside(self, text: str) -> set[int]:
        """Numbers of the needles that ``text`` holds."""
        inside = {number for number in self._short if self._needles[number] in text}
        for at, gram in self._places(text):
            for number in self._long[gram]:
                if number not in inside and text.startswith(self._needles[number], at):
                    inside.add(number)
        return inside

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where ``text`` may begin like a needle, with the number of that beginning."""
        if not len(self._starts) or len(text) < _GRAM:
            return
        grams = _grams(text)
        near = np.minimum(np.searchsorted(self._starts, grams), len(self._starts) - 1)
        at = np.flatnonzero(self._starts[near] == grams)
        yield from zip(at.tolist(), grams[at].tolist(), strict=True)


def _grams(text: str) -> NDArray[np.uint64]:
    """A number for each _GRAM characters in a row, uint64[n - _GRAM + 1]; equal ones have equal numbers."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    count = len(codes) - _GRAM + 1
    total = np.zeros(count, np.uint64)
    for shift in range(_GRAM):
        total = total * _FACTOR + codes[shift : shift + count]
    return total
