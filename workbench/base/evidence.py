"""Evidence of matches as JSON for storage and exchange, and its columns that are not figures.

``OTHER_PLACES`` counts other places of a source with the same words; ``STARTS`` are the offsets of the first ones, in
order, -1 for none. Matches of a pair with different numbers in the column ``APART`` are different passages, however
near. ``RECOGNISED`` is for text recognised in pictures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.base.messages import read, stored


def packed(evidence: Mapping[str, Any]) -> str:
    """``evidence`` as compact JSON with sorted keys, messages in their stored form."""
    plain = {name: stored(value) if isinstance(value, str) else value for name, value in evidence.items()}
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def packed_rows(columns: Mapping[str, Sequence[float]]) -> list[str]:
    """One packed mapping for each row of ``columns``, which contain finite numbers only."""
    pairs = (f"{json.dumps(name, ensure_ascii=False)}:%r" for name in sorted(columns))
    template = "{" + ",".join(pairs) + "}"
    return [template % row for row in zip(*(columns[name] for name in sorted(columns)), strict=True)]


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
