"""An installed program finds the same resources as the source tree."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from workbench.base import resources

ROOT = Path(__file__).resolve().parents[3]
NOT_SHIPPED = ("resources/sample/templates/", "resources/screenshots/")


def shipped() -> dict[str, set[Path]]:
    """Installed folder to the files that go there."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["data-files"]
    return {folder: {p for pattern in patterns for p in ROOT.glob(pattern)} for folder, patterns in settings.items()}


def test_every_resource_is_shipped_under_its_own_path() -> None:
    installed = {Path(folder).joinpath(p.name) for folder, files in shipped().items() for p in files if p.is_file()}
    wanted = {
        Path("share/palimpsest") / p.relative_to(ROOT / "resources")
        for p in (ROOT / "resources").rglob("*")
        if p.is_file() and not str(p.relative_to(ROOT)).startswith(NOT_SHIPPED)
    }
    assert installed == wanted


def test_an_installed_package_reads_its_share_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = tmp_path / "share" / "palimpsest" / "sample"
    sample.mkdir(parents=True)
    (sample / "manifest.json").write_text("{}")
    stranger = tmp_path / "lib" / "resources"
    stranger.mkdir(parents=True)
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "lib" / "workbench" / "base" / "resources.py"))
    monkeypatch.setattr(resources.sysconfig, "get_path", lambda name: str(tmp_path))
    assert resources.resource("sample", "manifest.json") == sample / "manifest.json"


def test_an_installation_without_resources_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "lib" / "workbench" / "base" / "resources.py"))
    monkeypatch.setattr(resources.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(FileNotFoundError, match="missing from this installation"):
        resources.resource("fonts")
