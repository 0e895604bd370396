"""Building the sample project."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import Cancelled, ProjectError
from workbench.jobs.context import Context
from workbench.services import sample


def test_the_sample_is_built_in_a_folder_that_is_not_there_yet(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "_build", _small)
    path = tmp_path / "share" / "app" / "sample.palimpsest"
    assert sample.build_sample(ctx, path) == path
    assert sorted(p.name for p in path.parent.iterdir()) == ["sample.palimpsest", "sample.palimpsest-index"]


def test_a_cancelled_build_leaves_nothing_that_looks_like_a_sample(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled(_ctx: Context, path: Path) -> None:
        path.write_bytes(b"half")
        raise Cancelled

    monkeypatch.setattr(sample, "_build", cancelled)
    with pytest.raises(Cancelled):
        sample.build_sample(ctx, tmp_path / "sample.palimpsest")
    assert not list(tmp_path.iterdir())


def test_a_sample_that_is_there_is_not_replaced(ctx: Context, tmp_path: Path) -> None:
    path = tmp_path / "sample.palimpsest"
    path.write_bytes(b"mine")
    with pytest.raises(ProjectError):
        sample.build_sample(ctx, path)
    assert path.read_bytes() == b"mine"


def _small(_ctx: Context, path: Path) -> None:
    path.write_bytes(b"project")
    path.with_name(f"{path.name}-index").mkdir()
