"""One watch: its settings, its checks, and the matches it reported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QMenu, QSplitter

from workbench.base.errors import UserError
from workbench.base.messages import percent
from workbench.base.page_sources import PlaceKind
from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.relation_words import strength_word
from workbench.gui.judging.standing_words import case_word, case_words, history_lines, presence_words
from workbench.gui.judging.verdicts import state_words
from workbench.gui.kit.columns import Column, ColumnsModel, whole
from workbench.gui.kit.tables import AddressDelegate, Table
from workbench.gui.kit.widgets import button, column, heading, icon_button, label, row
from workbench.gui.kit.words import local_time, parameter_title, value_text
from workbench.gui.workspace.context import AppContext
from workbench.methods.core import registry
from workbench.services.records import Check, Watch
from workbench.services.watching.cases import CaseState
from workbench.services.watching.findings import Finding, PageRelation
from workbench.services.watching.reads import Figures, read_figures
from workbench.services.watching.settings import WatchSettings


def relation_word(relation: PageRelation) -> str:
    """The relation of a page to an original."""
    return {
        PageRelation.WHOLE: tr("whole copy"),
        PageRelation.INCLUSION: tr("inclusion"),
        PageRelation.STITCHED: tr("stitched"),
        PageRelation.QUOTATION: tr("quotation with a link"),
        PageRelation.EXCERPT: tr("excerpt"),
    }[relation]


def way_sentence(finding: Finding) -> str:
    """The direction of copying between page and source, its strength, and the evidence."""
    strength = strength_word(finding.direction.strength.value)
    words = tr("{words} ({strength})", words=say(finding.way), strength=strength) if strength else say(finding.way)
    return f"{words} · {say(finding.signs)}"


def _names(finding: Finding) -> tuple[str, int]:
    """What identifies a finding: its page and the key of its original."""
    return finding.page, finding.source.key


def verdict_words(finding: Finding) -> str:
    """The verdicts given in Review, "" if there are none."""
    return ", ".join(state_words(value)[0] for value in finding.verdicts)


_PAST = 4
"""Maximum number of events of a case shown; the command line lists all."""


def summary(watch: Watch) -> str:
    """A short description of what a watch searches."""
    try:
        settings = WatchSettings.from_dict(watch.settings)
    except UserError as error:
        return say(error.sentence)
    kinds = {PlaceKind.FEED: tr("feed"), PlaceKind.SITEMAP: tr("sitemap")}
    places = [f"{kinds[p.kind]} {p.address}" if p.kind in kinds else p.address for p in settings.places]
    where = ", ".join(places) or tr("imported suspects")
    usual = {}
    if settings.method in registry.names():
        usual = {spec.name: spec.default for spec in registry.get(settings.method).parameters.specs()}
    changed = {name: value for name, value in settings.parameters.items() if usual.get(name, "") != value}
    parts = [settings.method, *(f"{parameter_title(name)} {value_text(value)}" for name, value in changed.items())]
    if settings.min_score:
        parts.append(tr("score at least {score}", score=f"{settings.min_score:g}"))
    else:
        parts.append(tr("score at least the project's threshold, if there is one"))
    if settings.min_characters:
        parts.append(trn("at least {count} character", "at least {count} characters", settings.min_characters))
    often = tr("every hour") if settings.every == 1 else tr("every {hours} hours", hours=f"{settings.every:g}")
    return "\n".join((where, " · ".join(parts), often))


def _message(check: Check, running: bool) -> str:
    """How a check ended, if its figures do not show it."""
    if check.message and check.run_id is None:
        return say(check.message)
    if not check.finished:
        return tr("Running") if running else tr("Interrupted")
    notes = [say(check.message)] if check.message else []
    if check.failures:
        address, reason = check.failures[0]
        notes.append(tr("Not fetched: {address} ({reason})", address=address, reason=say(reason)))
    if check.gone:
        notes.append(trn("{count} reported page is gone", "{count} reported pages are gone", len(check.gone)))
    if check.ignored:
        notes.append(trn("{count} match ignored", "{count} matches ignored", check.ignored))
    return " · ".join(notes)


class WatchPanel(QFrame):
    """Shows a watch. ``opened`` emits run, page and source keys and the limits of a passage to open in Review;
    ``case_asked`` a page (and whether its whole site is meant), and the case to set with a note.
    """

    opened = Signal(int, int, int, tuple)
    case_asked = Signal(str, bool, str, str)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._context = context
        self.watch: Watch | None = None
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
            Column("source", tr("Original"), width=116),
            Column("relation", tr("Relation"), width=112),
            Column("share", tr("Share"), percent, numeric=True, width=70, tip=tr("Share of the original's text")),
            Column("way", tr("Direction"), width=132, tip=tr("Which page copied from the other")),
            Column("presence", tr("State"), width=112),
            Column("case", tr("Case"), width=110),
            Column("verdict", tr("Verdict"), width=80),
        ]
        self.matches = Table(ColumnsModel(matches, "row", self), tr("Reported matches"), many=False)
        self.matches.setItemDelegateForColumn(0, AddressDelegate(self.matches))
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
        self.case = button(tr("Set the case"))
        self.case.setMenu(self._case_menu())
        self.captures = button(tr("Captures…"), lambda: context.actions.run("watch.captures"))
        self.note = QLineEdit()
        self.note.setPlaceholderText(tr("Note on the case"))
        self.note.setAccessibleName(tr("Note on the case"))
        self.note.setMaximumWidth(260)
        self.past = label("", 12, role="muted", wrap=True)
        self.past.hide()
        self.matches.selected.connect(self._selected)
        titled = ((tr("Checks"), self.checks, self.never), (tr("Reported matches"), self.matches, self.nothing))
        for title, table, hint in titled:
            part = QFrame()
            tools = (None, self.captures, self.note, self.case) if table is self.matches else ()
            inner = column(row(heading(title, 13), *tools), hint, spacing=6)
            inner.addWidget(table, 1)
            if table is self.matches:
                inner.addWidget(self.past)
            part.setLayout(inner)
            split.addWidget(part)
        layout = column(row(self.title, None, *self.buttons), self.about, spacing=8, margins=(16, 12, 16, 12))
        layout.addWidget(split, 1)
        self.setLayout(layout)

    def show_watch(self, watch: Watch, checks: Sequence[Check], running: bool) -> None:
        """Show ``watch`` with its checks, newest first, and whether that one is ``running``."""
        self.watch = watch
        self.title.setText(watch.name)
        self.about.setText(summary(watch))
        model = self.checks.model()
        assert isinstance(model, ColumnsModel)
        names = ("id", "started", "fetched", "unchanged", "failed", "examined", "reported", "known")
        values = {name: [getattr(check, name) for check in checks] for name in names}
        model.set_values(values | {"message": [_message(check, running and check is checks[0]) for check in checks]})
        self.never.setVisible(not checks)
        self.nothing.setVisible(bool(checks) and not any(check.reported for check in checks))
        self._context.latest(self, "figures", read_figures(watch.name, 0), self._show_matches)

    def show_checking(self, checking: bool) -> None:
        """Show on the button whether the watch is being checked."""
        words, check = tr("Checking…") if checking else tr("Check now"), self.buttons[2]
        check.setText(f" {words}")
        check.setAccessibleName(words)
        check.setEnabled(not checking)

    def _show_matches(self, figures: Figures) -> None:
        """Show matches, keeping the selected one and a note typed for it."""
        before, typed = self.finding(), self.note.text() if self.note.isModified() else ""
        self._figures = figures
        findings = figures.findings
        model = self.matches.model()
        assert isinstance(model, ColumnsModel)
        model.set_values(
            {
                "row": list(range(len(findings))),
                "page": [f.page for f in findings],
                "source": [f.source.title or f.source.id for f in findings],
                "relation": [relation_word(f.relation) for f in findings],
                "share": [f.share for f in findings],
                "way": [say(f.way) for f in findings],
                "presence": [presence_words(f.standing) for f in findings],
                "case": [case_words(f.standing.case) for f in findings],
                "verdict": [verdict_words(f) for f in findings],
            }
        )
        same = [n for n, f in enumerate(findings) if before is not None and _names(f) == _names(before)]
        self.matches.select_keys(same)
        self._selected()
        if same and typed.strip() and typed.strip() != self.note.text():
            self.note.setText(typed)
            self.note.setModified(True)

    def _case_menu(self) -> QMenu:
        menu = QMenu(self)
        for whole_site in (False, True):
            part = menu.addMenu(tr("This site") if whole_site else tr("This page"))
            for state in CaseState:
                chosen = part.addAction(case_word(state))
                chosen.triggered.connect(partial(self._ask_case, whole_site, state.value))
        return menu

    def finding(self) -> Finding | None:
        """The selected page and original."""
        keys = self.matches.chosen_keys()
        return self._figures.findings[keys[0]] if self._figures and len(keys) == 1 else None

    def _selected(self) -> None:
        finding = self.finding()
        self._context.actions.refresh()
        self.captures.setEnabled(finding is not None)
        self.case.setEnabled(finding is not None)
        self.note.setText("" if finding is None else finding.standing.case.note)
        lines = [] if finding is None else history_lines(finding.standing.history)[-_PAST:]
        if finding is not None:
            lines.insert(0, way_sentence(finding))
        self.past.setText("\n".join(lines))
        self.past.setVisible(bool(lines))

    def _ask_case(self, whole_site: bool, state: str, _checked: bool = False) -> None:
        for number in self.matches.chosen_keys():
            if self._figures is not None:
                self.case_asked.emit(self._figures.findings[number].page, whole_site, state, self.note.text())

    def _open(self, number: int) -> None:
        if self._figures is None:
            return
        copy = self._figures.findings[number].largest
        if copy.run is not None:
            match = copy.match
            limits = (match.a_start, match.a_end, match.b_start, match.b_end)
            self.opened.emit(copy.run, match.a, match.b, limits)
