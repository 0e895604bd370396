"""Two windows on one project: what one reviewer decides stands beside what the other does, in both."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot
from review_case import ROWS, build, opened, settled

from workbench.base.settings import Settings
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.project import labels
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclude, exclusions


def judgements(review: ReviewView) -> list[tuple[str, str] | None]:
    shown = review.pair.opened
    assert shown is not None
    return [None if j is None else (j.value, " ".join(sorted(v.who for v in j.verdicts))) for j in shown.judgements]


def test_both_reviewers_judge_the_same_passages_at_once(qtbot: QtBot, context: AppContext, tmp_path: Path) -> None:
    path = tmp_path / "case.palimpsest"
    build(path, ROWS, {})
    other = AppContext(Theme("light", tmp_path / "more"), Settings(reviewer="Ben", advance=False))
    try:
        windows = [opened(qtbot, one, path) for one in (context, other)]
        first, second = windows
        for number in range(3):
            for window, key in ((first, "review.verdict-copy"), (second, "review.verdict-not-copy")):
                window.pair.go_to(number)
                window.context.actions.run(key)
            for window in windows:
                settled(qtbot, window)
        for window in windows:
            qtbot.waitUntil(lambda window=window: judgements(window) == [("conflict", "A. Reader Ben")] * 3)
            settled(qtbot, window)
            assert len(window.overview.judged.conflicts()) == 3
        assert second.context.session is not None
        exclude(second.context.session, [Exclusion(ExclusionKind.SOURCE, "t1")], "a quotation", "Ben")
        qtbot.waitUntil(lambda: "after 1 exclusion" in first.suspects.shares.text_whole())
        # Taking back what one said leaves what the other said.
        first.context.history.undo()
        qtbot.waitUntil(lambda: judgements(second)[2] == ("not-copy", "Ben"))
        with second.context.session.read() as connection:
            assert labels.verify_chain(connection) == "ok"
            assert [e.who for e in exclusions(connection)] == ["Ben"]
    finally:
        other.close()
        other.deleteLater()
