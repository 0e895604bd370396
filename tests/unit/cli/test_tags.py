"""The verb ``tags``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.base.types import Document
from workbench.cli.main import main
from workbench.project.database import create
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_run
from workbench.services.queries import count_roles
from workbench.services.session import Session


@pytest.fixture
def tagged(tmp_path: Path) -> str:
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        tags = {"one": ("news",), "two": ("mail",), "three": ()}
        add_documents(connection, [Document(name, f"text of {name}", tags=own) for name, own in tags.items()])
    return str(path)


def _listed(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    return [line.split() for line in capsys.readouterr().out.splitlines()[1:]]


def test_documents_without_a_tag_include_those_that_have_none(tagged: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tags", tagged, "documents", "--tag", "-news"]) == 0
    assert _listed(capsys) == [["three"], ["two", "mail"]]
    assert main(["tags", tagged, "documents", "--tag", "news"]) == 0
    assert _listed(capsys) == [["one", "news"]]


@pytest.mark.parametrize(
    "words", [("documents", "news"), ("list", "news"), ("list", "--tag", "news"), ("add", "--tag", "news", "x", "one")]
)
def test_words_that_an_action_does_not_use_are_refused(
    tagged: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tags", tagged, *words]) == 2
    assert "tags" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["matches", "pairs", "scores", "export"])
def test_a_filter_with_a_tag_that_no_document_has_names_the_tags_that_they_have(
    tagged: str, tmp_path: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Session(Path(tagged)) as session, session.write() as connection:
        finish_run(connection, begin_run(connection, "digest", 1, {}, "0", 0).id)
    words = [str(tmp_path / "out")] if verb == "export" else []
    assert main([verb, tagged, *words, "--tag", "nwes"]) == 1
    assert "No document has the chosen tags. Available: mail, news." in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_role_is_changed_and_the_command_that_undoes_it_is_shown(
    tagged: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tags", tagged, "role", "suspect", "one", "two"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2 documents changed.",
        f"Undo: palimpsest tags {tagged} role source one two",
    ]
    assert main(["tags", tagged, "role", "suspect", "one", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"changed": 0, "role": "suspect", "before": {}}
    assert main(["tags", tagged, "role", "accused", "one"]) == 2
    assert main(["tags", tagged, "role", "suspect", "four"]) == 1
    with Session(Path(tagged), write=False) as session:
        assert count_roles(session) == {"source": 1, "suspect": 2, "background": 0}
