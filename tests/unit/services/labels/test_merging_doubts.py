"""A copy of the project in other hands: nothing in it changes what somebody said here by itself, and all is undone."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stored import FIRST, PASSAGES, A, B, store_run

from workbench.base.errors import UserError
from workbench.base.types import Document, Label, Role, Span
from workbench.jobs.context import Context
from workbench.project import label_sets as stored
from workbench.project import labels
from workbench.project.documents import add_documents, load_document
from workbench.project.tags import tags_by_id
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.labels.definitions import LabelSet, Value, read_sets, save_set, to_stored
from workbench.services.labels.label_state import BoardScope, give, read_board
from workbench.services.labels.merge_additions import merges, redo_merge, undo_merge
from workbench.services.labels.merging import EVERYBODY, Doubt, merge_batch
from workbench.services.labels.settling import LabelledTexts
from workbench.services.labels.targets import TargetKind, passage_target
from workbench.services.labels.values import rename_value
from workbench.services.review import by_hand
from workbench.services.review.counting import read_counted
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclude, exclusions, restore_excluded
from workbench.services.review.judged_text import side_digest
from workbench.services.review.verdicts import Unit, give_verdict, settle
from workbench.services.session import ProjectVersions, Session, create
from workbench.services.tagging import change_tags_of

LONG, SHORT = (Unit("s", "t", (match.a_span, match.b_span)) for match in PASSAGES[FIRST])
SITE = Exclusion(ExclusionKind.SOURCE, "t")
FUTURE = "2099-01-01T00:00:00.000Z"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Ann, who settled it, and Ben have judged the passages of a run; a set with labels of both."""
    path = tmp_path / "own.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document("s", A, Role.SUSPECT), Document("t", B, Role.SOURCE)])
        store_run(session, list(PASSAGES[FIRST]))
        give_verdict(session, LONG, "copy", "", "Ann")
        give_verdict(session, SHORT, "copy", "", "Ann")
        save_set(session, LabelSet("mood", values=(Value("spam"), Value("ham"))), "Ann")
        give(session, [Label("document:s", "spam", who, "", label_set="mood") for who in ("Ann", "Ben")])
        session.project.close()
    return path


@pytest.fixture
def other(own: Path, tmp_path: Path) -> Path:
    path = tmp_path / "other.palimpsest"
    shutil.copy(own, path)
    return path


def state(path: Path) -> dict[str, Any]:
    """Everything that holds in the project, as a session that is opened now reads it."""
    with Session(path, write=False) as session:
        return state_of(session)


def state_of(session: Session) -> dict[str, Any]:
    with session.read() as connection:
        pair = session.verdicts.follow(connection).of("s", "t")
        judged = [pair.at(*unit.spans) for unit in (LONG, SHORT)]
        every = {name: labels.by_annotator(connection, name) for name in labels.label_sets(connection)}
        return {
            "verdicts": [(j.value, [(v.who, v.value) for v in j.verdicts]) for j in judged if j is not None],
            "labels": {n: {t: {w: v.value for w, v in by.items()} for t, by in of.items()} for n, of in every.items()},
            "exclusions": [e.what for e in exclusions(connection)],
            "by hand": by_hand.added_targets(connection),
            "tags": tags_by_id(connection),
            "guidelines": stored.current_versions(connection)["mood"].guidelines,
            "handed out": stored.assignments(connection, "mood"),
            "values": labels.values_of(connection, "mood"),
            "share": read_counted(session, 1, 1).shares.counted_share,
        }


def test_a_copy_written_in_anothers_name_reverses_nothing_she_said(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session:
        give_verdict(session, LONG, "not-copy", "", "Ann")
        give_verdict(session, SHORT, "", "", "Ann")
        give(session, [Label("document:s", "ham", "Ben", "", label_set="mood")])
    result = merge_batch(ctx, own, other)
    assert (result.added, len(result.doubtful)) == (0, 3)
    assert {(event.event.who, event.here, event.event.value) for event in result.doubtful} == {
        ("Ann", "copy", "not-copy"),
        ("Ann", "copy", ""),
        ("Ben", "spam", "ham"),
    }
    assert {event.doubt for event in result.doubtful} == {Doubt.CONTRADICTS}
    assert state(own) == before
    taken = merge_batch(ctx, own, other, ["Ann"])
    assert [(turn.before, turn.after, turn.by) for turn in taken.turns] == [
        ("copy", "not-copy", ("Ann",)),
        ("copy", "", ("Ann",)),
    ]
    (share,) = taken.shares
    assert (share.id, share.before) == ("s", before["share"])
    assert share.after == state(own)["share"] < share.before
    assert state(own)["labels"]["mood"] == before["labels"]["mood"]


def test_a_copy_written_in_anothers_name_gives_her_no_other_reason(own: Path, other: Path, ctx: Context) -> None:
    for path, note in ((own, "word for word"), (other, "I was wrong")):
        with Session(path) as session:
            give_verdict(session, LONG, "copy", note, "Ann")
    result = merge_batch(ctx, own, other)
    assert [(event.doubt, event.event.note) for event in result.doubtful] == [(Doubt.NOTE, "I was wrong")]
    with Session(own, write=False) as session, session.read() as connection:
        assert labels.by_annotator(connection, "verdict")[LONG.target]["Ann"].note == "word for word"


def test_a_copy_written_in_anothers_name_moves_no_label_to_another_text(tmp_path: Path, ctx: Context) -> None:
    own, text, copy = tmp_path / "own.palimpsest", tmp_path / "s.txt", tmp_path / "copy.palimpsest"
    create(own)
    hashes = []
    for words in ("The first text.", "The second text."):
        text.write_text(words, encoding="utf-8")
        import_paths(ctx, own, [text], Role.SUSPECT, ImportOptions(update=True))
        hashes.append(side_digest(words))
    with Session(own) as session:
        give(session, [Label("document:s.txt", "spam", who, "", label_set="mood") for who in ("Ann", "Ben")])
        session.project.close()
    for digest, refused in ((hashes[0], 0), ("ab" * 32, 1)):
        shutil.copy(own, copy)
        with Session(copy) as session, session.write() as connection:
            labels.add_label(connection, Label("document:s.txt", "spam", "Ann", "", label_set="mood", digest=digest))
        result = merge_batch(ctx, own, copy)
        assert (result.added, len(result.failed)) == (0, refused)
        assert [event.doubt for event in result.doubtful] == [Doubt.OTHER_TEXT] * (1 - refused)
    with Session(own, write=False) as session, session.read() as connection:
        by = labels.by_annotator(connection, "mood")["document:s.txt"]
        assert {*LabelledTexts(connection, "mood").counted(by)} == {"Ann", "Ben"}


def test_what_is_dated_in_the_future_is_held_apart(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session, session.write() as connection:
        labels.add_label(connection, Label(SITE.target, "excluded", "Eve", FUTURE, label_set="exclusion"))
        present = stored.current_versions(connection)["mood"]
        stored.add_version(connection, replace(present, guidelines="mine", who="Eve", when=FUTURE))
    result = merge_batch(ctx, own, other)
    assert [event.doubt for event in result.doubtful] == [Doubt.FUTURE]
    assert state(own) == before


@pytest.mark.parametrize("when", ["zzz", "20260101T000000Z", "2026-W01-1", "2026-01-01T00:00:00.000+23:00", " "])
def test_a_time_that_is_after_every_other_by_its_letters_is_refused(
    own: Path, other: Path, ctx: Context, when: str
) -> None:
    before = state(own)
    with Session(other) as session, session.write() as connection:
        labels.add_label(connection, Label(SITE.target, "excluded", "Eve", when, label_set="exclusion"))
    result = merge_batch(ctx, own, other, [EVERYBODY])
    assert (result.added, len(result.failed)) == (0, 1)
    assert state(own) == before


def test_another_spelling_of_what_she_judged_does_not_get_around_it(own: Path, other: Path, ctx: Context) -> None:
    with Session(own) as session:
        exclude(session, [SITE], "", "Ann")
        restore_excluded(session, [SITE], "Ann")
    before = state(own)
    wide = "match:s:5-50:t:0-45".translate({ord("5"): "５"})
    forged = [
        Label("match:s:05-50:t:0-45", "not-copy", "Ann", ""),
        Label(wide, "not-copy", "Ann", ""),
        Label('exclusion:["source","t",""]', "excluded", "Ann", "", label_set="exclusion"),
        Label('exclusion:["source", "\\u0074", ""]', "excluded", "Ann", "", label_set="exclusion"),
        Label('pair:["t", "s"]', "near-duplicate", "Ann", "", label_set="near-duplicate"),
    ]
    with Session(other) as session, session.write() as connection:
        labels.add_labels(connection, forged)
    result = merge_batch(ctx, own, other, [EVERYBODY])
    assert (result.added, len(result.failed)) == (0, len(forged))
    assert state(own) == before


def test_what_she_said_of_a_passage_holds_for_what_became_of_it(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session, session.write() as connection:
        labels.add_label(connection, Label("match:s:5-49:t:0-44", "not-copy", "Ann", ""))
    result = merge_batch(ctx, own, other)
    assert [(event.doubt, event.here) for event in result.doubtful] == [(Doubt.CONTRADICTS, "copy")]
    assert state(own) == before


def test_verdicts_that_are_attached_elsewhere_are_decisions_that_turn(own: Path, other: Path, ctx: Context) -> None:
    shorter = passage_target("s", Span(5, 20), "t", Span(0, 15))
    with Session(own) as session:
        give_verdict(session, Unit("s", "t", (Span(5, 20), Span(0, 15))), "not-copy", "", "Ben")
    with Session(other) as session, session.write() as connection:
        labels.add_label(connection, Label(shorter, LONG.target, "Eve", "", label_set="attached verdict"))
    (turn,) = merge_batch(ctx, own, other, only_show=True).turns
    assert (turn.label_set, turn.before, turn.after, turn.by) == ("verdict", "copy", "conflict", ("Eve",))


def test_what_was_taken_back_stays_so_whatever_is_called_like_it(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session:
        exclude(session, [SITE], "", "Eve")
    number = merge_batch(ctx, own, other).number
    with Session(own) as session:
        undo_merge(session, number)
    third = other.with_name("third.palimpsest")
    create(third)
    with Session(third) as session, session.write() as connection:
        labels.add_label(connection, Label(f"log:merge:{number}-{number}", "", "Eve", "", label_set="mood"))
    merge_batch(ctx, own, third)
    assert state(own)["exclusions"] == before["exclusions"] == []


def test_a_label_set_that_nobody_could_save_is_refused(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    many = json.dumps({"values": [{"name": f"v{number}"} for number in range(100)]})
    with Session(other) as session, session.write() as connection:
        stored.add_version(connection, stored.StoredSet("mood", many, "", "Eve"))
        stored.add_version(connection, stored.StoredSet("n" * 200, '{"values": [{"name": "v"}]}', "", "Eve"))
    result = merge_batch(ctx, own, other)
    assert (result.sets, len(result.failed)) == ((), 2)
    assert state(own) == before


def test_a_label_set_that_is_for_other_items_here_is_refused(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session, session.write() as connection:
        stored.add_version(connection, to_stored(LabelSet("mood", TargetKind.PAIR, (Value("spam"),)), "Eve"))
    result = merge_batch(ctx, own, other)
    assert (result.sets, [failure.error for failure in result.failed]) == (
        (),
        ["The labels of the set mood are of documents."],
    )
    assert state(own) == before
    with Session(own) as session:
        assert [item.target for item in read_board(session, BoardScope("mood")).items][:1] == ["document:s"]


def test_what_a_merge_would_change_is_shown_and_nothing_is_written(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session:
        exclude(session, [SITE], "our own text", "Eve")
        settle(session, LONG, "not-copy", "", "Eve")
    result = merge_batch(ctx, own, other, only_show=True)
    assert {(turn.label_set, turn.before, turn.after, turn.by) for turn in result.turns} == {
        ("exclusion", "", "excluded", ("Eve",)),
        ("verdict", "copy", "not-copy", ("adjudicator:Eve",)),
    }
    assert [(shown.before, shown.after) for shown in result.shares] == [(before["share"], 0.0)]
    assert {speaker.who for speaker in result.speakers} == {"Eve", "adjudicator:Eve"}
    assert (result.number, state(own)) == (0, before)
    with Session(own, write=False) as session:
        assert merges(session) == []
    done = merge_batch(ctx, own, other)
    assert (done.turns, done.shares) == (result.turns, result.shares)
    assert state(own)["share"] == result.shares[0].after


def test_the_share_of_a_suspect_on_the_second_side_is_compared_too(tmp_path: Path, ctx: Context) -> None:
    path, copy = tmp_path / "two.palimpsest", tmp_path / "copy.palimpsest"
    create(path)
    with Session(path) as session:
        with session.write() as connection:
            documents = [Document(name, text, Role.SUSPECT) for name, text in (("s", A), ("t", B), ("u", "u" + A))]
            add_documents(connection, documents)
        store_run(session, list(PASSAGES[FIRST]))
        session.project.close()
    shutil.copy(path, copy)
    with Session(copy) as session:
        give_verdict(session, LONG, "not-copy", "", "Ann")
        with session.read() as connection:
            s, u = load_document(connection, "s"), load_document(connection, "u")
        by_hand.add(session, u, Span(1, 21), s, Span(0, 20), "Ann")
    shares = merge_batch(ctx, path, copy).shares
    assert {turned.id: turned.before > turned.after for turned in shares} == {"s": True, "t": True, "u": False}
    with Session(copy) as session:
        exclude(session, [Exclusion(ExclusionKind.SHORTER, "1000")], "", "Ann")
    assert {turned.id: turned.after for turned in merge_batch(ctx, path, copy).shares} == {"s": 0, "t": 0, "u": 0}


def test_a_merge_is_undone_whole_and_done_again(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session:
        with session.read() as connection:
            assert labels.verify_chain(connection) == "ok"
        give_verdict(session, LONG, "not-copy", "", "Ann")
        give_verdict(session, LONG, "partial", "", "Cleo")
        exclude(session, [SITE], "", "Cleo")
        change_tags_of(session, ["s"], ["urgent"], [])
        save_set(session, LabelSet("mood", values=(Value("spam"), Value("ham")), guidelines="other"), "Cleo")
        with session.write() as connection:
            stored.assign(connection, "mood", [("document:s", "Cleo")])
    with Session(own) as session:
        assert state_of(session) == before
        number = merge_batch(ctx, own, other, [EVERYBODY]).number
        after = state_of(session)
        assert after == state(own)
        assert after["guidelines"] == "other"
        assert after["tags"] == {"s": ("urgent",)}
        undo_merge(session, number)
        assert state_of(session) == state(own) == before
        # What is said from then on goes on from what holds.
        event = give_verdict(session, LONG, "partial", "", "Ann")
        assert event.old == "copy"
        give_verdict(session, LONG, "copy", "", "Ann")
        redo_merge(session, number)
        assert state(own)["tags"] == after["tags"]
        assert state(own)["guidelines"] == "other"
        assert state(own)["exclusions"] == after["exclusions"]
        with pytest.raises(UserError):
            redo_merge(session, number)
        undo_merge(session, number)
        assert state_of(session) == before
        with session.read() as connection:
            assert labels.verify_chain(connection) == "ok"
        assert [(merge.file, merge.counts) for merge in merges(session)] == [("other.palimpsest", False)]
    again = merge_batch(ctx, own, other, [EVERYBODY])
    assert again.added == 3
    assert state(own)["exclusions"] == ["t"]


def test_another_program_reads_everything_again_once_a_merge_is_taken_back(
    own: Path, other: Path, ctx: Context
) -> None:
    with Session(other) as session:
        exclude(session, [SITE], "", "Eve")
    number = merge_batch(ctx, own, other).number
    with Session(own) as session, Session(own, write=False) as watching:
        look = ProjectVersions(watching)
        look.refresh()
        undo_merge(session, number)
        assert look.changed() >= {"labels", "runs"}
        assert look.changed() == frozenset()


def test_a_log_that_was_altered_changes_nothing_by_itself(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session:
        exclude(session, [SITE], "", "Eve")
    with sqlite3.connect(other) as raw:
        (guard,) = raw.execute("SELECT sql FROM sqlite_master WHERE name = 'label_event_no_update'").fetchone()
        raw.execute("DROP TRIGGER label_event_no_update")
        raw.execute("UPDATE label_event SET who = 'Ann' WHERE who = 'Eve'")
        raw.execute(guard)
    raw.close()
    result = merge_batch(ctx, own, other)
    assert [event.doubt for event in result.doubtful] == [Doubt.ALTERED]
    assert state(own) == before


def test_a_renaming_that_comes_in_renames_nothing_by_itself(own: Path, other: Path, ctx: Context) -> None:
    with Session(other) as session:
        rename_value(session, "mood", "spam", "ham", "Eve", merge=True)
    result = merge_batch(ctx, own, other)
    assert [event.doubt for event in result.doubtful] == [Doubt.RENAMES]
    assert state(own)["labels"]["mood"] == {"document:s": {"Ann": "spam", "Ben": "spam"}}
    with Session(own) as session:
        assert [value.name for value in read_sets(session)["mood"].active] == ["spam", "ham"]
    merge_batch(ctx, own, other, ["Eve"])
    assert state(own)["labels"]["mood"] == {"document:s": {"Ann": "ham", "Ben": "ham"}}


def test_a_forged_renaming_of_verdicts_is_refused(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session, session.write() as connection:
        forged = Label('log:value:["verdict", "copy"]', "not-copy", "Eve", "", label_set="renamed value")
        labels.add_label(connection, forged)
    result = merge_batch(ctx, own, other, [EVERYBODY])
    assert len(result.failed) == 1
    assert state(own) == before


def test_a_forged_merge_in_a_copy_takes_nothing_back_here(own: Path, other: Path, ctx: Context) -> None:
    before = state(own)
    with Session(other) as session, session.write() as connection:
        for number in range(1, 3):
            forged = Label(f"log:merge:{number}-{number}", "", "Eve", "", label_set="merge")
            labels.add_label(connection, forged)
    assert merge_batch(ctx, own, other, [EVERYBODY]).added == 0
    assert state(own) == before


def test_a_verdict_comes_in_where_its_passage_is_the_same_in_both_whatever_else_the_texts_say(
    own: Path, tmp_path: Path, ctx: Context
) -> None:
    other = tmp_path / "edited.palimpsest"
    create(other)
    with Session(other) as session:
        with session.write() as connection:
            edited = Document("t", f"{B[:-3]}別の結び。", Role.SOURCE)
            add_documents(connection, [Document("s", A, Role.SUSPECT), edited])
        give_verdict(session, LONG, "not-copy", "", "Ben")
        give_verdict(session, SHORT, "not-copy", "", "Ben")
    result = merge_batch(ctx, own, other)
    assert (result.added, len(result.failed)) == (1, 1)
    with Session(own, write=False) as session, session.read() as connection:
        pair = session.verdicts.follow(connection).of("s", "t")
        values = [holds.value for spans in (LONG.spans, SHORT.spans) if spans and (holds := pair.at(*spans))]
    assert values == ["conflict", "copy"]


def test_of_two_things_that_she_said_at_one_moment_the_last_is_what_a_copy_may_contradict(
    own: Path, other: Path, ctx: Context
) -> None:
    moment = "2026-10-01T00:00:00.000Z"
    events_here = [Label("document:t", value, "Ann", moment, label_set="mood") for value in ("spam", "ham")]
    for path, events in ((own, events_here), (other, [replace(events_here[1], when="2026-10-02T00:00:00.000Z")])):
        with Session(path) as session, session.write() as connection:
            labels.add_labels(connection, events)
    result = merge_batch(ctx, own, other)
    assert (result.added, result.doubtful) == (1, ())
