"""Manual pages from the command line's own reference: python manual.py FOLDER

Writes palimpsest.1 and one page for each verb, dated SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reference import arguments, usage, value_of

from workbench.cli.main import build_parser

SUMMARY = "find, review and document text made from other texts"


def plain(text: str) -> str:
    """``text`` with what groff would take for itself escaped."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.splitlines())


def head(name: str, summary: str) -> Iterator[str]:
    """Title and name of a page."""
    day = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC).date()
    yield f'.TH {name.upper()} 1 "{day}" "palimpsest {version("palimpsest")}" "User Commands"'
    yield ".SH NAME"
    yield f"{plain(name)} \\- {plain(summary)}"


def whole(parser: argparse.ArgumentParser, summaries: dict[str, str]) -> Iterator[str]:
    """palimpsest(1), line by line."""
    yield from head("palimpsest", SUMMARY)
    yield from (".SH SYNOPSIS", ".B palimpsest", "\\fIVERB\\fR [\\fIARGUMENT\\fR...]", ".SH DESCRIPTION")
    yield plain(f"{parser.description} Everything happens on this machine, in one project file.")
    yield "Every verb also takes \\fB\\-\\-json\\fR and \\fB\\-\\-help\\fR, and has a manual page of its own."
    yield ".SH VERBS"
    for name, summary in summaries.items():
        yield from (".TP", f"\\fBpalimpsest\\-{plain(name)}\\fR(1)", plain(summary))
    yield from (".SH EXAMPLES", ".nf", plain(parser.epilog or ""), ".fi")
    yield from (".SH EXIT STATUS", "0 when done, 1 when failed, 2 for wrong usage.", ".SH ENVIRONMENT")
    for variable, meaning in (
        ("CACHE", "derived data"),
        ("CONFIG", "settings"),
        ("DATA", "projects the program makes"),
    ):
        yield from (".TP", f"PALIMPSEST_{variable}", f"Folder for {meaning}, in place of the system's usual one.")


def verb(name: str, parser: argparse.ArgumentParser, summary: str) -> Iterator[str]:
    """The page of one verb, line by line."""
    listed = arguments(parser)
    yield from head(f"palimpsest-{name}", summary)
    yield from (".SH SYNOPSIS", f".B palimpsest {plain(name)}", plain(" ".join(map(usage, listed))))
    yield from (".SH DESCRIPTION", plain(parser.description or f"{summary[:1].upper()}{summary[1:]}."))
    expand = parser._get_formatter()._expand_help
    explained = [action for action in listed if action.help and action.help != argparse.SUPPRESS]
    if explained:
        yield ".SH ARGUMENTS"
    for action in explained:
        label = ", ".join(action.option_strings) or value_of(action)
        yield from (".TP", f"\\fB{plain(label)}\\fR", plain(expand(action)))
    yield from (".SH SEE ALSO", "\\fBpalimpsest\\fR(1)")


def main() -> None:
    """Write all pages."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    parser = build_parser()
    verbs = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    summaries = {choice.dest: choice.help or "" for choice in verbs._choices_actions}
    pages = {"palimpsest": whole(parser, summaries)}
    pages |= {f"palimpsest-{name}": verb(name, verbs.choices[name], summary) for name, summary in summaries.items()}
    for name, lines in pages.items():
        (folder / f"{name}.1").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
