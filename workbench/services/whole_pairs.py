"""Runs that compare whole documents: pairs without passages, and what reviewers say of a pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from workbench.base.types import Label, Matches, Run
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.listing import DocumentItem
from workbench.project.pairs import Pair
from workbench.services.label_sets import PAIR_LABELS, VALUES
from workbench.services.reviewing import SuspectRow
from workbench.services.session import Session
from workbench.services.targets import pair_target
from workbench.services.verdicts import reviewer

PAIR_VALUES = VALUES[PAIR_LABELS]


def is_whole(run: Run) -> bool:
    """Whether the run has pairs, but no passages in them."""
    return run.pairs > 0 and run.matches == 0


def as_matches(pairs: Sequence[Pair], items: Mapping[int, DocumentItem]) -> Matches:
    """Each pair as one match over both whole texts; ``score`` is the pair's.

    Evidence: ``resemblance`` and ``containment`` (share of ``a`` in ``b``), NaN where the method has none.
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


def suspects_of_pairs(
    pairs: Iterable[Pair], items: Mapping[int, DocumentItem], verdicts: Mapping[tuple[int, int], str]
) -> list[SuspectRow]:
    """The first documents of the pairs, best pair first; ``coverage`` is the greatest containment (0 if unknown).

    ``matches`` and ``sources`` count pairs; ``verdicts`` (by pair of keys) are counted as they are.
    """
    by_suspect: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_suspect.setdefault(pair.a, []).append(pair)
    found = []
    for key, own in by_suspect.items():
        item = items[key]
        given = [verdicts[key, p.b] for p in own if (key, p.b) in verdicts]
        found.append(
            SuspectRow(
                key,
                item.id,
                item.title,
                item.language,
                item.length,
                item.published,
                max(p.score for p in own),
                max((p.containment or 0.0) for p in own),
                0,
                len(own),
                len(own),
                {value: given.count(value) for value in set(given)},
            )
        )
    return sorted(found, key=lambda r: (-r.score, r.key))


def verdicts_of_pairs(
    connection: Connection, pairs: Iterable[tuple[int, int]], ids: Mapping[int, str]
) -> dict[tuple[int, int], str]:
    """The label of each of ``pairs`` (keys) that has one in the set of pair labels."""
    current = labels.current_values(connection, PAIR_LABELS)
    if not current:
        return {}
    named = (((a, b), current.get(pair_target(ids[a], ids[b]))) for a, b in pairs)
    return {pair: value for pair, value in named if value}


def pair_history(session: Session, a: str, b: str) -> list[Label]:
    """Every label event on the pair of documents ``a`` and ``b`` (ids), oldest first."""
    with session.read() as connection:
        return labels.history(connection, pair_target(a, b), PAIR_LABELS)


def set_pair_verdict(session: Session, a: str, b: str, value: str, note: str = "", who: str = "") -> Label:
    """Append what a reviewer says of a pair (ids); "" withdraws. Raises ValueError outside PAIR_VALUES."""
    if value and value not in PAIR_VALUES:
        raise ValueError(f"{value!r} is no label of a pair.")
    event = Label(pair_target(a, b), value, who or reviewer(), "", note, label_set=PAIR_LABELS)
    with session.write() as connection:
        return labels.add_label(connection, event)
