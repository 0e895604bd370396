"""Passages that score less than the project's threshold do not count, and reports say so."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from stored import FIRST, PASSAGES, SENTENCE

from workbench.services.labels.targets import TargetKind
from workbench.services.measuring.thresholds import UsedThreshold, use_threshold, withdraw_threshold
from workbench.services.reports.exporting import export
from workbench.services.reports.gathering import Selection
from workbench.services.review.counting import read_counted
from workbench.services.review.exclusions import ExclusionKind, exclude, parse_exclusion
from workbench.services.review.verdicts import set_verdict
from workbench.services.session import Session

LONG, TAIL = PASSAGES[FIRST]


def use(session: Session, value: float, kind: TargetKind = TargetKind.PASSAGE, who: str = "Aoyama") -> None:
    used = UsedThreshold(
        "digest", kind, value, 7, "verdict", 48, 0.913, 0.807, 0.857, (0.81, 0.97), (0.7, 0.89), corrected=True, who=who
    )
    use_threshold(session, used)


def test_passages_below_the_threshold_do_not_count_and_the_one_at_it_does(session: Session) -> None:
    whole = read_counted(session, 1, 1).shares
    use(session, LONG.score)
    shares = read_counted(session, 1, 1).shares
    assert (shares.matched, shares.counted) == (whole.matched, 3 * len(SENTENCE))
    (effect,) = shares.effects
    assert (effect.exclusion.kind, effect.passages, effect.characters) == (ExclusionKind.BELOW, 1, 5)
    withdraw_threshold(session, "digest", TargetKind.PASSAGE)
    assert read_counted(session, 1, 1).shares.counted == whole.counted


@pytest.mark.parametrize("verdict", ["copy", "partial"])
def test_what_a_person_judged_a_copy_counts_whatever_it_scores(session: Session, verdict: str) -> None:
    use(session, 100.0)
    assert read_counted(session, 1, 1).shares.counted == 0
    set_verdict(session, TAIL, verdict)
    assert read_counted(session, 1, 1).shares.counted == 5


def test_a_threshold_for_pairs_leaves_passages_alone(session: Session) -> None:
    use(session, 100.0, TargetKind.PAIR)
    assert read_counted(session, 1, 1).shares.excluded == 0


def test_a_threshold_is_not_one_of_the_stored_exclusions(session: Session) -> None:
    use(session, 100.0)
    (effect,) = read_counted(session, 1, 1).shares.effects
    assert parse_exclusion(effect.exclusion.target) is None
    with pytest.raises(ValueError, match="cannot be excluded"):
        exclude(session, [effect.exclusion])


def test_a_report_names_the_threshold_and_says_of_each_passage_whether_it_counts(
    session: Session, tmp_path: Path
) -> None:
    use(session, LONG.score)
    counted = read_counted(session, 1, 1)
    export(session, Selection(), tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    for words in ("0.91 (0.81–0.97)", "0.81 (0.70–0.89)", "48 labels", "score less than 42", "does not count"):
        assert words in page
    export(session, Selection(), tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig") as file:
        assert [int(row["counts"]) for row in csv.DictReader(file)] == list(counted.counts().values())
    export(session, Selection(), tmp_path / "r.jsonl")
    first = json.loads((tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert [(used["value"], used["precision"]) for used in first["thresholds"]] == [(LONG.score, 0.913)]


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_the_threshold_is_named_in_the_language_of_the_report(session: Session, tmp_path: Path, language: str) -> None:
    use(session, LONG.score)
    export(session, Selection(), tmp_path / "r.html", language=language)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "0.91 (0.81–0.97)" in page or "0.91（0.81–0.97）" in page
    assert "The project&#39;s threshold" not in page
    assert "score less" not in page


@pytest.mark.parametrize("suffix", [".html", ".csv", ".jsonl"])
def test_an_anonymous_report_does_not_name_who_chose_the_threshold(
    session: Session, tmp_path: Path, suffix: str
) -> None:
    use(session, LONG.score, who="Aoyama")
    out = tmp_path / f"r{suffix}"
    export(session, Selection(anonymous=True), out)
    assert "Aoyama" not in out.read_text(encoding="utf-8")
