"""Collects the contents of a report: the chosen findings of a run, read pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from workbench.base.messages import Message
from workbench.base.progress import Watcher
from workbench.base.settings import Settings
from workbench.base.types import Run
from workbench.project.documents import load_document
from workbench.services.listing import find_run, latest_run
from workbench.services.measuring.thresholds import UsedThreshold, used_thresholds
from workbench.services.reports.anonymous import Disguise, disguise_of
from workbench.services.reports.cases import Case, read_cases
from workbench.services.reports.data import ReportPair
from workbench.services.reports.findings import Findings, read_findings
from workbench.services.reports.pairs import PairReader
from workbench.services.reports.pdf import Printed, share_out, shortened
from workbench.services.review.pairs import PairRow, pairs
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class Selection:
    """What to report: a pair of ids, a suspect's id, or the whole run (the latest finished one when None).

    ``anonymous``: names of documents and reviewers are replaced. A passage that stands in more than
    ``common_from`` other documents of the project is called a common phrase.
    """

    run: int | None = None
    suspect: str | None = None
    pair: tuple[str, str] | None = None
    anonymous: bool = False
    common_from: int = Settings.common_from

    @property
    def kind(self) -> str:
        """pair, suspect or run."""
        return "pair" if self.pair else "suspect" if self.suspect else "run"


@dataclass(frozen=True, slots=True)
class Report:
    """A report before it is written: ``rows`` is the summary, ``sections`` makes the pairs of ``findings`` one by one.

    ``printed`` is what of it goes on paper, None for a file that holds all. ``cases`` are the suspects by key.
    ``thresholds`` are those the project works with for what the run's method scores. ``disguise`` is None where names
    stay.
    """

    run: Run
    selection: Selection
    project: str
    rows: list[PairRow]
    findings: Findings
    sections: Callable[[], Iterator[ReportPair]]
    watcher: Watcher
    printed: Printed | None
    cases: Mapping[int, Case]
    thresholds: tuple[UsedThreshold, ...] = ()
    disguise: Disguise | None = None

    @property
    def summary(self) -> list[PairRow]:
        """``rows`` under the names that the report gives."""
        return self.rows if self.disguise is None else [self.disguise.row(row) for row in self.rows]

    @property
    def passages(self) -> int:
        """How many passages the report is about, on paper those that are printed at least in part."""
        findings = self.findings
        if self.printed is None:
            return sum(map(findings.passages_in, self.rows))
        counts = zip(self.rows, self.printed.matches, strict=False)
        return sum(int(findings.passage[findings.place(row)][count - 1]) + 1 for row, count in counts if count)


def gather(watcher: Watcher, session: Session, selection: Selection, *, on_paper: bool = False) -> Report:
    """The findings of ``selection``. Raises UserError for an unknown run or document."""
    run = latest_run(session) if selection.run is None else find_run(session, selection.run)
    a_id, b_id = selection.pair or (selection.suspect, None)
    with session.read() as connection:
        a = None if a_id is None else load_document(connection, a_id).key
        b = None if b_id is None else load_document(connection, b_id).key
    chosen = pairs(session, run.id, a, b)
    disguise = disguise_of(session, chosen) if selection.anonymous else None
    if disguise is not None:
        run = replace(run, message="")
    with session.read() as connection:
        findings = read_findings(watcher, connection, run.id, chosen, selection.common_from)
    printed = share_out([row.matches for row in chosen]) if on_paper else None

    def sections() -> Iterator[ReportPair]:
        shown = chosen if printed is None else chosen[: len(printed.matches)]
        reader = PairReader(session, findings, watcher, disguise)
        for number, row in enumerate(shown):
            watcher.advance(Message("Writing"), number, len(shown))
            if printed is None:
                yield reader.read(number + 1, row)
            else:
                yield shortened(reader.read(number + 1, row, printed.matches[number]))

    project = session.path.name if disguise is None else disguise.project
    cases = read_cases(session, run, chosen, disguise)
    thresholds = tuple(
        used if disguise is None else replace(used, who="")
        for used in used_thresholds(session)
        if used.method == run.method
    )
    return Report(run, selection, project, chosen, findings, sections, watcher, printed, cases, thresholds, disguise)
