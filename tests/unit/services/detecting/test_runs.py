from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import Cancelled, UserError
from workbench.base.types import Document, Role, Run, RunState
from workbench.cli.main import main
from workbench.jobs.context import Context
from workbench.jobs.events import Event
from workbench.methods.core import registry
from workbench.project.documents import add_documents, change_role, delete_documents, restore_documents
from workbench.project.imports import begin_batch, finish_batch
from workbench.project.listing import keys_of
from workbench.services.detecting import runs as detecting
from workbench.services.detecting.runs import Chunk, Subset, detect, estimate, plan_chunks
from workbench.services.listing import all_runs, document_ids, document_scores, matches
from workbench.services.measuring.label_selection import documents_of_run
from workbench.services.queries import newer_documents
from workbench.services.review.overview import read_overview
from workbench.services.review.unplaced import unmatched
from workbench.services.session import Session
from workbench.services.tagging import change_tags_of

COPIED = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"


def _add(path: Path, *documents: Document) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)


@pytest.fixture
def filled(path: Path) -> Path:
    sources = [Document(f"source{i}", f"元の文書の{i}番である。{COPIED}") for i in range(3)]
    suspects = [
        Document(f"suspect{i}", f"これは{i}番の感想だ。" + (COPIED if i % 2 else "何もない。"), Role.SUSPECT)
        for i in range(6)
    ]
    _add(path, *sources, *suspects)
    return path


def _matches_of(path: Path, run: Run) -> list[tuple[str, str, int, int]]:
    with Session(path, write=False) as session:
        ids = document_ids(session)
        return [(ids[m.a], ids[m.b], *m.a_span) for m in matches(session, run.id)]


def test_a_run_finds_what_was_copied_and_records_how(filled: Path, ctx: Context) -> None:
    run = detect(ctx, filled, "digest", {"min_run": "2"}, workers=1)
    assert (run.state, run.documents, run.matches, run.pairs) == (RunState.DONE, 6, 9, 9)
    assert run.parameters["min_run"] == 2
    assert run.seconds > 0
    assert {(a, b) for a, b, *_ in _matches_of(filled, run)} == {
        (f"suspect{i}", f"source{j}") for i in (1, 3, 5) for j in range(3)
    }


def test_what_a_run_was_not_applied_to_does_not_count_as_examined(filled: Path, ctx: Context) -> None:
    """Neither what an import stored after the run began, nor what was restored or given another role since."""
    with Session(filled) as session:
        with session.write() as connection:
            batch = begin_batch(connection)
            add_documents(connection, [Document("early", COPIED + "追記。", Role.SUSPECT)], batch)
            keys = keys_of(connection, ["suspect1", "source0"])
            delete_documents(connection, [keys["suspect1"]])
        run = detect(ctx, filled, "digest", {}, workers=1)
        with session.write() as connection:
            late = [Document("late", "続き。" + COPIED, Role.SUSPECT), Document("unread", "余り。", Role.BACKGROUND)]
            add_documents(connection, late, batch)
            finish_batch(connection, batch)
            restore_documents(connection, [keys["suspect1"]])
            change_role(connection, [keys["source0"]], Role.SUSPECT)
        with session.read() as connection:
            known = documents_of_run(connection, run)
        assert known.keys() == {"early", *(f"suspect{n}" for n in (0, 2, 3, 4, 5)), *(f"source{n}" for n in range(3))}
        assert known["source0"] is Role.SOURCE
        overview = read_overview(session, run.id)
        assert overview.columns is not None
        assert [item.id for item in unmatched(session, overview.columns, run)] == ["suspect0", "suspect2", "suspect4"]
        assert (overview.unmatched, overview.newer, newer_documents(run)(session)[0]) == (3, 4, 4)


def test_only_the_documents_asked_for_are_examined_and_such_a_run_is_resumed_apart(filled: Path, ctx: Context) -> None:
    whole = detect(ctx, filled, "digest", {}, workers=1)
    part = detect(ctx, filled, "digest", {}, workers=1, only=Subset({5, 6, 7}), resume=True)
    assert (part.documents, part.matches) == (3, 6)
    assert {a for a, *_ in _matches_of(filled, part)} == {"suspect1", "suspect3"}
    assert part.id != whole.id
    assert detect(ctx, filled, "digest", {}, workers=1, only=Subset({5, 6, 7}), resume=True).id == part.id
    assert detect(ctx, filled, "digest", {}, workers=1, resume=True).id == whole.id


@pytest.mark.slow
def test_several_workers_find_the_same_as_one(filled: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detecting, "CHUNK_DOCUMENTS", 2)
    monkeypatch.setattr(detecting, "FEW_DOCUMENTS", 0)
    alone, together = (detect(ctx, filled, "digest", {}, workers=n) for n in (1, 2))
    assert _matches_of(filled, alone) == _matches_of(filled, together)
    assert len(_matches_of(filled, alone)) == 9


def test_without_suspects_or_sources_a_sentence_says_what_to_do(path: Path, ctx: Context) -> None:
    with pytest.raises(UserError, match=r"no documents to examine.*--role suspect"):
        detect(ctx, path, "digest", {})
    _add(path, Document("a", COPIED, Role.SUSPECT))
    with pytest.raises(UserError, match=r"nothing to compare with.*--role source"):
        detect(ctx, path, "digest", {})
    with Session(path) as session:
        assert all_runs(session) == []


@pytest.mark.parametrize("role", [Role.SUSPECT, Role.SOURCE])
def test_documents_of_one_role_are_compared_with_each_other_unless_told_otherwise(
    path: Path, ctx: Context, role: Role
) -> None:
    _add(path, Document("a", COPIED, role), Document("b", COPIED, role))
    run = detect(ctx, path, "digest", {}, workers=1)
    assert run.parameters["compare"] == "all"
    assert {(a, b) for a, b, *_ in _matches_of(path, run)} == {("b", "a")}
    with pytest.raises(UserError, match=r"no documents to examine|nothing to compare with"):
        detect(ctx, path, "digest", {"compare": "sources"}, workers=1)


@pytest.mark.slow
def test_a_cancelled_run_is_resumed_and_equals_an_undisturbed_one(
    filled: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detecting, "CHUNK_DOCUMENTS", 1)
    cancel: list[bool] = []

    def emit(event: Event) -> None:
        if "matches" in getattr(event, "kinds", ()):
            cancel.append(True)

    with pytest.raises(Cancelled):
        detect(Context("t", emit, lambda: len(cancel) >= 2), filled, "digest", {}, workers=1)
    with Session(filled) as session:
        (cancelled,) = all_runs(session)
    assert cancelled.state is RunState.CANCELLED
    assert 0 < cancelled.documents < 6
    resumed = detect(ctx, filled, "digest", {}, workers=1, resume=True)
    assert (resumed.id, resumed.state, resumed.documents) == (cancelled.id, RunState.DONE, 6)
    calm = detect(ctx, filled, "digest", {}, workers=1)
    assert calm.id != resumed.id
    assert _matches_of(filled, calm) == _matches_of(filled, resumed)
    assert dict(calm.excluded) == dict(resumed.excluded)


@pytest.mark.slow
def test_resuming_a_finished_run_returns_it_unless_the_texts_changed(filled: Path, ctx: Context) -> None:
    first = detect(ctx, filled, "digest", {})
    assert detect(ctx, filled, "digest", {}, resume=True).id == first.id
    assert detect(ctx, filled, "digest", {"min_run": 4}, resume=True).id != first.id
    _add(filled, Document("more", COPIED, Role.SUSPECT))
    assert detect(ctx, filled, "digest", {}, resume=True).documents == 7


@pytest.mark.slow
def test_the_command_line_tells_which_run_is_resumed_or_why_none(
    filled: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(detecting, "CHUNK_DOCUMENTS", 1)

    def resume(*more: str) -> str:
        assert main(["detect", str(filled), "digest", "--workers", "1", "--resume", *more]) == 0
        return capsys.readouterr().err

    cancel: list[bool] = []

    def stop() -> None:
        cancel.clear()
        context = Context("t", lambda e: cancel.extend([True] * hasattr(e, "kinds")), lambda: len(cancel) >= 2)
        with pytest.raises(Cancelled):
            detect(context, filled, "digest", {}, workers=1)

    assert "No run by digest was interrupted: this is a new one." in resume()
    assert "Run 1 with these settings is complete." in resume()
    stop()
    assert "Run 2 is resumed." in resume()
    stop()
    _add(filled, Document("more", COPIED, Role.SUSPECT))
    changed = "Run 3 is not resumed: its documents, its settings or the method have changed since. This is a new one."
    assert {"warning": changed} in map(json.loads, resume("--json").splitlines())


def test_a_damaged_index_is_built_again(filled: Path, ctx: Context) -> None:
    first = detect(ctx, filled, "digest", {})
    for file in filled.with_name(f"{filled.name}-index").rglob("*.npy"):
        file.write_bytes(b"damaged")
    again = detect(ctx, filled, "digest", {})
    assert _matches_of(filled, again) == _matches_of(filled, first)


def test_documents_are_added_to_those_examined_against_others_without_a_new_index(filled: Path, ctx: Context) -> None:
    def indexes() -> dict[str, int]:
        files = filled.with_name(f"{filled.name}-index").glob("copied-strings-*/*.npy")
        return {str(file): file.stat().st_mtime_ns for file in files}

    def scored(run: Run) -> dict[int, tuple[float, Any]]:
        with Session(filled, write=False) as session:
            return {s.document: (s.score, s.evidence) for s in document_scores(session, run.id)}

    before = scored(detect(ctx, filled, "copied-strings", {}))
    built = indexes()
    _add(filled, Document("new", "今日の記事。元の文書の1番である。", Role.SUSPECT))
    with Session(filled, write=False) as session:
        (new,) = (key for key, name in document_ids(session).items() if name == "new")
    added = scored(detect(ctx, filled, "copied-strings", {}, only=Subset({new})))
    everything = scored(detect(ctx, filled, "copied-strings", {}))
    assert indexes() == built
    assert added.keys() == {new}
    assert everything == before | added
    assert added[new][0] > 0
    _add(filled, Document("source", "もう一つの元の文書。"))
    detect(ctx, filled, "copied-strings", {})
    assert len(indexes()) == 2 * len(built)


def test_what_is_imported_while_an_index_is_built_is_not_in_it(
    filled: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = detect(ctx, filled, "digest", {})
    calm = _matches_of(filled, first)
    for index in filled.with_name(f"{filled.name}-index").glob("digest-*"):
        shutil.rmtree(index)
    method = registry.get("digest")
    prepare = method.prepare

    def prepare_while_importing(*arguments: Any) -> None:
        _add(filled, Document("late", COPIED))
        prepare(*arguments)

    monkeypatch.setattr(type(method), "prepare", staticmethod(prepare_while_importing))
    assert _matches_of(filled, detect(ctx, filled, "digest", {})) == calm


@pytest.mark.slow
def test_documents_deleted_during_a_run_do_not_draw_in_those_of_the_next_chunk(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detecting, "CHUNK_DOCUMENTS", 2)
    middle = [6, 7]

    def delete_as_it_begins(event: Event) -> None:
        if "runs" in getattr(event, "kinds", ()):
            with Session(filled) as session, session.write() as connection:
                delete_documents(connection, middle)

    run = detect(Context("t", delete_as_it_begins, lambda: False), filled, "digest", {}, workers=1)
    with Session(filled, write=False) as session:
        examined = [match.a for match in matches(session, run.id)]
    assert sorted(examined) == [5, 5, 5, 9, 9, 9]


def test_the_cost_is_known_before(filled: Path, ctx: Context) -> None:
    with Session(filled) as session:
        before = estimate(session, "digest", {})
        assert (before.documents, before.sources, before.pairs, before.seconds) == (6, 3, 18, None)
        everything = estimate(session, "digest", {"compare": "all"})
        assert (everything.documents, everything.pairs) == (9, 9 * 8 // 2)
        assert [(cost.only_sources, cost.among) for cost in (before, everything)] == [(True, False), (False, True)]
        looked_up = estimate(session, "copied-strings", {})
        assert (looked_up.documents, looked_up.sources, looked_up.pairs) == (6, 3, 18)
        among = estimate(session, "copied-strings", {"corpus": "suspects"})
        assert (among.sources, among.pairs, among.among) == (6, 6 * 5 // 2, True)
    detect(ctx, filled, "digest", {})
    with Session(filled) as session:
        assert estimate(session, "digest", {}).seconds is not None


def test_a_plan_covers_every_document_once_and_bounds_its_chunks() -> None:
    lengths = [(key, 25_000) for key in range(3, 40, 2)] + [(50, 5_000_000), (51, 1)]
    plan = plan_chunks(lengths)
    assert sum(chunk.documents for chunk in plan) == len(lengths)
    assert all(before.last < after.first for before, after in pairwise(plan))
    assert plan[-2:] == [Chunk((50,), 5_000_000), Chunk((51,), 1)]
    assert plan[0].documents == 4
    assert [chunk.documents for chunk in plan_chunks([(key, 10) for key in range(250)])] == [100, 100, 50]
    assert plan_chunks([]) == []


def test_a_detection_is_about_the_documents_with_the_tags_that_were_chosen(filled: Path, ctx: Context) -> None:
    with Session(filled) as session:
        change_tags_of(session, ["suspect1", "suspect2", "source0"], ["new"], [])
    run = detect(ctx, filled, "digest", {"suspect_tags": "new", "source_tags": "-new"}, workers=1)
    assert run.documents == 2
    assert {(a, b) for a, b, *_ in _matches_of(filled, run)} == {("suspect1", "source1"), ("suspect1", "source2")}
    with Session(filled) as session:
        cost = estimate(session, "digest", {"suspect_tags": "new", "source_tags": "-new"})
        assert (cost.sources, cost.pairs) == (2, 4)
        change_tags_of(session, ["suspect3"], ["new"], [])
    # A document that was tagged since is examined as one that was imported since: the other is not examined again.
    later = detect(ctx, filled, "digest", {"suspect_tags": "new", "source_tags": "-new"}, workers=1)
    assert (later.continues, later.documents, later.taken_over) == (run.id, 3, 2)
    with pytest.raises(UserError, match="tags"):
        detect(ctx, filled, "digest", {"source_tags": "absent"}, workers=1)
