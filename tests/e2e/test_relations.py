"""Clusters and stitched pages from the command line, over real detection."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.conftest import Rows, Run

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


def test_a_page_made_of_three_others_is_found_with_its_sources(rows: Rows, tmp_path: Path) -> None:
    documents = [{"id": name, "role": "source", "text": text} for name, text in TEXTS.items()]
    stitched = "はじめに一言だけ。" + "".join(TEXTS.values())
    documents += [
        {"id": "made", "role": "suspect", "text": stitched},
        {"id": "copy", "role": "suspect", "text": TEXTS["rain"]},
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in documents), "utf-8")
    rows("new", "case.palimpsest")
    rows("import", "case.palimpsest", "all.jsonl")
    rows("detect", "case.palimpsest", "digest")
    (page,) = rows("relations", "case.palimpsest", 1, "--stitched")
    assert page["id"] == "made"
    assert {source["id"] for source in page["sources"]} == set(TEXTS)
    assert page["covered"] == sum(source["characters"] for source in page["sources"])
    assert page["share"] == round(page["covered"] / len(stitched), 4) > 0.9
    assert rows("relations", "case.palimpsest", "--stitched", "--sources", 4) == []
    (cluster,) = rows("relations", "case.palimpsest", "--clusters")
    assert set(cluster["documents"]) == {*TEXTS, "made", "copy"}
    assert (cluster["pairs"], cluster["figure"]) == (4, "resemblance")
    (written,) = rows("relations", "case.palimpsest", "--out", "graph.graphml")
    assert (written["pairs"], (tmp_path / "graph.graphml").is_file()) == (4, True)
    assert rows("relations", "case.palimpsest") == [
        {"relation": "inclusion of a copy", "pairs": 3, "documents": 4},
        {"relation": "whole copy", "pairs": 1, "documents": 2},
    ]


def test_what_a_run_found_is_listed_by_tag(rows: Rows, tmp_path: Path) -> None:
    documents = [{"id": name, "role": "source", "text": text, "tags": ["old"]} for name, text in TEXTS.items()]
    documents += [{"id": f"copy of {name}", "role": "suspect", "text": text} for name, text in TEXTS.items()]
    (tmp_path / "all.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in documents), "utf-8")
    rows("new", "case.palimpsest")
    rows("import", "case.palimpsest", "all.jsonl")
    rows("tags", "case.palimpsest", "add", "mail", "copy of rain")
    rows("detect", "case.palimpsest", "digest")
    (match,) = rows("matches", "case.palimpsest", "--tag", "mail")
    assert match["a"]["id"] == "copy of rain"
    assert len(rows("matches", "case.palimpsest", "--tag=-mail")) == 2
    assert rows("matches", "case.palimpsest", "--tag", "old") == []
    (pair,) = rows("pairs", "case.palimpsest", "--tag", "mail")
    assert (pair["a"], pair["b"]) == ("copy of rain", "rain")
    assert len(rows("pairs", "case.palimpsest", "--tag", "old")) == 3
    assert [pair["a"] for pair in rows("pairs", "case.palimpsest", "--tag=-mail")] == ["copy of mill", "copy of ship"]
    rows("scores", "case.palimpsest", "--tag", "nothing", code=1)


def test_a_pair_of_near_duplicates_is_compared_by_its_figures_where_the_method_has_no_passages(
    run: Run, rows: Rows, tmp_path: Path
) -> None:
    documents = [{"id": "old", "role": "source", "text": TEXTS["rain"] * 3}]
    documents += [{"id": "new", "role": "suspect", "text": TEXTS["rain"] * 3 + "。"}]
    documents += [{"id": "other", "role": "suspect", "text": TEXTS["mill"]}]
    (tmp_path / "all.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in documents), "utf-8")
    rows("new", "case.palimpsest")
    rows("import", "case.palimpsest", "all.jsonl")
    (comparison,) = rows("compare", "case.palimpsest", "new", "old", "--method", "cosine")
    (pair,) = comparison["pairs"]
    assert (pair["a"], pair["b"], round(pair["score"], 2)) == ("new", "old", 1)
    printed = run("compare", "case.palimpsest", "new", "old", "--method", "cosine").stdout
    assert f"The pair: score {pair['score']:g}" in printed
    assert "Why not" not in printed
    assert "Why not" in run("compare", "case.palimpsest", "other", "old", "--method", "cosine").stdout
    # No run has used this method: it is not said that an index was lost.
    note = run("explain", "case.palimpsest", "new", "old", "--method", "cosine").stderr
    assert "There is no index for these settings: the figures are based on the two texts alone." in note


def test_the_text_of_a_compared_passage_ends_where_the_passage_ends(run: Run, rows: Rows, tmp_path: Path) -> None:
    sentence = TEXTS["rain"].partition("。")[0] + "。"
    documents = [{"id": "old", "role": "source", "text": TEXTS["rain"]}]
    documents += [{"id": "new", "role": "suspect", "text": sentence + TEXTS["mill"]}]
    (tmp_path / "all.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in documents), "utf-8")
    rows("new", "case.palimpsest")
    rows("import", "case.palimpsest", "all.jsonl")
    printed = run("compare", "case.palimpsest", "new", "old", "--method", "digest", "--set", "min_run=1").stdout
    assert sentence in printed
    assert TEXTS["mill"][:6] not in printed


def test_wrong_use_is_refused(rows: Rows) -> None:
    rows("new", "case.palimpsest")
    rows("relations", "case.palimpsest", 7, code=1)
    rows("relations", "case.palimpsest", "--stitched", "--clusters", code=2)
    rows("relations", "case.palimpsest", "--stitched", "--share", 2, code=2)
