"""Names say what a thing is, so that a search for it finds it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VAGUE = {"asked", "found", "given", "had", "held", "made", "said", "told"}
"""Words for what was done to a thing: they would fit any."""
_WORDS = re.compile(rf"\b_*(?:{'|'.join(VAGUE)})_*\b", re.IGNORECASE)
"""A module without any of them, but for comments and plain strings, need not be parsed."""
_PROSE = re.compile(r'''(?<![\w"])"""(?:[^\\]|\\[\s\S])*?"""|(?<![\w"])"(?:[^"\\\n]|\\.)*"(?!")|#[^\n"\']*$''', re.M)


def vague_names(source: str) -> set[str]:
    """The vague names that ``source`` gives to anything: variable, attribute, parameter, function, class or import."""
    names: set[str] = set()
    if not _WORDS.search(_PROSE.sub("", source)):
        return names
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name) | ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                names.add(name.lower())
    return {name for name in names if name.strip("_") in VAGUE}


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["workbench", "tests"])
def test_nothing_is_called_by_what_was_done_to_it(folder: str) -> None:
    violations = {
        str(path.relative_to(ROOT)): names
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (names := vague_names(path.read_text("utf-8")))
    }
    assert not violations


@pytest.mark.parametrize(
    "source",
    [
        "found = 1",
        "for a, held in pairs: pass",
        "self.told: int = 0",
        "class Row:\n    made: str",
        "def say(*, given): pass",
        "lambda found: 1",
        "async def said(): pass",
        "class Found: pass",
        "import re as held",
        "def _found(): pass",
        "x = [1 for made in y]",
        "while given := read(): pass",
    ],
)
def test_such_a_name_would_be_noticed(source: str) -> None:
    assert vague_names(source)


def test_a_name_that_is_only_used_is_anothers() -> None:
    assert not vague_names("from hypothesis import given\n\n@given(1)\ndef test(found_by): print(made, found=2)")
