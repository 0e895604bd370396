from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from drawing import figure, table
from scored import IDS, add, label, label_pairs, pairs, store

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Label, PairScore, Results, Role
from workbench.jobs.context import Context
from workbench.methods.sketches.minhash import MinHashParameters
from workbench.methods.sketches.simhash.index import fingerprints
from workbench.methods.sketches.simhash.parameters import SimHashParameters
from workbench.project.documents import add_documents, load_document
from workbench.project.labels import add_labels
from workbench.services.labels.targets import pair_target
from workbench.services.listing import all_runs
from workbench.services.measuring import figures_pairs, figures_trustable
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.figures import make_figure
from workbench.services.measuring.label_selection import Question
from workbench.services.review.near_duplicates import sets
from workbench.services.session import Session


def test_methods_are_set_side_by_side_on_pairs(ctx: Context, path: Path) -> None:
    with Session(path) as session:
        with session.write() as connection:
            sites = {"a": "x.example", "b": "x.example", "c": "y.example", "d": ""}
            add_documents(connection, [Document(n, n, Role.SUSPECT, site=s) for n, s in sites.items()])
        label_pairs(session, {("a", "b"): "near-duplicate", ("a", "c"): "not", ("c", "d"): "near-duplicate"})
        store(session, "shingle", pairs({(1, 2): 0.9, (1, 3): 0.5}))
    rows = table(ctx, path, "pairs").rows
    assert rows[0] == ("shingle", 1, "all", 3, 2, 0.5, 0.5, 0.5)
    assert rows[1] == ("shingle", 1, "same site", 1, 1, 1, 1, 1)
    with Session(path) as session:
        store(session, "cosine", pairs({(1, 2): 0.9}))
    assert [row[0] for row in table(ctx, path, "pairs").rows] == ["shingle", "shingle", "cosine", "cosine"]


@pytest.fixture
def pages(path: Path) -> Path:
    """Six pages of which two pairs are near-duplicates."""
    random = Random(2)

    def prose() -> str:
        return "".join("".join(chr(random.randrange(0x4E00, 0x5200)) for _ in range(18)) + "。" for _ in range(30))

    texts = [prose() for _ in range(4)]
    texts += [texts[0].replace("。", "。附", 2), texts[1][:500]]
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(f"p{i}", t, Role.SUSPECT) for i, t in enumerate(texts)])
        label_pairs(session, {("p0", "p4"): "near-duplicate", ("p1", "p5"): "near-duplicate", ("p2", "p3"): "not"})
    return path


@pytest.mark.slow
def test_the_figures_of_trustable_regions(ctx: Context, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = figure(ctx, pages, "fingerprints", values=("1", "4"))
    coverage, trustable, rare = drawn.series
    assert (coverage.x, coverage.y[-1]) == ((7, 28), 1)
    assert 0 < trustable.y[-1] <= 1
    assert rare.y == (1, 1)
    assert "2 near-duplicates among all 15 pairs" in drawn.notes[0]
    reserved = figure(ctx, pages, "window", values=("1", "8")).series[-1]
    assert (reserved.name, reserved.y[0]) == ("reserved rate", 1)
    for chosen in ((), ("p5", "p1")):
        edits, region, *_ = figure(ctx, pages, "edits", values=chosen).series
        assert (edits.x[0], edits.y[0]) == (0, 0)
        assert region.x[0] < region.x[1] <= edits.x[-1]
    regions = len(figure(ctx, pages, "edits").series) - 1
    monkeypatch.setattr(figures_trustable, "_REGIONS", 0)
    assert f"Smaller regions not drawn: {regions}." in map(str, figure(ctx, pages, "edits").notes)
    graph = figure(ctx, pages, "edit-graph", values=("p4", "p0"))
    (path,) = graph.series
    with Session(pages) as session, session.read() as connection:
        assert (path.x[-1], path.y[-1]) == tuple(len(load_document(connection, name).text) for name in ("p4", "p0"))
    assert all(x <= y for x, y in pairwise(path.x))
    begun = time.perf_counter()
    speed = {row[0]: row[1] for row in table(ctx, pages, "efficiency").rows}
    parts = [value for name, value in speed.items() if name.startswith("seconds for")]
    assert 0 < min(parts) < sum(parts) < time.perf_counter() - begun
    assert speed["pages"] == 6
    assert speed["candidate pairs"] == 2
    assert speed["share of the pages without a fingerprint"] == 0
    with Session(pages, write=False) as session:
        near = sets(session, 1)
    assert speed["sets of near-duplicates, single pages included"] == 6 - sum(len(keys) - 1 for keys in near)
    hours = [value for name, value in speed.items() if name.startswith("hours for 430,000,000 pages")]
    assert len(hours) == 2
    assert sum(hours) == pytest.approx(430e6 / speed["pages per second in one process"] / 24 / 3600)
    slope = figure(ctx, pages, "slope", values=("0.1",), question=Question(complete=True))
    assert slope.series[0].y == (1,)


def test_the_figures_of_sentences(ctx: Context, path: Path) -> None:
    long = "これは二つの文書にある二十文字よりも長い文なのである"
    texts = [f"{long}。短い文。", f"{long}。ここだけにある文もやはり二十文字を超えているのである。短い文。", "短い文。"]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"s{i}", text, Role.SUSPECT) for i, text in enumerate(texts)])
    every, some = figure(ctx, path, "sentence-frequency").series
    assert dict(zip(every.x, every.y, strict=True)) == {1: 1, 2: 1, 3: 1}
    assert dict(zip(some.x, some.y, strict=True)) == {1: 1, 2: 1}
    _, shared = figure(ctx, path, "sentence-length").series
    assert dict(zip(shared.x, shared.y, strict=True)) == {3: 1, len(long): 1}
    rows = {row[0]: row[1:] for row in table(ctx, path, "sentences").rows}
    assert rows["1 to 4"] == (1, 0, 1, 0, None, "短い文。", None)
    assert rows["20 to 29"] == (2, 1, 1, 0, "ここだけにある文もやはり二十文字を超えているのである。", f"{long}。", None)
    with Session(path) as session:
        label_pairs(session, {("s0", "s1"): "near-duplicate"})
    drawn = table(ctx, path, "relations")
    assert [row[1:5] for row in drawn.rows] == [(1, 0, 0, None)]
    assert "No label gives the relation" in " ".join(drawn.notes)
    assert isinstance(drawn.rows[0][0], Message)


def test_a_relation_is_right_where_the_label_names_the_same_one(ctx: Context, path: Path) -> None:
    relations = {(1, 2): "mirror", (1, 3): "citation", (2, 3): "citation", (4, 5): "archive", (4, 6): "same site"}
    # Of the last pair the labels differ and nobody has settled it: it is not judged.
    relations[5, 6] = "mirror"
    labels_now = {
        (1, 2): "Mirror",
        (3, 1): "citation",
        (2, 3): "inclusion",
        (4, 5): "not",
        (1, 4): "mirror",
        (4, 6): "?",
    }
    with Session(path) as session:
        add(session)
        label_pairs(session, {("s0", "b2"): "near-duplicate", ("s1", "b2"): "not"})
        ids = [*"_", *IDS]
        events = [
            Label(pair_target(ids[a], ids[b]), value, "anna", "", label_set="class of pairs")
            for (a, b), value in labels_now.items()
        ]
        events += [
            Label(pair_target("b1", "b2"), value, who, "", label_set="class of pairs")
            for who, value in (("anna", "mirror"), ("ben", "citation"))
        ]
        with session.write() as connection:
            add_labels(connection, events)
        store(
            session,
            "rare-sentences",
            Results(pairs=tuple(PairScore(a, b, 1.0, relation=r) for (a, b), r in relations.items())),
        )
    drawn = table(ctx, path, "relations")
    assert {str(row[0]): row[1:5] for row in drawn.rows} == {
        "Mirror": (2, 1, 1, 1.0),
        "Citation": (2, 2, 1, 0.5),
        "Archive": (1, 1, 0, 0.0),
        "Same site": (1, 0, 0, None),
    }
    assert drawn.notes == ("Labels of class of pairs.",)


def test_recall_by_slope_is_that_among_the_pairs_that_were_compared(
    ctx: Context, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Session(path) as session:
        add(session)
        label_pairs(session, {("s0", "s1"): "near-duplicate", ("b0", "b1"): "near-duplicate", ("s0", "b0"): "not"})
        store(session, "trustable-lcs", Results())
        base = store(session, "trustable-lcs", pairs({(1, 2): 0.4}))
        swept = store(session, "trustable-lcs", pairs({(1, 2): 0.9, (1, 4): 0.8}))
        varied = {"slope": 0.1}
        runs = {run.id: run for run in all_runs(session)}
    compared = frozenset({frozenset(("s0", "s1")), frozenset(("s0", "b0"))})
    monkeypatch.setattr(figures_pairs, "candidate_pairs", lambda *_: compared)
    monkeypatch.setattr(figures_pairs, "runs_over", lambda *_, **__: iter([(varied, runs[swept])]))
    drawn = figure(ctx, path, "slope")
    assert (drawn.series[0].x, drawn.series[0].y) == ((0.1,), (1,))
    assert drawn.notes[0].startswith(
        f"Run {swept} of trustable-lcs, labels of near-duplicate: 1 of the 2 labelled pairs"
    )
    assert drawn.notes[1] == f"Run {swept} is the newest of 3 runs of trustable-lcs; choose another with --runs."
    assert not any("newest" in note for note in figure(ctx, path, "slope", runs=(base,)).notes)
    monkeypatch.setattr(figures_pairs, "runs_over", lambda *_, **__: iter([(varied, runs[base - 1])]))
    with pytest.raises(UserError, match=r"the highest is 0\.00"):
        figure(ctx, path, "slope")


@pytest.mark.parametrize("name", ["slope", "pairs"])
def test_labels_of_documents_say_nothing_of_pairs(ctx: Context, path: Path, name: str) -> None:
    with Session(path) as session:
        add(session)
        label(session, {"s0": "splog", "b0": "blog"})
        store(session, "trustable-lcs", pairs({(1, 2): 0.9}))
    with pytest.raises(UserError, match="There are no labels of pairs"):
        make_figure(ctx, path, name, FigureRequest(workers=1))


def test_the_votes_of_features_decide_the_bits_that_differ(ctx: Context, pages: Path) -> None:
    drawn = figure(ctx, pages, "simhash-votes", values=("p5", "p1"))
    first, second, *differ = drawn.series
    assert (first.name, second.name) == ("p5", "p1")
    bits = [x for x, a, b in zip(first.x, first.y, second.y, strict=True) if (a >= 0) != (b >= 0)]
    assert bits == list(differ[0].x if differ else ())
    parameters = SimHashParameters.parse({})
    with Session(pages) as session, session.read() as connection:
        documents = [load_document(connection, name) for name in ("p5", "p1")]
    words = fingerprints(documents, parameters).values
    apart = sum(int(a ^ b).bit_count() for a, b in zip(*words.tolist(), strict=True))
    assert len(bits) == apart
    assert f"{apart} of {parameters.bits} bits differ" in drawn.notes[0]


def test_the_equal_values_of_two_signatures_are_the_estimate(ctx: Context, pages: Path) -> None:
    drawn = figure(ctx, pages, "minhash-signatures")
    points = {line.name: set(zip(line.x, line.y, strict=True)) for line in drawn.series}
    whole, equal = points["band equal throughout"], points.get("equal", set())
    parameters = MinHashParameters.parse({})
    assert sum(map(len, points.values())) == parameters.bands * parameters.rows
    bands = {band for band, _ in whole}
    assert whole == {(band, float(row)) for band in bands for row in range(1, parameters.rows + 1)}
    assert f"{len(whole) + len(equal)} of {parameters.permutations} values are equal" in drawn.notes[0]
    assert f"; {len(bands)} of {parameters.bands} bands" in drawn.notes[0]
