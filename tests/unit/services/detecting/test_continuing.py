"""A run after an import examines what is new, and finds what a run over everything finds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from workbench.base.errors import Cancelled
from workbench.base.types import Document, Role, Run
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.documents import add_documents, delete_documents, iter_documents, last_key
from workbench.project.packing import to_json
from workbench.project.tables import run_rows
from workbench.services.choosing import find_run
from workbench.services.detecting import runs as detecting
from workbench.services.detecting.runs import detect, estimate
from workbench.services.listing import matches
from workbench.services.session import Session

# Whole detections.
pytestmark = pytest.mark.slow

COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
CHANGED = "山道を登りつつ、こう考えた。知に働けば角が立ち、情に棹をさせば流される。意地を通すと窮屈だ。"


def add(path: Path, *documents: Document) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)


def suspect(i: int) -> Document:
    middle = (COPIED, CHANGED, "何も写していない文である。")[i % 3]
    return Document(f"suspect{i}", f"これは{i}番目に書いた感想である。{middle}", Role.SUSPECT)


@pytest.fixture
def filled(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three sources and five suspects, examined two at a time."""
    monkeypatch.setattr(detecting, "CHUNK_DOCUMENTS", 2)
    add(path, *(Document(f"source{i}", f"元の文書の{i}番である。{COPIED * (i + 1)}") for i in range(3)))
    add(path, *(suspect(i) for i in range(5)))
    return path


def results_of(path: Path, run: Run) -> tuple[Any, ...]:
    """All that a run found and left out."""
    with Session(path, write=False) as session:
        rows = [(m.a, m.b, *m.a_span, *m.b_span, m.score, dict(m.evidence)) for m in matches(session, run.id)]
        stored = find_run(session, run.id)
    return rows, stored.documents, stored.matches, stored.pairs, stored.excluded


@pytest.mark.parametrize("method", ["digest", "initials", "altered", "copies"])
def test_what_is_found_in_old_and_new_documents_equals_a_run_over_all(filled: Path, ctx: Context, method: str) -> None:
    first = detect(ctx, filled, method, {}, workers=1)
    add(filled, *(suspect(i) for i in range(5, 9)))
    second = detect(ctx, filled, method, {}, workers=1)
    assert (second.continues, second.taken_over, second.documents) == (first.id, 5, 9)
    third = detect(ctx, filled, method, {}, workers=1, afresh=True)
    assert (third.continues, third.taken_over) == (None, 0)
    assert results_of(filled, second) == results_of(filled, third)
    assert len(results_of(filled, second)[0]) > len(results_of(filled, first)[0]) > 0
    add(filled, suspect(9))
    assert detect(ctx, filled, method, {}, workers=1).taken_over == 9


def test_a_run_of_a_few_documents_does_not_set_the_pace(filled: Path, ctx: Context) -> None:
    for added in (5, 6):
        detect(ctx, filled, "digest", {}, workers=1)
        add(filled, suspect(added))
    with Session(filled) as session:
        with session.write() as connection:
            connection.exec_driver_sql("UPDATE run SET seconds = 5")
        cost = estimate(session, "digest", {})
    assert (cost.documents, cost.seconds) == (1, 1.0)


def test_only_new_documents_are_read_again(filled: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    detect(ctx, filled, "digest", {}, workers=1)
    add(filled, suspect(5))
    with Session(filled, write=False) as session:
        assert estimate(session, "digest", {}).documents == 1
    method = registry.get("digest")
    examined: list[str] = []
    before = method.detect

    def watched(index: Any, documents: Any, parameters: Any, watch: Any) -> Any:
        examined.extend(d.id for d in documents)
        return before(index, documents, parameters, watch)

    monkeypatch.setattr(type(method), "detect", lambda _self, *arguments: watched(*arguments))
    detect(ctx, filled, "digest", {}, workers=1)
    assert examined == ["suspect5"]


def test_all_are_examined_where_sources_suspects_or_settings_changed(filled: Path, ctx: Context) -> None:
    def taken_over(**parameters: Any) -> int:
        return detect(ctx, filled, "digest", parameters, workers=1).taken_over

    assert taken_over() == 0
    assert taken_over() == 0, "nothing is new: it is asked for again on purpose"
    add(filled, suspect(5))
    assert taken_over(min_run=2) == 0
    assert taken_over() == 5
    add(filled, Document("another", "別の元の文書である。" + CHANGED), suspect(6))
    assert taken_over() == 0
    add(filled, suspect(7))
    with Session(filled) as session, session.write() as connection:
        delete_documents(connection, [1])
    assert taken_over() == 0


NEW_TEXTS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from(("remove", "replace", "add")), st.integers(0, 20)),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("method", ["copies", "altered", "digest", "winnowing", "initials"])
@given(changes=NEW_TEXTS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_new_versions_are_examined_as_in_a_run_over_all(
    filled: Path, ctx: Context, method: str, changes: list[Any]
) -> None:
    detect(ctx, filled, method, {}, workers=1)
    with Session(filled) as session, session.write() as connection:
        for place, change, text in changes:
            present = [(d.key, d.id) for d in iter_documents(connection, (Role.SUSPECT,))]
            key, name = present[place % len(present)]
            if change != "add":
                delete_documents(connection, [key])
            if change != "remove" or len(present) == 1:
                new = suspect(text)
                fresh = f"another{last_key(connection)}"
                add_documents(connection, [replace(new, id=name if change == "replace" else fresh)])
    some = detect(ctx, filled, method, {}, workers=1)
    event(f"{some.taken_over > 0} {bool(some.excluded)}")
    assert results_of(filled, some) == results_of(filled, detect(ctx, filled, method, {}, workers=1, afresh=True))


def test_only_the_new_version_of_a_document_is_read_again(filled: Path, ctx: Context) -> None:
    first = detect(ctx, filled, "copies", {}, workers=1)
    with Session(filled) as session:
        with session.write() as connection:
            delete_documents(connection, [5])
            add_documents(connection, [replace(suspect(8), id="suspect1")])
        assert estimate(session, "copies", {}).documents == 1
    second = detect(ctx, filled, "copies", {}, workers=1)
    assert (second.continues, second.taken_over, second.documents) == (first.id, 4, 5)


def test_methods_that_compare_all_with_all_examine_all(filled: Path, ctx: Context) -> None:
    detect(ctx, filled, "digest", {"compare": "all"}, workers=1)
    add(filled, suspect(5))
    assert detect(ctx, filled, "digest", {"compare": "all"}, workers=1).taken_over == 0


def test_a_continued_run_that_was_cancelled_is_resumed(
    filled: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    detect(ctx, filled, "digest", {}, workers=1)
    add(filled, *(suspect(i) for i in range(5, 10)))
    before, calls = detecting._detect_chunk, []

    def once(chunk: Any) -> Any:
        calls.append(chunk)
        if len(calls) > 1:
            raise Cancelled
        return before(chunk)

    with monkeypatch.context() as patch:
        patch.setattr(detecting, "map_chunks", lambda _ctx, _work, items, **rest: _plainly(once, items, rest))
        with pytest.raises(Cancelled):
            detect(ctx, filled, "digest", {}, workers=1)
    resumed = detect(ctx, filled, "digest", {}, workers=1, resume=True)
    assert (resumed.taken_over, resumed.documents) == (5, 10)
    assert results_of(filled, resumed) == results_of(filled, detect(ctx, filled, "digest", {}, workers=1, afresh=True))


def _plainly(work: Any, items: list[Any], options: dict[str, Any]) -> Any:
    """Chunks in this process, one after another."""
    options["initializer"](*options["initargs"])
    for i, item in enumerate(items):
        yield i, work(item)


def test_a_run_from_before_a_parameter_existed_is_continued(filled: Path, ctx: Context) -> None:
    first = detect(ctx, filled, "initials", {}, workers=1)
    with Session(filled) as session, session.write() as connection:
        older = {name: value for name, value in first.parameters.items() if not name.endswith("_tags")}
        assert older != dict(first.parameters)
        connection.execute(update(run_rows).values(parameters=to_json(older)))
    assert detect(ctx, filled, "initials", {}, workers=1, resume=True).id == first.id
    add(filled, suspect(5))
    assert detect(ctx, filled, "initials", {}, workers=1).continues == first.id
    assert detect(ctx, filled, "initials", {"suspect_tags": "-none"}, workers=1).continues is None
