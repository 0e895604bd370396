"""Which of page and source took it from the other: said in one way wherever a finding is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.project.captures import Capture, Outcome, add_captures
from workbench.project.documents import add_documents
from workbench.project.listing import keys_of
from workbench.project.pairs import pairs_of
from workbench.services.detecting.runs import detect
from workbench.services.relations.directions import read_direction
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.session import Session
from workbench.services.watching import alerts, store
from workbench.services.watching.analysis import analyse
from workbench.services.watching.checking import check
from workbench.services.watching.findings import Finding, findings
from workbench.services.watching.report import write_report
from workbench.services.watching.settings import WatchSettings

TEXT = "".join(f"第{n}の文は、町の{n}番目の橋について書かれている。" for n in range(12))
OURS, THEIRS = "https://ours.example/a/1.html", "https://theirs.example/x/9.html"


def page(url: str, role: Role, text: str = TEXT, **more: object) -> Document:
    return Document(url, text, role, url=url, site=url.split("/")[2], **more)  # type: ignore[arg-type]


def watched(path: Path, ctx: Context, *documents: Document) -> Finding:
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, list(documents))
        store.add(session, "mine", WatchSettings())
        mine = store.find(session, "mine")
    check(ctx, path, mine, workers=0)
    with Session(path, write=False) as session:
        (finding,) = findings(session, analyse(session).copies)
    return finding


def everywhere(path: Path, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What a watch's list, mail and report, a report, Review and Relations say of the only pair."""
    detect(ctx, path, "rare-sentences", {}, workers=0)
    mails: list[str] = []
    monkeypatch.setattr(alerts, "tell", lambda _alerts, _subject, body: mails.append(body) or [])
    with Session(path) as session:
        store.add(session, "again", WatchSettings())
        again = store.find(session, "again")
    alerts.check_and_tell(ctx, path, again, workers=0)
    with Session(path, write=False) as session:
        write_report(session, tmp_path / "watch.jsonl", watch="mine")
        write_report(session, tmp_path / "watch.html", watch="mine")
        export(session, Selection(), tmp_path / "report.html")
        with session.read() as connection:
            keys = keys_of(connection, [THEIRS, OURS])
            (pair,) = pairs_of(
                connection,
                max(run for (run,) in connection.exec_driver_sql("SELECT id FROM run WHERE method = 'rare-sentences'")),
            )
        verdict = read_direction(keys[THEIRS], keys[OURS])(session)
    assert verdict is not None
    return {
        "mail": mails[0],
        "watch report": (tmp_path / "watch.html").read_text(encoding="utf-8"),
        "record": json.loads((tmp_path / "watch.jsonl").read_text(encoding="utf-8").splitlines()[0])["direction"],
        "report": (tmp_path / "report.html").read_text(encoding="utf-8"),
        "review": verdict.in_words,
        "relations": f"{pair.evidence['direction']} {pair.a == keys[THEIRS]}",
    }


def test_a_page_that_ours_names_as_its_source_is_never_called_the_copier(
    path: Path, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = page(OURS, Role.SOURCE, TEXT + "（出典: theirs.example）", links=(f"{THEIRS}#top", "https://other.example/"))
    finding = watched(path, ctx, ours, page(THEIRS, Role.SUSPECT))
    assert finding.way == "ours from theirs"
    assert "link from b to a" in finding.signs
    wording = everywhere(path, tmp_path, ctx, monkeypatch)
    assert "ours from theirs" in wording["mail"]
    assert "theirs from ours" not in wording["mail"]
    assert "ours from theirs" in wording["watch report"]
    assert wording["record"] == "ours from theirs"
    for shown in ("report", "review"):
        assert "the source from the suspect" in wording[shown]
    assert wording["relations"] in ("b from a True", "a from b False")


def test_a_page_that_links_to_ours_took_it_from_ours(
    path: Path, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = watched(path, ctx, page(OURS, Role.SOURCE), page(THEIRS, Role.SUSPECT, links=(OURS,)))
    assert finding.way == "theirs from ours"
    wording = everywhere(path, tmp_path, ctx, monkeypatch)
    assert all("theirs from ours" in wording[shown] for shown in ("mail", "watch report", "record"))
    assert all("the suspect from the source" in wording[shown] for shown in ("report", "review"))
    assert wording["relations"] in ("a from b True", "b from a False")


def test_of_mirrors_with_the_same_date_it_is_said_what_was_compared(path: Path, ctx: Context) -> None:
    dated = {"published": "2026-03-01", "dated_by": "meta"}
    finding = watched(path, ctx, page(OURS, Role.SOURCE, **dated), page(THEIRS, Role.SUSPECT, **dated))
    assert finding.way == "cannot tell"
    assert "both give dates of the same time" in finding.signs
    assert "neither links to the other" in finding.signs
    assert "no date" not in finding.signs


def test_what_is_missing_is_said_to_be_missing(path: Path, ctx: Context) -> None:
    with Session(path) as session, session.write() as connection:
        rows = [Capture(THEIRS, THEIRS, "2026-03-02T00:00:00Z", Outcome.NEW, 200, 2)]
        add_documents(connection, [page(OURS, Role.SOURCE, published="2026-03-01"), page(THEIRS, Role.SUSPECT)])
        add_captures(connection, "one", rows)
    with Session(path, write=False) as session:
        verdict = read_direction(2, 1)(session)
        assert verdict is not None
        assert "a gives no date" in verdict.reason
        assert "not both were captured" in verdict.reason


def test_of_texts_of_which_nothing_is_known_no_direction_is_spoken_of(path: Path) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("essay", TEXT, Role.SUSPECT), Document("book", TEXT)])
    with Session(path, write=False) as session:
        assert read_direction(1, 2)(session) is None


def test_findings_of_ones_own_taking_stand_last(path: Path, ctx: Context) -> None:
    other = "".join(f"{n}軒目の店では、{n}種類の茶が売られている。" for n in range(12))
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [page(OURS, Role.SOURCE, links=(THEIRS,)), page(f"{OURS}/2", Role.SOURCE, other)])
            add_documents(connection, [page(THEIRS, Role.SUSPECT)])
            excerpt = page("https://third.example/", Role.SUSPECT, other[: len(other) // 2], links=(f"{OURS}/2",))
            add_documents(connection, [excerpt])
        store.add(session, "mine", WatchSettings())
        mine = store.find(session, "mine")
    check(ctx, path, mine, workers=0)
    with Session(path, write=False) as session:
        listed = findings(session, analyse(session).copies)
    assert [finding.is_ours for finding in listed] == [False, True]
    assert listed[0].share < listed[1].share
