"""Findings as one file to hand over: HTML and PDF for people, CSV and JSONL for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Unwatched, Watcher
from workbench.base.spreadsheet import write_csv
from workbench.base.types import Run
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.services.listing import find_run, latest_run
from workbench.services.reports.data import ReportPair
from workbench.services.reports.html import html_pieces
from workbench.services.reports.pairs import PairReader
from workbench.services.reports.pdf import Printed, print_page, share_out, shortened
from workbench.services.review.pairs import PairRow, pairs
from workbench.services.session import Session
from workbench.services.writing import whole_file

Translate = Callable[[str], str]

_ON_PAPER = "report_print.html.j2"


@dataclass(frozen=True, slots=True)
class Selection:
    """What to report: a pair of ids, a suspect's id, or the whole run (the latest finished one when None)."""

    run: int | None = None
    suspect: str | None = None
    pair: tuple[str, str] | None = None

    @property
    def kind(self) -> str:
        """pair, suspect or run."""
        return "pair" if self.pair else "suspect" if self.suspect else "run"


@dataclass(frozen=True, slots=True)
class Written:
    """What a report holds; on paper the rest is left out."""

    run: int
    pairs: int
    passages: int
    pairs_left_out: int = 0
    passages_left_out: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """A report before it is written: ``rows`` is the summary, ``sections`` makes the pairs one by one.

    ``printed`` is what of it goes on paper, None for a file that holds all.
    """

    run: Run
    selection: Selection
    project: str
    rows: list[PairRow]
    sections: Callable[[], Iterator[ReportPair]]
    watcher: Watcher
    printed: Printed | None


def export(
    session: Session,
    selection: Selection,
    path: Path,
    *,
    translate: Translate | None = None,
    printer: Sequence[str] = (),
    watcher: Watcher | None = None,
) -> Written:
    """Write the chosen findings to ``path``; its suffix chooses the format. Replaces the file only when complete.

    ``printer`` is a command that makes a PDF file (its last argument) of a page (the one before).

    Raises UserError for an unknown run, document or suffix, and where the file cannot be written; Cancelled.
    """
    suffix = path.suffix.lower()
    if suffix not in _WRITERS and not (suffix == ".pdf" and printer):
        raise UserError(Message("A report is written as {writers}.", writers=", ".join([*_WRITERS, ".pdf"])), path=path)
    watcher = watcher or Unwatched()
    report = _gather(watcher, session, selection, on_paper=suffix == ".pdf")
    with whole_file(path, Message("The report")) as part:
        if suffix == ".pdf":
            print_page(watcher, lambda file: _write_html(file, report, translate, _ON_PAPER), part, printer)
        else:
            encoding = "utf-8-sig" if suffix == ".csv" else "utf-8"
            with part.open("w", encoding=encoding, newline="") as file:
                _WRITERS[suffix](file, report, translate)
    whole = len(report.rows), sum(row.matches for row in report.rows)
    left = (report.printed.pairs_left_out, report.printed.passages_left_out) if report.printed else (0, 0)
    return Written(report.run.id, whole[0] - left[0], whole[1] - left[1], *left)


def export_report(
    ctx: Context,
    project: Path,
    selection: Selection,
    path: Path,
    words: Mapping[str, str] | None = None,
    printer: Sequence[str] = (),
) -> Written:
    """As :func:`export`, as a job over the project at ``project``; ``words`` translates the report's sentences."""
    ctx.advance(Message("Writing"), 0, None)
    translate = (lambda text: words.get(text, text)) if words else None
    with Session(project, write=False) as session:
        return export(session, selection, path, translate=translate, printer=printer, watcher=ctx)


def _gather(watcher: Watcher, session: Session, selection: Selection, *, on_paper: bool) -> Report:
    run = latest_run(session) if selection.run is None else find_run(session, selection.run)
    a_id, b_id = selection.pair or (selection.suspect, None)
    with session.read() as connection:
        a = None if a_id is None else load_document(connection, a_id).key
        b = None if b_id is None else load_document(connection, b_id).key
    chosen = pairs(session, run.id, a, b)
    printed = share_out([row.matches for row in chosen]) if on_paper else None

    def sections() -> Iterator[ReportPair]:
        shown = chosen if printed is None else chosen[: len(printed.passages)]
        reader = PairReader(session, run, shown, watcher)
        for number, row in enumerate(shown):
            watcher.advance(Message("Writing"), number, len(shown))
            if printed is None:
                yield reader.read(number + 1, row)
            else:
                yield shortened(reader.read(number + 1, row, printed.passages[number]))

    return Report(run, selection, session.path.name, chosen, sections, watcher, printed)


def _write_html(file: TextIO, report: Report, translate: Translate | None, template: str = "report.html.j2") -> None:
    pieces = html_pieces(
        template=template,
        run=report.run,
        kind=report.selection.kind,
        project=report.project,
        rows=report.rows,
        sections=report.sections(),
        printed=report.printed,
        translate=translate,
    )
    for piece in pieces:
        report.watcher.check()
        file.write(piece)


def _records(report: Report) -> Iterator[dict[str, Any]]:
    """One flat record a passage."""
    for section in report.sections():
        a, b = section.a, section.b
        for passage in section.passages:
            report.watcher.check()
            held = passage.held
            yield {
                "run": report.run.id,
                "method": report.run.method,
                "pair": section.number,
                "passage": passage.number,
                "a": a.document.id,
                "a_start": passage.a.span.start,
                "a_end": passage.a.span.end,
                "b": b.document.id,
                "b_start": passage.b.span.start,
                "b_end": passage.b.span.end,
                "characters": passage.characters,
                "tier": passage.tier,
                "score": passage.score,
                "verdict": "" if held is None else held.value,
                "reviewer": "" if held is None else held.label.who,
                "when": "" if held is None else held.label.when,
                "note": "" if held is None else held.label.note,
                "carried": held is not None and held.is_carried,
                "a_text": a.document.text[passage.a.span.start : passage.a.span.end],
                "b_text": b.document.text[passage.b.span.start : passage.b.span.end],
                "a_sha256": a.sha256,
                "b_sha256": b.sha256,
                "evidence": dict(passage.evidence),
                "history": [asdict(event) for event in passage.history],
            }


_CSV_COLUMNS = (
    *("run", "method", "pair", "passage"),
    *("a", "a_start", "a_end", "b", "b_start", "b_end"),
    *("characters", "tier", "score"),
    *("verdict", "reviewer", "when", "note", "carried"),
    *("a_text", "b_text", "a_sha256", "b_sha256"),
)


def _write_csv(file: TextIO, report: Report, _translate: Translate | None) -> None:
    """Rows of passages; a cell that a spreadsheet would run as a formula gets an apostrophe in front."""
    write_csv(file, _CSV_COLUMNS, _records(report))


def _write_jsonl(file: TextIO, report: Report, _translate: Translate | None) -> None:
    """The run with all its settings on the first line, then a passage a line."""
    run = asdict(report.run) | {"parameters": dict(report.run.parameters), "excluded": dict(report.run.excluded)}
    for record in ({"run": run}, *_records(report)):
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


_WRITERS: dict[str, Callable[[TextIO, Report, Translate | None], None]] = {
    ".html": _write_html,
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
}
