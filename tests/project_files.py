"""Project files that many tests begin with."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from workbench.project import opening

P = ParamSpec("P")
R = TypeVar("R")
_BUILT: dict[str, bytes] = {}


def build_once(build: Callable[Concatenate[Path, P], R]) -> Callable[Concatenate[Path, P], Path]:
    """``build(path, ...)`` of a project file, which from the second call on with the same arguments writes what the
    first one built: a hundredth of the time.

    The arguments must differ in their ``repr`` where they differ.
    """

    @wraps(build)
    def write(path: Path, *args: P.args, **kwargs: P.kwargs) -> Path:
        wanted = f"{build.__module__}.{build.__qualname__} {args!r} {kwargs!r}"
        if wanted not in _BUILT:
            build(path, *args, **kwargs)
            _BUILT[wanted] = path.read_bytes()
        else:
            path.write_bytes(_BUILT[wanted])
        return path

    return write


written_anew = opening.write_new
"""What the program does: it applies every version of the schema."""


def write_new(path: Path) -> None:
    """An empty project, which from the second one on is the first one's bytes: a fiftieth of the time."""
    if "" not in _BUILT:
        written_anew(path)
        _BUILT[""] = path.read_bytes()
    else:
        path.write_bytes(_BUILT[""])
