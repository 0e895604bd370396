"""Yields a pool's results in the order of its chunks, with bounded memory even if one of them is slow."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
C = TypeVar("C")

HELD = 16
"""Results kept in memory while they wait for an earlier one; more wait in a temporary file."""


def in_order(results: Iterable[tuple[int, T]], chunk: Callable[[int], C]) -> Iterator[tuple[C, T]]:
    """Yield (chunk, result) by index 0, 1, 2, ... from ``results`` in any order; each index occurs once."""
    following = 0
    with tempfile.TemporaryFile(prefix="palimpsest-") as file:
        buffered: dict[int, T] = {}
        spilled: dict[int, int] = {}
        for index, result in results:
            if index != following and len(buffered) >= HELD:
                file.seek(0, 2)
                spilled[index] = file.tell()
                pickle.dump(result, file, pickle.HIGHEST_PROTOCOL)
            else:
                buffered[index] = result
            while following in buffered or following in spilled:
                if following in buffered:
                    ready = buffered.pop(following)
                else:
                    file.seek(spilled.pop(following))
                    ready = pickle.load(file)
                yield chunk(following), ready
                following += 1
            if not spilled:
                file.truncate(0)
