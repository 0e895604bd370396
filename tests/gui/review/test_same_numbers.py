"""The window, a report's page, its CSV and JSON say the same numbers of a case."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from review_case import build, opened, settled

from workbench.base.messages import percent
from workbench.base.types import Block, BlockClass, Span
from workbench.cli.main import main
from workbench.gui.screens.review.counting import ExclusionsDialog
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.workspace.context import AppContext
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclude
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session

ROWS = [
    # Two sources of the same words, one of them in two overlapping passages.
    (1, 3, 0, 40, 200, 240, 40.0, 0),
    (1, 3, 20, 60, 300, 340, 60.0, 1),
    (1, 4, 10, 50, 0, 40, 30.0, 0),
    # Too short to count.
    (1, 3, 100, 116, 0, 16, 16.0, 2),
    # A phrase within it is left out.
    (1, 4, 200, 232, 100, 132, 32.0, 0),
    # Judged no copy, as is one that another passage covers in part.
    (1, 4, 300, 340, 300, 340, 40.0, 0),
    (1, 4, 330, 380, 400, 450, 50.0, 2),
    (2, 4, 0, 16, 0, 16, 16.0, 0),
]
PHRASE = "誰も写していない"


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.palimpsest"
    menu = Block(Span(460, 480), verdict=BlockClass.NON_CONTENT)
    build(path, ROWS, {}, (Block(Span(0, 460)), menu))
    with Session(path) as session:
        exclude(session, [Exclusion(ExclusionKind.SHORTER, "20"), Exclusion(ExclusionKind.PHRASE, PHRASE, "s1")])
        for start, value in ((300, "not-copy"), (330, "copy")):
            row = next(row for row in ROWS if row[2] == start)
            give_verdict(session, Unit("s1", "t2", (Span(*row[2:4]), Span(*row[4:6]))), value, "", "A. Reader")
    return path


def numbers(pattern: str, text: str) -> tuple[int, ...]:
    match = re.search(pattern, text)
    assert match is not None, (pattern, text)
    return tuple(int(number.replace(",", "")) for number in match.groups())


def test_window_page_csv_and_json_say_the_same_of_a_case(
    qtbot: QtBot, context: AppContext, case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(*arguments: str) -> list[dict[str, object]]:
        assert main([*arguments, "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    for suffix in ("html", "csv", "jsonl"):
        (written,) = ask("report", str(case), "--suspect", "s1", "--out", str(tmp_path / f"r.{suffix}"))
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", (tmp_path / "r.html").read_text("utf-8")))
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    records = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text("utf-8").splitlines()[1:]]
    (listed,) = (row for row in ask("review", str(case), "suspects") if row["id"] == "s1")

    review: ReviewView = opened(qtbot, context, case)
    settled(qtbot, review)
    qtbot.waitUntil(lambda: review.excluding.counted is not None)
    review.excluding.ask()
    dialog = review.findChild(ExclusionsDialog)
    assert dialog is not None

    # Characters and shares.
    counted, length, matched = numbers(r"([\d,]+) of ([\d,]+) characters count, ([\d,]+) are", dialog._amount.text())
    apart = numbers(r"Not compared \(.*\): (\d+)\.", dialog._amount.text())
    dialog.close()
    assert apart == numbers(r"Not compared \([^)]*\) (\d+) characters", page) == (20,)
    assert numbers(r"Of ([\d,]+) characters ([\d,]+) are in passages", page) == (length, matched)
    assert numbers(r"([\d,]+) count after the exclusions", page) == (counted,)
    assert 0 < counted < matched < length
    words = f"{percent(matched / length)} matched"
    assert words in review.suspects.shares.text_whole()
    assert words in page
    assert percent(counted / length) in review.suspects.shares.text_whole()
    assert percent(counted / length) in page

    # Passages.
    items = [review.suspects.model.item(row) for row in range(review.suspects.model.rowCount())]
    (item,) = (item for item in items if item.row.id == "s1")
    assert item.coverage == matched / length
    in_csv = len({(row["pair"], row["passage"]) for row in rows})
    assert item.passages == in_csv == listed["passages"] == written["passages"]
    assert numbers(r"Passages: (\d+)", page) == (in_csv,)

    # What counts of each match.
    of_match = {tuple(int(row[name]) for name in ("a_start", "a_end", "b_start")): int(row["counts"]) for row in rows}
    assert of_match == {(r["a_start"], r["a_end"], r["b_start"]): r["counts"] for r in records}
    in_window = {}
    context.actions.run("review.first")
    for _ in of_match:
        settled(qtbot, review)
        pair, number = review.pair.opened, review.pair.active
        assert pair is not None
        start, end, there, _ = pair.limits(number)
        text = review.evidence._counting.text()
        part = re.match(r"(\d+) characters? of it counts?", text)
        in_window[start, end, there] = 0 if text == "Does not count" else int(part[1]) if part else end - start
        context.actions.run("review.next")
    assert in_window == of_match
    assert 0 in in_window.values()
    assert any(0 < count < end - start for (start, end, _), count in in_window.items())
