"""The centre of Relations: the same pairs as a graph, a matrix and a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from workbench.base.tags import WITHOUT
from workbench.base.types import Role
from workbench.gui.charts.page_graph import PageGraph
from workbench.gui.charts.page_graph_paint import GraphContent
from workbench.gui.charts.pair_matrix import MatrixContent, PairMatrix
from workbench.gui.charts.relation_looks import PageSample, relation_pen
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.relation_words import relation_meaning, relation_word
from workbench.gui.kit.layouts import FlowLayout
from workbench.gui.kit.pauses import FilterField
from workbench.gui.kit.tables import Table
from workbench.gui.kit.tag_chooser import TagChooser
from workbench.gui.kit.widgets import Elided, EmptyState, IconButton, ThemeWatch, button, label, line, row
from workbench.gui.kit.words import role_word
from workbench.gui.problems import guarded, painting
from workbench.gui.screens.relations.run import Mask, Picture, RelationRun
from workbench.gui.screens.relations.table import PAGE_ROW, PageDelegate, RankedWords, RelationTable
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import LIGHT, Tokens
from workbench.services.relations.stitched import StitchedPage


@guarded
class ClassChip(QAbstractButton):
    """A class with its line and number of pairs; if checked, its pairs are shown."""

    def __init__(self, name: str, count: int, tokens: Tokens) -> None:
        super().__init__()
        self.name, self.tokens = name, tokens
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._face = font(12, MEDIUM, tabular=True)
        self.setFont(self._face)
        self.setToolTip(relation_meaning(name) or relation_word(name))
        self.show_count(count)

    def show_count(self, count: int) -> None:
        """Show the number of pairs of the class."""
        self.setText(f"{relation_word(self.name)} {count:,}")
        self.setAccessibleName(self.text())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(QFontMetrics(self._face).horizontalAdvance(self.text()) + 56, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw frame, line and text; hidden classes are hollow and struck through."""
        tokens, on = self.tokens, self.isChecked()
        with painting(self) as painter:
            edge = tokens.accent if self.hasFocus() else tokens.border2 if on else tokens.border
            painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
            painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.sunken if on else tokens.surface))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 11, 11)
            if on:
                painter.setPen(relation_pen(self.name, tokens, 2.4))
                painter.drawLine(QPointF(11, 12), QPointF(37, 12))
            face = font(12, MEDIUM, tabular=True)
            face.setStrikeOut(not on)
            painter.setFont(face)
            painter.setPen(QColor(tokens.text if on else tokens.text3))
            painter.drawText(QRectF(44, 0, self.width() - 46, 24), Qt.AlignmentFlag.AlignVCenter, self.text())


class ClassLegend(QWidget):
    """One chip per class; ``changed`` is emitted when classes are switched on or off."""

    changed = Signal()

    def __init__(self, tokens: Tokens = LIGHT) -> None:
        super().__init__()
        self._tokens = tokens
        self.chips: list[ClassChip] = []
        self._flow = FlowLayout(self, spacing=6)
        self.setAccessibleName(tr("Classes of relations"))

    def show_classes(self, names: Sequence[str], counts: Sequence[int]) -> None:
        """Show the classes, switched on except those that were off before."""
        off = {chip.name for chip in self.chips if not chip.isChecked()}
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = []
        for name, count in zip(names, counts, strict=True):
            chip = ClassChip(name, count, self._tokens)
            chip.setChecked(name not in off)
            chip.clicked.connect(self.changed)
            self._flow.addWidget(chip)
            self.chips.append(chip)
        self.updateGeometry()

    def show_counts(self, counts: Sequence[int]) -> None:
        """Show the number of selected pairs by class; empty classes are hidden."""
        for chip, count in zip(self.chips, counts, strict=True):
            chip.show_count(count)
            chip.setVisible(count > 0)
        self.updateGeometry()

    def chosen_mask(self) -> Mask:
        """Which classes are switched on, bool[classes]."""
        return np.array([chip.isChecked() for chip in self.chips], np.bool_)

    def show_all(self) -> None:
        """Switch every class on."""
        for chip in self.chips:
            chip.setChecked(True)
        self.changed.emit()

    def set_tokens(self, tokens: Tokens) -> None:
        self._tokens = tokens
        for chip in self.chips:
            chip.tokens = tokens
            chip.update()


class PageLegend(QWidget):
    """A legend of the shapes of roles."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._samples = {role: PageSample(tokens, role) for role in (Role.SUSPECT, Role.SOURCE, Role.BACKGROUND)}
        self._parts = {role: QWidget() for role in self._samples}
        whole = row(spacing=14)
        for role, sample in self._samples.items():
            self._parts[role].setLayout(row(sample, label(role_word(role), 12, role="muted"), spacing=5))
            whole.addWidget(self._parts[role])
        self.setLayout(whole)

    def show_roles(self, roles: frozenset[Role]) -> None:
        """Show only the roles that are drawn."""
        for role, part in self._parts.items():
            part.setVisible(role in roles)

    def set_tokens(self, tokens: Tokens) -> None:
        for sample in self._samples.values():
            sample.set_tokens(tokens)


MODES = ("graph", "matrix", "table")
_PAGES_SHARE = 0.56
"""Share of the table's width reserved for the two pages."""
_SMALLEST, _LARGEST = 4.0, 11.0
"""Radius of a page in the graph, by its length, in pixels."""


class PicturePanel(QFrame):
    """``pair_chosen`` and ``opened`` emit a pair's row in the run's columns; ``classes_changed`` requests a redraw."""

    pair_chosen = Signal(int)
    opened = Signal(int)
    export_asked = Signal()
    classes_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        self._run = RelationRun()
        self._picture: Picture | None = None
        self._table_stale = True
        self.mode = MODES[0]
        names = (tr("Graph"), tr("Matrix"), tr("Table"))
        self.chips = {
            mode: button(name, lambda mode=mode: self.show_mode(mode), kind="chip")  # type: ignore[misc]
            for mode, name in zip(MODES, names, strict=True)
        }
        self.count = Elided("", 12, role="muted", tabular=True)
        self.graph = PageGraph(theme.tokens)
        self.matrix = PairMatrix(theme.tokens)
        self.model = RelationTable(self)
        self.table = Table(self.model, tr("Pairs of pages"), many=False, least_share=_PAGES_SHARE)
        self.table.verticalHeader().setDefaultSectionSize(PAGE_ROW)
        for at in self.model.page_columns:
            self.table.setItemDelegateForColumn(at, PageDelegate(theme, self.table))
        self.filter = FilterField(self.table, tr("Filter by title or site"), tr("Filter pairs"))
        self.filter.setMaximumWidth(240)
        self.filter.paused.connect(self._narrow)
        self.classes = ClassLegend(theme.tokens)
        self.classes.changed.connect(self.classes_changed)
        self._tags: dict[int, tuple[str, ...]] = {}
        """For each page of the run, by key."""
        self.tag_chooser = TagChooser()
        self.tag_chooser.chosen.connect(self.classes_changed)
        self.roles = PageLegend(theme.tokens)
        self.left_out = label("", 12, role="muted", wrap=True)
        self._zoom = QWidget()
        self._build()
        self._connect()
        ThemeWatch(self, theme, self._themed)
        self.show_mode(self.mode)

    def _build(self) -> None:
        theme = self._theme
        self._zoom.setLayout(
            row(
                IconButton(theme, "minus", tr("Zoom out"), lambda: self.graph.zoom(0.8)),
                IconButton(theme, "plus", tr("Zoom in"), lambda: self.graph.zoom(1.25)),
                IconButton(theme, "reset", tr("Show everything"), self.graph.fit),
                spacing=2,
            )
        )
        top = QHBoxLayout()
        top.setContentsMargins(12, 8, 10, 8)
        top.setSpacing(5)
        for chip in self.chips.values():
            top.addWidget(chip)
        top.addSpacing(8)
        top.addWidget(self.count, 2)
        top.addWidget(self.filter, 1)
        top.addWidget(self._zoom)
        top.addWidget(IconButton(theme, "export", tr("Export the graph…"), self.export_asked.emit))
        self.stack = QStackedWidget()
        for part in (self.graph, self.matrix, self.table):
            self.stack.addWidget(part)
        show_all = button(tr("Show all classes"), self.show_all)
        sentence = tr("No pair in the selection reaches the threshold, or its classes or tags are left out above.")
        self.nothing = EmptyState(theme, "relations", tr("No pairs to show"), sentence, show_all)
        self.stack.addWidget(self.nothing)
        self.waiting = label(tr("Drawing…"), 13, role="muted")
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack.addWidget(self.waiting)
        self._below = QWidget()
        below = row(self.left_out, self.roles, margins=(14, 7, 14, 8), spacing=12)
        below.setStretch(0, 1)
        self._below.setLayout(below)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        bar = QWidget()
        bar.setLayout(top)
        bar.setFixedHeight(48)
        layout.addWidget(bar)
        legend = row(self.classes, self.tag_chooser, margins=(12, 0, 12, 9))
        legend.setStretch(0, 1)
        layout.addLayout(legend)
        layout.addWidget(line())
        layout.addWidget(self.stack, 1)
        layout.addWidget(line())
        layout.addWidget(self._below)

    def _connect(self) -> None:
        self.graph.pair_chosen.connect(self.pair_chosen)
        self.matrix.pair_chosen.connect(self.pair_chosen)
        self.table.selected.connect(self._row_selected)
        for part in (self.graph, self.matrix, self.table):
            part.opened.connect(lambda row_: self.opened.emit(int(row_)))

    # -- what is shown

    def show_run(self, run: RelationRun, ranked: RankedWords) -> None:
        """Switch to another run; its picture follows."""
        self._run, self._picture = run, None
        columns = run.columns
        assert columns is not None
        self.show_mode(self.mode)
        counts = np.bincount(columns.relation, minlength=len(columns.relations))
        self.classes.show_classes(columns.relations, counts.tolist())
        self.model.set_run(run, ranked)
        hidden = self.model.hidden()
        for at in range(len(self.model.columns)):
            self.table.setColumnHidden(at, at in hidden)

    def show_picture(self, picture: Picture, stitched: Sequence[StitchedPage], figure: str) -> None:
        """Draw the pairs of ``picture``; ``figure`` is the name of their values."""
        run, columns = self._run, self._run.columns
        assert columns is not None
        self._picture = picture
        self.classes.show_counts(picture.counts.tolist())
        drawn = picture.drawing
        items = [columns.items[key] for key in drawn.keys.tolist()]
        self.graph.set_content(
            GraphContent(
                drawn,
                [item.title or item.id for item in items],
                [item.site for item in items],
                [item.language for item in items],
                [item.role for item in items],
                frozenset(page.key for page in stitched),
                [columns.relations[code] for code in columns.relation[drawn.rows]],
                columns.towards()[drawn.rows].tolist(),
                _radius([item.length for item in items]),
            )
        )
        matrix = picture.matrix
        keys = matrix.keys.tolist()
        self.matrix.set_content(
            MatrixContent(
                matrix.keys,
                [run.title(key) for key in keys],
                [columns.items[key].site for key in keys],
                [columns.items[key].language for key in keys],
                matrix.value,
                matrix.row,
                matrix.bounds,
                figure,
            )
        )
        self.roles.show_roles(frozenset(item.role for item in items))
        self._table_stale = True
        self.show_mode(self.mode)

    def show_tags(self, run: RelationRun) -> None:
        """List the tags of the pages of ``run``."""
        keys = () if run.columns is None else run.columns.items
        self._tags = {key: run.tags.get(key, ()) for key in keys}
        self.tag_chooser.offer(self._tags.values())

    def chosen_pairs(self) -> NDArray[np.bool_] | None:
        """Pairs with a page of the chosen tag, or of pages without any, bool[pairs]; None: all."""
        columns, passing = self._run.columns, self.tag_chooser.passing(self._tags.values())
        if columns is None or passing is None:
            return None
        keys = np.array([*self._tags], np.int64)[passing]
        a, b = np.isin(columns.a, keys), np.isin(columns.b, keys)
        return a & b if self.tag_chooser.state() == WITHOUT else a | b

    def show_all(self) -> None:
        """Include all classes and tags."""
        self.tag_chooser.choose("")
        self.classes.show_all()

    def show_mode(self, mode: str) -> None:
        """Show the "graph", the "matrix" or the "table"."""
        self.mode = mode if mode in MODES else MODES[0]
        for name, chip in self.chips.items():
            chip.setChecked(name == self.mode)
        if self.mode == "table" and self._table_stale:
            self._narrow()
        empty = self._picture is None or not self._picture.mask.any()
        instead = self.waiting if self._picture is None else self.nothing
        self.stack.setCurrentWidget(instead if empty else self.current())
        self.filter.setVisible(self.mode == "table")
        self._zoom.setVisible(self.mode == "graph" and not empty)
        self._say()

    def current(self) -> QWidget:
        """The widget of the current mode."""
        return {"graph": self.graph, "matrix": self.matrix, "table": self.table}[self.mode]

    def is_drawn(self) -> bool:
        """Whether the pairs of the run are on screen."""
        return self._picture is not None

    def choose_pair(self, pair: int) -> None:
        """Highlight the pair in row ``pair`` of the run's columns (-1: none) everywhere, without emitting a signal."""
        self.graph.choose_pair(pair)
        self.matrix.choose_pair(pair)
        with QSignalBlocker(self.table):
            if self.table.chosen_keys() != [pair]:
                self.table.select_keys([pair] if pair >= 0 else [])

    def _narrow(self) -> None:
        if self._picture is None or self._run.columns is None:
            return
        chosen = self.table.chosen_keys()
        with QSignalBlocker(self.table):
            self.model.narrow(self.filter.text(), self._picture.mask)
            self.table.select_keys(chosen)
        self._table_stale = False
        self._say()

    def _row_selected(self) -> None:
        if keys := self.table.chosen_keys():
            self.pair_chosen.emit(int(keys[0]))

    def _say(self) -> None:
        """Show the numbers of shown and hidden pairs."""
        picture = self._picture
        if picture is None:
            self.count.set_text("")
            self._below.hide()
            return
        pairs = int(picture.mask.sum())
        listed = self.model.rowCount() if self.mode == "table" and not self._table_stale else pairs
        pages = trn("{count} page", "{count} pages", picture.pages)
        many = trn("{count} pair", "{count} pairs", pairs)
        if listed != pairs:
            many = tr("{shown} of {total} pairs", shown=f"{listed:,}", total=f"{pairs:,}")
        self.count.set_text(f"{pages} · {many}")
        sentence = ""
        if self.mode == "graph":
            columns = self._run.columns
            sentence = _graph_words(picture, arrows=columns is not None and bool(columns.towards().any()))
        elif self.mode == "matrix" and picture.matrix.left_out:
            omitted = trn("{count} page", "{count} pages", picture.matrix.left_out)
            sentence = tr("Not in the matrix: {pages}. Select a cluster to see its pages.", pages=omitted)
        elif self.mode == "matrix":
            sentence = tr("Stronger colours mean more similar pages. Frames are clusters.")
        self.left_out.setText(sentence)
        self.roles.setVisible(self.mode == "graph")
        self._below.setVisible(self.mode != "table" and pairs > 0)

    def _themed(self) -> None:
        tokens = self._theme.tokens
        for part in (self.graph, self.matrix, self.classes, self.roles):
            part.set_tokens(tokens)


def _graph_words(picture: Picture, *, arrows: bool) -> str:
    drawing = picture.drawing
    parts = []
    if drawing.pages_left_out:
        parts.append(trn("{count} page", "{count} pages", drawing.pages_left_out))
    if drawing.pairs_left_out:
        parts.append(trn("{count} pair", "{count} pairs", drawing.pairs_left_out))
    if parts:
        return tr(
            "Not drawn: {parts}. Select a cluster on the left to draw it alone; the table lists everything.",
            parts=", ".join(parts),
        )
    size = tr("The larger a point, the longer the page.")
    return " ".join((size, tr("An arrow leads from the original to the copy."))) if arrows else size


def _radius(lengths: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Radius of pages by the logarithm of their length."""
    if not lengths:
        return np.zeros(0)
    low, high = math.log1p(min(lengths)), math.log1p(max(lengths))
    spread = max(high - low, 1.0)
    share = (np.log1p(np.array(lengths, np.float64)) - low) / spread
    return np.asarray(_SMALLEST + (_LARGEST - _SMALLEST) * share, np.float64)
