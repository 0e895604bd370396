"""For every match of a run, the passage that it is part of, and the number of other documents that contain its text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.base.types import Ints
from workbench.jobs.context import Context
from workbench.project.database import open_project
from workbench.project.matches import match_columns
from workbench.services.review.by_hand import with_added
from workbench.services.review.common_phrases import phrase_holders
from workbench.services.review.passages import passages


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Of the n matches of a run, in the order of its columns.

    ``passage`` int64[n]: equal for the matches of one passage; ``others`` int64[n]: how many documents of the project,
    beside the pair, hold the match's text.
    """

    passage: Ints
    others: Ints

    def passages_among(self, rows: Ints) -> int:
        """How many passages the matches ``rows`` are of."""
        return len(np.unique(self.passage[rows]))


def read_spread(ctx: Context, project_path: Path, run_id: int) -> Spread:
    """The spread of all matches of run ``run_id``, with those found by hand. Raises Cancelled."""
    with open_project(project_path, write=False) as project, project.read() as connection:
        matches = with_added(connection, run_id, match_columns(connection, run_id))
        return Spread(passages(matches), phrase_holders(ctx, connection, matches).counts(matches))
