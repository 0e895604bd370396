from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.base.tags import TagFilter
from workbench.base.types import Document, Role
from workbench.project import database
from workbench.project.documents import (
    add_documents,
    corpus_hash,
    count_documents,
    delete_documents,
    iter_documents,
    load_document,
)
from workbench.project.listing import document_table, documents_page
from workbench.project.tags import Scope, attach_tags, detach_tags, give_back, tag_counts, tags_by_id

ROLES = [Role.SUSPECT, Role.SOURCE, Role.BACKGROUND]


def _project(path: Path, tags: list[tuple[str, ...]]) -> database.Project:
    project = database.create(path)
    with project.write() as connection:
        rows = [Document(f"d{i}", f"text {i}", ROLES[i % 3], tags=own) for i, own in enumerate(tags)]
        add_documents(connection, rows)
    return project


def test_tags_are_put_on_taken_off_and_given_back(tmp_path: Path) -> None:
    with _project(tmp_path / "p.palimpsest", [("a",), ("a", "b"), ()]) as project, project.write() as connection:
        before = attach_tags(connection, [1, 2, 3], ["b", "新"])
        assert before == {1: ("a",), 2: ("a", "b"), 3: ()}
        assert tags_by_id(connection) == {"d0": ("a", "b", "新"), "d1": ("a", "b", "新"), "d2": ("b", "新")}
        assert attach_tags(connection, [1], ["a"]) == {}
        assert detach_tags(connection, [1, 2, 3], ["a", "zzz"]) == {1: ("a", "b", "新"), 2: ("a", "b", "新")}
        give_back(connection, before, ["b", "新"], ["a"])
        assert tag_counts(connection) == {"a": 2, "b": 1}
        assert load_document(connection, "d1").tags == ("a", "b")
        delete_documents(connection, [2])
        assert tag_counts(connection) == {"a": 1}


def test_a_duplicate_gets_the_tags_it_comes_with(tmp_path: Path) -> None:
    with _project(tmp_path / "p.palimpsest", [("a",)]) as project, project.write() as connection:
        result = add_documents(connection, [Document("d0", "text 0", Role.SOURCE, tags=("b",))])
        assert (result.added, result.duplicates) == (0, 1)
        assert load_document(connection, "d0").tags == ("a", "b")


FILTERS = st.builds(
    TagFilter, st.frozensets(st.sampled_from("ab"), max_size=2), st.frozensets(st.sampled_from("bc"), max_size=2)
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sets(st.sampled_from(["a", "b", "c", "ab"])), max_size=9), FILTERS, FILTERS)
def test_a_scope_chooses_the_same_documents_everywhere(
    tmp_path_factory: object, tags: list[set[str]], suspects: TagFilter, others: TagFilter
) -> None:
    folder = tmp_path_factory.mktemp("scope")  # type: ignore[attr-defined]
    scope = Scope(suspects, others)
    with _project(folder / "p.palimpsest", [tuple(own) for own in tags]) as project, project.read() as connection:
        expected = {f"d{i}" for i, own in enumerate(tags) if (others if i % 3 else suspects).accepts(own)}
        assert {d.id for d in iter_documents(connection, scope=scope)} == expected
        assert {item.id for item in documents_page(connection, scope=scope)} == expected
        assert count_documents(connection, scope=scope) == len(expected)
        same = expected == {f"d{i}" for i in range(len(tags))}
        assert (corpus_hash(connection, scope=scope) == corpus_hash(connection)) == same
        assert [set(own) for own in document_table(connection).tags] == tags
