from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.services.contents import overview
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.importing.extracting import extract_files
from workbench.services.pages.hidden import hidden_text, stored_hidden_text
from workbench.services.session import Session, create

HIDDEN = "These words are hidden.\nAnd these."
PAGE = (
    "<html><body><h1>A title</h1><p>What anybody can read stands here.</p>"
    "<div hidden>These <b>words</b> are hidden.<p>And these.</p></div></body></html>"
)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    page, row, plain = tmp_path / "page.html", tmp_path / "rows.jsonl", tmp_path / "plain.html"
    page.write_text(PAGE, encoding="utf-8")
    row.write_text(json.dumps({"id": "row", "html": PAGE.replace("anybody", "everybody")}), encoding="utf-8")
    plain.write_text('<p>A link to "hidden":5 and <a href=\'x"hidden":7\'>more</a>.</p>', encoding="utf-8")
    return [page, row, plain]


def test_what_a_page_hides_is_counted_and_can_be_shown(tmp_path: Path, ctx: Context, files: list[Path]) -> None:
    path = tmp_path / "p.palimpsest"
    create(path)
    import_paths(ctx, path, files, Role.SUSPECT, ImportOptions(workers=1))
    with Session(path, write=False) as session:
        facts = overview(session)
        with session.read() as connection:
            documents = [load_document(connection, key) for key in (1, 2, 3)]
    assert [d.extraction.hidden for d in documents] == [len(HIDDEN), len(HIDDEN), 0]
    assert (facts.hidden_pages, facts.hidden_characters) == (2, 2 * len(HIDDEN))
    assert [stored_hidden_text(ctx, path, d.key) for d in documents] == [HIDDEN, HIDDEN, ""]
    assert not any("hidden." in d.text for d in documents)


def test_a_file_shows_what_is_hidden_in_it(ctx: Context, files: list[Path]) -> None:
    extracted = dict(extract_files(ctx, files, ImportOptions(workers=1)))
    shown = [hidden_text(document) for document in extracted.values() if not isinstance(document, str)]
    assert shown == [HIDDEN, HIDDEN, ""]


def test_a_document_without_its_markup_has_nothing_to_show(ctx: Context, files: list[Path]) -> None:
    document = next(document for _, document in extract_files(ctx, files, ImportOptions(workers=1)))
    assert not isinstance(document, str)
    assert hidden_text(replace(document, markup="")) == ""
