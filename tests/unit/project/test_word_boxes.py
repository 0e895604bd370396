"""Where the words of a scan are, as a project keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import ProjectError
from workbench.base.types import Document, Extraction, PrintedPage, WordBox
from workbench.project import migrations
from workbench.project.database import create, open_project
from workbench.project.documents import add_documents
from workbench.project.packing import pack
from workbench.project.word_boxes import load_words

WORDS = (WordBox(0, 0, 0, 4, 100, 200, 9_000, 800), WordBox(0, 1, 5, 9, 50, 900, 65_535, 65_535))
SCAN = Document(
    "scan",
    "read text",
    original=b"file",
    words=WORDS,
    extraction=Extraction(pages=(PrintedPage("", (0, 5)),), ocr=(80,)),
)


def test_words_are_kept_with_their_boxes_and_once(path: Path) -> None:
    with create(path) as project, project.write() as connection:
        add_documents(connection, [SCAN])
        assert add_documents(connection, [SCAN]).duplicates == 1
        assert load_words(connection, 1, 1, 9) == WORDS
        assert load_words(connection, 2, 1, 9) == ()


def test_words_of_an_older_project_come_with_another_import(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "STEPS", migrations.STEPS[:4])
    create(path).close()
    monkeypatch.undo()
    with open_project(path) as project, project.write() as connection:
        add_documents(connection, [Document("scan", "read text")])
        assert load_words(connection, 1, 1, 9) == ()
        add_documents(connection, [SCAN])
        assert load_words(connection, 1, 1, 9) == WORDS


@pytest.mark.parametrize(("pages", "characters"), [(0, 9), (1, 8)])
def test_words_of_another_document_are_refused(path: Path, pages: int, characters: int) -> None:
    with create(path) as project, project.write() as connection:
        add_documents(connection, [SCAN])
        with pytest.raises(ProjectError, match="boxes outside its pages"):
            load_words(connection, 1, pages, characters)


def test_a_damaged_row_is_refused(path: Path) -> None:
    with create(path) as project, project.write() as connection:
        add_documents(connection, [SCAN])
        size, data = pack(b"12345")
        connection.exec_driver_sql("UPDATE word_box SET size = ?, packed = ?", (size, data))
        with pytest.raises(ProjectError, match="wrong shape"):
            load_words(connection, 1, 1, 9)
