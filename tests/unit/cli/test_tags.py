"""The verb ``tags``."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.types import Document
from workbench.cli.main import main
from workbench.project.database import create
from workbench.project.documents import add_documents
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
