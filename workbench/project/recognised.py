"""Matches in text that was read from pictures: none of them is exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sqlalchemy import Connection, select

from workbench.base.places import RECOGNISED
from workbench.base.types import Matches, Tier
from workbench.project.tables import document_rows


def never_exact(connection: Connection, matches: Matches) -> Matches:
    """``matches`` with the evidence RECOGNISED, and at best the tier FOLDED, where a side was read from a picture."""
    rows = connection.execute(
        select(document_rows.c.key, document_rows.c.ocr).where(document_rows.c.ocr > 0).order_by(document_rows.c.key)
    ).fetchall()
    if not rows or not len(matches):
        return matches
    keys, sure = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    least = np.ones(len(matches))
    read = np.zeros(len(matches), np.bool_)
    for side in (matches.a, matches.b):
        at = np.minimum(np.searchsorted(keys, side), len(keys) - 1)
        is_read = keys[at] == side
        least = np.where(is_read, np.minimum(least, sure[at] / 100), least)
        read |= is_read
    if not read.any():
        return matches
    tier = np.where(read, np.maximum(matches.tier, Tier.FOLDED), matches.tier).astype(np.int8)
    return replace(matches, tier=tier, evidence={**matches.evidence, RECOGNISED: np.where(read, least, 0.0)})
