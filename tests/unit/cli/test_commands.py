"""What the program proposes to type next does what it says, whatever the project is called."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from workbench.cli.main import main

COPIED = "It was the best of times, it was the worst of times, it was the age of wisdom, it was an age of folly. "


def _proposed(text: str) -> list[list[str]]:
    """The commands of the program in ``text`` as a shell splits them."""
    return [shlex.split(words) for words in re.findall(r"palimpsest (.+)$", text, re.M)]


@pytest.mark.parametrize(
    "name",
    [
        "l'affaire $1.palimpsest",
        *(pytest.param(name, marks=pytest.mark.rest) for name in ("my case.palimpsest", "事件 一.palimpsest")),
    ],
)
def test_each_command_that_is_proposed_runs_as_it_is_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for role in ("source", "suspect"):
        (tmp_path / f"a {role}.txt").write_text(f"The {role}. " + COPIED * 3, "utf-8")

    assert main(["new", name]) == 0
    for role in ("source", "suspect"):
        (words,) = _proposed(capsys.readouterr().out)
        assert words[:2] == ["import", name]
        assert words[-1] == role
        assert main([word if word != "PATH..." else f"a {role}.txt" for word in words]) == 0
    (words,) = _proposed(capsys.readouterr().out)
    assert words[:2] == ["detect", name]
    assert main(words) == 0

    for words in _proposed(capsys.readouterr().out):
        assert main(words) == 0
    assert (tmp_path / "report.html").exists()
    capsys.readouterr()

    assert main(["runs", name, "remove", "1"]) == 0
    (words,) = _proposed(capsys.readouterr().out)
    assert main(words) == 0
    assert "Restored 1 run" in capsys.readouterr().out
