"""Progress of a job on standard error: a bar on a terminal, JSON lines with ``--json``."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from tqdm import tqdm

from workbench.cli.output import CANCELLED, FAILED, Output, line
from workbench.jobs.events import Advanced, Event, Warned
from workbench.jobs.runner import run_inline
from workbench.services.writing import drop_parts

Result = TypeVar("Result")


_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
"""A bar without tqdm's estimate, which ignores slow pages."""


class Monitor:
    """Consumes the events of one job. A bar is shown only if standard error is a terminal."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self._bar: tqdm[Any] | None = None
        self._stage = ""

    def __call__(self, event: Event) -> None:
        """Show one event."""
        match event:
            case Advanced():
                self._advance(event)
            case Warned():
                self._tell(event.message if event.path is None else f"{event.path}: {event.message}", "warning")
            case _:
                pass

    def _advance(self, event: Advanced) -> None:
        if self.output.as_json:
            fields = {"stage": event.stage, "done": event.done, "total": event.total, "remaining": event.remaining}
            self.output.progress(fields)
            return
        if not self.output.err.isatty():
            return
        if self._bar is None or event.stage != self._stage:
            self.close()
            self._stage = event.stage
            self._bar = tqdm(
                desc=line(event.stage),
                total=event.total,
                file=self.output.err,
                leave=False,
                miniters=0,
                bar_format=None if event.total is None else _FORMAT,
            )
        self._bar.total = event.total
        if event.remaining is not None and event.total is not None and event.done < event.total:
            left = tqdm.format_interval(max(1, round(event.remaining)))
            self._bar.set_postfix_str(f"{left} left", refresh=False)
        else:
            self._bar.set_postfix_str("", refresh=False)
        self._bar.n = event.done
        self._bar.refresh()

    def _tell(self, text: str, kind: str) -> None:
        if self.output.as_json:
            self.output.progress({kind: text})
        elif self._bar is None:
            self.output.note(text)
        else:
            self._bar.write(line(text), file=self.output.err)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def run_job(output: Output, function: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
    """Run ``function(ctx, *args, **kwargs)`` in this process, showing its progress.

    Interrupting it raises Cancelled; if it does not end within a second, the process exits.
    """
    monitor = Monitor(output)
    try:
        result: Result = run_inline(
            lambda ctx: function(ctx, *args, **kwargs), on_event=monitor, overdue=partial(_end, output)
        )
    finally:
        monitor.close()
    return result


def _end(output: Output) -> None:
    """End this process and its workers now, as after a kill: committed work remains, partial writes do not."""
    for child in multiprocessing.active_children():
        child.kill()
    drop_parts()
    output.note(CANCELLED)
    os._exit(FAILED)
