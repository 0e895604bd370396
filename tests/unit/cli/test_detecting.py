"""What is said at the end of a run."""

import io

from workbench.base.types import Run, RunState
from workbench.cli.detecting import say_run
from workbench.cli.output import Output


def said(pairs: int) -> str:
    out = io.StringIO()
    run = Run(1, "simhash", 1, {}, "", RunState.DONE, "2026-01-01T00:00:00Z", documents=4, pairs=pairs)
    say_run(Output(False, out, io.StringIO()), run)
    return out.getvalue()


def test_a_run_that_found_pairs_alone_does_not_say_that_nothing_was_found() -> None:
    assert "Nothing was found" not in said(pairs=3)
    assert "Nothing was found" in said(pairs=0)
