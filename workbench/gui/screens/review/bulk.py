"""One verdict on many passages: all below the threshold, all of the open source, all with the same text."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from workbench.base.types import Ints
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.verdicts import verdict_looks
from workbench.gui.screens.review.match_verdicts import MatchVerdicts
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.workspace.context import AppContext
from workbench.services.review.overview import Overview
from workbench.services.review.selecting import below, like, of_source


class _Screen(Protocol):
    """What a bulk verdict needs of the screen."""

    context: AppContext
    overview: Overview
    pair: PairPanel
    verdicts: MatchVerdicts

    def active_row(self) -> int:
        """The row of the active match in the run's columns; -1 without one."""


def bulk_menu(view: _Screen, parent: QWidget) -> QMenu:
    """Offer which passages are meant, and then the verdict."""
    menu = QMenu(parent)
    menu.setAccessibleName(tr("One verdict on many passages"))
    columns, opened = view.overview.columns, view.pair.opened
    if columns is None or opened is None:
        return menu
    low = below(columns, view.pair.threshold)
    own, every = of_source(columns, opened.b.key, opened.a.key), of_source(columns, opened.b.key)
    source = opened.b.title or opened.b.id
    _choice(view, menu, tr("All below the threshold"), low)
    _choice(view, menu, tr("All of “{source}” in this suspect", source=source), own)
    _choice(view, menu, tr("All of “{source}” in every suspect", source=source), every)
    row = view.active_row()
    if row >= 0 and not columns.whole:
        same = menu.addMenu(tr("All like this text"))
        for look in verdict_looks():
            action = same.addAction(look.words)
            action.triggered.connect(partial(_judge_like, view, row, look.value))
    menu.popup(QCursor.pos())
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def _choice(view: _Screen, menu: QMenu, title: str, rows: Ints) -> None:
    words = trn("{count} match", "{count} matches", len(rows))
    part = menu.addMenu(f"{title} ({words})".replace("&", "&&"))
    part.setEnabled(len(rows) > 0)
    for look in verdict_looks():
        action = part.addAction(look.words)
        action.triggered.connect(partial(_judge, view, rows, look.value))


def _judge(view: _Screen, rows: Ints, value: str, _on: bool = False) -> None:
    view.verdicts.give_all(rows.tolist(), value)


def _judge_like(view: _Screen, row: int, value: str, _on: bool = False) -> None:
    columns = view.overview.columns
    assert columns is not None

    def give(rows: Ints) -> None:
        if view.overview.columns is columns:
            _judge(view, rows, value)

    view.context.background(lambda session: like(session, columns, row), give, owner=view.pair)
