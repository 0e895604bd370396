"""Warming up compiles each kernel once, and after it no job compiles anything; two processes share the work."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.unit.methods.every_choice import write_what_is_compiled
from workbench.base.progress import NullProgress
from workbench.jobs import children
from workbench.kernels import compiled
from workbench.methods.core import warming


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.rest
def test_after_warming_up_neither_pages_nor_any_choice_of_parameters_compile_a_kernel(
    tmp_path: Path,
) -> None:
    """In a process of its own: this one has compiled what other tests needed."""
    file = tmp_path / "compiled"
    process = children.start_function(write_what_is_compiled, (file,), daemon=False)
    process.join()
    assert process.exitcode == 0
    assert file.read_text(encoding="utf-8") == ""


def test_runs_that_need_what_another_process_compiles_come_last_and_then_wait() -> None:
    calls: list[tuple[str, bool]] = []

    def run(name: str) -> None:
        calls.append((name, compiled._waiting.refused))
        if name == "busy" and compiled._waiting.refused:
            raise compiled.BusyKernel

    warming._run_all([[partial(run, "busy")], [partial(run, "free"), partial(run, "other")]], NullProgress())
    assert calls == [("busy", True), ("free", True), ("other", True), ("busy", True), ("busy", False)]
