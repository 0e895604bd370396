"""Graphs of pages that other programs can open."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx
import pytest

from workbench.base.errors import UserError
from workbench.base.types import Document, PairScore, Results, Role
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.relations.directions import read_direction
from workbench.services.relations.export import export_graph
from workbench.services.session import Session

TITLE = '=1+1 "写本" <&>\x01'


@pytest.fixture
def project(path: Path) -> Path:
    urls = {"one": "https://a.example/1", "two": "https://b.example/2", "three": ""}
    documents = [
        Document(name, f"text of {name}", Role.SOURCE, title=TITLE, url=url, published="2024-05-06")
        for name, url in urls.items()
    ]
    direction = {"direction": "a from b", "direction_strength": "strong", "direction_reason": "b is dated before a"}
    unknown = {"direction": "cannot tell", "direction_strength": "none", "direction_reason": "no date"}
    pairs = (
        PairScore(1, 2, 0.9, resemblance=0.9, containment=1.0, relation="mirror", evidence=direction),
        PairScore(1, 3, 0.5, relation="citation", evidence=unknown),
    )
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)
        run = begin_run(connection, "rare-sentences", 1, {}, "0", 1)
        finish_chunk(connection, run.id, 0, Results(pairs=pairs))
        finish_run(connection, run.id)
    return path


@pytest.mark.parametrize("suffix", [".graphml", ".gexf"])
def test_networkx_opens_the_graph_with_arrows_from_original_to_copy(
    project: Path, ctx: Context, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"graph{suffix}"
    assert export_graph(ctx, project, 1, path) == 2
    graph = (networkx.read_graphml if suffix == ".graphml" else networkx.read_gexf)(path)
    assert set(graph.nodes) == {"one", "two", "three"}
    assert set(graph.edges) == {("two", "one"), ("one", "three")}
    edge = graph.edges["two", "one"]
    assert (edge["relation"], edge["original"], edge["direction_strength"]) == ("mirror", "two", "strong")
    assert edge["resemblance"] == pytest.approx(0.9)
    assert "resemblance" not in graph.edges["one", "three"]
    node = graph.nodes["one"]
    assert (node["title"], node["url"], node["role"]) == (TITLE[:-1], "https://a.example/1", "source")


@pytest.mark.parametrize("suffix", [".graphml", ".gexf", ".csv"])
def test_documents_compared_both_ways_are_one_edge_with_the_better_score(
    path: Path, ctx: Context, tmp_path: Path, suffix: str
) -> None:
    scores = {(1, 2): 3.0, (1, 3): 1.0, (2, 1): 5.0, (3, 1): 1.0}
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(name, f"text of {name}") for name in ("one", "two", "three")])
        run = begin_run(connection, "copied-strings", 1, {}, "0", 1)
        finish_chunk(connection, run.id, 0, Results(pairs=[PairScore(*pair, score) for pair, score in scores.items()]))
        finish_run(connection, run.id)
    out = tmp_path / f"graph{suffix}"
    assert export_graph(ctx, path, 1, out) == 2
    if suffix == ".csv":
        with out.open(encoding="utf-8-sig", newline="") as file:
            edges = {(row["from_id"], row["to_id"], float(row["score"])) for row in csv.DictReader(file)}
    else:
        graph = (networkx.read_graphml if suffix == ".graphml" else networkx.read_gexf)(out)
        edges = set(graph.edges(data="score"))
    assert edges == {("two", "one", 5.0), ("one", "three", 1.0)}


def test_a_run_without_pairs_is_an_empty_graph(path: Path, ctx: Context, tmp_path: Path) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document("one", "text")])
        finish_run(connection, begin_run(connection, "copied-strings", 1, {}, "0", 0).id)
    assert export_graph(ctx, path, 1, tmp_path / "graph.graphml") == 0


def test_a_table_has_a_row_for_each_pair_and_no_formulas(project: Path, ctx: Context, tmp_path: Path) -> None:
    path = tmp_path / "graph.csv"
    export_graph(ctx, project, 1, path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["from_id"], first["to_id"], first["original"]) == ("two", "one", "two")
    assert (second["from_id"], second["original"], second["resemblance"]) == ("one", "", "")
    assert first["from_title"].startswith("'=")


@pytest.fixture
def undirected(path: Path) -> Path:
    """A run whose method stores no direction of its pair, a copy (a) and an earlier page (b)."""
    documents = [
        Document(name, f"text of {name}", url=f"https://{name}.example/", published=f"{year}-05-06")
        for name, year in (("copy", 2024), ("first", 2019))
    ]
    with Session(path) as session, session.write() as connection:
        add_documents(connection, documents)
        run = begin_run(connection, "minhash", 1, {}, "0", 1)
        finish_chunk(connection, run.id, 0, Results(pairs=(PairScore(1, 2, 0.9, relation="near-duplicate"),)))
        finish_run(connection, run.id)
    return path


def test_pairs_of_every_method_have_the_direction_that_reports_give(
    undirected: Path, ctx: Context, tmp_path: Path
) -> None:
    export_graph(ctx, undirected, 1, tmp_path / "graph.gexf")
    ((one, other, edge),) = networkx.read_gexf(tmp_path / "graph.gexf").edges(data=True)
    assert (one, other, edge["original"], edge["direction_strength"]) == ("first", "copy", "first", "weak")
    with Session(undirected, write=False) as session:
        conclusion = read_direction(1, 2)(session)
    assert conclusion is not None
    assert edge["direction_reason"] == conclusion.reason


def test_a_row_says_which_of_its_pages_the_reason_of_the_direction_calls_a(
    undirected: Path, ctx: Context, tmp_path: Path
) -> None:
    export_graph(ctx, undirected, 1, tmp_path / "graph.csv")
    with (tmp_path / "graph.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["from_id"], row["a"], row["b"], row["direction"]) == ("first", "copy", "first", "a from b")
    assert row["direction_reason"].startswith("b is dated before a")


def test_other_suffixes_are_refused(project: Path, ctx: Context, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="gexf"):
        export_graph(ctx, project, 1, tmp_path / "graph.txt")
