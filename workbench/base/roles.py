"""The roles of documents. Separate from the other types, whose import is slow for a short command."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a document is in an investigation."""

    SOURCE = "source"
    SUSPECT = "suspect"
    BACKGROUND = "background"
