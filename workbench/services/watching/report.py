"""The report of one or more days of watching, as HTML for people and JSON Lines for programs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TextIO

from markupsafe import Markup

from workbench.base.errors import UserError
from workbench.base.messages import Message, percent
from workbench.base.resources import resource
from workbench.base.types import Span
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.project.watches import Reported
from workbench.services.reports.html import environment
from workbench.services.reports.strings import ReportLanguage, strings
from workbench.services.review.judgement import Reviewer
from workbench.services.session import Session
from workbench.services.watching.analysis import Analysis, Copy, analyse
from workbench.services.watching.findings import Finding, findings
from workbench.services.writing import atomic_write, refuse_imported

Translate = Callable[[str], str]
_BUFFER = 64
_COPIES = 500
_CHARACTERS = 4_000_000
"""Number of copies, and of characters of their passages, in memory at once."""


@dataclass(frozen=True, slots=True)
class _Quoted(Copy):
    """A copy with the text of both passages, and all data on its page and original; ``leads``: first of its group."""

    a_text: str
    b_text: str
    finding: Finding
    leads: bool


def write_report(
    session: Session,
    path: Path,
    *,
    watch: str = "",
    since: str = "",
    until: str = "",
    translate: Translate | None = None,
) -> int:
    """Write the reported matches (see :func:`analyse`) to ``path`` (.html or .jsonl). Returns the number of matches.

    Raises UserError for any other suffix, or if the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in (".html", ".jsonl"):
        raise UserError(Message("A watch report can be written as .html or .jsonl."), path=path)
    with session.read() as connection:
        refuse_imported(connection, path, Message("The report"))
    analysis = analyse(session, watch=watch, since=since, until=until)
    with atomic_write(path, Message("The report")) as part, part.open("w", encoding="utf-8", newline="") as file:
        if suffix == ".html":
            _write_html(file, session, analysis, translate)
        else:
            for record in records(session, analysis.copies):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return len(analysis.copies)


def write_report_job(
    ctx: Context,
    project: Path,
    path: Path,
    watch: str,
    since: str,
    words: Mapping[str, str] | None = None,
    viewer: Reviewer | None = None,
) -> int:
    """Like :func:`write_report`, as a job over the project at ``project``, with the verdicts that ``viewer`` may see;
    ``words`` translates its sentences.
    """
    ctx.advance(Message("Writing"), 0, None)
    translate = (lambda text: words.get(text, text)) if words else None
    with Session(project, write=False, viewer=viewer) as session:
        return write_report(session, path, watch=watch, since=since, translate=translate)


def records(session: Session, copies: Sequence[Copy]) -> Iterator[dict[str, object]]:
    """Reported matches as flat JSON objects, with both passages and the data of the page and its original."""
    for quoted in _quoted(session, copies):
        match, finding = quoted.match, quoted.finding
        yield {
            "day": quoted.day,
            "watch": quoted.watch,
            "page": match.page,
            "a": {"id": quoted.page.id, "start": match.a_start, "end": match.a_end},
            "b": {"id": quoted.source.id, "start": match.b_start, "end": match.b_end},
            "score": match.score,
            "tier": match.tier,
            "delay_days": quoted.delay,
            "relation": finding.relation.value,
            "share": round(finding.share, 4),
            **finding.direction.record,
            **finding.standing.record(),
            "verdict": ", ".join(finding.verdicts),
            "a_text": quoted.a_text,
            "b_text": quoted.b_text,
        }


def _quoted(session: Session, copies: Sequence[Copy]) -> Iterator[_Quoted]:
    """``copies`` with their passages, in batches, reading each document once per batch."""
    by_pair = {(f.page, f.source.key): f for f in findings(session, copies)}
    last: Finding | None = None
    for batch in _batches(copies):
        spans_of: defaultdict[int, set[Span]] = defaultdict(set)
        for copy in batch:
            spans_of[copy.match.a].add(_a_span(copy.match))
            spans_of[copy.match.b].add(_b_span(copy.match))
        quotes: dict[tuple[int, Span], str] = {}
        with session.read() as connection:
            for key, spans in spans_of.items():
                text = load_document(connection, key).text
                quotes.update(((key, span), text[span.start : span.end]) for span in spans)
        for copy in batch:
            match = copy.match
            a_text, b_text = quotes[match.a, _a_span(match)], quotes[match.b, _b_span(match)]
            finding = by_pair[match.page, match.b]
            whole = (copy.day, copy.watch, match, copy.page, copy.source, copy.delay, copy.run, a_text, b_text)
            yield _Quoted(*whole, finding, leads=finding is not last)
            last = finding


def _batches(copies: Sequence[Copy]) -> Iterator[list[Copy]]:
    batch: list[Copy] = []
    characters = 0
    for copy in copies:
        batch.append(copy)
        characters += 2 * copy.characters
        if len(batch) == _COPIES or characters >= _CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _a_span(match: Reported) -> Span:
    return Span(match.a_start, match.a_end)


def _b_span(match: Reported) -> Span:
    return Span(match.b_start, match.b_end)


def _write_html(file: TextIO, session: Session, analysis: Analysis, translate: Translate | None) -> None:
    days = [tally.name for tally in analysis.by_day]
    period = "–" if not days else days[0] if len(days) == 1 else f"{days[-1]} – {days[0]}"
    texts = strings(translate)
    stream = (
        environment()
        .get_template("watch.html.j2")
        .stream(
            t=texts,
            say=ReportLanguage(texts["code"]).say,
            percent=percent,
            language=texts["code"],
            style=Markup(resource("report", "report.css").read_text(encoding="utf-8")),
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            project=session.path.name,
            period=period,
            known=sum(tally.known for tally in analysis.by_day),
            copies=_Sized(session, analysis.copies),
            thresholds=[ReportLanguage(texts["code"]).say(sentence) for sentence in analysis.thresholds],
            gone=analysis.gone,
            failed=analysis.failed,
            by_source=analysis.by_source,
            by_site=analysis.by_site,
        )
    )
    stream.enable_buffering(_BUFFER)
    file.writelines(stream)


class _Sized:
    """Copies by page and original, the largest group first, quoted lazily as the template reaches them."""

    def __init__(self, session: Session, copies: tuple[Copy, ...]) -> None:
        grouped = findings(session, copies)
        longest = (sorted(f.copies, key=lambda copy: -copy.characters) for f in grouped)
        self._session, self._copies = session, tuple(chain.from_iterable(longest))

    def __len__(self) -> int:
        return len(self._copies)

    def __iter__(self) -> Iterator[_Quoted]:
        return _quoted(self._session, self._copies)
