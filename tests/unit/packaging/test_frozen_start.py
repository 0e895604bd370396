"""The frozen program finds the kernels that come along, and leaves those of other processors alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import _CacheLocator

from tests.unit.packaging.test_packages import PACKAGING, load


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A frozen folder with compiled kernels of one module and of one in a folder of its own."""
    inside = tmp_path / "_internal"
    shipped = inside / "kernels-compiled" / "x86-64-v3"
    (shipped / "digest").mkdir(parents=True)
    (shipped / "rabin.nbi").write_bytes(b"one")
    (shipped / "digest" / "pass.nbi").write_bytes(b"two")
    (inside / "kernels-compiled" / "build-id").write_text("abc")
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))
    for name in ("NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return inside


def where_numba_looks(source: Path) -> Path:
    return Path(os.environ["NUMBA_CACHE_DIR"], _CacheLocator.get_suitable_cache_subpath(str(source)))


def test_kernels_are_where_numba_looks_for_them(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = load(PACKAGING / "freeze" / "launch.py")
    monkeypatch.setattr(launch, "level", lambda: "x86-64-v3")
    launch.use_shipped_kernels(bundle)
    assert os.environ["NUMBA_CPU_NAME"] == "x86-64-v3"
    kernels = bundle / "workbench" / "kernels"
    assert (where_numba_looks(kernels / "rabin.py") / "rabin.nbi").read_bytes() == b"one"
    assert (where_numba_looks(kernels / "digest" / "pass.py") / "pass.nbi").read_bytes() == b"two"


def test_what_was_compiled_is_kept_as_the_sources_lie(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(PACKAGING / "freeze"))
    launch = load(PACKAGING / "freeze" / "launch.py")
    finish = load(PACKAGING / "freeze" / "finish.py")
    monkeypatch.setattr(launch, "level", lambda: "x86-64-v3")
    launch.use_shipped_kernels(bundle)
    kernels = bundle / "workbench" / "kernels"
    (kernels / "digest").mkdir(parents=True)
    finish.keep_compiled(Path(os.environ["NUMBA_CACHE_DIR"]), kernels, tmp_path / "kept")
    kept = {path.relative_to(tmp_path / "kept") for path in (tmp_path / "kept").rglob("*.nbi")}
    assert kept == {Path("rabin.nbi"), Path("digest", "pass.nbi")}


def test_an_older_processor_compiles_for_itself(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = load(PACKAGING / "freeze" / "launch.py")
    monkeypatch.setattr(launch, "level", lambda: None)
    launch.use_shipped_kernels(bundle)
    assert "NUMBA_CACHE_DIR" not in os.environ
    assert "NUMBA_CPU_NAME" not in os.environ


def test_a_cache_that_cannot_be_written_is_not_a_hindrance(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = load(PACKAGING / "freeze" / "launch.py")
    monkeypatch.setattr(launch, "level", lambda: "x86-64-v3")
    (bundle.parent / "cache").write_text("a file")
    launch.use_shipped_kernels(bundle)


def test_a_second_start_copies_nothing(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = load(PACKAGING / "freeze" / "launch.py")
    monkeypatch.setattr(launch, "level", lambda: "x86-64-v3")
    launch.use_shipped_kernels(bundle)
    for name in ("NUMBA_CACHE_DIR", "NUMBA_CPU_NAME"):
        monkeypatch.delenv(name)
    monkeypatch.setattr(launch, "copy_compiled", lambda *_: pytest.fail("copied again"))
    launch.use_shipped_kernels(bundle)
    assert [path.name.partition("-")[0] for path in (bundle.parent / "cache").iterdir()] == ["numba"]


def test_a_start_imports_nothing_that_only_jobs_need() -> None:
    program = f"import sys; sys.path.insert(0, {str(PACKAGING / 'freeze')!r}); import launch; launch.level(); "
    program += (
        "print({'multiprocessing', 'ctypes', 'shutil', 'tempfile', 'hashlib', 'PySide6', 'inspect'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_keeps_track_of_shared_things_is_the_same_program(monkeypatch: pytest.MonkeyPatch) -> None:
    launch = load(PACKAGING / "freeze" / "launch.py")
    from multiprocessing import resource_tracker

    requested: list[int] = []
    monkeypatch.setattr(resource_tracker, "main", requested.append)
    with pytest.raises(SystemExit):
        launch.serve_jobs(["-I", "-c", "from multiprocessing.resource_tracker import main;main(7)"])
    assert requested == [7]
    launch.serve_jobs(["import", "case.palimpsest", "-c", "print(1)"])
