"""Runs that compare whole documents: pairs without passages, and the edits of a pair as a curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import DocumentScore, Ints, Matches
from workbench.jobs.context import Context
from workbench.project.listing import DocumentItem, items_of
from workbench.project.pairs import Pair
from workbench.project.scores import scores_of
from workbench.services.labels.sets import PAIR_LABELS
from workbench.services.labels.targets import pair_target
from workbench.services.review.judgement import Judgement
from workbench.services.review.pairs import SuspectRow
from workbench.services.review.verdict_index import VerdictIndex
from workbench.services.session import Session

METHOD = "trustable-lcs"
"""The method whose settings decide what counts as an edit."""


def as_matches(pairs: Sequence[Pair], items: Mapping[int, DocumentItem]) -> Matches:
    """Each pair as one match over both whole texts; ``score`` is the pair's.

    Evidence: ``resemblance`` and ``containment`` (share of ``a`` in ``b``), NaN if the method has none.
    """
    a = np.array([p.a for p in pairs], np.int64)
    b = np.array([p.b for p in pairs], np.int64)
    zero = np.zeros(len(pairs), np.int64)
    length = {key: item.length for key, item in items.items()}
    figures = {
        name: np.array([np.nan if (v := getattr(p, name)) is None else v for p in pairs], np.float64)
        for name in ("resemblance", "containment")
    }
    return Matches(
        a,
        b,
        zero,
        np.array([length[p.a] for p in pairs], np.int64),
        zero,
        np.array([length[p.b] for p in pairs], np.int64),
        np.array([p.score for p in pairs], np.float64),
        np.zeros(len(pairs), np.int8),
        figures,
    )


def suspects_of_pairs(pairs: Iterable[Pair], items: Mapping[int, DocumentItem]) -> list[SuspectRow]:
    """The suspects (first documents) of the pairs, best pair first; ``coverage`` is the greatest containment (0 if
    unknown).

    ``matches`` and ``sources`` count pairs; verdicts are not counted.
    """
    by_suspect: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_suspect.setdefault(pair.a, []).append(pair)
    rows = [
        SuspectRow(
            key,
            items[key].id,
            items[key].title,
            items[key].language,
            items[key].length,
            items[key].published,
            max(p.score for p in own),
            max((p.containment or 0.0) for p in own),
            0,
            len(own),
            len(own),
        )
        for key, own in by_suspect.items()
    ]
    return sorted(rows, key=lambda r: (-r.score, r.key))


def judgements_of_pairs(
    index: VerdictIndex, pairs: Iterable[tuple[int, int]], ids: Mapping[int, str]
) -> dict[tuple[int, int], Judgement]:
    """The judgement of each of ``pairs`` (keys) that were judged as a whole."""
    named = (((a, b), index.whole(PAIR_LABELS, pair_target(ids[a], ids[b]), {ids[a]: a, ids[b]: b})) for a, b in pairs)
    return {pair: judgement for pair, judgement in named if judgement is not None}


@dataclass(frozen=True, slots=True)
class EditCurve:
    """``edits`` counted before each of ``positions`` (code points of the suspect), int64 of equal length, ascending.

    ``slope``: maximum number of edits per character in a trustable region.
    """

    positions: Ints
    edits: Ints
    slope: float


def edit_curve(ctx: Context, a: str, b: str, settings: Mapping[str, Any]) -> EditCurve:
    """The curve of the texts ``a`` and ``b`` under settings of ``trustable-lcs`` (Huang, Wang and Li, 2007, figure 3).

    Loads the compiler: call it in a separate process. Raises UserError if the texts differ over too long a stretch to
    count their edits, ParameterError.
    """
    from workbench.kernels.edit_script import TooDifferent
    from workbench.methods.trustable_lcs.pair import edit_curve as curve
    from workbench.methods.trustable_lcs.parameters import TrustableParameters

    ctx.check()
    parameters = TrustableParameters.parse(settings)
    assert isinstance(parameters, TrustableParameters)
    try:
        positions, edits = curve(a, b, parameters)
    except TooDifferent as error:
        longest = f"{parameters.max_stretch:,}"
        raise UserError(
            Message("The texts differ completely over more than {limit} characters.", limit=longest)
        ) from error
    return EditCurve(positions, edits, parameters.slope)


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of a run, highest first, with their documents."""

    scores: tuple[DocumentScore, ...]
    items: dict[int, DocumentItem]

    def by_key(self, key: int) -> DocumentScore | None:
        """The score of the document ``key``."""
        return next((s for s in self.scores if s.document == key), None)


def read_scored(session: Session, run_id: int) -> Scored:
    """All documents that run ``run_id`` scored."""
    with session.read() as connection:
        scores = sorted(scores_of(connection, run_id), key=lambda s: (-s.score, s.document))
        return Scored(tuple(scores), items_of(connection, [s.document for s in scores]))
