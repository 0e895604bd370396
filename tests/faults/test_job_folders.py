"""A job deletes and overwrites nothing that it did not make itself, whatever folder it is given."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from tests.unit.scaleout.collection import write_pages
from workbench.base.errors import UserError
from workbench.base.progress import NullProgress
from workbench.jobs.context import Context
from workbench.project.database import create
from workbench.scaleout.job import Summary, run
from workbench.scaleout.record import JobRequest
from workbench.services.scaling.running import EngineOptions
from workbench.services.scaling.storing import import_scale


@pytest.fixture
def ctx() -> Context:
    return Context("test", lambda event: None, lambda: False)


@pytest.fixture
def request_(tmp_path: Path) -> JobRequest:
    return JobRequest((write_pages(tmp_path / "pages.jsonl", 12),), "digest", {"compare": "all"}, site_repetition=False)


def worked(folder: Path, request: JobRequest, options: EngineOptions | None = None) -> Summary:
    options = options or EngineOptions(threads=1)
    return run(folder, request, partial(options.open, folder, workers=0), NullProgress())


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below ``folder``, links not followed."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in folder.rglob("*")
    }


def letters(folder: Path) -> Path:
    """A folder of a user, with names that a job uses, too."""
    for name in ("steps/chapter1/draft.txt", "steps/download.part/film.mp4", "scratch/plan.txt"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("mine")
    for name in ("inputs.json", "job.json", "job.tmp", "lock", "inputs.json.tmp"):
        (folder / name).write_text("mine")
    return folder


def test_a_folder_of_the_user_is_refused_untouched(tmp_path: Path, request_: JobRequest) -> None:
    folder = letters(tmp_path / "thesis")
    before = tree(folder)
    for paths in (request_.paths, (tmp_path / "no input",)):
        with pytest.raises(UserError, match="not the folder of a job"):
            worked(folder, JobRequest(paths, "digest", {}))
        assert tree(folder) == before


def test_the_folder_of_another_user_is_refused_untouched(
    tmp_path: Path, request_: JobRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked(tmp_path / "job", request_)
    before = tree(tmp_path / "job")
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "another user"))
    with pytest.raises(UserError, match="not the folder of a job"):
        worked(tmp_path / "job", request_)
    assert tree(tmp_path / "job") == before


@pytest.mark.parametrize(
    "name",
    [
        *("", "steps", "job.json", "lock", "steps/old"),
        *(pytest.param(name, marks=pytest.mark.rest) for name in ("scratch", "inputs.json", "job.tmp")),
    ],
)
def test_links_are_refused_and_lead_nowhere(tmp_path: Path, request_: JobRequest, name: str) -> None:
    other, job = letters(tmp_path / "thesis"), tmp_path / "job"
    worked(job, request_)
    place = job / name if name else job
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    before = tree(other)
    place.symlink_to(other / "inputs.json" if place.suffix or name == "lock" else other)
    with pytest.raises(UserError):
        worked(job, request_)
    assert tree(other) == before


def test_what_a_user_put_among_the_steps_stays(tmp_path: Path, request_: JobRequest) -> None:
    job = tmp_path / "job"
    first = worked(job, request_)
    kept = (job / "steps/notes/why.txt", job / "steps/copy.part/film.mp4")
    for file in kept:
        file.parent.mkdir()
        file.write_text("mine")
    other = tmp_path / "other job"
    worked(other, JobRequest(request_.paths, "rare-sentences", {}, site_repetition=False))
    theirs = next((other / "steps").glob("decided-*"))
    shutil.copytree(theirs, job / "steps" / theirs.name)
    assert worked(job, request_) == first
    assert [file.read_text() for file in kept] == ["mine", "mine"]
    assert (job / "steps" / theirs.name).exists()


def test_steps_of_other_settings_are_still_deleted(tmp_path: Path, request_: JobRequest) -> None:
    job = tmp_path / "job"
    worked(job, request_)
    worked(job, JobRequest(request_.paths, "digest", {"compare": "all", "min_run": 4}, site_repetition=False))
    worked(
        tmp_path / "fresh",
        JobRequest(request_.paths, "digest", {"compare": "all", "min_run": 4}, site_repetition=False),
    )
    names = [
        sorted(path.name.rpartition("-")[0] for path in (folder / "steps").iterdir())
        for folder in (job, tmp_path / "fresh")
    ]
    assert names[0] == names[1]


def test_a_scratch_folder_of_the_user_loses_nothing(tmp_path: Path, request_: JobRequest) -> None:
    scratch = tmp_path / "big disk"
    scratch.mkdir()
    for name in ("duckdb_temp_storage_DEFAULT-0.tmp", "spark-log.properties", "palimpsest-1.txt"):
        (scratch / name).write_text("mine")
    before = tree(scratch)
    worked(tmp_path / "job", request_, EngineOptions(threads=1, scratch=scratch))
    assert tree(scratch) == before


@pytest.mark.parametrize(
    "name",
    [
        "year=1999/job[1] *?{a,b}'q",
        *(pytest.param(name, marks=pytest.mark.rest) for name in ("job[1] x", "*?{a,b}'q", "year=1999/job")),
    ],
)
def test_a_folder_may_have_any_name(tmp_path: Path, request_: JobRequest, ctx: Context, name: str) -> None:
    expected = worked(tmp_path / "plain", request_)
    assert expected.pairs
    job = tmp_path / name
    assert worked(job, request_) == expected
    create(tmp_path / "p.palimpsest")
    assert import_scale(ctx, tmp_path / "p.palimpsest", job).run.pairs == expected.pairs
