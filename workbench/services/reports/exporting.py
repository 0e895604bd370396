"""Findings as one file to hand over: HTML and PDF for people, CSV and JSONL for programs, ZIP as evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Unwatched, Watcher
from workbench.jobs.context import Context
from workbench.services.reports.gathering import Report, Selection, gather
from workbench.services.reports.html import write_html
from workbench.services.reports.pack import Sheet, write_pack
from workbench.services.reports.pdf import print_page
from workbench.services.reports.tables import write_csv, write_jsonl
from workbench.services.session import Session
from workbench.services.writing import whole_file

Translate = Callable[[str], str]

_ON_PAPER = "report_print.html.j2"
PACK = ".zip"


@dataclass(frozen=True, slots=True)
class Written:
    """What a report holds; on paper the rest is left out.

    ``fingerprint`` is of an evidence pack, ``names`` the file that says who is who in an anonymous report.
    """

    run: int
    pairs: int
    passages: int
    pairs_left_out: int = 0
    passages_left_out: int = 0
    fingerprint: str = ""
    names: Path | None = None


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
    if suffix not in _WRITERS and suffix != PACK and not (suffix == ".pdf" and printer):
        writers = ", ".join([*_WRITERS, ".pdf", PACK])
        raise UserError(Message("A report is written as {writers}.", writers=writers), path=path)
    watcher = watcher or Unwatched()
    report = gather(watcher, session, selection, on_paper=suffix == ".pdf")
    fingerprint = ""
    with whole_file(path, Message("The report")) as part:
        if suffix == ".pdf":
            print_page(watcher, lambda file: _write_html(file, report, translate, _ON_PAPER), part, printer)
        elif suffix == PACK:
            fingerprint = write_pack(watcher, session, report, part, _SHEETS, translate)
        else:
            encoding = "utf-8-sig" if suffix == ".csv" else "utf-8"
            with part.open("w", encoding=encoding, newline="") as file:
                _WRITERS[suffix](file, report, translate)
    names = _write_names(report, path, fingerprint)
    whole = len(report.rows), sum(row.matches for row in report.rows)
    left = (report.printed.pairs_left_out, report.printed.passages_left_out) if report.printed else (0, 0)
    return Written(report.run.id, whole[0] - left[0], whole[1] - left[1], *left, fingerprint, names)


def _write_names(report: Report, path: Path, fingerprint: str) -> Path | None:
    """Beside an anonymous report at ``path``, who is who in it."""
    if report.disguise is None:
        return None
    names = path.with_name(f"{path.name}.names.json")
    mapping = {"report": path.name, "fingerprint": fingerprint, **report.disguise.mapping()}
    with whole_file(names, Message("The list of names")) as part:
        part.write_text(json.dumps(mapping, ensure_ascii=False, indent=1), encoding="utf-8", errors="surrogatepass")
    return names


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


def _write_html(file: TextIO, report: Report, translate: Translate | None, template: str = "report.html.j2") -> None:
    write_html(
        file,
        template=template,
        run=report.run,
        kind=report.selection.kind,
        project=report.project,
        rows=report.summary,
        sections=report.sections(),
        printed=report.printed,
        translate=translate,
    )


_WRITERS: dict[str, Callable[[TextIO, Report, Translate | None], None]] = {
    ".html": _write_html,
    ".csv": write_csv,
    ".jsonl": write_jsonl,
}
_SHEETS = (
    Sheet("report.html", "the report", _write_html),
    Sheet("report.csv", "the passages as a table", write_csv, "utf-8-sig"),
    Sheet("passages.jsonl", "the run, then a passage a line, with evidence and history", write_jsonl),
)
