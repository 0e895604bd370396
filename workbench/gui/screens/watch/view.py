"""The Watch screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QFrame, QSplitter, QStackedWidget, QTabWidget, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.captures_dialog import CapturesDialog
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.saving import report_words, save_as
from workbench.gui.kit.tables import Table
from workbench.gui.kit.widgets import EmptyState, column, heading, icon_button, panel, row
from workbench.gui.kit.words import local_time
from workbench.gui.screens.watch import SCREEN
from workbench.gui.screens.watch.analysis_panel import AnalysisPanel
from workbench.gui.screens.watch.changing import Changing
from workbench.gui.screens.watch.watch_panel import WatchPanel
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.gui.workspace.job_bridge import JobRecord
from workbench.gui.workspace.screen import Screen, View
from workbench.services.records import Watch
from workbench.services.session import Session
from workbench.services.watching.alerts import check_and_tell
from workbench.services.watching.checking import Checked
from workbench.services.watching.reads import Watches, overdue, read_watches
from workbench.services.watching.report import write_report_job


def ask_report(context: AppContext, parent: QWidget, watch: str, days: int) -> None:
    """Ask where to save the report of the last ``days`` days (0: all) of ``watch`` ("": all), and write it as a job."""
    today = date.today()
    kinds = {tr("HTML page to read and print (*.html)"): ".html", tr("JSON Lines data (*.jsonl)"): ".jsonl"}
    since = (today - timedelta(days=days - 1)).isoformat() if days else ""

    def sentence(path: Path, matches: int) -> str:
        count = trn("{count} match", "{count} matches", matches)
        return tr("The report was saved to {path} ({count}).", path=path, count=count)

    name, title, words = f"{today.isoformat()}.html", tr("Save the report"), report_words()
    what = {"watch": watch, "since": since, "words": words, "viewer": context.viewer}
    save_as(context, parent, title, name, kinds, write_report_job, sentence, **what)


_LOOK_MS = 60_000
"""Milliseconds between checks for due watches."""
_CHOSEN: WeakKeyDictionary[Session, tuple[bool, bool]] = WeakKeyDictionary()
"""Whether to fetch from private networks, and whether to check due watches: valid until the project is closed, also in
a window of another language.
"""


_CHECKING: WeakKeyDictionary[Session, dict[str, int]] = WeakKeyDictionary()
"""Running checks: job to watch; they go on in a window of another language."""


class WatchView(View):
    """Saved searches and their findings."""

    declaration: ClassVar[Screen] = SCREEN
    kinds: ClassVar[frozenset[str]] = frozenset({"watches", "runs", "labels"})

    def build(self) -> Iterator[None]:
        context = self.context
        self.watches = Watches((), {}, 0)
        self._to_select = ""
        self.captures: CapturesDialog | None = None
        """The dialog shown last."""
        self._checking: dict[str, int] = {}
        """Running checks: job to watch."""
        if context.session is not None:
            self._checking = _CHECKING.setdefault(context.session, {})
            context.jobs.inherit(self)
        columns = [
            Column("name", tr("Watch")),
            Column("last", tr("Last check"), local_time, width=144),
            Column("new", tr("Matches"), whole, numeric=True, width=80, tip=tr("Matches reported since it was added")),
        ]
        self.model = ColumnsModel(columns, "id", self)
        self.table = Table(self.model, tr("Watches"), many=False)
        yield
        self.detail = WatchPanel(context)
        yield
        self.analysis = AnalysisPanel(context)
        yield
        self.private = QCheckBox(tr("Also private networks"))
        self.automatic = QCheckBox(tr("Check due watches while open"))
        self.private.setToolTip(tr("Also fetch from private networks and this computer"))
        self.automatic.setToolTip(tr("Check due watches while this window is open"))
        self.changing = Changing(context, self.watch, lambda: [w.name for w in self.watches.watches], self.choose, self)
        self.tabs = QTabWidget()
        self._pages = QStackedWidget()
        self._build()
        yield
        self.table.selected.connect(self._chosen)
        self.detail.opened.connect(context.open_passage)
        self.detail.case_asked.connect(self.changing.set_case)
        self.analysis.report_asked.connect(lambda name, days: ask_report(context, self, name, days))
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._check_due)
        self.automatic.toggled.connect(self._switch)
        if context.session is not None:
            boxes = (self.private, self.automatic)
            for box, on in zip(boxes, _CHOSEN.setdefault(context.session, (False, False)), strict=True):
                box.setChecked(on)
                box.toggled.connect(partial(self._choose_checks, context.session))
        context.actions.add(*self._actions())

    def _build(self) -> None:
        theme, run = self.context.theme, self.context.actions.run
        left, layout = panel()
        add = icon_button(theme, tr("New watch…"), "plus", lambda: run("watch.add"), "primary")
        layout.addLayout(row(heading(tr("Watches")), None, add, margins=(16, 10, 12, 8)))
        layout.addWidget(self.table, 1)
        layout.addLayout(column(self.automatic, self.private, spacing=6, margins=(14, 10, 14, 12)))
        left.setMinimumWidth(320)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(10)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(self.detail)
        split.setStretchFactor(1, 1)
        split.setSizes([380, 900])
        for part, title in ((split, tr("Checks")), (self.analysis, tr("Analysis"))):
            framed = QFrame()
            framed.setLayout(column(part, margins=(0, 8, 0, 0)))
            self.tabs.addTab(framed, title)
        empty = EmptyState(
            theme,
            "clock",
            tr("No watches yet"),
            tr(
                "A watch is a saved search: it fetches what is new on the pages, feeds or sitemaps you name, compares "
                "only that with your sources, and reports each match once."
            ),
            icon_button(theme, tr("New watch…"), "plus", lambda: run("watch.add"), "primary"),
        )
        self._pages.addWidget(self.tabs)
        self._pages.addWidget(empty)
        self.setLayout(column(self._pages, margins=(10, 0, 10, 10)))

    def _actions(self) -> list[Action]:
        def there() -> bool:
            return self.context.session is not None

        def chosen() -> bool:
            return self.watch() is not None

        def idle() -> bool:
            watch = self.watch()
            return watch is not None and watch.id not in self._checking.values()

        one, project = tr("Select a watch first."), tr("Open a project first.")
        return [
            Action(
                "watch.add",
                tr("New watch…"),
                self.changing.add,
                icon="plus",
                enabled=there,
                needs=project,
            ),
            self.make_action(
                "check",
                tr("Check the watch now"),
                self.check_now,
                "Ctrl+Return",
                "retry",
                enabled=idle,
                needs=tr("Select a watch that is not being checked."),
            ),
            self.make_action(
                "change", tr("Change the watch…"), self.changing.change, "F2", "more", enabled=chosen, needs=one
            ),
            self.make_action(
                "captures",
                tr("Captures of the page…"),
                self._show_captures,
                "",
                "clock",
                enabled=lambda: self.detail.finding() is not None,
                needs=tr("Select a reported page first."),
            ),
            self.make_action(
                "remove", tr("Remove the watch"), self.changing.remove, "Delete", "trash", enabled=chosen, needs=one
            ),
        ]

    def _show_captures(self) -> None:
        finding = self.detail.finding()
        if finding is not None:
            self.captures = CapturesDialog(self.context, self.window(), finding.page)
            self.captures.open()

    # -- reading

    def load(self) -> None:
        """Read the watches again; the selection is kept."""
        self.set_ready(False)
        if self.context.session is None:
            self._show(Watches((), {}, 0))
            return
        self.context.latest(self, "watches", read_watches, self._show)

    def choose(self, name: str) -> None:
        """Show the watch called ``name`` once it has been read."""
        self._to_select = name

    def watch(self) -> Watch | None:
        """The selected watch."""
        keys = self.table.chosen_keys()
        return next((w for w in self.watches.watches if w.id in keys), None)

    def _show(self, watches: Watches) -> None:
        before = self.watch()
        name = self._to_select or (before.name if before else "")
        self.watches, self._to_select = watches, ""
        checks_of = [watches.checks[w.id] for w in watches.watches]
        self.model.set_values(
            {
                "id": [w.id for w in watches.watches],
                "name": [w.name for w in watches.watches],
                "last": [checks[0].started if checks else "" for checks in checks_of],
                "new": [watches.reported(w) for w in watches.watches],
            }
        )
        self._pages.setCurrentIndex(0 if watches.watches else 1)
        keys = [w.id for w in watches.watches if w.name == name] or [w.id for w in watches.watches[:1]]
        self.table.select_keys(keys)
        self._chosen()
        if self.context.session is not None:
            self.analysis.show_watches(watches)
        self.set_ready()

    def _chosen(self) -> None:
        watch = self.watch()
        if watch is not None:
            checks = self.watches.checks.get(watch.id, ())
            self.detail.show_watch(watch, checks, watch.id in self.watches.running)
            self.detail.show_checking(watch.id in self._checking.values())
        self.context.actions.refresh()

    # -- checking

    def check_now(self) -> None:
        """Check the selected watch as a job."""
        watch = self.watch()
        if watch is not None:
            self.start(watch)

    def start(self, watch: Watch) -> JobRecord | None:
        """Check ``watch`` unless it is already being checked."""
        project = self.context.project
        if project is None or watch.id in self._checking.values():
            return None
        record = self.context.jobs.submit(
            tr("Check {name}", name=watch.name),
            check_and_tell,
            project,
            watch,
            allow_private=self.private.isChecked(),
            after=self._checked,
        )
        self._checking[record.id] = watch.id
        self._chosen()
        return record

    def _checked(self, record: JobRecord) -> None:
        self._checking.pop(record.id, None)
        self.context.announce({"watches"})
        if isinstance(record.result, Checked):
            finished = record.result.check
            sentence = tr(
                "{name}: {examined} examined, {new}, {known} reported before, {failed}.",
                name=record.result.watch.name,
                examined=trn("{count} new document", "{count} new documents", finished.examined),
                new=trn("{count} new match", "{count} new matches", finished.reported),
                known=f"{finished.known:,}",
                failed=trn("{count} address failed", "{count} addresses failed", finished.failed),
            )
            if finished.ignored:
                sentence += " " + trn(
                    "{count} match on your own, ignored or licensed pages is not reported.",
                    "{count} matches on your own, ignored or licensed pages are not reported.",
                    finished.ignored,
                )
            if record.result.failed:
                first = record.result.failed[0]
                sentence += " " + tr("The first: {reason}", reason=f"{first.path}: {say(first.error)}")
            self.context.say(sentence, "ok" if not finished.failed else "warn")
        else:
            self.context.say_job_ended(record)

    def _choose_checks(self, session: Session, _on: bool) -> None:
        _CHOSEN[session] = self.private.isChecked(), self.automatic.isChecked()

    def _switch(self, on: bool) -> None:
        if on:
            self._timer.start()
            self._check_due()
        else:
            self._timer.stop()

    def _check_due(self) -> None:
        if self.context.session is not None and not self._checking:
            self.context.background(overdue, self._start_due, failed=self._refuse_due)

    def _start_due(self, due: list[Watch]) -> None:
        """Start one at a time: two fetches into one project would wait for each other."""
        if due and not self._checking:
            self.start(due[0])

    def _refuse_due(self, error: UserError) -> None:
        self.automatic.setChecked(False)
        self.context.show_error(error)

    # -- session

    def save_state(self) -> dict[str, Any]:
        """Save what is shown; checking due watches must be enabled again each time a project is opened."""
        watch = self.watch()
        return {"watch": watch.name if watch else "", "tab": self.tabs.currentIndex(), "days": self.analysis.days}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        match state:
            case {"watch": str(name), "tab": int(tab), "days": int(days)} if days in self.analysis.chips:
                self._to_select = name
                self.tabs.setCurrentIndex(tab)
                self.analysis.choose(days)

    def key_hints(self) -> list[tuple[str, str]]:
        return [("watch.check", tr("check now")), ("watch.change", tr("change")), ("window.palette", tr("all actions"))]

    def first_focus(self) -> QWidget | None:
        return self.table if self.watches.watches else None
