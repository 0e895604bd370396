"""The page that the open suspect is from: whether it is online, and what is being done about it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from workbench.gui.judging.case_giving import CaseDialog
from workbench.gui.judging.standing_words import history_lines, standing_words
from workbench.gui.kit.pauses import after_pause
from workbench.gui.screens.review.reading import Opened
from workbench.gui.screens.review.suspect_panel import SuspectPanel
from workbench.gui.workspace.context import AppContext
from workbench.services.watching.standing import Standing, read_standing
from workbench.text.formats.html import site_of

_PAUSE_MS = 300
"""Milliseconds without another label after which the case is read again."""
_PAST = 8
"""Events of a case that its tooltip lists; the dialog lists all."""


class PageCase(QObject):
    """Shows the standing of the open suspect's page below the suspects, and asks for its case."""

    def __init__(self, context: AppContext, panel: SuspectPanel, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._panel, self._window = context, panel, parent
        self._document = 0
        self.standing: Standing | None = None
        self.dialog: CaseDialog | None = None
        """The dialog shown last."""
        self._pause = after_pause(self._read, _PAUSE_MS, self)
        context.changed.connect(self._changed)

    def show(self, opened: Opened) -> None:
        """Another pair is open."""
        self._document = opened.a.key
        self._read()

    def there(self) -> bool:
        """Whether the open suspect is from a page with an address, or has a case."""
        standing = self.standing
        return standing is not None and bool(site_of(standing.page) or standing.history)

    def ask(self) -> None:
        """Ask for the case of the open suspect's page."""
        if self.standing is not None:
            self.dialog = CaseDialog(self._context, self.standing, self._window.window())
            self.dialog.open()

    def _changed(self, kinds: frozenset[str]) -> None:
        if kinds & {"watches", "runs"} and self._document:
            self._read()
        elif "labels" in kinds and self._document:
            # Most are verdicts, one after another; a case is one among them.
            self._pause.start()

    def _read(self) -> None:
        self._pause.stop()
        document = self._document

        def show(standing: Standing | None) -> None:
            if document != self._document:
                return
            self.standing = standing
            lines = [] if standing is None else [standing.page, *history_lines(standing.history)[-_PAST:]]
            words = standing_words(standing) if standing is not None and self.there() else ""
            self._panel.show_case(words, "\n".join(lines))
            self._context.actions.refresh(("review.case",))

        self._context.background(partial(read_standing, document=document), show, owner=self)
