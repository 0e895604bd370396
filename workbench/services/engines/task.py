"""Asking a search engine as a task of the window and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from workbench.base.messages import Counted, Message
from workbench.services.engines import setup
from workbench.services.engines.setup import Engine, SearchOptions
from workbench.services.tasks import Outcome, Task, failure_records

if TYPE_CHECKING:
    from workbench.jobs.context import Context


@dataclass(frozen=True)
class Search(SearchOptions, Task):
    """Search with ``SearchOptions``."""

    title: ClassVar[str] = "Ask a search engine"
    about: ClassVar[str] = (
        "The most characteristic sentences of each source are sent to a search engine of your choice. The "
        "pages it returns, except those on the sources' own sites, are fetched as suspects and compared. "
        "Queries over the daily budget are counted but not made."
    )

    def run(self, ctx: Context, project: Path) -> Outcome:
        """Query and compare, and count the pages named and fetched."""
        from workbench.services.engines.running import search

        searched = search(ctx, project, self)
        run = searched.run
        record = {
            "queries": searched.sent,
            "pages": searched.named,
            "fetched": searched.fetched,
            "run": None if run is None else run.id,
            "matches": 0 if run is None else run.matches,
            "failed": failure_records(searched.failed),
            "left_out": dict(searched.left_out),
        }
        sentences: list[Message] = [
            Counted("{count} query made.", "{count} queries made.", searched.sent),
            Counted("{count} page returned.", "{count} pages returned.", searched.named),
            Counted("{count} page fetched.", "{count} pages fetched.", searched.fetched),
        ]
        left_out = searched.left_out.items()
        sentences += (Message("Left out: {reason} ({count}).", count=f"{n:,}", reason=why) for why, n in left_out)
        return Outcome(sentences, record, searched.failed, run, succeeded=not searched.failed)


def set_up_and_run(ctx: Context, project: Path, engine: Engine, key: str, task: Task) -> Outcome:
    """Set up ``engine``, with ``key`` if it is given, and run ``task``, which queries it (a job)."""
    setup.save(engine, key)
    return task.run(ctx, project)
