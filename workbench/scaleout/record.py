"""The record of a job in its folder; reading it needs no engine."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.sound import is_count, is_figure, is_plain, is_text
from workbench.base.types import Role
from workbench.methods.core import registry

if TYPE_CHECKING:
    from workbench.reading.formats import ReadOptions

METHODS = {name: facts.scale for name, facts in registry.facts().items() if facts.scale}
"""Methods with steps in this package."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """The request of a job: pages of ``paths`` (``role`` for rows without one), ``method`` with ``parameters``.
    ``columns``: the fields of tables and JSON rows by their headings, as in an import.
    """

    paths: tuple[Path, ...]
    method: str
    parameters: Mapping[str, Any]
    role: Role = Role.SOURCE
    blocks: str = "default"
    site_repetition: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)

    def reading(self) -> ReadOptions:
        """The options for the parsers. Raises ParameterError for an unknown field."""
        from workbench.reading.formats import ReadOptions
        from workbench.reading.formats.rows import by_heading

        return ReadOptions(rule=self.blocks, columns=by_heading(self.columns))


def notes(method: str) -> tuple[str, ...]:
    """The reasons, in sentences, why parameters of ``method`` are fixed in jobs."""
    note = METHODS[method].note
    return (note,) if note else ()


def check(request: JobRequest) -> Any:
    """The parameters of ``request``, including fixed ones. Raises UserError for a method without steps,
    ParameterError.
    """
    if request.method not in METHODS:
        raise UserError(
            Message(
                "{method} has no steps for collections beyond a project; these methods have: {methods}.",
                method=request.method,
                methods=", ".join(METHODS),
            )
        )
    parameters = registry.get(request.method).parameters
    chosen = parameters.parse(request.parameters)
    if chosen.suspect_tags or chosen.source_tags:
        raise UserError(Message("The pages of a collection have no tags."))
    return parameters.parse({**request.parameters, **METHODS[request.method].fixed})


JOB = "job.json"
SCRATCH = "scratch"
"""Use of the folder for data that exceeds an engine's memory."""


def read_job(folder: Path) -> dict[str, Any]:
    """The record of the job in ``folder``; empty if there is none."""
    try:
        job = json.loads((folder / JOB).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return job if isinstance(job, dict) else {}


_STEP = re.compile(r"steps/[\w-]+")
_MOST_WORDS = 100_000


def is_record(job: dict[str, Any]) -> bool:
    """Whether ``job`` is a valid record of a job: every value has its type, and no path leads outside the folder."""
    steps, summary = job.get("steps", []), job.get("summary")
    folders = (job.get("results", []), job.get("pages", []), [job["repeated"]] if job.get("repeated") else [])
    words = [job.get(name, "") for name in ("method", "state", "current", "message")]
    try:
        return (
            all(is_text(word) and len(word) <= _MOST_WORDS for word in words)
            and job["method"] in METHODS
            and is_count(job["version"])
            and isinstance(job["parameters"], dict)
            and all(is_text(name) and is_plain(value) for name, value in job["parameters"].items())
            and all(isinstance(step["name"], str) and is_count(step["rows"]) for step in steps)
            and all(is_count(step["bytes"]) and is_figure(step["seconds"]) for step in steps)
            and all(isinstance(names, list) for names in folders)
            and all(_STEP.fullmatch(name) for names in folders for name in names)
            and (summary is None or _is_summary(summary))
            and (job.get("state") != "done" or all((summary, job.get("results"), job.get("pages"))))
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        return False


def _is_summary(summary: Any) -> bool:
    return (
        all(is_count(summary[name]) for name in ("pages", "twice", "pairs"))
        and is_count(summary.get("examined", 0))
        and all(isinstance(path, str) and isinstance(reason, str) for path, reason in summary["refused"])
        and all(
            is_text(reason) and len(reason) <= _MOST_WORDS and is_count(count)
            for reason, count in summary["left_out"].items()
        )
    )


def found_in(folder: Path) -> tuple[int, int] | None:
    """The numbers of pages and pairs of the finished job in ``folder``; None if there is none."""
    job = read_job(folder)
    summary = job.get("summary")
    if job.get("state") != "done" or not isinstance(summary, dict):
        return None
    pages, pairs = summary.get("pages"), summary.get("pairs")
    return (pages, pairs) if isinstance(pages, int) and isinstance(pairs, int) else None
