"""Findings as one file to hand over: HTML and PDF for people, CSV and JSONL for programs, ZIP as evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.jobs.context import Context
from workbench.services.reports.content import Content, opening, pair_content
from workbench.services.reports.gathering import Report, Selection, gather
from workbench.services.reports.html import html_pieces
from workbench.services.reports.pack import USUAL, Seal, Sheet, write_pack
from workbench.services.reports.pdf import print_pages
from workbench.services.reports.tables import write_csv, write_jsonl
from workbench.services.reports.words import ReportLanguage
from workbench.services.session import Session
from workbench.services.signing import public_key
from workbench.services.writing import atomic_write

PDF, PACK = ".pdf", ".zip"


@dataclass(frozen=True, slots=True)
class Written:
    """The content of a report: ``passages`` of ``matches``; on paper the rest is left out.

    ``fingerprint`` is of an evidence pack, ``signed`` whether the user's key signed it, ``names`` the file that says
    who is who in an anonymous report.
    """

    run: int
    pairs: int
    passages: int
    matches: int
    pairs_left_out: int = 0
    matches_left_out: int = 0
    fingerprint: str = ""
    names: Path | None = None
    signed: bool = False

    @property
    def has_findings(self) -> bool:
        """Whether there was anything to report."""
        return bool(self.pairs or self.pairs_left_out)


def export(
    session: Session,
    selection: Selection,
    path: Path,
    *,
    language: str = "en",
    watcher: Progress | None = None,
    seal: Seal = USUAL,
    pack: str = "",
) -> Written:
    """Write the chosen findings to ``path``; its suffix chooses the format. Replaces the file only when complete.

    ``language`` is that of the report (of :data:`workbench.services.reports.words.LANGUAGES`); ``seal`` is what
    proves more of an evidence pack; ``pack``: the fingerprint of the pack that a report goes with, which it names.

    Raises UserError for an unknown run, document or suffix, and where the file cannot be written; Cancelled.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UserError(Message("A report is written as {writers}.", writers=", ".join(SUFFIXES)), path=path)
    watcher = watcher or NullProgress()
    key = public_key() if seal.sign else ""
    report = replace(gather(watcher, session, selection, on_paper=suffix == PDF), pack=pack, key=key)
    words, fingerprint = ReportLanguage(language), ""
    with atomic_write(path, Message("The report")) as part:
        if suffix == PDF:
            _print(watcher, report, words, part)
        elif suffix == PACK:
            fingerprint = write_pack(watcher, session, report, part, _SHEETS, words, seal)
        else:
            encoding = "utf-8-sig" if suffix == ".csv" else "utf-8"
            with part.open("w", encoding=encoding, newline="") as file:
                _WRITERS[suffix](file, report, words)
    names = _write_names(report, path, fingerprint)
    return _written(report, fingerprint, names)


def picture_pages(
    session: Session, selection: Selection, folder: Path, dpi: int, language: str, watcher: Progress
) -> Written:
    """The pages of the report on paper as pictures in ``folder``, in the order of their names. Raises as export."""
    report = replace(gather(watcher, session, selection, on_paper=True), key=public_key())
    _print(watcher, report, ReportLanguage(language), folder, dpi)
    return _written(report)


def _print(watcher: Progress, report: Report, words: ReportLanguage, out: Path, dpi: int = 0) -> None:
    assert report.printed is not None
    content = {"opening": opening(report, words), "texts": words.texts, "printed": len(report.printed.matches)}
    print_pages(watcher, content, _pairs(report, words), out, dpi)


def _pairs(report: Report, words: ReportLanguage) -> Iterator[Content]:
    for pair in report.sections():
        yield pair_content(pair, report, words)


def _written(report: Report, fingerprint: str = "", names: Path | None = None) -> Written:
    whole = len(report.rows), sum(row.matches for row in report.rows)
    left = (report.printed.pairs_left_out, report.printed.matches_left_out) if report.printed else (0, 0)
    here = whole[0] - left[0], report.passages, whole[1] - left[1]
    return Written(report.run.id, *here, *left, fingerprint, names, bool(fingerprint and report.key))


def _write_names(report: Report, path: Path, fingerprint: str) -> Path | None:
    """Beside an anonymous report at ``path``, who is who in it."""
    if report.disguise is None:
        return None
    names = path.with_name(f"{path.name}.names.json")
    mapping = {"report": path.name, "fingerprint": fingerprint, **report.disguise.mapping()}
    with atomic_write(names, Message("The list of names")) as part:
        part.write_text(json.dumps(mapping, ensure_ascii=False, indent=1), encoding="utf-8", errors="surrogatepass")
    return names


def export_report(
    ctx: Context,
    project: Path,
    selection: Selection,
    path: Path,
    language: str = "en",
    *,
    seal: Seal = USUAL,
    pack: str = "",
) -> Written:
    """As :func:`export`, as a job over the project at ``project``."""
    ctx.advance(Message("Writing"), 0, None)
    with Session(project, write=False) as session:
        return export(session, selection, path, language=language, watcher=ctx, seal=seal, pack=pack)


def picture_report(
    ctx: Context, project: Path, selection: Selection, folder: Path, dpi: int, language: str = "en"
) -> Written:
    """As :func:`picture_pages`, as a job over the project at ``project``."""
    ctx.advance(Message("Writing"), 0, None)
    with Session(project, write=False) as session:
        return picture_pages(session, selection, folder, dpi, language, ctx)


def _write_html(file: TextIO, report: Report, words: ReportLanguage) -> None:
    for piece in html_pieces(opening(report, words), _pairs(report, words), words):
        report.watcher.check()
        file.write(piece)


_WRITERS: dict[str, Callable[[TextIO, Report, ReportLanguage], None]] = {
    ".html": _write_html,
    ".csv": write_csv,
    ".jsonl": write_jsonl,
}
SUFFIXES = (*_WRITERS, PDF, PACK)
"""The forms of a report."""
_SHEETS = (
    Sheet("report.html", "the report", _write_html),
    Sheet("report.csv", "the passages as a table", write_csv, "utf-8-sig"),
    Sheet("passages.jsonl", "the run, then a passage a line, with evidence and history", write_jsonl),
)
