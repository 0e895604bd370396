"""Entry points of the console and GUI scripts: parse, call the verb, turn errors into exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Sequence
from typing import Any, TextIO, cast

from workbench.base.errors import Cancelled, ParameterError, UserError, count_left_out
from workbench.cli.output import CANCELLED, FAILED, USAGE, Output, Unwritable
from workbench.cli.verbs import UNLISTED, VERBS
from workbench.services.review.visible import visible

_EPILOG = """\
A first investigation:
  palimpsest new case.palimpsest
  palimpsest import case.palimpsest originals/ --role source
  palimpsest import case.palimpsest handed-in/ --role suspect
  palimpsest detect case.palimpsest digest
  palimpsest report case.palimpsest --run 1 --out report.html
or, on texts that come with the program:  palimpsest demo
"""


def build_parser(typed: Collection[str] | None = None) -> argparse.ArgumentParser:
    """The command line; each verb sets ``execute`` to its function.

    Only verbs in ``typed`` (None: all) get a parser with their arguments: creating all of them would take most of a
    short command's time.
    """
    parser = _Parser(
        prog="palimpsest",
        description="Find, review and document text made from other texts.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help="show the program's version and exit")
    common = _VerbParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON; progress becomes JSON lines on standard error")
    unused = _VerbParser()

    def parser_of(*, prog: str, **options: Any) -> _VerbParser:
        return _VerbParser(prog=prog, **options) if typed is None or prog.split()[-1] in typed else unused

    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True, parser_class=cast(Any, parser_of))
    for verb in VERBS:
        parser_of_verb = verbs.add_parser(
            verb.name, parents=[common], help=verb.summary, description=verb.description or None
        )
        if parser_of_verb is not unused:
            verb.add_arguments(parser_of_verb)
            parser_of_verb.set_defaults(execute=verb.execute)
    for verb in UNLISTED:
        parser_of_verb = verbs.add_parser(verb.name)
        if parser_of_verb is not unused:
            verb.add_arguments(parser_of_verb)
            parser_of_verb.set_defaults(execute=verb.execute, json=False)
    return parser


class _Parser(argparse.ArgumentParser):
    """Escapes its errors: they repeat typed words, which may be names of untrusted files."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(visible(message), file)


class _VerbParser(_Parser):
    """Takes options and other arguments in any order: argparse drops an optional positional argument after an
    option.
    """

    _mixing = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Like argparse's, but if words are left over, parses again with the options first; what is then left over is
        an error.
        """
        args = None if args is None else _join_excluded_tags(args)
        parsed, left = super().parse_known_args(args, namespace)
        if self._mixing:
            return parsed, left
        if "--" in left or not all(word.startswith("-") for word in left):
            self._mixing = True
            try:
                parsed, left = self.parse_known_intermixed_args(args, namespace)
            finally:
                self._mixing = False
        if left:
            like_options = any(word.startswith("-") and not word.startswith("--") for word in left)
            hint = " (names that begin with a minus sign come last, after --)" if like_options else ""
            self.error(f"unrecognized arguments: {' '.join(left)}{hint}")
        return parsed, left


def _join_excluded_tags(words: Sequence[str]) -> list[str]:
    """``--tag -news`` as ``--tag=-news``: argparse would take the tag for an option."""
    joined: list[str] = []
    for word in words:
        excluded = word.startswith("-") and not word.startswith("--") and word != "-h"
        if excluded and "--" not in joined and joined and joined[-1] in ("--tag", "--source-tag"):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


class _Version(argparse.Action):
    """Prints the version, which is loaded only when requested."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, default=argparse.SUPPRESS, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            known = version("palimpsest")
        except PackageNotFoundError:
            known = "(not installed)"
        print(f"palimpsest {known}")
        parser.exit()


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code (0 done, 1 failed, 2 wrong usage)."""
    _open_streams()
    _write_utf8(sys.stdout, sys.stderr)
    try:
        typed = sys.argv[1:] if argv is None else argv
        parser = build_parser(typed)
        if unknown := _unknown_verb(typed):
            parser.error(unknown)
        arguments = parser.parse_args(typed)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else USAGE
    output = Output(arguments.json)
    try:
        _check_text(arguments)
        code = _run(arguments, output)
    except ParameterError as error:
        output.note(str(error))
        return USAGE
    except UserError as error:
        output.note(str(error))
        return FAILED
    except (Cancelled, KeyboardInterrupt):
        output.note(CANCELLED)
        return FAILED
    except Unwritable as error:
        # Keep the interpreter from failing on its last flush. A closed reader (head, less) is not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error.__cause__, BrokenPipeError):
            output.note(str(error))
        return FAILED
    except BrokenPipeError:
        return FAILED
    return code


def _unknown_verb(typed: Sequence[str]) -> str:
    """What is wrong with the first word, if it should be a verb and is none."""
    if not typed or typed[0].startswith("-") or typed[0] in {verb.name for verb in (*VERBS, *UNLISTED)}:
        return ""
    from difflib import get_close_matches

    near = get_close_matches(typed[0], [verb.name for verb in VERBS], 1)
    hint = f"did you mean {near[0]}?" if near else "palimpsest --help lists the verbs"
    return f"there is no verb {typed[0]}: {hint}"


def _check_text(arguments: argparse.Namespace) -> None:
    """Raise ParameterError for words that are not text in the system's encoding; paths are not checked."""
    for value in vars(arguments).values():
        for word in value if isinstance(value, list | tuple) else (value,):
            if isinstance(word, str) and any("\ud800" <= character <= "\udfff" for character in word):
                raise ParameterError(f"{word.encode(errors='replace').decode()} is not text in UTF-8.")


def _run(arguments: argparse.Namespace, output: Output) -> int:
    """Call the verb; parts of a damaged project that were skipped are reported at the end, even when it fails."""
    with count_left_out() as left_out:
        try:
            code: int = arguments.execute(arguments, output)
            output.flush()
        finally:
            for reason, count in sorted(left_out.items()):
                output.note(f"The project file is damaged. Left out: {reason} ({count:,}).")
    return code


def _open_streams() -> None:
    """Replace streams that are closed at start-up (``>&-``, a program without a console) with the null device."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _write_utf8(*streams: TextIO) -> None:
    """JSON is always UTF-8; a terminal that cannot show a character shows its escape sequence."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8" if not stream.isatty() else None, errors="backslashreplace")


def gui() -> int:
    """Open the window."""
    return main(["gui", *sys.argv[1:]])
