"""Jobs find exactly what the methods find in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.unit.scaleout.collection import as_rows, in_memory, read_documents, stored_rows, write_pages
from workbench.base.progress import NullProgress
from workbench.base.types import Match, Matches, Span
from workbench.scaleout.job import run
from workbench.scaleout.pages import BLOCK_ROWS, repeated_blocks
from workbench.scaleout.record import METHODS, JobRequest, check, read_job
from workbench.scaleout.rows import PASSAGES, batch_of, documents, packed_passages, page_row, read_passages
from workbench.services.scaling.planning import plan_scale
from workbench.services.scaling.running import EngineOptions

CASES = (
    ("trustable-lcs", {}),
    ("trustable-lcs", {"max_documents": 4, "template_documents": 2, "template_sites": 3, "content": False}),
    ("rare-sentences", {"compare": "sources", "max_documents": 3, "min_sentences": 2, "content": False}),
    ("digest", {}),
    ("digest", {"max_places": 1, "rule": "length", "min_run": 2, "content": False}),
    *(
        pytest.param(method, parameters, marks=pytest.mark.rest)
        for method, parameters in (
            ("trustable-lcs", {"max_candidates": 3, "slope": 0.3, "min_resemblance": 0.1, "min_containment": 0.2}),
            ("trustable-lcs", {"max_candidates": 2, "transitive": False, "min_resemblance": 0.05, "slope": 1.0}),
            ("rare-sentences", {}),
            ("rare-sentences", {"max_documents": 2, "content": False}),
            ("rare-sentences", {"max_documents": 2, "content": False, "copies_as_one": False}),
            ("digest", {"compare": "all", "min_surprisal": 90}),
            ("digest", {"compare": "all", "max_places": 2, "rule": "length", "min_run": 2, "content": False}),
            ("digest", {"compare": "all", "max_places": 3, "rule": "length", "min_run": 2, "content": False}),
            ("digest", {"rule": "surprisal", "min_surprisal": 500, "bits": 32}),
        )
    ),
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pages(tmp_path_factory.mktemp("pages") / "in.jsonl")


@pytest.mark.slow
@pytest.mark.parametrize(("method", "parameters"), CASES)
def test_a_job_finds_what_the_method_finds_in_memory(
    pages: Path, tmp_path: Path, method: str, parameters: dict[str, Any]
) -> None:
    request = JobRequest((pages,), method, parameters, site_repetition=False)
    expected, left_out = as_rows(in_memory(pages, method, check(request).as_dict(), tmp_path / "index"))
    folder = tmp_path / "job"
    run(folder, request, lambda: EngineOptions(threads=2).open(folder, workers=0), NullProgress())
    assert expected
    assert stored_rows(folder, read_job(folder)["results"]) == (expected, left_out)


def test_texts_of_one_address_are_not_a_repetition_of_a_site() -> None:
    def blocks(urls: list[str]) -> list[int]:
        shared = [([1, 10 * n, 10 * n + 1], [200, 200, 200]) for n in range(1, len(urls) + 1)]
        rows = [
            {"site": "a.example", "page": page, "url": url, "marks": marks, "weights": weights}
            for page, (url, (marks, weights)) in enumerate(zip(urls, shared, strict=True))
        ]
        return [
            page
            for batch in repeated_blocks({}, iter([batch_of(rows, BLOCK_ROWS)]))
            for page in batch["page"].to_pylist()
        ]

    assert blocks(["http://a.example/1", "http://a.example/2", "", ""]) == [0, 1, 2, 3]
    assert blocks(["http://a.example/"] * 4) == []


@pytest.mark.slow
def test_copies_count_as_one_in_a_job(pages: Path, tmp_path: Path) -> None:
    pairs = []
    for copies in (True, False):
        job = tmp_path / str(copies)
        parameters = {"max_documents": 2, "copies_as_one": copies}
        request = JobRequest((pages,), "rare-sentences", parameters, site_repetition=False)
        pairs.append(
            run(job, request, lambda at=job: EngineOptions(threads=2).open(at, workers=0), NullProgress()).pairs
        )
    assert pairs[0] > pairs[1]


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [{}, {"site_evidence": True}])
def test_what_no_step_can_do_is_off_and_said(pages: Path, parameters: dict[str, Any]) -> None:
    request = JobRequest((pages,), "rare-sentences", parameters)
    assert check(request).site_evidence is False
    plan = plan_scale(NullProgress(), request, EngineOptions(threads=1))
    assert plan.record()["fixed"] == METHODS["rare-sentences"].fixed == {"site_evidence": False, "anchors": "prose"}
    assert any(sentence.startswith("site_evidence is off") for sentence in plan.sentences())


@pytest.mark.slow
def test_pages_of_one_role_are_compared_with_each_other_unless_told_otherwise(pages: Path, tmp_path: Path) -> None:
    suspects = tmp_path / "suspects.jsonl"
    lines = pages.read_text("utf-8")
    suspects.write_text(lines.replace('"role": "source"', '"role": "suspect"'), "utf-8")
    job_pairs = []
    for number, parameters in enumerate(({}, {"compare": "all"}, {"compare": "sources"})):
        job = tmp_path / str(number)
        request = JobRequest((suspects,), "digest", parameters, site_repetition=False)
        run(job, request, lambda at=job: EngineOptions(threads=2).open(at, workers=0), NullProgress())
        job_pairs.append(stored_rows(job, read_job(job)["results"]))
    assert job_pairs[0] == job_pairs[1]
    assert job_pairs[0][0]
    assert not job_pairs[2][0]
    assert read_job(tmp_path / "0")["parameters"]["compare"] == "all"


def test_the_row_of_a_page_keeps_its_signs_of_hidden_text(pages: Path) -> None:
    flagged = [document for document in read_documents(pages) if document.extraction.integrity]
    assert flagged
    batch = pa.Table.from_pylist([page_row(document, at) for at, document in enumerate(flagged)])
    assert [d.extraction.integrity for d in documents(batch)] == [d.extraction.integrity for d in flagged]


@pytest.mark.parametrize(
    "gaps",
    [
        [0, 0, 2, 4, 0, 1, 11, 12],
        [0, 0, 2, 4, 0, 0, 3, 5],
        [0, 0, 2, 40],
        [0, 1, 5, 12],
        [0, 0, 4, 4],
        [1, 0, 2, 4],
        [-1, 0, 2, 4],
        [0, 2, 2, 4],
        [0, 0, 2],
    ],
)
def test_gaps_of_passages_are_kept_and_impossible_ones_refused(gaps: list[int]) -> None:
    matches = Matches.of([Match(1, 2, Span(0, 10), Span(10, 20), 1.0, {"tier": 0})])
    row = packed_passages(matches) | {"gaps": gaps}
    table = pa.Table.from_pylist([row], schema=PASSAGES)
    one = np.ones(1, np.int64)
    if gaps == [0, 0, 2, 4, 0, 1, 11, 12]:
        (read,) = read_passages(table, one, one)
        assert (read.a_gaps, read.b_gaps) == ((Span(2, 4),), (Span(11, 12),))
    else:
        with pytest.raises(ValueError, match=r"gap|reshape"):
            read_passages(table, one, one)
