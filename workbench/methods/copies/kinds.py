"""What was done to a passage, and which methods saw it, as they are stored in the evidence."""

from __future__ import annotations

from enum import IntEnum

BITS = {"digest": 1, "initials": 2, "altered": 4}
"""What a method adds to the evidence ``methods``; the most exact one first."""


class CopyKind(IntEnum):
    """What was done to a passage; stored as its number. The first are those of ``altered.kinds.Kind``."""

    VERBATIM = 0
    LIGHTLY_CHANGED = 1
    REWORDED = 2
    SHUFFLED = 3
    SUMMARY = 4
    HOMOPHONES = 5
