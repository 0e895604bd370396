from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import workbench
from workbench.base.errors import ParameterError, UserError
from workbench.project.database import create

COPY = (
    "The harbour was quiet in the morning, and the fishermen mended their nets beside the wall. "
    "Nobody had seen the ship for a week, but the old man was certain that it would return."
)
SUSPECT = f"My own words first. {COPY} And last."


def test_two_texts_are_compared_in_a_script() -> None:
    comparison = workbench.compare(SUSPECT, f"Chapter one. {COPY}")
    (passage,) = comparison.passages
    assert SUSPECT[passage.a.start : passage.a.end] == COPY
    assert comparison.b.text[passage.b.start : passage.b.end] == COPY
    assert passage.edits == ()
    assert COPY in comparison._repr_html_()
    assert comparison.explanation.matched
    assert comparison.why


def test_why_two_texts_do_not_match_is_reported() -> None:
    comparison = workbench.compare("too short", "other <b>text</b>", method="digest")
    assert comparison.passages == ()
    assert comparison.explanation.deciding[0].detail in comparison.why
    assert "<b>" not in comparison._repr_html_()


def test_settings_apply_and_unknown_ones_are_refused() -> None:
    long = workbench.compare(SUSPECT, COPY, "copied-strings", min_length=500)
    assert (long.passages, long.parameters["min_length"]) == ((), 500)
    assert len(workbench.compare(SUSPECT, COPY, "copied-strings").passages) == 1
    with pytest.raises(ParameterError, match="nothing"):
        workbench.compare(SUSPECT, COPY, nothing=1)
    with pytest.raises(UserError, match="no method"):
        workbench.compare(SUSPECT, COPY, method="best")
    with pytest.raises(UserError, match="no text"):
        workbench.compare(" ", COPY)


def test_a_script_reads_files_and_works_with_a_project(tmp_path: Path) -> None:
    (tmp_path / "essay.html").write_text(f"<p>{SUSPECT}</p>", "utf-8")
    (tmp_path / "book.txt").write_text(COPY, "utf-8")
    create(tmp_path / "p.palimpsest").close()
    script = tmp_path / "script.py"
    script.write_text(
        "import workbench as wb\n"
        "print(wb.read('essay.html').text)\n"
        "with wb.open('p.palimpsest') as project:\n"
        "    print(project.import_files('essay.html', role='suspect').imported)\n"
        "    print(project.import_files('book.txt').imported)\n"
        "    run = wb.detect(project, reworded=False)\n"
        "    (match,) = project.matches(run.id)\n"
        "    suspect = project.document(match.a)\n"
        "    print(suspect.id, suspect.text[match.a_span.start : match.a_span.end])\n"
        "    print(project.ids()[match.b], len(project.runs()), [*project.pairs(run.id)][0].b == match.b)\n",
        "utf-8",
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    ended = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert (ended.stderr, ended.stdout.splitlines()) == (
        "",
        [SUSPECT, "1", "1", f"essay.html {COPY}", "book.txt 1 True"],
    )
