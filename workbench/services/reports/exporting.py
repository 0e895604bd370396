"""Findings as one file: HTML and PDF for people, CSV and JSONL for programs, ZIP as evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from workbench.base import spreadsheet
from workbench.base.errors import UserError
from workbench.base.evidence import RECOGNISED, figures, other_places
from workbench.base.messages import Message, percent
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import RunState
from workbench.jobs.context import Context
from workbench.project.runs import has_only_scores
from workbench.services.labels.targets import person
from workbench.services.reports.cited_pages import cited_pages
from workbench.services.reports.content import Content, opening, pair_content
from workbench.services.reports.data import tier_name
from workbench.services.reports.gathering import Report, Selection, gather
from workbench.services.reports.html import html_pieces
from workbench.services.reports.pack import USUAL, Seal, Sheet, write_pack
from workbench.services.reports.pdf import print_pages
from workbench.services.reports.strings import ReportLanguage
from workbench.services.review.judgement import Judgement
from workbench.services.session import Session
from workbench.services.signing import public_key
from workbench.services.writing import atomic_write, refuse_imported


def _records(report: Report) -> Iterator[dict[str, Any]]:
    """One flat record per match, with the number of its passage; one per pair that was compared as a whole."""
    for section in report.sections():
        a, b = section.a, section.b
        case = report.cases.get(a.document.key)
        pair = {
            "run": report.run.id,
            "method": report.run.method,
            "pair": section.number,
            "a": a.document.id,
            "b": b.document.id,
            "a_sha256": a.sha256,
            "b_sha256": b.sha256,
        }
        if (whole := section.whole) is not None:
            report.watcher.check()
            yield pair | {
                "passage": None,
                "score": whole.score,
                "resemblance": whole.figures.get("resemblance"),
                "containment": whole.figures.get("containment"),
                **_judged(whole.judgement),
            }
        for passage, match in ((p, m) for p in section.passages for m in p.parts):
            report.watcher.check()
            places = other_places(match.evidence)
            yield pair | {
                "passage": passage.number,
                "part": match.number,
                "a_start": match.a.span.start,
                "a_end": match.a.span.end,
                "a_gaps": match.a.gaps,
                "a_place": match.a.place,
                "b_start": match.b.span.start,
                "b_end": match.b.span.end,
                "b_gaps": match.b.gaps,
                "b_place": match.b.place,
                "characters": match.characters,
                "tier": match.tier,
                "same_but_for_script": match.same_but_for == "script",
                "same_but_for": match.same_but_for,
                "score": match.score,
                "counts": match.characters if case is None else case.counting(section, match),
                "other_documents": match.others,
                "common_phrase": match.others > report.findings.common_from,
                "holders": list(match.holders),
                "earlier_sources": [
                    {
                        "title": report.findings.titles[link.key],
                        "strength": link.evidence.strength,
                        "reason": link.evidence.reason,
                    }
                    for link in match.earlier
                ],
                **_judged(match.judgement),
                "a_text": a.document.text[match.a.span.start : match.a.span.end],
                "b_text": b.document.text[match.b.span.start : match.b.span.end],
                "other_places": places[0],
                "other_place_starts": places[1],
                "evidence": figures(match.evidence),
                "history": [asdict(event) for event in match.history],
                "undone": match.undone,
                "notes_without_verdict": [asdict(label) for label in match.notes],
            }


def _judged(judgement: Judgement | None) -> dict[str, Any]:
    """The fields of a record that have the judgement of a match or a pair."""
    return {
        "verdict": "" if judgement is None else judgement.value,
        "reviewer": "" if judgement is None else judgement.label.who,
        "when": "" if judgement is None else judgement.label.when,
        "note": "" if judgement is None else judgement.label.note,
        "verdicts": [] if judgement is None else [asdict(label) for label in judgement.verdicts],
        "settled": None if judgement is None or judgement.settled is None else asdict(judgement.settled),
        "settled_by_party": judgement is not None and judgement.settled_by_party,
        "carried": judgement is not None and judgement.is_carried,
    }


_PLACES = ("a_place", "b_place")
_CSV_COLUMNS = (
    *("run", "method", "pair", "passage", "part"),
    *("a", "a_place", "a_start", "a_end", "a_gaps", "b", "b_place", "b_start", "b_end", "b_gaps"),
    *("characters", "tier", "recognised", "score", "counts", "other_places"),
    *("other_documents", "common_phrase", "holders", "earlier_sources"),
    *("verdict", "reviewer", "when", "note", "settled_by_party", "carried", "verdicts", "notes_without_verdict"),
    *("a_text", "b_text", "a_sha256", "b_sha256", "resemblance", "containment"),
)


def write_csv(file: TextIO, report: Report, words: ReportLanguage) -> None:
    """Rows of matches and of pairs compared as a whole, in words; spreadsheets execute no cell as a formula."""
    spreadsheet.write_csv(file, _CSV_COLUMNS, (_in_words(record, words) for record in _records(report)))


def _in_words(record: dict[str, Any], words: ReportLanguage) -> dict[str, Any]:
    cells = record | {
        **{name: words.texts["yes"] if record[name] else "" for name in ("settled_by_party", "carried")},
        "reviewer": person(record["reviewer"]),
        "verdicts": "; ".join(_verdict_cell(label, record["note"]) for label in record["verdicts"]),
    }
    if record["passage"] is None:
        return cells
    return cells | {
        "tier": words.texts[tier_name(record["tier"], record["evidence"], record["same_but_for"])],
        "recognised": percent(read) if (read := record["evidence"].get(RECOGNISED, 0)) else "",
        **{side: words.say(record[side].words) for side in _PLACES},
        **{side: "; ".join(f"{start}-{end}" for start, end in record[side]) for side in ("a_gaps", "b_gaps")},
        "common_phrase": words.texts["yes"] if record["common_phrase"] else "",
        "holders": "; ".join(record["holders"]),
        "earlier_sources": " ← ".join(link["title"] for link in record["earlier_sources"]),
        "notes_without_verdict": "; ".join(
            f"{label['who']}: {label['note']}" for label in record["notes_without_verdict"]
        ),
    }


def _verdict_cell(label: dict[str, Any], listed: str) -> str:
    """A verdict with its reviewer, and with its note unless the row has it already (``listed``)."""
    note = f" ({label['note']})" if label["note"] not in ("", listed) else ""
    return f"{person(label['who'])}: {label['value']}{note}"


def write_jsonl(file: TextIO, report: Report, _words: ReportLanguage) -> None:
    """The run with all its settings on the first line, then one match, or pair compared as a whole, per line."""
    run = asdict(report.run) | {"parameters": dict(report.run.parameters), "excluded": dict(report.run.excluded)}
    thresholds = [asdict(used) for used in report.thresholds]
    records = (
        record | {side: record[side].record for side in _PLACES if side in record} for record in _records(report)
    )
    for record in chain(({"run": run, "thresholds": thresholds},), records):
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


PDF, PACK = ".pdf", ".zip"


@dataclass(frozen=True, slots=True)
class Written:
    """The content of a report: numbers of ``passages`` and ``matches``; on paper, of the printed part.

    ``fingerprint`` is the evidence pack's, ``signed`` whether the user's key signed it, ``names`` the file with the
    real names of an anonymous report. ``compared``: the run was applied to the chosen documents; ``only_scores``: it
    gave documents scores and has nothing that a report contains; ``state`` is the run's, ``examined`` the number of
    documents that it had examined.
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
    compared: bool = True
    only_scores: bool = False
    state: RunState = RunState.DONE
    examined: int = 0

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

    ``language`` is the report's (one of :data:`workbench.services.reports.strings.LANGUAGES`); ``seal`` adds proofs to
    an evidence pack; ``pack``: the fingerprint of the accompanying pack, which the report quotes.

    Raises UserError for an unknown run, document or suffix, and if the file cannot be written; Cancelled.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UserError(Message("A report can be written as {writers}.", writers=", ".join(SUFFIXES)), path=path)
    if selection.with_pages and selection.anonymous:
        raise UserError(Message("Pages show names: a report without names cannot have pictures of them."), path=path)
    with session.read() as connection:
        refuse_imported(connection, path, Message("The report"))
    watcher = watcher or NullProgress()
    # An anonymous report names its author's key only with a pack that it signed.
    of_pack = suffix == PACK or bool(pack)
    key = public_key() if seal.sign and (of_pack or not selection.anonymous) else ""
    with_pages = suffix == PACK or selection.with_pages
    report = replace(gather(watcher, session, selection, on_paper=suffix == PDF), pack=pack, key=key)
    words, fingerprint = ReportLanguage(language), ""
    with (
        cited_pages(session, with_pages and not selection.anonymous) as pages,
        atomic_write(path, Message("The report")) as part,
    ):
        report = replace(report, pages=pages)
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
    """Write the pages of the printed report as pictures into ``folder``, named in order. Raises like :func:`export`."""
    report = replace(gather(watcher, session, selection, on_paper=True), key=public_key())
    with cited_pages(session, selection.with_pages) as pages:
        _print(watcher, replace(report, pages=pages), ReportLanguage(language), folder, dpi)
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
    return Written(
        report.run.id,
        *here,
        *left,
        fingerprint,
        names,
        bool(fingerprint and report.key),
        report.compared,
        has_only_scores(report.run),
        report.run.state,
        report.run.documents,
    )


def _write_names(report: Report, path: Path, fingerprint: str) -> Path | None:
    """Write the key to the names beside an anonymous report at ``path``."""
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
    """Like :func:`export`, as a job over the project at ``project``."""
    ctx.advance(Message("Writing"), 0, None)
    with Session(project, write=False) as session:
        return export(session, selection, path, language=language, watcher=ctx, seal=seal, pack=pack)


def picture_report(
    ctx: Context, project: Path, selection: Selection, folder: Path, dpi: int, language: str = "en"
) -> Written:
    """Like :func:`picture_pages`, as a job over the project at ``project``."""
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
