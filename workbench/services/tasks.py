"""Tasks: options that can be executed. Each yields a form and a job in the window, and a verb.

The window shows a task by :mod:`workbench.gui.kit.tasks`, the command line by :mod:`workbench.cli.options`. Options
shared by several tasks are at the end.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.base.messages import Message
from workbench.base.options import SHARE, TAGS, Kind, Options, option
from workbench.base.tags import Role

if TYPE_CHECKING:
    from workbench.base.types import Run
    from workbench.jobs.context import Context
    from workbench.reading.formats import Failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a task: ``sentences`` for people, ``record`` for ``--json``. ``failed`` are the inputs that were
    refused, ``run`` is a run to look at next. If ``succeeded`` is False the verb exits with 1.
    """

    sentences: Sequence[str]
    record: Mapping[str, Any]
    failed: Sequence[Failure] = ()
    run: Run | None = None
    succeeded: bool = True


@dataclass(frozen=True)
class Task(Options):
    """A plain task: inputs and options, all declared with :func:`workbench.base.options.option`.

    ``title`` is on its dialog and button; ``about`` explains it there and in the help of its verb; ``cancelled``
    describes the results of a cancelled job.
    """

    title: ClassVar[str]
    about: ClassVar[str]
    cancelled: ClassVar[str] = ""

    @classmethod
    def require(cls) -> None:
        """Raise UserError if something that the task needs is not installed."""

    @property
    def subject(self) -> str:
        """The object of the task, for the name of the job."""
        return ""

    @abstractmethod
    def run(self, ctx: Context, project: Path) -> Outcome:
        """Execute the task (a job). Raises UserError, Cancelled."""


def _methods() -> Mapping[str, str]:
    from workbench.methods.core import registry

    return {name: name for name in registry.names()}


METHOD = Kind("METHOD", str, str, Message("the name of a method"), _methods)


def role() -> Any:
    """The role of documents without their own."""
    choices = {Role.SUSPECT: "Suspect", Role.SOURCE: "Source", Role.BACKGROUND: "Background"}
    return option(Role.SOURCE, "Role of the documents", title="Role", choices=choices)


def tags() -> Any:
    """Tags for the documents."""
    return option((), "Tags that the documents get, separated by commas", title="Tags", kind=TAGS, flag="--tag")


def site_repetition() -> Any:
    """Whether blocks that a site repeats on its pages are left out."""
    return option(True, title="Ignore text repeated across a site, whatever the rule for blocks")


def workers() -> Any:
    """Number of processes."""
    return option(None, "Worker processes", kind=int, low=0, empty="one per processor")


def rate() -> Any:
    """Requests per second to one host; 0 for no limit."""
    return option(1.0, title="Requests per second to one host", low=0, high=1000, empty="no limit")


def sample() -> Any:
    """The share of a feed's or sitemap's pages that is fetched."""
    return option(1.0, title="Share of a feed's pages", kind=SHARE, low=0.0001, high=1)


def run_record(run: Run) -> dict[str, Any]:
    """The JSON object of ``detect``, which is part of the one of ``runs``."""
    return {
        "run": run.id,
        "method": run.method,
        "parameters": dict(run.parameters),
        "documents": run.documents,
        "continues": run.continues,
        "taken_over": run.taken_over,
        "matches": run.matches,
        "pairs": run.pairs,
        "scores": run.scores,
        "seconds": round(run.seconds, 3),
        "excluded": dict(run.excluded),
    }


def failure_records(failed: Sequence[Failure]) -> list[dict[str, str]]:
    """The JSON form of ``failed``: rejected inputs, each with the reason."""
    return [{"path": f.path, "error": f.error} for f in failed]
