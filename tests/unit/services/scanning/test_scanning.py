"""Scans: what is found in web archives, what is kept of them, and going on after an interruption."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web_archives import DATE, record, response, write_archive
from tests.web_server import html
from workbench.base.errors import Cancelled, UserError
from workbench.base.types import Document, Role, RunState
from workbench.jobs.children import start_function
from workbench.jobs.context import Context
from workbench.project.captures import all_captures, body_of
from workbench.project.documents import add_documents
from workbench.project.listing import items_of
from workbench.project.matches import match_columns
from workbench.project.runs import runs
from workbench.project.scans import files_of, scan_of_run
from workbench.services.scanning import running
from workbench.services.scanning.running import Scanned, failures, go_on, scan
from workbench.services.scanning.settings import ScanSettings
from workbench.services.scanning.task import resume
from workbench.services.session import Session

# Whole scans.
pytestmark = pytest.mark.slow

SOURCE = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
OTHER = "これは第{n}頁の文であり、ほかのどこにも載っていないものである。二つ目の文も、やはり第{n}頁だけのものだ。"

FILLING = f"<!--{'x' * 60_000}-->"
"""With it, four or five pages make a piece of reading."""


def page(n: int, text: str = "") -> bytes:
    return response(f"https://site{n % 7}.example/{n}.html", html(OTHER.format(n=n) + text + FILLING).body, n)


@pytest.fixture
def project(path: Path) -> Path:
    with Session(path) as opened, opened.write() as connection:
        add_documents(connection, [Document("original", SOURCE, Role.SOURCE, title="草枕")])
    return path


def stored_matches(project: Path, scanned: Scanned) -> dict[str, str]:
    """Address and source text of each match."""
    with Session(project) as session, session.read() as connection:
        matches = match_columns(connection, scanned.run.id)
        items = items_of(connection, matches.a.tolist())
        return {
            items[a].id.partition("!")[2]: SOURCE[start:end]
            for a, start, end in zip(matches.a.tolist(), matches.b_start.tolist(), matches.b_end.tolist(), strict=True)
        }


def test_only_pages_with_a_hit_become_documents_with_their_record(project: Path, ctx: Context, tmp_path: Path) -> None:
    records = [page(n, SOURCE if n in (3, 40) else "") for n in range(50)]
    records[40] = records[40].replace(DATE.encode(), b"in the spring of 2024")
    archive = write_archive(tmp_path / "crawl.warc.gz", records)
    scanned = scan(ctx, project, [archive], ScanSettings(), workers=1)
    urls = [f"https://site{n % 7}.example/{n}.html" for n in (3, 40)]
    assert stored_matches(project, scanned) == dict.fromkeys(urls, SOURCE)
    assert (scanned.run.state, scanned.run.documents, scanned.failed) == (RunState.DONE, 50, 0)
    with Session(project) as session, session.read() as connection:
        captures = list(all_captures(connection))
        assert [c.url for c in captures] == urls
        # A record may state no time that can be read.
        assert [c.captured for c in captures] == [DATE, ""]
        body = body_of(connection, captures[0].body_hash)
        assert body is not None
        assert body == html(OTHER.format(n=3) + SOURCE + FILLING).body
        assert dict(captures[0].headers)["warc-record-id"] == "urn:uuid:00000000-0000-0000-0000-000000000003"
        keys = [c.document for c in captures if c.document is not None]
        assert {item.role for item in items_of(connection, keys).values()} == {Role.SUSPECT}


def test_text_extracts_are_searched_too(project: Path, ctx: Context, tmp_path: Path) -> None:
    text = record("https://a.example/", (OTHER.format(n=1) + SOURCE).encode(), kind="conversion")
    archive = write_archive(tmp_path / "crawl.warc.wet.gz", [text])
    assert stored_matches(project, scan(ctx, project, [archive], ScanSettings(), workers=1)) == {
        "https://a.example/": SOURCE
    }


def test_damage_is_listed_and_the_rest_searched(project: Path, ctx: Context, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    folder.mkdir()
    (folder / "a.warc.gz").write_bytes(b"no archive at all")
    broken = bytearray(gzip.compress(page(1)))
    broken[len(broken) // 2] ^= 0xFF
    (folder / "b.warc.gz").write_bytes(gzip.compress(page(0)) + bytes(broken) + gzip.compress(page(2, SOURCE)))
    (folder / "notes.txt").write_text("nothing", encoding="utf-8")
    scanned = scan(ctx, project, [folder], ScanSettings(), workers=1)
    assert list(stored_matches(project, scanned)) == ["https://site2.example/2.html"]
    assert (scanned.files, scanned.others, scanned.failed) == (2, 1, 2)
    with Session(project) as session:
        assert [Path(f.path.partition(":")[0]).name for f in failures(session, scanned)] == ["a.warc.gz", "b.warc.gz"]


def test_a_file_that_is_not_an_archive_is_refused_and_makes_no_run(project: Path, ctx: Context, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no archive at all", encoding="utf-8")
    with pytest.raises(UserError, match="not a web archive"):
        scan(ctx, project, [tmp_path / "notes.txt"], ScanSettings(), workers=1)
    with Session(project) as session, session.read() as connection:
        assert not runs(connection)
    archive = write_archive(tmp_path / "saved.download", [page(0, SOURCE)])
    scanned = scan(ctx, project, [tmp_path / "notes.txt", archive], ScanSettings(), workers=1)
    assert (scanned.files, scanned.failed) == (1, 1)
    assert list(stored_matches(project, scanned)) == ["https://site0.example/0.html"]


def test_an_archive_that_is_not_there_is_named_whatever_else_was_searched(
    project: Path, ctx: Context, tmp_path: Path
) -> None:
    gone = tmp_path / "gone.warc.gz"
    with pytest.raises(UserError) as error:
        scan(ctx, project, [gone], ScanSettings(), workers=1)
    assert "gone.warc.gz: There is no such file." in error.value.sentence
    archive = write_archive(tmp_path / "a.warc.gz", [page(0, SOURCE)])
    scan(ctx, project, [archive], ScanSettings(), workers=1)
    with pytest.raises(UserError, match="already") as error:
        scan(ctx, project, [archive, gone], ScanSettings(), workers=1)
    assert "gone.warc.gz: There is no such file." in error.value.sentence


def test_files_searched_for_the_same_sources_are_passed_over(project: Path, ctx: Context, tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "a.warc.gz", [page(0, SOURCE)])
    scan(ctx, project, [archive], ScanSettings(), workers=1)
    with pytest.raises(UserError, match="already"):
        scan(ctx, project, [archive], ScanSettings(), workers=1)
    second = write_archive(tmp_path / "b.warc.gz", [page(1, SOURCE)])
    scanned = scan(ctx, project, [tmp_path / "a.warc.gz", second], ScanSettings(), workers=1)
    assert (scanned.files, scanned.known) == (1, 1)
    assert list(stored_matches(project, scanned)) == ["https://site1.example/1.html"]
    again = scan(ctx, project, [archive], ScanSettings(), again=True, workers=1)
    assert list(stored_matches(project, again)) == ["https://site0.example/0.html"]
    with Session(project) as opened, opened.write() as connection:
        add_documents(connection, [Document("new", OTHER.format(n=1), Role.SOURCE)])
    assert scan(ctx, project, [archive, second], ScanSettings(), workers=1).files == 2


def test_ignored_sites_and_short_matches_do_not_count(project: Path, ctx: Context, tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "a.warc.gz", [page(0, SOURCE), page(1, SOURCE)])
    settings = ScanSettings(ignored=("site0.example",))
    scanned = scan(ctx, project, [archive], settings, workers=1)
    assert list(stored_matches(project, scanned)) == ["https://site1.example/1.html"]
    assert dict(scanned.run.excluded) == {"pages of ignored sites": 1}
    scanned = scan(ctx, project, [archive], ScanSettings(min_characters=1000), workers=1)
    assert (stored_matches(project, scanned), dict(scanned.run.excluded)) == ({}, {"matches shorter than requested": 2})


def test_sites_to_ignore_may_be_a_list_with_commas() -> None:
    typed = "own.example,www.other.example, http://a.example/x,y http://b.example/,http://c.example/,d.example"
    hosts = ["own.example", "www.other.example", "http://a.example/x,y"]
    hosts += ["http://b.example/", "http://c.example/", "d.example"]
    for value in (typed, [typed], tuple(hosts)):
        settings = ScanSettings.parse({"ignored": value})
        assert settings.ignored == tuple(hosts)
    assert settings.ignores("http://own.example/page")


def test_the_page_of_a_source_is_not_a_copy_of_it(project: Path, ctx: Context, tmp_path: Path) -> None:
    with Session(project) as opened, opened.write() as connection:
        add_documents(connection, [Document("page", SOURCE, Role.SOURCE, url="http://www.site0.example/0.html#top")])
    archive = write_archive(tmp_path / "a.warc.gz", [page(0, SOURCE), page(1, SOURCE), page(7, SOURCE)])
    scanned = scan(ctx, project, [archive], ScanSettings(), workers=1)
    assert set(stored_matches(project, scanned)) == {"https://site1.example/1.html", "https://site0.example/7.html"}
    assert dict(scanned.run.excluded) == {"pages that are sources of this project": 1}


def test_methods_that_compare_a_collection_with_itself_are_refused(project: Path, ctx: Context, tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "a.warc.gz", [page(0)])
    with pytest.raises(UserError, match="digest"):
        scan(ctx, project, [archive], ScanSettings("trustable-lcs"))


@pytest.mark.parametrize("stop_at", [1, *(pytest.param(stop_at, marks=pytest.mark.rest) for stop_at in (0, 2, 5))])
def test_a_cancelled_scan_continues_and_finds_what_an_undisturbed_one_finds(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int, ctx: Context
) -> None:
    monkeypatch.setattr("workbench.services.scanning.running.MOST_PAGES", 4)
    folder = tmp_path / "crawl"
    folder.mkdir()
    hits = {2, 5, 6, 13, 21, 22, 29}
    numbered = [page(n, SOURCE if n in hits else "") for n in range(30)]
    write_archive(folder / "a.warc.gz", numbered[:12])
    write_archive(folder / "b.warc.gz", numbered[12:])
    steps: list[int] = []
    detect = running._Scanning._compare

    def counted(self: object, *rest: object) -> None:
        if len(steps) == stop_at:
            steps.append(-1)
            raise Cancelled
        detect(self, *rest)  # type: ignore[arg-type]
        steps.append(1)

    monkeypatch.setattr(running._Scanning, "_compare", counted)
    with pytest.raises(Cancelled):
        scan(ctx, project, [folder], ScanSettings(), workers=0)
    with Session(project) as session, session.read() as connection:
        current = scan_of_run(connection, 1)
        assert current is not None
        assert current.run.state is RunState.CANCELLED
        assert bool(stop_at) == any(file.pieces for file in files_of(connection, current))
    resumed = go_on(ctx, project, 1, workers=0)
    assert resumed.run.id == 1
    assert set(stored_matches(project, resumed)) == {f"https://site{n % 7}.example/{n}.html" for n in hits}
    assert (resumed.run.documents, resumed.run.matches) == (30, len(hits))


def test_a_killed_scan_continues(project: Path, ctx: Context, tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "a.warc.gz", [page(n, SOURCE if n % 10 == 0 else "") for n in range(60)])
    process = start_function(_killed_midway, (project, archive), daemon=False)
    process.join(120)
    assert process.exitcode == 9
    with Session(project) as session, session.read() as connection:
        current = scan_of_run(connection, 1)
        assert current is not None
        assert current.run.state is RunState.INTERRUPTED
        assert 0 < current.run.documents < 60
    resumed = scan(ctx, project, [archive], ScanSettings(), workers=0)
    assert (resumed.run.id, resumed.run.documents, resumed.run.matches) == (1, 60, 6)


def _killed_midway(project: Path, archive: Path) -> None:
    pages_of = "workbench.services.scanning.running"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(f"{pages_of}.MOST_PAGES", 4)
        compare: Callable[..., None] = running._Scanning._compare
        calls: list[int] = []

        def dying(self: object, *rest: object) -> None:
            compare(self, *rest)
            calls.append(1)
            if len(calls) == 5:
                os._exit(9)

        patched.setattr(running._Scanning, "_compare", dying)
        scan(Context("test", lambda event: None, lambda: False), project, [archive], ScanSettings(), workers=0)


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object], int], None]:
    """Runs a scan that is cancelled once its waiting pages were compared a number of times."""

    def run(scanning: Callable[[], object], after: int) -> None:
        compare: Callable[..., None] = running._Scanning._compare
        calls: list[int] = []

        def counted(self: object, *rest: object) -> None:
            if len(calls) == after:
                raise Cancelled
            compare(self, *rest)
            calls.append(1)

        with monkeypatch.context() as patched:
            patched.setattr(running, "MOST_PAGES", 4)
            patched.setattr(running._Scanning, "_compare", counted)
            with pytest.raises(Cancelled):
                scanning()

    return run


def test_a_cancelled_scan_of_files_searched_before_continues(
    project: Path, ctx: Context, tmp_path: Path, stopping: Callable[[Callable[[], object], int], None]
) -> None:
    archive = write_archive(tmp_path / "a.warc.gz", [page(n, SOURCE if n in (1, 18) else "") for n in range(20)])
    scan(ctx, project, [archive], ScanSettings(), workers=0)
    stopping(lambda: scan(ctx, project, [archive], ScanSettings(), again=True, workers=0), 1)
    resumed = go_on(ctx, project, 2, workers=0)
    assert (resumed.run.id, resumed.run.state) == (2, RunState.DONE)
    assert (resumed.run.documents, resumed.run.matches) == (20, 2)


def test_a_file_that_changed_since_a_cancelled_scan_is_searched(
    project: Path, ctx: Context, tmp_path: Path, stopping: Callable[[Callable[[], object], int], None]
) -> None:
    first = write_archive(tmp_path / "a.warc.gz", [page(n) for n in range(5)])
    second = write_archive(tmp_path / "b.warc.gz", [page(n) for n in range(10, 30)])
    stopping(lambda: scan(ctx, project, [first, second], ScanSettings(), workers=0), 2)
    with Session(project) as session, session.read() as connection:
        current = scan_of_run(connection, 1)
        assert current is not None
        assert [file.done for file in files_of(connection, current)] == [True, False]
    write_archive(first, [page(n, SOURCE if n == 6 else "") for n in range(7)])
    scanned = scan(ctx, project, [first, second], ScanSettings(), workers=0)
    assert list(stored_matches(project, scanned)) == ["https://site6.example/6.html"]
    assert (scanned.files, scanned.run.documents) == (2, 27)


def test_a_scan_whose_archive_is_missing_says_so_and_begins_no_other_run(
    project: Path, ctx: Context, tmp_path: Path, stopping: Callable[[Callable[[], object], int], None]
) -> None:
    first = write_archive(tmp_path / "a.warc.gz", [page(n) for n in range(5)])
    second = write_archive(tmp_path / "b.warc.gz", [page(n, SOURCE if n == 12 else "") for n in range(10, 30)])
    third = write_archive(tmp_path / "c.warc.gz", [page(n) for n in range(30, 40)])
    stopping(lambda: scan(ctx, project, [first, second, third], ScanSettings(), workers=0), 2)
    second.rename(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"b\.warc\.gz"):
        go_on(ctx, project, 1, workers=0)
    with Session(project) as session, session.read() as connection:
        assert scan_of_run(connection, 2) is None
    (tmp_path / "elsewhere").rename(second)
    first.unlink()
    resumed = go_on(ctx, project, 1, workers=0)
    assert (resumed.run.id, resumed.run.matches, resumed.failed) == (1, 1, 0)


def test_a_scan_that_cannot_be_continued_because_the_sources_changed_says_so(
    project: Path, ctx: Context, tmp_path: Path, stopping: Callable[[Callable[[], object], int], None]
) -> None:
    archive = write_archive(tmp_path / "a.warc.gz", [page(n) for n in range(20)])
    stopping(lambda: scan(ctx, project, [archive], ScanSettings(), workers=0), 1)
    with Session(project) as opened, opened.write() as connection:
        add_documents(connection, [Document("new", OTHER.format(n=1), Role.SOURCE)])
    outcome = resume(ctx, project, 1)
    assert outcome.run is not None
    assert outcome.run.id == 2
    assert "Run 1 was not resumed" in outcome.sentences[0]
