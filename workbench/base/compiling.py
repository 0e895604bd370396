"""How long this process has compiled: that happens once on a machine, so no figure of how fast work goes counts it."""

from __future__ import annotations

_spent = [0.0]


def spent() -> float:
    """Seconds since the process began."""
    return _spent[0]


def add(seconds: float) -> None:
    """Compiling took ``seconds`` more; called by what compiles."""
    _spent[0] += seconds
