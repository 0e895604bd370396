"""Results as JSON, in the form that the command line prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.base.types import Run
    from workbench.reading.formats import Failure


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
