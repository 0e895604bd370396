from __future__ import annotations

import html
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.base.messages import percent
from workbench.base.types import Document, Role
from workbench.project import watches
from workbench.project.documents import add_documents, load_document
from workbench.project.watches import Check, Reported
from workbench.services.session import Session
from workbench.services.watching import report, store
from workbench.services.watching.analysis import analyse
from workbench.services.watching.findings import findings
from workbench.services.watching.settings import WatchSettings

SOURCES = {n: "".join(chr(0x4E00 + n * 500 + i) for i in range(300)) for n in (1, 2)}
PAGES = {n: "".join(chr(0x7000 + n * 500 + i) for i in range(300)) for n in (3, 4, 5)}


@pytest.fixture
def watched(path: Path) -> Any:
    """Two sources and three pages, nothing reported yet."""
    documents = [Document(f"source{n}", text) for n, text in SOURCES.items()]
    documents += [Document(f"page{n}", text, Role.SUSPECT) for n, text in PAGES.items()]
    with Session(path) as session:
        store.add(session, "mine", WatchSettings())
        with session.write() as connection:
            add_documents(connection, documents)
        yield session


def say(session: Session, rows: list[tuple[int, int, int, int]]) -> None:
    """Report (page, source, start, length) of each row in a new check, and nothing else."""
    with session.write() as connection:
        connection.exec_driver_sql("DELETE FROM watch_match")
        number = watches.begin_check(connection, 1)
        reported = [
            Reported(f"page{a}", a, b, start, start + length, start + 1, start + 1 + length, 1.0, 0, number)
            for a, b, start, length in rows
        ]
        watches.finish_check(connection, Check(number, 1, "", reported=len(reported)), reported)


@pytest.mark.slow
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(list(PAGES)), st.sampled_from(list(SOURCES)), st.integers(0, 200), st.integers(1, 90)
        ),
        max_size=30,
    ),
    together=st.integers(1, 8),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_every_copy_is_quoted_in_the_order_it_was_reported(
    watched: Session, rows: list[tuple[int, int, int, int]], together: int
) -> None:
    say(watched, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "_COPIES", together)
        records = list(report.records(watched, analyse(watched).copies))
    assert [(r["a_text"], r["b_text"]) for r in records] == [
        (PAGES[a][start : start + length], SOURCES[b][start + 1 : start + 1 + length]) for a, b, start, length in rows
    ]


def test_documents_are_read_once_for_many_copies(
    watched: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(watched, [(page, 1, start, 20) for start in range(100) for page in PAGES])
    loaded: Counter[int] = Counter()

    def counted(connection: Any, key: int) -> Document:
        loaded[key] += 1
        return load_document(connection, key)

    monkeypatch.setattr(report, "load_document", counted)
    for name in ("r.html", "r.jsonl"):
        loaded.clear()
        assert report.write_report(watched, tmp_path / name) == 300
        assert loaded == dict.fromkeys((1, *PAGES), 1)
    lines = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 300
    assert json.loads(lines[-1])["a_text"] == PAGES[5][99:119]
    assert (tmp_path / "r.html").read_text(encoding="utf-8").count(PAGES[3][50:70]) == 1


def test_a_page_that_is_not_all_of_the_original_is_not_called_all_of_it(watched: Session, tmp_path: Path) -> None:
    say(watched, [(3, 1, 0, 299)])
    (finding,) = findings(watched, analyse(watched).copies)
    assert 0.995 <= finding.share < 1
    report.write_report(watched, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"{html.escape(percent(finding.share))} of the original" in page
    assert "100" not in page[page.index("of the original") - 20 : page.index("of the original")]


def test_few_passages_are_held_at_once(watched: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    say(watched, [(3, 1, start, 50) for start in range(40)])
    monkeypatch.setattr(report, "_CHARACTERS", 250)
    copies = analyse(watched).copies
    assert [len(batch) for batch in report._batches(copies)] == [3] * 13 + [1]


def test_a_report_of_another_kind_is_refused(watched: Session, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\.html or \.jsonl"):
        report.write_report(watched, tmp_path / "r.pdf")


@pytest.mark.parametrize(("former", "present"), [(250, 60), (40, 200)])
def test_what_is_said_of_a_page_is_said_of_its_present_state(watched: Session, former: int, present: int) -> None:
    with watched.write() as connection:
        number = watches.begin_check(connection, 1)
        rows = [(4, present), (3, former)]
        reported = [Reported("page", a, 1, 10, 10 + n, 0, n, 1.0, 0, number) for a, n in rows]
        watches.finish_check(connection, Check(number, 1, "", reported=len(reported)), reported)
    (finding,) = findings(watched, analyse(watched).copies)
    assert finding.document.id == "page4"
    assert finding.copied == present / len(PAGES[4])
