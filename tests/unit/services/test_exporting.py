from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from stored import FIRST, PASSAGES, A, B, store_run

from workbench.base.errors import UserError
from workbench.base.types import Document, Match, Role, Span, text_hash
from workbench.project.documents import add_documents
from workbench.services.exporting import Selection, export
from workbench.services.history import History
from workbench.services.report_data import side
from workbench.services.session import Session

LONG, TAIL = PASSAGES[FIRST]
HOSTILE = '<script>alert(1)</script> "quoted" {{ 7 * 7 }} \u202egnp.\u0000'


class _Page(HTMLParser):
    """Tags, addresses and text of a page."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.text = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]

    def handle_data(self, data: str) -> None:
        self.text += data


def _html(session: Session, tmp_path: Path, selection: Selection = Selection()) -> _Page:  # noqa: B008 - frozen
    out = tmp_path / "r.html"
    export(session, selection, out)
    return _Page(out.read_text(encoding="utf-8"))


def test_a_report_names_everything_that_was_done(session: Session, tmp_path: Path) -> None:
    history = History(session)
    history.set_verdict(1, LONG, "partial", "first look", "reader")
    history.set_verdict(1, LONG, "copy", "second look", "reader")
    page = _html(session, tmp_path)
    for expected in (
        text_hash(A).hex(),
        text_hash(B).hex(),
        "min_surprisal",
        "segments that are too short",
        "second look",
        "first look",
        "Partial, or a common source",
        "not reviewed",
        "写本",
        "1.1",
        "1.2",
    ):
        assert expected in page.text


def test_a_report_stands_alone_and_runs_nothing(session: Session, tmp_path: Path) -> None:
    page = _html(session, tmp_path)
    assert page.tags.isdisjoint({"script", "img", "link", "iframe", "object", "form"})
    assert all(address.startswith("#") for address in page.addresses)


def test_a_report_does_not_judge_before_a_reviewer_does(session: Session, tmp_path: Path) -> None:
    page = _html(session, tmp_path)
    assert not re.search(r"plagiar|guilty|stolen", page.text, re.IGNORECASE)
    assert "has not been reviewed" in page.text


def test_hostile_text_stays_text(session: Session, tmp_path: Path) -> None:
    documents = [
        Document(HOSTILE, HOSTILE * 3, Role.SUSPECT, title=HOSTILE, url="javascript:alert(1)", language='"><script>'),
        Document("b2", HOSTILE * 3, Role.SOURCE),
    ]
    with session.write() as connection:
        add_documents(connection, documents)
    span = Span(0, len(HOSTILE))
    run = store_run(session, [Match(3, 4, span, span, 1.0, {"segments": 1})])
    page = _html(session, tmp_path, Selection(run=run.id))
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "<U+202E>gnp.<U+0000>" in page.text
    assert all(address.startswith("#") for address in page.addresses)


def test_a_pair_or_a_suspect_can_be_chosen(session: Session, tmp_path: Path) -> None:
    written = export(session, Selection(pair=("a", "b")), tmp_path / "r.html")
    assert (written.run, written.pairs, written.passages) == (1, 1, 2)
    assert export(session, Selection(suspect="b"), tmp_path / "r.html").pairs == 0
    assert "found no passage" in (tmp_path / "r.html").read_text(encoding="utf-8")
    with pytest.raises(UserError, match="no document zzz"):
        export(session, Selection(suspect="zzz"), tmp_path / "r.html")


def test_rows_for_programs_hold_the_passages(session: Session, tmp_path: Path) -> None:
    History(session).set_verdict(1, LONG, "copy", "=1+1", "reader")
    export(session, Selection(), tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["a_text"] for row in rows] == [A[slice(*LONG.a_span)], A[slice(*TAIL.a_span)]]
    assert (rows[0]["verdict"], rows[0]["note"]) == ("copy", "'=1+1")
    export(session, Selection(), tmp_path / "r.jsonl")
    first, *records = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()]
    assert first["run"]["parameters"]["min_run"] == 3
    assert records[0]["history"][0]["note"] == "=1+1"
    assert records[1]["b_text"] == B[slice(*TAIL.b_span)]


def test_other_suffixes_and_missing_runs_are_refused_with_a_sentence(
    session: Session, path: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"written as .*\.pdf"):
        export(session, Selection(), tmp_path / "r.pdf")
    with pytest.raises(UserError, match=r"\.html, \.csv, \.jsonl"):
        export(session, Selection(), tmp_path / "r.doc")
    with pytest.raises(UserError, match="There is no run 9"):
        export(session, Selection(run=9), tmp_path / "r.html")
    with pytest.raises(UserError, match="cannot be written"):
        export(session, Selection(), tmp_path / "missing" / "r.html")
    assert [p.name for p in tmp_path.iterdir() if "part" in p.name] == []


def test_a_passage_is_cut_at_its_differences_with_context_around() -> None:
    found = side("前の文。一つ二つ三つ。後の文。", Span(4, 11), [Span(6, 8), Span(9, 9)])
    assert [(p.text, p.changed) for p in found.pieces] == [
        ("一つ", False),
        ("二つ", True),
        ("三", False),
        ("つ。", False),
    ]
    assert (found.before, found.after) == ("前の文。", "後の文。")
