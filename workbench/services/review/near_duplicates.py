"""Results for near-duplicate pages beyond pairs: sets, trustable regions, the curve behind a region.

Sets: Huang, Wang and Li (2007), section 3.3."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Region
from workbench.methods.core import registry
from workbench.methods.core.api import NEAR_DUPLICATE
from workbench.project.documents import load_document
from workbench.project.pairs import pair_pages
from workbench.project.runs import load_run
from workbench.project.scores import regions_of
from workbench.services.session import Session


def near_duplicate_sets(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Sets of at least two documents; a document is in at most one set, with a first document it is similar to.

    Documents are ordered by the number of documents they are similar to, largest first, ties by key; so are the sets.
    The first document of a set is followed by the others in order of key. Similarity is not transitive: the ends of a
    long chain are not in one set.
    """
    similar: dict[int, set[int]] = {}
    for a, b in pairs:
        if a != b:
            similar.setdefault(a, set()).add(b)
            similar.setdefault(b, set()).add(a)
    placed: set[int] = set()
    sets: list[tuple[int, ...]] = []
    for first in sorted(similar, key=lambda key: (-len(similar[key]), key)):
        if first not in placed:
            others = sorted(similar[first] - placed)
            placed.update(others, (first,))
            if others:
                sets.append((first, *others))
    return sets


_METHOD = "trustable-lcs"


@dataclass(frozen=True, slots=True)
class EditCurve:
    """Corners of the cumulative edits of a suspect against a source, and the largest slope of its regions.

    ``positions`` int64: code points of the suspect, ascending, from 0 to its length; ``edits`` int64, of equal length.
    An insertion is a vertical step: the same position twice.
    """

    positions: NDArray[np.int64]
    edits: NDArray[np.int64]
    slope: float


def sets(session: Session, run_id: int) -> list[tuple[int, ...]]:
    """Near-duplicate sets (keys) of a run, the largest first; each begins with its leading document.

    Formed by the pairs whose relation is ``near-duplicate``; see
    ``workbench.services.review.near_duplicates``.
    """
    pairs: list[tuple[int, int]] = []
    with session.read() as connection:
        for page in pair_pages(connection, run_id):
            pairs.extend((pair.a, pair.b) for pair in page if pair.relation == NEAR_DUPLICATE)
    return sorted(near_duplicate_sets(pairs), key=lambda keys: (-len(keys), keys[0]))


def regions(session: Session, run_id: int, a: int, b: int) -> list[Region]:
    """Trustable regions of a pair (keys) in a run, in the order in which they were found."""
    with session.read() as connection:
        return regions_of(connection, run_id, a=a, b=b)


def edit_curve(session: Session, run_id: int, a: int, b: int) -> EditCurve:
    """The curve of a pair (keys) under the parameters of a run of ``trustable-lcs``.

    Recomputed, in milliseconds for pages of usual length; do not call it in the window's thread. Raises UserError for a
    run of another method, and if the documents differ over too long a stretch.
    """
    from workbench.kernels.edit_script import TooDifferent
    from workbench.methods.trustable_lcs.pair import edit_curve as curve
    from workbench.methods.trustable_lcs.parameters import TrustableParameters

    with session.read() as connection:
        run = load_run(connection, run_id)
        left, right = load_document(connection, a), load_document(connection, b)
    if run.method != _METHOD:
        raise UserError(
            Message(
                "Run {id} has no curve: its method is {method}, not {other}.",
                id=run_id,
                method=run.method,
                other=_METHOD,
            )
        )
    parameters = cast("TrustableParameters", registry.get(_METHOD).parameters.parse(run.parameters))
    try:
        positions, edits = curve(left.text, right.text, parameters)
    except TooDifferent as error:
        raise UserError(
            Message(
                "There is no curve: the documents differ over more than {limit} characters.",
                limit=f"{parameters.max_stretch:,}",
            )
        ) from error
    return EditCurve(positions, edits, parameters.slope)
