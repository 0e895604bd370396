"""Labels, evaluation and figures as a user's script calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Rows, Run

COPIED = "検索結果からそのまま写された文であり、どの記事にも同じものが並んでいる。"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_from_labels_to_a_figure(run: Run, rows: Rows, tmp_path: Path) -> None:
    documents = [
        {
            "id": f"e{i}",
            "role": "suspect",
            "text": f"{chr(0x4E00 + 7 * i) * 9}。{COPIED if i % 2 else chr(0x5100 + i) * 40}",
        }
        for i in range(8)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in documents), encoding="utf-8")
    labels = "".join(f"e{i},{'splog' if i % 2 else 'blog'},花子\n" for i in range(8))
    (tmp_path / "labels.csv").write_text("id,label,annotator\n" + labels + "gone,blog,花子\n", encoding="utf-8")
    run("new", "p.palimpsest")
    run("import", "p.palimpsest", "rows.jsonl")
    run("detect", "p.palimpsest", "copied-strings", "--workers", 1)
    assert "no labels" in run("evaluate", "p.palimpsest", 1, code=1).stderr
    imported = rows("labels", "p.palimpsest", "import", "labels.csv", code=1)[0]
    assert imported["imported"] == 8
    assert imported["failed"] == [{"path": "labels.csv:10", "error": "There is no document gone in this project."}]
    evaluation = rows("evaluate", "p.palimpsest", 1, "--against", "length")[0]
    assert {"precision", "recall", "f1", "threshold", "average_precision", "interval", "curve"} <= evaluation.keys()
    assert (evaluation["f1"], evaluation["false_positives"]) == (1, [])
    swept = rows("evaluate", "p.palimpsest", 1, "--sweep", "min_length=10,100", "--workers", 1)[0]["sweep"]
    assert [point["parameters"] for point in swept] == [{"min_length": 10}, {"min_length": 100}]
    assert "two annotators" in run("labels", "p.palimpsest", "agreement", code=1).stderr
    exported = run("labels", "p.palimpsest", "export").stdout.splitlines()
    assert json.loads(exported[0])["annotator"] == "花子"
    run("figure", "p.palimpsest", "scores", "--out", "scores.svg")
    assert (tmp_path / "scores.svg").read_text(encoding="utf-8").startswith("<?xml")
    run("figure", "p.palimpsest", "thresholds", "--out", "t4.tex")
    assert r"\toprule" in (tmp_path / "t4.tex").read_text(encoding="utf-8")
    run("detect", "p.palimpsest", "copied-strings", "--set", "min_length=12", "--workers", 1)
    drawn = []
    for number, runs in enumerate((["--run", "2"], ["--run", "1,2"], ["--run", "1", "--run", "2"])):
        run("figure", "p.palimpsest", "precision-recall", *runs, "--out", f"{number}.csv")
        drawn.append((tmp_path / f"{number}.csv").read_text(encoding="utf-8"))
    assert drawn[0] != drawn[1] == drawn[2]
    refused = run("figure", "p.palimpsest", "thresholds", "--run", "1,2", "--out", "t.csv", code=2)
    assert "one run, not 2" in refused.stderr
    listed = run("figure", "--list").stdout
    assert "f-by-length" in listed
    assert run("figure", "p.palimpsest").stdout == listed


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "p", "x"],
        ["evaluate", "p", "1", "--sweep", "nothing"],
        ["figure", "p", "nothing", "--out", "f.svg"],
        ["figure", "p", "scores"],
        ["figure"],
        ["figure", "p", "thresholds", "--out", "t.svg"],
        ["labels", "p", "import"],
    ],
)
def test_wrong_usage_ends_with_2(run: Run, arguments: list[str]) -> None:
    run(*arguments, code=2)


def test_no_statistics_are_loaded_before_they_are_needed() -> None:
    code = (
        "import sys; from workbench.cli.main import build_parser; build_parser();"
        "import workbench.services.measuring.evaluating, workbench.services.measuring.figures;"
        "import workbench.services.labels.labelling;"
        "print([m for m in ('sklearn', 'scipy', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_values_are_renamed_with_their_labels_and_nothing_is_changed_unasked(
    run: Run, rows: Rows, tmp_path: Path
) -> None:
    (tmp_path / "rows.jsonl").write_text(
        "".join(f'{{"id": "e{i}", "text": "Entry {i}."}}\n' for i in range(3)), "utf-8"
    )
    (tmp_path / "a.csv").write_text("id,label\ne0,spam\ne1,spam\ne2,ham\n", "utf-8")
    (tmp_path / "b.csv").write_text("id,label\ne0,ham\n", "utf-8")
    run("new", "p.palimpsest")
    run("import", "p.palimpsest", "rows.jsonl")

    def labels(action: str, *arguments: str, code: int = 0) -> dict[str, Any]:
        return rows("labels", "p.palimpsest", action, *arguments, "--set", "mood", code=code)[0]

    def counts() -> dict[str, int]:
        return {value["value"]: value["labels"] for value in labels("values")["values"]}

    assert labels("import", "a.csv", "--who", "root")["imported"] == 3
    refused = labels("import", "b.csv", "--who", "root", code=1)
    assert (refused["imported"], [c["name"] for c in refused["not_changed"]]) == (0, ["e0"])
    assert counts() == {"ham": 1, "spam": 2}
    assert labels("rename", "--value", "spam", "--to", "junk")["labels"] == 2
    assert counts() == {"ham": 1, "junk": 2}
    assert (
        "already a value ham"
        in run(*("labels", "p.palimpsest", "rename", "--set", "mood", "--value", "junk", "--to", "ham"), code=1).stderr
    )
    assert labels("rename", "--value", "junk", "--to", "ham", "--merge")["labels"] == 2
    assert counts() == {"ham": 3}
    assert labels("rename", "--value", "junk", "--undo")["labels"] == 2
    assert counts() == {"ham": 1, "junk": 2}
    assert "2 labels" in run("labels", "p.palimpsest", "remove", "--set", "mood", "--value", "junk", code=1).stderr
    assert labels("remove", "--value", "junk", "--retire") == {
        "set": "mood",
        "value": "junk",
        "labels": 2,
        "retired": True,
    }
    assert labels("import", "b.csv", "--who", "root", "--overwrite")["imported"] == 1


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_entries_are_assigned_shared_and_merged(run: Run, rows: Rows, tmp_path: Path) -> None:
    documents = [{"id": f"e{i}", "role": "suspect", "text": f"Entry {i}."} for i in range(6)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in documents), encoding="utf-8")
    run("new", "p.palimpsest")
    run("import", "p.palimpsest", "rows.jsonl")
    assigned = rows("labels", "p.palimpsest", "assign", "--annotators", "ann,ben", "--each", 2)[0]
    assert assigned == {"assigned": {"ann": 6, "ben": 6}}
    for who in ("ann", "ben"):
        shared = rows("labels", "p.palimpsest", "share", f"{who}.palimpsest", "--who", who)[0]
        assert (shared["entries"], shared["documents"], shared["labels"]) == (6, 6, 0)
        wide = f"entry,{who}\n" + "".join(f"e{i},{'splog' if i % 2 else 'blog'}\n" for i in range(6))
        (tmp_path / f"{who}.csv").write_text(wide, encoding="utf-8")
        columns = f"entry=id,{who}=label:{who}"
        run("labels", f"{who}.palimpsest", "import", f"{who}.csv", "--set", "class", "--columns", columns)
    for who, added, known in (("ben", 6, 0), ("ann", 6, 0), ("ben", 0, 6)):
        merged = rows("labels", "p.palimpsest", "merge", f"{who}.palimpsest")[0]
        assert (merged["added"], merged["known"], merged["failed"]) == (added, known, [])
    agreement = rows("labels", "p.palimpsest", "agreement")[0]
    assert (agreement["alpha"]["value"], agreement["annotators"]) == (1.0, {"ann": 6, "ben": 6})
    assert agreement["values"]["splog"]["value"] == 1.0
    assert (
        "would replace a project"
        in run("labels", "p.palimpsest", "share", "p.palimpsest", "--who", "ann", code=1).stderr
    )
