"""The passages of a report as tables for programs: CSV and JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any, TextIO

from workbench.base import spreadsheet
from workbench.base.places import figures, other_places
from workbench.services.reports.gathering import Report
from workbench.services.reports.words import ReportLanguage


def _records(report: Report) -> Iterator[dict[str, Any]]:
    """One flat record a match; those of a passage have its number."""
    for section in report.sections():
        a, b = section.a, section.b
        case = report.cases.get(a.document.key)
        for passage, match in ((p, m) for p in section.passages for m in p.parts):
            report.watcher.check()
            judgement, places = match.judgement, other_places(match.evidence)
            yield {
                "run": report.run.id,
                "method": report.run.method,
                "pair": section.number,
                "passage": passage.number,
                "part": match.number,
                "a": a.document.id,
                "a_start": match.a.span.start,
                "a_end": match.a.span.end,
                "a_gaps": match.a.gaps,
                "a_place": match.a.place,
                "b": b.document.id,
                "b_start": match.b.span.start,
                "b_end": match.b.span.end,
                "b_gaps": match.b.gaps,
                "b_place": match.b.place,
                "characters": match.characters,
                "tier": match.tier,
                "same_but_for_script": match.same_but_for_script,
                "score": match.score,
                "counts": match.characters if case is None else case.counting(section, match),
                "other_documents": match.others,
                "common_phrase": match.others > report.findings.common_from,
                "holders": list(match.holders),
                "verdict": "" if judgement is None else judgement.value,
                "reviewer": "" if judgement is None else judgement.label.who,
                "when": "" if judgement is None else judgement.label.when,
                "note": "" if judgement is None else judgement.label.note,
                "verdicts": [] if judgement is None else [asdict(label) for label in judgement.verdicts],
                "settled": None if judgement is None or judgement.settled is None else asdict(judgement.settled),
                "settled_by_party": judgement is not None and judgement.settled_by_party,
                "carried": judgement is not None and judgement.is_carried,
                "a_text": a.document.text[match.a.span.start : match.a.span.end],
                "b_text": b.document.text[match.b.span.start : match.b.span.end],
                "a_sha256": a.sha256,
                "b_sha256": b.sha256,
                "other_places": places[0],
                "other_place_starts": places[1],
                "evidence": figures(match.evidence),
                "history": [asdict(event) for event in match.history],
                "undone": match.undone,
                "notes_without_verdict": [asdict(label) for label in match.notes],
            }


_PLACES = ("a_place", "b_place")
_CSV_COLUMNS = (
    *("run", "method", "pair", "passage", "part"),
    *("a", "a_place", "a_start", "a_end", "a_gaps", "b", "b_place", "b_start", "b_end", "b_gaps"),
    *("characters", "tier", "score", "counts", "other_places"),
    *("other_documents", "common_phrase", "holders"),
    *("verdict", "reviewer", "when", "note", "settled_by_party", "carried", "verdicts", "notes_without_verdict"),
    *("a_text", "b_text", "a_sha256", "b_sha256"),
)


def write_csv(file: TextIO, report: Report, words: ReportLanguage) -> None:
    """Rows of matches, tiers in words; no cell is run as a formula by a spreadsheet."""
    rows = (
        record
        | {
            "tier": words.texts["same_but_for_script" if record["same_but_for_script"] else f"tier{record['tier']}"],
            **{side: words.say(record[side].words) for side in _PLACES},
            **{side: "; ".join(f"{start}-{end}" for start, end in record[side]) for side in ("a_gaps", "b_gaps")},
            "common_phrase": words.texts["yes"] if record["common_phrase"] else "",
            "holders": "; ".join(record["holders"]),
            "settled_by_party": words.texts["yes"] if record["settled_by_party"] else "",
            "verdicts": "; ".join(f"{label['who']}: {label['value']}" for label in record["verdicts"]),
            "notes_without_verdict": "; ".join(
                f"{label['who']}: {label['note']}" for label in record["notes_without_verdict"]
            ),
        }
        for record in _records(report)
    )
    spreadsheet.write_csv(file, _CSV_COLUMNS, rows)


def write_jsonl(file: TextIO, report: Report, _words: ReportLanguage) -> None:
    """The run with all its settings on the first line, then a match a line."""
    run = asdict(report.run) | {"parameters": dict(report.run.parameters), "excluded": dict(report.run.excluded)}
    thresholds = [asdict(used) for used in report.thresholds]
    matches = (record | {side: record[side].record for side in _PLACES} for record in _records(report))
    for record in chain(({"run": run, "thresholds": thresholds},), matches):
        file.write(json.dumps(record, ensure_ascii=False) + "\n")
