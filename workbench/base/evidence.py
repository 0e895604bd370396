"""Evidence of matches as JSON for storage and exchange, and its columns that are not figures.

``OTHER_PLACES`` counts other places of a source with the same words; ``STARTS`` are the offsets of the first ones, in
order, -1 for none. Matches of a pair with different numbers in the column ``APART`` are different passages, however
near. ``RECOGNISED`` is for text recognised in pictures.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from workbench.base.messages import read, stored


def packed(evidence: Mapping[str, Any]) -> str:
    """``evidence`` as compact JSON with sorted keys, messages in their stored form."""
    plain = {name: stored(value) if isinstance(value, str) else value for name, value in evidence.items()}
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class PackedRows(Sequence[str]):
    """One packed mapping for each row of ``columns``, which contain finite numbers only: packed each time it is read,
    as columns of numbers take a fraction of the memory.
    """

    def __init__(self, columns: Mapping[str, Sequence[float]]) -> None:
        self.columns = {name: columns[name] for name in sorted(columns)}
        self._template = "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:%r" for name in self.columns) + "}"

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [*PackedRows({name: column[at] for name, column in self.columns.items()})]
        return self._template % tuple(column[at] for column in self.columns.values())

    def __iter__(self) -> Iterator[str]:
        return (self._template % row for row in zip(*self.columns.values(), strict=True))


def joined(parts: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """All of ``parts``: in an array if they are arrays of one type, packed as read if they are, otherwise in a list."""
    packs = [part for part in parts if isinstance(part, PackedRows)]
    arrays = [part for part in parts if isinstance(part, array)]
    if parts and len(packs) == len(parts) and len({(*part.columns,) for part in packs}) == 1:
        return PackedRows({name: joined([part.columns[name] for part in packs]) for name in packs[0].columns})
    if parts and len(arrays) == len(parts) and len({part.typecode for part in arrays}) == 1:
        return array(arrays[0].typecode, b"".join(part.tobytes() for part in arrays))
    return [value for part in parts for value in part]


def unpacked(text: str) -> dict[str, Any]:
    """Reverses :func:`packed`. Only for this program's own data: nothing is checked."""
    return {name: read(value) if isinstance(value, str) else value for name, value in json.loads(text).items()}


OTHER_PLACES = "other_places"
RECOGNISED = "recognised"
"""Evidence of a match in text that was read from pictures: the confidence of the less confident side, above 0 up to 1;
0 for other matches.
"""
ADDED = "by_hand"
"""Column that is 1 for a passage found by hand; runs without one lack it."""
APART = "apart"
NAMED = 5
"""Number of places whose offsets are stored; all are counted."""
STARTS = tuple(f"other_place_{number}" for number in range(1, NAMED + 1))


def other_places(evidence: Mapping[str, Any]) -> tuple[int, list[int]]:
    """The number of other places, and the offsets of the first ones."""
    starts = [int(evidence[name]) for name in STARTS if evidence.get(name, -1) >= 0]
    count = evidence.get(OTHER_PLACES, 0)
    return int(count) if count == count else 0, starts  # passages added by hand have none


def figures(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """``evidence`` as listed: the measured figures (not NaN), and a count of other places above 0."""
    unlisted = (*STARTS, APART) if other_places(evidence)[0] else (*STARTS, APART, OTHER_PLACES)
    listed = {name: value for name, value in evidence.items() if name not in unlisted}
    return {name: value for name, value in listed.items() if value == value and (value or name != RECOGNISED)}


def without_places(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The columns ``evidence`` with the other places of all passages removed."""
    none = {OTHER_PLACES: 0, **dict.fromkeys(STARTS, -1)}
    return {name: column * 0 + none[name] if name in none else column for name, column in evidence.items()}


def as_columns(places: Sequence[tuple[int, Sequence[int]]]) -> dict[str, Any]:
    """Evidence columns of n passages, each given as its number of other places and the offsets of the first ones."""
    import numpy as np

    columns = {OTHER_PLACES: np.array([count for count, _ in places], np.int64)}
    for k, name in enumerate(STARTS):
        columns[name] = np.array([starts[k] if k < len(starts) else -1 for _, starts in places], np.int64)
    return columns


def is_recognised(evidence: Mapping[str, Any]) -> bool:
    """Whether a match with this evidence is in text that was read from a picture."""
    return bool(evidence.get(RECOGNISED, 0) > 0)


MEANS = "means"
"""The figure that only matches of texts in two languages have: how the translation was recognised."""


def is_translation(evidence: Mapping[str, Any]) -> bool:
    """Whether the sides of a match with this evidence are in two languages, so that their words are not comparable."""
    return MEANS in evidence
