from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, func, select, update

from workbench.base.errors import ProjectError
from workbench.base.types import Anchor, Block, BlockClass, BlockKind, Document, Extraction, Role, Span
from workbench.project import documents as documents_module
from workbench.project.database import Project
from workbench.project.documents import (
    add_documents,
    change_role,
    corpus_hash,
    count_documents,
    delete_documents,
    iter_documents,
    load_document,
    restore_documents,
)
from workbench.project.imports import begin_batch
from workbench.project.listing import document_table, documents_page, ids_of
from workbench.project.tables import detail_rows, document_rows, text_rows

RICH = Document(
    id="page",
    text="見出し\n本文です。\n",
    role=Role.SUSPECT,
    title="題",
    url="http://a.example/x",
    site="a.example",
    published="2020-01-02",
    language="ja",
    origin="in/page.html",
    blocks=(
        Block(Span(0, 3), BlockKind.HEADING, BlockClass.NON_CONTENT, "short", "html/body/h1"),
        Block(Span(4, 9)),
    ),
    links=("http://b.example/",),
    anchors=(Anchor(Span(0, 3), "http://b.example/"), Anchor(Span(4, 6), "")),
    extraction=Extraction("html", "cp932", "declared", ("one byte",)),
)


def test_a_document_comes_back_as_it_was(project: Project):
    with project.write() as connection:
        add_documents(connection, [RICH])
    with project.read() as connection:
        assert load_document(connection, "page") == replace(RICH, key=1)
        assert load_document(connection, 1) == replace(RICH, key=1)


@pytest.mark.slow
@given(texts=st.lists(st.text(max_size=200), min_size=1, max_size=12))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_back(project: Project, texts: list[str]):
    with project.write() as connection:
        known = count_documents(connection)
        given_documents = [Document(f"{known + i}", text) for i, text in enumerate(texts)]
        add_documents(connection, given_documents)
        assert [load_document(connection, d.id).text for d in given_documents] == texts


def test_equal_texts_are_stored_once(project: Project):
    with project.write() as connection:
        result = add_documents(connection, [Document(str(i), "the same text") for i in range(450)])
        assert (result.added, result.duplicates) == (450, 0)
        assert connection.execute(select(func.count()).select_from(text_rows)).scalar() == 1


def test_the_same_document_again_is_a_duplicate(project: Project):
    with project.write() as connection:
        add_documents(connection, [RICH])
        result = add_documents(connection, [RICH, RICH])
        assert (result.added, result.duplicates, result.ids) == (0, 2, ("page", "page"))


def test_another_text_under_a_given_id_is_a_failure(project: Project):
    with project.write() as connection:
        result = add_documents(connection, [Document("a", "one"), Document("a", "two"), Document("b", "three")])
        assert (result.added, result.ids) == (2, ("a", "", "b"))
        assert result.failures[0][0] == "a"
        assert load_document(connection, "a").text == "one"


def test_ids_made_from_paths_grow_by_folders_until_they_are_free(project: Project):
    def imported(text: str, origin: str) -> Document:
        return Document("a.txt", text, origin=origin)

    with project.write() as connection:
        first = add_documents(
            connection, [imported("1", "/x/in/a.txt"), imported("2", "/y/in/a.txt"), imported("3", "/z/in/a.txt")]
        )
        assert first.ids == ("a.txt", "in/a.txt", "z/in/a.txt")
        again = add_documents(
            connection, [imported("3", "/z/in/a.txt"), imported("2", "/y/in/a.txt"), imported("1", "/x/in/a.txt")]
        )
        assert (again.added, again.duplicates) == (0, 3)
        last = add_documents(connection, [imported("4", "in/a.txt")])
        assert last.failures


def test_an_equal_file_in_another_role_is_a_document_of_its_own(project: Project):
    source = Document("a.txt", "1", Role.SOURCE, origin="/x/originals/a.txt")
    suspect = Document("a.txt", "1", Role.SUSPECT, origin="/x/theses/a.txt")
    with project.write() as connection:
        assert add_documents(connection, [source]).ids == ("a.txt",)
        assert add_documents(connection, [suspect]).ids == ("theses/a.txt",)
        again = add_documents(connection, [source, suspect, replace(source, role=Role.SUSPECT)])
        assert (again.duplicates, again.ids) == (3, ("a.txt", "theses/a.txt", "a.txt"))


def test_equal_files_of_one_import_are_two_documents_and_a_moved_file_is_one(project: Project):
    files = [Document("a.txt", "1", origin=f"/x/{name}/a.txt") for name in ("Ann", "Bob")]
    with project.write() as connection:
        assert add_documents(connection, files, begin_batch(connection)).ids == ("a.txt", "Bob/a.txt")
        moved = [replace(files[0], origin="/y/Ann/a.txt")]
        assert add_documents(connection, moved, begin_batch(connection)).ids == ("a.txt",)


def test_an_unknown_document_is_a_sentence(project: Project):
    with pytest.raises(ProjectError, match="no document nobody"), project.read() as connection:
        load_document(connection, "nobody")


def test_documents_stream_by_role_in_key_order(corpus: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(documents_module, "_PAGE", 3)
    with corpus.read() as connection:
        assert [d.key for d in iter_documents(connection)] == list(range(1, 21))
        assert [d.key for d in iter_documents(connection, [Role.SOURCE], after_key=13)] == list(range(14, 21))
        assert count_documents(connection, [Role.SUSPECT]) == 10


def test_deleted_documents_are_out_of_sight_until_restored(corpus: Project):
    with corpus.write() as connection:
        before = corpus_hash(connection)
        assert delete_documents(connection, [2, 3, 999]) == 2
        assert delete_documents(connection, [2]) == 0
        assert count_documents(connection) == 18
        assert 2 not in {d.key for d in iter_documents(connection)}
        assert "d2" not in document_table(connection).id
        assert corpus_hash(connection) != before
        assert load_document(connection, 2).id == "d2"
        with pytest.raises(ProjectError):
            load_document(connection, "d2")
        assert restore_documents(connection, [2, 3]) == 2
        assert corpus_hash(connection) == before


def test_documents_come_back_in_one_statement(corpus: Project):
    with corpus.write() as connection:
        delete_documents(connection, [2, 3])
        statements: list[str] = []
        event.listen(connection, "before_cursor_execute", lambda *call: statements.append(call[2]))
        assert restore_documents(connection, [2, 3]) == 2
    assert len(statements) == 1


def test_an_id_can_be_used_again_after_deletion_but_not_twice(corpus: Project):
    with corpus.write() as connection:
        delete_documents(connection, [2])
        assert add_documents(connection, [Document("d2", "new words")]).added == 1
        with pytest.raises(ProjectError, match="d2"):
            restore_documents(connection, [2])


def test_two_deleted_documents_of_one_id_do_not_both_come_back(project: Project):
    keys = []
    for text in ("one", "two"):
        with project.write() as connection:
            add_documents(connection, [Document("same", text)])
            keys.append(load_document(connection, "same").key)
            delete_documents(connection, keys)
    with project.write() as connection:
        with pytest.raises(ProjectError, match="id same"):
            restore_documents(connection, keys)
        assert restore_documents(connection, keys[:1]) == 1
        assert load_document(connection, "same").text == "one"


def test_the_corpus_hash_tells_roles_apart(corpus: Project):
    with corpus.write() as connection:
        before = corpus_hash(connection)
        change_role(connection, [1], Role.BACKGROUND)
        assert corpus_hash(connection) != before
        change_role(connection, [1], Role.SUSPECT)
        assert corpus_hash(connection) == before


def test_the_corpus_hash_depends_on_texts_and_roles_only(corpus: Project):
    with corpus.write() as connection:
        all_roles, sources = corpus_hash(connection), corpus_hash(connection, [Role.SOURCE])
        add_documents(connection, [Document("more", "more", role=Role.SUSPECT)])
        assert corpus_hash(connection) != all_roles
        assert corpus_hash(connection, [Role.SOURCE]) == sources


def test_pages_follow_each_other_without_gaps(corpus: Project):
    with corpus.read() as connection:
        keys, after = [], 0
        while page := documents_page(connection, after_key=after, limit=7):
            keys += [item.key for item in page]
            after = page[-1].key
        assert keys == list(range(1, 21))
        assert {item.role for item in documents_page(connection, roles=[Role.SOURCE])} == {Role.SOURCE}


def test_the_table_shows_lengths(corpus: Project):
    with corpus.read() as connection:
        table = document_table(connection)
    assert len(table) == 20
    assert set(table.length.tolist()) == {1000}


def test_ids_by_key(corpus: Project):
    with corpus.read() as connection:
        assert ids_of(connection, [1, 20, 77]) == {1: "d1", 20: "d20"}
        assert len(ids_of(connection)) == 20


def test_an_empty_project_has_an_empty_table(project: Project):
    with project.read() as connection:
        assert len(document_table(connection)) == 0


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (text_rows.c.packed, b"nonsense"),
        (text_rows.c.size, 10),
        (text_rows.c.size, -1),
        (text_rows.c.size, 1 << 40),
        (text_rows.c.hash, bytes(32)),
        (detail_rows.c.packed, b""),
        (document_rows.c.role, "boss"),
    ],
)
def test_spoilt_rows_are_a_sentence(corpus: Project, column, value):
    with corpus.write() as connection:
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        table = column.table
        first = next(iter(table.primary_key))
        connection.execute(update(table).where(first == 1).values({column: value}))
    with pytest.raises(ProjectError, match="damaged"), corpus.read() as connection:
        load_document(connection, 1)


def test_a_changed_role_says_what_was_before_and_changes_what_methods_see(corpus: Project):
    with corpus.write() as connection:
        documents = list(iter_documents(connection))
        seen = corpus_hash(connection, (Role.SOURCE,))
        keys = [d.key for d in documents]
        before = change_role(connection, keys, Role.SOURCE)
        assert before == {
            role: [d.key for d in documents if d.role == role]
            for role in Role
            if role != Role.SOURCE and any(d.role == role for d in documents)
        }
        assert count_documents(connection, (Role.SOURCE,)) == len(documents)
        assert corpus_hash(connection, (Role.SOURCE,)) != seen
        assert change_role(connection, keys, Role.SOURCE) == {}


@pytest.mark.parametrize("typed", ["essy01", "esay01.txt", "handed-in/essay01.txt", "ESSAY01"])
def test_an_id_that_does_not_exist_is_answered_with_the_file_that_was_meant(project: Project, typed: str) -> None:
    ids = ["handed-in/2026/essay01.txt", "handed-in/2026/report.txt"]
    with project.write() as connection:
        add_documents(connection, [Document(name, f"{name} text", Role.SUSPECT) for name in ids])
    with project.read() as connection:
        error = documents_module.no_document(connection, typed)
        assert "handed-in/2026/essay01.txt" in str(error)
        assert "report" not in str(error)
        assert "report" not in str(documents_module.no_document(connection, "unrelated"))
