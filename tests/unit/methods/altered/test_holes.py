"""Holes of a passage, against every way to choose them."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.methods.altered.test_altered import HOST, NOUNS, OTHERS, prose
from tests.unit.methods.corpora import Collection, detect
from workbench.base.coverage import A, B, covered
from workbench.base.types import Role
from workbench.methods.altered.passage import (
    ALTERNATING,
    CELL,
    HOLE,
    WordPassage,
    beside_seed,
    chains,
    holes,
    in_turn,
    uncovered,
)
from workbench.methods.core import registry

SENTENCES = st.lists(st.tuples(st.integers(-12, 12), st.integers(1, 4)), min_size=1, max_size=7)


def worth(sums: list[int], runs: list[tuple[int, int]]) -> float:
    return sum(HOLE + sum(sums[first:last]) for first, last in runs)


def choices(count: int, first: int = 0) -> list[list[tuple[int, int]]]:
    """Every way to choose runs of ``count`` sentences that do not touch."""
    every: list[list[tuple[int, int]]] = [[]]
    for start in range(first, count):
        for end in range(start + 1, count + 1):
            every += [[(start, end), *rest] for rest in choices(count, end + 1)]
    return every


@given(SENTENCES, st.integers(0, 5))
def test_holes_are_the_best_of_all_choices_of_whole_sentences(sentences: list[tuple[int, int]], before: int) -> None:
    bounds = before + np.cumsum([0, *(words for _, words in sentences)])
    votes, breaks = np.zeros(bounds[-1] + 3), np.zeros(bounds[-1] + 4, np.float32)
    breaks[bounds] = 0.5
    for (value, words), start in zip(sentences, bounds.tolist(), strict=False):
        votes[start : start + words] = value / words
    sums = [value for value, _ in sentences]
    place = {int(bound): at for at, bound in enumerate(bounds)}
    chosen = [(place[a], place[b]) for a, b in holes(votes, before, int(bounds[-1]), breaks)]
    assert worth(sums, chosen) == pytest.approx(min(worth(sums, runs) for runs in choices(len(sums))))
    assert all(sum(sums[a:b]) <= -HOLE + 1e-9 for a, b in chosen)


COPIED = [
    "The harbour of Velmouth was dug by hand from 1811 to 1824, after the town council had decided that the old beach "
    "could not shelter the fishing fleet any longer.",
    "Four hundred workers removed the clay using spades and carried it in baskets to the marshes behind the church.",
    "The northern breakwater was constructed from granite which came by barge from the quarries of Cairn Point.",
    "During the winter of 1817 a great storm destroyed the unfinished wall and eleven boats were sunk.",
    "The engineer, a former naval officer called Hale, redesigned the foundations and used oak piles driven far down.",
]
SOURCE = (
    "The harbour of Velmouth was dug by hand between 1811 and 1824, when the town council decided that the old beach "
    "could no longer shelter the fishing fleet. Four hundred labourers removed the clay with spades and carried it in "
    "baskets to the marshes behind the church. The northern breakwater was built from granite that came by barge from "
    "the quarries of Cairn Point. During the winter of 1817 a storm destroyed the unfinished wall and sank eleven "
    "boats. The engineer, a retired naval officer named Hale, redesigned the foundations and used oak piles driven "
    "deep into the sand."
)
INTRO = "In this essay I want to describe how a walk along the coast made me curious about engineering. "
OWN = {
    "a sentence": " My grandmother kept a photograph of her wedding on the shelf, and I never asked who had taken it. ",
    "a table": "\n\n| Year | Pupils asked | Answers |\n|---|---|---|\n| 2019 | 24 | 17 |\n| 2020 | 31 | 22 |\n\n",
}


@pytest.mark.parametrize("method", ["altered", "copies"])
@pytest.mark.parametrize("own", OWN.values(), ids=OWN)
def test_the_writers_own_text_between_reworded_sentences_is_not_covered(tmp_path: Path, method: str, own: str) -> None:
    essay = INTRO + " ".join(COPIED[:3]) + own + " ".join(COPIED[3:])
    collection = Collection.of((Role.SOURCE, SOURCE), (Role.SUSPECT, essay))
    matches = detect(registry.get(method), tmp_path, collection).matches
    assert covered(matches, A) == pytest.approx(sum(map(len, COPIED)), abs=10)
    assert covered(matches, B) == pytest.approx(len(SOURCE), abs=30)
    assert [essay[slice(*gap)].strip() for m in matches for gap in m.a_gaps] == [own.strip()]


@pytest.mark.parametrize("method", ["altered", "copies"])
def test_a_reworded_text_without_text_of_its_own_is_covered_from_end_to_end(tmp_path: Path, method: str) -> None:
    collection = Collection.of((Role.SOURCE, SOURCE), (Role.SUSPECT, INTRO + " ".join(COPIED)))
    (match,) = detect(registry.get(method), tmp_path, collection).matches
    assert not match.a_gaps
    assert not match.b_gaps


@pytest.mark.parametrize("method", ["altered", "copies"])
def test_an_own_sentence_of_the_commonest_words_between_copied_ones_is_not_covered(tmp_path: Path, method: str) -> None:
    before, after = SOURCE.split(". ")[1:3]
    own = (
        " The council of the town had it in the plans for the old and for the new part of the bay by then, and the "
        "work was to be done by men of the town. "
    )
    essay = INTRO + before + "." + own + after + ". I thought about this for a long time on my way home."
    collection = Collection.of((Role.SOURCE, SOURCE), (Role.SUSPECT, essay))
    matches = detect(registry.get(method), tmp_path, collection).matches
    assert covered(matches, A) == pytest.approx(len(before) + len(after) + 2, abs=5)


@pytest.mark.parametrize("method", ["altered", "copies"])
def test_an_own_sentence_in_place_of_one_of_the_source_is_not_covered(tmp_path: Path, method: str) -> None:
    before, _, after = SOURCE.split(". ")[1:4]
    own = (
        " The rest of the money that came in by the end of the year was kept for the school, and for the roof of the "
        "hall. "
    )
    essay = INTRO + before + "." + own + after + ". I thought about this for a long time on my way home."
    collection = Collection.of((Role.SOURCE, SOURCE), (Role.SUSPECT, essay))
    matches = detect(registry.get(method), tmp_path, collection).matches
    assert covered(matches, A) == pytest.approx(len(before) + len(after) + 2, abs=5)


def test_a_sentence_that_replaces_one_of_the_source_is_covered(tmp_path: Path) -> None:
    before, _, after = SOURCE.split(". ")[1:4]
    new = (
        " The wall that is there to the north now has stones of a kind that men had to bring on boats of the old kind. "
    )
    essay = INTRO + before + "." + new + after + ". I thought about this for a long time on my way home."
    collection = Collection.of((Role.SOURCE, SOURCE), (Role.SUSPECT, essay))
    (match,) = detect(registry.get("altered"), tmp_path, collection).matches
    assert not match.a_gaps


MILL = [
    "The mill at Hatherby ground oats for three parishes until the weir broke in the wet spring of 1902.",
    "Its owner, a widow called Anne Tolland, sold the stones to a brewer and let the house to a painter of miniatures.",
]


@pytest.mark.parametrize("method", ["altered", "copies"])
def test_sentences_of_two_sources_in_turn_are_passages_of_both(tmp_path: Path, method: str) -> None:
    harbour = [f"{sentence}." for sentence in SOURCE.split(". ")[1:3]]
    changed = [
        "The mill at Hatherby was grinding oats for all of three parishes when its weir broke in a wet spring.",
        "Anne Tolland, the widow who owned it, sold its stones to some brewer and let her house to a painter.",
    ]
    essay = INTRO + " ".join([changed[0], harbour[0], changed[1], harbour[1]]) + " That is what I thought about."
    collection = Collection.of((Role.SOURCE, SOURCE), (Role.SOURCE, " ".join(MILL)), (Role.SUSPECT, essay))
    matches = detect(registry.get(method), tmp_path, collection).matches
    for source, copied in ((1, harbour), (2, changed)):
        of_source = matches.take(np.flatnonzero(matches.b == source))
        assert sum(map(len, copied)) == pytest.approx(covered(of_source, A), rel=0.15)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=8), st.integers(0, 40))
def test_two_passages_in_turn_share_the_sentences_between_them(lead: list[int], before: int) -> None:
    bounds = [before + 10 * at for at in range(len(lead) + 1)]
    one, other = WordPassage(0, bounds[-1], 0, 90, 9.0, 9.0), WordPassage(bounds[0], bounds[-1] + 9, 200, 290, 9.0, 9.0)
    limits = [sum(lead[at:]) - sum(lead[:at]) for at in range(len(lead) + 1)]
    best = max(*limits, *(-total for total in limits))
    both = in_turn(one, other, bounds, np.array(lead))
    assert (both is None) == (sum(map(abs, lead)) - best < ALTERNATING)
    if both is not None:
        assert [_sentences(p, bounds) for p in both] == [
            [at for at, more in enumerate(lead) if more <= 0],
            [at for at, more in enumerate(lead) if more > 0],
        ]
        assert all(p.a_start < hole[0] < hole[1] < p.a_end for p in both for hole in p.a_holes)


PASSAGES = st.tuples(st.integers(0, 20), st.integers(1, 20), st.integers(0, 20), st.integers(0, 8), st.booleans())


@given(st.lists(PASSAGES, max_size=5))
def test_uncovered_words_are_in_a_hole_and_in_no_passage(drawn: list[tuple[int, int, int, int, bool]]) -> None:
    passages = []
    for start, size, at, hole, summary in drawn:
        low, high = min(start + at, start + size), min(start + at + hole, start + size)
        a_holes = ((low, high),) if low < high else ()
        passages.append(WordPassage(start, start + size, 0, 9, 9.0, 9.0, summary=summary, a_holes=a_holes))
    inside = {at for p in passages for at in range(p.a_start, p.a_end) if not _in_hole(p, at)}
    holes_of = {at for p in passages if not p.summary for hole in p.a_holes for at in range(*hole)}
    runs = uncovered(passages, 45)
    assert {at for run in runs for at in range(*run)} == holes_of - inside
    assert all(first[1] < then[0] for first, then in pairwise(runs))


def test_a_passage_goes_on_after_one_from_elsewhere_unless_it_stands_alone() -> None:
    one, between, on = (
        WordPassage(start, start + 20, other, other + 20, 9.0, 9.0) for start, other in ((0, 100), (20, 900), (40, 125))
    )
    far = replace(on, a_start=60, a_end=80)
    assert chains([on, between, one], ()) == [[one, on], [between]]
    assert chains([one, between, on], {on}) == [[one], [between], [on]]
    assert chains([one, between, far], ()) == [[one], [between], [far]]
    assert chains([one, on], ()) == [[one], [on]]
    assert chains([one, between, replace(on, b_start=200, b_end=220)], ()) == [[one], [between], [ANY]]
    holed = replace(one, a_end=60, a_holes=((20, 40),))
    inner, after = replace(between, a_end=38), WordPassage(62, 80, 925, 950, 9.0, 9.0)
    assert chains([holed, inner, after], ()) == [[holed], [inner, after]]


def test_a_seed_within_a_passage_around_the_hole_is_passed_over() -> None:
    weights, rows, columns = np.array([20, 30, 15, 90], np.float32), np.array([2, 2, 3, 9]), np.array([1, 50, 20, 7])
    around = [WordPassage(0, 90, 590, 700, 9.0, 9.0)]
    seeds = weights, rows.astype(np.int32), columns.astype(np.int32)
    assert beside_seed(*seeds, (24, 34), []) == (50 * CELL - 10, 52 * CELL + 10)
    assert beside_seed(*seeds, (24, 34), around) == (CELL - 10, 3 * CELL + 10)
    assert beside_seed(*seeds, (60, 70), around) is None


def _in_hole(p: WordPassage, at: int) -> bool:
    return any(start <= at < end for start, end in p.a_holes)


def _sentences(p: WordPassage, bounds: list[int]) -> list[int]:
    inner = set(range(p.a_start, p.a_end)) - {at for hole in p.a_holes for at in range(*hole)}
    return [at for at, start in enumerate(bounds[:-1]) if start in inner]


@pytest.mark.parametrize(("method", "share"), [("altered", 0.97), ("copies", 0.8)])
def test_sentences_from_two_places_of_one_source_in_turn_are_covered(tmp_path: Path, method: str, share: float) -> None:
    rng = random.Random(1)
    source = [_sentence(rng) for _ in range(60)]
    copied = [_changed(text, rng) for pair in zip(source[4:7], source[44:47], strict=True) for text in pair]
    essay = HOST + "".join(copied) + "".join(prose(4))
    collection = Collection.of((Role.SOURCE, "".join(source)), *OTHERS, (Role.SUSPECT, essay))
    matches = detect(registry.get(method), tmp_path, collection).matches
    assert covered(matches, A) == pytest.approx(len("".join(copied)), rel=0.02)
    assert len(matches) == 2


@pytest.mark.parametrize("method", ["altered", "copies"])
def test_short_own_lines_in_a_long_verbatim_copy_are_not_covered(tmp_path: Path, method: str) -> None:
    rng = random.Random(2)
    source = [_sentence(rng) for _ in range(40)]
    own = "\n\n    $ sudo systemctl restart demo\n    $ echo done >> /tmp/log\n\n"
    essay = HOST + "".join(source[10:17]) + own + "".join(source[17:24]) + "".join(prose(4))
    collection = Collection.of((Role.SOURCE, "".join(source)), *OTHERS, (Role.SUSPECT, essay))
    matches = detect(registry.get(method), tmp_path, collection).matches
    assert [essay[slice(*gap)].strip() for m in matches for gap in m.a_gaps] == [own.strip()]


def _sentence(rng: random.Random) -> str:
    names = ["".join(rng.choices("bcdfglmnprstv", k=1) + rng.choices("aeiou", k=1)) for _ in range(24)]
    one, two, three, four, five, six, seven, eight = ("".join(names[at : at + 3]) for at in range(0, 24, 3))
    return f"The {one} {two} {three} a {four} of {five} and the {six} {seven} every {eight}. "


def _changed(sentence: str, rng: random.Random) -> str:
    """A sentence with two other words."""
    words = sentence.split(" ")
    for at in rng.sample(range(1, len(words) - 2), 2):
        words[at] = rng.choice(NOUNS)
    return " ".join(words)
