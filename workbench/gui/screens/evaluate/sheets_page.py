"""The papers' figures and tables as sheets: the project's data with the paper's own values, stored and exported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QByteArray, QMimeData, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QImage, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.evaluation.figures import Axis, Figure, PageView, Series, Table, rounded, worded
from workbench.gui.charts.line_plot import LinePlot, Trace
from workbench.gui.charts.scales import Even, Logarithmic, Scale
from workbench.gui.i18n import say, tr
from workbench.gui.kit.columns import Column, ColumnsModel
from workbench.gui.kit.layouts import scroll_down
from workbench.gui.kit.saving import save_as
from workbench.gui.kit.tables import Table as TableView
from workbench.gui.kit.widgets import ChoiceBox, Elided, ThemeWatch, button, column, icon_button, label, row
from workbench.gui.kit.words import local_time
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.tokens import LIGHT, Tokens
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.jobs.context import Context
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.figures import KINDS, SUFFIXES, TABLE_SUFFIXES, render, write_figure
from workbench.services.measuring.label_selection import Question
from workbench.services.measuring.paper_values import paper_values
from workbench.services.measuring.scored_run import ScoredRun
from workbench.services.measuring.sheets import Sheet, command_of, draw_sheet, read_sheets, set_removed
from workbench.services.session import Session

_LIST = 440
"""Width of the list of sheets, logical pixels."""
_WIDE = 3
"""Number of columns of a table above which two tables do not fit side by side."""
_WIDEST = 260
"""Width of a table column, logical pixels."""
_ROOM = 0.03
"""Margin at either end of an axis without fixed limits, as a share, so that no marker is cut off."""
_MIME = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
    ".csv": "text/csv",
    ".tex": "text/x-tex",
}
_NAMES = {".svg": "SVG", ".png": "PNG", ".pdf": "PDF", ".csv": "CSV", ".tex": "LaTeX"}


class SheetsPage(QWidget):
    """A list of sheets, and the chosen one."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._scored: ScoredRun | None = None
        self.sheets: list[Sheet] = []
        self._wanted: int | None = None
        self.record: JobRecord | None = None
        run = context.actions.run
        self.kind = ChoiceBox()
        self.kind.setAccessibleName(tr("Figure or table"))
        for name, kind in KINDS.items():
            source = f" ({kind.source})" if kind.source else ""
            self.kind.addItem(f"{say(kind.shows)}{source}", name)
            needs = tr("Needs: {what}", what=say(kind.needs))
            self.kind.setItemData(self.kind.count() - 1, needs, Qt.ItemDataRole.ToolTipRole)
        self.values = QLineEdit()
        self.kind.currentIndexChanged.connect(self._explain_values)
        self._explain_values()
        self.new = icon_button(context.theme, tr("Draw a sheet"), "plus", lambda: run("evaluate.sheet"), "primary")
        self.stop = icon_button(context.theme, tr("Cancel"), "stop", self._cancel)
        columns = [
            Column("name", tr("Sheet")),
            Column("when", tr("Drawn"), local_time, width=152),
            Column("state", tr("State"), width=112),
        ]
        self.model = ColumnsModel(columns, "id", self)
        self.table = TableView(self.model, tr("Sheets"), many=False)
        self.title = Elided("", 14, weight=SEMIBOLD)
        self.plot = LinePlot("", marked=True)
        self.pages = PageViews()
        self.notes = label("", 12, role="muted", wrap=True)
        self.ground = label("", 12, role="faint", wrap=True)
        self.command = Elided("", 12, role="faint")
        self.copy: QPushButton = button(tr("Copy as"))
        self.save = icon_button(context.theme, tr("Save…"), "export", lambda: run("evaluate.sheet-save"))
        self.again = icon_button(context.theme, tr("Draw again"), "retry", lambda: run("evaluate.sheet-again"))
        self.remove = icon_button(context.theme, tr("Remove"), "trash", lambda: run("evaluate.sheet-remove"))
        self._formats = QMenu(self.copy)
        self.copy.setMenu(self._formats)
        self._picture = QStackedWidget()
        self._build()
        self.table.selected.connect(self._show)
        context.jobs.progressed.connect(self._progressed)
        ThemeWatch(self, context.theme, self._set_tokens)
        self._set_tokens()
        self.record = context.jobs.inherit(self)
        if self.record is not None:
            self._progressed(self.record)

    def _explain_values(self) -> None:
        if KINDS[str(self.kind.currentData())].of_pair:
            self.values.setPlaceholderText(
                tr("ids of two documents, separated by a comma; empty: a pair is chosen for you")
            )
            self.values.setAccessibleName(tr("Ids of two documents"))
        else:
            self.values.setPlaceholderText(tr("values of the varied parameter; empty: the paper's"))
            self.values.setAccessibleName(tr("Values of the varied parameter"))

    def _set_tokens(self) -> None:
        for part in (self.plot, self.pages):
            part.set_tokens(self._context.theme.tokens)

    def _build(self) -> None:
        left = QFrame()
        left.setObjectName("panel")
        parts = column(self.kind, self.values, row(self.new, self.stop, None), spacing=8, margins=(14, 12, 12, 12))
        inside = column(spacing=0, margins=(1, 1, 1, 1))
        inside.addLayout(parts)
        inside.addWidget(self.table, 1)
        left.setLayout(inside)
        left.setMinimumWidth(300)
        self.kind.setMinimumWidth(200)
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        right = QFrame()
        right.setObjectName("panel")
        self._tables = QSplitter(Qt.Orientation.Horizontal)
        self._tables.setChildrenCollapsible(False)
        words = label(
            tr("Draw one of the papers' figures from this project's data; it is kept here."), 13, role="muted"
        )
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty = words
        for page in (words, self.plot, self.pages, self._tables):
            self._picture.addWidget(page)
        top = row(self.title, self.copy, self.save, self.again, self.remove, spacing=6)
        top.setStretch(0, 1)
        whole = column(
            top,
            margins=(14, 10, 12, 10),
            spacing=8,
        )
        whole.addWidget(self._picture, 1)
        for part in (self.notes, self.ground, self.command):
            whole.addWidget(part)
        right.setLayout(whole)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(8)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        split.setSizes([_LIST, 800])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)
        self.stop.hide()
        self._show()

    # -- content

    def show_scored(self, scored: ScoredRun | None) -> None:
        """Set the question for new sheets: that of ``scored``, or else the usual one."""
        self._scored = scored
        self.read()

    def read(self) -> None:
        """Read the sheets again."""
        self._context.latest(self, "sheets", read_sheets, self._list)

    def _list(self, sheets: list[Sheet]) -> None:
        before = self.chosen()
        self.sheets = sheets
        newest = sheets[::-1]
        self.model.set_values(
            {
                "id": [sheet.id for sheet in newest],
                "name": [sheet.name for sheet in newest],
                "when": [sheet.when for sheet in newest],
                "state": [tr("as drawn") if sheet.fresh else tr("outdated") for sheet in newest],
            }
        )
        there = {sheet.id for sheet in sheets}
        wanted = newest[0].id if newest else None
        if before is not None and before.id in there:
            wanted = before.id
        if self._wanted in there:
            wanted, self._wanted = self._wanted, None
        self.table.select_keys([] if wanted is None else [wanted])
        self._show()

    def chosen(self) -> Sheet | None:
        """The chosen sheet."""
        keys = self.table.chosen_keys()
        return next((sheet for sheet in self.sheets if sheet.id in keys), None)

    def has_sheet(self) -> bool:
        """Whether a sheet is chosen."""
        return self.chosen() is not None

    def _show(self) -> None:
        sheet = self.chosen()
        for part in (self.copy, self.save, self.again, self.remove, self.notes, self.ground, self.command):
            part.setVisible(sheet is not None)
        self._context.actions.refresh()
        if sheet is None:
            self.title.set_text("")
            self._picture.setCurrentIndex(0)
            return
        drawn = worded(sheet.drawn, say)
        self.title.set_text(drawn.title)
        if isinstance(drawn, Figure):
            self._show_figure(drawn)
        else:
            self._show_table(sheet.figure, drawn)
        self.notes.setText("\n".join(drawn.notes))
        runs = ", ".join(f"{number} ({run.get('method', '')})" for number, run in sheet.ground.runs.items())
        state = "" if sheet.fresh else tr("Documents or labels have changed since then.") + " "
        self.ground.setText(
            state
            + tr(
                "Runs {runs} · documents {documents} · labels {labels}",
                runs=runs or "–",
                documents=sheet.ground.documents[:12],
                labels=sheet.ground.labels[:12] or "–",
            )
        )
        project = self._context.project
        self.command.set_text("" if project is None else command_of(sheet, project))
        self._fill_formats(sheet)

    def _show_figure(self, figure: Figure) -> None:
        if figure.pages:
            self.pages.show_pages(figure.title, figure.pages)
            self._picture.setCurrentWidget(self.pages)
            return
        every = (*figure.series, *figure.reference)
        self.plot.titles = (figure.x.title, figure.y.title)
        self.plot.setAccessibleName(figure.title)
        self.plot.x_scale = _scale(figure.x, [v for s in every for v in s.x])
        self.plot.y_scale = _scale(figure.y, [v for s in every for v in s.y])
        traces = [_trace(series, faint=False) for series in figure.series]
        self.plot.set_traces([*traces, *(_trace(series, faint=True) for series in figure.reference)])
        self.plot.fit_words()
        self._picture.setCurrentWidget(self.plot)

    def _show_table(self, figure: str, table: Table) -> None:
        reference = paper_values(figure)
        views = [self._view(table, tr("This project"))]
        if reference is not None and reference.table is not None:
            views.append(self._view(worded(reference.table, say), say(reference.table.title), faint=True))
        while self._tables.count():
            part = self._tables.widget(0)
            assert part is not None
            part.hide()
            part.setParent(None)
            part.deleteLater()
        # Wide tables are stacked, so that no column is hidden.
        wide = len(table.columns) > _WIDE
        self._tables.setOrientation(Qt.Orientation.Vertical if wide else Qt.Orientation.Horizontal)
        for view in views:
            self._tables.addWidget(view)
        self._picture.setCurrentWidget(self._tables)

    def _view(self, table: Table, title: str, *, faint: bool = False) -> QWidget:
        columns = [
            Column(f"c{at}", name, _cell, _numeric(table, at), _width(table, at) if at else 0, "–")
            for at, name in enumerate(table.columns)
        ]
        model = ColumnsModel(columns, "row", self)
        values: dict[str, list[object]] = {"row": list(range(len(table.rows)))}
        for at in range(len(table.columns)):
            values[f"c{at}"] = [line[at] for line in table.rows]
        model.set_values(values)
        view = TableView(model, title, many=False)
        whole = QWidget()
        model.setParent(whole)
        whole.setLayout(column(label(title, 12, role="faint" if faint else "muted", wrap=True), spacing=4))
        inside = whole.layout()
        assert inside is not None
        inside.addWidget(view)
        return whole

    # -- drawing

    def draw(self) -> None:
        """Draw a new sheet as a job."""
        scored = self._scored
        name = str(self.kind.currentData())
        values = tuple(value.strip() for value in self.values.text().split(",") if value.strip())
        question = Question()
        runs: tuple[int, ...] = ()
        if scored is not None:
            positive = tuple(sorted(scored.chosen.meaning.positive))
            question = Question(scored.chosen.label_set, positive, scored.question.complete)
            if name == "scores":
                runs = (scored.run.id,)
        self._begin(say(KINDS[name].shows), name, FigureRequest(runs, question, values))

    def draw_again(self) -> None:
        """Draw the chosen sheet again from the current data."""
        sheet = self.chosen()
        if sheet is not None:
            self._begin(sheet.name, sheet.figure, sheet.request)

    def _begin(self, name: str, figure: str, request: FigureRequest) -> None:
        project = self._context.project
        if project is None:
            return
        if self.record is not None and self.record.active:
            self._context.say(tr("A sheet is being drawn. Draw the next one when it has finished."), "warn")
            return
        title = tr("Draw {name}", name=name)
        self.record = self._context.jobs.submit(title, draw_sheet, project, name, figure, request, after=self._ended)
        self._progressed(self.record)

    def _progressed(self, record: JobRecord) -> None:
        if record is self.record:
            self.stop.setVisible(record.active)
            self.new.setVisible(not record.active)

    def _cancel(self) -> None:
        if self.record is not None:
            self._context.jobs.cancel(self.record.id)

    def _ended(self, record: JobRecord) -> None:
        self._progressed(record)
        if isinstance(record.result, int):
            self._wanted = record.result
            self.read()
        else:
            self._context.say_job_ended(record, tr("The sheet was cancelled; finished runs are kept."))

    def remove_sheet(self) -> None:
        """Remove the chosen sheet; can be undone."""
        sheet = self.chosen()
        if sheet is None:
            return
        title = tr("Remove the sheet {name}", name=sheet.name)
        self._context.perform(
            title,
            partial(_set, sheet=sheet.id, removed=True),
            partial(_set, sheet=sheet.id, removed=False),
            {"measures"},
            sentence=tr("The sheet {name} was removed.", name=sheet.name),
        )

    # -- copying

    def _fill_formats(self, sheet: Sheet) -> None:
        self._formats.clear()
        suffixes = SUFFIXES if isinstance(sheet.drawn, Figure) else TABLE_SUFFIXES
        for suffix in suffixes:
            self._formats.addAction(_NAMES[suffix]).triggered.connect(
                lambda _on=False, suffix=suffix: self.copy_as(suffix)
            )
        self._formats.addAction(tr("Command that draws it")).triggered.connect(lambda _on=False: self.copy_command())

    def copy_as(self, suffix: str) -> None:
        """Copy the sheet to the clipboard in one of the formats."""
        sheet = self.chosen()
        if sheet is not None:
            self._context.aside(self, rendered, worded(sheet.drawn, say), suffix, done=partial(self._put, suffix))

    def _put(self, suffix: str, data: bytes) -> None:
        mime = QMimeData()
        mime.setData(_MIME[suffix], QByteArray(data))
        if suffix == ".png":
            mime.setImageData(QImage.fromData(data))
        elif suffix != ".pdf":
            mime.setText(data.decode())
        QGuiApplication.clipboard().setMimeData(mime)
        self._context.say(tr("Copied as {format}.", format=_NAMES[suffix]), "ok")

    def copy_command(self) -> None:
        """Copy the command that draws the sheet to the clipboard."""
        sheet, project = self.chosen(), self._context.project
        if sheet is not None and project is not None:
            QGuiApplication.clipboard().setText(command_of(sheet, project))
            self._context.say(tr("Copied the command."), "ok")

    def save_sheet(self) -> None:
        """Ask for a file and write the sheet to it."""
        sheet = self.chosen()
        if sheet is None:
            return
        suffixes = SUFFIXES if isinstance(sheet.drawn, Figure) else TABLE_SUFFIXES
        kinds = {f"{_NAMES[suffix]} (*{suffix})": suffix for suffix in suffixes}
        name, drawn = f"{sheet.figure}{suffixes[0]}", worded(sheet.drawn, say)
        save_as(self._context, self, tr("Save the sheet"), name, kinds, written, _sentence, drawn=drawn)


def rendered(_ctx: Context, drawn: Figure | Table, suffix: str) -> bytes:
    """The bytes of a sheet, in a separate process: the window never loads matplotlib."""
    return render(drawn, suffix)


def written(_ctx: Context, project: Path, path: Path, drawn: Figure | Table) -> None:
    """Write a sheet (a job)."""
    write_figure(project, drawn, path)


def _sentence(path: Path, _none: object) -> str:
    return tr("Wrote {file}.", file=path)


def _set(session: Session, *, sheet: int, removed: bool) -> None:
    set_removed(session, sheet, removed=removed)


def _trace(series: Series, *, faint: bool) -> Trace:
    x, y = np.array(series.x, np.float64), np.array(series.y, np.float64)
    low = high = None
    if series.style == "bars":
        # From the baseline up, down to it at the end, and shaded in between.
        ground = min(0.0, float(y.min(initial=0.0)))
        x, y = np.repeat(x, 2), np.concatenate(([ground], np.repeat(y, 2), [ground]))
        return Trace(series.name, x, y, np.full(len(x), ground), y, faint=faint, bare=True)
    if series.band:
        low, high = (np.array([ends[side] for ends in series.band], np.float64) for side in (0, 1))
    order = np.argsort(x, kind="stable") if series.style != "line" else np.arange(len(x))
    if low is not None and high is not None:
        low, high = low[order], high[order]
    dots, steps = series.style == "points", series.style == "steps"
    return Trace(series.name, x[order], y[order], low, high, faint=faint, dots=dots, steps=steps)


def _scale(axis: Axis, values: list[float]) -> Scale:
    low = axis.low if axis.low is not None else min(values, default=0.0)
    high = axis.high if axis.high is not None else max(values, default=1.0)
    if axis.log and high > 0:
        above = [v for v in values if v > 0]
        least = axis.low if axis.low is not None and axis.low > 0 else min(above, default=1.0)
        room = (high / least) ** _ROOM
        return Logarithmic(
            least / (room if axis.low is None else 1), high * (room if axis.high is None else 1), zero=low <= 0
        )
    room = (high - low) * _ROOM
    return Even(low - room * (axis.low is None), high + room * (axis.high is None))


def _cell(value: object) -> str:
    return rounded(value, ",") if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _width(table: Table, at: int) -> int:
    """Width in pixels for the heading and every cell of a column, except very long texts."""
    metrics = QFontMetrics(font(13, SEMIBOLD))
    texts = (table.columns[at], *(_cell(line[at]) for line in table.rows))
    return min(_WIDEST, 28 + max(map(metrics.horizontalAdvance, texts)))


def _numeric(table: Table, at: int) -> bool:
    return all(line[at] is None or isinstance(line[at], int | float) for line in table.rows)


_GAP, _TITLE = 14, 24


@guarded
class _Pictures(QWidget):
    """All pages at one scale."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = LIGHT
        self.pages: list[tuple[str, QImage]] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        tallest = max((image.height() for _, image in self.pages), default=0)
        return _TITLE + round(tallest * self._scale(width)) + 2

    def sizeHint(self) -> QSize:
        return QSize(480, self.heightForWidth(480))

    def _scale(self, width: int) -> float:
        across = sum(image.width() for _, image in self.pages)
        return max(1, width - _GAP * (len(self.pages) - 1) - 2) / max(1, across)

    def paintEvent(self, _event: QPaintEvent) -> None:
        left, scale = 1.0, self._scale(self.width())
        face = font(12)
        with painting(self) as painter:
            painter.setRenderHint(painter.RenderHint.SmoothPixmapTransform)
            painter.setFont(face)
            for title, image in self.pages:
                box = QRectF(left, _TITLE, image.width() * scale, image.height() * scale)
                painter.setPen(QColor(self.tokens.text2))
                elided = QFontMetrics(face).elidedText(title, Qt.TextElideMode.ElideMiddle, int(box.width()))
                painter.drawText(QRectF(left, 0, box.width(), _TITLE), Qt.AlignmentFlag.AlignVCenter, elided)
                painter.drawImage(box, image)
                painter.setPen(QColor(self.tokens.border2))
                painter.drawRect(box)
                left += box.width() + _GAP


class PageViews(QScrollArea):
    """Shows the pages of a figure."""

    def __init__(self) -> None:
        super().__init__()
        self._pictures = _Pictures()
        scroll_down(self, self._pictures, see_through=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_tokens(self, tokens: Tokens) -> None:
        """Draw titles and frames in the colours of a theme."""
        self._pictures.tokens = tokens
        self._pictures.update()

    @property
    def titles(self) -> list[str]:
        """The title above each page."""
        return [title for title, _ in self._pictures.pages]

    def show_pages(self, name: str, pages: Sequence[PageView]) -> None:
        """Show ``pages``, with the common accessible name ``name``."""
        self._pictures.pages = [(page.title, QImage.fromData(page.data)) for page in pages]
        self.setAccessibleName(name)
        self.setAccessibleDescription(" · ".join(self.titles))
        self._pictures.updateGeometry()
        self._pictures.update()
        self.verticalScrollBar().setValue(0)
