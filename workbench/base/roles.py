"""What a document is in an investigation. Apart from the other types, which take long to import for a short command."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a document is in an investigation."""

    SOURCE = "source"
    SUSPECT = "suspect"
    BACKGROUND = "background"
