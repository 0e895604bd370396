"""Entries are dealt evenly; shares go out and come back without loss or duplicates, in any order, twice."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.base.types import Document, Label, Role
from workbench.jobs.context import Context
from workbench.project import labels, migrations
from workbench.project.documents import add_documents, delete_documents
from workbench.project.listing import keys_of
from workbench.services.labels.batches import assign_all, deal, export_batch
from workbench.services.labels.definitions import LabelSet, Value, read_sets, save_set
from workbench.services.labels.label_state import BoardScope, give, read_board
from workbench.services.labels.merge_additions import undo_merge
from workbench.services.labels.merging import EVERYBODY, merge_batch
from workbench.services.labels.queue import QueueOptions, asked_of, queue
from workbench.services.labels.sets import PAIR_LABELS
from workbench.services.labels.settling import settled
from workbench.services.labels.targets import pair_target
from workbench.services.labels.values import rename_value
from workbench.services.queries import remove
from workbench.services.session import Session, create
from workbench.services.tagging import change_tags, change_tags_of, restore_tags, tagged


@given(st.integers(1, 60), st.integers(1, 6), st.data())
def test_every_entry_gets_its_annotators_and_everybody_as_many(
    entries: int, annotators: int, data: st.DataObject
) -> None:
    each = data.draw(st.integers(1, annotators))
    names = [f"a{n}" for n in range(annotators)]
    dealt = deal([str(n) for n in range(entries)], names, each, {})
    by_target = Counter(target for target, _ in dealt)
    assert len(set(dealt)) == len(dealt)
    assert set(by_target.values()) == {each}
    assert len(by_target) == entries
    load = Counter(who for _, who in dealt)
    assert max(load.values()) - min(load[name] for name in names) <= 1


def test_every_two_annotators_have_about_as_many_in_common() -> None:
    dealt = deal([str(n) for n in range(300)], list("abcd"), 2, {})
    together: dict[str, list[str]] = {}
    for target, who in dealt:
        together.setdefault(target, []).append(who)
    shared = Counter(frozenset(pair) for pair in together.values())
    assert len(shared) == len(list(combinations("abcd", 2)))
    assert max(shared.values()) - min(shared.values()) <= 2


def test_what_was_dealt_stays_and_the_rest_evens_out() -> None:
    before = {"1": {"a"}, "2": {"a"}}
    dealt = deal(["1", "2", "3", "4"], ["a", "b"], 1, before)
    assert dealt == [("3", "b"), ("4", "b")]


def test_removed_documents_are_not_counted_as_work_when_the_rest_is_dealt(project: Path) -> None:
    with Session(project) as session:
        save_set(session, LabelSet("mood", values=(Value("glad"),)), "ann")
        dealt = assign_all(session, "mood", ["ann", "ben"], 1)
        with session.read() as connection:
            keys = keys_of(connection, [target.removeprefix("document:") for target, who in dealt if who == "ann"][:15])
        remove(session, [*keys.values()])
        with session.write() as connection:
            add_documents(connection, [Document(f"new{n}", f"New text {n}.", Role.SUSPECT) for n in range(15)])
        assign_all(session, "mood", ["ann", "ben"], 1)
        assigned = read_board(session, BoardScope("mood")).assigned
        assert Counter(who for names in assigned.values() for who in names) == {"ann": 20, "ben": 20}


@pytest.mark.parametrize(("names", "each"), [([], 1), (["a"], 2), (["a"], 0)])
def test_too_few_annotators_are_refused(names: list[str], each: int) -> None:
    with pytest.raises(UserError):
        deal(["1"], names, each, {})


def stored_labels(path: Path, label_set: str = "class") -> dict[tuple[str, str], str]:
    with Session(path, write=False) as session, session.read() as connection:
        by_target = labels.by_annotator(connection, label_set)
    return {(target, who): label.value for target, by in by_target.items() for who, label in by.items()}


def count_events(path: Path) -> int:
    with Session(path, write=False) as session, session.read() as connection:
        return labels.count_events(connection)


def label_all(path: Path, who: str, value: str, label_set: str = "class") -> None:
    with Session(path) as session:
        board = read_board(session, BoardScope(label_set))
        give(session, [Label(item.target, value, who, "", label_set=label_set) for item in board.items])


@pytest.mark.slow
def test_shares_come_back_in_any_order_and_twice(project: Path, tmp_path: Path, ctx: Context) -> None:
    with Session(project) as session:
        save_set(
            session, LabelSet("class", values=(Value("blog"), Value("splog", then="kind")), guidelines="# Rule"), "x"
        )
        give(session, [Label("document:e01", "splog", "ann", "", label_set="class")])
        assign_all(session, "class", ["ann", "ben", "cat"], 2)
        requested = read_board(session, BoardScope("class")).assigned
    shares = []
    for who in ("ann", "ben", "cat"):
        share = tmp_path / f"{who}.palimpsest"
        result = export_batch(ctx, project, "class", who, share)
        mine = {target for target, names in requested.items() if who in names}
        with Session(share) as session:
            board = read_board(session, BoardScope("class"))
            assert {item.target for item in board.items} == mine
            assert board.label_set.guidelines == "# Rule"
            assert set(board.annotators()) == {who}
        assert result.entries == result.documents == len(mine)
        label_all(share, who, "blog")
        label_all(share, who, "splog" if who == "ben" else "blog")
        shares.append(share)
    with Session(project, write=False) as session:
        session.project.close()
    whole = project.read_bytes()
    outcomes = []
    for number, order in enumerate(permutations(shares)):
        copy = tmp_path / f"copy{number}.palimpsest"
        copy.write_bytes(whole)
        added = [merge_batch(ctx, copy, share, [EVERYBODY]).added for share in order]
        again = [merge_batch(ctx, copy, share) for share in (*order, *order)]
        assert all(result.added == 0 and not result.failed for result in again)
        outcomes.append((stored_labels(copy), sum(added), count_events(copy)))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    expected = {(t, w): "splog" if w == "ben" else "blog" for t, names in requested.items() for w in names}
    if ("document:e01", "ann") not in expected:
        expected["document:e01", "ann"] = "splog"
    assert outcomes[0][0] == expected


def test_the_latest_label_holds_whichever_comes_first(project: Path, tmp_path: Path, ctx: Context) -> None:
    share = tmp_path / "ann.palimpsest"
    entries = export_batch(ctx, project, "class", "ann", share).entries
    label_all(share, "ann", "blog")
    label_all(project, "ann", "splog")
    merge_batch(ctx, project, share)
    assert set(stored_labels(project).values()) == {"splog"}
    label_all(share, "ann", "unsure")
    assert len(merge_batch(ctx, project, share).doubtful) == entries
    assert set(stored_labels(project).values()) == {"splog"}
    merge_batch(ctx, project, share, ["ann"])
    assert stored_labels(project)["document:e03", "ann"] == "unsure"


def test_the_labels_so_far_are_those_that_hold(project: Path, tmp_path: Path, ctx: Context) -> None:
    events = [("e01", "blog"), ("e01", "splog"), ("e02", "blog"), ("e02", ""), ("e03", "blog")]
    with Session(project) as session:
        give(session, [Label(f"document:{name}", value, "ann", "", label_set="class") for name, value in events])
        give(session, [Label("document:e01", "news update", "ann", "", label_set="kind")])
    assert export_batch(ctx, project, "class", "ann", tmp_path / "ann.palimpsest").labels == 3


def test_a_share_holds_nothing_of_others(project: Path, tmp_path: Path, ctx: Context) -> None:
    label_all(project, "ben", "blog")
    share = tmp_path / "ann.palimpsest"
    export_batch(ctx, project, "class", "ann", share)
    assert stored_labels(share) == {}


def test_labels_of_other_texts_are_refused(project: Path, tmp_path: Path, ctx: Context) -> None:
    other = tmp_path / "other.palimpsest"
    create(other)
    with Session(other) as session:
        with session.write() as connection:
            add_documents(
                connection, [Document("e01", "Not the text", Role.SUSPECT), Document("new", "?", Role.SUSPECT)]
            )
        give(session, [Label(f"document:{name}", "blog", "ann", "", label_set="class") for name in ("e01", "new")])
    result = merge_batch(ctx, project, other)
    assert (result.added, len(result.failed)) == (0, 2)
    assert stored_labels(project) == {}


def test_a_share_of_nothing_and_a_merge_with_itself_are_refused(project: Path, tmp_path: Path, ctx: Context) -> None:
    with Session(project) as session:
        assign_all(session, "class", ["ann"], 1)
    with pytest.raises(UserError):
        export_batch(ctx, project, "class", "ben", tmp_path / "ben.palimpsest")
    assert not (tmp_path / "ben.palimpsest").exists()
    with pytest.raises(UserError):
        export_batch(ctx, project, "class", "ann", project)
    with pytest.raises(UserError):
        merge_batch(ctx, project, project)


@pytest.mark.parametrize("label_set", ["class", PAIR_LABELS])
def test_without_assignments_everybody_gets_the_whole_sample(
    project: Path, tmp_path: Path, ctx: Context, label_set: str
) -> None:
    with Session(project) as session:
        pairs = [pair_target("e01", f"e{n:02}") for n in range(2, 6)]
        give(session, [Label(target, "not", "zoe", "", label_set=PAIR_LABELS) for target in pairs])
        sample = {item.target for item in queue(read_board(session, BoardScope(label_set)), "ann", QueueOptions())}
    for who in ("ann", "ben"):
        share = tmp_path / f"{who}.palimpsest"
        assert export_batch(ctx, project, label_set, who, share).entries == len(sample)
        with Session(share, write=False) as session:
            board = read_board(session, BoardScope(label_set))
        assert {item.target for item in board.items} == {item.target for item in asked_of(board, who, board.items)}
        assert {item.target for item in board.items} == sample
        label_all(share, who, "unknown", label_set)
        result = merge_batch(ctx, project, share)
        assert (result.added, result.assigned) == (len(sample), 0)


def test_a_definition_changed_since_is_not_said_to_change_back(project: Path, tmp_path: Path, ctx: Context) -> None:
    share = tmp_path / "ann.palimpsest"
    export_batch(ctx, project, "class", "ann", share)
    with Session(project) as session:
        save_set(session, LabelSet("class", values=(Value("blog"), Value("splog")), guidelines="new"), "x")
    assert merge_batch(ctx, project, share).sets == ()
    with Session(project) as session:
        assert read_board(session, BoardScope("class")).label_set.guidelines == "new"
    with Session(share) as session:
        save_set(session, LabelSet("class", values=(Value("blog"), Value("splog")), guidelines="newer"), "x")
    assert merge_batch(ctx, project, share).sets == ("class",)


@pytest.mark.parametrize("order", [("ann", "ben"), ("ben", "ann")])
def test_of_a_set_changed_in_two_shares_the_merge_says_whose_definition_is_not_in_use(
    project: Path, tmp_path: Path, ctx: Context, order: tuple[str, str]
) -> None:
    original = LabelSet("class", values=(Value("blog", "b"), Value("splog", "s")), guidelines="first")
    with Session(project) as session:
        save_set(session, original, "x")
    odd = {"ann": Value("odd", "o", 3), "ben": Value("odd", "d", 3)}
    for who, value in odd.items():
        export_batch(ctx, project, "class", who, tmp_path / f"{who}.palimpsest")
        with Session(tmp_path / f"{who}.palimpsest") as session:
            save_set(session, replace(original, values=(*original.values, value)), who)
    first, second = (tmp_path / f"{who}.palimpsest" for who in order)
    assert merge_batch(ctx, project, first).replaced == ()
    (replaced,) = merge_batch(ctx, project, second).replaced
    assert (replaced.who, replaced.other, replaced.values, replaced.guidelines) == ("ben", "ann", ("odd",), False)
    assert replaced.sentence == (
        f"Label set class: the definition by ben ({replaced.when}) is used, not the one by ann "
        f"({replaced.other_when}); "
        "they differ in: odd."
    )
    assert replaced.when > replaced.other_when
    with Session(project) as session:
        assert read_sets(session)["class"].value("odd") == odd["ben"]
    assert merge_batch(ctx, project, first).replaced == merge_batch(ctx, project, second).replaced == ()


def test_a_definition_from_a_share_has_the_values_as_they_were_renamed_meanwhile(
    project: Path, tmp_path: Path, ctx: Context
) -> None:
    original = LabelSet("class", values=(Value("blog"), Value("splog"), Value("diary")))
    share = tmp_path / "ann.palimpsest"
    with Session(project) as session:
        save_set(session, original, "x")
        give(session, [Label("document:e01", "blog", "zoe", "", label_set="class")])
        export_batch(ctx, project, "class", "ann", share)
        rename_value(session, "class", "blog", "weblog", "x")
        rename_value(session, "class", "diary", "weblog", "x", merge=True)
    with Session(share) as session:
        save_set(session, replace(original, values=(*original.values, Value("odd"))), "ann")
    merge_batch(ctx, project, share)
    with Session(project) as session:
        merged = read_sets(session)["class"]
        assert [(value.name, value.retired) for value in merged.values] == [
            *(("weblog", False), ("splog", False), ("odd", False))
        ]
        save_set(session, replace(merged, guidelines="new"), "x")
    assert merge_batch(ctx, project, share).sets == ()


def test_a_share_of_an_older_version_of_the_program_comes_back_unchanged(
    project: Path, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = tmp_path / "ann.palimpsest"
    entries = export_batch(ctx, project, "class", "ann", share).entries
    label_all(share, "ann", "blog")
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, lambda c: c.execute("CREATE TABLE note (id INTEGER)")))
    before = share.read_bytes()
    assert merge_batch(ctx, project, share, only_show=True).added == entries
    assert merge_batch(ctx, project, share).added == entries
    assert share.read_bytes() == before
    assert not list(tmp_path.glob("ann.palimpsest?*"))


def test_tags_go_out_with_a_share_and_come_back(project: Path, tmp_path: Path, ctx: Context) -> None:
    with Session(project) as session:
        change_tags_of(session, ["e01"], ["mail"], [])
    share = tmp_path / "ann.palimpsest"
    export_batch(ctx, project, "class", "ann", share)
    with Session(share) as session:
        there = tagged(session, "")
        assert set(there.values()) <= {("mail",)}
        change_tags_of(session, ["e03"], ["odd"], [])
    merge_batch(ctx, project, share)
    with Session(project) as session:
        assert tagged(session, "") == {"e01": ("mail",), "e03": ("odd",)}


def test_a_merge_does_not_bring_back_a_tag_that_was_removed_meanwhile(
    project: Path, tmp_path: Path, ctx: Context
) -> None:
    def tags() -> dict[str, tuple[str, ...]]:
        with Session(project) as session:
            return tagged(session, "")

    with Session(project) as session:
        change_tags_of(session, ["e01", "e03"], ["mail", "wrong"], [])
    copy = tmp_path / "copy.palimpsest"
    shutil.copy(project, copy)
    with Session(project) as session:
        change_tags_of(session, ["e01"], [], ["wrong"])
        restore_tags(session, change_tags(session, [3], [], ["mail"]), [], ["mail"])
    with Session(copy) as session:
        change_tags_of(session, ["e01"], ["news"], [])
    result = merge_batch(ctx, project, copy)
    assert (result.tagged, result.untagged) == (1, 1)
    assert tags() == {"e01": ("mail", "news"), "e03": ("mail", "wrong")}
    with Session(project) as session:
        undo_merge(session, result.number)
    again = merge_batch(ctx, project, copy)
    assert (again.tagged, again.untagged) == (1, 1)
    with Session(project) as session:
        change_tags_of(session, ["e01"], ["wrong"], [])
    assert merge_batch(ctx, project, copy).untagged == 0


def test_labels_for_a_text_that_was_replaced_meanwhile_come_back_and_say_so(project: Path, ctx: Context) -> None:
    share = project.with_name("ann.palimpsest")
    with Session(project) as session:
        assign_all(session, "class", ["ann"], 1)
    export_batch(ctx, project, "class", "ann", share)
    with Session(project) as session, session.write() as connection:
        delete_documents(connection, [*keys_of(connection, ["e00"]).values()])
        add_documents(connection, [Document("e00", "A text that was written since.", Role.SUSPECT)])
    with Session(share) as session:
        give(session, [Label(f"document:{name}", "splog", "ann", "", label_set="class") for name in ("e00", "e01")])
    result = merge_batch(ctx, project, share)
    assert (result.added, result.failed) == (2, ())
    with Session(project, write=False) as session:
        states = settled(session, "class")
        assert {name: state.of_other for name, state in states.items()} == {"document:e00": True, "document:e01": False}
    # A text that the project has never had is another document.
    with Session(share) as session, session.write() as connection:
        delete_documents(connection, [*keys_of(connection, ["e02"]).values()])
        add_documents(connection, [Document("e02", "Of another document.", Role.SUSPECT)])
        labels.add_label(connection, Label("document:e02", "splog", "ann", "", label_set="class"))
    (failure,) = merge_batch(ctx, project, share).failed
    assert failure.error == "The document has a different text in this project."
