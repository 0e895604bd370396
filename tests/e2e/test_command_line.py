"""The command line as a user's script calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Rows, Run

COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    rows = [
        {"id": "source", "role": "source", "text": f"元の文書である。{COPIED}"},
        {"id": "suspect", "text": f"これは感想だ。{COPIED}おわり。"},
        {"id": "innocent", "text": "別の話をしている。何も写していない。"},
        {"id": "empty"},
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def test_from_new_to_report(run: Run, rows: Rows, texts: Path, tmp_path: Path) -> None:
    assert "Next: palimpsest import" in run("new", "p.palimpsest").stdout
    run("new", "p.palimpsest", code=1)
    (imported,) = rows("import", "p.palimpsest", "in", "--role", "suspect")
    assert (imported["imported"], imported["duplicates"]) == (3, 0)
    assert [failure["path"] for failure in imported["failed"]] == ["in/rows.jsonl:4"]
    assert "no finished run" in run("matches", "p.palimpsest", code=1).stderr

    (detected,) = rows("detect", "p.palimpsest", "digest", "--set", "min_run=2")
    assert (detected["documents"], detected["matches"], detected["pairs"]) == (2, 1, 1)
    assert detected["parameters"]["min_run"] == 2
    number = detected["run"]

    (match,) = rows("matches", "p.palimpsest", number)
    assert (match["a"]["id"], match["b"]["id"]) == ("suspect", "source")
    assert f"これは感想だ。{COPIED}"[match["a"]["start"] : match["a"]["end"]] == COPIED
    assert rows("matches", "p.palimpsest", number, "--document", "innocent") == []
    assert rows("matches", "p.palimpsest", number, "--min", 10_000) == []
    assert "山路を登り" in run("matches", "p.palimpsest", number).stdout
    (pair,) = rows("pairs", "p.palimpsest", number)
    assert (pair["a"], pair["b"], pair["relation"]) == ("suspect", "source", "partial copy")
    assert 0.5 < pair["resemblance"] < 1

    (listed,) = rows("runs", "p.palimpsest")
    assert (listed["run"], listed["state"]) == (number, "done")
    (compared,) = rows("compare", "p.palimpsest", "suspect", "source")
    assert len(compared["matches"]) == len(compared["edits"]) == 1
    (why,) = rows("explain", "p.palimpsest", "innocent", "source", "--method", "digest")
    assert why["matched"] is False
    assert why["summary"]
    (why,) = rows("explain", "p.palimpsest", "suspect", "source", "--run", number, "--span", "0-4")
    assert why["asked"]["text"] == {"start": 0, "end": 4}
    assert why["of_collection"]
    stated = "Run 1 did not compare these two documents"
    assert stated in run("explain", "p.palimpsest", "suspect", "innocent", "--run", number).stderr
    assert stated not in run("explain", "p.palimpsest", "source", "suspect", "--run", number).stderr
    assert (
        "is not in the document"
        in run("explain", "p.palimpsest", "suspect", "source", "--run", number, "--text", "無", code=1).stderr
    )

    run("report", "p.palimpsest", "--run", number, "--out", "r.html")
    assert "山路を登りながら" in (tmp_path / "r.html").read_text(encoding="utf-8")
    (info,) = rows("info", "p.palimpsest")
    assert {k: info[k] for k in ("documents", "labels", "runs", "matches", "interrupted", "integrity")} == {
        "documents": 3,
        "labels": 0,
        "runs": 1,
        "matches": 1,
        "interrupted": [],
        "integrity": "ok",
    }


def test_matches_of_a_document_that_was_imported_later_are_said_to_be_unknown(
    run: Run, texts: Path, tmp_path: Path
) -> None:
    run("new", "p.palimpsest")
    run("import", "p.palimpsest", "in", "--role", "suspect")
    run("detect", "p.palimpsest", "digest")
    (tmp_path / "late.txt").write_text("これは後から来た文である。", encoding="utf-8")
    run("import", "p.palimpsest", "late.txt", "--role", "suspect")
    for document, apart in (("late.txt", True), ("innocent", False)):
        errors = run("matches", "p.palimpsest", "--document", document).stderr
        assert (f"Run 1 did not compare {document}" in errors) == apart


def test_wrong_settings_end_with_2_and_name_the_range(run: Run, texts: Path) -> None:
    run("new", "p.palimpsest")
    assert "at least 1" in run("detect", "p.palimpsest", "digest", "--set", "min_run=0", code=2).stderr
    assert "There is no parameter" in run("detect", "p.palimpsest", "digest", "--set", "speed=9", code=2).stderr
    assert "--role suspect" in run("detect", "p.palimpsest", "digest", code=1).stderr


def test_nothing_imported_ends_with_1(run: Run, rows: Rows, tmp_path: Path) -> None:
    run("new", "p.palimpsest")
    (tmp_path / "binary.txt").write_bytes(b"\0" * 100)
    (result,) = rows("import", "p.palimpsest", "binary.txt", "missing.txt", code=1)
    assert [failure["path"] for failure in result["failed"]] == ["binary.txt", "missing.txt"]
    run("info", "binary.txt", code=1)


def test_extract_shows_text_and_blocks_without_a_project(rows: Rows, tmp_path: Path) -> None:
    page = "<html lang=ja><title>題</title><p>一つ目の段落。</p><p>二つ目の段落。</p>"
    (tmp_path / "a.html").write_bytes(page.encode("euc-jp"))
    (extracted,) = rows("extract", "a.html")
    assert (extracted["file"], extracted["language"], extracted["title"]) == ("a.html", "ja", "題")
    assert "二つ目の段落。" in extracted["content"]
    assert all(extracted["text"][b["start"] : b["end"]].strip() for b in extracted["blocks"])
    assert {b["verdict"] for b in extracted["blocks"]} <= {"content", "non-content"}


def test_methods_lists_parameters(rows: Rows) -> None:
    (first, *_) = rows("methods")
    assert first["method"] == "copies"
    assert {"name", "default", "low", "high", "unit", "help", "paper"} <= set(first["parameters"][0])


def test_without_a_display_the_window_says_so(run: Run) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux can lack a display")
    assert len(run("gui", code=1).stderr.splitlines()) == 1


def test_the_demonstration_finds_most_of_what_was_copied(rows: Rows, tmp_path: Path) -> None:
    (figures,) = rows("demo", "--out", "demo")
    assert (figures["found"], figures["expected"]) == (38, 38)
    assert (figures["correct"], figures["alluded"], figures["matches"]) == (37, 1, 38)
    assert (tmp_path / "demo" / "report.html").stat().st_size > 50_000


@pytest.mark.parametrize("wrong", [("--limit", "-1"), ("--limit", "9" * 30), ("--min", "nan"), ("--limit", "x")])
def test_a_figure_out_of_range_is_wrong_usage(run: Run, wrong: tuple[str, str]) -> None:
    assert wrong[0] in run("matches", "p.palimpsest", *wrong, code=2).stderr


def test_verbs_that_only_store_and_list_load_no_compiler_and_no_window(texts: Path, tmp_path: Path) -> None:
    program = """
import sys
from workbench.cli.main import main
for arguments in (["new"], ["import", "in"], ["info"], ["runs"], ["pairs"], ["matches"]):
    main([arguments[0], "p.palimpsest", *arguments[1:]])
print(sorted({"numba", "pydivsufsort", "PySide6", "matplotlib", "scipy"} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", cwd=tmp_path, timeout=100, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"
    assert "3 documents imported" in done.stdout
