"""Every command that the documents show is one that the program's own parser takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.cli.main import _EPILOG, build_parser
from workbench.cli.verbs import VERBS
from workbench.methods.core import registry

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(palimpsest [^`\s]+ [^`\n]+)`")
"""Calls in a sentence; a verb alone is only named there."""


def commands(text: str) -> Iterator[list[str]]:
    """The arguments of each shown call of the program, without what a shell does with its output."""
    text = re.sub(r"<!-- reference.*?<!-- end of the reference -->", "", text, flags=re.DOTALL)
    lines = [
        line for block in FENCED.findall(text) for line in block.replace("\\\n", "").splitlines()
    ] + INLINE.findall(text)
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[:1] == ["palimpsest"]:
            end = next((i for i, word in enumerate(words) if word in ("|", ">", ">>")), len(words))
            yield words[1:end]


SHOWN = [
    pytest.param(words, id=f"{page.name}: {' '.join(words)}")
    for page in PAGES
    for words in commands(page.read_text("utf-8"))
]


def test_the_documents_show_commands() -> None:
    assert len(SHOWN) > 30


@pytest.mark.parametrize("words", SHOWN)
def test_a_documented_command_parses(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        arguments = build_parser().parse_args(words)
    except SystemExit:
        pytest.fail(capsys.readouterr().err)
    for setting in getattr(arguments, "settings", []):
        known = {spec.name for spec in registry.get(arguments.method).parameters.specs()}
        assert setting.partition("=")[0] in known


def test_the_commands_of_the_help_parse() -> None:
    for line in _EPILOG.splitlines():
        if "  palimpsest " in line:
            assert build_parser().parse_args(shlex.split(line.partition("palimpsest ")[2]))


def test_the_json_of_every_verb_is_documented() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text("utf-8").partition("## JSON")[2]
    rows = set(re.findall(r"^\| `([a-z-]+)", page, re.MULTILINE))
    assert [verb.name for verb in VERBS if verb.name not in {*rows, "gui"}] == []
