"""Write the reference parts of docs/ from the program itself: verbs, formats, methods.

python packaging/reference.py           # rewrites the pages of docs/ between their markers
python packaging/reference.py --check   # exit code 1 when one is out of date
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.cli.main import build_parser  # noqa: E402
from workbench.methods.core import registry  # noqa: E402
from workbench.methods.core.figures import bits, share  # noqa: E402
from workbench.reading import formats  # noqa: E402

COMMAND_LINE = ROOT / "docs" / "command-line.md"
METHODS = ROOT / "docs" / "methods"
FORMATS = ROOT / "docs" / "formats.md"
_LISTED = 12
"""Choices that are listed in a synopsis; of more, such as methods, the name is there."""
_SHARED = 4
"""Verbs from which on an option that is the same in all of them is explained once."""
REPORTED = {"matches": "passages", "pairs": "pairs", "scores": "scores", "regions": "regions"}
UNITS = {share: "0 to 1", bits: "bits"}
BEGIN, END = "<!-- reference: packaging/reference.py -->\n", "<!-- end of the reference -->\n"


def value_of(action: argparse.Action) -> str:
    """What stands for an argument's value: its choices or its name; empty for a switch."""
    if action.nargs == 0:
        return ""
    if action.choices is not None and len(list(action.choices)) <= _LISTED and not isinstance(action.metavar, str):
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


def lines_of(parser: argparse.ArgumentParser) -> list[str]:
    """A line of the list of arguments for each one that is explained."""
    expand = parser._get_formatter()._expand_help
    return [
        f"- `{action.option_strings[-1] if action.option_strings else value_of(action)}`: {expand(action)}"
        for action in arguments(parser)
        if action.help and action.dest != "project"
    ]


def reference() -> Iterator[str]:
    """The reference in Markdown, line by line."""
    verbs = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    help_of = {choice.dest: choice.help or "" for choice in verbs._choices_actions}
    parsers = {name: parser for name, parser in verbs.choices.items() if name in help_of}
    counted = Counter(chain.from_iterable(map(lines_of, parsers.values())))
    shared = [line for line, count in counted.items() if count >= _SHARED]
    yield "These mean the same wherever a verb does not explain them:\n"
    yield from (*shared, "")
    for name, parser in parsers.items():
        yield f"#### `{' '.join(['palimpsest', name, *map(usage, arguments(parser))])}`\n"
        text = help_of[name]
        yield f"{text[:1].upper()}{text[1:]}.\n"
        own = [line for line in lines_of(parser) if line not in shared]
        yield from (*own, "") if own else ()


def parameters(name: str) -> Iterator[str]:
    """The parameters of the method called ``name`` as a Markdown table, line by line."""
    yield "| parameter | default | range | in the paper | meaning |"
    yield "| --- | --- | --- | --- | --- |"
    for spec in registry.get(name).parameters.specs():
        limits = (f"{n:g}" if n is not None else "" for n in (spec.low, spec.high))
        is_switch = spec.kind is bool
        range_ = (
            ", ".join(map(str, spec.choices)) or " to ".join(limits).strip(" to") or ("on, off" if is_switch else "")
        )
        default, paper = (
            ("on" if value else "off") if isinstance(value, bool) else value for value in (spec.default, spec.paper)
        )
        paper = "" if paper is None else paper
        unit = f" {spec.unit}" if spec.unit else ""
        yield f"| `{spec.name}` | {default}{unit} | {range_} | {paper} | {spec.help} |"


def evidence(name: str) -> Iterator[str]:
    """The figures of the evidence of the method called ``name`` as a Markdown table, line by line."""
    yield "| evidence | unit | meaning |"
    yield "| --- | --- | --- |"
    for key, figure in registry.get(name).facts.figures.items():
        meaning = f"{figure.name}, {figure.note}" if figure.note else figure.name
        yield f"| `{key}` | {UNITS.get(figure.unit, '')} | {'. '.join(filter(None, (meaning, figure.tip)))} |"


def method_table() -> Iterator[str]:
    """All methods as a Markdown table, line by line."""
    yield "| you ask | method | it finds | it reports | it cannot see |"
    yield "| --- | --- | --- | --- | --- |"
    for name, facts in registry.facts().items():
        question = facts.question.words if facts.question else ""
        reported = ", ".join(word for kind, word in REPORTED.items() if kind in facts.emits)
        yield f"| {question} | [{name}]({name}.md) | {facts.summary} | {reported} | {facts.cannot_see} |"


def new_page(name: str) -> str:
    """The page of a method that has none yet, to be completed by hand."""
    facts = registry.get(name).facts
    lines = [f"# {name}: {facts.summary[:1].lower()}{facts.summary[1:]}", f"{facts.source}."]
    if facts.question:
        lines.append(f"**{facts.question.words}** {facts.question.finds}")
    lines += [f"**It cannot see** {facts.cannot_see[:1].lower()}{facts.cannot_see[1:]}", "## Parameters", BEGIN + END]
    return "\n\n".join(lines)


def format_table() -> Iterator[str]:
    """The formats as a Markdown table, line by line."""
    yield "| `--format` | suffixes | what it is |"
    yield "| --- | --- | --- |"
    for kind in formats.FORMATS:
        suffixes = " ".join(f"`{suffix}`" for suffix in kind.suffixes)
        summary = (kind.__doc__ or "").split("\n", 1)[0].replace("``", "`")
        yield f"| `{kind.name}` | {suffixes} | {summary} |"


def updated(page: str, lines: Iterator[str]) -> str:
    """``page`` with ``lines`` between its markers."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after


def pages() -> Iterator[tuple[Path, str]]:
    """Every page with a generated part, as it should be."""
    yield COMMAND_LINE, updated(COMMAND_LINE.read_text("utf-8"), reference())
    yield FORMATS, updated(FORMATS.read_text("utf-8"), format_table())
    yield METHODS / "README.md", updated((METHODS / "README.md").read_text("utf-8"), method_table())
    for name in registry.names():
        page = METHODS / f"{name}.md"
        text = page.read_text("utf-8") if page.exists() else new_page(name)
        yield page, updated(text, chain(parameters(name), [""], evidence(name)))


def main() -> int:
    """Rewrite or check the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether they are current")
    stale = [(page, text) for page, text in pages() if not page.exists() or page.read_text("utf-8") != text]
    if parser.parse_args().check:
        sys.stderr.writelines(f"{page.relative_to(ROOT)} is out of date\n" for page, _ in stale)
        return int(bool(stale))
    for page, text in stale:
        page.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
