"""The events of a job. The window and the command line handle the same events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Started:
    """The job began; first event of every job."""

    job: str
    title: str


@dataclass(frozen=True, slots=True)
class Advanced:
    """``done`` of ``total`` units of ``stage`` are finished (``total`` None: unknown). ``remaining`` in seconds."""

    job: str
    stage: str
    done: int
    total: int | None
    remaining: float | None


@dataclass(frozen=True, slots=True)
class Warned:
    """Something was refused or repaired; the job continues. ``path`` names the file, if there is one."""

    job: str
    message: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """The project changed: ``kinds`` among documents, runs, matches, labels. Views refresh for their own kinds only."""

    job: str
    kinds: frozenset[str]


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every job: a result, an error, or, when ``cancelled``, at most a part of the result.

    ``error`` is a sentence for the user; ``report`` the traceback of a bug, empty for a UserError.
    """

    job: str
    result: Any = None
    error: str = ""
    report: str = ""
    cancelled: bool = False


Event = Started | Advanced | Warned | Changed | Finished
