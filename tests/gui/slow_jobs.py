"""Job functions for tests; importable in the job's own process."""

from __future__ import annotations

import time
from pathlib import Path

from workbench.base.errors import Cancelled, UserError
from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.services.importing.batch import ImportOptions, import_paths


def steps(ctx: Context, count: int) -> str:
    """Advance ``count`` times and warn once."""
    ctx.warn("one file was odd", "odd.txt")
    for n in range(count):
        ctx.advance("Counting", n + 1, count)
    ctx.changed("documents")
    return "counted"


def endless(ctx: Context, *_arguments: object, **_options: object) -> None:
    """Work until cancelled."""
    n = 0
    while True:
        n += 1
        ctx.advance("Waiting", n)
        time.sleep(0.01)


def deaf(ctx: Context) -> None:
    """Work on, whatever anybody says."""
    ctx.advance("Working", 1)
    time.sleep(600)


def refuse(ctx: Context, *signs: Path) -> None:
    """Fail in a way that the user can mend, as soon as the files ``signs`` are there."""
    while not all(sign.exists() for sign in signs):
        ctx.check()
        time.sleep(0.01)
    raise UserError("The disk is full.", path="out.txt")


def failing(_ctx: Context, *_arguments: object) -> None:
    """Fail at once in a way that the user can mend."""
    raise UserError("The disk is full.", path="out.txt")


def crash(ctx: Context) -> None:
    """Fail in a way that nobody foresaw."""
    raise ZeroDivisionError("unforeseen")


def cancelled_import(ctx: Context, project: Path, paths: list[Path], role: Role, options: ImportOptions) -> None:
    """An import that is cancelled at its very end."""
    raise Cancelled(import_paths(ctx, project, paths, role, options))
