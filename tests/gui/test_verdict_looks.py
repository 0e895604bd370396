"""Verdicts and tiers in the window: each value has one look, and everything that shows them follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start
from workbench.base.types import Tier
from workbench.gui import i18n
from workbench.gui.i18n import LANGUAGES
from workbench.gui.judging.verdict_panel import VerdictPanel
from workbench.gui.judging.verdicts import decision_looks, pair_looks, state_words, verdict_looks
from workbench.gui.kit.cues import tier_look
from workbench.gui.screens.relations.view import RelationsView
from workbench.gui.screens.review.suspect_panel import SuspectPanel
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.theme.manager import Theme, names
from workbench.gui.theme.tokens import DARK, LIGHT, Tokens
from workbench.services.labels.verdicts import PAIR, PASSAGE, SUSPECT
from workbench.services.review.judgement import CONFLICT


def test_every_verdict_has_a_look_of_its_own() -> None:
    for verdicts, looks in (
        (PASSAGE, verdict_looks()),
        (PAIR, pair_looks()),
        (SUSPECT, decision_looks()),
    ):
        assert [look.value for look in looks] == [verdict.value for verdict in verdicts]
        for field in ("words", "role", "icon", "key"):
            assert len({getattr(look, field) for look in looks}) == len(looks)
        assert {look.icon for look in looks} <= {*names()}
        assert [state_words(look.value) for look in looks] == [(look.short, look.role) for look in looks]


def test_every_verdict_has_an_action_with_its_key_and_a_button(start: Start, project: Path) -> None:
    window = start(project, "review").window
    review, relations = window.view("review"), window.view("relations")
    assert isinstance(review, ReviewView)
    assert isinstance(relations, RelationsView)
    for view, looks in ((review, verdict_looks()), (relations, pair_looks())):
        keys = {look.value: window.context.actions.shortcut(f"{view.view_id}.verdict-{look.value}") for look in looks}
        assert keys == {look.value: look.key for look in looks}
        assert set(view.evidence.verdict.buttons) >= {look.value for look in looks}
    decisions = {look.value for look in decision_looks()}
    assert set(review.suspects.chips) == {"", "open", *decisions, CONFLICT, "assigned"}
    assert set(review.suspects.verdict.buttons) == decisions
    assert {window.context.actions.shortcut(f"review.decide-{value}") for value in decisions} == {
        f"Alt+{number}" for number in range(1, len(decisions) + 1)
    }


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_every_tier_has_a_colour_a_line_and_words_of_its_own(tokens: Tokens) -> None:
    assert len({tokens.tier(tier) for tier in Tier}) == len(Tier)
    for field in ("words", "rule", "pen"):
        assert len({getattr(tier_look(tier), field) for tier in Tier}) == len(Tier)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdicts_of_a_suspect_are_whole_whatever_the_width(qtbot: QtBot, tmp_path: Path, language: str) -> None:
    i18n.use(language)
    try:
        panel = VerdictPanel(Theme("light", tmp_path), decision_looks(), compact=True)
        qtbot.addWidget(panel)
        panel.show()
        rows = {}
        for width in (170, 200, 260, 400):
            panel.setFixedWidth(width)
            qtbot.waitUntil(lambda width=width: panel.width() == width)
            QApplication.processEvents()
            assert all(part.fits(part.width()) for part in panel.buttons.values())
            assert len({"+" in part.shown_key() for part in panel.buttons.values()}) == 1  # all in one way
            rows[width] = len({part.y() for part in panel.buttons.values()})
        count = len(panel.buttons)
        assert (rows[170], rows[400]) == (count, (count + 1) // 2)
    finally:
        i18n.use("en")


def test_in_a_low_window_the_list_of_suspects_has_the_height_and_every_verdict_its_button(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    window = start(project, "review").window
    panel = window.view("review").findChild(SuspectPanel)
    assert panel is not None
    window.resize(1100, 720)
    qtbot.waitUntil(lambda: len({part.y() for part in panel.verdict.buttons.values()}) == 1)
    assert panel.list.viewport().height() >= 3 * panel.list.sizeHintForRow(0)
    assert panel.verdict.title.text() == "Suspect (Alt +)"
    assert [part.accessibleName() for part in panel.verdict.buttons.values()][:2] == ["Copy", "Partial"]
    window.resize(1100, 1000)
    qtbot.waitUntil(lambda: not panel.verdict.buttons["copy"].wordless)
