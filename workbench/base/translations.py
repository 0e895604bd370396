"""Matches of texts in two languages, identified by their evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MEANS = "means"
"""The figure that only they have: how the translation was recognised."""


def is_translation(evidence: Mapping[str, Any]) -> bool:
    """Whether the sides of a match with this evidence are in two languages, so that their words are not comparable."""
    return MEANS in evidence
