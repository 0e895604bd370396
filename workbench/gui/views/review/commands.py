"""What the user can do in Review, as actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.gui.actions import Action
from workbench.gui.i18n import tr
from workbench.gui.views.review.stepping import step_match
from workbench.gui.views.review.verdicts import verdict_looks

if TYPE_CHECKING:
    from workbench.gui.views.review.view import ReviewView

VIEW = "review"


def review_actions(view: ReviewView) -> list[Action]:
    """The actions of ``view``; all keys can be changed by the user."""
    pair, questions = view.pair, view.questions

    def opened() -> bool:
        return pair.opened is not None

    def active() -> bool:
        return pair.active >= 0 or (pair.opened is not None and pair.opened.whole)

    def scored() -> bool:
        run = view.overview.run
        return view.has_run() and run is not None and run.scores > 0

    def paced(what: Callable[[], object]) -> Callable[[], None]:
        return lambda: view.pace.do(what)

    def made(key: str, title: str, call: object, shortcut: str, icon: str = "", *, enabled: object = opened) -> Action:
        return Action(f"review.{key}", title, call, shortcut, VIEW, VIEW, icon, enabled)  # type: ignore[arg-type]

    actions = [
        made("next", tr("Next match"), lambda: step_match(view, 1), "Alt+Down", "caret-right"),
        made("previous", tr("Previous match"), lambda: step_match(view, -1), "Alt+Up", "caret-left"),
        made("first", tr("First match"), paced(lambda: pair.go_to_end(last=False)), "Alt+Home"),
        made("last", tr("Last match"), paced(lambda: pair.go_to_end(last=True)), "Alt+End"),
        made("next-suspect", tr("Next suspect"), paced(lambda: view.suspects.step(1)), "Alt+PgDown"),
        made("previous-suspect", tr("Previous suspect"), paced(lambda: view.suspects.step(-1)), "Alt+PgUp"),
        made("other-pane", tr("Go to the other pane"), lambda: pair.other_pane().setFocus(), "F6", "columns"),
        made("swap", tr("Swap panes"), pair.swap, "Alt+\\", "swap"),
        made("counterpart", tr("Jump to the counterpart"), pair.jump_to_counterpart, "Ctrl+Shift+G", "compare"),
        made("sync", tr("Scroll together"), lambda: pair.sync.set_on(not pair.sync.on), "Ctrl+Shift+Y", "link"),
        made("dot-plot", tr("Dot plot"), lambda: pair.show_dots(pair.dots.isHidden()), "Ctrl+Shift+D", "relations"),
        made("curve", tr("Edits against position"), view.curve.toggle, "Ctrl+Shift+J", "evaluate"),
        made("list", tr("Show or hide the suspects"), view.toggle_list, "Ctrl+Shift+B", "columns"),
        made("table", tr("All matches"), view.toggle_table, "Ctrl+Shift+M", "documents", enabled=view.has_run),
        made(
            "scores", tr("Documents by score"), lambda: view.other.swap(view.overview), "", "evaluate", enabled=scored
        ),
        made("find", tr("Find in documents"), lambda: pair.finder.open(pair.current_pane()), "Ctrl+F", "search"),
        made("find-next", tr("Find next"), lambda: pair.finder.step(1), "F3"),
        made("find-previous", tr("Find previous"), lambda: pair.finder.step(-1), "Shift+F3"),
        made("larger", tr("Larger text"), lambda: pair.zoom(1), "Ctrl++", "text-size"),
        made("smaller", tr("Smaller text"), lambda: pair.zoom(-1), "Ctrl+-"),
        made("usual", tr("Usual text size"), lambda: pair.zoom(0), "Ctrl+0"),
        made("why", tr("Why matched, why not"), questions.ask_why, "Ctrl+Shift+W", "info"),
        made(
            "elsewhere",
            tr("Find the selected passage elsewhere"),
            questions.ask_elsewhere,
            "Ctrl+Shift+F",
            "search",
        ),
        made("report", tr("Report on this suspect…"), lambda: view.report("suspect"), "Ctrl+Shift+E", "export"),
        made("report-pair", tr("Report on this pair…"), lambda: view.report("pair"), "", "export"),
        made("report-run", tr("Report on the whole run…"), lambda: view.report("run"), "", "export"),
        made("note", tr("Write a note"), paced(view.evidence.write_note), "Ctrl+Shift+N", "note", enabled=active),
        made("clear", tr("Withdraw the verdict"), lambda: view.give_verdict(""), "Ctrl+Backspace", enabled=active),
    ]
    verdicts = (
        made(
            f"verdict-{look.value}",
            tr("Verdict: {words}", words=look.words),
            lambda value=look.value: view.give_verdict(value),
            look.key,
            look.icon,
            enabled=active,
        )
        for look in verdict_looks()
    )
    return [*actions, *verdicts]
