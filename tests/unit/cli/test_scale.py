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


def test_limits_of_an_import_are_refused_where_a_job_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = str(write_pages(tmp_path / "pages.jsonl", 3))
    job = ["scale", "run", pages, "--out", str(tmp_path / "job"), "--method", "digest"]
    assert main([*job, "--limit", "5"]) == 2
    assert capsys.readouterr().err == "--limit is for import, not for run.\n"
    assert not (tmp_path / "job").exists()


@pytest.mark.parametrize(
    "option",
    [
        ["--set", "min_share=0.5"],
        ["--role", "source"],
        ["--blocks", "default"],
        ["--no-site-repetition"],
        ["--engine", "duckdb"],
        ["--memory", "1GB"],
    ],
    ids=lambda option: option[0],
)
def test_options_of_a_job_are_refused_where_none_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    assert main(["scale", "status", str(tmp_path), *option]) == 2
    assert capsys.readouterr().err == f"{option[0]} is for plan and run, not for status.\n"


def test_one_input_that_was_refused_is_one_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = write_pages(tmp_path / "pages.jsonl", 3)
    pages.write_text(pages.read_text("utf-8") + "{broken\n", "utf-8")
    assert main(["scale", "run", str(pages), "--out", str(tmp_path / "job"), "--method", "digest"]) == 0
    assert "1 input refused." in capsys.readouterr().out


def test_columns_of_a_table_are_named_for_a_job_as_for_an_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "pages.csv"
    table.write_text("Nr,Body\n1,one text of the collection\n2,another text of it\n", "utf-8")
    job = ["scale", "run", str(table), "--method", "digest", "--out"]
    assert main([*job, str(tmp_path / "unnamed")]) == 1
    assert "Next:" not in capsys.readouterr().out
    assert main([*job, str(tmp_path / "job"), "--columns", "Nr=id,Body=text"]) == 0
    assert capsys.readouterr().out.startswith("2 pages read")
    assert main([*job, str(tmp_path / "wrong"), "--columns", "Nr=id,Body=txt"]) == 2
    assert capsys.readouterr().err.startswith("There is no field txt; there are id, ")
