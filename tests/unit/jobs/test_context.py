"""Remaining time is that of the work, not of what happens once on a machine."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from workbench.base import compiling
from workbench.jobs.context import Context
from workbench.jobs.events import Advanced, Event
from workbench.kernels import compiled


def test_compiling_does_not_make_the_rest_look_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("workbench.jobs.context.time.monotonic", lambda: clock[0])
    events: list[Event] = []
    ctx = Context("j", events.append, lambda: False)
    ctx.advance("Indexing", 0, 100)
    clock[0] += 61.0
    compiling.end(60.0)
    ctx.advance("Indexing", 10, 100)
    last = events[-1]
    assert isinstance(last, Advanced)
    assert last.remaining == pytest.approx(9.0)


def test_a_slow_last_unit_is_never_said_to_be_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("workbench.jobs.context.time.monotonic", lambda: clock[0])
    events: list[Event] = []
    ctx = Context("j", events.append, lambda: False)
    for done in range(100):
        ctx.advance("Fetching pages", done, 100)
        clock[0] += 0.1
    left = []
    for _ in range(30):
        clock[0] += 1.0
        ctx.advance("Fetching pages", 99, 100)
        last = events[-1]
        assert isinstance(last, Advanced)
        assert last.remaining is not None
        left.append(last.remaining)
    assert left[0] >= 1.0
    assert left[-1] >= 30.0
    assert left == sorted(left)
    ctx.advance("Fetching pages", 100, 100)
    last = events[-1]
    assert isinstance(last, Advanced)
    assert last.remaining == 0.0


def test_what_numba_compiles_is_counted_once_and_what_it_has_compiled_is_not() -> None:
    assert compiled.time_compilation is not None
    inner = numba.njit(lambda x: x * 2)

    @numba.njit
    def outer(values):  # type: ignore[no-untyped-def]
        total = 0
        for value in values:
            total += inner(value)
        return total

    before = compiling.spent()
    outer(np.arange(3))
    after = compiling.spent()
    assert after > before
    outer(np.arange(4))
    assert compiling.spent() == after
