"""How far the annotators of a label set agree: overall, by value, by pair, and over time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from workbench.base.types import Label
from workbench.evaluation.intervals import Interval, proportion_interval
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.services.labels.annotators import is_adjudicator
from workbench.services.labels.labelling import Compared, compare_annotators
from workbench.services.session import Session

_BLOCKS = 12
_LEAST = 10
"""Entries of a block, at least."""


@dataclass(frozen=True, slots=True)
class Block:
    """``entries`` that got their second label between ``since`` and ``until`` (ISO 8601), one after the other.

    ``agreed``: share on which all their annotators agree now, with its exact 95 % interval.
    """

    since: str
    until: str
    entries: int
    agreed: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement with what is not resolved, and blocks in order of time."""

    compared: Compared
    blocks: tuple[Block, ...]


def agreement_report(ctx: Context, project_path: Path, label_set: str) -> AgreementReport:
    """The agreement of a label set; run in a separate process. Raises UserError where the set has no labels."""
    ctx.check()
    with Session(project_path, write=False) as session:
        compared = compare_annotators(session, label_set)
        with session.read() as connection:
            by_target = labels.by_annotator(connection, label_set)
    return AgreementReport(compared, over_time([list(by.values()) for by in by_target.values()]))


def over_time(entries: list[list[Label]]) -> tuple[Block, ...]:
    """Blocks of equal size from the labels of each entry, adjudicators left out; the last ones are the latest."""
    complete = []
    for votes in entries:
        own = sorted((label for label in votes if not is_adjudicator(label.who)), key=lambda label: label.when)
        if len(own) >= 2:
            complete.append((own[1].when, len({label.value for label in own}) == 1))
    complete.sort()
    if not complete:
        return ()
    count = max(1, min(_BLOCKS, len(complete) // _LEAST))
    edges = [round(at * len(complete) / count) for at in range(count + 1)]
    blocks = []
    for start, end in pairwise(edges):
        part = complete[start:end]
        agreed = sum(same for _, same in part)
        interval = proportion_interval(agreed, len(part))
        blocks.append(Block(part[0][0], part[-1][0], len(part), agreed / len(part), interval))
    return tuple(blocks)
