"""Options as arguments, and verbs of tasks. Typed values remain strings until the options check them."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.base.options import LISTS, PATHS, SETTINGS, Kind, Option, Options, as_typed
from workbench.base.page_sources import PLACES, PlaceKind
from workbench.cli.arguments import add_project, add_settings, chosen_settings, path_argument
from workbench.cli.output import DONE, FAILED, Output
from workbench.cli.results import note_failures, print_next_command, print_run

if TYPE_CHECKING:
    from workbench.services.tasks import Task

Chosen = TypeVar("Chosen", bound=Options)
_LISTED = 5
"""Maximum number of choices listed instead of a metavar."""
_PLACES = {
    PlaceKind.URL: ("page", "URL", "a page"),
    PlaceKind.FEED: ("feed", "URL", "the pages of an RSS or Atom feed"),
    PlaceKind.SITEMAP: ("sitemap", "URL", "the pages of a sitemap"),
    PlaceKind.LIST: ("list", "FILE", "the pages listed in a file, one URL per line"),
}
"""Word, metavar and help of each kind of place."""


def flag_of(option: Option) -> str:
    """The name of ``option`` on the command line."""
    name = option.name.replace("_", "-")
    return option.flag or (f"--no-{name}" if option.default is True else f"--{name}")


def add_options(
    parser: argparse.ArgumentParser, options: type[Options], *, note: str = "", without: Collection[str] = ()
) -> None:
    """Declare arguments for the ``options`` that have a title or help; ``note`` precedes each help text."""
    for option in options.specs():
        if option.name in without:
            continue
        if option.kind is SETTINGS:
            add_settings(parser)
        elif option.kind is PLACES:
            _add_places(parser, option, note)
        elif option.title or option.help:
            _add(parser, option, note)


def _add(parser: argparse.ArgumentParser, option: Option, note: str) -> None:
    flag, words = flag_of(option), note + _help(option)
    if option.kind is PATHS:
        parser.add_argument(option.name, metavar="PATH", nargs="+", type=path_argument, help=words)
    elif option.kind is bool:
        parser.add_argument(flag, dest=option.name, action="store_const", const=not option.default, help=words)
    else:
        action = "append" if option.kind in LISTS else "store"
        parser.add_argument(flag, dest=option.name, action=action, metavar=_metavar(option), help=words)


def _place_flags(option: Option) -> dict[PlaceKind, str]:
    """The arguments for places; pages are positional unless the option has a flag."""
    kinds = [kind for kind in _PLACES if kind is not PlaceKind.LIST or not option.flag]
    stem = option.flag.removesuffix("page") or "--"
    flags = {kind: stem + _PLACES[kind][0] for kind in kinds}
    return flags if option.flag else flags | {PlaceKind.URL: "url"}


def _add_places(parser: argparse.ArgumentParser, option: Option, note: str) -> None:
    for kind, flag in _place_flags(option).items():
        _, metavar, words = _PLACES[kind]
        words = f"{words} {option.help}".rstrip()
        if flag.startswith("--"):
            parser.add_argument(flag, action="append", default=[], metavar=metavar, help=f"{note}{words}; repeatable")
        else:
            parser.add_argument(flag, nargs="*", metavar=metavar, help=note + words)


def _metavar(option: Option) -> str:
    if 0 < len(option.choices) <= _LISTED:
        return "|".join(str(option.plain(choice)) for choice in option.choices)
    if isinstance(option.kind, Kind):
        return option.kind.metavar
    return "N" if option.kind in (int, float) else flag_of(option).strip("-").upper()


def _help(option: Option) -> str:
    words = option.help or option.title
    words = words[:1].lower() + words[1:]
    notes = []
    if len(option.choices) > _LISTED:
        notes.append("one of " + ", ".join(str(option.plain(choice)) for choice in option.choices))
    if option.kind is bool:
        words = f"do not {words}" if option.default else words
    elif option.kind in LISTS:
        notes.append("repeatable")
    elif option.default:
        notes.append(f"default: {as_typed(option.plain(option.default))}")
        notes += [f"0: {option.empty}"] if option.empty else []
    elif option.empty:
        notes.append(f"default: {option.empty}")
    return (words + (f" ({'; '.join(notes)})" if notes else "")).replace("%", "%%")


def typed(arguments: argparse.Namespace, options: type[Options]) -> dict[str, Any]:
    """The typed values of ``options``, by name, unchecked."""
    values: dict[str, Any] = {}
    for option in options.specs():
        value: Any
        if option.kind is PLACES:
            flags = {kind: flag.strip("-").replace("-", "_") for kind, flag in _place_flags(option).items()}
            value = [(kind, address) for kind, name in flags.items() for address in getattr(arguments, name)]
        elif option.kind is SETTINGS:
            method = next(other for other in options.specs() if other.name == "method")
            value = chosen_settings(arguments, arguments.method or method.default)
        else:
            value = getattr(arguments, option.name, None)
        if value not in (None, [], {}):
            values[option.name] = value
    return values


def chosen(arguments: argparse.Namespace, options: type[Chosen]) -> Chosen:
    """``options`` as typed. Raises ParameterError, which names options as on the command line, and UserError."""
    return options.parse(typed(arguments, options), flag_of)


class TaskVerb:
    """The verb of the task at ``place`` ("module:Class"), which is imported only if the verb is typed."""

    description = ""

    def __init__(self, name: str, summary: str, place: str) -> None:
        self.name, self.summary, self._place = name, summary, place

    def task(self) -> type[Task]:
        """The class of the task."""
        module, _, name = self._place.partition(":")
        task: type[Task] = getattr(import_module(module), name)
        return task

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.description = self.task().about
        add_project(parser)
        add_options(parser, self.task())

    def execute(self, arguments: argparse.Namespace, output: Output) -> int:
        """Execute the verb; returns its exit code."""
        from workbench.cli.monitor import run_job

        outcome = run_job(output, chosen(arguments, self.task()).run, arguments.project)
        output.record(outcome.record)
        for sentence in outcome.sentences:
            output.say(sentence)
        if outcome.run is not None:
            print_run(output, outcome.run)
        note_failures(output, outcome.failed)
        if outcome.run is not None:
            print_next_command(output, str(arguments.project), outcome.run)
        return DONE if outcome.succeeded else FAILED
