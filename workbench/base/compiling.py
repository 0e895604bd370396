"""Time this process has spent compiling: it happens once per machine, so figures of speed leave it out."""

from __future__ import annotations

_spent = [0.0]


def spent() -> float:
    """Seconds since the process began."""
    return _spent[0]


def add(seconds: float) -> None:
    """Compiling took ``seconds`` more; called by what compiles."""
    _spent[0] += seconds
