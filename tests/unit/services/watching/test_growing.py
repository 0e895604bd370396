"""What the checks of a watch found is one result, which is there whenever somebody needs it."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.services.watching.watches import add, checked, watch
from tests.web_server import Response, WebServer, html
from workbench.base.errors import Cancelled, UserError
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Document, Role, RunState
from workbench.jobs.context import Context
from workbench.project.documents import delete_documents
from workbench.project.listing import ids_of
from workbench.project.matches import match_columns
from workbench.project.run_documents import run_documents
from workbench.project.runs import newest, runs
from workbench.project.tags import EVERYTHING
from workbench.services.choosing import choose, find_run
from workbench.services.detecting.runs import Subset, detect
from workbench.services.labels.label_state import BoardScope, read_board
from workbench.services.reports.exporting import Written, export
from workbench.services.reports.gathering import Selection
from workbench.services.reports.verifying import verify_pack
from workbench.services.review.overview import read_overview
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.settings import WatchSettings

FIRST = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
SECOND = "吾輩は猫である。名前はまだ無いのである。どこで生れたかとんと見当がつかぬ。何でも薄暗い所だった。"
OWN = "ここからは自分で書いた文である。誰の文とも似ていない。この頁にしかないのである。"


def reported(path: Path, out: Path, suspect: str | None = None) -> Written:
    with Session(path, write=False) as session:
        return export(session, Selection(suspect=suspect), out)


def pairs_on_review(path: Path) -> set[tuple[str, str]]:
    """The pairs that Review opens on."""
    with Session(path, write=False) as session, session.read() as connection:
        columns = read_overview(session, None).columns
        assert columns is not None
        ids = ids_of(connection)
        return {(ids[m.a], ids[m.b]) for m in columns.matches}


def test_a_page_that_vanished_is_in_the_pack_with_its_capture_after_any_number_of_checks(
    path: Path, ctx: Context, server: WebServer, tmp_path: Path
) -> None:
    add(path, Document("first", FIRST), Document("second", SECOND))
    gone, there = server.page("/gone", html(OWN + FIRST)), server.page("/there", html(OWN))
    watch(path, places=(PageSource(PlaceKind.URL, gone), PageSource(PlaceKind.URL, there)))
    checked(path, ctx)
    server.page("/gone", Response(status=404))
    server.page("/there", html(OWN + SECOND))
    assert checked(path, ctx).check.gone == (gone,)
    server.page("/there", html("改めました。" + OWN + SECOND))
    checked(path, ctx)
    assert {pair for pair in pairs_on_review(path) if pair[0] == gone} == {(gone, "first")}
    pack = tmp_path / "pack.zip"
    written = reported(path, pack, gone)
    assert (written.pairs, written.passages, written.has_findings) == (1, 1, True)
    with zipfile.ZipFile(pack) as packed:
        captures = [name for name in packed.namelist() if "capture" in name]
    assert captures
    assert verify_pack(pack).fingerprint == written.fingerprint


def test_the_address_of_a_page_stands_for_the_newest_of_its_texts_with_a_finding(
    path: Path, ctx: Context, tmp_path: Path
) -> None:
    url = "http://copy.example/page"
    add(path, Document("first", FIRST), Document("second", SECOND), Document(url, OWN, Role.SUSPECT, url=url))
    watch(path)
    checked(path, ctx)
    add(path, Document(f"{url}@2", OWN + FIRST, Role.SUSPECT, url=url))
    checked(path, ctx)
    add(path, Document(f"{url}@3", OWN + OWN, Role.SUSPECT, url=url))
    checked(path, ctx)
    out = tmp_path / "report.jsonl"
    assert reported(path, out, url).pairs == 1
    (record,) = [row for row in map(json.loads, out.read_text().splitlines()) if "a" in row]
    assert record["a"] == f"{url}@2"
    with Session(path, write=False) as session, session.read() as connection:
        ids = ids_of(connection)
        one = choose(session, None, f"{url}@3", "first")
        assert ids[one.a or 0] == f"{url}@3"


def test_checks_of_one_watch_have_one_run_with_what_all_of_them_found(path: Path, ctx: Context) -> None:
    add(path, Document("first", FIRST), Document("one", OWN + FIRST, Role.SUSPECT))
    watch(path)
    first = checked(path, ctx).check
    add(path, Document("two", FIRST + OWN, Role.SUSPECT), Document("none", OWN, Role.SUSPECT))
    second = checked(path, ctx).check
    add(path, Document("second", SECOND), Document("three", SECOND, Role.SUSPECT))
    third = checked(path, ctx).check
    assert first.run_id == second.run_id == third.run_id
    assert pairs_on_review(path) == {("one", "first"), ("two", "first"), ("three", "second")}
    with Session(path, write=False) as session, session.read() as connection:
        (run,) = runs(connection)
        assert (run.documents, run.matches, run.pairs, run.state) == (4, 3, 3, RunState.DONE)
        examined = run_documents(connection, run, EVERYTHING).keys(Role.SUSPECT)
        assert {ids_of(connection)[key] for key in examined.tolist()} == {"one", "two", "none", "three"}
        assert {c.run_id for c in store.checks(session, store.find(session, "mine"))} == {run.id}


def test_a_finding_stays_when_its_original_is_removed_but_not_when_its_place_is_no_longer_content(
    path: Path, ctx: Context
) -> None:
    add(path, Document("first", FIRST), Document("second", SECOND), Document("page", OWN + FIRST, Role.SUSPECT))
    add(path, Document("other", OWN + SECOND, Role.SUSPECT))
    watch(path)
    checked(path, ctx)
    with Session(path) as session, session.write() as connection:
        delete_documents(connection, [1])
    checked(path, ctx)
    with Session(path) as session, session.read() as connection:
        stored = match_columns(connection, find_run(session).id)
        assert sorted(zip(stored.a.tolist(), stored.b.tolist(), strict=True)) == [(3, 1), (4, 2)]
    with Session(path) as session, session.write() as connection:
        connection.exec_driver_sql("UPDATE document SET content_digest = 'other' WHERE key = 3")
    checked(path, ctx)
    with Session(path) as session, session.read() as connection:
        assert match_columns(connection, find_run(session).id).a.tolist() == [4]


def test_a_finding_by_other_settings_is_found_where_the_result_of_now_has_none(
    path: Path, ctx: Context, tmp_path: Path
) -> None:
    add(path, Document("first", FIRST), Document("page", OWN + FIRST, Role.SUSPECT))
    watch(path)
    before = checked(path, ctx).check.run_id
    with Session(path) as session:
        mine = store.find(session, "mine")
        settings = WatchSettings.from_dict(mine.settings)
        store.change(
            session,
            mine,
            replace(settings, method="shingle", parameters={"min_resemblance": 1.01, "min_containment": 1.01}),
        )
    now = checked(path, ctx).check.run_id
    assert now != before
    written = reported(path, tmp_path / "report.html", "page")
    assert (written.run, written.pairs) == (before, 1)


def test_a_cancelled_check_changes_nothing_and_the_next_one_takes_its_place(path: Path, ctx: Context) -> None:
    add(path, Document("first", FIRST), Document("one", OWN + FIRST, Role.SUSPECT))
    watch(path)
    checked(path, ctx)
    add(path, Document("two", FIRST + OWN, Role.SUSPECT))
    stopped = Context("test", lambda event: None, lambda: True)
    with pytest.raises(Cancelled):
        checked(path, stopped)
    assert pairs_on_review(path) == {("one", "first")}
    add(path, Document("three", FIRST + OWN + OWN, Role.SUSPECT))
    checked(path, ctx)
    assert len(pairs_on_review(path)) == 3
    with Session(path, write=False) as session, session.read() as connection:
        assert len(runs(connection)) == 1


def test_a_run_of_a_part_never_stands_for_the_project(path: Path, ctx: Context, tmp_path: Path) -> None:
    add(path, Document("first", FIRST), Document("old", FIRST, Role.SUSPECT))
    whole = detect(ctx, path, "digest", {}, workers=0)
    add(path, Document("found", OWN + FIRST, Role.SUSPECT))
    part = detect(ctx, path, "digest", {}, workers=0, only=Subset(frozenset([3])))
    with Session(path, write=False) as session:
        assert find_run(session).id == whole.id
        assert read_overview(session, None).run == whole
        assert read_board(session, BoardScope("verdict")).run == whole
        assert choose(session, None, "found").run.id == part.id
        assert choose(session, None, "old").run.id == whole.id
        assert newest([part, whole]) == whole
    assert reported(path, tmp_path / "all.html").run == whole.id


def test_a_report_with_nothing_in_it_is_not_taken_for_evidence(path: Path, ctx: Context, tmp_path: Path) -> None:
    add(path, Document("first", FIRST), Document("one", FIRST, Role.SUSPECT), Document("none", OWN, Role.SUSPECT))
    detect(ctx, path, "digest", {}, workers=0)
    assert reported(path, tmp_path / "one.html", "one").has_findings
    assert not reported(path, tmp_path / "none.html", "none").has_findings


def test_a_document_that_does_not_exist_is_named_with_those_near_it(path: Path, ctx: Context) -> None:
    add(path, Document("first", FIRST), Document("suspects/essay.txt", FIRST, Role.SUSPECT))
    detect(ctx, path, "digest", {}, workers=0)
    with Session(path, write=False) as session:
        for slip in ("essay.txt", "suspects/esay.txt", "Essay"):
            with pytest.raises(UserError, match="no document") as raised:
                choose(session, None, slip)
            assert "suspects/essay.txt" in raised.value.sentence
        with pytest.raises(UserError, match="no document") as raised:
            choose(session, None, "quite another name")
        assert "first" not in raised.value.sentence
