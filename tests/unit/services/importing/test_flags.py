"""Unusual characters are found whichever way a text comes in."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.project.documents import iter_documents
from workbench.services.detecting.querying import as_text
from workbench.services.importing.batch import ImportOptions, import_paths, paste
from workbench.services.session import Session, create

HIDDEN = "<span style='font-size:0.1px'>words that nobody sees</span>"
PAGE = f"<html><body><p>The ferry leaves the harbour at noon {HIDDEN} and comes back at night.</p></body></html>"
LETTERS = "The h\u200ba\u200br\u200bb\u200bo\u200bu\u200br is quiet, and n\u200bo\u200bb\u200bo\u200bd\u200by waits."


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "html"])
def test_hidden_words_of_a_page_are_flagged_in_every_form_it_is_imported_in(
    tmp_path: Path, ctx: Context, suffix: str
) -> None:
    project, file = tmp_path / "p.palimpsest", tmp_path / f"in.{suffix}"
    create(project)
    if suffix == "jsonl":
        file.write_text("".join(json.dumps({"id": f"p{n}", "html": PAGE}) + "\n" for n in range(2)), "utf-8")
    elif suffix == "csv":
        with file.open("w", encoding="utf-8", newline="") as rows:
            csv.writer(rows).writerows([("id", "html"), ("p0", PAGE), ("p1", PAGE)])
    else:
        file.write_text(PAGE, "utf-8")
    import_paths(ctx, project, [file], Role.SUSPECT, ImportOptions())
    with Session(project) as session, session.read() as connection:
        documents = list(iter_documents(connection))
    assert documents
    for document in documents:
        (flag,) = document.extraction.integrity
        assert flag.kind == "hidden-by-style"
        assert document.text[slice(*flag.spans[0])] == "words that nobody sees"


def test_invisible_characters_of_a_pasted_or_typed_text_are_flagged(tmp_path: Path) -> None:
    project = tmp_path / "p.palimpsest"
    create(project)
    with Session(project) as session:
        paste(session, "Pasted", LETTERS, Role.SUSPECT)
    with Session(project) as session, session.read() as connection:
        (document,) = iter_documents(connection)
    for one in (document, as_text(LETTERS, "typed")):
        assert [flag.kind for flag in one.extraction.integrity] == ["invisible"]
