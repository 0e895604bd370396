"""The centre of Review: two aligned documents and the connections between them."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from workbench.base.coverage import A, B
from workbench.base.evidence import RECOGNISED, is_translation
from workbench.base.types import Ints, Matches, Span, Tier
from workbench.gui.charts.dot_plot import DotPlot
from workbench.gui.document.alignment import Alignment
from workbench.gui.document.marks import Marks
from workbench.gui.document.overview_ruler import WIDTH as RULER_WIDTH
from workbench.gui.document.overview_ruler import OverviewRuler
from workbench.gui.document.ribbons import WIDTH as RIBBON_WIDTH
from workbench.gui.document.ribbons import Ribbons
from workbench.gui.document.surface import USUAL
from workbench.gui.document.view import DocumentView
from workbench.gui.kit.widgets import ThemeWatch, line, row
from workbench.gui.problems import guarded
from workbench.gui.screens.review.mark_looks import WordLegend, marked_edits, marked_words, without_gaps
from workbench.gui.screens.review.pair_bars import FindBar, PairToolbar, PaneTitle, SourceStrip, page_button
from workbench.gui.screens.review.pair_data import Limits, PairData, PassageList
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import TIERS
from workbench.gui.workspace.actions import ActionSet
from workbench.services.review.differences import Edit
from workbench.services.review.passages import places_of
from workbench.services.review.word_marks import WordMark
from workbench.text.left_out import left_out


class ScrollSync(QObject):
    """Keeps the text on the reading lines of both panes aligned. The pane that moved first is followed by the other.

    Switched off, the panes scroll separately; switched on again, the right pane aligns to the left one.
    """

    changed = Signal(bool)

    def __init__(self, left: DocumentView, right: DocumentView) -> None:
        super().__init__(left)
        self._left, self._right = left, right
        self._alignment: Alignment | None = None
        self._busy = False
        self.active = -1
        self.on = True
        left.verticalScrollBar().valueChanged.connect(self._left_moved)
        right.verticalScrollBar().valueChanged.connect(self._right_moved)

    def set_alignment(self, alignment: Alignment | None) -> None:
        """Use ``alignment``."""
        self._alignment = alignment

    def set_linked(self, on: bool) -> None:
        """Link or unlink the panes."""
        if on != self.on:
            self.on = on
            self.changed.emit(on)
            if on:
                self._left_moved()

    def set_paused(self, busy: bool) -> None:
        """Set whether moves of the panes are ignored, while both are being placed."""
        self._busy = busy

    def _left_moved(self) -> None:
        if self._ready(self._left):
            assert self._alignment is not None
            self._follow(self._right, self._alignment.to_b(self._left.reading_offset(), self.active))

    def _right_moved(self) -> None:
        if self._ready(self._right):
            assert self._alignment is not None
            self._follow(self._left, self._alignment.to_a(self._right.reading_offset(), self.active))

    def _ready(self, moved: DocumentView) -> bool:
        return self.on and not self._busy and not moved.adjusting and self._alignment is not None

    def _follow(self, pane: DocumentView, offset: float) -> None:
        self._busy = True
        pane.show_place(offset)
        self._busy = False


_OTHER = -2
"""Number, among the marks, of the first passage of another source; later ones count down."""


@guarded
class PairPanel(QFrame):
    """Shows a :class:`PairData` pair. Matches are numbered from 0 in order of the suspect.

    ``active_changed`` emits the match that became active (-1 for none); ``source_chosen`` a source's key;
    ``passage_chosen`` the place, in ``outline``, of a passage of another source.
    """

    active_changed = Signal(int)
    source_chosen = Signal(int)
    passage_chosen = Signal(int)
    shown_changed = Signal()
    pair_shown = Signal()
    zoomed = Signal(int)

    def __init__(self, theme: Theme, actions: ActionSet) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        tokens = theme.tokens
        self.opened: PairData | None = None
        self._removed: Collection[int] = ()
        self._replaced: Collection[int] = ()
        self.left, self.right = DocumentView(tokens), DocumentView(tokens)
        self.ribbons = Ribbons(self.left, self.right, tokens)
        self.rulers = (OverviewRuler(self.left, tokens), OverviewRuler(self.right, tokens))
        self.dots = DotPlot(tokens)
        self.sync = ScrollSync(self.left, self.right)
        self.toolbar = PairToolbar(theme, actions)
        self.legend = WordLegend(theme)
        self.finder = FindBar(theme, self.left, self.right)
        self.strip = SourceStrip(theme)
        self.titles = (PaneTitle(), PaneTitle())
        self.page_buttons = (page_button(), page_button())
        self._source_head = QWidget()
        """The source's title, or all sources if there are several."""
        self._source_head.setLayout(row(self.titles[1], self.strip, self.page_buttons[1], spacing=0))
        self._suspect_head = QWidget()
        self._suspect_head.setLayout(row(self.titles[0], self.page_buttons[0], spacing=0))
        self.active = -1
        self.swapped = False
        self.threshold = -np.inf
        self.merged = True
        """Whether neighbouring matches are stepped through, and judged, as one passage."""
        self.edits: list[Edit] | None = None
        self._words_coming = False
        """Differences inside the active match; None while unknown."""
        self.words: list[WordMark] | None = None
        self._shown: Ints = np.zeros(0, np.int64)
        self.outline: PassageList | None = None
        """All passages of the suspect left by threshold and layers."""
        self._last_pane = self.left
        self._build()
        self._connect()
        ThemeWatch(self, theme, self._theme_changed)

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        self._heads = QHBoxLayout()
        gutter = DocumentView.gutter
        self._heads.setContentsMargins(RULER_WIDTH + gutter, 3, RULER_WIDTH, 3)
        self._heads.setSpacing(RIBBON_WIDTH + gutter)
        self._panes = QWidget()
        self._grid = QGridLayout(self._panes)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._place()
        self.body = QSplitter(Qt.Orientation.Horizontal)
        self.body.setHandleWidth(1)
        self.body.addWidget(self._panes)
        self.side = QSplitter(Qt.Orientation.Vertical)
        self.side.setHandleWidth(1)
        self.side.addWidget(self.dots)
        self._beside: list[QWidget] = [self.dots]
        self.body.addWidget(self.side)
        self.body.setStretchFactor(0, 3)
        self.body.setStretchFactor(1, 1)
        self.side.hide()
        self.dots.hide()
        self._panes.installEventFilter(self)
        layout.addLayout(self._heads)
        layout.addWidget(line())
        layout.addWidget(self.toolbar)
        layout.addWidget(self.legend)
        layout.addWidget(line())
        layout.addWidget(self.finder)
        layout.addWidget(self.body, 1)

    def _place(self) -> None:
        """Put the panes side by side, the suspect first unless swapped."""
        first, second = (1, 0) if self.swapped else (0, 1)
        views = (self.left, self.right)
        parts = (self.rulers[first], views[first], self.ribbons, views[second], self.rulers[second])
        for column, part in enumerate(parts):
            self._grid.addWidget(part, 0, column)
            self._grid.setColumnStretch(column, int(part in views))
        heads = (self._suspect_head, self._source_head)
        for at, which in enumerate((first, second)):
            self._heads.insertWidget(at, heads[which], 1)
        self.setTabOrder(views[first], views[second])

    def _connect(self) -> None:
        for view in (self.left, self.right):
            view.mark_clicked.connect(self.go_to)
            view.other_clicked.connect(self._open_other)
            view.taken.connect(lambda view=view: self._took(view))
            view.zoomed.connect(self._zoom_both)
            view.moved.connect(self._frame_dots)
        self.ribbons.clicked.connect(self.go_to)
        self.dots.clicked.connect(self.go_to)
        self.strip.chosen.connect(self.source_chosen)
        for view, title in zip((self.left, self.right), self.titles, strict=True):
            title.signs.chosen.connect(partial(self._show_sign, view))
        self.toolbar.layers_changed.connect(lambda _layers: self._layers_changed())
        self.sync.changed.connect(self.toolbar.sync.setChecked)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the titles above their panes."""
        if watched is self._panes and event.type() == QEvent.Type.Resize:
            margins = self._heads.contentsMargins()
            margins.setRight(RULER_WIDTH + max(0, self.body.width() - self._panes.width()))
            self._heads.setContentsMargins(margins)
        return super().eventFilter(watched, event)

    # -- content

    def show_removed(self, removed: Collection[int], replaced: Collection[int]) -> None:
        """Show which of the documents, with keys in ``removed``, were removed from the project, and which of those were
        ``replaced`` by a newer version.
        """
        self._removed, self._replaced = removed, replaced
        if self.opened is not None:
            for title, document in zip(self.titles, (self.opened.a, self.opened.b), strict=True):
                title.show_removed(document.key in removed, replaced=document.key in replaced)

    def show_pair(self, opened: PairData) -> None:
        """Show a pair; no match is active yet."""
        self.opened = opened
        self.show_removed(self._removed, self._replaced)
        self.active, self.edits, self.words = -1, None, None
        self.sync.set_alignment(None)
        left = self.left, opened.a, opened.a_lines, opened.a_places
        right = self.right, opened.b, opened.b_lines, opened.b_places
        for (view, document, lines, places), title in zip((left, right), self.titles, strict=True):
            name = document.title or document.id
            view.set_document(lines, document.language, left_out(document), name)
            view.places = places
            title.show_document(name, document.language, len(document.text))
            title.signs.show_flags(document.extraction.integrity)
        for part in (self.left, self.right, self.ribbons, self.dots):
            part.source = opened.source
        self.sync.active = -1
        self.sync.set_alignment(opened.alignment)
        self.strip.show_sources(opened.sources, opened.b.key)
        self._share_heads()
        tiers = np.bincount(opened.matches.tier, minlength=3)
        some = bool(left_out(opened.a) or left_out(opened.b))
        counts = (int(tiers[0]), int(tiers[1]), int(tiers[2]))
        self.toolbar.show_counts(
            counts,
            len(opened.others),
            ignored=some,
            regions=len(opened.regions),
            translated=is_translation(opened.matches.evidence),
            recognised=bool(np.nan_to_num(opened.matches.evidence.get(RECOGNISED, 0)).any()),
        )
        self._apply()
        self._emphasise()
        self._show_regions()
        self._show_legend()
        self.finder.refresh()
        self.pair_shown.emit()

    def _show_sign(self, view: DocumentView, span: Span) -> None:
        """Select and show the place of unusual characters."""
        view.select(*span)
        view.reveal(*span)

    def _share_heads(self) -> None:
        """Lay out the titles: several sources replace the single title, and take part of the suspect's space."""
        several = not self.strip.isHidden()
        self.titles[1].setVisible(not several)
        self._heads.setSpacing(12 if several else RIBBON_WIDTH + DocumentView.gutter)
        for head in (self._suspect_head, self._source_head):
            self._heads.setStretchFactor(head, 2 if several and head is self._source_head else 1)

    def set_threshold(self, threshold: float) -> None:
        """Show only matches scoring at least ``threshold``."""
        if threshold != self.threshold:
            self.threshold = threshold
            self._apply()

    def _layers_changed(self) -> None:
        for view in (self.left, self.right):
            view.set_ignored_shown("ignored" in self.toolbar.shown_layers())
        self._apply()
        self._show_regions()
        self._show_legend()
        self._emphasise()

    def _show_legend(self) -> None:
        """Explain the marks on words if the pair may have some."""
        m = self.opened.matches if self.opened is not None else Matches.empty()
        altered = bool((m.tier == Tier.ALTERED).any()) and not is_translation(m.evidence)
        self.legend.setVisible(altered and "words" in self.toolbar.shown_layers())

    def _show_regions(self) -> None:
        shown = self.opened.regions if self.opened is not None and "regions" in self.toolbar.shown_layers() else ()
        self.left.set_regions([r.a_span for r in shown])
        self.right.set_regions([r.b_span for r in shown])

    def _apply(self) -> None:
        """Show the matches left by threshold and layers."""
        if self.opened is None:
            return
        m, layers = self.opened.matches, self.toolbar.shown_layers()
        tiers = np.array([name in layers for name in TIERS])
        above = m.score >= self.threshold
        exact, folded, altered = np.bincount(m.tier[above], minlength=len(TIERS)).tolist()
        self.toolbar.follow_counts((exact, folded, altered), int((self.opened.others.score >= self.threshold).sum()))
        self._shown = np.flatnonzero(above & tiers[m.tier])
        part = m.take(self._shown)
        self.left.set_marks(self._suspect_marks(part, "sources" in layers))
        self.right.set_marks(Marks.of(part.b_start, part.b_end, part.tier, self._shown, gaps=part.gaps.by_row(B)))
        self._show_joined(part)
        self.outline = PassageList(self.opened, self.threshold, tiers, merged=self.merged)
        self._show_position()
        self.shown_changed.emit()

    def _show_joined(self, part: Matches) -> None:
        assert self.opened is not None
        self.ribbons.set_matches(part, self._shown)
        self.dots.set_matches(part, self._shown, self.opened.a_lines.length, self.opened.b_lines.length)

    def _suspect_marks(self, part: Matches, with_others: bool) -> Marks:
        assert self.opened is not None
        if not with_others or not len(self.opened.others):
            return Marks.of(part.a_start, part.a_end, part.tier, self._shown, gaps=part.gaps.by_row(A))
        keep = self.opened.others.score >= self.threshold
        other, source = self.opened.others.take(keep), self.opened.other_source[keep]
        numbers, both = _OTHER - np.flatnonzero(keep), places_of(part, other)
        return Marks.of(
            both.a_start,
            both.a_end,
            both.tier,
            np.concatenate([self._shown, numbers]),
            np.concatenate([np.zeros(len(part), np.int16), source.astype(np.int16)]),
            both.gaps.by_row(A),
        )

    # -- matches

    def set_merged(self, on: bool) -> None:
        """Treat neighbouring matches as one passage, or each separately."""
        if on != self.merged:
            self.merged = on
            self.toolbar.merged.setChecked(on)
            self._apply()
            self._emphasise()
            self.active_changed.emit(self.active)

    def active_limits(self) -> Limits | None:
        """The limits of the active match; None if there is none."""
        return None if self.opened is None or self.active < 0 else self.opened.limits(self.active)

    def parts(self) -> list[int]:
        """The matches of the active passage, in the order of the suspect; none if none is shown."""
        place = -1 if self.outline is None else self.outline.place_of(self.active)
        return [] if self.outline is None or place < 0 else [part.number for part in self.outline.parts(place)]

    @property
    def shown(self) -> Ints:
        """Numbers of the matches left by threshold and layers."""
        return self._shown

    def place(self) -> int:
        """Place of the active match among those shown, from 1; 0 if it is not among them."""
        at = int(np.searchsorted(self._shown, self.active))
        return at + 1 if at < len(self._shown) and self._shown[at] == self.active else 0

    def _show_position(self) -> None:
        """Show which of the suspect's passages is active."""
        if self.outline is not None:
            self.toolbar.show_position(self.outline.place_of(self.active) + 1, len(self.outline))

    def go_to_end(self, *, last: bool) -> None:
        """Go to the first or last match shown."""
        if len(self._shown):
            self.go_to(int(self._shown[-1 if last else 0]))

    def go_to(self, number: int, *, scroll: bool = True) -> None:
        """Make match ``number`` active and bring both sides to the reading line."""
        if self.opened is None or not 0 <= number < len(self.opened.matches):
            return
        self.active = number
        a, b = self.opened.passage(number)
        self.edits, self.words, self._words_coming = [] if a == b else None, None, False
        self.sync.active = number
        self._emphasise()
        if scroll:
            m = self.opened.matches
            self.sync.set_paused(True)
            self.left.show_place(float(m.a_start[number]), 0.3)
            self.right.show_place(float(m.b_start[number]), 0.3)
            self.sync.set_paused(False)
            limits = (m.a_start, m.a_end), (m.b_start, m.b_end)
            for view, (starts, ends) in zip((self.left, self.right), limits, strict=True):
                # A click puts the caret where the reviewer may want to split the passage.
                if not starts[number] <= view.caret < ends[number]:
                    view.set_caret(int(starts[number]), scroll=False)
        self._show_position()
        self.active_changed.emit(number)

    def show_places(self, left: float, right: float) -> None:
        """Bring these offsets of suspect and source to the reading lines."""
        self.sync.set_paused(True)
        self.left.show_place(left)
        self.right.show_place(right)
        self.sync.set_paused(False)

    def show_edits(self, edits: list[Edit]) -> None:
        """Mark the differences inside the active match."""
        self.edits = edits
        self._emphasise()

    def show_words(self, marks: list[WordMark] | None, *, coming: bool = False) -> None:
        """Mark the words of the active match; None: they are still ``coming``, or not wanted."""
        if marks is not self.words or coming != self._words_coming:
            self.words, self._words_coming = marks, coming
            self._emphasise()
        self.legend.show_marks(marks)

    def _emphasise(self) -> None:
        if self.words is not None:
            left, right = marked_words(self.words)
        else:
            shown = "differences" in self.toolbar.shown_layers() and not self._words_coming
            left, right = marked_edits((self.edits or []) if shown else [])
        parts = self.parts()
        if self.opened is not None and 0 <= self.active < len(self.opened.matches):
            match = self.opened.matches.row(self.active)
            left, right = without_gaps(left, match.a_gaps), without_gaps(right, match.b_gaps)
        for view, marked in ((self.left, left), (self.right, right)):
            view.set_active(self.active, marked, in_words=self.words is not None, together=parts)
        self.ribbons.set_active(self.active, parts)
        self.dots.set_active(self.active)
        for ruler in self.rulers:
            ruler.update()

    def jump_to_counterpart(self) -> None:
        """Put the other pane's caret at the counterpart of the text at this pane's caret, even if moved."""
        if self.opened is None:
            return
        pane, other = self.current_pane(), self.other_pane()
        maps = self.opened.alignment.to_b if pane is self.left else self.opened.alignment.to_a
        offset = round(maps(pane.caret, self.active))
        self.sync.set_paused(True)
        other.show_place(offset)
        self.sync.set_paused(False)
        other.setFocus()
        other.set_caret(offset, scroll=False)
        rows = pane.marks.at(pane.caret)
        own = [int(pane.marks.number[r]) for r in rows if pane.marks.source[r] == 0]
        if own and self.active not in own:
            self.go_to(own[0], scroll=False)

    # -- panes

    def current_pane(self) -> DocumentView:
        """The pane that has, or last had, the focus."""
        return self._last_pane

    def other_pane(self) -> DocumentView:
        """The other pane."""
        return self.right if self._last_pane is self.left else self.left

    def swap(self) -> None:
        """Show the suspect on the other side."""
        self.swapped = not self.swapped
        self.ribbons.swapped = self.swapped
        self._place()
        self._panes.updateGeometry()
        self.ribbons.update()

    def show_dots(self, on: bool) -> None:
        """Show or hide the dot plot."""
        self.toolbar.dots.setChecked(on)
        self.show_beside(self.dots, on)

    def show_beside(self, part: QWidget, on: bool, *, width: int = 0) -> None:
        """Show or hide ``part`` beside the panes, ``width`` pixels wide; 0 leaves the panes two thirds of the width."""
        if part not in self._beside:
            self._beside.append(part)
            self.side.addWidget(part)
        part.setVisible(on)
        narrow = self.side.isHidden()
        self.side.setVisible(any(not p.isHidden() for p in self._beside))
        if on and narrow:
            whole = max(600, self.body.width())
            beside = width or round(whole * 0.32)
            self.body.setSizes([whole - beside, beside])

    def zoom(self, by: int) -> None:
        """Set the text size in both panes: larger (1), smaller (-1) or the default (0)."""
        self.left.set_size(USUAL if by == 0 else self.left.size_px + by)

    def _zoom_both(self, size: int) -> None:
        for view in (self.left, self.right):
            view.set_size(size)
        self.zoomed.emit(size)

    def _took(self, view: DocumentView) -> None:
        self._last_pane = view
        self.finder.pane = view

    def _open_other(self, number: int) -> None:
        """Go to the passage of another source with this (negative) number among the marks."""
        if self.opened is None or self.outline is None:
            return
        row = self.opened.others.row(_OTHER - number)
        place = self.outline.place_named(row.b, (*row.a_span, *row.b_span))
        if place >= 0:
            self.passage_chosen.emit(place)

    def _frame_dots(self) -> None:
        if self.dots.isVisible():
            self.dots.set_view(self.left.visible_offsets(), self.right.visible_offsets())

    def _theme_changed(self) -> None:
        tokens = self._theme.tokens
        for view in (self.left, self.right):
            view.set_tokens(tokens)
        for part in (self.ribbons, *self.rulers, self.dots):
            part.tokens = tokens
            part.update()
