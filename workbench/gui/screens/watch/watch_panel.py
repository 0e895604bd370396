"""One watch: what it looks for, its checks, and the matches it reported."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QSplitter

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.parts import column, heading, icon_button, label, row
from workbench.gui.kit.tables import Table
from workbench.gui.kit.words import local_time, parameter_title, value_text
from workbench.gui.workspace.context import AppContext
from workbench.methods.core import registry
from workbench.services.fetching.options import PlaceKind
from workbench.services.stored import Check, Watch
from workbench.services.watching.reads import Figures, read_figures
from workbench.services.watching.settings import WatchSettings


def summary(watch: Watch) -> str:
    """A short description of what a watch looks for."""
    try:
        settings = WatchSettings.from_dict(watch.settings)
    except UserError as error:
        return say(error.sentence)
    kinds = {PlaceKind.FEED: tr("feed"), PlaceKind.SITEMAP: tr("sitemap")}
    places = [f"{kinds[p.kind]} {p.address}" if p.kind in kinds else p.address for p in settings.places]
    where = ", ".join(places) or tr("suspects that are imported")
    usual = {}
    if settings.method in registry.names():
        usual = {spec.name: spec.default for spec in registry.get(settings.method).parameters.specs()}
    changed = {name: value for name, value in settings.parameters.items() if usual.get(name, "") != value}
    parts = [settings.method, *(f"{parameter_title(name)} {value_text(value)}" for name, value in changed.items())]
    if settings.min_score:
        parts.append(tr("score from {score}", score=f"{settings.min_score:g}"))
    if settings.min_characters:
        parts.append(tr("from {count} characters", count=f"{settings.min_characters:,}"))
    often = tr("every {hours} hours", hours=f"{settings.every:g}")
    return "\n".join((where, " · ".join(parts), often))


def _message(check: Check) -> str:
    """How a check ended, if there is more to say than its figures."""
    if check.message:
        return say(check.message)
    if not check.finished:
        return tr("running or interrupted")
    return tr("Documents lists what failed.") if check.failed else ""


class WatchPanel(QFrame):
    """Shows a watch. ``opened`` carries run, page and source keys of a match to see in Review."""

    opened = Signal(int, int, int)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.watch: Watch | None = None
        self._checks: Sequence[Check] = ()
        self._figures: Figures | None = None
        self.title = heading("", 15)
        self.about = label("", 12, role="muted", wrap=True)
        run = context.actions.run
        theme = context.theme
        self.buttons = (
            icon_button(theme, tr("Change…"), "more", lambda: run("watch.change")),
            icon_button(theme, tr("Remove"), "trash", lambda: run("watch.remove")),
            icon_button(theme, tr("Check now"), "retry", lambda: run("watch.check"), "primary"),
        )
        checks = [
            Column("started", tr("Check"), local_time, width=164),
            Column("fetched", tr("Fetched"), whole, numeric=True, width=76),
            Column("unchanged", tr("Unchanged"), whole, numeric=True, width=108),
            Column("failed", tr("Failed"), whole, numeric=True, width=66),
            Column("examined", tr("Examined"), whole, numeric=True, width=84),
            Column("reported", tr("New"), whole, numeric=True, width=60),
            Column("known", tr("Known"), whole, numeric=True, width=66),
            Column("message", tr("Message")),
        ]
        self.checks = Table(ColumnsModel(checks, "id", self), tr("Checks"), many=False)
        matches = [
            Column("page", tr("Page")),
            Column("source", tr("Source"), width=190),
            Column("characters", tr("Characters"), whole, numeric=True, width=92),
            Column("day", tr("Reported"), width=112),
        ]
        self.matches = Table(ColumnsModel(matches, "row", self), tr("Reported matches"), many=False)
        self.matches.opened.connect(self._open)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(8)
        self.never = label(
            tr("Not checked yet. Check it now, or let due watches be checked while the project is open."),
            12,
            role="muted",
            wrap=True,
        )
        self.nothing = label(tr("No match has been reported. Each is reported once."), 12, role="muted", wrap=True)
        titled = ((tr("Checks"), self.checks, self.never), (tr("Reported matches"), self.matches, self.nothing))
        for title, table, hint in titled:
            part = QFrame()
            inner = column(heading(title, 13), hint, spacing=6)
            inner.addWidget(table, 1)
            part.setLayout(inner)
            split.addWidget(part)
        layout = column(row(self.title, None, *self.buttons), self.about, spacing=8, margins=(16, 12, 16, 12))
        layout.addWidget(split, 1)
        self.setLayout(layout)

    def show_watch(self, watch: Watch, checks: Sequence[Check]) -> None:
        """Show ``watch`` with its checks, newest first."""
        self.watch, self._checks = watch, checks
        self.title.setText(watch.name)
        self.about.setText(summary(watch))
        model = self.checks.model()
        assert isinstance(model, ColumnsModel)
        names = ("id", "started", "fetched", "unchanged", "failed", "examined", "reported", "known")
        values = {name: [getattr(check, name) for check in checks] for name in names}
        model.set_values(values | {"message": [_message(check) for check in checks]})
        self.never.setVisible(not checks)
        self.nothing.setVisible(bool(checks) and not any(check.reported for check in checks))
        self._context.background(read_figures(watch.name, 0), self._show_matches, owner=self)

    def show_checking(self, checking: bool) -> None:
        """Show on the button whether the watch is being checked."""
        words, check = tr("Checking…") if checking else tr("Check now"), self.buttons[2]
        check.setText(f" {words}")
        check.setAccessibleName(words)
        check.setEnabled(not checking)

    def _show_matches(self, figures: Figures) -> None:
        self._figures = figures
        copies = figures.analysis.copies[::-1]
        model = self.matches.model()
        assert isinstance(model, ColumnsModel)
        model.set_values(
            {
                "row": list(range(len(copies)))[::-1],
                "page": [c.match.page for c in copies],
                "source": [c.source.title or c.source.id for c in copies],
                "characters": [c.characters for c in copies],
                "day": [c.day for c in copies],
            }
        )

    def _open(self, number: int) -> None:
        if self._figures is None:
            return
        match = self._figures.analysis.copies[number].match
        run = next((c.run_id for c in self._checks if c.id == match.check_id), None)
        if run is not None:
            self.opened.emit(run, match.a, match.b)
