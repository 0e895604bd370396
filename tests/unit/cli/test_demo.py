"""The demonstration tells whether the installation is whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from workbench.base.resources import resource
from workbench.base.types import Run, RunState
from workbench.cli.main import main
from workbench.services import sample

# The whole demonstration.
pytestmark = pytest.mark.slow


@pytest.fixture
def without_detection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only reading counts here: finding copies takes seconds."""

    def demonstrated(ctx: Any, folder: Path) -> sample.Demo:
        folder.mkdir()
        run, unread = sample._build(ctx, folder / "p.palimpsest")
        return sample.Demo(folder / "p.palimpsest", folder / "r.html", run, 0, 0, 0, 0, {}, unread)

    run = Run(1, sample.METHOD, 1, {}, "", RunState.DONE, "")
    monkeypatch.setattr(sample, "detect", lambda *_: run)
    monkeypatch.setattr(sample, "demonstrate", demonstrated)


@pytest.mark.usefixtures("without_detection")
def test_a_bundled_file_that_cannot_be_read_makes_the_demonstration_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(resource("sample"), tmp_path / "sample")
    (tmp_path / "sample" / "suspects" / "broken.zip").write_bytes(b"PK\x03\x04 not an archive")
    monkeypatch.setattr(sample, "resource", lambda *parts: tmp_path.joinpath(*parts))
    assert main(["demo", "--no-window", "--out", str(tmp_path / "demo")]) == 1
    assert "1 file of the sample could not be read" in capsys.readouterr().err
    assert main(["demo", "--json", "--out", str(tmp_path / "again")]) == 1
    assert json.loads(capsys.readouterr().out)["unread"] == 1


@pytest.mark.usefixtures("without_detection")
def test_a_whole_installation_lets_it_succeed(tmp_path: Path) -> None:
    assert main(["demo", "--no-window", "--out", str(tmp_path / "demo")]) == 0


def test_each_passage_that_was_missed_counts_against_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(1, sample.METHOD, 1, {}, "", RunState.DONE, "", matches=10)
    demo = sample.Demo(tmp_path / "p", tmp_path / "r.html", run, 4, 12, 6, 2, {"short": 2, "insertions": 1})
    monkeypatch.setattr(sample, "demonstrate", lambda _ctx, _folder: demo)
    assert main(["demo", "--no-window", "--out", str(tmp_path / "demo")]) == 0
    shown = capsys.readouterr().out
    assert "Of 12 passages known to be copied, 9 were found (recall 0.750)" in shown
    assert "of 8 found, 6 are known copies (precision 0.750)" in shown
