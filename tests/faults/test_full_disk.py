"""No room left: a sentence, exit code 1, and what was committed stays."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from fault_program import Run, passages


def limit_files(size: int) -> None:
    """No file of this process grows beyond ``size`` bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def check_told(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "disk" in done.stderr or "room" in done.stderr or "space" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("size", [200_000, 1_500_000])
def test_an_import_that_outgrows_its_limit_can_be_repeated(palimpsest: Run, corpus: Path, tmp_path: Path, size: int):
    project = tmp_path / "p.palimpsest"
    palimpsest("new", project)
    check_told(palimpsest("import", project, corpus, "--json", check=False, preexec_fn=partial(limit_files, size)))
    state = json.loads(palimpsest("info", project, "--json").stdout)
    assert state["integrity"] == "ok"
    palimpsest("import", project, corpus, "--json")
    assert json.loads(palimpsest("info", project, "--json").stdout)["documents"] == 1500


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
def test_work_on_a_full_disk_is_told_and_goes_on_when_there_is_room(
    palimpsest: Run, corpus: Path, tmp_path: Path, small_disk: Path
):
    project = small_disk / "p.palimpsest"
    environment = {**os.environ, "PALIMPSEST_CACHE": str(small_disk / "cache")}
    palimpsest("new", project)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(11_000_000))
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
    assert len(passages(palimpsest, project, run)) > 500
