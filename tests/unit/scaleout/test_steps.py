"""Finished steps are kept: after a kill, a change of settings, new inputs. What cannot be read is listed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.clusters import executors_below
from tests.unit.scaleout.collection import stored_rows, write_pages
from workbench.base.errors import UserError
from workbench.base.progress import NullProgress, Progress
from workbench.methods.core import registry
from workbench.reading.formats import Failure, ReadOptions, Record
from workbench.scaleout.api import Engine, Query, Stage
from workbench.scaleout.duck import DuckDb, chunked
from workbench.scaleout.inputs import list_pieces
from workbench.scaleout.job import Summary, run, status
from workbench.scaleout.pages import PAGE_BYTES, items
from workbench.scaleout.record import JOB, JobRequest, read_job
from workbench.scaleout.work import Work
from workbench.services.scaling.running import EngineOptions

# Whole jobs, many of them killed.
pytestmark = pytest.mark.slow

KILLED = """
import os, signal, sys
from pathlib import Path
from workbench.base.progress import NullProgress
from workbench.scaleout.duck import DuckDb
from workbench.scaleout.job import run
from workbench.scaleout.record import JobRequest
from workbench.services.scaling.running import EngineOptions

write = DuckDb.write
def killed(self, query, folder, title, watch):
    write(self, query, folder, title, watch)
    if "met" in folder.name:
        os.kill(os.getpid(), signal.SIGKILL)
DuckDb.write = killed
job = Path(sys.argv[2])
request = JobRequest((Path(sys.argv[1]),), "trustable-lcs", {}, site_repetition=False)
run(job, request, lambda: EngineOptions(threads=1).open(job, workers=0), NullProgress())
"""


class Counting:
    """The embedded engine, with the names of the steps it computed."""

    def __init__(self, folder: Path) -> None:
        self._engine = EngineOptions(threads=1).open(folder, workers=0)
        self.steps: list[str] = []

    def view(self, name: str, folders: Sequence[Path]) -> None:
        self._engine.view(name, folders)

    def write(self, query: Query, folder: Path, title: str, watch: Progress) -> None:
        self.steps.append(folder.name.rpartition("-")[0])
        self._engine.write(query, folder, title, watch)

    def close(self) -> None:
        self._engine.close()


def done(job: Path, request: JobRequest) -> tuple[Summary, list[str]]:
    """The outcome, and the steps that were computed."""
    engines: list[Counting] = []

    def engine() -> Engine:
        engines.append(Counting(job))
        return engines[0]

    return run(job, request, engine, NullProgress()), engines[0].steps


def wanted(folder: Path) -> JobRequest:
    pages = folder / "pages"
    pages.mkdir()
    write_pages(pages / "a.jsonl", 40)
    return JobRequest((pages,), "trustable-lcs", {}, site_repetition=False)


@pytest.fixture
def request_(tmp_path: Path) -> JobRequest:
    return wanted(tmp_path)


class Finished(NamedTuple):
    """A job that is done, in the folder ``at``, which stays as it is."""

    request: JobRequest
    at: Path
    summary: Summary
    steps: list[str]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("finished")
    request = wanted(folder)
    return Finished(request, folder / "job", *done(folder / "job", request))


@pytest.fixture
def copied(finished: Finished, tmp_path: Path) -> Path:
    """The folder of a finished job, to be changed."""
    return Path(shutil.copytree(finished.at, tmp_path / "job"))


def test_a_step_is_known_by_its_settings_in_any_order() -> None:
    one, other, changed = (
        Stage(items, pa.schema([]), settings).identity for settings in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1})
    )
    assert one == other != changed


def test_a_finished_job_is_not_done_again(finished: Finished, copied: Path) -> None:
    assert "pages" in finished.steps
    assert done(copied, finished.request) == (finished.summary, [])


def test_another_version_of_the_method_computes_its_steps_again(
    finished: Finished, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = registry.get("trustable-lcs")
    monkeypatch.setattr(type(method), "version", property(lambda _method: 99))
    _, steps = done(copied, finished.request)
    assert set(steps) == set(finished.steps) - {"pages", "twice"}


@pytest.mark.parametrize("link", [True, False])
def test_looking_at_a_job_follows_no_link_and_creates_nothing(copied: Path, tmp_path: Path, link: bool) -> None:
    record = copied / JOB
    record.write_text(record.read_text("utf-8").replace('"state": "done"', '"state": "running"'), "utf-8")
    lock = copied / "lock"
    lock.unlink(missing_ok=True)
    if link:
        lock.symlink_to(tmp_path / "theirs")
    assert status(copied).state == "ended"
    assert lock.is_symlink() == link
    assert not lock.exists()


@pytest.mark.parametrize(
    ("method", "changed", "redone"),
    [
        pytest.param("trustable-lcs", {"slope": 0.2}, {"verified-0"}, marks=pytest.mark.rest),
        (
            "trustable-lcs",
            {"max_candidates": 3},
            {"met", "direct", "longer", "lists", "changed", "verified-0", "counts"},
        ),
        pytest.param("rare-sentences", {"identical": 0.9}, {"decided"}, marks=pytest.mark.rest),
        ("rare-sentences", {"min_sentences": 2}, {"shared", "decided"}),
        pytest.param(
            "rare-sentences",
            {"max_documents": 4},
            {"copied-sentences", "shared", "decided", "counts"},
            marks=pytest.mark.rest,
        ),
        pytest.param("digest", {"bridge": False}, {"runs", "counts"}, marks=pytest.mark.rest),
        pytest.param("digest", {"max_places": 2}, {"runs", "counts"}, marks=pytest.mark.rest),
        ("digest", {"min_run": 4}, {"begins", "candidates", "runs", "counts"}),
    ],
)
def test_a_changed_parameter_redoes_only_what_depends_on_it(
    request_: JobRequest, tmp_path: Path, method: str, changed: dict[str, Any], redone: set[str]
) -> None:
    request = replace(request_, method=method, site_repetition=True)
    done(tmp_path / "job", request)
    _, steps = done(tmp_path / "job", replace(request, parameters=changed))
    assert steps
    assert set(steps) <= redone


def added(folder: Path, site: str) -> Path:
    """The pages of ``folder`` again under other ids, on ``site``."""
    file = folder / "b.jsonl"
    text = (folder / "a.jsonl").read_text("utf-8").replace('"id": "p', '"id": "q')
    file.write_text(re.sub(r"s\d\.example", site, text), "utf-8")
    return file


@pytest.mark.parametrize(
    ("method", "alone", "again"),
    [
        pytest.param("trustable-lcs", {"pages", "site-blocks", "prints"}, set(), marks=pytest.mark.rest),
        pytest.param("rare-sentences", {"pages", "site-blocks", "sentences"}, set(), marks=pytest.mark.rest),
        # Surprisal is that of the letters of the whole collection.
        ("digest", {"pages", "site-blocks", "letter-parts"}, {"segments"}),
    ],
)
def test_added_pages_are_read_and_fingerprinted_alone(
    request_: JobRequest, tmp_path: Path, method: str, alone: set[str], again: set[str]
) -> None:
    request = replace(request_, method=method, site_repetition=True)
    first, _ = done(tmp_path / "job", request)
    added(request.paths[0], "other.example")
    both, steps = done(tmp_path / "job", request)
    assert both.pages == 2 * first.pages
    assert {name: steps.count(name) for name in alone} == dict.fromkeys(alone, 1)
    assert {name: steps.count(name) for name in again} == dict.fromkeys(again, 2)
    fresh, _ = done(tmp_path / "fresh", request)
    assert both == fresh
    results = [stored_rows(folder, read_job(folder)["results"]) for folder in (tmp_path / "job", tmp_path / "fresh")]
    assert sorted(results[0][0].values()) == sorted(results[1][0].values())


def test_pages_are_fingerprinted_again_where_added_ones_change_what_their_site_repeats(
    request_: JobRequest, tmp_path: Path
) -> None:
    request = replace(request_, site_repetition=True)
    done(tmp_path / "job", request)
    added(request.paths[0], "s1.example")
    _, steps = done(tmp_path / "job", request)
    assert steps.count("site-blocks") == 1
    assert steps.count("prints") == 2


def test_pages_whose_id_is_known_do_not_have_others_fingerprinted_again(request_: JobRequest, tmp_path: Path) -> None:
    first, _ = done(tmp_path / "job", request_)
    folder = request_.paths[0]
    (folder / "b.jsonl").write_text((folder / "a.jsonl").read_text("utf-8"), "utf-8")
    second, steps = done(tmp_path / "job", request_)
    assert (second.pages, second.twice) == (first.pages, first.pages)
    assert steps.count("prints") == 1


def test_after_a_kill_the_job_continues(finished: Finished, tmp_path: Path) -> None:
    job = tmp_path / "job"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(finished.request.paths[0]), str(job)],
        check=False,
        capture_output=True,
        cwd=Path(__file__).parents[3],
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert status(job).state == "ended"
    assert any(p.name.endswith(".part") for p in (job / "steps").iterdir())
    after, steps = done(job, finished.request)
    assert not {"pages", "prints", "members"} & set(steps)
    assert "met" in steps
    assert after == finished.summary
    results = [stored_rows(folder, read_job(folder)["results"]) for folder in (job, finished.at)]
    assert results[0] == results[1]


def test_two_programs_do_not_work_in_one_folder(finished: Finished, copied: Path) -> None:
    from filelock import FileLock

    with FileLock(copied / "lock"), pytest.raises(UserError, match="Another program"):
        done(copied, finished.request)


def test_what_cannot_be_read_is_listed_and_the_rest_continues(request_: JobRequest, tmp_path: Path) -> None:
    folder = request_.paths[0]
    good = pa.table({"id": ["t1", "t2"], "text": ["一つ目の文です。", "二つ目の文です。"]})
    pq.write_table(good, folder / "good.parquet")
    whole = (folder / "good.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "bad.warc").write_bytes(b"WARC/1.0\r\nContent-Length: 99999\r\n\r\nhalf")
    (folder / "odd.jsonl").write_text('{"id": "x"}\nnothing\n{"id": "p1", "text": "同じ番号の別の頁です。"}\n', "utf-8")
    summary, _ = done(tmp_path / "job", request_)
    refused = {path.rpartition("/")[2] for path, _ in summary.refused}
    assert {"cut.parquet", "odd.jsonl:1", "odd.jsonl:2"} <= refused
    assert any(name.startswith("bad.warc") for name in refused)
    assert summary.pages == 42
    assert summary.twice == 1


def test_the_rule_for_content_blocks_also_counts_for_pages_that_are_files(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    menu = "".join(f'<li><a href="/{i}">Shipping and returns of every harbour number {i}</a></li>' for i in range(20))
    for name in ("kelp", "tides"):
        article = "".join(f"<p>Of {name} chapter {i} says {name * i}.</p>" for i in range(9))
        page = f"<html><body><nav><ul>{menu}</ul></nav><article>{article}</article></body></html>"
        (folder / f"{name}.html").write_text(page, "utf-8")
    pairs = {}
    for rule in ("default", "all"):
        request = JobRequest((folder,), "trustable-lcs", {}, blocks=rule, site_repetition=False)
        pairs[rule] = done(tmp_path / rule, request)[0].pairs
    assert pairs == {"default": 0, "all": 1}


def test_a_fingerprint_on_every_page_makes_no_pairs_and_is_counted(tmp_path: Path) -> None:
    pages = tmp_path / "same.jsonl"
    rows = (
        f'{{"id": "p{i}", "site": "s.example", "text": "どの頁にもある同じ文をここに書きます。"}}' for i in range(50)
    )
    pages.write_text("\n".join(rows), "utf-8")
    parameters = {"max_documents": 20}
    summary, _ = done(tmp_path / "job", JobRequest((pages,), "trustable-lcs", parameters, site_repetition=False))
    assert summary.pairs == 0
    assert summary.left_out == {"fingerprints in too many documents": 50}


def test_a_step_whose_files_were_cut_short_is_made_again(finished: Finished, copied: Path) -> None:
    (file,) = (copied / "steps").glob("prints-*/*.parquet")
    file.write_bytes(file.read_bytes()[:100])
    assert done(copied, finished.request) == (finished.summary, ["prints"])
    (facts,) = (copied / "steps").glob("members-*/_step.json")
    facts.write_text("{", "utf-8")
    assert done(copied, finished.request) == (finished.summary, ["members"])


def test_a_damaged_step_of_the_same_size_is_named(finished: Finished, copied: Path) -> None:
    (file,) = (copied / "steps").glob("prints-*/*.parquet")
    file.write_bytes(bytes(file.stat().st_size))
    with pytest.raises(UserError, match=r"A finished step is damaged.*prints-.*Delete its folder"):
        done(copied, finished.request)


def test_a_job_given_relatively_has_absolute_folders(
    request_: JobRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    work = Work(Path("job"), partial(EngineOptions(threads=1).open, tmp_path, workers=0), NullProgress())
    assert work.folder == tmp_path / "job"
    work.close()


def test_a_line_of_200_megabytes_is_refused_and_does_not_fill_memory(tmp_path: Path) -> None:
    pages = tmp_path / "big.jsonl"
    with pages.open("w", encoding="utf-8") as file:
        file.write('{"id": "big", "text": "')
        for _ in range(200):
            file.write("x" * 1_000_000)
        file.write('"}\n{"id": "small", "text": "A page after it."}\n')
    pieces, _ = list_pieces(tmp_path / "job", [pages], ReadOptions(), NullProgress())
    limited = ReadOptions(file_bytes=PAGE_BYTES, line_characters=1_000_000)
    tracemalloc.start()
    big, small = [item for piece in pieces for item in items(piece, limited)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(big, Failure)
    assert isinstance(small, Record)
    assert small.document.id == "small"
    assert peak < 20_000_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 6 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a file system here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("left", [40_000, pytest.param(0, marks=pytest.mark.rest)])
def test_a_full_disk_is_named_and_the_job_continues_when_there_is_room(
    finished: Finished, small_disk: Path, left: int
) -> None:
    (small_disk / "ballast").write_bytes(bytes(6 * 1024 * 1024 - left))
    with pytest.raises(UserError, match="The disk is full"):
        done(small_disk / "job", finished.request)
    (small_disk / "ballast").unlink()
    assert done(small_disk / "job", finished.request)[0] == finished.summary


def test_an_input_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing to read"):
        done(tmp_path / "job", JobRequest((tmp_path / "none",), "digest", {}))


def test_a_wrong_amount_of_memory_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="much is not an amount"):
        EngineOptions(memory="much").open(tmp_path)


def test_a_full_scratch_disk_is_named(tmp_path: Path) -> None:
    engine = EngineOptions(threads=1, memory="50MB").open(tmp_path, workers=0)
    assert isinstance(engine, DuckDb)
    engine._connection.execute("set max_temp_directory_size = '1MB'")
    (tmp_path / "out").mkdir()
    wide = "select range as a, range % 1000003 as b, repeat('x', 100) || range as c from range(3000000)"
    query = Query(f"select x.a, y.c, count(*) as n from ({wide}) x join ({wide}) y on x.a = y.b group by x.a, y.c")
    with pytest.raises(UserError, match="The disk is full"):
        engine.write(query, tmp_path / "out", "step", NullProgress())
    engine.close()


def test_groups_are_never_divided_between_chunks() -> None:
    batches = [pa.record_batch({"g": [n // 7 for n in range(i, i + 50)]}) for i in range(0, 1000, 50)]
    chunks = [pa.Table.from_batches(chunk).column("g").to_pylist() for chunk in chunked(iter(batches), "g", 300)]
    assert [n for chunk in chunks for n in chunk] == [n // 7 for n in range(1000)]
    assert len(chunks) > 5
    assert all(a[-1] != b[0] for a, b in pairwise(chunks))


class KillingAnExecutor(NullProgress):
    """Kills one executor while the step ``title`` is under way."""

    def __init__(self, title: str) -> None:
        self._title = title
        self.killed = 0

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        if stage == self._title and not self.killed:
            self.killed = executors_below(os.getpid())[0]
            os.kill(self.killed, signal.SIGKILL)


@pytest.mark.rest
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("method", "title"),
    [
        ("rare-sentences", "Gathering shared sentences"),
        ("trustable-lcs", "Fingerprinting pages"),
        ("digest", "Finding sequences"),
    ],
)
def test_a_cluster_of_two_executors_finds_the_same_also_when_one_is_killed(
    request_: JobRequest, tmp_path: Path, method: str, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = replace(request_, method=method)
    expected, _ = done(tmp_path / "here", here)
    # A folder given relatively: executors are in other folders.
    folder = Path("cluster")
    watch = KillingAnExecutor(title)
    there = run(folder, here, lambda: EngineOptions("spark", "local-cluster[2,1,512]").open(folder), watch)
    assert watch.killed
    assert there == expected
    assert expected.pairs
    results = [stored_rows(job, read_job(job)["results"]) for job in (tmp_path / "here", folder)]
    assert results[0] == results[1]
