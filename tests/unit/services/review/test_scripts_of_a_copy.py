"""A copy in another script: said to be the same but for the script wherever it is shown, and nowhere a change."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from workbench.base.types import Document, Matches, Results, Role, Span, Tier
from workbench.cli import main as command_line
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.review.differences import differences
from workbench.services.review.evidence import measured
from workbench.services.session import Session, create
from workbench.text.scripts import same_but_for_script

SIMPLIFIED = "我们发现，网络上的文章经常被人复制。学者认为这种行为对创作者很不公平，也让读者难以判断。"
TRADITIONAL = "我們發現，網絡上的文章經常被人複製。學者認爲這種行爲對創作者很不公平，也讓讀者難以判斷。"
SPACES = "equal except for line ends and spaces"
OLD = "學校の圖書館で讀んだ本に、この國の歷史が書いてある。"
NEW = "学校の図書館で読んだ本に、この国の歴史が書いてある。"


def whole(text: str) -> Span:
    return Span(0, len(text))


@pytest.mark.parametrize(("a", "b"), [(SIMPLIFIED, TRADITIONAL), (TRADITIONAL, SIMPLIFIED), (OLD, NEW), (NEW, OLD)])
def test_another_script_is_not_a_difference_but_another_word_is(a: str, b: str) -> None:
    assert same_but_for_script(a, b)
    assert differences(a, whole(a), b, whole(b)) == []
    changed = f"{a[:5]}猫{a[6:]}"
    assert not same_but_for_script(changed, b)
    assert [edit.a_span for edit in differences(changed, whole(changed), b, whole(b))] == [Span(5, 6)]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # Within one script the character of another is another word.
        ("彼は裏の道を歩いて後の人に聞いた。時間を見る。", "彼は里の道を歩いて後の人に聞いた。時間を見る。"),
        ("皇后在前面說話，後來離開了這裡。", "皇后在後面說話，後來離開了這裡。"),
        (SIMPLIFIED, SIMPLIFIED),
        ("plain words", "plain, words"),
    ],
)
def test_texts_of_one_script_are_not_the_same_but_for_it(a: str, b: str) -> None:
    assert not same_but_for_script(a, b)
    letters = ("".join(filter(str.isalnum, text)) for text in (a, b))
    assert bool(differences(a, whole(a), b, whole(b))) == (a != b)
    assert len(set(letters)) in (1, 2)


def test_every_form_says_it_and_marks_nothing_as_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    create(tmp_path / "c.palimpsest")
    evidence = {"methods": np.array([4]), "surprisal": np.array([0.0]), "odds": np.array([70.0])}
    one = [np.array([value], np.int64) for value in (1, 2, 0, len(SIMPLIFIED), 0, len(TRADITIONAL))]
    matches = Matches(*one, np.array([1.0]), np.array([int(Tier.FOLDED)], np.int8), evidence)
    documents = [Document("s", SIMPLIFIED, Role.SUSPECT), Document("t", TRADITIONAL, Role.SOURCE)]
    with Session(tmp_path / "c.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, documents)
            run = begin_run(connection, "copies", 1, {}, "00", 1)
            finish_chunk(connection, run.id, 0, Results(matches), documents=1)
        with session.write() as connection:
            finish_run(connection, run.id)
        for suffix in (".html", ".csv", ".jsonl"):
            export(session, Selection(), tmp_path / f"r{suffix}")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "same except for the script" in page
    assert "<u>" not in page
    assert "0 bits" not in page
    record = json.loads((tmp_path / "r.jsonl").read_text("utf-8").splitlines()[1])
    assert (record["tier"], record["same_but_for_script"]) == (int(Tier.FOLDED), True)
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        assert next(csv.DictReader(file))["tier"] == "same except for the script"
    assert command_line.main(["matches", str(tmp_path / "c.palimpsest"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["same_but_for_script"] is True


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ("One line.\nTwo words.", "One line. Two words.", SPACES),
        ("一行です。\n二行です。", "一行です。二行です。", SPACES),
        ("One line, two.", "One line: two.", "equal except for symbols, spaces, width or case"),
        ("One line.\n1\nTwo words.", "One line. Two words.", "equal sentences, with letters or figures between them"),
    ],
)
def test_line_ends_and_spaces_alone_are_called_so(tmp_path: Path, one: str, other: str, name: str) -> None:
    create(tmp_path / "c.palimpsest")
    spans = [np.array([value], np.int64) for value in (1, 2, 0, len(one), 0, len(other))]
    matches = Matches(*spans, np.array([1.0]), np.array([int(Tier.FOLDED)], np.int8))
    with Session(tmp_path / "c.palimpsest") as session:
        with session.write() as connection:
            add_documents(connection, [Document("s", one, Role.SUSPECT), Document("t", other, Role.SOURCE)])
            run = begin_run(connection, "digest", 1, {}, "00", 1)
            finish_chunk(connection, run.id, 0, Results(matches), documents=1)
            finish_run(connection, run.id)
        for suffix in (".html", ".csv"):
            export(session, Selection(), tmp_path / f"r{suffix}")
    assert name in (tmp_path / "r.html").read_text("utf-8")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        assert next(csv.DictReader(file))["tier"] == name


@pytest.mark.parametrize(("methods", "shown"), [(1, True), (3, True), (4, False), (6, False)])
def test_a_figure_of_a_method_that_did_not_see_the_passage_is_not_shown(methods: int, shown: bool) -> None:
    assert measured("surprisal", {"surprisal": 0.0, "methods": methods}) is shown
    assert measured("surprisal", {"surprisal": 0.0})
