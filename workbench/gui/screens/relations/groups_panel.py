"""The left side of Relations: the run, which pairs count, clusters and stitched pages."""

from __future__ import annotations

from math import floor

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.i18n import tr, trn
from workbench.gui.judging.standing_words import show_used
from workbench.gui.kit.cards import card_list
from workbench.gui.kit.option_fields import OptionFields
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.runs import RunBox
from workbench.gui.kit.widgets import button, heading, label, line, row
from workbench.gui.screens.relations.groups import SCOPE_ROLE, GroupDelegate, GroupModel
from workbench.gui.screens.relations.run import RelationRun, Scope
from workbench.gui.theme.fonts import font
from workbench.gui.theme.manager import Theme
from workbench.services.measuring.thresholds import UsedThreshold
from workbench.services.relations.clusters import ClusterOptions, Clusters
from workbench.services.relations.options import StitchedOptions
from workbench.services.relations.pair_columns import PairColumns
from workbench.services.relations.stitched import Stitched

_TYPING_PAUSE_MS = 300


class StitchedLimits(QWidget):
    """Three numbers; ``changed`` is emitted after a pause in typing."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._pause = after_pause(self.changed.emit, _TYPING_PAUSE_MS, self)
        self.fields = OptionFields(StitchedOptions, {})
        self.fields.changed.connect(self._pause.start)
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 0, 12, 9)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(0, 1)
        for place, field in enumerate(self.fields.fields.values()):
            words = label(field.widget.accessibleName(), 12, role="muted", wrap=True)
            words.setBuddy(field.widget)
            field.widget.setFixedWidth(92)
            grid.addWidget(words, place, 0)
            grid.addWidget(field.widget, place, 1)

    def options(self) -> StitchedOptions:
        """The current limits."""
        return self.fields.chosen()


_PAUSE_MS = 250


class GroupsPanel(QFrame):
    """``run_chosen`` carries a run's number, ``scope_chosen`` a Scope; ``options_changed`` asks for clusters.

    ``limits_changed`` asks for stitched pages.
    """

    run_chosen = Signal(int)
    scope_chosen = Signal(object)
    options_changed = Signal()
    limits_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.model = GroupModel(self)
        self.runs = RunBox()
        self.runs.chosen.connect(self.run_chosen)
        self._count = label("", 12, role="faint", tabular=True)
        self._pause = after_pause(self.options_changed.emit, _PAUSE_MS, self)
        self.figure = QComboBox()
        self.figure.setAccessibleName(tr("Figure of pairs"))
        self.figure.activated.connect(lambda _at: self._figure_chosen())
        self.threshold = QDoubleSpinBox()
        self.threshold.setAccessibleName(tr("Lowest figure of a pair"))
        self.threshold.setFont(font(13, tabular=True))
        self.threshold.setKeyboardTracking(False)
        self.threshold.valueChanged.connect(lambda _value: self._pause.start())
        self._used = label("", 12, role="ok", tabular=True)
        self._used.setContentsMargins(14, 0, 12, 8)
        self._used.hide()
        self._begun_at: UsedThreshold | None = None
        self.limits = StitchedLimits()
        self.limits.changed.connect(self.limits_changed)
        self.limits.hide()
        self.clusters_chip = button(tr("Clusters"), lambda: self.show_list(stitched=False), kind="chip")
        self.stitched_chip = button(tr("Stitched pages"), lambda: self.show_list(stitched=True), kind="chip")
        self.clusters_chip.setChecked(True)
        self._delegate = GroupDelegate(theme)
        self.list = card_list(self.model, self._delegate, tr("Clusters of pages"))
        self.list.selectionModel().currentChanged.connect(self._picked)
        self.note = label("", 12, role="muted", wrap=True)
        self.note.setContentsMargins(14, 12, 14, 12)
        self.note.hide()
        self._scope = Scope()
        self._reason = ""
        self._columns: PairColumns | None = None
        self._build()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addLayout(row(heading(tr("Pages")), self._count, None, margins=(14, 10, 12, 6)))
        layout.addLayout(row(self.runs, margins=(12, 0, 12, 6)))
        options = row(self.figure, label("≥", 13, role="muted"), self.threshold, margins=(12, 0, 12, 8), spacing=6)
        options.setStretch(0, 1)
        self.threshold.setFixedWidth(78)
        self.threshold.setAlignment(Qt.AlignmentFlag.AlignRight)
        layout.addLayout(options)
        layout.addWidget(self._used)
        layout.addLayout(row(self.clusters_chip, self.stitched_chip, None, margins=(12, 0, 10, 9), spacing=5))
        layout.addWidget(self.limits)
        layout.addWidget(line())
        layout.addWidget(self.note)
        layout.addWidget(self.list, 1)

    # -- options

    def options(self) -> ClusterOptions:
        """Which pairs are edges."""
        return ClusterOptions(str(self.figure.currentData() or ""), self.threshold.value())

    def show_run(self, run: RelationRun) -> None:
        """List the runs, and the figures of the chosen one; the figure is kept if the run has it."""
        self.runs.show_runs(run.runs, run.run)
        if run.columns is None:
            return
        names = {"resemblance": tr("Resemblance"), "containment": tr("Simpson"), "score": tr("Score")}
        figures = run.columns.figures()
        before = self.figure.currentData()
        self.figure.clear()
        for name in figures:
            self.figure.addItem(names[name], name)
        figure = before if before in figures else run.columns.usual_figure()
        self.figure.setCurrentIndex(figures.index(figure))
        self._columns = run.columns
        self._range()

    def begin_at(self, used: UsedThreshold | None) -> None:
        """Begin at the project's threshold for pairs, and name it; None: there is none (any more)."""
        before, self._begun_at = self._begun_at, used
        show_used(self._used, used)
        if used is None:
            if before is not None:
                with QSignalBlocker(self.threshold):
                    self.threshold.setValue(self.threshold.minimum())
            return
        at = self.figure.findData("score")
        self.figure.setCurrentIndex(at)
        self._range()
        with QSignalBlocker(self.threshold):
            self.threshold.setDecimals(4)
            # Rounded down: the pair that scores exactly so much belongs in.
            self.threshold.setValue(floor(used.value * 10_000) / 10_000)

    def _figure_chosen(self) -> None:
        self._range()
        self.options_changed.emit()

    def _range(self) -> None:
        """Limits of the threshold for the chosen figure."""
        if self._columns is None:
            return
        values = self._columns.figure(str(self.figure.currentData()))
        most = float(np.nanmax(values, initial=0.0))
        share = most <= 1
        with QSignalBlocker(self.threshold):
            self.threshold.setDecimals(2 if share else 0)
            self.threshold.setRange(0, 1 if share else max(1.0, most))
            self.threshold.setSingleStep(0.05 if share else max(1.0, round(most / 50)))

    # -- lists

    def show_clusters(self, run: RelationRun, clusters: Clusters, *, splitting: bool = False) -> None:
        """Show the clusters of a run; ``splitting``: the large ones are being split."""
        self.model.show_clusters(run, clusters)
        self.clusters_chip.setText(f"{tr('Clusters')} {len(clusters.clusters):,}{' …' * splitting}")
        self.clusters_chip.setToolTip(tr("Large clusters are being split into communities.") if splitting else "")
        self._count.setText(f"{len(clusters.pages):,}")
        self._mark()

    def show_stitched(self, run: RelationRun, stitched: Stitched | None, reason: str = "") -> None:
        """Show the stitched pages of a run; None while they are being searched for, or if there cannot be any (for a
        ``reason``).
        """
        pages = None if stitched is None else stitched.pages
        self.model.show_stitched(run, pages or ())
        count = "…" if pages is None and not reason else "–" if reason else f"{len(pages or ()):,}"
        self.stitched_chip.setText(f"{tr('Stitched pages')} {count}")
        self._reason = reason or (
            "" if pages or pages is None else tr("With these limits no page is assembled from unrelated pages.")
        )
        if stitched is not None and stitched.undecided:
            undecided = trn(
                "{count} page is undecided: the search limit for unrelated sources was reached.",
                "{count} pages are undecided: the search limit for unrelated sources was reached.",
                stitched.undecided,
            )
            self._reason = " ".join(filter(None, (self._reason, undecided)))
        self._note()
        self._mark()

    def show_list(self, *, stitched: bool) -> None:
        """Switch between clusters and stitched pages."""
        self.clusters_chip.setChecked(not stitched)
        self.stitched_chip.setChecked(stitched)
        self.model.set_stitched(stitched)
        self.limits.setVisible(stitched)
        self.list.setAccessibleName(tr("Stitched pages") if stitched else tr("Clusters of pages"))
        self._note()
        self._mark()
        if stitched and self.model.rowCount() and self._scope.stitched is None:
            self.choose(self.model.scope_at(0))
        elif not stitched and self._scope.stitched is not None:
            self.choose(Scope())

    def choose(self, scope: Scope) -> None:
        """Select a scope, and announce it."""
        self.set_scope(scope)
        self.scope_chosen.emit(scope)

    def set_scope(self, scope: Scope) -> None:
        """Select a scope without announcing it."""
        self._scope = scope
        self._mark()

    @property
    def scope(self) -> Scope:
        """The selected scope."""
        return self._scope

    def _note(self) -> None:
        self.note.setText(self._reason)
        self.note.setVisible(self.model.stitched and bool(self._reason))

    def _mark(self) -> None:
        at = self.model.row_of(self._scope)
        selection = self.list.selectionModel()
        with QSignalBlocker(selection):
            flags = QItemSelectionModel.SelectionFlag
            selection.setCurrentIndex(self.model.index(at) if at >= 0 else QModelIndex(), flags.ClearAndSelect)
        if at >= 0:
            self.list.scrollTo(self.model.index(at))
        self.list.viewport().update()

    def _picked(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid():
            self._scope = index.data(SCOPE_ROLE)
            self.scope_chosen.emit(self._scope)
