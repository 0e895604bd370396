"""Arguments shared by several verbs."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base.options import as_typed

if TYPE_CHECKING:
    from workbench.base.types import Run
    from workbench.methods.core.api import Method
    from workbench.services.importing.batch import ImportOptions
    from workbench.services.session import Session


class Names:
    """Choices of an argument that are loaded only when needed: the module that declares them is slow to import."""

    def __init__(self, load: Callable[[], Iterable[str]]) -> None:
        self._load = load

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __contains__(self, name: object) -> bool:
        return name in tuple(self._load())


def add_project(parser: argparse.ArgumentParser) -> None:
    """The project file, first argument of most verbs."""
    parser.add_argument("project", metavar="P", type=path_argument, help="project file (*.palimpsest)")


def add_workers(parser: argparse.ArgumentParser) -> None:
    """``--workers N``."""
    parser.add_argument("--workers", type=positive, metavar="N", help="worker processes (default: one per processor)")


def path_argument(text: str) -> Path:
    """A path. The empty string, as from an unset variable, is rejected (``Path`` would take it for the current
    folder).
    """
    if not text:
        raise argparse.ArgumentTypeError("must not be empty")
    return Path(text)


def positive(text: str) -> int:
    """An integer of at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def not_negative(text: str) -> int:
    """An integer of at least 0."""
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


def add_pair(parser: argparse.ArgumentParser, *, alone: bool = False) -> None:
    """The project, two of its documents (``alone``: or one), and settings of the method."""
    add_project(parser)
    parser.add_argument("a", metavar="A", help="id of the suspect document")
    parser.add_argument("b", metavar="B", nargs="?" if alone else None, help="id of the source document")
    add_settings(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read: ``--format``, ``--encoding``, ``--blocks``, ``--ocr``, ``--workers``."""
    parser.add_argument(
        "--format",
        choices=Names(_formats),
        metavar="FORMAT",
        default="auto",
        help="read every file as %(choices)s (default: auto)",
    )
    parser.add_argument("--encoding", metavar="NAME", help="read every file in this encoding (default: detected)")
    parser.add_argument(
        "--blocks",
        metavar="RULE",
        default="default",
        help="rule for content blocks of pages: default; strict (clear content only) and generous (everything "
        "that may be content), on the same scores; alone (like default, without trafilatura; faster); kang; all",
    )
    parser.add_argument(
        "--ocr",
        metavar="LANGUAGES",
        nargs="?",
        const="auto",
        default="",
        help="read text from pictures and scanned pages with tesseract, in its languages (eng+jpn; alone: those it is "
        "most confident in on the first page); write it after the paths",
    )
    add_workers(parser)


def add_tags(parser: argparse.ArgumentParser) -> None:
    """``--tag NAME``, repeatable, stored as ``tags``: tags for the documents."""
    parser.add_argument(
        "--tag",
        dest="tags",
        action="append",
        default=[],
        metavar="NAME",
        help="tag of the documents, to filter them by; may be repeated",
    )


def tags_of(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The tags of :func:`add_tags`; each may be a list with commas. Raises ParameterError for an invalid tag."""
    from workbench.base.tags import checked

    return checked(name for option in arguments.tags for name in option.split(","))


def add_tag_filter(parser: argparse.ArgumentParser, what: str) -> None:
    """``--tag FILTER``, stored as ``tag``; ``what`` describes what it selects."""
    parser.add_argument(
        "--tag",
        metavar="FILTER",
        default="",
        help=f"{what} with one of these tags, separated by commas (--tag=-NAME: without it)",
    )


def add_columns(parser: argparse.ArgumentParser) -> None:
    """``--columns``."""
    parser.add_argument(
        "--columns",
        metavar="HEADING=FIELD,...",
        default="",
        help="contents of the columns of tables, and of the names in JSON rows, as in "
        "'Nr=id,Body=text,Date=published'; 'X=' ignores X",
    )


def add_site_repetition(parser: argparse.ArgumentParser) -> None:
    """``--no-site-repetition``, stored as ``site_repetition``."""
    parser.add_argument(
        "--no-site-repetition",
        dest="site_repetition",
        action="store_false",
        help="keep text that other pages of the site repeat (default: left out, whatever the rule)",
    )


def reading_options(arguments: argparse.Namespace) -> ImportOptions:
    """The values of the arguments of :func:`add_reading`."""
    from workbench.services.importing.batch import ImportOptions

    return ImportOptions(
        format=arguments.format,
        encoding=arguments.encoding,
        blocks=arguments.blocks,
        ocr=arguments.ocr,
        workers=arguments.workers,
    )


def role_names() -> Iterable[str]:
    """The roles that a document may have."""
    from workbench.base.types import Role

    return [role.value for role in Role]


def _formats() -> Iterable[str]:
    from workbench.reading.formats import format_names

    return format_names()


def check_used(arguments: argparse.Namespace, uses: Mapping[str, Collection[str]]) -> None:
    """Raise ParameterError for an option that the chosen action does not use; ``uses`` has the actions of each option
    (``--dry-run``), by its name.
    """
    from workbench.base.errors import ParameterError

    for flag, actions in uses.items():
        stored = flag.lstrip("-").replace("-", "_")
        value = not getattr(arguments, stored[3:]) if stored.startswith("no_") else getattr(arguments, stored)
        # 0 is a value that was given.
        unused = value is None or value is False or value in ("", [])
        if not unused and arguments.action not in actions:
            raise ParameterError(f"{flag} is for {' and '.join(actions)}, not for {arguments.action}.")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """``--set name=value``, repeatable, and ``--preset``; names and ranges come from the method."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a parameter of the method (palimpsest methods lists them); may be repeated",
    )
    parser.add_argument(
        "--preset",
        metavar="NAME",
        default="",
        help="paper: the settings of the method's paper (its page lists what still differs); --set takes precedence",
    )


def chosen_settings(arguments: argparse.Namespace, method: str) -> dict[str, Any]:
    """The preset's values for ``method``, overridden by ``--set``. Raises ParameterError, UserError."""
    from workbench.methods.core import registry

    return {**registry.get(method).parameters.preset(arguments.preset), **parse_settings(arguments.settings)}


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """``["a=1", "b=x"]`` as a mapping. Raises ParameterError for an entry without ``=`` or a name given twice."""
    from workbench.base.errors import ParameterError

    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"--set needs NAME=VALUE, not {setting!r}.")
        if name.strip() in values:
            raise ParameterError(f"--set names {name.strip()} twice.")
        values[name.strip()] = value.strip()
    return values


def parameter_lines(method: Method) -> Sequence[Sequence[str]]:
    """Rows (name, default, range, the paper's value, help) of a method's parameters."""
    rows = []
    for spec in method.parameters.specs():
        unit = f" {spec.unit}" if spec.unit else ""
        paper = "" if spec.paper is None else f"{as_typed(spec.paper)}{unit}"
        rows.append(
            (
                spec.name,
                f"{as_typed(spec.default)}{unit}",
                span_text(spec.low, spec.high, spec.choices),
                paper,
                spec.help,
            )
        )
    return rows


def span_text(low: float | None, high: float | None, choices: Collection[object]) -> str:
    """The allowed values of a parameter: ``1..64``, ``>= 0``, ``a|b``."""
    if choices:
        return "|".join(map(str, choices))
    if low is not None and high is not None:
        return f"{low:g}..{high:g}"
    if low is not None:
        return f">= {low:g}"
    return "" if high is None else f"<= {high:g}"


def settings_text(parameters: Mapping[str, Any]) -> str:
    """``name=value`` pairs of a run."""
    return " ".join(f"{name}={as_typed(value)}" for name, value in parameters.items())


def add_run(
    parser: argparse.ArgumentParser, *, positional: bool = True, kind: Callable[[str], int | str] = positive
) -> None:
    """``--run RUN`` and, if ``positional``, also ``RUN`` of ``kind``; :func:`run_of` reads both."""
    if positional:
        parser.add_argument("run", metavar="RUN", nargs="?", type=kind, help="same as --run")
    parser.add_argument(
        "--run",
        dest="run_option" if positional else "run",
        metavar="RUN",
        type=positive,
        help="number of the run (palimpsest runs P lists them; default: the newest finished one)",
    )


def run_of(arguments: argparse.Namespace) -> Any:
    """The requested run, in either form; None for none. Raises ParameterError if both were given."""
    from workbench.base.errors import ParameterError

    one, other = arguments.run, getattr(arguments, "run_option", None)
    if one is not None and other is not None and one != other:
        raise ParameterError(f"Two runs were given: {one} and --run {other}.")
    return other if one is None else one


def choose_run(session: Session, arguments: argparse.Namespace) -> Run:
    """The requested run, else the newest finished one. Raises UserError listing the existing runs if it is unknown."""
    from workbench.services.choosing import find_run

    return find_run(session, run_of(arguments))
