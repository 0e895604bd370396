"""Which other documents of the project contain a passage: a phrase that occurs in many is weak evidence of copying."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Ints, Matches
from workbench.jobs.context import Context
from workbench.project.batches import batched
from workbench.project.database import Connection, open_project
from workbench.project.documents import texts_of
from workbench.project.listing import current_keys_in_order, replaced_keys
from workbench.project.matches import match_columns
from workbench.services.review.by_hand import with_added
from workbench.services.review.passages import passages

_STAGE = Message("Searching")
_APART = re.compile(r"[\W_]+")
_GRAM = 12
"""Number of characters at the start of a passage that are used to find candidate places."""
_AT_ONCE = 1 << 26
"""Number of characters of passages that are searched for in one pass over all texts."""
_FACTOR = np.uint64(0x100000001B3)


@dataclass(frozen=True, slots=True)
class Holders:
    """The result of :func:`find_holders`: for each passage, the keys of the documents that contain it, among
    ``documents``.

    The passages' own document is excluded, also if it was imported again with another text. ``replaced`` are the
    present keys of documents that were, by their former keys.
    """

    passages: tuple[tuple[int, ...], ...]
    documents: int
    replaced: Mapping[int, int]

    def beside(self, number: int, source: int) -> tuple[int, ...]:
        """The documents that contain passage ``number``, besides ``source`` (key), with which it matches."""
        present, keys = self.replaced.get(source, source), self.passages[number]
        return tuple(key for key in keys if key != present) if present in keys else keys


def find_holders(ctx: Context, project_path: Path, key: int, passages: Ints) -> Holders:
    """The other documents of the project, in any role, that contain ``passages`` of the document ``key``.

    ``passages`` are starts and ends in its text, int64[n, 2]. See :func:`holders_of_each`. Raises Cancelled.
    """
    return find_holders_of_each(ctx, project_path, [(key, passages)])[0]


def find_holders_of_each(ctx: Context, project_path: Path, wanted: Sequence[tuple[int, Ints]]) -> list[Holders]:
    """Like :func:`find_holders` of each document (key) and its passages. Raises Cancelled."""
    with open_project(project_path, write=False) as project, project.read() as connection:
        return holders_of_each(ctx, connection, wanted)


def holders_of_each(watcher: Progress, connection: Connection, wanted: Sequence[tuple[int, Ints]]) -> list[Holders]:
    """The other documents that contain each of the passages (starts and ends, int64[n, 2]) of the documents (keys).

    Letters and digits are compared; width, case, symbols, spaces and line breaks make no difference. A passage without
    letters has no holders. Texts are read one after another, once for as many passages as fit in memory: time grows
    with the characters of the project, and of the passages. Raises Cancelled.
    """
    keys, replaced = current_keys_in_order(connection), replaced_keys(connection)
    own = [replaced.get(key, key) for key, _ in wanted]
    holders: list[list[list[int]]] = [[[] for _ in passages] for _, passages in wanted]
    for needles in _needle_batches(connection, wanted):
        finder, places = _Finder(list(needles)), list(needles.values())
        done = 0
        for some in batched(keys):
            for key, text in texts_of(connection, some):
                watcher.advance(_STAGE, done, len(keys))
                watcher.check()
                done += 1
                for number in finder.inside(letters(text)):
                    for document, passage in places[number]:
                        if own[document] != key:
                            holders[document][passage].append(key)
    known = set(keys)
    return [
        Holders(tuple(tuple(sorted(keys_of)) for keys_of in of), len(keys) - (key in known), replaced)
        for key, of in zip(own, holders, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class PhraseHolders:
    """Which other documents contain the text of each of a run's matches; see :func:`phrase_holders`."""

    _by_suspect: Mapping[int, tuple[Holders, Mapping[tuple[int, int], int]]]

    def beside(self, matches: Matches, row: int) -> tuple[int, ...]:
        """Keys of the documents that contain the text of match ``row``, besides its two."""
        m = matches
        holders, numbers = self._by_suspect[int(m.a[row])]
        return holders.beside(numbers[int(m.a_start[row]), int(m.a_end[row])], int(m.b[row]))

    def counts(self, matches: Matches) -> Ints:
        """The number of documents of :meth:`beside` for each of the n ``matches``, int64[n]."""
        return np.fromiter((len(self.beside(matches, row)) for row in range(len(matches))), np.int64, len(matches))


def phrase_holders(watcher: Progress, connection: Connection, matches: Matches) -> PhraseHolders:
    """The documents that contain the suspect's text of each of ``matches``. Raises Cancelled."""
    order = np.argsort(matches.a, kind="stable")
    keys, first = np.unique(matches.a[order], return_index=True)
    spans = np.column_stack((matches.a_start, matches.a_end))[order]
    wanted = [
        (key, np.unique(part, axis=0)) for key, part in zip(keys.tolist(), np.split(spans, first[1:]), strict=False)
    ]
    of_each = holders_of_each(watcher, connection, wanted)
    return PhraseHolders(
        {
            key: (holders, {(start, end): number for number, (start, end) in enumerate(passages.tolist())})
            for (key, passages), holders in zip(wanted, of_each, strict=True)
        }
    )


def _needle_batches(
    connection: Connection, wanted: Sequence[tuple[int, Ints]]
) -> Iterator[dict[str, list[tuple[int, int]]]]:
    """The letters of all passages with their positions in ``wanted``, about _AT_ONCE characters at a time."""
    needles: dict[str, list[tuple[int, int]]] = {}
    size = 0
    for document, (key, places) in enumerate(wanted):
        text = next((text for _, text in texts_of(connection, [key])), "")
        for number, (start, end) in enumerate(places.tolist()):
            needle = letters(text[start:end])
            size += 0 if needle in needles else len(needle)
            needles.setdefault(needle, []).append((document, number))
        if size >= _AT_ONCE:
            yield needles
            needles, size = {}, 0
    if needles:
        yield needles


def letters(text: str) -> str:
    """The letters and digits of ``text``, ignoring width and case."""
    return _APART.sub("", unicodedata.normalize("NFKC", text)).casefold()


class _Finder:
    """Finds which of many ``needles`` a text contains, in time that grows with the text, not with their number."""

    def __init__(self, needles: Sequence[str]) -> None:
        self._needles = needles
        by_size: dict[int, dict[int, list[int]]] = {}
        for number, needle in enumerate(needles):
            if needle:
                size = min(len(needle), _GRAM)
                by_size.setdefault(size, {}).setdefault(int(_grams(needle[:size], size)[0]), []).append(number)
        self._beginnings = [(size, np.array(sorted(of), np.uint64), of) for size, of in sorted(by_size.items())]

    def inside(self, text: str) -> set[int]:
        """Numbers of the needles that ``text`` contains."""
        inside: set[int] = set()
        for size, starts, of in self._beginnings:
            if size > len(text):
                break
            grams = _grams(text, size)
            near = np.minimum(np.searchsorted(starts, grams), len(starts) - 1)
            at = np.flatnonzero(starts[near] == grams)
            for place, gram in zip(at.tolist(), grams[at].tolist(), strict=True):
                for number in of[gram]:
                    if number not in inside and text.startswith(self._needles[number], place):
                        inside.add(number)
        return inside


def _grams(text: str, size: int) -> NDArray[np.uint64]:
    """A number for each sequence of ``size`` characters, uint64[n - size + 1]; equal sequences have equal numbers."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    count = len(codes) - size + 1
    total = np.zeros(count, np.uint64)
    for shift in range(size):
        total = total * _FACTOR + codes[shift : shift + count]
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Data on the n matches of a run, in the order of its columns.

    ``passage`` int64[n]: equal for the matches of one passage; ``others`` int64[n]: the number of other documents of
    the project with the match's text.
    """

    passage: Ints
    others: Ints

    def passages_among(self, rows: Ints) -> int:
        """The number of passages that the matches ``rows`` belong to."""
        return len(np.unique(self.passage[rows]))


def read_spread(ctx: Context, project_path: Path, run_id: int) -> Spread:
    """The spread of all matches of run ``run_id``, with those found by hand. Raises Cancelled."""
    with open_project(project_path, write=False) as project, project.read() as connection:
        matches = with_added(connection, run_id, match_columns(connection, run_id))
        return Spread(passages(matches), phrase_holders(ctx, connection, matches).counts(matches))
