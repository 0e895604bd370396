"""Two copies of one project, reviewed apart: merged in either direction, as often as one likes, they say the same."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from workbench.base.types import Document, Match, Role, Span
from workbench.jobs.context import Context
from workbench.project import label_sets as stored
from workbench.project import labels
from workbench.project.clock import now, now_after
from workbench.project.documents import add_documents, delete_documents, load_document
from workbench.project.tags import tags_by_id
from workbench.services.labels.definitions import LabelSet, Value, save_set
from workbench.services.labels.merging import EVERYBODY, merge_batch
from workbench.services.labels.sets import CASES
from workbench.services.review import assigning, by_hand
from workbench.services.review.exclusions import (
    Exclusion,
    ExclusionKind,
    exclude,
    exclusions,
    of_passage,
    restore_excluded,
)
from workbench.services.review.verdicts import Unit, attach, give_verdict, settle
from workbench.services.session import Session, create
from workbench.services.tagging import change_tags_of

LINE = "これは二人の査読者が別々に読む文章である。"
DOCUMENTS = [Document(name, name + LINE * 20, role) for name, role in (("s", Role.SUSPECT), ("t", Role.SOURCE))]
PASSAGES = [(Span(at, at + 40), Span(at + 5, at + 45)) for at in (0, 60, 120, 180)]
SITE, PHRASE = Exclusion(ExclusionKind.SITE, "example.org"), Exclusion(ExclusionKind.PHRASE, "別々に読む")
SOURCE = Exclusion(ExclusionKind.SOURCE, "t", "s")


@pytest.fixture
def copies(tmp_path: Path) -> tuple[Path, Path]:
    """A project, and a copy of it for the other reviewer."""
    first, second = tmp_path / "one.palimpsest", tmp_path / "two.palimpsest"
    create(first)
    with Session(first) as session:
        with session.write() as connection:
            add_documents(connection, DOCUMENTS)
        exclude(session, [SITE], "our own site", "Ann")
        save_set(session, LabelSet("class", values=(Value("blog"),), guidelines="first"), "Ann")
        session.project.close()
    shutil.copy(first, second)
    return first, second


def unit(number: int) -> Unit:
    return Unit("s", "t", PASSAGES[number])


def state(path: Path) -> dict[str, Any]:
    """Everything that people said, as it holds."""
    with Session(path, write=False) as session, session.read() as connection:
        index = session.verdicts.follow(connection)
        pair = index.of("s", "t")
        judgements = [pair.at(*spans) for spans in PASSAGES]
        guidelines = stored.current_versions(connection)["class"].guidelines
        return {
            "verdicts": [None if v is None else [(e.who, e.value, e.note) for e in v.verdicts] for v in judgements],
            "settled": [None if v is None or v.settled is None else v.settled.value for v in judgements],
            "suspect": index.suspect("s"),
            "exclusions": [(e.kind, e.what, e.reason, e.who) for e in exclusions(connection)],
            "by hand": by_hand.added_targets(connection),
            "assigned": {who: assigning.assigned_to(connection, who) for who in ("Ann", "Ben")},
            "tags": tags_by_id(connection),
            "guidelines": guidelines,
            "versions": len(stored.versions_of(connection, "class")),
            "handed out": stored.assignments(connection, "class"),
            "cases": labels.current(connection, CASES),
            "events": labels.count_events(connection),
            "chain": labels.verify_chain(connection),
        }


def next_moment() -> None:
    """Nobody says two things in the same millisecond."""
    before = now()
    while now() == before:
        pass


def work(first: Path, second: Path) -> None:
    """What the two do apart, by turns, so that neither log is older than the other."""
    with Session(first) as one, Session(second) as two:
        with one.read() as connection:
            s, t = load_document(connection, "s"), load_document(connection, "t")
        give_verdict(one, unit(0), "copy", "mine", "Ann")
        next_moment()
        give_verdict(two, unit(0), "not-copy", "no", "Ben")
        next_moment()
        # The same reviewer at both: what was said last holds, withdrawals too.
        give_verdict(two, unit(1), "copy", "at home", "Ann")
        next_moment()
        give_verdict(one, unit(1), "partial", "at work", "Ann")
        next_moment()
        give_verdict(one, unit(2), "copy", "", "Ann")
        next_moment()
        give_verdict(two, unit(2), "", "", "Ann")
        next_moment()
        settle(one, unit(0), "copy", "", "Ann")
        next_moment()
        settle(two, unit(0), "partial", "", "Ben")
        next_moment()
        give_verdict(one, Unit("s"), "partial", "whole", "Ann")
        next_moment()
        give_verdict(two, Unit("s"), "copy", "", "Ben")
        next_moment()
        restore_excluded(one, [SITE], "Ann")
        next_moment()
        exclude(two, [PHRASE], "a formula", "Ben")
        next_moment()
        exclude(two, [SITE], "again", "Ben")
        next_moment()
        exclude(one, [SOURCE], "a quotation", "Ann")
        next_moment()
        exclude(two, [SOURCE], "mine", "Ben")
        next_moment()
        restore_excluded(two, [SOURCE], "Ben")
        next_moment()
        by_hand.add(one, s, Span(300, 320), t, Span(310, 330), "Ann")
        next_moment()
        label = by_hand.add(two, s, Span(340, 360), t, Span(350, 370), "Ben")
        next_moment()
        by_hand.withdraw(two, label.target, "Ben")
        next_moment()
        attach(two, unit(0).target, unit(3), "Ben")
        next_moment()
        assigning.assign(one, ["s"], "Ann", "all")
        next_moment()
        assigning.assign(two, ["s"], "Ben", "all")
        next_moment()
        change_tags_of(one, ["s"], ["urgent"], [])
        next_moment()
        change_tags_of(two, ["t"], ["web"], [])
        next_moment()
        save_set(two, LabelSet("class", values=(Value("blog"),), guidelines="second"), "Ben")
        next_moment()
        with one.write() as connection:
            stored.assign(connection, "class", [("document:s", "Ann")])
        with two.write() as connection:
            stored.assign(connection, "class", [("document:t", "Ben")])


@pytest.mark.slow
def test_copies_merged_both_ways_and_twice_say_the_same(copies: tuple[Path, Path], ctx: Context) -> None:
    first, second = copies
    work(first, second)
    for into, other in ((first, second), (second, first)):
        result = merge_batch(ctx, into, other, [EVERYBODY])
        assert result.added
        assert not result.failed
    same = state(first)
    assert same == state(second)
    for into, other in ((first, second), (second, first), (first, second)):
        again = merge_batch(ctx, into, other)
        assert (again.added, again.failed) == (0, ())
    assert state(first) == state(second) == same
    assert same["verdicts"][0] == [("Ann", "copy", "mine"), ("Ben", "not-copy", "no")]
    assert same["verdicts"][1] == [("Ann", "partial", "at work")]
    assert same["verdicts"][2] is None
    assert same["settled"][0] == "partial"
    assert {(what, who) for _, what, _, who in same["exclusions"]} == {("example.org", "Ben"), ("別々に読む", "Ben")}
    assert len(same["by hand"]) == 1
    assert same["assigned"] == {"Ann": ["s"], "Ben": ["s"]}
    assert same["tags"] == {"s": ("urgent",), "t": ("web",)}
    assert (same["guidelines"], same["versions"]) == ("second", 2)
    assert same["handed out"] == {"document:s": {"Ann"}, "document:t": {"Ben"}}
    assert same["chain"] == "ok"


def test_a_verdict_that_came_back_late_is_followed_as_when_read_afresh(copies: tuple[Path, Path], ctx: Context) -> None:
    first, second = copies
    with Session(second) as two:
        give_verdict(two, unit(0), "copy", "early", "Ann")
        exclude(two, [PHRASE], "", "Ann")
    next_moment()
    with Session(first) as one:
        give_verdict(one, unit(0), "partial", "late", "Ann")
        exclude(one, [PHRASE], "", "Ann")
        restore_excluded(one, [PHRASE], "Ann")
        with one.read() as connection:
            before = one.verdicts.follow(connection).of("s", "t").at(*PASSAGES[0])
            assert exclusions(connection) == exclusions(connection)
        merge_batch(ctx, first, second)
        with one.read() as connection:
            assert one.verdicts.follow(connection).of("s", "t").at(*PASSAGES[0]) == before
            assert [e.what for e in exclusions(connection)] == ["example.org"]
    assert state(first)["verdicts"][0] == [("Ann", "partial", "late")]


def test_what_is_said_now_holds_although_anothers_clock_runs_ahead(copies: tuple[Path, Path]) -> None:
    with Session(copies[0]) as session:
        with session.write() as connection:
            target = PHRASE.target
            ahead = labels.Label(target, "excluded", "Ben", "2099-01-01T00:00:00.000Z", label_set="exclusion")
            labels.add_label(connection, ahead)
        restore_excluded(session, [PHRASE], "Ann")
        with session.read() as connection:
            assert labels.current(connection, "exclusion").get(target) is None
    assert now_after("2099-01-01T00:00:00.000Z") > "2099-01-01T00:00:00.000Z"


def test_exclusions_of_documents_that_are_not_here_are_refused_with_the_reason(
    copies: tuple[Path, Path], ctx: Context
) -> None:
    first, second = copies
    with Session(second) as session:
        with session.write() as connection:
            add_documents(connection, [Document("new", LINE, Role.SOURCE)])
        exclude(session, [Exclusion(ExclusionKind.SOURCE, "new")], "", "Ben")
    result = merge_batch(ctx, first, second)
    assert [failure.error for failure in result.failed] == ["The document is not in this project."]


def test_a_label_of_a_document_that_has_another_name_here_is_refused_with_that_name(
    copies: tuple[Path, Path], ctx: Context
) -> None:
    for path, name in zip(copies, ("here", "there"), strict=True):
        with Session(path) as session, session.write() as connection:
            add_documents(connection, [Document(name, LINE, Role.SUSPECT)])
    with Session(copies[1]) as session, session.write() as connection:
        labels.add_label(connection, labels.Label("document:there", "blog", "Ben", "2026-01-02T00:00:00.000Z"))
    (failure,) = merge_batch(ctx, *copies).failed
    assert failure.error == "The document is not in this project under this name; its text is, as here."


def test_an_excluded_passage_of_another_text_is_refused(copies: tuple[Path, Path], ctx: Context) -> None:
    first, second = copies
    with Session(second) as session:
        exclude(session, [of_passage(Match(1, 2, *PASSAGES[0], 1.0), "s", "t"), SOURCE], "", "Ben")
    with Session(first) as session, session.write() as connection:
        delete_documents(connection, [1])
        add_documents(connection, [Document("s", "前に加えた。" + DOCUMENTS[0].text, Role.SUSPECT)])
    result = merge_batch(ctx, first, second)
    assert [failure.error for failure in result.failed] == ["The document has a different text in this project."]
    with Session(first) as session, session.read() as connection:
        assert {e.what for e in exclusions(connection)} == {"example.org", "t"}


def test_of_two_at_the_same_time_the_same_one_holds_in_both_copies(copies: tuple[Path, Path], ctx: Context) -> None:
    for path, who, value in zip(copies, ("Ann", "Ben"), ("excluded", ""), strict=True):
        with Session(path) as session, session.write() as connection:
            event = labels.Label(PHRASE.target, value, who, "2030-01-01T00:00:00.000Z", label_set="exclusion")
            labels.add_label(connection, event)
    merge_batch(ctx, copies[0], copies[1], [EVERYBODY])
    merge_batch(ctx, copies[1], copies[0], [EVERYBODY])
    for path in copies:
        with Session(path) as session, session.read() as connection:
            assert PHRASE.target not in labels.current(connection, "exclusion")
            assert [e.what for e in exclusions(connection)] == ["example.org"]
