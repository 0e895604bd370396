from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.base.errors import ProjectError, UserError
from workbench.services.engines.setup import count_query
from workbench.services.session import create
from workbench.services.timestamps import Service, save
from workbench.services.writing import atomic_write


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with atomic_write(out, "The report") as part:
        part.write_text("all of it")
        assert not out.exists()
    assert out.read_text() == "all of it"
    assert list(tmp_path.iterdir()) == [out]


def test_what_a_killed_process_left_of_a_file_is_removed_when_it_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    names = f".report.html.{'0a' * 8}.part", f".report.html.{'0b' * 8}.part", f".notes.html.{'0a' * 8}.part"
    left, recent, other = (tmp_path / name for name in names)
    for part in (left, recent, other):
        part.write_text("half")
    for part in (left, other):
        os.utime(part, (1_000_000, 1_000_000))
    with atomic_write(path, "The report") as part:
        part.write_text("whole")
    assert {p.name for p in tmp_path.iterdir()} == {path.name, recent.name, other.name}


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("before")
    with pytest.raises(ZeroDivisionError), atomic_write(out, "The report") as part:
        part.write_text(str(1 // 0))
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]
    nowhere = atomic_write(tmp_path / "no" / "out.csv", "The labels")
    with pytest.raises(UserError, match=r"The labels cannot be written \(No such file"), nowhere as part:
        part.write_text("x")


def test_a_project_is_never_replaced(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(UserError, match="would replace a project"), atomic_write(path, "The report"):
        pytest.fail("nothing may be written")
    assert path.read_bytes() == before


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "no" / "ann.palimpsest"
    batch = atomic_write(out, "The batch")
    with pytest.raises(ProjectError) as refused, batch as part:
        create(part)
    assert refused.value.path == str(out)
    assert ".part" not in str(refused.value)


@pytest.mark.parametrize("keep", [lambda: save(Service("https://stamps.example/tsr")), count_query])
def test_settings_that_cannot_be_kept_are_the_users_to_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: Callable[[], object]
) -> None:
    (tmp_path / "full").touch()
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "full" / "config"))
    with pytest.raises(UserError, match=r"full/config/.*json: The settings of .* cannot be written \(Not a directory"):
        keep()
