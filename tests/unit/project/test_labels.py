from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError

from workbench.base.types import Label
from workbench.project.database import Project
from workbench.project.integrity import counts, integrity
from workbench.project.labels import (
    add_label,
    add_labels,
    by_annotator,
    count_events,
    count_labels,
    current,
    history,
    label_sets,
    latest_values,
    target_kinds,
    verify_chain,
)
from workbench.project.tables import label_rows

TARGET = "match:a:0-10:b:5-15"


def test_the_latest_event_counts_and_knows_the_one_before(project: Project):
    with project.write() as connection:
        add_label(connection, Label(TARGET, "copy", "ann", "2026-01-01T00:00:00Z", "sure"))
        second = add_label(connection, Label(TARGET, "quote", "ann", ""))
        assert second.old == "copy"
        assert second.when
        assert current(connection) == {TARGET: second}
        assert [event.value for event in history(connection, [TARGET])] == ["copy", "quote"]


def test_the_value_before_is_the_same_annotators(project: Project):
    with project.write() as connection:
        add_label(connection, Label(TARGET, "copy", "ann", ""))
        assert add_label(connection, Label(TARGET, "partial", "bob", "")).old == ""
        assert add_label(connection, Label(TARGET, "quote", "ann", "")).old == "copy"


def test_a_withdrawn_label_is_gone_but_not_forgotten(project: Project):
    with project.write() as connection:
        add_label(connection, Label(TARGET, "copy", "ann", ""))
        assert add_label(connection, Label(TARGET, "", "ann", "")).old == "copy"
        assert current(connection) == {}
        assert count_labels(connection) == (0, 0)
        assert counts(connection).labels == 0
        assert count_events(connection) == len(history(connection, [TARGET])) == 2


def test_a_kind_of_target_has_labels_until_the_last_is_withdrawn(project: Project):
    values = (("copy", "ann"), ("copy", "ben"), ("", "ann"), ("", "ben"))
    with project.write() as connection:
        for day, (value, who) in enumerate(values, 1):
            add_label(connection, Label(TARGET, value, who, f"2026-01-0{day}T00:00:00.000Z"))
            assert target_kinds(connection) == ([] if day == 4 else [("verdict", TARGET.partition(":")[0])])


def test_label_sets_are_apart(project: Project):
    with project.write() as connection:
        add_label(connection, Label("document:d", "spam", "ann", "", label_set="class"))
        add_label(connection, Label("document:d", "ham", "ann", "", label_set="other"))
        assert label_sets(connection) == ["class", "other"]
        assert current(connection, "class")["document:d"].value == "spam"
        assert [e.value for e in history(connection, ["document:d"], "other")] == ["ham"]


@given(events=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y"]), st.text(max_size=5))))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_current_view_equals_replaying_the_log(project: Project, events: list[tuple[str, str, str]]):
    with project.write() as connection:
        before = {target: label.value for target, label in current(connection).items()}
        add_labels(connection, [Label(target, value, "me", "", note) for target, value, note in events])
        want = {t: v for t, v in (before | {t: v for t, v, _ in events}).items() if v}
        assert {target: label.value for target, label in current(connection).items()} == want
        assert verify_chain(connection) == "ok"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["document:a", "document:b"]),
            st.sampled_from(["ann", "ben"]),
            st.sampled_from(["", "blog", "splog"]),
            st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"]),
        ),
        max_size=8,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_latest_values_are_those_annotators_stand_by(project: Project, events: list[tuple[str, str, str, str]]):
    with project.write() as connection:
        add_labels(
            connection, [Label(target, value, who, when, label_set="class") for target, who, value, when in events]
        )
        expected = {
            target: max(enumerate(votes.values()), key=lambda vote: (vote[1].when, vote[0]))[1].value
            for target, votes in by_annotator(connection, "class").items()
        }
        assert latest_values(connection, "class") == expected
        connection.rollback()


@pytest.mark.parametrize("statement", [update(label_rows).values(value="other"), delete(label_rows)])
def test_events_cannot_be_changed_or_deleted(project: Project, statement):
    with project.write() as connection:
        add_label(connection, Label(TARGET, "copy", "ann", ""))
    with pytest.raises(IntegrityError, match="never"), project.write() as connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE label_event SET value = 'forged' WHERE id = 2",
        "UPDATE label_event SET occurred = '1999' WHERE id = 4",
        "UPDATE label_event SET hash = x'00' WHERE id = 4",
        "DELETE FROM label_event WHERE id = 1",
        "DELETE FROM label_event WHERE id = 3",
        "DELETE FROM label_event WHERE id = 4",
        "UPDATE label_event SET id = id + 10 WHERE id = 4",
    ],
)
def test_a_change_behind_our_back_shows(project: Project, change: str):
    with project.write() as connection:
        add_labels(connection, [Label(TARGET, value, "ann", "") for value in "abcd"])
        assert verify_chain(connection) == "ok"
    # A second file: the triggers stop even this connection while the first is as it should be.
    triggers = ("label_event_no_update", "label_event_no_delete")
    with closing(sqlite3.connect(project.path)) as connection:
        saved = [
            connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
            for name in triggers
        ]
        for name in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(change)
        for sql in saved:
            connection.execute(sql)
        connection.commit()
    with project.read() as connection:
        assert verify_chain(connection).startswith(("Label event", "The last label"))
    assert integrity(project) != "ok"


def test_of_two_events_at_one_moment_the_later_one_is_the_one_before_the_next(project: Project) -> None:
    moment = "2026-01-01T00:00:00Z"
    events = [Label(TARGET, value, "ann", moment) for value in ("copy", "quote")]
    with project.write() as connection:
        added = add_labels(connection, [*events, Label(TARGET, "partial", "ann", "2026-01-02T00:00:00Z")])
    assert [event.old for event in added] == ["", "copy", "quote"]
