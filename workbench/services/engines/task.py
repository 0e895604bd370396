"""Asking a search engine as a task of the window and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.base.messages import Counted, Message
from workbench.base.options import HOSTS, IDS, SETTINGS, option
from workbench.services.common_options import METHOD, workers
from workbench.services.json_records import failure_records
from workbench.services.tasks import Outcome, Task

if TYPE_CHECKING:
    from workbench.jobs.context import Context
    from workbench.services.engines.setup import Engine


@dataclass(frozen=True)
class Search(Task):
    """Up to ``each`` sentences of every source, or of ``sources`` (ids), are asked for. Pages on the sources' own sites
    or on ``ignored`` ones (hosts, or addresses above) are not fetched. ``method`` and ``parameters`` compare.
    """

    title: ClassVar[str] = "Ask a search engine"
    about: ClassVar[str] = (
        "The most characteristic sentences of each source are sent to a search engine of your choice. The pages it "
        "returns, except those on the sources' own sites, are fetched as suspects and compared. Queries beyond the "
        "day's budget are counted, not made."
    )

    sources: tuple[str, ...] = option((), "Only this source", kind=IDS, flag="--source")
    each: int = option(3, title="Sentences per source", low=1, high=100, flag="--queries")
    ignored: tuple[str, ...] = option(
        (),
        "Hosts or addresses where nothing is fetched, such as your own sites",
        title="Sites that are not fetched",
        kind=HOSTS,
        flag="--ignore",
    )
    method: str = option("digest", "How to compare", kind=METHOD)
    parameters: Mapping[str, Any] = option({}, kind=SETTINGS)
    allow_private: bool = option(False, title="Also from private networks and this computer")
    workers: int | None = workers()

    def rules(self) -> None:
        """There are such a method and parameters."""
        from workbench.methods.core import registry

        registry.get(self.method).parameters.parse(self.parameters)

    def run(self, ctx: Context, project: Path) -> Outcome:
        """Ask and compare, and count what was named and fetched."""
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
        sentences += (Message("Left out: {count} {reason}.", count=n, reason=why) for why, n in left_out)
        return Outcome(sentences, record, searched.failed, run, succeeded=not searched.failed)


def set_up_and_search(ctx: Context, project: Path, engine: Engine, key: str, search: Search) -> Outcome:
    """Set up ``engine``, with ``key`` if it is given, and :class:`Search` (a job)."""
    from workbench.services.engines import setup

    setup.save(engine, key)
    return search.run(ctx, project)
