"""The bundled sample: a project built from it, and the evaluation of a run against its truth."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.base.errors import ProjectError, UserError
from workbench.base.messages import Message
from workbench.base.resources import resource
from workbench.base.types import Role, Run, Span
from workbench.jobs.context import Context
from workbench.project.labels import count_events
from workbench.services.contents import overview
from workbench.services.detecting.indexing import remove_derived
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.listing import document_ids, matches
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.session import Session, create

METHOD = "copies"
_HALF = 0.5
_RUN = 3
"""Minimum number of consecutive sentences that the length rule accepts as a passage."""


@dataclass(frozen=True, slots=True)
class Demo:
    """The results of the demonstration.

    Of ``expected`` copied passages ``covered`` are covered by at least half by a match of the right pair; more than
    half of ``correct`` matches of the run is in a copied passage, of ``alluded`` matches in one that alludes to a
    famous sentence, which counts neither way. ``recall`` and ``precision`` follow (0..1). ``missed`` counts the
    passages not found, by kind of change; unchanged passages of one or two sentences are called short. ``unread``
    counts the bundled files that could not be read.
    """

    project: Path
    report: Path
    run: Run
    documents: int
    expected: int
    correct: int
    alluded: int
    missed: Mapping[str, int]
    unread: int = 0

    @property
    def covered(self) -> int:
        """Copied passages that were found."""
        return self.expected - sum(self.missed.values())

    @property
    def recall(self) -> float:
        """Share of the copied passages that were found."""
        return self.covered / self.expected if self.expected else 1.0

    @property
    def precision(self) -> float:
        """Share of the matches that are copied passages."""
        decided = self.run.matches - self.alluded
        return self.correct / decided if decided else 1.0


def build_sample(ctx: Context, path: Path) -> Path:
    """Build the sample project at ``path`` with a finished run, and return it; its folder is created if missing.

    It appears only when complete. Raises ProjectError if a file of this name exists, UserError if the folder cannot be
    written to.
    """
    if path.exists():
        raise ProjectError(
            Message("There is already a file with this name."), path=path, hint=Message("Choose another name.")
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".sample-", dir=path.parent) as folder:
            _build(ctx, Path(folder) / path.name)
            # The project last, because the files beside it are derived from it.
            for item in sorted(Path(folder).iterdir(), key=lambda p: p.name == path.name):
                item.replace(path.with_name(item.name))
    except OSError as error:
        raise UserError(
            Message("The sample cannot be written here ({reason}).", reason=error), path=path.parent
        ) from error
    return path


def demonstrate(ctx: Context, folder: Path) -> Demo:
    """Build the sample in ``folder`` (created if missing), detect, evaluate against its truth, and write a report.

    An existing sample project is replaced. Raises UserError if the folder cannot be written to.
    """
    project, report = folder / "sample.palimpsest", folder / "report.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if project.exists():
            _remove_earlier_sample(project)
    except OSError as error:
        raise UserError(Message("The sample cannot be written here ({reason}).", reason=error), path=folder) from error
    run, unread = _build(ctx, project)
    with Session(project, write=False) as session:
        export(session, Selection(run=run.id), report)
        truth = _truth()
        correct, alluded, missed = judge(session, run.id, truth, _manifest()["allusions"])
        documents = overview(session).documents
        return Demo(project, report, run, documents, len(truth), correct, alluded, missed, unread)


def _remove_earlier_sample(project: Path) -> None:
    """Remove an earlier sample, but no other project of that name. Raises ProjectError."""
    with Session(project, write=False) as session:
        known = set(document_ids(session).values())
        with session.read() as connection:
            decisions = count_events(connection)
    if decisions or not known or known - {row["id"] for row in _manifest()["documents"]}:
        raise ProjectError(Message("This project contains more than the sample; it was not replaced."), path=project)
    project.unlink()
    remove_derived(project)


def _build(ctx: Context, path: Path) -> tuple[Run, int]:
    """The finished run of the sample project built at ``path``, and the number of unreadable files."""
    sample, manifest = resource("sample"), _manifest()
    create(path)
    titles = {row["id"]: row["title"] for row in manifest["documents"]}
    options = ImportOptions(base=sample, titles=titles)
    unread = 0
    for folder, role in ((manifest["sources"], Role.SOURCE), (manifest["suspects"], Role.SUSPECT)):
        result = import_paths(ctx, path, [sample / folder], role, options)
        for failure in result.failed:
            ctx.warn(failure.error, failure.path)
        unread += len(result.failed)
    return detect(ctx, path, METHOD, {}), unread


def _manifest() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(resource("sample", "manifest.json").read_text(encoding="utf-8"))
    return loaded


def _truth() -> list[dict[str, Any]]:
    lines = resource("sample", _manifest()["truth"]).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def judge(
    session: Session, run_id: int, truth: Sequence[Mapping[str, Any]], allusions: Sequence[Mapping[str, Any]] = ()
) -> tuple[int, int, Counter[str]]:
    """The numbers of correct matches and of allusions, and missed passages by kind of change; see :class:`Demo`."""
    ids = document_ids(session)
    copied, alluded = _by_pair(truth), _by_pair(allusions)
    covered: dict[tuple[str, str, Span], int] = defaultdict(int)
    correct = neither = 0
    for match in matches(session, run_id):
        pair, size = (ids[match.a], ids[match.b]), match.a_span.end - match.a_span.start
        for span in copied.get(pair, ()):
            covered[*pair, span] += span.overlap(match.a_span)
        if any(span.overlap(match.a_span) > _HALF * size for span in copied.get(pair, ())):
            correct += 1
        elif any(span.overlap(match.a_span) > _HALF * size for span in alluded.get(pair, ())):
            neither += 1
    missed: Counter[str] = Counter()
    for row in truth:
        span = Span(*row["suspect_span"])
        if covered[row["suspect"], row["source"], span] < _HALF * (span.end - span.start):
            short = row["edit"] == "none" and row["sentences"] < _RUN
            missed["short" if short else row["edit"]] += 1
    return correct, neither, missed


def _by_pair(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[Span]]:
    """Spans in the suspects, by pair of ids."""
    spans: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for row in rows:
        spans[row["suspect"], row["source"]].append(Span(*row["suspect_span"]))
    return spans
