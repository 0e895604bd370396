"""The report of a day (or some days) of watching, as HTML for people and JSON Lines for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from markupsafe import Markup

from workbench.base.errors import UserError
from workbench.base.resources import resource
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.project.listing import DocumentItem
from workbench.project.watches import Reported
from workbench.services.report_html import environment
from workbench.services.report_strings import strings
from workbench.services.session import Session
from workbench.services.watching.analysis import Analysis, Copy, analyse
from workbench.services.writing import whole_file

Translate = Callable[[str], str]
_BUFFER = 64


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A copy with both passages as they stand."""

    day: str
    watch: str
    match: Reported
    page: DocumentItem
    source: DocumentItem
    a_text: str
    b_text: str


def write_report(
    session: Session,
    path: Path,
    *,
    watch: str = "",
    since: str = "",
    until: str = "",
    translate: Translate | None = None,
) -> int:
    """Write what was reported (see :func:`analyse`) to ``path`` (.html or .jsonl); the number of matches.

    Raises UserError for another suffix and where the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in (".html", ".jsonl"):
        raise UserError("A report of watching is written as .html or .jsonl.", path=path)
    found = analyse(session, watch=watch, since=since, until=until)
    with whole_file(path, "The report") as part, part.open("w", encoding="utf-8", newline="") as file:
        if suffix == ".html":
            _write_html(file, session, found, translate)
        else:
            for copy in found.copies:
                file.write(json.dumps(record(session, copy), ensure_ascii=False) + "\n")
    return len(found.copies)


def write_report_job(
    ctx: Context, project: Path, path: Path, watch: str, since: str, words: Mapping[str, str] | None = None
) -> int:
    """As :func:`write_report`, as a job over the project at ``project``; ``words`` translates its sentences."""
    ctx.advance("Writing", 0, None)
    translate = (lambda text: words.get(text, text)) if words else None
    with Session(project, write=False) as session:
        return write_report(session, path, watch=watch, since=since, translate=translate)


def record(session: Session, copy: Copy) -> dict[str, object]:
    """A reported match as one flat JSON object, with both passages."""
    match, quoted = copy.match, _quoted(session, copy)
    return {
        "day": copy.day,
        "watch": copy.watch,
        "page": match.page,
        "a": {"id": copy.page.id, "start": match.a_start, "end": match.a_end},
        "b": {"id": copy.source.id, "start": match.b_start, "end": match.b_end},
        "score": match.score,
        "tier": match.tier,
        "delay_days": copy.delay,
        "a_text": quoted.a_text,
        "b_text": quoted.b_text,
    }


def _quoted(session: Session, copy: Copy) -> _Quoted:
    match = copy.match
    with session.read() as connection:
        a, b = load_document(connection, match.a).text, load_document(connection, match.b).text
    a_text, b_text = a[match.a_start : match.a_end], b[match.b_start : match.b_end]
    return _Quoted(copy.day, copy.watch, match, copy.page, copy.source, a_text, b_text)


def _write_html(file: TextIO, session: Session, found: Analysis, translate: Translate | None) -> None:
    days = [tally.name for tally in found.by_day]
    period = "–" if not days else days[0] if len(days) == 1 else f"{days[-1]} – {days[0]}"
    texts = strings(translate)
    stream = (
        environment()
        .get_template("watch.html.j2")
        .stream(
            t=texts,
            language=texts["code"],
            style=Markup(resource("report", "report.css").read_text(encoding="utf-8")),
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            project=session.path.name,
            period=period,
            known=sum(tally.known for tally in found.by_day),
            copies=_Sized(session, found.copies),
            by_source=found.by_source,
            by_site=found.by_site,
        )
    )
    stream.enable_buffering(_BUFFER)
    file.writelines(stream)


class _Sized:
    """Copies quoted one at a time as the template comes to them."""

    def __init__(self, session: Session, copies: tuple[Copy, ...]) -> None:
        self._session, self._copies = session, copies

    def __len__(self) -> int:
        return len(self._copies)

    def __iter__(self) -> Iterator[_Quoted]:
        return (_quoted(self._session, copy) for copy in self._copies)
