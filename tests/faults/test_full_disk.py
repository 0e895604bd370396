"""No room left: a sentence, exit code 1, and what was committed stays."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from fault_program import PROGRAM, Run, limit_files, passages


def check_told(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "disk" in done.stderr or "room" in done.stderr or "space" in done.stderr


def test_results_for_which_there_is_no_room_are_reported(tmp_path: Path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROGRAM, "methods"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "The results cannot be written (No space left on device).\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_hinders_nothing(tmp_path: Path, closed: str):
    command = f"exec {shlex.join(PROGRAM)} new {tmp_path / 'p.palimpsest'} {closed}"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0
    assert (tmp_path / "p.palimpsest").exists()


def test_a_pdf_file_that_cannot_be_written_whole_is_not_a_success(palimpsest: Run, tmp_path: Path):
    project, pdf = tmp_path / "p.palimpsest", tmp_path / "report.pdf"
    sentences = " ".join(f"The ferry number {number} crosses the river at dusk." for number in range(30))
    palimpsest("new", project)
    for role, text in (("source", sentences), ("suspect", f"My own beginning of it. {sentences}")):
        file = tmp_path / f"{role}.txt"
        file.write_text(text, encoding="utf-8")
        palimpsest("import", project, file, "--role", role)
    palimpsest("detect", project, "digest")
    palimpsest("report", project, "--out", pdf)
    limited = partial(limit_files, pdf.stat().st_size // 2)
    pdf.unlink()
    # A program of its own: the process that it starts for typesetting has the limit, too.
    command = [*PROGRAM, "report", str(project), "--out", str(pdf)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr or "could not be printed" in done.stderr
    assert not pdf.exists()


@pytest.mark.slow
@pytest.mark.parametrize("size", [200_000, pytest.param(600_000, marks=pytest.mark.rest)])
def test_an_import_that_outgrows_its_limit_can_be_repeated(palimpsest: Run, corpus: Path, tmp_path: Path, size: int):
    project = tmp_path / "p.palimpsest"
    palimpsest("new", project)
    check_told(palimpsest("import", project, corpus, "--json", check=False, preexec_fn=partial(limit_files, size)))
    state = json.loads(palimpsest("info", project, "--json").stdout)
    assert state["integrity"] == "ok"
    palimpsest("import", project, corpus, "--json")
    assert json.loads(palimpsest("info", project, "--json").stdout)["documents"] == 300


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 12 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("may not mount a file system here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
def test_work_on_a_full_disk_is_reported_and_continues_when_there_is_room(
    palimpsest: Run, corpus: Path, tmp_path: Path, small_disk: Path
):
    project = small_disk / "p.palimpsest"
    environment = {**os.environ, "PALIMPSEST_CACHE": str(small_disk / "cache")}
    palimpsest("new", project)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(12_000_000))
    check_told(palimpsest("import", project, corpus, "--json", check=False))
    assert json.loads(palimpsest("info", project, "--json").stdout)["integrity"] == "ok"
    ballast.unlink()
    palimpsest("import", project, corpus, "--json")
    used = sum(file.stat().st_size for file in small_disk.rglob("*") if file.is_file())
    ballast.write_bytes(bytes(12 * 1024 * 1024 - used - 150_000))
    check_told(palimpsest("detect", project, "digest", "--json", check=False, env=environment))
    assert json.loads(palimpsest("info", project, "--json").stdout)["integrity"] == "ok"
    ballast.unlink()
    elsewhere = {**os.environ, "PALIMPSEST_CACHE": str(tmp_path / "cache")}
    run = json.loads(palimpsest("detect", project, "digest", "--resume", "--json", env=elsewhere).stdout)["run"]
    assert len(passages(palimpsest, project, run)) > 200


def test_a_project_on_a_full_disk_can_still_be_read(palimpsest: Run, tmp_path: Path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a file system here")
    try:
        project = disk / "p.palimpsest"
        (tmp_path / "labels.csv").write_text("id,label\na.txt,splog\n", encoding="utf-8")
        (tmp_path / "a.txt").write_text("A text with a label of its own.", encoding="utf-8")
        palimpsest("new", project)
        palimpsest("import", project, tmp_path / "a.txt")
        palimpsest("labels", project, "import", tmp_path / "labels.csv")
        before = palimpsest("labels", project, "export").stdout
        assert "splog" in before
        with (disk / "ballast").open("wb", 0) as ballast, contextlib.suppress(OSError):
            while True:
                ballast.write(bytes(4096))
        assert palimpsest("labels", project, "export").stdout == before
        assert "a.txt" in palimpsest("labels", project, "export", "--history").stdout
        done = palimpsest("labels", project, "import", tmp_path / "labels.csv", "--overwrite", check=False)
        assert done.returncode == 0 or "Traceback" not in done.stderr
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
