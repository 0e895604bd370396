"""One verdict on many passages: all below the threshold, all of the open source, all with the same text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from workbench.base.types import Ints
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.verdicts import verdict_looks
from workbench.gui.screens.review.match_verdicts import MatchVerdicts
from workbench.gui.screens.review.opening import Opening
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.workspace.context import AppContext
from workbench.services.review.selecting import below, like, of_source


class Bulk:
    """Asks which passages of the run in ``opening`` are meant, and gives them all one verdict."""

    def __init__(self, context: AppContext, opening: Opening, pair: PairPanel, verdicts: MatchVerdicts) -> None:
        self._context, self._opening, self._pair, self._verdicts = context, opening, pair, verdicts

    def menu(self, parent: QWidget) -> QMenu:
        """Offer which passages are meant, and then the verdict."""
        menu = QMenu(parent)
        menu.setAccessibleName(tr("One verdict on many passages"))
        columns, opened = self._opening.overview.columns, self._pair.opened
        if columns is None or opened is None:
            return menu
        low = below(columns, self._pair.threshold)
        own, every = of_source(columns, opened.b.key, opened.a.key), of_source(columns, opened.b.key)
        source = opened.b.title or opened.b.id
        self._choice(menu, tr("All below the threshold"), low)
        self._choice(menu, tr("All of “{source}” in this suspect", source=source), own)
        self._choice(menu, tr("All of “{source}” in every suspect", source=source), every)
        row = self._opening.active_row()
        if row >= 0 and not columns.whole:
            _verdicts(menu.addMenu(tr("All like this text")), partial(self._judge_like, row))
        menu.popup(QCursor.pos())
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _choice(self, menu: QMenu, title: str, rows: Ints) -> None:
        words = trn("{count} match", "{count} matches", len(rows))
        part = menu.addMenu(f"{title} ({words})".replace("&", "&&"))
        part.setEnabled(len(rows) > 0)
        _verdicts(part, partial(self._judge, rows))

    def _judge(self, rows: Ints, value: str) -> None:
        self._verdicts.give_all(rows.tolist(), value)

    def _judge_like(self, row: int, value: str) -> None:
        columns = self._opening.overview.columns
        assert columns is not None

        def give(rows: Ints) -> None:
            if self._opening.overview.columns is columns:
                self._judge(rows, value)

        self._context.background(lambda session: like(session, columns, row), give, owner=self._pair)


def _verdicts(menu: QMenu, give: Callable[[str], None]) -> None:
    for look in verdict_looks():
        menu.addAction(look.words).triggered.connect(lambda _on=False, value=look.value: give(value))
