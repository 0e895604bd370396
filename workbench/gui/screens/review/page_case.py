"""The page that the open suspect is from: whether it is online, what is being done about it, and which of the two texts
was taken from the other.
"""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import say
from workbench.gui.judging.case_giving import CaseDialog
from workbench.gui.judging.standing_words import history_lines, standing_words
from workbench.gui.kit.pauses import after_pause
from workbench.gui.screens.review.reading import Opened
from workbench.gui.screens.review.suspect_panel import SuspectPanel
from workbench.gui.workspace.context import AppContext
from workbench.reading.formats.html import site_of
from workbench.services.relations.direction import Verdict, in_words
from workbench.services.relations.directions import read_direction
from workbench.services.session import Session
from workbench.services.watching.standing import Standing, read_standing

_PAUSE_MS = 300
"""Milliseconds without another label after which the case is read again."""
_PAST = 8
"""Events of a case that its tooltip lists; the dialog lists all."""


class PageCase(QObject):
    """Shows the standing of the open suspect's page below the suspects, and asks for its case."""

    def __init__(self, context: AppContext, panel: SuspectPanel, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._panel, self._window = context, panel, parent
        self._document = self._source = 0
        self.standing: Standing | None = None
        self.dialog: CaseDialog | None = None
        """The dialog shown last."""
        self._pause = after_pause(self._read, _PAUSE_MS, self)
        context.changed.connect(self._changed)

    def show(self, opened: Opened) -> None:
        """Another pair is open."""
        self._document, self._source = opened.a.key, opened.b.key
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
        shown = self._document, self._source

        def read(session: Session) -> tuple[Standing | None, Verdict | None]:
            return read_standing(session, shown[0]), read_direction(*shown)(session)

        def show(known: tuple[Standing | None, Verdict | None]) -> None:
            if shown != (self._document, self._source):
                return
            self.standing, direction = known
            standing = self.standing
            lines = [] if standing is None else [standing.page, *history_lines(standing.history)[-_PAST:]]
            words = [standing_words(standing)] if standing is not None and self.there() else []
            if direction is not None:
                words.append(say(in_words(direction.direction, own=False)))
                lines.append(say(direction.in_words))
            self._panel.show_case(" · ".join(words), "\n".join(lines))
            self._context.actions.refresh(("review.case",))

        self._context.background(read, show, owner=self)
