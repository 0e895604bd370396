"""What a verdict means is declared with it, and everything that counts follows that."""

from __future__ import annotations

import pytest

from workbench.services.labels.sets import LABEL_SET, PAIR_LABELS, SUSPECT_LABELS, VALUES, is_positive, meaning
from workbench.services.labels.verdicts import PAIR, PASSAGE, SUSPECT, VERDICTS, Sense, Verdict
from workbench.services.reports.strings import strings
from workbench.services.review.judgement import CODES


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_evaluate_counts_a_verdict_by_its_sense(verdict: Verdict) -> None:
    expected = {Sense.COPIED: True, Sense.NOT_COPIED: False, Sense.UNDECIDED: None}[verdict.sense]
    assert is_positive(verdict.value) is expected
    split = meaning([verdict.value, "copy"])
    assert (verdict.value in split.positive) == (expected is True)
    assert (verdict.value in split.undecided) == (expected is None)


def test_reports_print_the_words_of_every_verdict() -> None:
    assert {value: strings()[value] for value in VERDICTS} == {v.value: v.words for v in VERDICTS.values()}


def test_every_verdict_on_passages_and_pairs_is_tallied_the_gravest_first() -> None:
    assert sorted(CODES, key=CODES.__getitem__)[: len(PASSAGE) + len(PAIR)] == [v.value for v in (*PASSAGE, *PAIR)]
    order = [Sense.COPIED, Sense.UNDECIDED, Sense.NOT_COPIED]
    for verdicts in (PASSAGE, PAIR):
        assert [v.sense for v in verdicts] == sorted((v.sense for v in verdicts), key=order.index)


@pytest.mark.parametrize(("name", "verdicts"), [(LABEL_SET, PASSAGE), (PAIR_LABELS, PAIR), (SUSPECT_LABELS, SUSPECT)])
def test_a_label_set_of_verdicts_has_one_key_a_value(name: str, verdicts: tuple[Verdict, ...]) -> None:
    assert VALUES[name] == tuple(verdict.value for verdict in verdicts)
    assert len({verdict.key for verdict in verdicts}) == len(verdicts)
