from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from match_samples import covered, random_matches, row, rows
from sqlalchemy import insert, update

from workbench.base.errors import ProjectError
from workbench.base.types import DocumentScore, Match, Matches, PairScore, Region, Results, RunState, Span
from workbench.project import blocks
from workbench.project.database import Project, create, open_project
from workbench.project.integrity import integrity
from workbench.project.listing import document_table
from workbench.project.matches import count_matches, match_columns, matches_of
from workbench.project.pairs import count_pairs, pair_pages, pairs_of, suspects_of
from workbench.project.runs import (
    begin_run,
    find_interrupted,
    finish_chunk,
    finish_run,
    load_run,
    open_chunks,
    resume_run,
    runs,
)
from workbench.project.scores import regions_of, scores_of
from workbench.project.tables import block_rows, run_rows, watch_rows
from workbench.project.watches import add_findings

PARAMETERS = {"k": 3, "words": "all", "exact": True}


def store(project: Project, chunks: list[Matches], *, finish: bool = True) -> int:
    """A run of ``chunks``, each in its own transaction."""
    with project.write() as connection:
        run = begin_run(connection, "digest", 1, PARAMETERS, "ab", len(chunks))
    for index, matches in enumerate(chunks):
        with project.write() as connection:
            assert finish_chunk(connection, run.id, index, Results(matches), documents=1)
    if finish:
        with project.write() as connection:
            finish_run(connection, run.id)
    return run.id


@pytest.fixture
def chunks() -> list[Matches]:
    """Thirty chunks of random matches; chunk i has suspects around i / 3."""
    rng = np.random.default_rng(3)
    return [random_matches(rng, int(rng.integers(0, 40)), suspects=range(1 + i // 3, 2 + i // 3)) for i in range(30)]


def everything(chunks: list[Matches]) -> list[Match]:
    return [match for part in chunks for match in part]


def test_a_run_tells_what_it_found(corpus: Project, chunks: list[Matches]):
    run_id = store(corpus, chunks)
    with corpus.read() as connection:
        run = load_run(connection, run_id)
        assert runs(connection) == [run]
    assert (run.method, run.version, run.parameters, run.corpus_hash) == ("digest", 1, PARAMETERS, "ab")
    assert run.state is RunState.DONE
    assert run.documents == 30
    assert run.matches == len(everything(chunks))
    assert run.pairs == len({(m.a, m.b) for m in everything(chunks)})
    assert integrity(corpus, deep=True) == "ok"


def test_all_matches_come_back(corpus: Project, chunks: list[Matches]):
    run_id = store(corpus, chunks)
    with corpus.read() as connection:
        assert rows(match_columns(connection, run_id)) == rows(Matches.concatenate(chunks))


def test_the_order_does_not_depend_on_which_chunk_was_done_first(corpus: Project, chunks: list[Matches]):
    first = store(corpus, chunks)
    with corpus.write() as connection:
        second = begin_run(connection, "digest", 1, PARAMETERS, "ab", len(chunks)).id
        for index in reversed(range(len(chunks))):
            finish_chunk(connection, second, index, Results(chunks[index]))
        finish_run(connection, second)
        one, two = match_columns(connection, first), match_columns(connection, second)
        assert [row(m) for m in one] == [row(m) for m in two]
        assert pairs_of(connection, first) == pairs_of(connection, second)


@pytest.mark.slow
@pytest.mark.parametrize("finish", [True, False])
@pytest.mark.parametrize("block_rows", [7, 16_384])
def test_choices_and_counts_are_exact(
    corpus: Project, chunks: list[Matches], monkeypatch: pytest.MonkeyPatch, finish: bool, block_rows: int
):
    monkeypatch.setattr(blocks, "BLOCK_ROWS", block_rows)
    run_id = store(corpus, chunks, finish=finish)
    whole = everything(chunks)
    with corpus.read() as connection:
        for a, b, low in [
            (None, None, None),
            (3, None, None),
            (None, 15, None),
            (3, 15, 20.0),
            (None, None, 30.0),
            (99, 1, 0),
        ]:
            want = sorted(
                row(m)
                for m in whole
                if (a is None or m.a == a) and (b is None or m.b == b) and (low is None or m.score >= low)
            )
            assert rows(matches_of(connection, run_id, a=a, b=b, min_score=low)) == want
            assert count_matches(connection, run_id, a=a, b=b, min_score=low) == len(want)


def check_figures(project: Project, run_id: int, whole: list[Match]) -> None:
    with project.read() as connection:
        pairs = pairs_of(connection, run_id)
        suspects = suspects_of(connection, run_id)
        assert count_pairs(connection, run_id) == len(pairs)
    assert {(p.a, p.b) for p in pairs} == {(m.a, m.b) for m in whole}
    for pair in pairs:
        own = [m for m in whole if (m.a, m.b) == (pair.a, pair.b)]
        assert pair.matches == len(own)
        assert pair.total == pair.score == sum(m.score for m in own)
        assert pair.best == max(m.score for m in own)
        assert pair.covered_a == covered([(m.a_span, m.a_gaps) for m in own])
        assert pair.covered_b == covered([(m.b_span, m.b_gaps) for m in own])
        assert pair.longest == max(covered([(m.a_span, m.a_gaps)]) for m in own)
    assert {s.a for s in suspects} == {m.a for m in whole}
    for suspect in suspects:
        own = [m for m in whole if m.a == suspect.a]
        assert suspect.matches == len(own)
        assert suspect.sources == len({m.b for m in own})
        assert suspect.total == sum(m.score for m in own)
        assert suspect.covered == covered([(m.a_span, m.a_gaps) for m in own])


@pytest.mark.slow
@given(seed=st.integers(0, 2**32))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_figures_of_pairs_and_suspects_equal_plain_counting(corpus: Project, seed: int):
    rng = np.random.default_rng(seed)
    # Suspects in several chunks: their figures are counted anew with every chunk.
    parts = [random_matches(rng, int(rng.integers(0, 60)), suspects=range(1, 4)) for _ in range(4)]
    check_figures(corpus, store(corpus, parts), everything(parts))


def test_what_a_method_says_of_a_pair_is_kept_with_the_matches(corpus: Project):
    given_pair = PairScore(1, 11, 0.5, 0.25, 0.75, "copy", {"shared": 12})
    lonely = PairScore(2, 20, 0.1)
    with corpus.write() as connection:
        run_id = begin_run(connection, "m", 1, {}, "", 2).id
        finish_chunk(connection, run_id, 0, Results(random_matches(np.random.default_rng(1), 50, suspects=range(1, 2))))
        finish_chunk(connection, run_id, 1, Results(pairs=(given_pair, lonely)))
        run = finish_run(connection, run_id)
        (pair,) = pairs_of(connection, run_id, a=1, b=11)
        assert (pair.score, pair.resemblance, pair.containment) == (0.5, 0.25, 0.75)
        assert (pair.relation, pair.evidence) == ("copy", {"shared": 12})
        assert pair.matches == count_matches(connection, run_id, a=1, b=11) > 0
        assert pairs_of(connection, run_id, a=2)[0].matches == 0
        assert run.pairs == count_pairs(connection, run_id)


def test_pairs_are_paged_and_filtered(corpus: Project, chunks: list[Matches]):
    run_id = store(corpus, chunks)
    with corpus.read() as connection:
        whole = pairs_of(connection, run_id)
        pages = list(pair_pages(connection, run_id, size=7))
        assert [pair for page in pages for pair in page] == whole
        assert max(map(len, pages)) == 7
        assert pairs_of(connection, run_id, b=12) == [p for p in whole if p.b == 12]
        assert pairs_of(connection, run_id, min_score=60) == [p for p in whole if p.score >= 60]


def test_a_chunk_is_stored_once(corpus: Project, chunks: list[Matches]):
    run_id = store(corpus, chunks, finish=False)
    with corpus.write() as connection:
        before = load_run(connection, run_id)
        assert not finish_chunk(connection, run_id, 4, Results(chunks[4]), documents=1)
        assert load_run(connection, run_id) == before


def test_a_chunk_that_fails_half_way_leaves_nothing(corpus: Project):
    with corpus.write() as connection:
        run_id = begin_run(connection, "m", 1, {}, "", 1).id
    unknown = random_matches(np.random.default_rng(1), 5, suspects=range(500, 501))
    with pytest.raises(Exception, match="FOREIGN KEY"), corpus.write() as connection:
        finish_chunk(connection, run_id, 0, Results(unknown))
    with corpus.read() as connection:
        assert count_matches(connection, run_id) == 0
        assert open_chunks(connection, run_id) == [0]


def test_excluded_counts_add_up(corpus: Project):
    with corpus.write() as connection:
        run_id = begin_run(connection, "m", 1, {}, "", 2).id
        finish_chunk(connection, run_id, 0, Results(excluded={"short": 2, "frequent": 1}))
        finish_chunk(connection, run_id, 1, Results(excluded={"short": 5}))
        assert finish_run(connection, run_id).excluded == {"short": 7, "frequent": 1}


def test_scores_and_regions_come_back_with_their_run(corpus: Project):
    scores = (DocumentScore(2, 0.5, {"covered": 0.25}), DocumentScore(1, 1e300))
    regions = (Region(1, 2, Span(5, 9), Span(0, 4), 0.1), Region(1, 2, Span(0, 3), Span(7, 9), 0.0))
    with corpus.write() as connection:
        run_id = begin_run(connection, "m", 1, {}, "", 2).id
        finish_chunk(connection, run_id, 0, Results(scores=scores, regions=regions))
        finish_chunk(connection, run_id, 1, Results(scores=(DocumentScore(3, -1.0),)))
        assert finish_run(connection, run_id).scores == 3
    with corpus.read() as connection:
        assert list(scores_of(connection, run_id)) == [scores[1], scores[0], DocumentScore(3, -1.0)]
        assert regions_of(connection, run_id, a=1, b=2) == list(regions)
        assert regions_of(connection, run_id, a=2) == []


def test_what_cannot_be_stored_is_refused(corpus: Project):
    with corpus.write() as connection:
        run_id = begin_run(connection, "m", 1, {}, "", 1).id
        with pytest.raises(ValueError, match="not among"):
            finish_chunk(connection, run_id, 1, Results())
        with pytest.raises(ValueError, match="unfinished"):
            finish_run(connection, run_id)


def test_many_small_chunks_are_merged_in_order(corpus: Project, chunks: list[Matches]):
    run_id = store(corpus, chunks, finish=False)
    with corpus.write() as connection:
        before = [row(m) for m in match_columns(connection, run_id)]
        assert len(list(blocks.walk(connection, run_id))) > 20
        finish_run(connection, run_id)
        assert len(list(blocks.walk(connection, run_id))) == 1
        assert [row(m) for m in match_columns(connection, run_id)] == before


def test_the_table_of_documents_counts_matches_of_the_latest_run(corpus: Project, chunks: list[Matches]):
    store(corpus, chunks)
    with corpus.read() as connection:
        table = document_table(connection)
    counted = dict(zip(table.key.tolist(), table.matches.tolist(), strict=True))
    assert counted == {key: sum((m.a == key) + (m.b == key) for m in everything(chunks)) for key in range(1, 21)}


def test_a_running_run_is_running_for_others_and_interrupted_once_its_project_is_closed(path: Path):
    with create(path) as watcher:
        worker = open_project(path)
        with worker.write() as connection:
            run_id = begin_run(connection, "m", 1, {"k": 1}, "ff", 3).id
        with watcher.read() as connection:
            assert load_run(connection, run_id).state is RunState.RUNNING
            assert find_interrupted(connection, "m", {"k": 1}, "ff") is None
        with watcher.write() as connection, pytest.raises(ProjectError, match="cannot be resumed"):
            resume_run(connection, run_id)
        worker.close()
        with watcher.read() as connection:
            assert load_run(connection, run_id).state is RunState.INTERRUPTED
            assert find_interrupted(connection, "m", {"k": 1}, "ff").id == run_id
            assert find_interrupted(connection, "m", {"k": 2}, "ff") is None
            assert find_interrupted(connection, "m", {"k": 1}, "ee") is None
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.slow
def test_a_run_of_a_killed_process_is_interrupted_at_once_and_resumes(path: Path):
    create(path).close()
    code = (
        "import os, sys; from pathlib import Path; from workbench.base.types import Results;"
        "from workbench.project.database import open_project;"
        "from workbench.project.runs import begin_run, finish_chunk\n"
        "p = open_project(Path(sys.argv[1]))\n"
        "with p.write() as c: run = begin_run(c, 'm', 1, {}, 'ff', 3)\n"
        "with p.write() as c: finish_chunk(c, run.id, 1, Results())\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, path], check=False)
    with open_project(path, write=False) as project, project.read() as connection:
        (run,) = runs(connection)
        assert run.state is RunState.INTERRUPTED
    with open_project(path) as project:
        with project.write() as connection:
            assert resume_run(connection, run.id).state is RunState.RUNNING
            assert open_chunks(connection, run.id) == [0, 2]
        for index in (0, 2):
            with project.write() as connection:
                finish_chunk(connection, run.id, index, Results())
        with project.write() as connection:
            assert finish_run(connection, run.id, seconds=2.5).state is RunState.DONE
        with project.read() as connection:
            assert load_run(connection, run.id).seconds == 2.5
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_cancelled_run_can_be_resumed(corpus: Project):
    with corpus.write() as connection:
        run_id = begin_run(connection, "m", 1, {}, "ff", 3).id
        finish_run(connection, run_id, RunState.CANCELLED, message="cancelled")
    with corpus.write() as connection:
        assert find_interrupted(connection, "m", {}, "ff").id == run_id
        assert resume_run(connection, run_id).message == ""


def test_an_unknown_run_is_a_sentence(project: Project):
    with pytest.raises(ProjectError, match="no run 5"), project.read() as connection:
        load_run(connection, 5)


@pytest.mark.parametrize(
    "values", [{"parameters": "[]"}, {"parameters": '{"a": {}}'}, {"excluded": '{"a": "b"}'}, {"state": "odd"}]
)
def test_a_spoilt_run_is_a_sentence(corpus: Project, chunks: list[Matches], values: dict[str, str]):
    store(corpus, chunks[:1])
    with corpus.write() as connection:
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        connection.execute(update(run_rows).values(**values))
    with corpus.read() as connection:
        assert runs(connection) == []
    assert corpus.damage.counts() == {"runs that cannot be read": 1}
    with pytest.raises(ProjectError, match="damaged"), corpus.read() as connection:
        load_run(connection, 1)


def test_a_block_that_cannot_be_read_is_not_a_sound_project(corpus: Project, chunks: list[Matches]) -> None:
    store(corpus, chunks)
    assert integrity(corpus) == "ok"
    with corpus.write() as connection:
        connection.execute(update(block_rows).values(packed=b"no frame").where(block_rows.c.position == 0))
    assert integrity(corpus) == "The project file is damaged: blocks of passages that cannot be read (1)."


@pytest.mark.parametrize(("examined", "count"), [(3, 1), (2, 8)])
def test_what_a_check_of_all_pages_left_out_stands_for_the_checks_before(
    corpus: Project, examined: int, count: int
) -> None:
    with corpus.write() as connection:
        connection.execute(insert(watch_rows), {"id": 1, "name": "mine", "settings": "{}", "created": ""})
        for left_out, documents in ((7, 3), (1, examined)):
            run = begin_run(connection, "digest", 1, PARAMETERS, "ab", 1, watch=1)
            finish_chunk(connection, run.id, 0, Results(excluded={"too short": left_out}), documents=documents)
            result = add_findings(connection, finish_run(connection, run.id), ())
    assert result.excluded == {"too short": count}
