"""The folder of a job that somebody edited: a sentence, and nothing of it in the project."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.scaleout.collection import write_pages
from workbench.base.errors import UserError
from workbench.base.progress import NullProgress
from workbench.jobs.context import Context
from workbench.project.database import create, open_project
from workbench.project.integrity import counts, integrity
from workbench.scaleout.best_pairs import readable
from workbench.scaleout.job import run, status
from workbench.scaleout.record import JobRequest
from workbench.scaleout.rows import KEYS
from workbench.services.scaling.running import EngineOptions
from workbench.services.scaling.storing import import_scale

Row = dict[str, Any]
Rows = list[Row]
Record = dict[str, Any]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished job with passages and regions."""
    folder = tmp_path_factory.mktemp("finished")
    pages = write_pages(folder / "pages.jsonl", 14)
    job = folder / "job"
    request = JobRequest((pages,), "trustable-lcs", {}, site_repetition=False)
    summary = run(job, request, partial(EngineOptions(threads=1).open, job, workers=0), NullProgress())
    assert summary.pairs > 2
    return job


def first(change: Callable[[Row], None]) -> Callable[[Rows], Rows]:
    """The first pair that has passages, changed."""

    def changed(rows: Rows) -> Rows:
        if having := [row for row in rows if row["a"] is not None and row["scores"]]:
            change(having[0])
        return rows

    return changed


def values(**columns: Callable[[Row], Any]) -> Callable[[Rows], Rows]:
    return first(lambda row: row.update({name: value(row) for name, value in columns.items()}))


def details(change: Callable[[Record], Any]) -> Callable[[Rows], Rows]:
    def changed(rows: Rows) -> Rows:
        return [dict(row, details=json.dumps(change(json.loads(row["details"])))) for row in rows]

    return changed


RESULTS: dict[str, Callable[[Rows], Rows]] = {
    "beyond the text": values(a_end=lambda r: [10**9] * len(r["a_end"])),
    "both ends beyond": values(
        b_start=lambda r: [10**9] * len(r["b_end"]), b_end=lambda r: [2 * 10**9] * len(r["b_end"])
    ),
    "before the text": values(a_start=lambda r: [-5] * len(r["a_start"])),
    "ends before it starts": values(a_start=lambda r: r["a_end"], a_end=lambda r: r["a_start"]),
    "an end too many": values(b_end=lambda r: [*r["b_end"], 7]),
    "an end missing": values(b_end=lambda r: [*r["b_end"][:-1], None]),
    "no ends": values(b_end=lambda _: None),
    "score not a number": values(scores=lambda r: [math.nan] * len(r["scores"])),
    "score of the pair infinite": values(score=lambda _: math.inf),
    "no score of the pair": values(score=lambda _: None),
    "resemblance not a number": values(resemblance=lambda _: math.nan),
    "tier": values(tiers=lambda r: [9] * len(r["tiers"])),
    "objects for evidence": values(names=lambda _: '[["x","O"]]', values=lambda r: [1.0] * len(r["scores"])),
    "enormous evidence": values(names=lambda _: '[["x","V1000000000"]]', values=lambda r: [1.0] * len(r["scores"])),
    "evidence not JSON": values(names=lambda _: "{{{"),
    "evidence nested too deeply": values(names=lambda _: "[" * 100_000),
    "other evidence": values(names=lambda _: '[["y","<f8"]]', values=lambda r: [1.0] * len(r["scores"])),
    "evidence twice": values(
        names=lambda _: '[["y","<f8"],["y","<i8"]]', values=lambda r: [1.0, 2.0] * len(r["scores"])
    ),
    "too few figures": values(values=lambda r: r["values"][:-1]),
    "figure not a number": values(values=lambda r: [math.inf] * len(r["values"])),
    "evidence of the pair": values(evidence=lambda _: "not json", scored=lambda _: True),
    "nested evidence of the pair": values(evidence=lambda _: '{"x":{"y":1}}', scored=lambda _: True),
    "region too short": values(regions=lambda _: "[[1,2]]"),
    "region outside": values(regions=lambda _: "[[0,1000000000,0,5,1.0]]"),
    "region of fractions": values(regions=lambda _: "[[0.5,1,0,1,1.0]]"),
    "region of enormous numbers": values(regions=lambda _: f"[[0,{1 << 70},0,1,1.0]]"),
    "with itself": values(b=lambda r: r["a"]),
    "an absent page": values(b=lambda _: 12345678),
    "an absent page before all": values(a=lambda _: -1),
    "a role that is none": values(b=lambda _: (5 << 60) + 3),
    "no page": values(b=lambda _: None),
    "a pair twice": lambda rows: rows + [row for row in rows if row["a"] is not None][:1],
}
PAGES: dict[str, Callable[[Rows], Rows]] = {
    "the same id": lambda rows: [dict(row, id="same") for row in rows],
    "the same number": lambda rows: [*rows, *(dict(row, id=f"{row['id']} again") for row in rows)],
    "no id": lambda rows: [dict(row, id=None) for row in rows],
    "an enormous id": lambda rows: [dict(row, id=f"{row['page']}{'x' * 70_000}") for row in rows],
    "a shorter text": lambda rows: [dict(row, text="short") for row in rows],
    "pages gone": lambda rows: rows[:1],
    "another role": lambda rows: [dict(row, page=row["page"] % KEYS + 4 * KEYS) for row in rows],
    "blocks outside": details(lambda _: {"blocks": [[0, 999999999, "paragraph", "content", "", "p"]]}),
    "blocks in no order": details(
        lambda _: {"blocks": [[5, 6, "paragraph", "content", "", ""], [0, 1, "paragraph", "content", "", ""]]}
    ),
    "a kind that is none": details(lambda _: {"blocks": [[0, 1, "nonsense", "content", "", ""]]}),
    "numbers for words": details(lambda d: d | {"how": [1, 2, 3, 4, 5]}),
    "no layout": details(lambda _: []),
    "links that are none": lambda rows: [dict(row, links="[1, 2]") for row in rows],
    "links not JSON": lambda rows: [dict(row, links="[") for row in rows],
}
RECORDS: dict[str, Callable[[Record, Path], Record]] = {
    "a method that is none": lambda job, _: job | {"method": "nosuch"},
    "a method that is a list": lambda job, _: job | {"method": ["digest"]},
    "nested parameters": lambda job, _: job | {"parameters": {"x": {"y": [1]}}},
    "a parameter that is no number": lambda job, _: job | {"parameters": {"x": float("inf")}},
    "an enormous parameter": lambda job, _: job | {"parameters": {"x": 1 << 80}},
    "half a character in a parameter": lambda job, _: job | {"parameters": {"x": "\ud800"}},
    "half a character in the name of a parameter": lambda job, _: job | {"parameters": {"\udfff": 1}},
    "half a character in a reason": lambda job, _: job | {"summary": job["summary"] | {"left_out": {"\ud800": 1}}},
    "paths elsewhere": lambda job, at: job | {name: [str(at / x) for x in job[name]] for name in ("results", "pages")},
    "paths upwards": lambda job, at: job | {"pages": [f"../{at.name}/{x}" for x in job["pages"]]},
    "SQL": lambda job, _: job | {"results": ["x']) union select * from read_csv('/etc/passwd') --"]},
    "no results": lambda job, _: {name: value for name, value in job.items() if name != "results"},
    "results of nothing": lambda job, _: job | {"results": []},
    "pages for results": lambda job, _: job | {"results": job["pages"]},
    "results for pages": lambda job, _: job | {"pages": job["results"]},
    "words for counts": lambda job, _: job | {"summary": job["summary"] | {"left_out": {"x": "y"}}},
    "negative counts": lambda job, _: job | {"summary": job["summary"] | {"left_out": {"x": -5}}},
    "words for pages": lambda job, _: job | {"summary": job["summary"] | {"pages": "z"}},
    "enormous counts": lambda job, _: job | {"summary": job["summary"] | {"pages": 1 << 80}},
    "refusals that are no pairs": lambda job, _: job | {"summary": job["summary"] | {"refused": ["x"]}},
    "no summary": lambda job, _: job | {"summary": None},
    "steps": lambda job, _: job | {"steps": [{"name": 5}]},
    "version": lambda job, _: job | {"version": "1"},
    "repeated elsewhere": lambda job, at: job | {"repeated": str(at / "steps")},
}


def edited(finished: Path, folder: Path, which: str, change: Callable[[Rows], Rows]) -> None:
    """A copy of the job in ``folder`` whose rows of ``which`` are changed, and which says that they are whole."""
    shutil.copytree(finished, folder)
    for name in json.loads((folder / "job.json").read_text())[which]:
        for file in (folder / name).glob("*.parquet"):
            table = pq.read_table(file)
            pq.write_table(pa.Table.from_pylist(change(table.to_pylist()), schema=table.schema), file)


def refused(ctx: Context, tmp_path: Path, job: Path) -> None:
    path = tmp_path / "p.palimpsest"
    create(path)
    with pytest.raises(UserError) as error:
        import_scale(ctx, path, job)
    assert error.value.sentence
    with open_project(path) as project, project.read() as connection:
        assert not any(counts(connection))
        assert integrity(project) == "ok"


@pytest.fixture
def ctx() -> Context:
    return Context("test", lambda event: None, lambda: False)


@pytest.mark.parametrize("name", RESULTS)
def test_edited_results_are_refused(finished: Path, tmp_path: Path, ctx: Context, name: str) -> None:
    edited(finished, tmp_path / "job", "results", RESULTS[name])
    refused(ctx, tmp_path, tmp_path / "job")


@pytest.mark.parametrize("name", PAGES)
def test_edited_pages_are_refused(finished: Path, tmp_path: Path, ctx: Context, name: str) -> None:
    edited(finished, tmp_path / "job", "pages", PAGES[name])
    refused(ctx, tmp_path, tmp_path / "job")


@pytest.mark.parametrize("name", RECORDS)
def test_edited_records_are_refused(finished: Path, tmp_path: Path, ctx: Context, name: str) -> None:
    job = shutil.copytree(finished, tmp_path / "job")
    record = json.loads((job / "job.json").read_text())
    (job / "job.json").write_text(json.dumps(RECORDS[name](record, finished)))
    refused(ctx, tmp_path, job)


def test_other_columns_and_damaged_files_are_refused(finished: Path, tmp_path: Path, ctx: Context) -> None:
    for number, content in enumerate((b"", b"PAR1" + bytes(200), None)):
        folder = tmp_path / str(number)
        job = shutil.copytree(finished, folder / "job")
        for name in status(job).job["results"]:
            for file in (job / name).glob("*.parquet"):
                if content is None:
                    pq.write_table(pq.read_table(file).drop_columns(["tiers"]), file)
                else:
                    file.write_bytes(content)
        refused(ctx, folder, job)


def test_damage_that_an_engine_cannot_put_into_words_is_refused() -> None:
    with pytest.raises(UserError, match="The results of the job cannot be read"), readable():
        b"\xae".decode()


def test_a_link_in_the_folder_is_refused(finished: Path, tmp_path: Path, ctx: Context) -> None:
    job = shutil.copytree(finished, tmp_path / "job")
    (name, *_) = status(job).job["pages"]
    shutil.rmtree(job / name)
    (job / name).symlink_to(finished / name)
    refused(ctx, tmp_path, job)


def test_strange_words_are_stored_and_harm_nothing(finished: Path, tmp_path: Path, ctx: Context) -> None:
    job, path = tmp_path / "job", tmp_path / "p.palimpsest"
    edited(
        finished, job, "pages", lambda rows: [dict(r, id=f"'; drop table text;--\n\x1b[31m{r['page']}") for r in rows]
    )
    create(path)
    assert import_scale(ctx, path, job).run.pairs
    with open_project(path) as project:
        assert integrity(project, deep=True) == "ok"
