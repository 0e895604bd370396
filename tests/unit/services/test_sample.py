"""Building the sample project."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from workbench.base.errors import Cancelled, ProjectError
from workbench.base.resources import resource
from workbench.base.types import Label, Match, Role, Span
from workbench.jobs.context import Context
from workbench.project.labels import add_label
from workbench.services import sample
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.session import Session, create


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


@pytest.mark.parametrize("case", ["judged", "empty", "with another text"])
def test_the_demonstration_replaces_no_project_with_work_of_the_user(ctx: Context, tmp_path: Path, case: str) -> None:
    path, files = tmp_path / "sample.palimpsest", resource("sample") / "suspects"
    create(path)
    own = tmp_path / "own.txt"
    own.write_text("A text of the user's.")
    if case != "empty":
        options = ImportOptions(base=resource("sample"))
        import_paths(ctx, path, [sorted(files.iterdir())[0]], Role.SUSPECT, options)
    if case == "with another text":
        import_paths(ctx, path, [own], Role.SUSPECT, ImportOptions())
    if case == "judged":
        with Session(path) as session, session.write() as connection:
            add_label(connection, Label("document:1", "spam", "Ann", "", label_set="class"))
    before = path.read_bytes()
    with pytest.raises(ProjectError, match="more than the sample"):
        sample.demonstrate(ctx, tmp_path)
    assert path.read_bytes() == before


def test_the_demonstration_replaces_an_earlier_one(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sample.palimpsest"
    create(path)
    first = sorted((resource("sample") / "suspects").iterdir())[0]
    import_paths(ctx, path, [first], Role.SUSPECT, ImportOptions(base=resource("sample")))

    def stopped(_ctx: Context, path: Path) -> None:
        assert not path.exists()
        raise Cancelled

    monkeypatch.setattr(sample, "_build", stopped)
    with pytest.raises(Cancelled):
        sample.demonstrate(ctx, tmp_path)


def test_the_demonstration_counts_each_match_and_each_copy_once(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [(0, 40), (35, 75), (100, 140), (200, 230), (300, 340)]
    of_run = [Match(1, 2, Span(*span), Span(0, span[1] - span[0]), 1.0) for span in spans]
    monkeypatch.setattr(sample, "document_ids", lambda _session: {1: "s", 2: "t"})
    monkeypatch.setattr(sample, "matches", lambda _session, _run: of_run)

    def row(start: int, end: int, edit: str, sentences: int, suspect: str = "s") -> dict[str, Any]:
        return {"suspect": suspect, "source": "t", "suspect_span": (start, end), "edit": edit, "sentences": sentences}

    truth = [
        row(0, 80, "words", 5),  # found in two parts
        row(115, 145, "order", 4),  # found in more than half
        row(230, 260, "none", 2),
        row(400, 500, "none", 3),
        row(0, 80, "words", 5, "another"),
    ]
    correct, neither, missed = sample.judge(cast(Session, None), 1, truth, [row(195, 235, "allusion", 1)])
    assert (correct, neither) == (3, 1)
    assert missed == {"short": 1, "none": 1, "words": 1}


def _small(_ctx: Context, path: Path) -> None:
    path.write_bytes(b"project")
    path.with_name(f"{path.name}-index").mkdir()
