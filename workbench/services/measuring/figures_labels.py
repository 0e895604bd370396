"""Tables of labels: how much annotators agree."""

from __future__ import annotations

from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.evaluation.agreement import Coefficient
from workbench.evaluation.figures import Cell, Table
from workbench.jobs.context import Context
from workbench.services.labels.labelling import compare_annotators
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.label_selection import choose
from workbench.services.session import Session


def by_annotators(_ctx: Context, path: Path, request: FigureRequest) -> Table:
    """Agreement over all annotators, of each two of them, and on each value, with 95 % intervals.

    Raises UserError where there are no labels, or fewer than two annotators of the same things.
    """
    with Session(path, write=False) as session:
        label_set = request.question.labels or choose(session, None, request.question).label_set
        compared = compare_annotators(session, label_set)
    measured = compared.agreement
    if measured is None:
        raise UserError(compared.problem)
    figures: list[tuple[str, Coefficient]] = [(Message("Krippendorff's alpha"), measured.alpha)]
    if measured.fleiss is not None:
        figures.append((Message("Fleiss' kappa, {raters} labels each", raters=measured.raters), measured.fleiss))
    figures += [
        (Message("Cohen's kappa, {one} and {other}", one=one, other=other), of)
        for (one, other), of in measured.cohen.items()
    ]
    figures += [(Message("specific agreement on {value}", value=value), of) for value, of in measured.values.items()]
    rows: list[tuple[Cell, ...]] = [
        (name, of.value, *(of.interval or (None, None)), of.documents) for name, of in figures
    ]
    labels = Message.joined(
        ", ", [Message("{who} {count}", who=who, count=f"{count:,}") for who, count in compared.annotators.items()]
    )
    notes = (
        Message("Labels of {set}: {labels}.", set=label_set, labels=labels),
        Message("Without a settled value: {count}.", count=f"{len(compared.unresolved):,}"),
    )
    columns = (Message("measure"), Message("value"), Message("from"), Message("to"), Message("entries"))
    return Table(Message("Agreement of annotators"), columns, tuple(rows), notes)
