"""The verb ``blocks``: what it prints of the blocks of a page, and what it decides."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.base.types import Block, BlockClass, Document, Role, Span
from workbench.cli.main import main
from workbench.project.documents import add_documents
from workbench.services.pages.decisions import open_page
from workbench.services.pages.judging import JudgingOutcome
from workbench.services.session import Session, create

TEXT = "Politics Economy\nThe harvest moon rose above the quiet orchard.\n" + "word " * 30


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A page of three blocks, the first of which is no content, and a plain text."""
    path = tmp_path / "p.palimpsest"
    create(path)
    blocks = (
        Block(Span(0, 16), verdict=BlockClass.NON_CONTENT, rule="links among the words", path="/html/body/nav"),
        Block(Span(17, 63), rule="in the part that holds the text", path="/html/body/p"),
        Block(Span(64, len(TEXT)), rule="in the part that holds the text", path="/html/body/p[2]"),
    )
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("page", TEXT, Role.SOURCE, blocks=blocks)])
        add_documents(connection, [Document("plain", "No blocks.", Role.SOURCE)])
    return path


def verdicts(project: Path) -> list[str]:
    with Session(project, write=False) as session:
        return [block.verdict.value for block in open_page(session, "page").blocks]


def test_the_blocks_of_a_page_are_listed_with_their_class_and_rule(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["blocks", str(project), "list", "page"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["start", "class", "rule", "text"]
    assert [" ".join(line.split()) for line in lines[:2]] == [
        "0 non-content links among the words Politics Economy",
        "17 content in the part that holds the text The harvest moon rose above the quiet orchard.",
    ]
    assert lines[2].split()[0] == "64"
    assert lines[2].endswith("…")
    assert main(["blocks", str(project), "list", "page", "--json"]) == 0
    rows: list[Any] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[1] == {
        "start": 17,
        "end": 63,
        "verdict": "content",
        "rule": "in the part that holds the text",
        "path": "/html/body/p",
        "text": TEXT[17:63],
    }
    assert main(["blocks", str(project), "list", "plain"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "This document has no blocks; all of its text counts."


def test_a_decision_about_a_block_holds_until_the_rule_decides_again(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["blocks", str(project), "decide", "page", "17", "non-content"]) == 0
    assert capsys.readouterr().out == "Characters 17 to 63 of page: non-content.\n"
    assert verdicts(project) == ["non-content", "non-content", "content"]
    assert main(["blocks", str(project), "decide", "page", "17", "content", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"id": "page", "start": 17, "end": 63, "verdict": "content"}
    assert main(["blocks", str(project), "decide", "page", "0", "content"]) == 0
    assert verdicts(project) == ["content", "content", "content"]
    assert main(["blocks", str(project), "decide", "page", "0", "rule"]) == 0
    assert verdicts(project) == ["non-content", "content", "content"]
    capsys.readouterr()
    assert main(["blocks", str(project), "decide", "page", "18", "content"]) == 1
    shown = capsys.readouterr().err
    assert "No block of page begins at 18." in shown
    assert f"blocks {project} list page" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("list",), "blocks list needs the ID of a document."),
        (("list", "page", "17"), "blocks list takes no START; blocks decide does."),
        (("decide", "page"), "blocks decide needs ID START CLASS."),
        (("decide", "page", "17"), "blocks decide needs ID START CLASS."),
        (("list", "page", "--rule", "strict"), "--rule is for judge, not for list."),
        (("list", "page", "--no-site-repetition"), "--no-site-repetition is for judge, not for list."),
        (("judge", "page"), "blocks judge judges all pages; it takes no ID."),
    ],
)
def test_words_that_an_action_cannot_use_are_refused_with_what_it_needs(
    project: Path, words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["blocks", str(project), *words]) == 2
    assert sentence in capsys.readouterr().err
    assert verdicts(project) == ["non-content", "content", "content"]


@pytest.mark.parametrize("skipped", [0, 1])
def test_the_pages_that_were_judged_again_are_counted(
    project: Path, skipped: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[tuple[object, ...]] = []

    def at_once(_output: object, _job: Callable[..., object], *rest: object, **named: object) -> JudgingOutcome:
        calls.append((*rest, named))
        return JudgingOutcome(1200, 3, skipped)

    monkeypatch.setattr("workbench.cli.monitor.run_job", at_once)
    assert main(["blocks", str(project), "judge", "--rule", "all", "--workers", "3"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "1,200 pages judged, 3 changed."
    assert shown[1:] == ["1 page left as before: the markup now has a different text."] * skipped
    assert calls[0][:2] == (project, "all")
    assert main(["blocks", str(project), "judge", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"pages": 1200, "changed": 3, "left": skipped}
