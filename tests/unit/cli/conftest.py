"""Every JSON key that a verb prints in these tests is in its rows of the page on the command line."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.cli.output import Output

PAGE = Path(__file__).resolve().parents[3] / "docs" / "command-line.md"
SHAPES, _, TABLE = PAGE.read_text("utf-8").partition("## JSON")[2].partition("| verb | shape |")
ROWS = re.findall(r"^\| `([a-z-]+)[^|]*\|(.*)\|$", TABLE, re.MULTILINE)
LIKE = {"runs": "detect", "scan": "detect", "learn": "detect", "scale": "detect"}
"""Verbs whose rows say that they print what another prints."""
OF_ITEMS = {"labels:_export", "query:execute"}
"""Functions that print rows of a label file, and those of other verbs."""


def documented(verb: str) -> set[str]:
    text = SHAPES + "".join(shape for name, shape in ROWS if name in (verb, LIKE.get(verb)))
    return {*re.findall(r'"([a-z_0-9]+)"', text), *re.findall(r"`([a-z_0-9]+)`", text)}


@pytest.fixture(autouse=True)
def every_key_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Output.record

    def record(self: Output, value: Mapping[str, Any]) -> None:
        frame = sys._getframe(1)
        module, function = frame.f_globals["__name__"].rpartition(".")[2].strip("_"), frame.f_code.co_name
        verb = {"label_merge": "labels"}.get(module, module)
        verb = frame.f_locals["self"].name if verb == "options" else verb
        if any(name == verb for name, _ in ROWS) and f"{module}:{function}" not in OF_ITEMS:
            assert value.keys() - documented(verb) == set()
        plain(self, value)

    monkeypatch.setattr(Output, "record", record)
