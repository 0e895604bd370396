"""Collections too big for a project: plans, jobs, and importing their results into a project.

DuckDB is imported only when there is work to do: these functions take and return plain values.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.parts import check_scale
from workbench.base.progress import Progress

if TYPE_CHECKING:
    from workbench.base.types import Run
    from workbench.jobs.context import Context
    from workbench.scaleout.record import JobRequest
    from workbench.services.scaling.running import EngineOptions


def planned(ctx: Progress, request: JobRequest, options: EngineOptions, out: Path | None) -> list[str]:
    """The cost of ``request``, in sentences. Raises like :func:`~workbench.services.scaling.planning.plan_scale`."""
    check_scale()
    from workbench.services.scaling.planning import plan_scale

    return list(plan_scale(ctx, request, options, out).sentences())


def import_results(
    ctx: Context, project: Path, folder: Path, least: float | None, most: int | None, afresh: bool
) -> tuple[Run, bool]:
    """The run with the results of the job in ``folder``, and whether it was there before; see
    :func:`~workbench.services.scaling.storing.import_scale`.
    """
    check_scale()
    from workbench.services.scaling.storing import import_scale

    imported = import_scale(ctx, project, folder, least=least, most=most, afresh=afresh)
    return imported.run, imported.before
