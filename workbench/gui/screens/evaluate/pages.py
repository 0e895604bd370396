"""The pages of Evaluate: each is built when it is first shown, so that the screen opens quickly."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from workbench.base.messages import threshold_words
from workbench.gui.charts.line_plot import LinePlot, Trace
from workbench.gui.i18n import say, tr
from workbench.gui.kit.layouts import clear, scroll_down
from workbench.gui.kit.widgets import ChoiceBox, ThemeWatch, column, label, row
from workbench.gui.kit.words import language_word
from workbench.gui.screens.evaluate import SCREEN
from workbench.gui.screens.evaluate.compare_page import ComparePage
from workbench.gui.screens.evaluate.screen_data import drawn_curve
from workbench.gui.screens.evaluate.sheets_page import SheetsPage
from workbench.gui.screens.evaluate.sweep_page import SweepPage
from workbench.gui.screens.evaluate.words import ends, share
from workbench.gui.theme.fonts import SEMIBOLD
from workbench.gui.workspace.context import AppContext
from workbench.services.measuring.scored_run import EvaluationInput, ScoredRun
from workbench.services.measuring.subgroups import Attribute, Group, read_groups

SHOWN = 12
"""Maximum number of groups with a chart; the others are listed below."""
_COLUMNS = 4
_CHART = (230, 170)


class SubgroupsPage(QWidget):
    """Charts of the groups of one attribute, at the shown threshold."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._scored: ScoredRun | None = None
        self._threshold = 0.0
        self.groups: list[Group] = []
        self.plots: list[LinePlot] = []
        self._figures: list[tuple[Group, QWidget]] = []
        self.attribute = ChoiceBox()
        self.attribute.setAccessibleName(tr("Group by"))
        words = {
            Attribute.LENGTH: tr("Length"),
            Attribute.LANGUAGE: tr("Language"),
            Attribute.SITE: tr("Site"),
            Attribute.KIND: tr("Kind of positive"),
            Attribute.TAG: tr("Tag"),
            Attribute.ANNOTATOR: tr("Annotator"),
        }
        for attribute, title in words.items():
            self.attribute.addItem(title, attribute)
        self.attribute.activated.connect(lambda _at: self.read())
        self.note = label("", 12, role="muted", wrap=True)
        self._grid = QGridLayout()
        self._grid.setSpacing(8)
        self._grid.setContentsMargins(0, 0, 0, 0)
        content = QWidget()
        content.setObjectName("page")
        content.setLayout(column(self._grid, None))
        scroll = QScrollArea()
        scroll_down(scroll, content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(row(label(tr("Group by"), 12, role="muted"), self.attribute, None, spacing=8))
        layout.addWidget(self.note)
        layout.addWidget(scroll, 1)
        ThemeWatch(self, context.theme, self._dress)

    def _dress(self) -> None:
        for plot in self.plots:
            plot.set_tokens(self._context.theme.tokens)

    def show_scored(self, scored: ScoredRun, threshold: float) -> None:
        """Show the groups of the items of ``scored``."""
        if scored is self._scored and threshold == self._threshold:
            return
        self._scored, self._threshold = scored, threshold
        self.read()

    def read(self) -> None:
        """Read the groups of the chosen attribute."""
        scored, attribute = self._scored, Attribute(self.attribute.currentData())
        if scored is None:
            return
        self._context.latest(self, "groups", lambda session: read_groups(session, scored, attribute), self._show)

    def _show(self, groups: list[Group]) -> None:
        clear(self._grid)
        self.groups, self.plots = groups, []
        drawn = [group for group in groups if group.curve is not None]
        for number, group in enumerate(drawn[:SHOWN]):
            self._grid.addWidget(self._card(group), number // _COLUMNS, number % _COLUMNS)
        for at in range(_COLUMNS):
            self._grid.setColumnStretch(at, 1)
        sentences = []
        if not groups:
            sentences.append(tr("All labelled items are the same in this respect."))
        if len(drawn) > SHOWN:
            rest = ", ".join(f"{self._name(g)} ({g.labelled:,})" for g in drawn[SHOWN:])
            sentences.append(tr("Not drawn because of too few labels: {groups}.", groups=rest))
        without = [group for group in groups if group.curve is None]
        sentences += [f"{self._name(group)}: {say(group.problem)}" for group in without[:3]]
        if len(without) > 3:
            rest = ", ".join(self._name(group) for group in without[3:])
            sentences.append(tr("No curve, for similar reasons: {groups}.", groups=rest))
        self.note.setText(" ".join(sentences))
        self.note.setVisible(bool(sentences))

    def _card(self, group: Group) -> QFrame:
        assert group.curve is not None
        points = drawn_curve(group.curve)
        plot = LinePlot(self._name(group), "", "")
        plot.left, plot.bottom, plot.top = 32, 20, 6
        plot.set_tokens(self._context.theme.tokens)
        plot.set_traces([Trace(self._name(group), points.recall, points.precision, *points.precision_band, steps=True)])
        counts = group.curve.counts(self._threshold)
        plot.set_dot((counts.recall or 0.0, 1.0 if counts.precision is None else counts.precision))
        plot.setMinimumSize(*_CHART)
        self.plots.append(plot)
        size = tr("{count} labelled, {positive} positive", count=f"{group.labelled:,}", positive=f"{group.positives:,}")
        figures = tr(
            "at {threshold}: P {precision} · R {recall} · F {f1} ({interval})",
            threshold=threshold_words(self._threshold),
            precision=share(counts.precision),
            recall=share(counts.recall),
            f1=share(counts.f1),
            interval=ends(counts.f1_interval),
        )
        plot.setAccessibleDescription(f"{size}, {figures}")
        frame = QFrame()
        frame.setObjectName("panel")
        name = label(self._name(group), 13, weight=SEMIBOLD, wrap=True)
        frame.setLayout(
            column(
                row(name, margins=(10, 6, 8, 0)),
                row(label(size, 11, role="faint", tabular=True), margins=(10, 0, 8, 0)),
                plot,
                row(label(figures, 11, role="muted", tabular=True, wrap=True), margins=(10, 0, 8, 6)),
                spacing=2,
                margins=(2, 2, 2, 2),
            )
        )
        return frame

    def _name(self, group: Group) -> str:
        attribute = Attribute(self.attribute.currentData())
        if attribute is Attribute.LENGTH:
            return tr("{low} to {high} characters", low=f"{group.low:,}", high=f"{group.high:,}")
        if attribute is Attribute.LANGUAGE:
            return language_word(group.name)
        return group.name or tr("none")


MODES = SCREEN.modes
CURVES, COMPARISON, SUBGROUPS, SWEEP, SHEETS = MODES


def page_titles() -> dict[str, str]:
    """The title of each page."""
    titles = (tr("Curves"), tr("Runs"), tr("Subgroups"), tr("Sweeps"), tr("Sheets"))
    return dict(zip(MODES, titles, strict=True))


class EvaluatePages(QStackedWidget):
    """``curves`` is the initial page. ``opened`` emits the key of a run to show there; ``swept``: a sweep has ended."""

    opened = Signal(int)
    swept = Signal()

    def __init__(self, context: AppContext, curves: QWidget) -> None:
        super().__init__()
        self._context = context
        self.curves = curves
        self._empty: QWidget | None = None
        self.addWidget(curves)

    @cached_property
    def comparison(self) -> ComparePage:
        """The page that compares runs."""
        page = ComparePage(self._context)
        page.opened.connect(self.opened)
        self.addWidget(page)
        return page

    @cached_property
    def subgroups(self) -> SubgroupsPage:
        """The page of subgroups."""
        page = SubgroupsPage(self._context)
        self.addWidget(page)
        return page

    @cached_property
    def sweep(self) -> SweepPage:
        """The page of sweeps."""
        page = SweepPage(self._context)
        page.opened.connect(self.opened)
        page.swept.connect(self.swept)
        self.addWidget(page)
        return page

    @cached_property
    def sheets(self) -> SheetsPage:
        """The page of the papers' figures."""
        page = SheetsPage(self._context)
        self.addWidget(page)
        return page

    def is_sweeping(self) -> bool:
        """Whether a sweep is running."""
        return "sweep" in vars(self) and self.sweep.is_running()

    def has_sheet(self) -> bool:
        """Whether a sheet is chosen."""
        # A page being built calls this too, and must not be built again.
        return "sheets" in vars(self) and self.sheets.has_sheet()

    def show_page(self, mode: str, scored: ScoredRun, inputs: EvaluationInput, threshold: float) -> None:
        """Show ``scored`` on the page ``mode``; the curves are filled by the screen itself."""
        match mode:
            case "runs-compared":
                self.setCurrentWidget(self.comparison)
                self.comparison.show_scored(scored, inputs.runs, inputs.learnt)
            case "subgroups":
                self.setCurrentWidget(self.subgroups)
                self.subgroups.show_scored(scored, threshold)
            case "sweep":
                self.setCurrentWidget(self.sweep)
                self.sweep.show_scored(scored)
            case "sheets":
                self.show_sheets(scored)
            case _:
                self.setCurrentWidget(self.curves)

    def show_sheets(self, scored: ScoredRun | None) -> None:
        """Show the sheets; new ones are drawn with the question of ``scored``, if there is one."""
        self.setCurrentWidget(self.sheets)
        self.sheets.show_scored(scored)

    def show_empty(self, empty: QWidget) -> None:
        """Show ``empty`` instead of the pages."""
        if self._empty is not None:
            self.removeWidget(self._empty)
            self._empty.deleteLater()
        self._empty = empty
        self.addWidget(empty)
        self.setCurrentWidget(empty)
