"""What a stranger's project says of its own label log: nothing in it reaches what is said from now on."""

from __future__ import annotations

import pytest

from workbench.base.types import Label
from workbench.project import label_sets, labels
from workbench.project.amendments import MERGED, RENAMED, amendments, merging, renaming
from workbench.project.clock import is_stored, now, now_after
from workbench.project.database import Project

TARGET = "document:d"


def test_a_merge_that_was_taken_back_is_of_events_before_it(project: Project) -> None:
    with project.write() as connection:
        labels.add_label(connection, merging(1, 10**15, "Eve", "", counts=False))
        labels.add_label(connection, Label(TARGET, "spam", "ann", "", label_set="class"))
        assert labels.latest_values(connection, "class") == {TARGET: "spam"}
        assert labels.latest_values(connection, "class") == {TARGET: "spam"}


def test_merges_that_were_taken_back_may_overlap(project: Project) -> None:
    with project.write() as connection:
        for number in range(10):
            labels.add_label(connection, Label(f"document:{number}", "x", "ann", "", label_set="class"))
        for first, last in ((2, 3), (3, 5), (8, 8), (9, 8)):
            labels.add_label(connection, merging(first, last, "ann", "", counts=False))
        left = labels.by_annotator(connection, "class")
        assert sorted(left) == [f"document:{number}" for number in (0, 5, 6, 8, 9)]


def test_values_that_only_a_merge_that_was_taken_back_has_are_not_offered(project: Project) -> None:
    with project.write() as connection:
        for number, value in enumerate(("ham", "spam", "theirs")):
            labels.add_label(connection, Label(f"document:{number}", value, "ann", "", label_set="class"))
        assert labels.values_of(connection, "class") == ["ham", "spam", "theirs"]
        labels.add_label(connection, merging(3, 3, "ann", "", counts=False))
        assert labels.values_of(connection, "class") == ["ham", "spam"]


@pytest.mark.parametrize("label_set", ["verdict", "suspect", "exclusion", "case"])
def test_words_of_the_program_keep_their_meaning(project: Project, label_set: str) -> None:
    with project.write() as connection:
        labels.add_label(connection, renaming(label_set, "copy", "not-copy", "Eve"))
        labels.add_label(connection, Label(TARGET, "copy", "ann", "", label_set=label_set))
        assert labels.current(connection, label_set)[TARGET].value == "copy"


def test_renamings_beyond_a_number_are_left_out_and_counted(project: Project) -> None:
    with project.write() as connection:
        labels.add_labels(connection, [renaming("class", f"v{number}", "w", "Eve") for number in range(1100)])
        assert len(amendments(connection).names["class"]) == 1000
    assert project.damage.counts() == {"renamings beyond the limit of a project": 100}


@pytest.mark.parametrize("label_set", [RENAMED, MERGED])
def test_an_event_of_another_set_is_not_an_amendment(project: Project, label_set: str) -> None:
    event = renaming("class", "spam", "ham", "ann") if label_set == RENAMED else merging(1, 1, "ann", "", counts=False)
    with project.write() as connection:
        labels.add_label(connection, Label(TARGET, "spam", "ann", "", label_set="class"))
        labels.add_label(connection, event)
        before = labels.latest_values(connection, "class")
        labels.add_label(connection, Label(event.target, "", "Eve", "", label_set="class"))
        assert labels.latest_values(connection, "class") == before


@pytest.mark.parametrize("when", ["zzz", "20990101T000000Z", "2026-99-99T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_what_is_said_now_holds_whatever_time_others_bear(project: Project, when: str) -> None:
    with project.write() as connection:
        for who in ("ann", "Eve"):
            labels.add_label(connection, Label(TARGET, "spam", who, when, label_set="class"))
        label_sets.add_version(connection, label_sets.StoredSet("class", "{}", "theirs", "Eve", when))
    with project.write() as connection:
        labels.add_label(connection, Label(TARGET, "ham", "ann", "", label_set="class"))
        label_sets.add_version(connection, label_sets.StoredSet("class", "{}", "own"))
    with project.read() as connection:
        assert labels.current(connection, "class")[TARGET].value == "ham"
        assert labels.by_annotator(connection, "class")[TARGET]["ann"].value == "ham"
        assert labels.latest_values(connection, "class") == {TARGET: "ham"}
        assert label_sets.current_versions(connection)["class"].guidelines == "own"
    assert project.damage.counts()["labels without a proper time"] == 2


@pytest.mark.parametrize(
    "latest",
    ["8999-12-31T23:59:59.999Z", "2999-01-01T00:00:00Z", "2999-01-01T00:00:00.999999Z", "2999-01-01T00:00:00.5Z"],
)
def test_a_time_after_another_is_after_it_by_its_letters(latest: str) -> None:
    assert is_stored(latest)
    assert now_after(latest) > latest


def test_the_present_is_a_stored_time() -> None:
    assert is_stored(now())
    assert now_after("") <= now()
