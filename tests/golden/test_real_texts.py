"""Every match can be stepped to, whatever the texts are like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from tests.golden.real_texts import LOOSE, Stepper, detected
from workbench.base.types import Role

PARAGRAPHS = [
    "The station stood at the end of the line, and nobody had been there for years.",
    "雨の降る日には、軒下に猫が集まって、誰も来ない線路を眺めていた。",
    "A clerk of the company wrote down every train that did not come.",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Copies that cross blank lines, begin and end a text, stand on one long line, or come twice."""
    whole = "\n\n".join(PARAGRAPHS)
    other = [f"Nothing is copied of sentence {n}." for n in range(120)]
    source = {
        "source.txt": whole,
        "line.txt": " ".join([*other[:60], *PARAGRAPHS, *other[60:]]),
    }
    suspect = {
        "suspect.txt": f"Before it.\n\n{whole}\n\nAfter it.",
        "ends.txt": f"{whole}\n\n\n\nSomething else stands between the two.\n\n\n\n{whole}",
        "returns.txt": whole.replace("\n", "\r\n") + "\u2028\t\u2029",
        "long.txt": "x" * 3000 + " ".join(PARAGRAPHS),
    }
    for folder, texts in (("sources", source), ("suspects", suspect)):
        (tmp_path / folder).mkdir()
        for name, text in texts.items():
            (tmp_path / folder / name).write_text(text, encoding="utf-8", newline="")
    imports = [
        ([tmp_path / "sources"], Role.SOURCE, "txt"),
        ([tmp_path / "suspects"], Role.SUSPECT, "txt"),
    ]
    assert detected(tmp_path / "p.palimpsest", imports, {**LOOSE, "min_segment": 3}).matches
    return tmp_path / "p.palimpsest"


@pytest.fixture
def steppers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Stepper]]:
    """What is put into it is closed."""
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path / "config"))
    opened: list[Stepper] = []
    yield opened
    for stepper in opened:
        stepper.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_every_match_across_blank_lines_and_at_the_ends_is_shown_by_every_part(
    qapp: object, project: Path, steppers: list[Stepper]
) -> None:
    stepper = Stepper(project)
    steppers.append(stepper)
    tally = stepper.walk()
    assert "\n".join(tally.failures) == ""
    assert tally.suspects == 4
    assert tally.steps >= tally.matches >= 8


@pytest.mark.rest
def test_a_part_that_names_another_match_is_reported(
    qapp: object, project: Path, steppers: list[Stepper], monkeypatch: pytest.MonkeyPatch
) -> None:
    stepper = Stepper(project)
    steppers.append(stepper)
    ribbons = stepper.review.pair.ribbons
    monkeypatch.setattr(ribbons, "set_active", lambda number, _parts=(): setattr(ribbons, "active", number + 1))
    failures = stepper.walk(limit=2).failures
    assert any("ribbons: match" in failure for failure in failures)


@pytest.mark.rest
def test_a_pane_that_does_not_come_to_the_match_is_reported(
    qapp: object, project: Path, steppers: list[Stepper], monkeypatch: pytest.MonkeyPatch
) -> None:
    stepper = Stepper(project)
    steppers.append(stepper)
    monkeypatch.setattr(stepper.review.pair.right, "show_place", lambda *_: None)
    stepper.controller.window.resize(960, 600)
    failures = stepper.walk().failures
    assert any("source: match" in failure for failure in failures)


def test_what_is_recorded_as_a_problem_is_reported(
    qapp: object, project: Path, steppers: list[Stepper], monkeypatch: pytest.MonkeyPatch
) -> None:
    stepper = Stepper(project)
    steppers.append(stepper)
    monkeypatch.setattr(stepper.review.pair.left.marks.__class__, "stretches", lambda *_: 1 // 0)
    failures = stepper.walk(limit=1).failures
    assert any("ZeroDivisionError" in failure for failure in failures)


def test_statutes_are_stepped_through(qapp: object, shared_data: Path, tmp_path: Path, steppers: list[Stepper]) -> None:
    pairs = json.loads((shared_data / "laws_zh" / "pairs.json").read_text(encoding="utf-8"))
    alike = sorted(pairs, key=lambda pair: -pair["shared_sentence_ratio"])[:2]
    older, newer = ([shared_data / "laws_zh" / pair[side] for pair in alike] for side in "ab")
    imports = [(older, Role.SOURCE, "txt"), (newer, Role.SUSPECT, "txt")]
    assert detected(tmp_path / "laws.palimpsest", imports, {**LOOSE, "min_run": 3}).matches
    stepper = Stepper(tmp_path / "laws.palimpsest")
    steppers.append(stepper)
    assert stepper.walk(limit=1).failures == []
    assert stepper.tally.matches
