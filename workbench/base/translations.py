"""Matches of texts in two languages, told by their evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MEANS = "means"
"""The figure of the evidence that only they have: by what the translation was recognised."""


def is_translation(evidence: Mapping[str, Any]) -> bool:
    """Whether the sides of a match with this evidence are in two languages, so that no words of theirs compare."""
    return MEANS in evidence
