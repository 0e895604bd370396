"""Clusters and stitched pages as a list of cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from workbench.base.percent import percent
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.cards import LEFT, RIGHT, CardDelegate, draw_line
from workbench.gui.problems.guard import guarded
from workbench.gui.screens.relations.run import RelationRun, Scope
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens
from workbench.services.relations.clusters import Cluster, Clusters
from workbench.services.relations.stitched import StitchedPage

Index = QModelIndex | QPersistentModelIndex
GROUP_ROLE = Qt.ItemDataRole.UserRole
SCOPE_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Group:
    """One row: ``title`` with ``figure`` at its right, two lines below, and a bar of ``share`` (None: no bar)."""

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
        """Replace the stitched pages, which may come before the clusters of their run."""
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
        """Rows."""
        if parent.isValid():
            return 0
        if self.stitched:
            return len(self._stitched)
        return 0 if self._clusters is None else len(self._clusters.clusters) + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title, group or scope of a row."""
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
        """Row ``row`` as it is drawn."""
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
        pairs = trn("{count} pair", "{count} pairs", int(clusters.edges.sum()))
        return Group(tr("All pages"), f"{len(clusters.pages):,}", pairs, alone or tr("Every page is in a cluster"))

    def _cluster(self, cluster: Cluster) -> Group:
        assert self._clusters is not None
        key = int(cluster.keys[0])
        language = self._run.columns.items[key].language if self._run.columns is not None else ""
        sites = ", ".join(cluster.sites[:3]) + (f" +{len(cluster.sites) - 3:,}" if len(cluster.sites) > 3 else "")
        others = trn("and {count} other page", "and {count} other pages", len(cluster.keys) - 1)
        low, high = (f"{v:.2f}" if v < 10 else f"{v:,.0f}" for v in (cluster.weakest, cluster.strongest))
        spread = low if low == high else f"{low}–{high}"
        pairs = trn("{count} pair", "{count} pairs", cluster.pairs)
        third = f"{pairs} · {spread}"
        if cluster.component > len(cluster.keys):
            third += " · " + tr("part of {count} pages", count=f"{cluster.component:,}")
        return Group(self._run.title(key), f"{len(cluster.keys):,}", sites or others, third, language=language)

    def _stitched_row(self, page: StitchedPage) -> Group:
        language = self._run.columns.items[page.key].language if self._run.columns is not None else ""
        sources = trn("from {count} page", "from {count} pages", len(page.sources))
        site = self._run.site(page.key)
        third = tr("{covered} of {total} characters", covered=f"{page.covered:,}", total=f"{page.length:,}")
        title = self._run.title(page.key)
        return Group(title, percent(page.share), " · ".join(filter(None, (site, sources))), third, page.share, language)


_HEIGHT = 70
_BAR = 72


class GroupDelegate(CardDelegate):
    """Three lines: title and figure; the second; the third, with a bar if there is a share."""

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
