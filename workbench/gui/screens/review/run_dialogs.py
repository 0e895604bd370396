"""The dialogs about the open run: what it found nothing in, verdicts it has no passage for, who reviews what."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.parts import dress
from workbench.gui.screens.review.adding import add_match
from workbench.gui.screens.review.assign_dialog import AssignDialog
from workbench.gui.screens.review.opening import Opening
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import unit_of
from workbench.gui.screens.review.unmatched_dialog import UnmatchedDialog
from workbench.gui.screens.review.unplaced_dialog import UnplacedDialog
from workbench.gui.workspace.context import AppContext


class RunDialogs:
    """Opens dialogs about the run in ``opening``, whose pair ``pair`` shows."""

    def __init__(self, context: AppContext, opening: Opening, pair: PairPanel) -> None:
        self._context, self._opening, self._pair = context, opening, pair

    def show_unplaced(self) -> None:
        """List the verdicts that no passage of this run takes over."""
        overview, opened, number = self._opening.overview, self._pair.opened, self._pair.active
        if overview.columns is None or overview.run is None:
            return
        unit = unit_of(opened, number) if opened is not None and number >= 0 else None
        name = tr("match {number}", number=number + 1)
        dialog = UnplacedDialog(self._context, overview.columns, overview.run.id, unit, name, self._window)
        dialog.finished.connect(self._opening.load)
        self._show(dialog)

    def show_unmatched(self) -> None:
        """List the suspects in which this run found nothing."""
        columns = self._opening.overview.columns
        if columns is not None:
            self._show(UnmatchedDialog(self._context, columns, self._window))

    def assign(self) -> None:
        """Assign suspects to a reviewer."""
        suspects = [row.id for row in self._opening.overview.suspects]
        dialog = AssignDialog(self._context, suspects, self._window)
        dialog.accepted.connect(self._opening.load)
        self._show(dialog)

    def run_on(self) -> None:
        """Detect again with the settings of the run that is shown: documents came after it."""
        if self._opening.overview.run is not None:
            self._context.resume_requested.emit(self._opening.overview.run)

    def add_match(self) -> None:
        """Make what is selected in both texts a match of its own, and go to it."""
        opened, left, right = self._pair.opened, self._pair.left.selection, self._pair.right.selection
        if opened is not None and add_match(self._context, opened.a, left, opened.b, right):
            limits = (left.start, left.end, right.start, right.end)
            self._opening.want(opened.run.id, opened.a.key, opened.b.key, limits)

    @property
    def _window(self) -> QWidget:
        return self._pair.window()

    def _show(self, dialog: QDialog) -> None:
        dress(dialog, self._context.theme)
        dialog.open()
