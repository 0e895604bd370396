"""An installed program finds the same resources as the source tree, however it was installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from workbench.base import resources

ROOT = Path(__file__).resolve().parents[3]
NOT_SHIPPED = ("resources/sample/templates/", "resources/screenshots/")
SOURCES = ("setup.py", "MANIFEST.in", "pyproject.toml", "README.md", "LICENSE")
FOLDERS = ("workbench", "resources")
BUILD = """
import sys
from setuptools import build_meta
print(build_meta.build_wheel(sys.argv[1]))
"""
FIND = """
import sys
sys.path.insert(0, sys.argv[1])
from workbench.base.resources import resource
print(resource("sample", "manifest.json"), resource("fonts").is_dir())
"""


def build(tree: Path, out: Path) -> bytes:
    """The wheel made from a copy of the sources at ``tree``."""
    for name in SOURCES:
        shutil.copy(ROOT / name, tree)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    command = [sys.executable, "-P", "-c", BUILD, str(out)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return (out / done.stdout.splitlines()[-1]).read_bytes()


@pytest.mark.slow
@pytest.mark.rest
def test_a_wheel_brings_every_resource_and_the_same_sources_make_the_same_wheel(tmp_path: Path) -> None:
    wheels = []
    for name in ("one", "two"):
        (tmp_path / name / "out").mkdir(parents=True)
        (tmp_path / name / "tree").mkdir()
        wheels.append(build(tmp_path / name / "tree", tmp_path / name / "out"))
    assert wheels[0] == wheels[1]
    (wheel,) = (tmp_path / "one" / "out").glob("*.whl")
    target = tmp_path / "target"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    installed = {path.relative_to(target / "workbench") for path in (target / "workbench" / "resources").rglob("*")}
    wanted = {path.relative_to(ROOT) for path in (ROOT / "resources").rglob("*") if path.is_file()}
    assert {path for path in installed if (target / "workbench" / path).is_file()} == {
        path for path in wanted if not path.as_posix().startswith(NOT_SHIPPED)
    }
    code = [sys.executable, "-P", "-c", FIND, str(target)]
    done = subprocess.run(code, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(target / "workbench" / "resources" / "sample" / "manifest.json"), "True"]


def test_a_strangers_folder_beside_the_package_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = tmp_path / "lib" / "workbench" / "resources" / "sample"
    sample.mkdir(parents=True)
    (sample / "manifest.json").write_text("{}")
    (tmp_path / "lib" / "resources").mkdir()
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "lib" / "workbench" / "base" / "resources.py"))
    assert resources.resource("sample", "manifest.json") == sample / "manifest.json"


def test_an_installation_without_resources_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "lib" / "workbench" / "base" / "resources.py"))
    with pytest.raises(FileNotFoundError, match="missing from this installation"):
        resources.resource("fonts")
