"""Trend words are those that others of the same week have more often than earlier ones."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection
from workbench.base.types import Document, Role
from workbench.methods.splog.collection import Trends, cut, days

WORDS = ("olympics", "election", "river", "bread", "winter")


def dated(*entries: tuple[str, str]) -> list[Document]:
    documents = Collection.of(*((Role.SUSPECT, text) for text, _ in entries)).all
    return [replace(d, published=when) for d, (_, when) in zip(documents, entries, strict=True)]


def scores(documents: list[Document]) -> list[float]:
    half = len(documents) // 2
    batches = [(cut(part), days(part)) for part in (documents[:half], documents[half:]) if part]
    return Trends.of(batches).scores(cut(documents), days(documents))


def plain(documents: list[Document], number: int) -> float:
    """The definition, document by document."""
    own, when = documents[number], days(documents).tolist()
    words = set(own.text.split())
    if not words or math.isnan(when[number]):
        return 0.0
    others = [(set(d.text.split()), t) for i, (d, t) in enumerate(zip(documents, when, strict=True)) if i != number]
    recent = [w for w, t in others if when[number] - 7 <= t <= when[number]]
    before = [w for w, t in others if t < when[number] - 7]
    ratios = [
        (sum(word in w for w in recent) + 0.5) / (len(recent) + 1)
        / ((sum(word in w for w in before) + 0.5) / (len(before) + 1))
        for word in words
    ]  # fmt: skip
    return sum(max(0.0, math.log(ratio)) for ratio in ratios) / len(words)


ENTRIES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
        st.integers(0, 28).map(lambda day: f"2008-02-{day:02}" if day else "unknown"),
    ),
    min_size=1,
    max_size=9,
)


@settings(max_examples=80)
@given(ENTRIES)
def test_scores_equal_the_definition(entries: list[tuple[str, str]]) -> None:
    documents = dated(*entries)
    assert scores(documents) == pytest.approx([plain(documents, i) for i in range(len(documents))])


def test_a_word_of_the_week_counts_and_an_old_one_or_one_without_a_date_does_not() -> None:
    old = [(f"river bread {i}", f"2008-01-{i:02}") for i in range(1, 9)]
    new = [("olympics tonight", "2008-02-01"), ("olympics again", "2008-02-03")]
    *_, current, usual, unknown = scores(
        dated(*old, *new, ("olympics", "2008-02-04"), ("river", "2008-02-05"), ("olympics", ""))
    )
    assert current > 1
    assert usual == unknown == 0


def test_a_time_zone_is_respected() -> None:
    first, second = days(dated(("a", "2008-02-01T09:00:00+09:00"), ("b", "2008-02-01T00:00:00")))
    assert first == second
