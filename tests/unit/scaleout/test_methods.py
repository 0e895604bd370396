"""Jobs find exactly what the methods find in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.scaleout.collection import as_rows, found, in_memory, write_pages
from workbench.base.progress import Unwatched
from workbench.scaleout.job import run
from workbench.scaleout.request import Request
from workbench.scaleout.work import read_job
from workbench.services.scaling.running import EngineOptions

CASES = (
    ("trustable-lcs", {}),
    ("trustable-lcs", {"max_candidates": 3, "slope": 0.3, "min_resemblance": 0.1, "min_containment": 0.2}),
    ("trustable-lcs", {"max_candidates": 2, "transitive": False, "min_resemblance": 0.05, "slope": 1.0}),
    ("trustable-lcs", {"max_documents": 4, "template_documents": 2, "template_sites": 3, "content": False}),
    ("rare-sentences", {}),
    ("rare-sentences", {"compare": "sources", "max_documents": 3, "min_sentences": 2, "content": False}),
    ("digest", {}),
    ("digest", {"compare": "all", "min_surprisal": 90}),
    ("digest", {"rule": "surprisal", "min_surprisal": 500, "bits": 32}),
    ("digest", {"max_places": 1, "rule": "length", "min_run": 2, "content": False}),
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pages(tmp_path_factory.mktemp("pages") / "in.jsonl")


@pytest.mark.parametrize(("method", "parameters"), CASES)
def test_a_job_finds_what_the_method_finds_in_memory(
    pages: Path, tmp_path: Path, method: str, parameters: dict[str, Any]
) -> None:
    expected, left_out = as_rows(in_memory(pages, method, parameters, tmp_path / "index"))
    folder = tmp_path / "job"
    request = Request((pages,), method, parameters, site_repetition=False)
    run(folder, request, lambda: EngineOptions(threads=2).open(folder, workers=0), Unwatched())
    assert expected
    assert found(folder, read_job(folder)["results"]) == (expected, left_out)
