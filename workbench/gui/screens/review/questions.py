"""Questions about a pair or a selected passage: why matched, why not; the menu of a pane."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QMenu

from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import tr
from workbench.gui.kit.parts import dress
from workbench.gui.screens.review.elsewhere_dialog import ElsewhereDialog
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import Opened
from workbench.gui.screens.review.why_dialog import WhyDialog
from workbench.gui.workspace.context import AppContext
from workbench.methods.core.api import Reason
from workbench.services.detecting.comparing import Answer, answer
from workbench.services.review.exclusions import ExclusionKind


class Questions(QObject):
    """Asks the method of the open run about the pair in ``pair``.

    ``exclusion_asked`` carries the kind of what is to be left out of the count, and which.
    """

    exclusion_asked = Signal(object, str)

    def __init__(self, context: AppContext, pair: PairPanel) -> None:
        super().__init__(pair)
        self._context, self._pair = context, pair

    def ask_why(self) -> None:
        """Explain the open pair; where text is selected in the pane used last, what concerns it comes first."""
        opened = self._pair.opened
        if opened is None:
            return
        pane = self._pair.current_pane()
        chosen = pane.selection if pane.selection.end > pane.selection.start else None
        run = opened.run
        # The first question loads the compiler, which takes seconds.
        self._context.say(tr("Working out why…"))
        self._context.aside(
            self._pair,
            answer,
            self._context.project,
            opened.a,
            opened.b,
            run.method,
            dict(run.parameters),
            chosen,
            pane is self._pair.right,
            done=lambda reply: self._show_why(reply, opened),
        )

    def ask_elsewhere(self) -> None:
        """Search the project for the passage selected in the pane used last."""
        opened, pane = self._pair.opened, self._pair.current_pane()
        if opened is None:
            return
        passage = pane.selected_text()
        if not passage:
            self._context.say(tr("Select a passage first, then look for it elsewhere."))
            return
        document = opened.a if pane is self._pair.left else opened.b
        ElsewhereDialog(self._context, passage, document, pane.selection, self._pair.window()).open()

    def show_holders(self) -> None:
        """Search the project for the suspect's passage of the active match."""
        opened, number = self._pair.opened, self._pair.active
        if opened is not None and number >= 0:
            span, passage = opened.matches.row(number).a_span, opened.passage(number)[0]
            ElsewhereDialog(self._context, passage, opened.a, span, self._pair.window()).open()

    def _show_why(self, reply: Answer, opened: Opened) -> None:
        of_text = reply.of_text
        number = None if of_text is None else opened.match_at(of_text.span, in_suspect=of_text.in_suspect)
        dialog = WhyDialog(self._context.theme, reply, number, self._pair.window())
        dress(dialog, self._context.theme)
        dialog.place_chosen.connect(self._to_reason)
        dialog.open()

    def _to_reason(self, reason: Reason) -> None:
        for pane, span in ((self._pair.left, reason.a_span), (self._pair.right, reason.b_span)):
            if span is not None:
                self._pair.sync.hold(True)
                pane.show_place(float(span.start), 0.3)
                pane.select(*span)
                self._pair.sync.hold(False)

    def menu(self, pane: DocumentView, place: QPoint) -> None:
        """Show at ``place`` what can be done in ``pane``."""
        menu = QMenu(self._pair)
        chosen = pane.selection.end > pane.selection.start
        menu.addAction(tr("Copy the text"), pane.copy).setEnabled(chosen)
        menu.addAction(tr("Find in both documents"), lambda: self._pair.finder.open(pane)).setEnabled(chosen)
        menu.addAction(tr("Find this elsewhere…"), self.ask_elsewhere).setEnabled(chosen)
        menu.addAction(tr("Why was this not matched?"), self.ask_why).setEnabled(chosen)
        phrase = menu.addAction(
            tr("Leave this phrase out of the count…"),
            lambda: self.exclusion_asked.emit(ExclusionKind.PHRASE, pane.selected_text()),
        )
        phrase.setEnabled(chosen)
        for key in ("review.exclude-source", "review.exclude-site"):
            menu.addAction(self._context.actions.qt(key))
        menu.addSeparator()
        for key in ("review.split", "review.join", "review.add", "review.counterpart", "review.swap", "review.why"):
            menu.addAction(self._context.actions.qt(key))
        menu.popup(place)
