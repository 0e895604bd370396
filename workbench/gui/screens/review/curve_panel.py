"""The panel beside the panes: cumulative edits against position, and the trustable regions in words."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QVBoxLayout

from workbench.base.types import Region
from workbench.gui.charts.edit_chart import EditChart
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.layouts import clear
from workbench.gui.kit.widgets import ThemeWatch, button, heading, label, row
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.workspace.context import AppContext
from workbench.services.review.whole_pairs import METHOD, EditCurve, edit_curve

_LISTED = 8
"""Maximum number of regions in words; more are counted."""


class CurvePanel(QFrame):
    """The curve of the pair open in ``pair``, computed when it is first shown."""

    def __init__(self, context: AppContext, pair: PairPanel) -> None:
        super().__init__()
        self._context, self._pair = context, pair
        self._requested: PairData | None = None
        self.curve: EditCurve | None = None
        self.state = label("", 12, role="muted", wrap=True)
        self._regions = QVBoxLayout()
        self._regions.setSpacing(2)
        self._layout = layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(6)
        layout.addLayout(row(heading(tr("Edits against position"), 13), None))
        layout.addWidget(self.state)
        layout.addLayout(self._regions)
        self.hide()
        pair.pair_shown.connect(self._ask)
        pair.left.moved.connect(self._follow)
        pair.toolbar.layers_changed.connect(lambda _layers: self._draw())

    @cached_property
    def chart(self) -> EditChart:
        """The chart, created when the panel is first shown: many pairs are read without it."""
        theme = self._context.theme
        chart = EditChart(theme.tokens)
        chart.jumped.connect(self.go_to)
        ThemeWatch(chart, theme, lambda: chart.set_tokens(theme.tokens))
        self._layout.insertWidget(2, chart, 1)
        return chart

    def toggle(self) -> None:
        """Show or hide the panel."""
        on = self.isHidden()
        if on:
            self.chart.show()
        self._pair.toolbar.curve.setChecked(on)
        self._pair.show_beside(self, on)
        if on:
            self._ask()

    def go_to(self, position: int) -> None:
        """Bring ``position`` of the suspect and its counterpart to the reading line."""
        opened = self._pair.opened
        if opened is None:
            return
        self._pair.sync.set_paused(True)
        self._pair.left.show_place(position)
        self._pair.right.show_place(opened.alignment.to_b(position, self._pair.active))
        self._pair.sync.set_paused(False)
        self._pair.left.set_caret(position, scroll=False)
        self.chart.set_place(position)

    def _ask(self) -> None:
        """Compute the curve of the open pair unless it is known or hidden."""
        opened = self._pair.opened
        if opened is None or self.isHidden() or _same(opened, self._requested):
            self._draw()
            return
        self._requested, self.curve = opened, None
        self.chart.clear_curve()
        clear(self._regions)
        self.state.setText(tr("Counting edits…"))
        settings = dict(opened.run.parameters) if opened.run.method == METHOD else {}
        self._context.aside(
            self, edit_curve, opened.a.text, opened.b.text, settings, done=self._show, failed=self._failed
        )

    def _show(self, curve: EditCurve) -> None:
        self.curve = curve
        self._draw()

    def _failed(self, error: Exception) -> None:
        self._requested = None
        self.state.setText(tr("The edits could not be counted."))
        self._context.show_error(error)

    def _draw(self) -> None:
        opened, curve = self._requested, self.curve
        if opened is None or curve is None:
            return
        shown = opened.regions if "regions" in self._pair.toolbar.shown_layers() else ()
        self.chart.show_curve(curve.positions, curve.edits, curve.slope, [r.a_span for r in shown])
        total = int(curve.edits[-1]) if len(curve.edits) else 0
        count = trn("{count} edit", "{count} edits", total)
        slope = f"{curve.slope:.2f}"
        if opened.regions:
            words = tr(
                "{edits} along the suspect. Across a region the curve rises no faster than the dashed line: {slope} "
                "edits per character.",
                edits=count,
                slope=slope,
            )
        elif opened.run.method == METHOD:
            words = tr("{edits} along the suspect. No part rises slowly enough to be trusted.", edits=count)
        else:
            words = tr(
                "{edits} along the suspect. The method of this run does not look for trustable regions.", edits=count
            )
        self.state.setText(words)
        self._list(opened.regions, slope)
        self._follow()

    def _list(self, regions: tuple[Region, ...], most: str) -> None:
        clear(self._regions)
        for number, region in enumerate(regions[:_LISTED], 1):
            words = tr(
                "R{number} · slope {slope}, at most {most}\nA {a_start}–{a_end} · B {b_start}–{b_end}",
                number=number,
                a_start=f"{region.a_span.start:,}",
                a_end=f"{region.a_span.end:,}",
                b_start=f"{region.b_span.start:,}",
                b_end=f"{region.b_span.end:,}",
                slope=f"{region.slope:.3f}",
                most=most,
            )
            link: QPushButton = button(words)
            link.setProperty("kind", "link")
            link.setStyleSheet("text-align: left;")
            link.setToolTip(words)
            link.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            link.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            link.clicked.connect(lambda _on=False, start=region.a_span.start: self.go_to(start))
            self._regions.addWidget(link)
        if len(regions) > _LISTED:
            self._regions.addWidget(label(tr("and {count} more", count=len(regions) - _LISTED), 11, role="faint"))

    def _follow(self) -> None:
        if not self.isHidden():
            self.chart.set_place(self._pair.left.reading_offset())


def _same(one: PairData | None, other: PairData | None) -> bool:
    """Whether both show the same pair of the same run."""
    if one is None or other is None:
        return one is other
    return (one.run.id, one.a.key, one.b.key) == (other.run.id, other.a.key, other.b.key)
