"""What winnowing is guaranteed to find, and what its passages say."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.unit.methods.corpora import Collection, detect
from workbench.base.types import Document, Match, Role
from workbench.methods.sketches.winnowing import METHOD, WinnowingParameters, sketch

S, Q = Role.SOURCE, Role.SUSPECT
run = partial(detect, METHOD, k=8, window=5, compare="all")


def alone(a: str, b: str, **settings: Any) -> list[Match]:
    parameters = METHOD.parameters.parse({"k": 8, "window": 5, **settings})
    assert isinstance(parameters, WinnowingParameters)
    return list(METHOD.compare(Document("a", a), Document("b", b), parameters).matches)


def common(a: str, b: str, least: int) -> set[tuple[int, int, int]]:
    """Starts and length of every longest common string of ``least`` letters or more, by comparing all places."""
    strings = set()
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j] and (i == 0 or j == 0 or a[i - 1] != b[j - 1]):
                n = 0
                while i + n < len(a) and j + n < len(b) and a[i + n] == b[j + n]:
                    n += 1
                if n >= least:
                    strings.add((i, j, n))
    return strings


@pytest.mark.parametrize(("k", "window"), [(1, 1), (3, 4), (5, 1), (4, 8)])
@pytest.mark.parametrize("letters", ["ab", "いろはにほへとちり"])
def test_the_common_strings_of_the_guaranteed_length_are_found_and_no_others(k: int, window: int, letters: str) -> None:
    rng = random.Random(k * window)
    for _ in range(40):
        a, b = ("".join(rng.choices(letters, k=rng.randrange(60))) for _ in range(2))
        at = rng.randrange(len(b) + 1)
        b = b[:at] + a[10:30] + b[at:]
        matches = alone(a, b, k=k, window=window, gap=0, tokens="characters")
        strings = {(m.a_span.start, m.b_span.start, int(m.score)) for m in matches}
        assert len(strings) == len(matches)
        assert strings == common(a, b, window + k - 1)
        strings = {
            (m.a_span.start, m.b_span.start, int(m.score))
            for m in alone(a, b, k=k, window=window, gap=0, tokens="characters", min_tokens=k)
        }
        assert common(a, b, window + k - 1) <= strings <= common(a, b, k)


def test_passages_take_in_their_marks_and_say_how_they_are_written() -> None:
    source = "前置き。「明治政府は全国に学制を布いて、小学校を建てさせた。」後書き"
    (exact,) = alone("別の文。「明治政府は全国に学制を布いて、小学校を建てさせた。」以上", source)
    assert source[slice(*exact.b_span)] == "「明治政府は全国に学制を布いて、小学校を建てさせた。」"
    assert exact.evidence["tier"] == 0
    (folded,) = alone("明治政府は　全国に学制を布いて小学校を\n建てさせた！", source)
    assert source[slice(*folded.b_span)] == "明治政府は全国に学制を布いて、小学校を建てさせた"
    assert folded.evidence["tier"] == 1
    assert folded.score == exact.score == 23


def test_strings_at_one_offset_difference_are_joined_over_replaced_tokens() -> None:
    source = "the quick brown fox jumps over the lazy dog and then sleeps all day in the warm summer sun"
    suspect = source.replace("dog and then", "CAT BUT NEVER")
    (joined,) = alone(suspect, source, k=6, window=3)
    assert joined.a_span == (0, len(suspect))
    assert (joined.evidence["tier"], joined.evidence["parts"], joined.score) == (2, 2, 16)
    assert [m.score for m in alone(suspect, source, k=6, window=3, gap=2)] == [8, 8]
    moved = source.replace("dog and then", "dog and one more word then")
    assert len(alone(moved, source, k=6, window=3)) == 2


def test_each_pair_of_documents_is_met_once(tmp_path: Path) -> None:
    text = "同じ文章がここにもそこにもあるので組は一度だけ数える。"
    corpus = Collection.of((Q, text), (S, text), (Q, text), (S, text))
    pairs = [(m.a, m.b) for m in run(tmp_path, corpus).matches]
    assert sorted(pairs) == [(1, 2), (1, 4), (3, 1), (3, 2), (3, 4), (4, 2)]


def test_a_fingerprint_that_is_everywhere_finds_nothing_and_is_counted(tmp_path: Path) -> None:
    corpus = Collection.of(*((Q, "どこにでもある文章は何も見つけない。") for _ in range(30)), (Q, "短い"))
    results = run(tmp_path, corpus, max_places=20)
    assert not len(results.matches)
    assert results.excluded[sketch.SKETCH.empty] == 1
    assert results.excluded[sketch.SKETCH.frequent] >= 30
    parameters = WinnowingParameters(k=8, window=5, max_places=20)
    explanation = METHOD.explain(corpus.all[1], corpus.all[0], parameters, METHOD.load(tmp_path, parameters))
    assert (explanation.matched, explanation.reasons[-1].rule) == (False, "limit of places")


def test_a_repeated_string_is_found_at_all_its_places_without_meeting_every_fingerprint_twice() -> None:
    a, b = "甲乙丙丁戊己庚辛壬癸" * 30, "甲乙丙丁戊己庚辛壬癸" * 20
    matches = alone(a, b)
    assert 30 + 20 - 3 <= len(matches) <= 30 + 20 - 1
    assert max(m.score for m in matches) == 200


def test_an_explanation_says_what_no_common_fingerprint_means() -> None:
    explanation = METHOD.explain(
        Document("a", "あいうえお" * 9), Document("b", "かきくけこ" * 9), WinnowingParameters()
    )
    assert explanation.summary == "No match: no fingerprint in common, so no common string of 20 tokens or more."
    short = METHOD.explain(Document("a", "あいう"), Document("b", "かきくけこ" * 3), WinnowingParameters())
    assert short.summary == "No match: one of the documents has fewer than 13 tokens."


def test_a_text_in_which_everything_repeats_is_found_whole_and_what_is_not_looked_at_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(3)
    text = "".join(rng.choices("甲乙", k=4000))
    corpus = Collection.of((S, text), (Q, "丙" + text))
    monkeypatch.setattr(sketch, "ENOUGH", 2000)
    results = run(tmp_path, corpus)
    assert max(m.a_span.end - m.a_span.start for m in results.matches) == len(text)
    assert len(results.matches) < 2000 + sketch.FEW * len(text)
    assert results.excluded[sketch.SKETCH.frequent] > 0


def test_a_shorter_string_is_counted_and_the_explanation_says_so(tmp_path: Path) -> None:
    corpus = Collection.of((S, "甲乙丙丁戊己庚辛壬癸子丑寅卯前"), (Q, "後甲乙丙丁戊己庚辛壬癸子丑寅卯"))
    assert run(tmp_path, corpus).matches.score.tolist() == [14.0]
    results = run(tmp_path, corpus, min_tokens=15)
    assert not len(results.matches)
    assert results.excluded[sketch.SKETCH.short] == 1
    explanation = METHOD.explain(corpus.all[1], corpus.all[0], WinnowingParameters(k=8, window=5, min_tokens=15))
    assert not explanation.matched
    assert explanation.summary == "No match: no common string of 15 tokens or more."
