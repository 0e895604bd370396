"""Who judges: switching between reviewers, judging blind, going on after a verdict."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui.i18n import tr
from workbench.gui.judging.eyes import become, eyes
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext


class _Offer(Protocol):
    def __call__(self, key: str, title: str, call: Callable[[], object], shortcut: str, icon: str = "") -> Action: ...


def reviewer_actions(context: AppContext, parent: QWidget, offer: _Offer) -> list[Action]:
    """What concerns the reviewer at the keyboard; ``offer`` makes an action of Review."""
    settings = context.settings

    def swap_blind() -> None:
        become(context, settings.reviewer, blind=not settings.blind)
        context.say(
            tr("Blind review: what others say is hidden until you have judged.")
            if settings.blind
            else tr("What other reviewers say is shown.")
        )

    def swap_advance() -> None:
        settings.advance = not settings.advance
        context.say(
            tr("After a verdict, the next passage without one is shown.")
            if settings.advance
            else tr("After a verdict, the passage stays.")
        )

    return [
        offer("reviewer", tr("Switch reviewer…"), partial(reviewer_menu, context, parent), "Alt+R", "note"),
        offer("blind", tr("Blind review on or off"), swap_blind, ""),
        offer("advance", tr("Go on after a verdict, or stay"), swap_advance, ""),
    ]


def reviewer_menu(context: AppContext, parent: QWidget) -> QMenu:
    """Offer everybody who has judged in this project, another name, and to judge blind."""
    menu = QMenu(parent)
    menu.setAccessibleName(tr("Who judges"))
    now = eyes(context)
    known = [] if context.session is None else context.session.seen_by(now).verdicts.reviewers()
    for name in sorted({*known, now.name} - {""}):
        action = menu.addAction(name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(name == now.name)
        action.triggered.connect(partial(_become, context, name))
    menu.addSeparator()
    menu.addAction(context.actions.qt("window.reviewer")) if "window.reviewer" in context.actions else None
    blind = menu.addAction(context.actions.qt("review.blind").text())
    blind.setCheckable(True)
    blind.setChecked(now.blind)
    blind.triggered.connect(lambda _on=False: context.actions.run("review.blind"))
    menu.popup(QCursor.pos())
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def _become(context: AppContext, name: str, _on: bool = False) -> None:
    become(context, name, blind=context.settings.blind)
    context.say(tr("{name} judges now.", name=name))
