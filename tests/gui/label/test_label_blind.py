"""Others hidden in Label: what they said chooses, orders and marks no entry."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from tests.gui.label.test_labelling_screen import Hands, entries, hands
from tests.gui.review.test_blind import shown
from workbench.base.types import Label
from workbench.project import labels
from workbench.services.labels.targets import adjudicator
from workbench.services.session import Session

__all__ = ["entries", "hands"]


def say(path: Path, seed: int) -> None:
    """Others label, differ, and settle."""
    dice = random.Random(seed)
    with Session(path) as session, session.write() as connection:
        for at in range(20):
            who, value = dice.choice(["ben", "cho", adjudicator("cho")]), dice.choice(["blog", "splog", ""])
            target = f"document:e{dice.randrange(6)}"
            labels.add_label(connection, Label(target, value, who, f"2026-01-01T00:00:{at:02}Z", label_set="class"))


def test_conflicts_left_on_after_settling_choose_nothing(hands: Hands, entries: Path) -> None:
    every = len(hands.view.label_session.items) if hands.view.label_session is not None else 0
    say(entries, 1)
    hands.view.set_mode("settle")
    hands.settle()
    state = hands.view.save_state()
    hands.view.set_mode("")
    hands.settle()
    hands.view.restore_state(state)
    hands.view.load()
    hands.settle()
    assert hands.view.label_session is not None
    assert len(hands.view.label_session.items) == every == 6
    assert not hands.view.queue.chips["conflicts"].isEnabled()


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.rest) for n in (1, 2))])
def test_nothing_in_label_depends_on_what_hidden_others_said(hands: Hands, entries: Path, seed: int) -> None:
    view = hands.view

    def walk() -> list[list[str]]:
        seen = [view.queue.who.itemText(0).split()]
        for target in ("document:e0", "document:e3", "document:e5"):
            view.do(partial(view.labeller.go_to, target))
            hands.qtbot.waitUntil(lambda t=target: view.entry.shown is not None and view.entry.shown[0].target == t)
            # What is beside the entry comes after a pause.
            hands.qtbot.waitUntil(lambda: not view._after_entry.isActive())
            hands.settle()
            for tab in range(view.side.tabs.count()):
                view.side.tabs.setCurrentIndex(tab)
                # The history, the last one, is read from the log.
                hands.qtbot.waitUntil(lambda at=tab: at < view.side.tabs.count() - 1 or bool(shown(view.side)))
                hands.settle()
                seen.append(shown(view.side))
            seen += [shown(view.entry), shown(view.queue.table), [str(view.save_state())]]
        return seen

    walk()  # the first time, facts are laid out that stay
    before = walk()
    say(entries, seed)
    hands.controller.window.context.announce({"labels"})
    hands.settle()
    view.load()
    hands.settle()
    assert walk() == before


def test_a_hidden_label_is_not_denied(hands: Hands, entries: Path) -> None:
    history = hands.view.side.history
    hands.view.side.tabs.setCurrentIndex(hands.view.side.tabs.count() - 1)
    with Session(entries) as session, session.write() as connection:
        labels.add_label(connection, Label(f"document:{hands.shown}", "blog", "ben", "", label_set="class"))
    hands.view.load()
    hands.settle()
    hands.qtbot.waitUntil(lambda: shown(history) == ["Labels of others are hidden."])


def test_a_conflict_outside_the_filters_is_not_denied(hands: Hands, entries: Path) -> None:
    with Session(entries) as session, session.write() as connection:
        for who, value in (("ben", "blog"), ("cho", "splog")):
            labels.add_label(connection, Label("document:e0", value, who, "", label_set="class"))
    hands.view.options = replace(hands.view.options, tag="none")
    hands.view.set_mode("settle")
    hands.settle()
    assert "The queue is empty" in shown(hands.view.entry)
    button = next(b for b in hands.view.entry.findChildren(QPushButton) if b.text() == "Show all entries")
    button.click()
    hands.settle()
    assert hands.shown == "e0"
