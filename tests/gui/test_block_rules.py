"""Reasons of the rules for content blocks in the interface language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.gui import i18n
from workbench.gui.views.block_rules import RuleWords
from workbench.text.blocks import reasons, scorecard


@pytest.fixture
def japanese() -> Iterator[RuleWords]:
    i18n.use("ja")
    yield RuleWords()
    i18n.use("en")


def test_in_english_every_reason_stays_as_it_is() -> None:
    words = RuleWords()
    for rule in (
        "<nav>; named “menu”; link text 72 % of it (points −3.2 < −0.7)",
        "repeated on 500+ of 2,000+ pages of the site",
        "prose (points 1.0 ≥ −0.7); clear without a second opinion",
        "inside the selector of a.example (div; p)",
        "prose (points 1.0 ≥ −0.7); the selector of all hosts selects nothing here",
        "decided by root",
        "",
        "something of a later version",
    ):
        assert words(rule) == rule


def test_every_part_of_a_reason_is_translated(japanese: RuleWords) -> None:
    said = japanese("named “menu”; low on the page; link text 72 % of it (points −3.2 < −0.7)")
    assert said == "「menu」という名の要素; ページの下のほう; リンクの文字が 72 %（点 −3.2 < −0.7）"
    assert japanese("outside the selector of all hosts (div; p)") == "全ホスト のセレクターの外（div; p）"


def test_every_reason_of_the_scorecard_is_known() -> None:
    known = RuleWords()._known
    assert not {*reasons._WORDS.values(), scorecard.CLEAR} - set(known)
