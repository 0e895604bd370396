from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored import FIRST, PASSAGES, SENTENCE, A, B, columns, store_run

from workbench.base.types import Document, Match, Matches, Role, Span
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.listing import DocumentItem
from workbench.services.review.by_hand import add
from workbench.services.review.counting import FOLLOWED, follow_counted, read_counted
from workbench.services.review.exclusions import (
    Exclusion,
    ExclusionKind,
    exclude,
    exclusions,
    occurrences,
    of_passage,
    parse_exclusion,
    restore_excluded,
)
from workbench.services.review.shares import share_words, shares
from workbench.services.review.spans import difference, intersection, union, union_of
from workbench.services.review.verdicts import passage_unit, set_verdict, settle
from workbench.services.session import Session
from workbench.text.quotation import CitationKind

LONG, TAIL = PASSAGES[FIRST]
SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda p: Span(p[0], p[0] + p[1])), max_size=8)


def _places(spans: Sequence[Span]) -> set[int]:
    return {at for span in spans for at in range(*span)}


@given(SPANS, SPANS)
def test_unions_are_sets_of_characters(a: list[Span], b: list[Span]) -> None:
    left, right = union_of(a), union_of(b)
    for measured, expected in (
        (left, _places(a)),
        (intersection(left, right), _places(a) & _places(b)),
        (difference(left, right), _places(a) - _places(b)),
        (union(np.concatenate((left.start, right.start)), np.concatenate((left.end, right.end))), _places(a + b)),
    ):
        assert _places(measured.spans()) == expected
        assert measured.length == len(expected)
        assert all(first.end < then.start for first, then in zip(measured.spans(), measured.spans()[1:], strict=False))


def _item(key: int, identity: str, site: str) -> DocumentItem:
    return DocumentItem(key, identity, "", Role.SOURCE, "en", 100, site, "")


SOURCES = {2: _item(2, "b", "one.example"), 3: _item(3, "c", "two.example")}


def _matches(spans: Sequence[tuple[int, Span]]) -> Matches:
    if not spans:
        return Matches.empty()
    return columns(
        [Match(1, key, span, Span(span.start + 100, span.end + 100), 1.0, {"segments": 1}) for key, span in spans]
    )


EXCLUSIONS = st.sampled_from(
    [
        Exclusion(ExclusionKind.SOURCE, "b"),
        Exclusion(ExclusionKind.SITE, "two.example"),
        Exclusion(ExclusionKind.PHRASE, "over the"),
        Exclusion(ExclusionKind.SHORTER, "6"),
        Exclusion(ExclusionKind.QUOTATIONS),
        Exclusion(ExclusionKind.REFERENCES),
    ]
)
TEXT = "He said “the fox jumps over the lazy dog” over the hill."
QUOTED = set(range(TEXT.index("“"), TEXT.index("”") + 1))


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from([2, 3]), SPANS.filter(bool).map(lambda s: s[0])), max_size=8),
    st.lists(EXCLUSIONS, max_size=4, unique=True),
    st.data(),
)
def test_shares_count_each_character_once_and_follow_every_exclusion(
    spans: list[tuple[int, Span]], chosen: list[Exclusion], data: st.DataObject
) -> None:
    spans = [(key, Span(s.start, min(s.end, len(TEXT)))) for key, s in spans if s.end > s.start]
    not_copies = np.array(data.draw(st.lists(st.booleans(), min_size=len(spans), max_size=len(spans))), np.bool_)
    measured = shares(Document("a", TEXT, key=1), _matches(spans), SOURCES, chosen, not_copies)
    hidden: set[int] = set()
    kept = [row for row in range(len(spans)) if not not_copies[row]]
    for exclusion in chosen:
        kind, what = exclusion.kind, exclusion.what
        if kind is ExclusionKind.PHRASE:
            hidden |= _places(occurrences(what, TEXT))
        elif kind is ExclusionKind.QUOTATIONS:
            hidden |= QUOTED
        else:
            kept = [
                row
                for row in kept
                if not (
                    (kind is ExclusionKind.SHORTER and spans[row][1].end - spans[row][1].start < int(what))
                    or (kind is ExclusionKind.SOURCE and SOURCES[spans[row][0]].id == what)
                    or (kind is ExclusionKind.SITE and SOURCES[spans[row][0]].site == what)
                )
            ]
    assert measured.matched == len(_places([span for _, span in spans]))
    assert measured.counted == len(_places([spans[row][1] for row in kept]) - hidden)
    assert np.flatnonzero(measured.kept).tolist() == [row for row in kept if _places([spans[row][1]]) - hidden]


def test_a_passage_that_is_quoted_in_part_is_split() -> None:
    matches = _matches([(2, Span(0, len(TEXT)))])
    document = Document("a", TEXT, key=1)
    measured = shares(document, matches, SOURCES, [Exclusion(ExclusionKind.QUOTATIONS)], np.zeros(1, np.bool_))
    assert measured.counted == len(TEXT) - len(QUOTED)
    assert [set(range(*span)) for span in measured.hidden.spans()] == [QUOTED]
    assert measured.excluded == 1
    whole = shares(document, matches, SOURCES, [], np.zeros(1, np.bool_))
    assert (whole.counted, whole.excluded) == (len(TEXT), 0)
    assert sum(whole.cited.values()) == len(QUOTED)


def test_an_exclusion_that_reaches_nothing_is_not_counted_in_words() -> None:
    document, matches = Document("a", "x" * 40, key=1), _matches([(2, Span(0, 20))])
    for chosen, words in (("c", "50 % matched"), ("b", "50 % matched · 0 % after 1 exclusion")):
        counted = shares(document, matches, SOURCES, [Exclusion(ExclusionKind.SOURCE, chosen)], np.zeros(1, np.bool_))
        assert str(share_words(counted)) == words


def test_a_phrase_takes_characters_of_a_passage_and_only_what_lies_within_it_as_a_whole() -> None:
    document = Document("a", TEXT, key=1)
    phrase = TEXT.index("over the lazy")
    matches = _matches([(2, Span(0, phrase + 13)), (3, Span(phrase, phrase + 13))])
    chosen = [Exclusion(ExclusionKind.PHRASE, "over the lazy")]
    (effect,) = shares(document, matches, SOURCES, chosen, np.zeros(2, np.bool_)).effects
    assert (effect.passages, effect.characters) == (1, 13)


def test_a_phrase_is_found_whatever_its_case_and_line_breaks() -> None:
    text = "All Rights\nReserved. all  rights reserved; allrights"
    assert [text[slice(*span)] for span in occurrences("all rights reserved", text)] == [
        "All Rights\nReserved",
        "all  rights reserved",
    ]
    assert occurrences("  ", text) == []


@pytest.mark.parametrize(
    ("phrase", "text", "count"),
    [
        ("in the", "begin there, in the inn, in therein, within the", 1),
        ("API", "APIの例、APIs、RAPID", 1),
        ("\u660e\u6cbb", "\u660e\u6cbb\u6642\u4ee3\u3001\u5927\u660e\u6cbb", 2),
        ("\uc778\uacf5", "\uc778\uacf5\uc740 \uc778\uacf5", 2),
        ("(c)", "a(c)b (c)", 2),
        ("3", "33, 3", 1),
        ("猫である", "猫\nである。猫である", 2),
        ("猫\nである", "猫\nである。猫である", 2),
        ("café", "cafe\u0301, café, cafés", 2),
        ("ＡＢＣ社", "ABC社", 1),
    ],
)
def test_an_excluded_phrase_is_not_found_within_longer_words(phrase: str, text: str, count: int) -> None:
    assert len(occurrences(phrase, text)) == count


def test_a_passage_judged_no_copy_is_left_out_and_a_withdrawal_counts_it_again(session: Session) -> None:
    before = read_counted(session, 1, 1).shares
    assert before.matched == before.counted == 3 * len(SENTENCE) + 5
    set_verdict(session, LONG, "not-copy")
    after = read_counted(session, 1, 1).shares
    assert (after.matched, after.counted, after.excluded) == (before.matched, 5, 1)
    set_verdict(session, LONG, "")
    assert read_counted(session, 1, 1).shares.counted == before.counted


def test_what_was_left_out_is_listed_with_its_reason_and_can_be_restored(session: Session) -> None:
    chosen = [of_passage(TAIL, "a", "b"), Exclusion(ExclusionKind.SOURCE, "b", "a")]
    exclude(session, chosen, "a formula", "Aoyama")
    with session.read() as connection:
        listed = exclusions(connection, "a")
        assert [(e.kind, e.reason, e.who) for e in listed] == [(e.kind, "a formula", "Aoyama") for e in chosen]
        assert exclusions(connection, "b") == []
    assert read_counted(session, 1, 1).shares.counted == 0
    restore_excluded(session, chosen[1:], "Brandt")
    counted = read_counted(session, 1, 1).shares
    assert counted.counted == 3 * len(SENTENCE)
    assert [(effect.passages, effect.characters) for effect in counted.effects] == [(1, 5)]
    with session.read() as connection:
        events = list(labels.events(connection, "exclusion"))
        assert [(e.value, e.who) for e in events] == [("excluded", "Aoyama")] * 2 + [("", "Brandt")]
        assert labels.verify_chain(connection) == "ok"


TALE = (
    "The miller opened the door and looked at them all for a while. “You have come a long way for very little,” he "
    "said, and put the lamp on the table. “There is bread, if the mice have left any of it.” Nobody answered him."
)
ESSAY = "What the miller says is “You have come a long way for very little,” and it is a hard thing to say to guests."


@pytest.mark.parametrize(
    ("text", "source", "of_own", "of_source", "hidden"),
    [
        (TALE, TALE, TALE, TALE, 0),
        (TALE, TALE.replace("“", '"').replace("”", '"'), TALE, TALE, 0),
        (TALE, TALE.replace("“", "").replace("”", ""), TALE, TALE.replace("“", "").replace("”", ""), 93),
        (ESSAY, TALE, "“You have come a long way for very little,”", "“You have come a long way for very little,”", 43),
    ],
)
def test_dialogue_that_was_copied_with_its_marks_is_no_quotation(
    session: Session, text: str, source: str, of_own: str, of_source: str, hidden: int
) -> None:
    with session.write() as connection:
        add_documents(connection, [Document("s", text), Document("t", source, Role.SOURCE)])
    a, b = 3, 4
    start = text.index(of_own)
    spans = Span(start, start + len(of_own)), Span(0, len(source)) if of_own == text else _span(source, of_source)
    run = store_run(session, [Match(a, b, *spans, 1.0, {"segments": 1})])
    assert read_counted(session, run.id, a).shares.cited[CitationKind.QUOTATION] == hidden
    exclude(session, [Exclusion(ExclusionKind.QUOTATIONS)])
    counted = read_counted(session, run.id, a).shares
    assert (counted.matched, counted.counted) == (len(of_own), len(of_own) - hidden)


def _span(text: str, part: str) -> Span:
    return Span(text.index(part), text.index(part) + len(part))


def test_an_exclusion_for_all_documents_holds_for_each(session: Session) -> None:
    exclude(session, [Exclusion(ExclusionKind.SHORTER, "6")], "too short")
    assert read_counted(session, 1, 1).shares.counted == 3 * len(SENTENCE)
    assert read_counted(session, 1, 1).shares.length == len(A)


@pytest.mark.parametrize("wrong", [Exclusion(ExclusionKind.SHORTER, "0"), Exclusion(ExclusionKind.SOURCE, "")])
def test_what_cannot_be_left_out_is_refused(session: Session, wrong: Exclusion) -> None:
    with pytest.raises(ValueError, match="cannot be excluded"):
        exclude(session, [wrong])


@pytest.mark.parametrize(
    "target",
    [
        "exclusion:",
        "exclusion:[]",
        'exclusion:["site"]',
        'exclusion:["site",1,""]',
        "document:a",
        "exclusion:" + "[" * 9999,
    ],
)
def test_names_that_are_not_exclusions_are_none(target: str) -> None:
    assert parse_exclusion(target) is None


@given(SPANS.filter(bool), SPANS)
def test_what_counts_of_a_passage_is_what_its_parts_that_count_hold(passages: list[Span], phrases: list[Span]) -> None:
    matches = _matches([(2, span) for span in passages])
    hidden = union_of(phrases)
    starts, ends = hidden.length_before(matches.a_start), hidden.length_before(matches.a_end)
    for row, span in enumerate(passages):
        assert ends[row] - starts[row] == len(_places([span]) & _places(phrases))


def test_what_counts_is_the_same_followed_or_read_again(session: Session) -> None:
    near = Match(1, 2, Span(LONG.a_span.start + 1, LONG.a_span.end), LONG.b_span, 1.0, {})
    a, b = Document("a", A, key=1), Document("b", B, key=2)
    steps: list[Callable[[], object]] = [
        lambda: set_verdict(session, LONG, "not-copy", who="Aoyama"),
        lambda: set_verdict(session, TAIL, "not-copy", who="Aoyama"),
        lambda: set_verdict(session, LONG, "copy", who="Brandt"),
        lambda: settle(session, passage_unit(LONG, {1: "a", 2: "b"}), "not-copy", who="Brandt"),
        lambda: exclude(session, [Exclusion(ExclusionKind.PHRASE, "つけたし")], "a formula"),
        lambda: set_verdict(session, LONG, "", who="Aoyama"),
        lambda: settle(session, passage_unit(LONG, {1: "a", 2: "b"}), "", who="Brandt"),
        lambda: set_verdict(session, LONG, "", who="Brandt"),
        lambda: set_verdict(session, near, "not-copy", who="Aoyama"),
        lambda: add(session, a, Span(0, 5), b, Span(0, 5), "Aoyama"),
        lambda: restore_excluded(session, [Exclusion(ExclusionKind.PHRASE, "つけたし")]),
    ]
    followed, seen = read_counted(session, 1, 1), set()
    for step in steps:
        step()
        with session.read() as connection:
            last = labels.last_event(connection)
            events = labels.gained(connection, FOLLOWED, followed.last)
            followed = follow_counted(session, connection, followed, events, last)
        again = read_counted(session, 1, 1)
        assert followed.counts() == again.counts()
        assert (followed.shares.counted, followed.shares.excluded) == (again.shares.counted, again.shares.excluded)
        assert followed.conflict.tolist() == again.conflict.tolist()
        seen.add((followed.shares.counted, int(followed.conflict.sum())))
    assert len(seen) >= 5
