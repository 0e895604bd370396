"""The panels of Review and their visibility; also the pages for a run without pairs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.verdict_panel import NoteField
from workbench.gui.kit.layouts import ThreePanes
from workbench.gui.kit.runs import RunBox
from workbench.gui.kit.widgets import EmptyState, apply_style, button
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.match_table import MatchTablePanel
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.screens.review.pair_loader import PairLoader
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.scores import ScoreList, ScorePanel, nothing_in_document
from workbench.gui.screens.review.suspect_panel import SuspectPanel
from workbench.gui.workspace.context import AppContext
from workbench.services.detecting.comparing import has_read
from workbench.services.review.overview import Overview


def empty_state(context: AppContext, overview: Overview, runs: QWidget) -> EmptyState:
    """Why there is nothing to review, and what to do next; ``runs`` leads to other runs."""
    theme, run = context.theme, overview.run
    detect = button(tr("Go to Detect"), lambda: context.show_view("detect"))
    detect.setProperty("kind", "primary")
    if not overview.documents:
        documents = button(tr("Go to Documents"), lambda: context.show_view("documents"))
        documents.setProperty("kind", "primary")
        sentence = tr("Import the texts to examine and the texts they may have been taken from.")
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, documents)
    if run is None:
        sentence = tr("Run a method over the documents: its results can be reviewed here, passage by passage.")
        return EmptyState(theme, "detect", tr("Nothing has been detected yet"), sentence, detect)
    examined = trn("{count} document was examined.", "{count} documents were examined.", run.documents)
    parts = [f"{say(reason)} ({count:,})" for reason, count in run.excluded.items()]
    left_out = tr("Left out: {parts}.", parts="; ".join(parts)) if parts else tr("Nothing was left out.")
    advice = tr("Other parameters or another method may find more.")
    title = tr("Run {number} found no matches", number=run.id)
    return EmptyState(theme, "review", title, f"{examined} {left_out} {advice}", runs, detect)


class OtherPages(QObject):
    """The pages of the stack ``pages`` other than the first, which shows pairs.

    ``run_chosen`` emits a run's number; ``passages_asked`` is that of ``scores``; ``ready`` is emitted when a page is
    shown.
    """

    run_chosen = Signal(int)
    passages_asked = Signal(int)
    ready = Signal()

    def __init__(self, context: AppContext, pages: QStackedWidget) -> None:
        super().__init__(pages)
        self._context, self._pages = context, pages
        self._empty: QWidget | None = None
        self._by_score = False

    @cached_property
    def scores(self) -> ScoreList:
        """The documents by score, built when first shown: most runs have none."""
        scores = ScoreList(self._context)
        scores.runs.chosen.connect(self.run_chosen)
        scores.passages_asked.connect(self.passages_asked)
        scores.ready.connect(self.ready)
        apply_style(scores, self._context.theme)
        self._pages.addWidget(scores)
        return scores

    def show_found(self, overview: Overview) -> None:
        """Show the passages or pairs of a run, or its documents by score if requested."""
        if self._by_score and overview.run is not None and overview.run.scores:
            self.show_overview(overview)
        else:
            self._pages.setCurrentIndex(0)

    def by_score(self, on: bool, overview: Overview) -> None:
        """Request the documents by score, or the passages and pairs."""
        self._by_score = on
        self.show_found(overview)

    def prefer_pairs(self) -> None:
        """Show a run by its passages or pairs from now on."""
        self._by_score = False

    def swap(self, overview: Overview) -> None:
        """Switch between the two."""
        self.by_score(self._pages.currentWidget() is not self.scores, overview)

    def show_unlisted(self, overview: Overview, key: int) -> None:
        """Show document ``key``, of which the run has no pairs, by score, or say that the run found nothing in it, or
        did not compare it.
        """
        run = overview.run
        assert run is not None
        if run.scores:
            self._by_score = True
            self.show_overview(overview, key)
            return

        def answer(was_read: bool) -> None:
            apart = tr("Run {run} did not compare the requested document; another is shown.", run=run.id)
            self._context.say(nothing_in_document(run.id) if was_read else apart, "warn")

        self._context.background(lambda session: has_read(session, run, key), answer, owner=self)

    def show_overview(self, overview: Overview, key: int = 0) -> None:
        """Show the documents that a run scored, at document ``key`` (0: the same as before), or that there is nothing
        to review.
        """
        if overview.run is not None and overview.run.scores:
            self._pages.setCurrentWidget(self.scores)
            self.scores.show_overview(overview, key)
            return
        if self._empty is not None:
            self._pages.removeWidget(self._empty)
            self._empty.deleteLater()
        runs = RunBox()
        runs.chosen.connect(self.run_chosen)
        self._empty = empty_state(self._context, overview, runs)
        if runs.parentWidget() is not None:
            runs.show_runs(overview.runs, overview.run)
        apply_style(self._empty, self._context.theme)
        self._pages.addWidget(self._empty)
        self._pages.setCurrentWidget(self._empty)
        self.ready.emit()


SUSPECTS_WIDTH, EVIDENCE_WIDTH = 300, 326
_SMALL = 1_320
"""Width below which the side panels are narrower, logical pixels."""
_LOW = 860
"""Height below which the histogram is folded, logical pixels."""


class Panels(QStackedWidget):
    """Builds and lays out the panels; also the pages for a run without passages.

    ``switched`` is emitted when another panel is shown.
    """

    switched = Signal()

    def build(self, context: AppContext) -> Iterator[None]:
        """Build the panels; yields after each."""
        theme = context.theme
        self.suspects = SuspectPanel(theme)
        yield
        self.pair = PairPanel(theme, context.actions)
        yield
        self.table = MatchTablePanel(theme)
        yield
        self.scores = ScorePanel(theme)
        yield
        self.evidence = EvidencePanel(theme)
        yield
        self._without_evidence = False
        self.folds: bool | None = None
        """Whether the histogram is folded; None until the user chooses: then folded in a low window."""
        self.centre = QStackedWidget()
        self.centre.addWidget(self.pair)
        self.centre.addWidget(self.table)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.centre, 1)
        column.addWidget(self.scores)
        self.body = ThreePanes((self.suspects, middle, self.evidence), (SUSPECTS_WIDTH, EVIDENCE_WIDTH), _SMALL)
        self.suspects.setMinimumWidth(200)
        self.evidence.setMinimumWidth(250)
        self.addWidget(self.body)
        yield
        self.other = OtherPages(context, self)
        self.scores.fold_asked.connect(self.fold_scores)
        self.scores.threshold_changed.connect(self.set_threshold)

    def styled_widgets(self) -> list[QWidget]:
        """The widgets that have the style sheet, largest first."""
        return [self.pair, self.suspects, self.evidence, self.scores, self.table]

    def fit(self, size: QSize) -> None:
        """In a small window, narrow the side panels and fold the histogram, until the user resizes them."""
        self.body.fit(size.width())
        if self.folds is None:
            self.scores.fold(size.height() < _LOW)

    # -- which are shown

    def table_shown(self) -> bool:
        """Whether the table of all matches is visible, so that keys act on its selected rows."""
        return self.currentWidget() is self.body and self.centre.currentWidget() is self.table

    def texts_shown(self) -> bool:
        """Whether a pair is visible."""
        here = self.currentWidget() is self.body and self.centre.currentWidget() is self.pair
        return here and self.pair.opened is not None

    def show_table(self, on: bool) -> None:
        """Show the table of all matches, in the space of the texts and the evidence; or the texts."""
        self.centre.setCurrentWidget(self.table if on else self.pair)
        self.evidence.setVisible(not on and not self._without_evidence)
        if on:
            self.evidence.flush()
            self.table.refresh()
            self.table.table.setFocus()
        self.switched.emit()

    def toggle_list(self) -> None:
        """Show or hide the suspects."""
        self.suspects.setVisible(self.suspects.isHidden())

    def toggle_evidence(self) -> None:
        """Show or hide the evidence, leaving its space to the texts."""
        self.evidence.flush()
        self._without_evidence = not self._without_evidence
        self.evidence.setVisible(not self._without_evidence and not self.table_shown())

    def fold_scores(self, on: bool) -> None:
        """Fold the histogram to a strip, or show it."""
        self.folds = on
        self.scores.fold(on)

    def show_one_pair(self, on: bool) -> None:
        """Show one pair large, with its dot plot; or with the list and the histogram."""
        self.suspects.setVisible(not on)
        self.scores.setVisible(not on)
        self.pair.show_dots(on)

    # -- what they show

    def follow(self, opening: PairLoader) -> None:
        """Show the data that ``opening`` reads."""
        opening.run_read.connect(lambda changed: self.show_overview(opening.overview, changed=changed))
        opening.nothing_found.connect(lambda key: self.other.show_overview(opening.overview, key))
        opening.unlisted.connect(lambda key: self.other.show_unlisted(opening.overview, key))
        opening.grouped.connect(lambda grouping: self.suspects.show_grouping(opening.overview, grouping))
        opening.judged.connect(lambda: self.show_judged(opening.overview))
        opening.leaving.connect(self.flush)
        opening.pair_read.connect(self.show_pair)
        opening.kept.connect(lambda opened: self.suspects.mark(opened.a.key, opened.b.key))

    def show_overview(self, overview: Overview, *, changed: bool) -> None:
        """Show the lists of ``overview``; ``changed``: whether it is of another run than before."""
        self.other.show_found(overview)
        assert overview.columns is not None
        assert overview.judged is not None
        self.scores.show_run(overview.columns, overview.judged)
        self.suspects.show_overview(overview)
        self.table.set_columns(overview.columns, overview.judged)
        self.pair.show_removed(overview.removed, overview.replaced)
        if changed:
            self.set_threshold(self.scores.threshold)

    def show_judged(self, overview: Overview) -> None:
        """Show ``overview``, which differs from the shown one only in its verdicts."""
        if overview.columns is not None and overview.judged is not None:
            self.scores.show_run(overview.columns, overview.judged)
            self.suspects.show_judged(overview.judged)
            self.table.set_columns(overview.columns, overview.judged)

    def show_pair(self, opened: PairData) -> None:
        """Show the texts of a pair; no match is active yet."""
        # A note being typed keeps its subject, and the focus.
        typing = [note.defer_change() for note in self._notes()]
        if not any(typing):
            self.leave_evidence()
        self.suspects.mark(opened.a.key, opened.b.key)
        self.show_table(False)
        self.evidence.clear()
        self.pair.show_pair(opened)
        if opened.whole:
            self.evidence.show_whole(opened)
            self.evidence.whole.show_pair(opened)

    def set_threshold(self, threshold: float) -> None:
        """Show only matches that score at least ``threshold``."""
        self.suspects.set_threshold(threshold)
        self.pair.set_threshold(threshold)
        self.table.set_threshold(threshold)

    # -- the keyboard

    def leave_evidence(self) -> None:
        """Move the focus to the text from a panel that is about to show another match."""
        focused = self.evidence.window().focusWidget()
        if focused is not None and self.evidence.isAncestorOf(focused):
            self.pair.current_pane().setFocus()

    def flush(self) -> None:
        for note in self._notes():
            note.flush()

    def _notes(self) -> tuple[NoteField, ...]:
        panels = (self.evidence.verdict, self.evidence.whole.verdict, self.suspects.verdict)
        return tuple(panel.note for panel in panels)
