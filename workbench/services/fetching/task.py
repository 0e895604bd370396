"""Fetching as a task of the window and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from workbench.base.errors import ParameterError
from workbench.base.messages import Counted, Message
from workbench.base.options import option
from workbench.base.page_sources import PLACES, PageSource
from workbench.services.fetching import KNOWN, FetchOptions, fetch, require_libraries
from workbench.services.tasks import Outcome, Task, failure_records

if TYPE_CHECKING:
    from workbench.jobs.context import Context


@dataclass(frozen=True)
class Fetch(FetchOptions, Task):
    """Fetch ``places``."""

    title: ClassVar[str] = "Fetch pages"
    about: ClassVar[str] = (
        "robots.txt is obeyed and the rate of requests to each host is limited. Fetching again requests only "
        "what has changed; after an interruption it continues where it stopped."
    )
    cancelled: ClassVar[str] = "Fetching was cancelled; the same fetch continues where it stopped."

    places: tuple[PageSource, ...] = option((), title="Addresses", kind=PLACES)

    @classmethod
    def require(cls) -> None:
        """Raise UserError if the optional libraries are missing."""
        require_libraries()

    def rules(self) -> None:
        """Raise ParameterError without places."""
        if not self.places:
            raise ParameterError(Message("Give the address of a page, feed or sitemap."))

    @property
    def subject(self) -> str:
        """The address, or the number of addresses."""
        if len(self.places) == 1:
            return self.places[0].address
        return Counted("{count} address", "{count} addresses", len(self.places))

    def run(self, ctx: Context, project: Path) -> Outcome:
        """Fetch, and count the outcomes by page."""
        result = fetch(ctx, project, self.places, self)
        known = result.unchanged + result.duplicates
        sentences: list[Message] = [
            Counted("{count} page became a document.", "{count} pages became documents.", result.imported)
        ]
        if known:
            sentences.append(Counted("{count} was unchanged.", "{count} were unchanged.", known))
        if result.resumed:
            sentences.append(Counted("{count} was fetched before.", "{count} were fetched before.", result.resumed))
        sentences += (
            Message("Left out: {reason} ({count}).", count=f"{n:,}", reason=why) for why, n in result.left_out.items()
        )
        if result.failed:
            sentences.append(Counted("{count} address failed.", "{count} addresses failed.", len(result.failed)))
        record = {
            "fetched": result.fetched,
            "unchanged": result.unchanged,
            "imported": result.imported,
            "duplicates": result.duplicates,
            "failed": failure_records(result.failed),
            "left_out": dict(result.left_out),
            "resumed": result.resumed,
            "documents": list(result.ids),
        }
        useful = result.imported + known + result.left_out.get(KNOWN, 0)
        return Outcome(sentences, record, result.failed, succeeded=bool(useful or not result.failed))
