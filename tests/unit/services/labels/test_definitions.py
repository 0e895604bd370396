"""Label sets: made, changed, kept with history; a value that goes keeps its labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Label
from workbench.project.label_sets import StoredSet
from workbench.project.labels import add_labels
from workbench.services.labels.definitions import (
    LabelSet,
    Value,
    default_set,
    from_stored,
    history,
    known_values,
    read_sets,
    save_set,
    to_stored,
    with_keys,
)
from workbench.services.labels.label_state import BoardScope, give, read_board
from workbench.services.labels.targets import TargetKind
from workbench.services.session import Session


def test_the_programs_own_sets_have_their_keys(project: Path) -> None:
    with Session(project) as session:
        sets = read_sets(session)
    assert [(v.name, v.key, v.then) for v in sets["class"].values] == [
        ("blog", "b", ""),
        ("splog", "s", "kind"),
        ("unsure", "u", ""),
    ]
    assert [v.key for v in sets["kind"].values] == list("1234567890-")


def test_a_project_that_is_labelled_in_a_set_of_its_own_begins_with_that_set(project: Path) -> None:
    def label(label_set: str, value: str) -> str:
        give(session, [Label("document:d0", value, "ann", "", label_set=label_set)])
        return read_board(session, BoardScope()).label_set.name

    with Session(project) as session:
        assert label("suspect", "copy") == "class"
        assert label("mood", "diary") == "mood"
        assert label("class", "blog") == "class"


def test_records_of_decisions_are_not_label_sets(project: Path) -> None:
    with Session(project) as session, session.write() as connection:
        add_labels(connection, [Label("page:https://a.example/", "licensed", "ann", "", label_set="case")])
        add_labels(connection, [Label("phrase:x", "excluded", "ann", "", label_set="exclusion")])
    with Session(project) as session:
        assert list(read_sets(session)) == ["class", "kind"]
        with pytest.raises(UserError, match="for its own records"):
            save_set(session, LabelSet("case", values=(Value("licensed", "l"),)), "ann")


def test_values_without_a_key_get_one_that_is_free() -> None:
    values = with_keys([Value("spam", "s"), Value("soap"), Value("星"), Value("cat")])
    assert [v.key for v in values] == ["s", "1", "2", "c"]


def test_a_stored_set_reads_back_as_it_was() -> None:
    label_set = LabelSet(
        "mood", TargetKind.PAIR, (Value("glad", "g", 3, "why"), Value("old", retired=True)), "# Say", 7, 0.25
    )
    assert from_stored(to_stored(label_set, "ann")) == label_set


@pytest.mark.parametrize(
    "definition",
    [
        "",
        "[]",
        "null",
        '{"values": 3}',
        '{"values": [3, {"name": 4}, {"key": "ab"}], "rate": "x", "seed": []}',
        "[" * 9999,
    ],
)
def test_a_damaged_definition_is_an_empty_set(definition: str) -> None:
    assert from_stored(StoredSet("x", definition, "")) == LabelSet("x")


def test_a_value_that_goes_keeps_its_labels_as_retired(project: Path) -> None:
    with Session(project) as session:
        save_set(session, LabelSet("mood", values=(Value("glad"), Value("sad"), Value("odd"))), "ann")
        give(session, [Label("document:e01", "sad", "ann", "", label_set="mood")])
        save_set(session, LabelSet("mood", values=(Value("glad"),)), "ben")
        mood = read_sets(session)["mood"]
        assert [(v.name, v.retired) for v in mood.values] == [("glad", False), ("sad", True)]
        assert [v.name for v in mood.active] == ["glad"]
        with session.read() as connection:
            assert known_values(connection, "mood") == ["glad", "sad"]


def test_every_version_is_kept(project: Path) -> None:
    with Session(project) as session:
        for text in ("first", "second", "second"):
            save_set(session, LabelSet("mood", values=(Value("glad"),), guidelines=text), f"who said {text}")
        versions = history(session, "mood")
    assert [v.label_set.guidelines for v in versions] == ["second", "second", "first"]
    assert versions[-1].who == "who said first"
    assert all(v.when.endswith("Z") for v in versions)


@pytest.mark.parametrize(
    "label_set",
    [
        LabelSet(""),
        LabelSet("x"),
        LabelSet("x", values=(Value("a"), Value("A"))),
        LabelSet("x", values=(Value("a", "k"), Value("b", "K"))),
        LabelSet("x", values=(Value(" "),)),
        LabelSet("x", values=(Value("a"),), rate=0),
        LabelSet("x", values=(Value("a"),), guidelines="x" * 200_001),
        LabelSet("x", values=tuple(Value(str(n)) for n in range(37))),
    ],
)
def test_a_set_that_cannot_be_used_is_refused(project: Path, label_set: LabelSet) -> None:
    with Session(project) as session, pytest.raises(UserError):
        save_set(session, label_set, "ann")


def test_what_labels_are_about_does_not_change_under_them(project: Path) -> None:
    with Session(project) as session:
        give(session, [Label("document:e01", "glad", "ann", "", label_set="mood")])
        with pytest.raises(UserError):
            save_set(session, LabelSet("mood", TargetKind.PAIR, (Value("glad"),)), "ann")


def test_values_in_use_that_nobody_defined_are_there(project: Path) -> None:
    with Session(project) as session:
        give(session, [Label("document:e01", "bright", "ann", "", label_set="mood")])
        assert [v.name for v in read_sets(session)["mood"].active] == ["bright"]
    assert [v.name for v in default_set("mood", values=("b", "a")).values] == ["b", "a"]


def test_the_labels_of_an_entry_are_in_the_order_in_which_they_were_given(project: Path) -> None:
    times = {"zoe": "2026-01-01T08:00:00Z", "ann": "2026-01-01T10:00:00Z", "ben": "2026-01-01T09:00:00Z"}
    with Session(project) as session:
        labels = [Label("document:e00", "blog", who, when, label_set="class") for who, when in times.items()]
        with session.write() as connection:
            add_labels(connection, labels)
        board = read_board(session, BoardScope("class"))
    assert list(board.labels_of("document:e00")) == ["zoe", "ben", "ann"]


def test_the_guidelines_for_pairs_are_those_of_the_paper_until_others_are_written(project: Path) -> None:
    with Session(project) as session:
        guidelines = default_set("near-duplicate").guidelines
        assert all(rule in guidelines for rule in ("less than 40 %", "at most 10 %", "key paragraphs", "the order"))
        assert default_set("class").guidelines == ""
        give(session, [Label("pair:e01|e02", "near-duplicate", "ann", "", label_set="near-duplicate")])
        known = read_sets(session)["near-duplicate"]
        assert known.guidelines == guidelines
        save_set(session, replace(known, guidelines="our own"), "ann")
        assert read_sets(session)["near-duplicate"].guidelines == "our own"
