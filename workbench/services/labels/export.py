"""Export of labels to files that this program reads back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.spreadsheet import write_csv
from workbench.base.types import Label
from workbench.jobs.context import Context
from workbench.project import labels
from workbench.project.amendments import MERGED
from workbench.project.listing import current_ids
from workbench.services.labels.sets import unknown_set
from workbench.services.labels.settling import LabelledTexts, settle_labels
from workbench.services.labels.targets import ADJUDICATOR, is_adjudicator, parse_document, parse_pair, parse_passage
from workbench.services.session import Session
from workbench.services.writing import atomic_write, refuse_imported

_COLUMNS = (
    *("set", "id", "a", "a_start", "a_end", "b", "b_start", "b_end"),
    *("label", "annotator", "time", "note", "old", "written", "how", "other_text", "digest"),
)


def export_rows(
    session: Session, label_set: str | None = None, *, history: bool = False, adjudicated: bool = False
) -> Iterator[dict[str, Any]]:
    """Labels as rows that :func:`import_labels` reads: each annotator's current one, of one set or of all.

    With ``history`` every event of the log but records of imports and merges, with the value before it, and the value
    as ``written`` if it was renamed since; with ``adjudicated`` one row per target, with the settled value and how it
    was settled. ``other_text``: the label was given for another text of the document than the present one. Raises
    UserError for a set without labels.
    """
    with session.read() as connection:
        sets = labels.label_sets(connection)
        if label_set is not None and label_set not in sets:
            raise unknown_set(label_set, sets)
        known, texts = current_ids(connection), LabelledTexts(connection, label_set)
        if history:
            written = labels.events(connection, label_set, as_written=True)
            for event, original in zip(labels.events(connection, label_set), written, strict=True):
                renamed = {"written": original.value} if original.value != event.value else {}
                if event.label_set != MERGED:  # These concern this log only.
                    yield _row(event, known, texts) | {"old": event.old} | renamed
            return
        for name in [label_set] if label_set else sets:
            for votes in labels.by_annotator(connection, name).values():
                if adjudicated:
                    yield _settled_row(texts.counted(votes), known, texts)
                else:
                    yield from (_row(label, known, texts) for label in votes.values())


def _settled_row(votes: Mapping[str, Label], known: frozenset[str], texts: LabelledTexts) -> dict[str, Any]:
    """The row of a target with these labels: the last adjudicator's own one, otherwise what annotators agree on."""
    state = settle_labels(votes, texts)
    own = [label for who, label in votes.items() if is_adjudicator(who)]
    last = [*votes.values()][-1]
    agreed = replace(last, value=state.value, who=ADJUDICATOR, note="", digest=texts.digest(last))
    return _row(own[-1] if own else agreed, known, texts) | {"how": state.how}


def _row(label: Label, known: frozenset[str], texts: LabelledTexts) -> dict[str, Any]:
    what: dict[str, Any]
    if (identity := parse_document(label.target)) is not None:
        what = {"id": identity}
    elif (pair := parse_pair(label.target)) is not None:
        what = {"a": pair[0], "b": pair[1]}
    elif (passage := parse_passage(label.target, known)) is not None:
        a, a_span, b, b_span = passage
        what = {"a": a, "a_start": a_span.start, "a_end": a_span.end}
        what |= {"b": b, "b_start": b_span.start, "b_end": b_span.end}
    else:
        what = {"target": label.target}
    row = {"set": label.label_set, **what, "label": label.value, "annotator": label.who, "time": label.when}
    rest = {"note": label.note, "other_text": texts.is_of_other(label), "digest": texts.digest(label)}
    return row | {name: value for name, value in rest.items() if value}


def write_labels(ctx: Context, project: Path, label_set: str, path: Path) -> int:
    """Write the labels of a set to ``path`` (a job) with :func:`write_rows`; returns their number. Raises UserError."""
    ctx.advance(Message("Writing"), 0, None)
    with Session(project, write=False) as session:
        refuse_file(session, path)
        return write_rows(export_rows(session, label_set), path)


def refuse_file(session: Session, path: Path) -> None:
    """Raise UserError if labels at ``path`` would replace a file that was imported."""
    with session.read() as connection:
        refuse_imported(connection, path, Message("The labels"))


def write_rows(rows: Iterator[dict[str, Any]], path: Path) -> int:
    """Write exported rows to ``path`` (.jsonl, .csv), all or none; returns their number. Raises UserError."""
    writer = {".jsonl": _write_jsonl, ".csv": _write_csv}.get(path.suffix.lower())
    if writer is None:
        raise UserError(Message("Labels can be written as .jsonl or .csv."), path=path)
    with atomic_write(path, Message("The labels")) as part, part.open("w", encoding="utf-8", newline="") as file:
        count = writer(file, rows)
    return count


def _write_jsonl(file: TextIO, rows: Iterator[dict[str, Any]]) -> int:
    written = 0
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
        written += 1
    return written


def _write_csv(file: TextIO, rows: Iterator[dict[str, Any]]) -> int:
    return write_csv(file, [*_COLUMNS, "target"], rows)
