"""Tasks: options that can be carried out. From one come a form and a job in the window, and a verb.

The window shows a task by :mod:`workbench.gui.kit.tasks`, the command line by :mod:`workbench.cli.options`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.base.options import Options

if TYPE_CHECKING:
    from workbench.base.types import Run
    from workbench.jobs.context import Context
    from workbench.reading.formats import Failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a task: ``sentences`` for people, ``record`` for ``--json``. ``failed`` are the inputs that were
    refused, ``run`` is a run to look at next. Where ``succeeded`` is False the verb exits with 1.
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
        """Carry the task out (a job). Raises UserError, Cancelled."""
