"""Write the command line reference into the README, between its two markers, from the program's own parser.

python packaging/cli_reference.py           # rewrites README.md
python packaging/cli_reference.py --check   # exit code 1 when it is out of date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.cli.main import build_parser  # noqa: E402

README = ROOT / "README.md"
BEGIN, END = "<!-- command line reference: packaging/cli_reference.py -->\n", "<!-- end of the reference -->\n"


def value_of(action: argparse.Action) -> str:
    """What stands for an argument's value: its choices or its name; empty for a switch."""
    if action.nargs == 0:
        return ""
    if action.choices is not None and not isinstance(action.metavar, str):
        return "|".join(map(str, action.choices))
    names = action.metavar or action.dest.upper()
    return " ".join(names) if isinstance(names, tuple) else names


def usage(action: argparse.Action) -> str:
    """How one argument stands in the synopsis."""
    name = f"{action.option_strings[-1]} {value_of(action)}".strip() if action.option_strings else value_of(action)
    if action.nargs == "+":
        name += "..."
    elif action.nargs == "*":
        name = f"{name}..."
    optional = bool(action.option_strings and not action.required) or action.nargs in ("?", "*")
    return f"[{name}]" if optional else name


def arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """A verb's arguments in the order they are typed, without --help and --json, which every verb has."""
    shown = [a for a in parser._actions if a.dest not in ("help", "json")]
    return sorted(shown, key=lambda action: bool(action.option_strings))


def reference() -> Iterator[str]:
    """The reference in Markdown, line by line."""
    verbs = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    help_of = {choice.dest: choice.help or "" for choice in verbs._choices_actions}
    for name, parser in verbs.choices.items():
        listed = arguments(parser)
        yield f"#### `{' '.join(['palimpsest', name, *map(usage, listed)])}`\n"
        text = help_of[name]
        yield f"{text[:1].upper()}{text[1:]}.\n"
        rows = [(action, action.help) for action in listed if action.help and action.dest != "project"]
        yield from (
            f"- `{action.option_strings[-1] if action.option_strings else value_of(action)}`: {text}"
            for action, text in rows
        )
        if rows:
            yield ""


def updated(readme: str) -> str:
    """``readme`` with the reference as it should be."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + "\n".join(reference()) + "\n" + END + after


def main() -> int:
    """Rewrite or check the README."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether it is current")
    current = README.read_text("utf-8")
    wanted = updated(current)
    if parser.parse_args().check:
        return int(current != wanted)
    README.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
