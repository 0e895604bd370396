"""Clusters and stitched pages from the command line, over real detection."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TEXTS = {
    "rain": (
        "雨の日の駅前では傘の花が静かに開き始めていた。"
        "改札を出た人々は空を見上げて足を止める。"
        "やがて灯りが一つずつ水たまりに映った。"
    ),
    "mill": (
        "古い水車小屋の裏手には小さな畑が広がっている。"
        "主人は毎朝まだ暗いうちに水門を開けに行く。"
        "粉の匂いが谷の奥まで漂うのだった。"
    ),
    "ship": (
        "港に着いた貨物船は三日の間荷を降ろし続けた。"
        "船員たちは夜になると岸壁に座って故郷の歌を歌う。"
        "次の航海の行き先はまだ誰も知らない。"
    ),
}


@pytest.fixture
def run(tmp_path: Path) -> Any:
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}

    def call(*arguments: object, code: int = 0) -> list[Any]:
        command = [sys.executable, "-m", "workbench", *map(str, arguments), "--json"]
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", cwd=tmp_path, env=kept, timeout=100, check=False
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return call


def test_a_page_made_of_three_others_is_found_with_its_sources(run: Any, tmp_path: Path) -> None:
    rows = [{"id": name, "role": "source", "text": text} for name, text in TEXTS.items()]
    made = "はじめに一言だけ。" + "".join(TEXTS.values())
    rows += [{"id": "made", "role": "suspect", "text": made}, {"id": "copy", "role": "suspect", "text": TEXTS["rain"]}]
    (tmp_path / "all.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    run("new", "case.palimpsest")
    run("import", "case.palimpsest", "all.jsonl")
    run("detect", "case.palimpsest", "digest")
    (page,) = run("relations", "case.palimpsest", 1, "--stitched")
    assert page["id"] == "made"
    assert {source["id"] for source in page["sources"]} == set(TEXTS)
    assert page["covered"] == sum(source["characters"] for source in page["sources"])
    assert page["share"] == round(page["covered"] / len(made), 4) > 0.9
    assert run("relations", "case.palimpsest", "--stitched", "--sources", 4) == []
    (cluster,) = run("relations", "case.palimpsest", "--clusters")
    assert set(cluster["documents"]) == {*TEXTS, "made", "copy"}
    assert (cluster["pairs"], cluster["figure"]) == (4, "score")
    assert run("relations", "case.palimpsest") == [{"relation": None, "pairs": 4, "documents": 5}]


def test_wrong_use_is_refused(run: Any) -> None:
    run("new", "case.palimpsest")
    run("relations", "case.palimpsest", 7, code=1)
    run("relations", "case.palimpsest", "--stitched", "--clusters", code=2)
    run("relations", "case.palimpsest", "--stitched", "--share", 2, code=2)
