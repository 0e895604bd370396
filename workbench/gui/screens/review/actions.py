"""The actions of Review, with their keys and requirements, and the menus of the lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui.i18n import tr
from workbench.gui.judging.verdicts import become, decision_looks, verdict_looks, viewer
from workbench.gui.judging.verdicts import verdict_actions as give_actions
from workbench.gui.screens.review.by_hand import Splitting
from workbench.gui.screens.review.counting import Excluding
from workbench.gui.screens.review.curve_panel import CurvePanel
from workbench.gui.screens.review.page_panes import PagePanes
from workbench.gui.screens.review.pair_loader import PairLoader
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.panels import Panels
from workbench.gui.screens.review.questions import Questions
from workbench.gui.screens.review.reporting import Reporter
from workbench.gui.screens.review.run_dialogs import RunDialogs
from workbench.gui.screens.review.stepping import Stepping
from workbench.gui.screens.review.suspect_panel import PageCase
from workbench.gui.screens.review.verdicts import Bulk, MatchVerdicts
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services.review.pivot import Pivot


class _Offer(Protocol):
    def __call__(self, key: str, title: str, call: Callable[[], object], shortcut: str, icon: str = "") -> Action: ...


def reviewer_actions(context: AppContext, parent: QWidget, offer: _Offer) -> list[Action]:
    """Actions on the current reviewer; ``offer`` creates an action of Review."""
    settings = context.settings

    def swap_blind() -> None:
        become(context, settings.reviewer, blind=not settings.blind)
        context.say(
            tr("Blind review: others' verdicts are hidden until you have judged.")
            if settings.blind
            else tr("Other reviewers' verdicts are shown.")
        )

    def swap_advance() -> None:
        settings.advance = not settings.advance
        context.say(
            tr("After a verdict, the next passage without one is shown.")
            if settings.advance
            else tr("After a verdict, the passage stays.")
        )

    return [
        offer("reviewer", tr("Switch reviewer…"), partial(reviewer_menu, context, parent), "Alt+R", "note"),
        offer("blind", tr("Blind review on or off"), swap_blind, ""),
        offer("advance", tr("Advance after a verdict, or stay"), swap_advance, ""),
    ]


def reviewer_menu(context: AppContext, parent: QWidget) -> QMenu:
    """A menu of all reviewers of this project, another name, and blind judging."""
    menu = QMenu(parent)
    menu.setAccessibleName(tr("Who judges"))
    now = viewer(context)
    known = [] if context.session is None else context.session.seen_by(now).verdicts.reviewers()
    for name in sorted({*known, now.name} - {""}):
        action = menu.addAction(name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(name == now.name)
        action.triggered.connect(partial(_become, context, name))
    menu.addSeparator()
    menu.addAction(context.actions.qt("window.reviewer")) if "window.reviewer" in context.actions else None
    blind = menu.addAction(context.actions.qt("review.blind").text())
    blind.setCheckable(True)
    blind.setChecked(now.blind)
    blind.triggered.connect(lambda _on=False: context.actions.run("review.blind"))
    menu.popup(QCursor.pos())
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def _become(context: AppContext, name: str, _on: bool = False) -> None:
    become(context, name, blind=context.settings.blind)
    context.say(tr("{name} is now the reviewer.", name=name))


class ListMenus:
    """Shows the menus at a point on the screen; their actions concern the open suspect."""

    def __init__(self, context: AppContext, opening: PairLoader, excluding: Excluding, parent: QWidget) -> None:
        self._context, self._opening, self._excluding, self._parent = context, opening, excluding, parent

    def suspect(self, place: QPoint) -> QMenu:
        """The menu of the open suspect."""
        menu = self._menu()
        for key in ("report", "print", "counting", "exclude-source", "exclude-site", "assign"):
            menu.addAction(self._context.actions.qt(f"review.{key}"))
        menu.popup(place)
        return menu

    def source(self, key: int, place: QPoint) -> QMenu:
        """The menu of the source ``key`` of the open suspect."""
        menu, columns, excluding = self._menu(), self._opening.overview.columns, self._excluding
        item = None if columns is None else columns.items.get(key)
        menu.addAction(tr("Open it"), lambda: self._opening.open_source(key))
        if item is not None:
            menu.addSeparator()
            menu.addAction(
                tr("Leave this source out of the count, or count it again"), lambda: excluding.leave_out_source(item)
            )
            site = item.site.replace("&", "&&") or tr("unknown site")
            here = menu.addAction(
                tr("Leave {site} out of the count, or count it again", site=site),
                lambda: excluding.leave_out_site(item),
            )
            all_ = menu.addAction(
                tr("The same in all documents"), lambda: excluding.leave_out_site(item, everywhere=True)
            )
            for action in (here, all_):
                action.setEnabled(bool(item.site))
        menu.popup(place)
        return menu

    def _menu(self) -> QMenu:
        menu = QMenu(self._parent)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu


class Offer:
    """Creates actions of Review, which by default need a visible pair.

    Its other methods are alternative requirements.
    """

    def __init__(self, panels: Panels, opening: PairLoader) -> None:
        self._panels, self._opening = panels, opening
        texts = tr("Open a pair first: select a suspect, or press Enter on a row of the table.")
        chosen = tr("Select a match first, in the text or in the table.")
        self._missing = {self.texts: texts, self.active: texts, self.either: texts, self.current: chosen}

    def __call__(
        self,
        key: str,
        title: str,
        call: Callable[[], object],
        shortcut: str = "",
        icon: str = "",
        *,
        enabled: Callable[[], bool] | None = None,
        missing: str | Callable[[], str] = "",
    ) -> Action:
        """The action ``review.key``; ``missing`` is the requirement if ``enabled`` is not a method of this class."""
        needed = enabled or self.texts
        return Action(
            f"review.{key}",
            title,
            call,
            shortcut,
            view="review",
            icon=icon,
            enabled=needed,
            needs=missing or self.missing(needed),
        )

    def missing(self, enabled: Callable[[], bool]) -> str:
        """The requirement, in words, of an action with the condition ``enabled``, a method of this class; "" for any
        other.
        """
        return self._missing.get(enabled, "")

    def texts(self) -> bool:
        """Whether a pair is shown."""
        return self._panels.texts_shown()

    def either(self) -> bool:
        """Whether a pair or the table is shown."""
        return self._panels.texts_shown() or self._panels.table_shown()

    def active(self) -> bool:
        """Whether a match is active in the texts, or the pair is judged as a whole."""
        pair = self._panels.pair
        return self.texts() and (pair.active >= 0 or (pair.opened is not None and pair.opened.whole))

    def current(self) -> bool:
        """Whether a match is active, or rows of the table are selected."""
        return self.active() or (self._panels.table_shown() and bool(self._panels.table.chosen_rows()))

    def run(self) -> bool:
        """Whether a run with matches is shown."""
        return self._opening.has_run()


def step_actions(offer: Offer, stepping: Stepping) -> list[Action]:
    """Actions that go from match to match and from suspect to suspect."""
    either = offer.either
    return [
        offer("next", tr("Next match"), partial(stepping.step_match, 1), "Alt+Down", "caret-right", enabled=either),
        offer(
            "previous", tr("Previous match"), partial(stepping.step_match, -1), "Alt+Up", "caret-left", enabled=either
        ),
        offer("first", tr("First match"), partial(stepping.to_end, last=False), "Alt+Home", enabled=either),
        offer("last", tr("Last match"), partial(stepping.to_end, last=True), "Alt+End", enabled=either),
        offer("next-suspect", tr("Next suspect"), partial(stepping.step_suspect, 1), "Alt+PgDown", enabled=either),
        offer(
            "previous-suspect", tr("Previous suspect"), partial(stepping.step_suspect, -1), "Alt+PgUp", enabled=either
        ),
        offer("conflict", tr("Next conflict"), stepping.to_next_conflict, "F8", "warning", enabled=either),
    ]


def text_actions(offer: Offer, pair: PairPanel, curve: CurvePanel) -> list[Action]:
    """Actions on the two texts side by side: moving, finding, text size."""
    sync, finder = pair.sync, pair.finder
    return [
        offer("other-pane", tr("Go to the other pane"), lambda: pair.other_pane().setFocus(), "F6", "columns"),
        offer("swap", tr("Swap panes"), pair.swap, "Alt+\\", "swap"),
        offer("counterpart", tr("Jump to the counterpart"), pair.jump_to_counterpart, "Ctrl+Shift+G", "compare"),
        offer("sync", tr("Scroll together"), lambda: sync.set_linked(not sync.on), "Ctrl+Shift+Y", "link"),
        offer(
            "parts",
            tr("Neighbouring matches as one passage, or each by itself"),
            lambda: pair.set_merged(not pair.merged),
            "Ctrl+Shift+O",
            "layers",
        ),
        offer("dot-plot", tr("Dot plot"), lambda: pair.show_dots(pair.dots.isHidden()), "Ctrl+Shift+D", "relations"),
        offer("curve", tr("Edits against position"), curve.toggle, "Ctrl+Shift+J", "evaluate"),
        offer("find", tr("Find in documents"), lambda: finder.open(pair.current_pane()), "Ctrl+F", "search"),
        offer("find-next", tr("Find next"), partial(finder.step, 1), "F3"),
        offer("find-previous", tr("Find previous"), partial(finder.step, -1), "Shift+F3"),
        offer("larger", tr("Larger text"), partial(pair.zoom, 1), "Ctrl++", "text-size"),
        offer("smaller", tr("Smaller text"), partial(pair.zoom, -1), "Ctrl+-"),
        offer("usual", tr("Default text size"), partial(pair.zoom, 0), "Ctrl+0"),
    ]


def page_actions(offer: Offer, pages: PagePanes) -> list[Action]:
    """Actions that show a document's pages instead of its text."""

    def of_pages(
        key: str,
        title: str,
        call: Callable[[], object],
        shortcut: str,
        have_pages: Callable[[], bool] = pages.have_pages,
    ) -> Action:
        return offer(
            key,
            title,
            call,
            shortcut,
            "documents",
            enabled=lambda: offer.texts() and have_pages(),
            missing=lambda: pages.missing() if offer.texts() else offer.missing(offer.texts),
        )

    return [
        of_pages("pages", tr("Pages or text"), pages.swap, "Ctrl+Shift+P", pages.can_swap),
        of_pages("all-pages", tr("Page thumbnails"), pages.swap_overview, "Ctrl+Alt+P"),
        of_pages("go-to-page", tr("Go to page…"), pages.ask_page, "Ctrl+G"),
        offer(
            "make-pages",
            tr("Make printed pages (LibreOffice)"),
            pages.make,
            "",
            "documents",
            enabled=lambda: offer.texts() and pages.can_make(),
            missing=tr("Only for Word, OpenDocument, RTF and PowerPoint files that are kept in the project."),
        ),
    ]


def panel_actions(offer: Offer, panels: Panels, opening: PairLoader, stepping: Stepping) -> list[Action]:
    """Actions that show and hide panels."""

    def scored() -> bool:
        run = opening.overview.run
        return opening.has_run() and run is not None and run.scores > 0

    pivots = {
        Pivot.SUSPECTS: (tr("List the suspects"), "Ctrl+Alt+1"),
        Pivot.SOURCES: (tr("List the sources"), "Ctrl+Alt+2"),
        Pivot.PAIRS: (tr("List the pairs"), "Ctrl+Alt+3"),
    }
    return [
        *(
            offer(f"list-{pivot}", title, partial(opening.list_by, pivot), key, "columns", enabled=offer.either)
            for pivot, (title, key) in pivots.items()
        ),
        offer(
            "list", tr("Show or hide the suspects"), panels.toggle_list, "Ctrl+Shift+B", "columns", enabled=offer.either
        ),
        offer(
            "table",
            tr("All matches"),
            partial(opening.pace.do, stepping.toggle_table),
            "Ctrl+Shift+M",
            "documents",
            enabled=lambda: opening.has_run() and offer.either(),
            missing=tr("Select a run that found something."),
        ),
        offer("evidence", tr("Show or hide the evidence"), panels.toggle_evidence, "Ctrl+Shift+K", "columns"),
        offer(
            "histogram",
            tr("Show or hide the histogram"),
            lambda: panels.fold_scores(not panels.scores.folded),
            "Ctrl+Shift+H",
            "evaluate",
            enabled=offer.either,
        ),
        offer(
            "scores",
            tr("Documents by score"),
            lambda: panels.other.swap(opening.overview),
            "",
            "evaluate",
            enabled=scored,
            missing=tr("This run does not score single documents."),
        ),
    ]


def question_actions(offer: Offer, pair: PairPanel, questions: Questions, excluding: Excluding) -> list[Action]:
    """Actions that explain a match, search for its other occurrences, and change what counts."""
    return [
        offer("why", tr("Why it matched, or why not"), questions.ask_why, "Ctrl+Shift+W", "info"),
        offer(
            "elsewhere", tr("Find the selected passage elsewhere"), questions.ask_elsewhere, "Ctrl+Shift+F", "search"
        ),
        offer(
            "exclude",
            tr("Leave this passage out of the count, or count it again"),
            lambda: excluding.leave_out_passage(pair.parts()),
            "Ctrl+Shift+X",
            "minus",
            enabled=offer.active,
        ),
        offer(
            "exclude-source",
            tr("Leave this source out of the count, or count it again"),
            excluding.leave_out_source,
            "Ctrl+Alt+X",
            "minus",
            enabled=offer.active,
        ),
        offer(
            "exclude-site",
            tr("Leave this source’s site out of the count, or count it again"),
            excluding.leave_out_site,
            "Ctrl+Alt+Shift+X",
            "minus",
            enabled=offer.active,
        ),
        offer("counting", tr("What counts…"), excluding.ask, "Ctrl+Shift+U", "filter"),
    ]


def report_actions(offer: Offer, reporter: Reporter) -> list[Action]:
    """Actions that write reports."""
    ask = reporter.ask_open
    return [
        offer("report", tr("Report on this suspect…"), partial(ask, "suspect"), "Ctrl+Shift+E", "export"),
        offer("print", tr("Print the report on this suspect…"), reporter.print_open, "Ctrl+P", "export"),
        offer("report-pair", tr("Report on this pair…"), partial(ask, "pair"), "", "export"),
        offer("report-run", tr("Report on the whole run…"), partial(ask, "run"), "", "export", enabled=offer.either),
    ]


def run_actions(offer: Offer, opening: PairLoader, dialogs: RunDialogs, splitting: Splitting) -> list[Action]:
    """Actions on the run as a whole, and on passages that it did not find."""
    return [
        offer("add", tr("Add the selection in both texts as a match"), dialogs.add_match, "Ctrl+Shift+A", "plus"),
        offer("split", tr("Split here"), splitting.split_here, "Ctrl+Shift+S", "columns"),
        offer(
            "join",
            tr("Rejoin what was split"),
            splitting.join,
            "Ctrl+Alt+S",
            "link",
            enabled=splitting.is_split,
            missing=tr("This passage was not split."),
        ),
        offer("assign", tr("Assign suspects…"), dialogs.assign, "", "label", enabled=offer.either),
        offer(
            "unplaced",
            tr("Verdicts without a passage in this run…"),
            dialogs.show_unplaced,
            "",
            "warning",
            enabled=lambda: opening.has_run() and opening.overview.unplaced + opening.overview.gone > 0,
            missing=tr("Every verdict has a passage in this run."),
        ),
        offer(
            "unmatched",
            tr("Suspects without a match…"),
            dialogs.show_unmatched,
            "",
            "documents",
            enabled=lambda: opening.has_run() and opening.overview.unmatched > 0,
            missing=tr("This run found something in every suspect."),
        ),
        offer(
            "run-on",
            tr("Continue with documents imported later"),
            dialogs.run_on,
            "",
            "play",
            enabled=lambda: opening.has_run() and opening.overview.newer > 0,
            missing=tr("This run covers all documents."),
        ),
    ]


def case_action(offer: Offer, case: PageCase) -> Action:
    """An action on the case of the suspect's page."""
    return offer(
        "case",
        tr("Case of the suspect’s page…"),
        case.ask,
        "Ctrl+Alt+C",
        "note",
        enabled=case.there,
        missing=tr("Open a suspect that has an address first."),
    )


def verdict_actions(
    offer: Offer, verdicts: MatchVerdicts, write_note: Callable[[], object], bulk: Bulk, parent: QWidget
) -> list[Action]:
    """Actions for verdicts on passages and suspects, notes, and settling verdicts that differ."""

    def differs() -> bool:
        judgement = verdicts.current()
        return offer.texts() and judgement is not None and (judgement.conflict or judgement.settled is not None)

    current = offer.current
    return [
        offer("note", tr("Write a note"), write_note, "Ctrl+Shift+N", "note", enabled=offer.active),
        offer(
            "note-last",
            tr("Write a note on the last verdict"),
            verdicts.write_note_on_last,
            "Ctrl+Alt+N",
            "note",
            enabled=offer.active,
        ),
        offer("clear", tr("Withdraw the verdict"), partial(verdicts.ask, ""), "Ctrl+Backspace", enabled=current),
        offer("many", tr("One verdict on many passages…"), partial(bulk.menu, parent), "Ctrl+Alt+V", "layers"),
        *(
            offer(
                f"decide-{look.value}",
                tr("Suspect: {words}", words=look.words),
                partial(verdicts.ask_decision, look.value),
                look.key,
                look.icon,
                enabled=offer.either,
            )
            for look in decision_looks()
        ),
        *(
            offer(
                f"settle-{look.value}",
                tr("Settle as: {words}", words=look.words),
                partial(verdicts.ask_settled, look.value),
                f"Alt+Shift+{look.key}",
                look.icon,
                enabled=differs,
                missing=tr("Only verdicts that differ can be settled."),
            )
            for look in verdict_looks()
        ),
        *give_actions("review", verdict_looks(), verdicts.ask, current, offer.missing(current)),
    ]
