"""Sheets: figures and tables of the papers drawn from a project's data and stored with all inputs."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from workbench.base.messages import pack, unpack
from workbench.evaluation.figures import Axis, Figure, PageView, Series, Table
from workbench.jobs.context import Context
from workbench.project import measuring as stored
from workbench.project.documents import corpus_hash
from workbench.project.measuring import StoredSheet
from workbench.services.listing import all_runs
from workbench.services.measuring.figure_request import FigureRequest, finished_runs
from workbench.services.measuring.figures import KINDS, kind_of, make_figure
from workbench.services.measuring.label_selection import Question
from workbench.services.review.visible import visible
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class SheetSources:
    """The sources of a sheet: hashes of all documents and of the label log, and the existing runs (method and
    parameters by number).
    """

    documents: str
    labels: str
    runs: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A stored figure or table. ``fresh``: documents and labels have not changed since."""

    id: int
    name: str
    figure: str
    request: FigureRequest
    drawn: Figure | Table
    ground: SheetSources
    when: str
    fresh: bool


def draw_sheet(ctx: Context, path: Path, name: str, figure: str, request: FigureRequest) -> int:
    """Draw ``figure`` as a job and store it; returns the sheet's number. Raises like :func:`figures.make_figure`."""
    kind_of(figure)
    with Session(path, write=False) as session, session.read() as connection:
        # What changes during the drawing, which may take minutes, outdates the sheet.
        ground = SheetSources(corpus_hash(connection), stored.last_label_hash(connection), {})
    content = make_figure(ctx, path, figure, request)
    with Session(path) as session:
        chosen = {run.id for run in finished_runs(session).values()} | set(request.runs)
        runs = {
            str(run.id): {"method": run.method, "parameters": dict(run.parameters)}
            for run in all_runs(session)
            if run.id in chosen
        }
        with session.write() as connection:
            drawn = {"ground": asdict(replace(ground, runs=runs)), **_to_json(content)}
            number = stored.add_sheet(connection, name, figure, _request_json(request), drawn)
    ctx.changed("measures")
    return number


def read_sheets(session: Session) -> list[Sheet]:
    """All sheets, oldest first; those that are damaged or written by a newer version are counted as left out."""
    with session.read() as connection:
        documents, labels = corpus_hash(connection), stored.last_label_hash(connection)
        sheets = {row.id: _sheet(row, documents, labels) for row in stored.sheets(connection)}
        stored.note_unreadable(connection, [number for number, sheet in sheets.items() if sheet is None])
    return [sheet for sheet in sheets.values() if sheet is not None]


def set_removed(session: Session, sheet: int, *, removed: bool) -> None:
    """Remove a sheet, or restore it."""
    with session.write() as connection:
        stored.set_removed(connection, sheet, removed=removed)


def command_of(sheet: Sheet, project: Path) -> str:
    """The command that draws the sheet again."""
    request, question = sheet.request, sheet.request.question
    kind = KINDS[sheet.figure]
    words = [
        "palimpsest",
        "figure",
        str(project),
        sheet.figure,
        "--out",
        f"{sheet.figure}.{_suffix(kind.is_table)}",
    ]
    # A value from elsewhere that begins with a dash must not become an option, nor its control characters keys.
    named = (
        ("runs", map(str, request.runs)),
        ("labels", [question.labels]),
        ("positive", question.positive),
        ("score", [question.score]),
        ("values", request.values),
    )
    words += [f"--{option}={text}" for option, values in named if (text := ",".join(values))]
    words += ["--complete"] * question.complete
    return shlex.join(visible(word, keep="") for word in words)


def _suffix(is_table: bool) -> str:
    return "csv" if is_table else "svg"


def _request_json(request: FigureRequest) -> dict[str, Any]:
    return {"runs": list(request.runs), "values": list(request.values), "question": asdict(request.question)}


def _to_json(content: Figure | Table) -> dict[str, Any]:
    # Sentences are stored with their values: they are shown in the window's language at the time.
    kept = content.mapped(pack)
    return {"figure": asdict(kept)} if isinstance(kept, Figure) else {"table": asdict(kept)}


def _sheet(row: StoredSheet, documents: str, labels: str) -> Sheet | None:
    try:
        chosen, ground = row.request, row.drawn["ground"]
        question = chosen["question"]
        request = FigureRequest(
            tuple(int(run) for run in chosen["runs"]),
            Question(
                str(question["labels"]),
                tuple(map(str, question["positive"])),
                bool(question["complete"]),
                str(question["score"]),
            ),
            tuple(map(str, chosen["values"])),
        )
        drawn = _figure(row.drawn["figure"]) if "figure" in row.drawn else _table(row.drawn["table"])
        ground_of = SheetSources(str(ground["documents"]), str(ground["labels"]), dict(ground["runs"]))
    except (KeyError, TypeError, ValueError):
        return None
    if row.figure not in KINDS:
        return None
    fresh = (ground_of.documents, ground_of.labels) == (documents, labels)
    return Sheet(row.id, row.name, row.figure, request, drawn, ground_of, row.occurred, fresh)


def _figure(value: Mapping[str, Any]) -> Figure:
    figure = Figure(
        str(value["title"]),
        _axis(value["x"]),
        _axis(value["y"]),
        _series(value["series"]),
        tuple(map(str, value["notes"])),
        _series(value.get("reference", ())),
        tuple(PageView(str(page["title"]), str(page["png"])) for page in value.get("pages", ())),
    )
    return figure.mapped(unpack)


def _axis(value: Mapping[str, Any]) -> Axis:
    return Axis(str(value["title"]), bool(value["log"]), _number(value["low"]), _number(value["high"]))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _series(values: Sequence[Mapping[str, Any]]) -> tuple[Series, ...]:
    return tuple(
        Series(
            str(one["name"]),
            tuple(map(float, one["x"])),
            tuple(map(float, one["y"])),
            one["style"] if one["style"] in ("line", "points", "steps", "bars") else "line",
            tuple((float(low), float(high)) for low, high in one["band"]),
        )
        for one in values
    )


def _table(value: Mapping[str, Any]) -> Table:
    rows = tuple(
        tuple(cell if isinstance(cell, str | int | float) or cell is None else str(cell) for cell in row)
        for row in value["rows"]
    )
    reference = value.get("reference")
    table = Table(
        str(value["title"]),
        tuple(map(str, value["columns"])),
        rows,
        tuple(map(str, value["notes"])),
        None if reference is None else _table(reference),
    )
    return table.mapped(unpack)
