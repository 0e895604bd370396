"""What needs an optional part names it where it is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base import parts
from workbench.base.errors import UserError
from workbench.base.progress import NullProgress
from workbench.cli.main import main
from workbench.reading.formats import Failure, Source, read
from workbench.scaleout.record import JobRequest
from workbench.services.scaling import planned
from workbench.services.scaling.running import EngineOptions, run_scale


@pytest.fixture(autouse=True)
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "find_spec", lambda name: None)


def test_a_table_is_listed_with_what_to_install(tmp_path: Path) -> None:
    table = tmp_path / "rows.parquet"
    table.write_bytes(b"PAR1")
    (failure,) = read(Source(table, table.name))
    assert isinstance(failure, Failure)
    assert parts.SCALE in failure.error


def test_a_job_says_what_to_install(tmp_path: Path) -> None:
    request = JobRequest((tmp_path,), "digest", {})
    for ask in (
        lambda: run_scale(NullProgress(), tmp_path, request, EngineOptions()),
        lambda: planned(NullProgress(), request, EngineOptions(), None),
    ):
        with pytest.raises(UserError, match=parts.SCALE):
            ask()


def test_the_verb_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scale", "status", str(tmp_path)]) == 1
    assert parts.SCALE in capsys.readouterr().err
