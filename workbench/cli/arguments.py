"""Arguments that several verbs share."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.base.types import Run
    from workbench.methods.api import Method
    from workbench.services.session import Session

Verbs = Any
"""What ``add_subparsers`` returns (argparse keeps the class private)."""


def add_project(parser: argparse.ArgumentParser) -> None:
    """The project file, first argument of most verbs."""
    parser.add_argument("project", metavar="P", type=given_path, help="project file (*.palimpsest)")


def add_workers(parser: argparse.ArgumentParser) -> None:
    """``--workers N``."""
    parser.add_argument("--workers", type=positive, metavar="N", help="worker processes (default: one a processor)")


def given_path(text: str) -> Path:
    """A path; the empty one, as of an unset variable, is no path (``Path`` takes it for the current folder)."""
    if not text:
        raise argparse.ArgumentTypeError("must not be empty")
    return Path(text)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def not_negative(text: str) -> int:
    """A whole number of at least 0."""
    value = int(text)
    if not 0 <= value <= sys.maxsize:
        raise argparse.ArgumentTypeError(f"must be between 0 and {sys.maxsize}")
    return value


def finite(text: str) -> float:
    """A number, neither infinite nor NaN."""
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError("must be a finite number")
    return value


def add_settings(parser: argparse.ArgumentParser) -> None:
    """``--set name=value``, repeatable; names and ranges come from the method."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a parameter of the method (palimpsest methods lists them); may be repeated",
    )


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """``["a=1", "b=x"]`` as a mapping. Raises ParameterError for an entry without ``=`` or a name given twice."""
    from workbench.base.errors import ParameterError

    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"--set needs NAME=VALUE, not {setting!r}.")
        if name.strip() in values:
            raise ParameterError(f"--set gives {name.strip()} twice.")
        values[name.strip()] = value.strip()
    return values


def parameter_lines(method: Method) -> Sequence[Sequence[str]]:
    """Rows (name, default, range, the paper's value, help) of a method's parameters."""
    rows = []
    for spec in method.parameters.specs():
        unit = f" {spec.unit}" if spec.unit else ""
        paper = "" if spec.paper is None else f"{show(spec.paper)}{unit}"
        rows.append(
            (spec.name, f"{show(spec.default)}{unit}", span_text(spec.low, spec.high, spec.choices), paper, spec.help)
        )
    return rows


def span_text(low: float | None, high: float | None, choices: Sequence[object]) -> str:
    """The allowed values of a parameter: ``1..64``, ``>= 0``, ``a|b``."""
    if choices:
        return "|".join(map(str, choices))
    if low is not None and high is not None:
        return f"{low:g}..{high:g}"
    if low is not None:
        return f">= {low:g}"
    return "" if high is None else f"<= {high:g}"


def show(value: Any) -> str:
    """A parameter value as one types it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def settings_text(parameters: Mapping[str, Any]) -> str:
    """``name=value`` pairs of a run."""
    return " ".join(f"{name}={show(value)}" for name, value in parameters.items())


def choose_run(session: Session, number: int | None) -> Run:
    """The run asked for. Raises UserError naming the runs there are when it is missing or unknown."""
    from workbench.services.listing import find_run

    return find_run(session, number)
