"""What a job records of itself in its folder; reading it needs no engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

JOB = "job.json"


def read_job(folder: Path) -> dict[str, Any]:
    """What the job in ``folder`` recorded of itself; empty if there is none."""
    try:
        job = json.loads((folder / JOB).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return job if isinstance(job, dict) else {}


def found_in(folder: Path) -> tuple[int, int] | None:
    """The numbers of pages and pairs of the finished job in ``folder``; None if there is none."""
    job = read_job(folder)
    summary = job.get("summary")
    if job.get("state") != "done" or not isinstance(summary, dict):
        return None
    pages, pairs = summary.get("pages"), summary.get("pairs")
    return (pages, pairs) if isinstance(pages, int) and isinstance(pairs, int) else None
