"""The reference passages of a corpus as labels: passages, and pairs of documents with or without any."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.messages import Message
from workbench.base.types import Label, Span
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.imports import add_failures
from workbench.project.listing import document_table
from workbench.reading.formats import Failure, Reference
from workbench.services.labels.annotators import IMPORTED
from workbench.services.labels.sets import REFERENCE, REFERENCE_PAIRS, VALUES
from workbench.services.labels.targets import pair_target, passage_target

_COPY, _NOT = VALUES[REFERENCE_PAIRS]


def add_references(connection: Connection, batch_id: int, references: Sequence[Reference]) -> tuple[Failure, ...]:
    """Label the passages of ``references``, and the pairs that have some or none, unless they are labelled so.

    References that cannot be labels are returned and recorded: a document that the project does not have, a passage
    that does not lie in its documents.
    """
    if not references:
        return ()
    table = document_table(connection)
    lengths = dict(zip(table.id, table.length.tolist(), strict=True))
    failed: list[Failure] = []
    passages: dict[str, str] = {}
    pairs: dict[str, str] = {}
    for reference in references:
        problem = _problem(reference, lengths)
        if problem:
            failed.append(Failure(reference.path, problem))
        elif reference.a_span is not None and reference.b_span is not None:
            passages[passage_target(reference.a, reference.a_span, reference.b, reference.b_span)] = _COPY
        elif reference.passages is not None:
            target = pair_target(reference.a, reference.b)
            pairs[target] = _COPY if reference.passages else pairs.get(target, _NOT)
    fresh = [
        Label(target, value, IMPORTED, "", label_set=name)
        for name, wanted in ((REFERENCE, passages), (REFERENCE_PAIRS, pairs))
        for known in (labels.latest_values(connection, name),)
        for target, value in wanted.items()
        if known.get(target) != value
    ]
    labels.add_labels(connection, fresh)
    add_failures(connection, batch_id, [(f.path, f.error) for f in failed])
    return tuple(failed)


def _problem(reference: Reference, lengths: dict[str, int]) -> str:
    sides: tuple[tuple[str, Span | None], ...] = ((reference.a, reference.a_span), (reference.b, reference.b_span))
    for identity, span in sides:
        if identity not in lengths:
            return Message("There is no document {identity} in this project.", identity=identity)
        if span is not None and span.end > lengths[identity]:
            return Message(
                "The passage {start} to {end} is not within {identity}, which has {lengths} characters.",
                start=f"{span.start:,}",
                end=f"{span.end:,}",
                identity=identity,
                lengths=f"{lengths[identity]:,}",
            )
    return ""
