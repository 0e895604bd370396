"""A source that is itself a copy of another source is marked, with the chain, wherever its passage is reported."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import passages, store

from workbench.base.types import Document, Match, Role, Span
from workbench.methods.rare_sentences.relations import Direction
from workbench.project.documents import add_documents
from workbench.services.relations.direction import Conclusion, Strength
from workbench.services.relations.earlier import chain
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.session import Session, create

TEXT = "The miller opens the gate before dawn, and the smell of flour drifts up the valley. "


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[Session]:
    """A suspect (1) with the passage of the sources of 2001 (2), 2003 (3), 2002 (4), and with another of 2003 (3)."""
    create(tmp_path / "p.palimpsest")
    dates = {"copy": "2005-01-01", "first": "2001-01-01", "third": "2003-01-01", "second": "2002-01-01"}
    roles = dict.fromkeys(dates, Role.SOURCE) | {"copy": Role.SUSPECT}
    with Session(tmp_path / "p.palimpsest") as session:
        with session.write() as connection:
            add_documents(
                connection, [Document(name, 2 * TEXT, roles[name], published=date) for name, date in dates.items()]
            )
        half = len(TEXT)
        shared = [Match(1, key, Span(0, half), Span(0, half), 1.0) for key in (2, 3, 4)]
        store(session, "digest", passages(*shared, Match(1, 3, Span(half, 2 * half), Span(half, 2 * half), 1.0)))
        yield session


def chains(session: Session, file: Path, selection: Selection) -> dict[tuple[str, int], list[str]]:
    export(session, selection, file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    return {(row["b"], row["a_start"]): [link["title"] for link in row["earlier_sources"]] for row in rows}


def test_the_chain_of_earlier_sources_is_reported_with_each_passage(copied: Session, tmp_path: Path) -> None:
    expected = {
        ("first", 0): [],
        ("second", 0): ["first"],
        ("third", 0): ["second", "first"],
        ("third", len(TEXT)): [],
    }
    assert chains(copied, tmp_path / "all.jsonl", Selection()) == expected
    of_pair = chains(copied, tmp_path / "pair.jsonl", Selection(pair=("copy", "third")))
    assert of_pair == {key: value for key, value in expected.items() if key[0] == "third"}
    export(copied, Selection(), tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["earlier_sources"] for row in csv.DictReader(file) if row["b"] == "third"] == ["second ← first", ""]
    export(copied, Selection(), tmp_path / "all.html", language="ja")
    html = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert html.count(" ← first") == 1
    export(copied, Selection(anonymous=True), tmp_path / "hidden.jsonl")
    assert "first" not in (tmp_path / "hidden.jsonl").read_text(encoding="utf-8")


def test_a_run_compared_the_other_way_round_has_the_same_chain(copied: Session, tmp_path: Path) -> None:
    both = Span(0, len(TEXT))
    store(copied, "digest", passages(Match(1, 3, both, both, 1.0), Match(2, 1, both, both, 1.0)))
    of_run = chains(copied, tmp_path / "run.jsonl", Selection())
    of_suspect = chains(copied, tmp_path / "suspect.jsonl", Selection(suspect="copy"))
    assert of_run["third", 0] == of_suspect["third", 0] == ["first"]


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_every_step_of_a_chain_is_a_copy_of_all_that_follow(copies: set[tuple[int, int]]) -> None:
    """Also if the directions contradict each other."""

    def between(a: int, b: int) -> Conclusion:
        way = Direction.A_FROM_B if (a, b) in copies else Direction.UNKNOWN
        return Conclusion(way, Strength.WEAK, "")

    links = [0, *(link.key for link in chain(0, range(1, 7), between))]
    assert len(set(links)) == len(links)
    assert all((a, b) in copies for at, a in enumerate(links) for b in links[at + 1 :])
    assert (len(links) > 1) == any((0, b) in copies for b in range(1, 7))
