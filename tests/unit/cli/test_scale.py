"""The verb ``scale`` uses each setting that it is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.scaleout.collection import write_pages
from workbench.cli.main import main
from workbench.methods.core import registry


def test_a_job_has_the_settings_of_its_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages, job = str(write_pages(tmp_path / "pages.jsonl", 12)), str(tmp_path / "job")
    options = ["--method", "trustable-lcs", "--preset", "paper", "--set", "variants=none"]
    assert main(["scale", "run", pages, "--out", job, *options, "--no-site-repetition"]) == 0
    capsys.readouterr()

    assert main(["scale", "status", job, "--json"]) == 0
    settings = json.loads(capsys.readouterr().out)["parameters"]
    parameters = registry.get("trustable-lcs").parameters
    paper = {**parameters.preset("paper"), "variants": "none"}
    assert paper.items() <= settings.items()
    assert not paper.items() <= parameters.parse({}).as_dict().items()


def test_an_unknown_preset_of_a_job_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = str(write_pages(tmp_path / "pages.jsonl", 3))
    assert main(["scale", "plan", pages, "--method", "digest", "--preset", "nonsense"]) != 0
    assert "nonsense" in capsys.readouterr().err
