"""Collects the contents of a report: the chosen findings of a run, read pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.settings import Settings
from workbench.base.types import Run
from workbench.project.documents import key_of
from workbench.project.pairs import pairs_of
from workbench.project.runs import is_whole
from workbench.services.choosing import choose, choose_either
from workbench.services.detecting.comparing import has_compared, has_read
from workbench.services.detecting.corpus import not_examined
from workbench.services.labels.sets import PAIR_LABELS
from workbench.services.labels.targets import pair_target
from workbench.services.measuring.thresholds import UsedThreshold, used_thresholds
from workbench.services.relations.directions import Directions
from workbench.services.reports.anonymous import Disguise, disguise_of
from workbench.services.reports.cases import Case, read_cases
from workbench.services.reports.cited_pages import CitedPages
from workbench.services.reports.data import ReportPair, WholePair
from workbench.services.reports.pair_reader import Findings, PairReader, read_findings
from workbench.services.reports.pdf import Printed, share_out, shortened
from workbench.services.review.either_side import pairs_of_suspect
from workbench.services.review.evidence import of_whole_pair
from workbench.services.review.judgement import Reviewer
from workbench.services.review.pairs import ANYBODY, PairRow, pairs
from workbench.services.review.sides import suspects_of
from workbench.services.session import Session


@dataclass(frozen=True, slots=True)
class Selection:
    """The subject of a report: a pair of ids, a suspect's id, or the whole run (the latest finished one if None).

    ``anonymous``: names of documents and reviewers are replaced. ``with_pages``: pictures of the cited pages accompany
    the passages, in HTML and PDF. A passage in more than ``common_from`` other documents of the project is a common
    phrase. The report contains the verdicts that ``viewer`` may see: everybody's by default.
    """

    run: int | None = None
    suspect: str | None = None
    pair: tuple[str, str] | None = None
    anonymous: bool = False
    common_from: int = Settings.common_from
    viewer: Reviewer = ANYBODY
    with_pages: bool = False

    @property
    def kind(self) -> str:
        """pair, suspect or run."""
        return "pair" if self.pair else "suspect" if self.suspect else "run"


@dataclass(frozen=True)
class Report:
    """A report before it is written: ``rows`` is the summary, ``sections`` yields the pairs of ``findings`` one by one.

    ``about`` are the chosen documents (ids), which the run ``compared`` or not; ``uncovered`` counts the documents of
    the project that it was not applied to. ``printed`` is the printed part, None for a complete file. ``cases`` are the
    suspects by key. ``thresholds`` are the project's for the run's method. ``disguise`` is None if real names are used.
    ``pack``: the fingerprint of the accompanying evidence pack, ``key`` the user's public key; empty if there is none.
    ``pages`` draws the cited pages, None if not wanted.
    """

    run: Run
    selection: Selection
    project: str
    rows: list[PairRow]
    findings: Findings
    sections: Callable[[], Iterator[ReportPair]]
    watcher: Progress
    printed: Printed | None
    cases: Mapping[int, Case]
    about: tuple[str, ...]
    compared: bool
    uncovered: int
    thresholds: tuple[UsedThreshold, ...] = ()
    disguise: Disguise | None = None
    pack: str = ""
    key: str = ""
    pages: CitedPages | None = None

    @property
    def summary(self) -> list[PairRow]:
        """``rows`` under the names used in the report."""
        return self.rows if self.disguise is None else [self.disguise.row(row) for row in self.rows]

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The titles that several of the documents have."""
        titles = {
            name: title for row in self.summary for name, title in ((row.a_id, row.a_title), (row.b_id, row.b_title))
        }
        return frozenset(title for title, count in Counter(titles.values()).items() if count > 1)

    def named(self, identity: str, title: str) -> str:
        """A document by its title, and also by its id if another one has that title; without a title by its id."""
        return f"{title} · {identity}" if title in self._shared and title else title or identity

    @property
    def passages(self) -> int:
        """The number of passages in the report; on paper, only those printed at least in part."""
        findings = self.findings
        if self.printed is None:
            return sum(map(findings.passages_in, self.rows))
        counts = zip(self.rows, self.printed.matches, strict=False)
        return sum(int(findings.passage[findings.place(row)][count - 1]) + 1 for row, count in counts if count)


def gather(watcher: Progress, session: Session, selection: Selection, *, on_paper: bool = False) -> Report:
    """The findings of ``selection``. Raises UserError for an unknown run or document."""
    session = session.seen_by(selection.viewer)
    run, chosen = _chosen(session, selection)
    disguise = disguise_of(session, chosen) if selection.anonymous else None
    as_made, run = run, run if disguise is None else disguise.run(run)
    with session.read() as connection:
        findings = read_findings(watcher, connection, run.id, chosen, selection.common_from)
    chosen = [replace(row, longest=findings.longest(row)) for row in chosen]
    printed = share_out([row.matches for row in chosen]) if on_paper else None

    def sections() -> Iterator[ReportPair]:
        shown = chosen if printed is None else chosen[: len(printed.matches)]
        reader = PairReader(session, findings, watcher, disguise)
        with session.read() as connection:
            directions = Directions(connection, [(row.a, row.b) for row in shown], watcher)
            verdicts = [directions.if_known(row.a, row.b) for row in shown]
        for number, row in enumerate(shown):
            watcher.advance(Message("Writing"), number, len(shown))
            if printed is None:
                pair = reader.read(number + 1, row)
            else:
                pair = shortened(reader.read(number + 1, row, printed.matches[number]))
            yield replace(pair, direction=verdicts[number], whole=_whole(session, run, row, disguise))

    project = session.path.name if disguise is None else disguise.project
    cases = read_cases(session, run, chosen, disguise, either_side=selection.kind == "run")
    thresholds = tuple(
        used if disguise is None else replace(used, who="")
        for used in used_thresholds(session)
        if used.method == run.method
    )
    about = selection.pair or ((selection.suspect,) if selection.suspect else ())
    of_run = bool(chosen) or _has_compared(session, as_made, about), _uncovered(session, as_made)
    rest = (sections, watcher, printed, cases, about, *of_run, thresholds, disguise)
    return Report(run, selection, project, chosen, findings, *rest)


def _has_compared(session: Session, run: Run, about: tuple[str, ...]) -> bool:
    """Whether ``run`` was applied to the documents ``about`` (ids): to a pair, to a suspect, or at all."""
    if len(about) == 2:
        return has_compared(session, run, *about)
    with session.read() as connection:
        keys = [key_of(connection, name) for name in about]
    return all(has_read(session, run, key) for key in keys)


def _uncovered(session: Session, run: Run) -> int:
    with session.read() as connection:
        return not_examined(connection, run)


def _whole(session: Session, run: Run, row: PairRow, disguise: Disguise | None) -> WholePair | None:
    """What ``run`` has on the pair ``row`` as a whole, if it compares whole documents; passages have their own."""
    if not is_whole(run):
        return None
    a, b = (row.b, row.a) if row.other_side else (row.a, row.b)
    with session.read() as connection:
        stored = next(iter(pairs_of(connection, run.id, a=a, b=b)), None)
        of_pair = PAIR_LABELS, pair_target(row.a_id, row.b_id), {row.a_id: row.a, row.b_id: row.b}
        index = session.verdicts.follow(connection)
        judgement, earlier = index.whole(*of_pair), index.earlier(*of_pair)
    if stored is None:
        return None
    if disguise is not None:
        judgement = None if judgement is None else disguise.judgement(judgement)
        earlier = tuple(map(disguise.label, earlier))
    return WholePair(stored.score, of_whole_pair(stored, turned=row.other_side), judgement, earlier)


def _chosen(session: Session, selection: Selection) -> tuple[Run, list[PairRow]]:
    """The run and the pairs to report; for a suspect, on either side of a match."""
    if selection.suspect is None:
        about = choose(session, selection.run, *(selection.pair or (None, None)))
        return about.run, pairs(session, about.run.id, about.a, about.b)
    run, key = choose_either(session, selection.run, selection.suspect)
    assert key is not None
    with session.read() as connection:
        is_suspect = bool(suspects_of(connection, [key]))
    return run, pairs_of_suspect(session, run.id, key) if is_suspect else pairs(session, run.id, key)
