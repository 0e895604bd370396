"""Finished steps are kept: after a kill, a change of settings, new inputs. What cannot be read is listed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.scaleout.collection import stored_rows, write_pages
from workbench.base.errors import UserError
from workbench.base.progress import Unwatched, Watcher
from workbench.scaleout.api import Engine, Query
from workbench.scaleout.duck import DuckDb, chunked
from workbench.scaleout.job import Summary, run, status
from workbench.scaleout.request import Request
from workbench.scaleout.work import read_job
from workbench.services.scaling.running import EngineOptions

KILLED = """
import os, signal, sys
from pathlib import Path
from workbench.base.progress import Unwatched
from workbench.scaleout.duck import DuckDb
from workbench.scaleout.job import run
from workbench.scaleout.request import Request
from workbench.services.scaling.running import EngineOptions

write = DuckDb.write
def killed(self, query, folder, title, watch):
    write(self, query, folder, title, watch)
    if "met" in folder.name:
        os.kill(os.getpid(), signal.SIGKILL)
DuckDb.write = killed
job = Path(sys.argv[2])
request = Request((Path(sys.argv[1]),), "trustable-lcs", {}, site_repetition=False)
run(job, request, lambda: EngineOptions(threads=1).open(job, workers=0), Unwatched())
"""


class Counting:
    """The embedded engine, with the names of the steps it computed."""

    def __init__(self, folder: Path) -> None:
        self._engine = EngineOptions(threads=1).open(folder, workers=0)
        self.steps: list[str] = []

    def view(self, name: str, folders: Sequence[Path]) -> None:
        self._engine.view(name, folders)

    def write(self, query: Query, folder: Path, title: str, watch: Watcher) -> None:
        self.steps.append(folder.name.rpartition("-")[0])
        self._engine.write(query, folder, title, watch)

    def close(self) -> None:
        self._engine.close()


def done(job: Path, request: Request) -> tuple[Summary, list[str]]:
    """The outcome, and the steps that were computed."""
    engines: list[Counting] = []

    def engine() -> Engine:
        engines.append(Counting(job))
        return engines[0]

    return run(job, request, engine, Unwatched()), engines[0].steps


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    pages = tmp_path / "pages"
    pages.mkdir()
    write_pages(pages / "a.jsonl", 40)
    return Request((pages,), "trustable-lcs", {}, site_repetition=False)


def test_a_finished_job_is_not_done_again(request_: Request, tmp_path: Path) -> None:
    first, steps = done(tmp_path / "job", request_)
    assert "pages" in steps
    assert done(tmp_path / "job", request_) == (first, [])


def test_a_changed_parameter_redoes_only_what_depends_on_it(request_: Request, tmp_path: Path) -> None:
    done(tmp_path / "job", request_)
    _, steps = done(tmp_path / "job", replace(request_, parameters={"slope": 0.2}))
    assert steps == ["verified-0"]
    _, steps = done(tmp_path / "job", replace(request_, parameters={"slope": 0.2, "max_documents": 5}))
    assert "prints" not in steps
    assert "frequent" in steps


def test_added_pages_are_read_and_fingerprinted_alone(request_: Request, tmp_path: Path) -> None:
    first, _ = done(tmp_path / "job", request_)
    other = request_.paths[0] / "b.jsonl"
    other.write_text((request_.paths[0] / "a.jsonl").read_text("utf-8").replace('"id": "p', '"id": "q'), "utf-8")
    before = {p.name for p in (tmp_path / "job" / "steps").glob("p*")}
    both, steps = done(tmp_path / "job", request_)
    assert both.pages == 2 * first.pages
    assert steps.count("pages") == steps.count("prints") == 1
    assert before < {p.name for p in (tmp_path / "job" / "steps").glob("p*")}


def test_after_a_kill_the_job_goes_on(request_: Request, tmp_path: Path) -> None:
    job = tmp_path / "job"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(request_.paths[0]), str(job)],
        check=False,
        capture_output=True,
        cwd=Path(__file__).parents[3],
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert status(job).state == "ended"
    assert any(p.name.endswith(".part") for p in (job / "steps").iterdir())
    after, steps = done(job, request_)
    assert not {"pages", "prints", "members"} & set(steps)
    assert "met" in steps
    whole, _ = done(tmp_path / "other", request_)
    assert after == whole
    results = [stored_rows(folder, read_job(folder)["results"]) for folder in (job, tmp_path / "other")]
    assert results[0] == results[1]


def test_two_programs_do_not_work_in_one_folder(request_: Request, tmp_path: Path) -> None:
    from filelock import FileLock

    done(tmp_path / "job", request_)
    with FileLock(tmp_path / "job" / "lock"), pytest.raises(UserError, match="Another program"):
        done(tmp_path / "job", request_)


def test_what_cannot_be_read_is_listed_and_the_rest_goes_on(request_: Request, tmp_path: Path) -> None:
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


def test_a_fingerprint_on_every_page_makes_no_pairs_and_is_counted(tmp_path: Path) -> None:
    pages = tmp_path / "same.jsonl"
    rows = (
        f'{{"id": "p{i}", "site": "s.example", "text": "どの頁にもある同じ文をここに書きます。"}}' for i in range(50)
    )
    pages.write_text("\n".join(rows), "utf-8")
    parameters = {"max_documents": 20}
    summary, _ = done(tmp_path / "job", Request((pages,), "trustable-lcs", parameters, site_repetition=False))
    assert summary.pairs == 0
    assert summary.left_out == {"fingerprints in too many documents": 50}


def test_an_input_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing to read"):
        done(tmp_path / "job", Request((tmp_path / "none",), "digest", {}))


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
    with pytest.raises(UserError, match=r"scratch files is full|more memory"):
        engine.write(query, tmp_path / "out", "step", Unwatched())
    engine.close()


def test_groups_are_never_divided_between_chunks() -> None:
    batches = [pa.record_batch({"g": [n // 7 for n in range(i, i + 50)]}) for i in range(0, 1000, 50)]
    chunks = [pa.Table.from_batches(chunk).column("g").to_pylist() for chunk in chunked(iter(batches), "g", 300)]
    assert [n for chunk in chunks for n in chunk] == [n // 7 for n in range(1000)]
    assert len(chunks) > 5
    assert all(a[-1] != b[0] for a, b in pairwise(chunks))


@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_cluster_of_two_executors_finds_the_same(request_: Request, tmp_path: Path) -> None:
    address = "local-cluster[2,1,512]"
    here = replace(request_, method="rare-sentences")
    expected, _ = done(tmp_path / "here", here)
    folder = tmp_path / "cluster"
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    there = run(folder, here, lambda: EngineOptions("spark", address).open(folder), Unwatched())
    assert there == expected
    assert expected.pairs
    results = [stored_rows(job, read_job(job)["results"]) for job in (tmp_path / "here", folder)]
    assert results[0] == results[1]
