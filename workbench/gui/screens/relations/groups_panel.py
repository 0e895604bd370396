"""The left side of Relations: the run, the threshold for pairs, clusters and stitched pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QVBoxLayout,
    QWidget,
)

from workbench.base.messages import percent
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.evidence_words import pair_score_name
from workbench.gui.judging.standing_words import show_used
from workbench.gui.kit.cards import LEFT, RIGHT, CardDelegate, card_list, draw_line
from workbench.gui.kit.option_fields import OptionFields
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.runs import RunBox
from workbench.gui.kit.widgets import ChoiceBox, ThresholdField, button, heading, label, line, row
from workbench.gui.kit.words import score_figure
from workbench.gui.problems import guarded
from workbench.gui.screens.relations.run import RelationRun, Scope
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens
from workbench.services.measuring.thresholds import UsedThreshold
from workbench.services.relations.clusters import Cluster, ClusterOptions, Clusters
from workbench.services.relations.options import StitchedOptions
from workbench.services.relations.pair_columns import PairColumns
from workbench.services.relations.stitched import Stitched, StitchedPage

Index = QModelIndex | QPersistentModelIndex
GROUP_ROLE = Qt.ItemDataRole.UserRole
SCOPE_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Group:
    """A row: ``title`` with ``figure`` to its right, two lines below, and a bar for ``share`` (None: no bar)."""

    title: str
    figure: str
    second: str
    third: str
    share: float | None = None
    language: str = ""


@guarded
class GroupModel(QAbstractListModel):
    """All pages and then the clusters, the largest first; or the stitched pages."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run = RelationRun()
        self._clusters: Clusters | None = None
        self._stitched: Sequence[StitchedPage] = ()
        self.stitched = False

    def show_clusters(self, run: RelationRun, clusters: Clusters) -> None:
        """Replace the clusters."""
        self.beginResetModel()
        self._run, self._clusters = run, clusters
        self.endResetModel()

    def show_stitched(self, run: RelationRun, pages: Sequence[StitchedPage]) -> None:
        """Replace the stitched pages, which may arrive before the clusters of their run."""
        self.beginResetModel()
        if run.columns is not self._run.columns:
            self._clusters = None
        self._run, self._stitched = run, pages
        self.endResetModel()

    def set_stitched(self, on: bool) -> None:
        """List stitched pages, or clusters."""
        self.beginResetModel()
        self.stitched = on
        self.endResetModel()

    def scope_at(self, row: int) -> Scope:
        """The scope of row ``row``."""
        return Scope(stitched=self._stitched[row]) if self.stitched else Scope(row - 1)

    def row_of(self, scope: Scope) -> int:
        """The row of ``scope``; -1 if it is not listed."""
        if self.stitched:
            keys = [page.key for page in self._stitched]
            return keys.index(scope.stitched.key) if scope.stitched and scope.stitched.key in keys else -1
        return scope.cluster + 1 if scope.stitched is None and scope.cluster + 1 < self.rowCount() else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        if parent.isValid():
            return 0
        if self.stitched:
            return len(self._stitched)
        return 0 if self._clusters is None else len(self._clusters.clusters) + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return self.group(index.row()).title
            case Qt.ItemDataRole.AccessibleTextRole:
                group = self.group(index.row())
                return ", ".join(part for part in (group.title, group.figure, group.second, group.third) if part)
            case _ if role == GROUP_ROLE:
                return self.group(index.row())
            case _ if role == SCOPE_ROLE:
                return self.scope_at(index.row())
        return None

    def group(self, row: int) -> Group:
        """Row ``row`` as drawn."""
        if self.stitched:
            return self._stitched_row(self._stitched[row])
        assert self._clusters is not None
        return self._all() if row == 0 else self._cluster(self._clusters.clusters[row - 1])

    def _all(self) -> Group:
        clusters = self._clusters
        assert clusters is not None
        alone = (
            trn("{count} page in no cluster", "{count} pages in no cluster", clusters.alone) if clusters.alone else ""
        )
        pairs = trn("{count} pair", "{count} pairs", clusters.pairs)
        return Group(tr("All pages"), f"{len(clusters.pages):,}", pairs, alone or tr("Every page is in a cluster"))

    def _cluster(self, cluster: Cluster) -> Group:
        assert self._clusters is not None
        key = int(cluster.keys[0])
        language = self._run.columns.items[key].language if self._run.columns is not None else ""
        sites = ", ".join(cluster.sites[:3]) + (f" +{len(cluster.sites) - 3:,}" if len(cluster.sites) > 3 else "")
        others = trn("and {count} other page", "and {count} other pages", len(cluster.keys) - 1)
        low, high = map(score_figure, (cluster.weakest, cluster.strongest))
        spread = low if low == high else f"{low}–{high}"
        pairs = trn("{count} pair", "{count} pairs", cluster.pairs)
        third = f"{pairs} · {spread}"
        if cluster.component > len(cluster.keys):
            third += " · " + tr("part of a group of {count} pages", count=f"{cluster.component:,}")
        return Group(self._run.title(key), f"{len(cluster.keys):,}", sites or others, third, language=language)

    def _stitched_row(self, page: StitchedPage) -> Group:
        language = self._run.columns.items[page.key].language if self._run.columns is not None else ""
        sources = trn("from {count} page", "from {count} pages", len(page.sources))
        site = self._run.site(page.key)
        third = tr(
            "{covered} of {total} characters of its content", covered=f"{page.covered:,}", total=f"{page.length:,}"
        )
        title = self._run.title(page.key)
        return Group(title, percent(page.share), " · ".join(filter(None, (site, sources))), third, page.share, language)


_HEIGHT = 70
_BAR = 72


class GroupDelegate(CardDelegate):
    """Draws three lines: title and figure; the second line; the third, with a bar if there is a share."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, _HEIGHT, GROUP_ROLE)

    def draw(self, painter: QPainter, item: Group, tokens: Tokens, area: QRect) -> None:
        """Draw one group."""
        left, width, top = area.left() + 14, area.width() - 28, area.top()
        figure = font(14, SEMIBOLD, tabular=True)
        used = draw_line(painter, item.figure, figure, tokens.text, QRect(left, top + 8, width, 18), RIGHT)
        title = font(13, SEMIBOLD, language=item.language)
        draw_line(painter, item.title, title, tokens.text, QRect(left, top + 8, width - used - 10, 18), LEFT)
        draw_line(painter, item.second, font(12), tokens.text2, QRect(left, top + 27, width, 18), LEFT)
        room = width - (0 if item.share is None else _BAR + 8)
        draw_line(painter, item.third, font(11, tabular=True), tokens.text3, QRect(left, top + 46, room, 16), LEFT)
        if item.share is not None:
            bar = QRectF(area.right() - 14 - _BAR, top + 52, _BAR, 5)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.track))
            painter.drawRoundedRect(bar, 2.5, 2.5)
            painter.setBrush(QColor(tokens.accent))
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(4.0, _BAR * min(1.0, item.share)), 5), 2.5, 2.5)


_TYPING_PAUSE_MS = 300


class StitchedLimits(QWidget):
    """Fields for three numbers; ``changed`` is emitted after a pause in typing."""

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
    """``run_chosen`` emits a run's number, ``scope_chosen`` a Scope; ``options_changed`` requests clusters.

    ``limits_changed`` requests stitched pages.
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
        self.figure = ChoiceBox()
        self.figure.setAccessibleName(tr("Value of pairs"))
        self.figure.activated.connect(lambda _at: self._figure_chosen())
        self.threshold = ThresholdField(tr("Lowest value of a pair"))
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
        """The options that decide which pairs are edges."""
        return ClusterOptions(str(self.figure.currentData() or ""), self.threshold.value())

    def show_run(self, run: RelationRun) -> None:
        """List the runs, and the figures of the chosen one; the figure is kept if the run has it."""
        self.runs.show_runs(run.runs, run.run)
        if run.columns is None:
            return
        names = {"resemblance": tr("Resemblance"), "containment": tr("Simpson")}
        names["score"] = pair_score_name(sums=run.columns.sums)
        figures = run.columns.figures()
        before = self.figure.currentData()
        self.figure.clear()
        for name in figures:
            self.figure.addItem(names[name], name)
        figure = before if before in figures else run.columns.usual_figure()
        self.figure.setCurrentIndex(figures.index(figure))
        # The threshold may have more decimals than a new range gives it.
        if figure != before or run.columns is not self._columns:
            self._columns = run.columns
            self._range()

    def begin_at(self, used: UsedThreshold | None) -> None:
        """Start at the project's threshold for pairs, and show it; None: there is none (any more)."""
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
        # Rounded down, it includes the pair with exactly this score.
        self.threshold.show_threshold(used.value)

    def _figure_chosen(self) -> None:
        self._range()
        self.options_changed.emit()

    def _range(self) -> None:
        """Set the limits of the threshold for the chosen figure."""
        if self._columns is None:
            return
        values = self._columns.figure(str(self.figure.currentData()))
        most = float(np.nanmax(values, initial=0.0))
        share = most <= 1
        with QSignalBlocker(self.threshold):
            self.threshold.set_scores(0, 1 if share else max(1.0, most), whole=False)
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
        """Show the stitched pages of a run; None while the search is running, or if there cannot be any (then with a
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
        """Select a scope, and emit the change."""
        self.set_scope(scope)
        self.scope_chosen.emit(scope)

    def set_scope(self, scope: Scope) -> None:
        """Select a scope without emitting a signal."""
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
