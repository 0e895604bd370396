"""Searching web archives as a task of the window and the command line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from workbench.base.errors import ParameterError
from workbench.base.messages import Counted, Message
from workbench.base.options import PATHS, option
from workbench.services.scanning.settings import ScanSettings
from workbench.services.tasks import Outcome, Task, failure_records, run_record, workers

if TYPE_CHECKING:
    from workbench.jobs.context import Context
    from workbench.services.scanning.running import Scanned


@dataclass(frozen=True)
class Scan(ScanSettings, Task):
    """Search the web archives below ``paths``; those already searched for the same sources only if ``again``."""

    title: ClassVar[str] = "Search web archives"
    about: ClassVar[str] = (
        "WARC and WET files, such as those of Common Crawl, and folders of them are searched for "
        "copies of the sources. Only pages on which something is found are imported. After an "
        "interruption the same search continues where it stopped; files already searched for the same"
        " sources are skipped."
    )
    cancelled: ClassVar[str] = "The search was stopped; its findings are kept, and the run can be resumed."

    paths: tuple[Path, ...] = option(
        (), "Web archives (*.warc *.wet *.gz)", title="Web archives and folders", kind=PATHS
    )
    again: bool = option(False, title="Search files again even if they were already searched for the same sources")
    workers: int | None = workers()

    def rules(self) -> None:
        """Raise ParameterError without paths, or for invalid settings."""
        if not self.paths:
            raise ParameterError(Message("Choose web archives, or folders of them."))
        super().rules()

    @property
    def subject(self) -> str:
        """The file or folder, or their number."""
        if len(self.paths) == 1:
            return self.paths[0].name
        return Counted("{count} file or folder", "{count} files and folders", len(self.paths))

    def run(self, ctx: Context, project: Path) -> Outcome:
        """Search, and count the files searched."""
        from workbench.services.scanning.running import scan

        settings = ScanSettings(self.method, self.parameters, self.min_characters, self.ignored, self.rule)
        scanned = scan(ctx, project, self.paths, settings, again=self.again, workers=self.workers)
        return _outcome(project, scanned)


def resume(ctx: Context, project: Path, run: int) -> Outcome:
    """Continue the scan that made ``run`` (a job). Raises like :func:`workbench.services.scanning.running.go_on`."""
    from workbench.services.scanning.running import go_on

    scanned = go_on(ctx, project, run)
    outcome = _outcome(project, scanned)
    if scanned.run.id == run:
        return outcome
    begun = Message("Run {run} was not resumed: its archives or the sources have changed since.", run=run)
    return replace(outcome, sentences=[begun, *outcome.sentences])


def _outcome(project: Path, scanned: Scanned) -> Outcome:
    from workbench.services.scanning.running import failures
    from workbench.services.session import Session

    with Session(project, write=False) as session:
        failed = tuple(failures(session, scanned))
    run, known, others = scanned.run, scanned.known, scanned.others
    sentences = [
        Counted("{count} page searched.", "{count} pages searched.", run.documents),
        Counted("{count} web archive was read.", "{count} web archives were read.", scanned.files),
    ]
    if failed:
        sentences.append(Counted("{count} record was not readable.", "{count} records were not readable.", len(failed)))
    if known:
        sentences.append(Counted("{count} file was searched before.", "{count} files were searched before.", known))
    if others:
        sentences.append(Counted("{count} file is not a web archive.", "{count} files are not web archives.", others))
    record = run_record(run) | {
        "files": scanned.files,
        "known": known,
        "others": others,
        "failed": failure_records(failed),
    }
    return Outcome(sentences, record, failed, run)
