"""Explanations of matches, searches for other occurrences, and the menu of both."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.base.errors import UserError
from workbench.base.messages import reason
from workbench.base.types import Document, Role, Span
from workbench.gui.document.pane import DocumentPane
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.code_points import visible
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import EmptyState, apply_style, button, caption, heading, label, row
from workbench.gui.kit.words import role_word
from workbench.gui.screens.review.by_hand import add_match
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.theme.manager import Theme
from workbench.gui.workspace.context import AppContext
from workbench.methods.core.api import Reason
from workbench.services import queries
from workbench.services.detecting.comparing import PairExplanation, answer
from workbench.services.detecting.searching import Elsewhere, find_elsewhere
from workbench.services.review.exclusions import ExclusionKind


class WhyDialog(QDialog):
    """Shows why a pair, or the chosen text, matched or not, and lists the rules in order.

    ``place_chosen`` emits the Reason whose place is requested.
    """

    place_chosen = Signal(object)

    def __init__(
        self, theme: Theme, answer: PairExplanation, match: int | None = None, parent: QWidget | None = None
    ) -> None:
        """``match`` is the number of the match that contains the chosen text, if any."""
        super().__init__(parent)
        of_text = answer.of_text
        explanation = answer.explanation if of_text is None else of_text.explanation
        self.setWindowTitle(tr("Why it matched, or why not"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(620, 480)
        self.headline = heading(_headline(answer, match))
        self.lines = [label(visible(words), wrap=True) for words in _sentences(answer, match)]
        self.list = QListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setObjectName("choices")
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(tr("Reasons"))
        for entry in explanation.reasons:
            mark = theme.icon("circle-check" if entry.passed else "circle-cross", "ok" if entry.passed else "danger")
            words = _reason_words(entry)
            item = QListWidgetItem(mark, words)
            item.setData(Qt.ItemDataRole.UserRole, entry)
            state = tr("passed") if entry.passed else tr("not passed")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{words}, {state}")
            self.list.addItem(item)
        self.list.itemActivated.connect(self._go)
        self.list.itemClicked.connect(self._go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(self.headline)
        for line in self.lines:
            layout.addWidget(line)
        layout.addWidget(
            caption(tr("The rules, for this text by itself") if of_text else tr("The rules, for the pair"))
        )
        layout.addWidget(self.list, 1)
        layout.addLayout(row(None, button(tr("Close"), self.close)))

    def _go(self, item: QListWidgetItem) -> None:
        reason: Reason = item.data(Qt.ItemDataRole.UserRole)
        if reason.a_span is not None or reason.b_span is not None:
            self.place_chosen.emit(reason)


def _headline(answer: PairExplanation, match: int | None) -> str:
    of_text = answer.of_text
    if of_text is None:
        return tr("This pair matched") if answer.explanation.matched else tr("This pair did not match")
    if match is not None:
        return tr("This text is part of match {number}", number=f"{match + 1:,}")
    return tr("This text alone would match") if of_text.explanation.matched else tr("This text did not match")


def _sentences(answer: PairExplanation, match: int | None) -> list[str]:
    """The introduction to the rules: the place of the text, the settings used, and what decided."""
    of_text = answer.of_text
    alone = [tr("The run's index no longer exists: the values are based on these two texts alone.")]
    if of_text is None:
        return [say(answer.explanation.summary), *(alone if not answer.of_collection else [])]
    if of_text.places:
        first = f"{of_text.places[0].start:,}–{of_text.places[0].end:,}"
        count = trn("at {count} place", "at {count} places", len(of_text.places))
        sentences = [tr("The same text is in the other document, {count}, first at {span}.", count=count, span=first)]
    else:
        sentences = [tr("The other document does not contain the whole of this text.")]
    span = f"{of_text.span.start:,}–{of_text.span.end:,}"
    if of_text.of_source and of_text.in_suspect:
        sentences.append(tr("Whole sentences are compared: the rules apply to characters {span} there.", span=span))
    elif of_text.span != of_text.chosen:
        sentences.append(tr("Whole sentences are compared: the rules apply to characters {span}.", span=span))
    explanation = of_text.explanation
    if explanation.matched and match is None:
        sentences.append(tr("The run found no match here."))
    if match is None and not explanation.matched:
        sentences += [tr("Decided by: {rule}", rule=_reason_words(reason)) for reason in explanation.deciding]
    if not of_text.in_suspect:
        alone = [tr("Only the source contains these sentences: the values are based on these two texts alone.")]
    return sentences + ([] if answer.of_collection else alone)


def _reason_words(reason: Reason) -> str:
    rule = say(reason.rule)
    return f"{rule[:1].upper()}{rule[1:]} — {visible(say(reason.detail))}"


_QUOTED = 200
"""Number of characters of the passage shown in the dialog."""


class ElsewhereDialog(QDialog):
    """Searches the project's other documents for ``passage``, ``span`` of ``document``; closing the dialog ends the
    search.
    """

    def __init__(self, context: AppContext, passage: str, document: Document, span: Span, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Find this elsewhere"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(980, 600)
        self._context = context
        self._spans: dict[int, Span] = {}
        columns = [
            Column("title", tr("Document")),
            Column("role", tr("Role"), role_word, width=92),
            Column("times", tr("Whole passage"), whole, numeric=True, width=104),
            Column("sentences", tr("Sentences"), whole, numeric=True, width=90),
        ]
        self.model = ColumnsModel(columns, "key", self)
        self.table = Table(self.model, tr("Documents that contain the passage"), many=False)
        self.table.selected.connect(self._chosen)
        self.pane = DocumentPane(context, tr("Select a document to see where it contains the text."))
        self.answer = label(tr("Searching…"), 13, role="muted", wrap=True)
        nothing = tr("Neither the passage nor any of its sentences occurs in another document of this project.")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.table)
        self._pages.addWidget(EmptyState(context.theme, "search", tr("Nowhere else"), nothing))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(10)
        split.addWidget(self._pages)
        split.addWidget(self.pane)
        split.setSizes([470, 490])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        quoted = passage[:_QUOTED].replace("\n", " ") + ("…" if len(passage) > _QUOTED else "")
        layout.addWidget(heading(tr("Find this elsewhere")))
        layout.addWidget(label(quoted, 13, wrap=True, language=document.language))
        layout.addWidget(self.answer)
        layout.addWidget(split, 1)
        self._document, self._span = document, span
        self.add = button(tr("Add as a match"), self._add)
        self.add.setEnabled(False)
        layout.addLayout(row(self.add, None, button(tr("Close"), self.close)))
        if context.project is None:
            raise UserError("There is no open project.")
        context.aside(
            self, find_elsewhere, context.project, passage, document.key, done=self._show, failed=self._refuse
        )

    def _show(self, elsewhere: Elsewhere) -> None:
        places = elsewhere.places
        self._spans = {place.key: place.span for place in places}
        self.model.set_values(
            {
                "key": [p.key for p in places],
                "title": [p.title or p.id for p in places],
                "role": [p.role.value for p in places],
                "times": [p.times for p in places],
                "sentences": [p.sentences for p in places],
            }
        )
        self._pages.setCurrentIndex(0 if places else 1)
        searched = trn("{count} document was searched", "{count} documents were searched", elsewhere.documents)
        sentence = tr("{searched}. Width, case, symbols and spaces make no difference.", searched=searched)
        self.answer.setText(sentence)
        if places:
            self.table.select_keys([places[0].key])
            self.table.setFocus()

    def _refuse(self, error: Exception) -> None:
        self.answer.setText(say(reason(error)))

    def _add(self) -> None:
        """Add the passage and the shown place as a match."""
        other = self.pane.document
        if other is not None and other.key in self._spans:
            sides = [(self._document, self._span), (other, self._spans[other.key])]
            # The suspect comes first, whichever side was searched.
            sides.sort(key=lambda side: side[0].role is not Role.SUSPECT)
            add_match(self._context, *sides[0], *sides[1])

    def _chosen(self) -> None:
        for key in self.table.chosen_keys():
            self._context.latest(self, "document", queries.document(key), self._read)

    def _read(self, document: Document) -> None:
        if document.key in self.table.chosen_keys():
            self.pane.show_document(document)
            span = self._spans[document.key]
            self.add.setEnabled(True)
            self.pane.text.set_regions([span])
            self.pane.text.show_place(float(span.start))


class Questions(QObject):
    """Asks the method of the open run about the pair in ``pair``.

    ``exclusion_asked`` emits the kind and the value of a proposed exclusion.
    """

    exclusion_asked = Signal(object, str)

    def __init__(self, context: AppContext, pair: PairPanel) -> None:
        super().__init__(pair)
        self._context, self._pair = context, pair

    def ask_why(self) -> None:
        """Explain the open pair; if text is selected in the last used pane, its explanation comes first."""
        opened = self._pair.opened
        if opened is None:
            return
        pane = self._pair.current_pane()
        chosen = pane.selection if pane.selection.end > pane.selection.start else None
        run = opened.run
        # The first question loads the compiler, which takes seconds.
        self._context.say(tr("Finding out why…"))
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
        """Search the project for the passage selected in the last used pane."""
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

    def _show_why(self, reply: PairExplanation, opened: PairData) -> None:
        of_text = reply.of_text
        number = None if of_text is None else opened.match_at(of_text.span, in_suspect=of_text.in_suspect)
        dialog = WhyDialog(self._context.theme, reply, number, self._pair.window())
        apply_style(dialog, self._context.theme)
        dialog.place_chosen.connect(self._to_reason)
        dialog.open()

    def _to_reason(self, reason: Reason) -> None:
        for pane, span in ((self._pair.left, reason.a_span), (self._pair.right, reason.b_span)):
            if span is not None:
                self._pair.sync.set_paused(True)
                pane.show_place(float(span.start), 0.3)
                pane.select(*span)
                self._pair.sync.set_paused(False)

    def menu(self, pane: DocumentView, place: QPoint) -> None:
        """Show the menu of ``pane`` at ``place``."""
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
