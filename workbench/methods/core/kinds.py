"""What was done to a copied passage."""

from __future__ import annotations

from enum import IntEnum


class CopyKind(IntEnum):
    """What was done to a passage; stored as its number in the evidence ``kind``."""

    VERBATIM = 0
    LIGHTLY_CHANGED = 1
    REWORDED = 2
    SHUFFLED = 3
    SUMMARY = 4
    HOMOPHONES = 5
