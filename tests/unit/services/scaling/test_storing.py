"""What a job found comes into a project as the method itself would have stored it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.unit.scaleout.collection import write_pages
from workbench.base.errors import UserError
from workbench.base.progress import NullProgress
from workbench.jobs.context import Context
from workbench.project.damaged_rows import LONGEST_FIELD
from workbench.project.database import create, open_project
from workbench.project.documents import iter_documents
from workbench.project.listing import ids_of
from workbench.project.matches import match_columns
from workbench.project.pairs import Pair, SuspectTotals, pairs_of, suspects_of
from workbench.project.runs import set_removed
from workbench.scaleout.job import run, status
from workbench.scaleout.record import JobRequest, check
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.scaling import storing
from workbench.services.scaling.running import EngineOptions


def stored(project: Path, run_id: int) -> Iterator[Any]:
    """Pairs, suspects and passages, with ids in place of keys."""
    with open_project(project) as opened, opened.read() as connection:
        ids = ids_of(connection)
        rows: list[Pair | SuspectTotals] = [*pairs_of(connection, run_id), *suspects_of(connection, run_id)]
        for row in rows:
            values = asdict(row)
            yield tuple(ids[v] if name in "ab" else v for name, v in values.items())
        for match in match_columns(connection, run_id):
            yield ids[match.a], ids[match.b], match.a_span, match.b_span, match.score, match.evidence


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [3, pytest.param(20_000, marks=pytest.mark.rest)])
@pytest.mark.parametrize("method", ["rare-sentences", "trustable-lcs", "digest"])
def test_an_import_stores_what_the_method_stores_in_a_project(
    tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch, method: str, chunk: int
) -> None:
    monkeypatch.setattr(storing, "CHUNK", chunk)
    pages = write_pages(tmp_path / "in.jsonl", 30)
    request = JobRequest((pages,), method, {"compare": "all"} if method == "digest" else {}, site_repetition=False)
    job, here, brought = tmp_path / "job", tmp_path / "here.palimpsest", tmp_path / "brought.palimpsest"
    run(job, request, lambda: EngineOptions(threads=1).open(job, workers=0), NullProgress())
    for project in (here, brought):
        create(project)
    import_paths(ctx, here, [pages], None, ImportOptions(site_repetition=False))
    own = detect(ctx, here, method, check(request).as_dict(), workers=1)
    imported = storing.import_scale(ctx, brought, job)
    wanted, imported_rows = sorted(stored(here, own.id), key=repr), sorted(stored(brought, imported.run.id), key=repr)
    assert wanted
    assert imported_rows == wanted
    assert (imported.run.pairs, imported.run.documents) == (own.pairs, own.documents)


def test_documents_keep_their_tags_and_the_source_of_their_dates(tmp_path: Path, ctx: Context) -> None:
    sentences = [f"The {n} sentence of the original has words of its own, {n * 7919}. " for n in range(6)]
    rows = [
        {
            "id": f"d{n}",
            "role": role,
            "text": "".join(sentences) + f"Number {n} ends so.",
            "published": f"2021-02-0{n + 1}",
            "tags": ["news", f"t{n}"],
        }
        for n, role in enumerate(("source", "suspect"))
    ]
    pages = tmp_path / "in.jsonl"
    pages.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    job, here, brought = tmp_path / "job", tmp_path / "here.palimpsest", tmp_path / "brought.palimpsest"
    request = JobRequest((pages,), "digest", {})
    run(job, request, lambda: EngineOptions(threads=1).open(job, workers=0), NullProgress())
    for project in (here, brought):
        create(project)
    import_paths(ctx, here, [pages], None)
    storing.import_scale(ctx, brought, job)
    facts: list[list[tuple[str, ...]]] = []
    for project in (here, brought):
        with open_project(project) as opened, opened.read() as connection:
            documents = sorted(iter_documents(connection), key=lambda document: document.id)
            facts.append([(d.id, d.role.value, d.published, d.dated_by, *d.tags) for d in documents])
    assert facts[0] == facts[1]
    assert facts[1][0] == ("d0", "source", "2021-02-01", "importer", "news", "t0")


def test_an_imported_run_has_as_many_documents_as_in_a_project_and_the_time_of_the_job(
    tmp_path: Path, ctx: Context
) -> None:
    sentences = [f"The {n} sentence of the original has words of its own, {n * 7919}. " for n in range(6)]
    roles = ["source", "source", "suspect", "suspect", "suspect", "background"]
    rows = [
        {"id": f"d{n}", "role": role, "text": "".join(sentences) + f"Number {n} ends so."}
        for n, role in enumerate(roles)
    ]
    pages = tmp_path / "in.jsonl"
    pages.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    job, here, brought = tmp_path / "job", tmp_path / "here.palimpsest", tmp_path / "brought.palimpsest"
    run(job, JobRequest((pages,), "digest", {}), lambda: EngineOptions(threads=1).open(job, workers=0), NullProgress())
    for project in (here, brought):
        create(project)
    import_paths(ctx, here, [pages], None)
    imported = storing.import_scale(ctx, brought, job).run
    assert imported.pairs == detect(ctx, here, "digest", {}, workers=1).pairs == 6
    assert imported.documents == 3
    assert imported.seconds > sum(step["seconds"] for step in status(job).job["steps"]) > 0


def test_results_that_a_run_already_has_are_imported_again_only_when_asked(tmp_path: Path, ctx: Context) -> None:
    pages, job, project = write_pages(tmp_path / "in.jsonl", 30), tmp_path / "job", tmp_path / "case.palimpsest"
    request = JobRequest((pages,), "rare-sentences", {}, site_repetition=False)
    run(job, request, lambda: EngineOptions(threads=1).open(job, workers=0), NullProgress())
    create(project)
    first = storing.import_scale(ctx, project, job)
    again = storing.import_scale(ctx, project, job)
    assert (again.run, again.documents, again.before, first.before) == (first.run, 0, True, False)
    fewer = storing.import_scale(ctx, project, job, most=5)
    assert (fewer.before, fewer.run.pairs) == (False, 5)
    assert storing.import_scale(ctx, project, job, most=5).run == fewer.run
    afresh = storing.import_scale(ctx, project, job, afresh=True)
    assert (afresh.before, afresh.run.pairs) == (False, first.run.pairs)
    assert len({first.run.id, fewer.run.id, afresh.run.id}) == 3
    with open_project(project) as opened, opened.write() as connection:
        set_removed(connection, [afresh.run.id], removed=True)
    assert storing.import_scale(ctx, project, job).run == first.run


@pytest.mark.slow
def test_the_pairs_with_the_highest_scores_come_in_and_the_rest_is_counted(tmp_path: Path, ctx: Context) -> None:
    pages = write_pages(tmp_path / "in.jsonl", 30)
    job = tmp_path / "job"
    request = JobRequest((pages,), "rare-sentences", {}, site_repetition=False)
    whole = run(job, request, lambda: EngineOptions(threads=1).open(job, workers=0), NullProgress())
    scores: list[list[float]] = []
    for limits in ({}, {"most": 5}, {"least": 0.5}):
        project = tmp_path / f"{len(scores)}.palimpsest"
        create(project)
        imported = storing.import_scale(ctx, project, job, **limits)
        with open_project(project) as opened, opened.read() as connection:
            scores.append(sorted((pair.score for pair in pairs_of(connection, imported.run.id)), reverse=True))
        assert imported.left == whole.pairs - len(scores[-1])
    assert scores[1] == scores[0][:5]
    assert scores[2] == [score for score in scores[0] if score >= 0.5]
    assert 5 < len(scores[2]) < len(scores[0])


def test_a_relation_as_long_as_a_project_stores_is_imported_and_a_longer_one_is_refused() -> None:
    row = {"score": 0.5, "resemblance": None, "containment": 0.25, "evidence": "{}"}
    rows = [{**row, "relation": None}, {**row, "relation": "x" * LONGEST_FIELD}]
    storing._check_pairs(pa.Table.from_pylist(rows))
    rows[0]["relation"] = "x" * (LONGEST_FIELD + 1)
    with pytest.raises(UserError, match="no valid relation"):
        storing._check_pairs(pa.Table.from_pylist(rows))


def test_pairs_of_a_page_stay_together_unless_they_are_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "CHUNK", 4)
    pages = [1] * 3 + [2] * 5 + [3] * 100 + [4]
    batches = (pa.record_batch({"a": pages[i : i + 2]}) for i in range(0, len(pages), 2))
    parts = [part.column("a").to_pylist() for part in storing._chunks(batches)]
    assert [page for part in parts for page in part] == pages
    assert parts[:2] == [[1] * 3, [2] * 5]
    assert max(map(len, parts)) <= 4 * storing._MOST + 2
    assert len(parts) <= 2 * (len(pages) // 4) + 1
