"""The runs of a project, with settings, counts and exclusions: to open, reuse, resume or compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QStackedWidget

from workbench.base.types import Run, RunState
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.progress import duration, state_role, state_word
from workbench.gui.kit.runs import has_results, newer_words, result_sentence, settings_text
from workbench.gui.kit.tables import Table, TagDelegate
from workbench.gui.kit.widgets import EmptyState, button, caption, column, heading, icon_button, label, line, panel, row
from workbench.gui.kit.words import local_time, parameter_title, value_text
from workbench.gui.problems import guarded
from workbench.gui.workspace.context import AppContext
from workbench.services.queries import newer_documents
from workbench.services.removing_runs import points, remove_runs, restore_runs

_NARROW = 900
"""Width below which the table hides columns, logical pixels."""


@guarded
class RunsPane(QFrame):
    """A table of runs, newest first, with the chosen one's details below.

    ``use_asked`` emits a Run whose settings are to be reused, ``resume_asked`` a Run to resume.
    """

    use_asked = Signal(object)
    resume_asked = Signal(object)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setObjectName("panel")
        self._runs: dict[int, Run] = {}
        self._all: Sequence[Run] = ()
        self._to_select: list[int] = []
        self._points: Counter[int] = Counter()
        """The number of runs made by sweeps, by varied run."""
        self.watches = QCheckBox(tr("Runs of watches"))
        self.watches.setToolTip(tr("Also list runs started by watches"))
        self.watches.toggled.connect(lambda _on: self.show_runs(self._all))
        self.sweeps = QCheckBox()
        self.sweeps.setToolTip(tr("Also list runs started by sweeps and figures"))
        self.sweeps.toggled.connect(lambda _on: self.show_runs(self._all))
        columns = [
            Column("id", tr("Run"), str, numeric=True, width=54),
            Column("state", tr("State"), state_word, width=108),
            Column("method", tr("Method"), width=124),
            Column("settings", tr("Settings")),
            Column("documents", tr("Documents"), whole, numeric=True, width=98),
            Column("matches", tr("Matches"), whole, numeric=True, width=92),
            Column("pairs", tr("Pairs"), whole, numeric=True, width=70),
            Column(
                "excluded",
                tr("Left out"),
                whole,
                numeric=True,
                width=84,
                tip=tr("Candidates excluded by a rule; select the run to see which"),
            ),
            Column("seconds", tr("Time"), duration, numeric=True, width=92),
        ]
        self.model = ColumnsModel(columns, "id", self)
        self.table = Table(self.model, tr("Runs"))
        self.table.setItemDelegateForColumn(
            1, TagDelegate(context.theme, lambda i: state_role(i.data(Qt.ItemDataRole.UserRole + 1)), self.table)
        )
        self.count = label("", 12, role="faint", tabular=True)
        self.settings = label("", 12, role="muted", wrap=True)
        self.left_out = label("", 12, role="muted", wrap=True)
        self._pages = QStackedWidget()
        self._build()
        self.table.selected.connect(self._selected)
        self.table.opened.connect(self._open)

    def _build(self) -> None:
        self.newer = button("", self._follow_newer, kind="link")
        self._successor = 0
        """The later run that covers documents that the chosen one does not; 0 if there is none."""
        self.newer.hide()
        self.swept = button("", self._remove_swept, kind="link")
        self.swept.hide()
        theme, run = self._context.theme, self._context.actions.run
        frame = QFrame()
        whole_ = column(spacing=0)
        self.buttons = {
            "detect.compare": icon_button(theme, tr("Compare two…"), "compare", lambda: run("detect.compare")),
            "detect.resume": icon_button(theme, tr("Resume"), "play", lambda: run("detect.resume")),
            "detect.remove": icon_button(theme, tr("Remove"), "trash", lambda: run("detect.remove")),
            "detect.again": icon_button(theme, tr("Use settings"), "retry", lambda: run("detect.again")),
            "detect.review": icon_button(
                theme, tr("Open in Review"), "review", lambda: run("detect.review"), "primary"
            ),
        }
        whole_.addLayout(row(heading(tr("Runs")), self.count, None, *self.buttons.values(), margins=(16, 10, 12, 10)))
        whole_.addLayout(row(self.sweeps, self.watches, None, margins=(16, 0, 12, 0)))
        whole_.addWidget(line())
        whole_.addWidget(self.table, 1)
        self._details, inner = panel("details")
        inner.addWidget(line())
        inner.addLayout(
            column(
                caption(tr("Settings")),
                self.settings,
                2,
                caption(tr("Left out")),
                self.left_out,
                row(self.newer, self.swept, None),
                margins=(16, 10, 16, 12),
                spacing=4,
            )
        )
        whole_.addWidget(self._details)
        frame.setLayout(whole_)
        empty = EmptyState(
            theme,
            "detect",
            tr("No runs yet"),
            tr(
                "Choose a method and start it. The project keeps its results, its settings and a list of "
                "everything it left out."
            ),
        )
        self._pages.addWidget(empty)
        self._pages.addWidget(frame)
        self.setLayout(column(self._pages, margins=(1, 1, 1, 1)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window, hide columns that the details repeat, to make room for the settings."""
        super().resizeEvent(event)
        for number, spec in enumerate(self.model.columns):
            if spec.name in ("documents", "seconds"):
                self.table.setColumnHidden(number, event.size().width() < _NARROW)

    def show_runs(self, runs: Sequence[Run]) -> None:
        """Replace the rows, keeping the selection."""
        chosen = self.table.chosen_keys()
        to_select = self._to_select or chosen
        self._all = runs
        self._points = points(runs)
        shown = (self.watches.isChecked(), self.sweeps.isChecked())
        runs = [
            run
            for run in runs
            if run.id in self._to_select or ((run.watch is None or shown[0]) and (run.varied_from is None or shown[1]))
        ]
        self.watches.setVisible(any(run.watch is not None for run in self._all))
        self.sweeps.setVisible(bool(self._points))
        self.sweeps.setText(tr("Runs of sweeps ({count})", count=f"{self._points.total():,}"))
        self._runs = {r.id: r for r in runs}
        self.model.set_values(
            {
                "id": [r.id for r in runs],
                "state": [r.state.value for r in runs],
                "method": [r.method for r in runs],
                "settings": [settings_text(r) for r in runs],
                "documents": [r.documents for r in runs],
                "matches": [r.matches for r in runs],
                "pairs": [r.pairs for r in runs],
                "excluded": [sum(r.excluded.values()) for r in runs],
                "seconds": [r.seconds for r in runs],
            }
        )
        self.count.setText(f"{len(runs):,}")
        self._pages.setCurrentIndex(1 if self._all else 0)
        self._to_select = [w for w in to_select if w not in self._runs]
        listed = [w for w in to_select if w in self._runs] or [w for w in chosen if w in self._runs]
        self.table.select_keys(listed or [r.id for r in runs[:1]])
        self._selected()

    def select(self, run_id: int) -> None:
        """Select a run, now or once it is listed."""
        self._to_select = [run_id]
        if run_id in self._runs:
            self.table.select_keys([run_id])

    def chosen(self) -> Run | None:
        """The selected run, if exactly one is selected."""
        keys = self.table.chosen_keys()
        return self._runs.get(keys[0]) if len(keys) == 1 else None

    def open_chosen(self) -> None:
        """Show the selected run in Review."""
        run = self.chosen()
        if run is not None:
            self._open(run.id)

    def _open(self, run_id: int) -> None:
        run = self._runs[run_id]
        if has_results(run):
            self._context.open_review(run.id, 0)
        elif run.state.resumable:
            self._context.say(tr("Run {run} stopped before it found anything. Resume it.", run=run.id))
        elif run.state == RunState.RUNNING:
            self._context.say(tr("Run {run} has found nothing yet.", run=run.id))
        else:
            self._context.say(result_sentence(run))

    def use_chosen(self) -> None:
        """Put the run's settings into the form."""
        run = self.chosen()
        if run is not None:
            self.use_asked.emit(run)

    def resume_chosen(self) -> None:
        """Resume the run where it stopped."""
        run = self.chosen()
        if run is not None:
            self.resume_asked.emit(run)

    def _follow_newer(self) -> None:
        """Select the later run that covers more documents; without one, continue the chosen run."""
        if self._successor:
            self.table.select_keys([self._successor])
        else:
            self.resume_chosen()

    def remove_chosen(self) -> None:
        """Remove the selected runs; undo brings them back."""
        self._remove(self.table.chosen_keys())

    def removable(self) -> bool:
        """Whether runs are selected, and none of them is running."""
        keys = self.table.chosen_keys()
        return bool(keys) and all(self._runs[key].state is not RunState.RUNNING for key in keys)

    def _remove_swept(self) -> None:
        """Remove the runs created by sweeps of the selected run."""
        run = self.chosen()
        if run is not None:
            of_sweep = (other for other in self._all if other.varied_from == run.id)
            self._remove([other.id for other in of_sweep if other.state is not RunState.RUNNING])

    def _remove(self, numbers: Sequence[int]) -> None:
        if not numbers:
            return
        sentence = trn("{count} run was removed.", "{count} runs were removed.", len(numbers))
        self._context.perform(
            trn("Remove {count} run", "Remove {count} runs", len(numbers)),
            lambda session: remove_runs(session, numbers),
            lambda session: restore_runs(session, numbers),
            {"runs", "matches"},
            sentence=tr("{what} Verdicts are kept.", what=sentence),
        )

    def compare_chosen(self) -> None:
        """Show the differences between two runs."""
        from workbench.gui.screens.detect.run_difference import RunDifferenceDialog

        keys = sorted(self.table.chosen_keys())
        if len(keys) == 2:
            first, second = (self._runs[k] for k in keys)
            RunDifferenceDialog(self._context, first, second, self.window()).open()

    def _show_newer(self, run: Run, newer: tuple[int, int]) -> None:
        """Show that ``run`` does not cover all documents, and is therefore out of date, or the later run that does."""
        count, self._successor = newer
        if run == self.chosen() and run.state is RunState.DONE:
            self.newer.setText(newer_words(count, self._successor))
            self.newer.setVisible(count > 0)

    def _selected(self) -> None:
        run = self.chosen()
        self._details.setVisible(run is not None)
        if run is not None:
            values = [f"{parameter_title(n)} {value_text(v)}" for n, v in run.parameters.items() if v != ""]
            about = [
                f"{run.method} {run.version}",
                tr("started {time}", time=local_time(run.created)),
                trn("{count} document", "{count} documents", run.documents),
                *([duration(run.seconds)] if run.seconds else []),
            ]
            self.settings.setText(" · ".join([*about, *values]))
            reasons = [f"{say(reason)} ({count:,})" for reason, count in run.excluded.items()]
            self.left_out.setText(" · ".join([*reasons, say(run.message)]).strip(" ·") or tr("nothing"))
            self.newer.hide()
            count = self._points[run.id]
            self.swept.setText(
                trn(
                    "Also remove the {count} run started by its sweeps",
                    "Also remove the {count} runs started by its sweeps",
                    count,
                )
            )
            self.swept.setVisible(count > 0)
            self._context.latest(self, "newer", newer_documents(run), partial(self._show_newer, run))
        self._context.actions.refresh()
        for key, push_button in self.buttons.items():
            push_button.setEnabled(key in self._context.actions and self._context.actions[key].enabled())
        keys = len(self.table.chosen_keys())
        self.count.setText(f"{len(self._runs):,}" if keys < 2 else trn("{count} selected", "{count} selected", keys))
