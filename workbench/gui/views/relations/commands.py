"""What the user can do in Relations, as actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.gui.actions import Action
from workbench.gui.i18n import tr
from workbench.gui.views.review.verdicts import pair_looks

if TYPE_CHECKING:
    from workbench.gui.views.relations.view import RelationsView

VIEW = "relations"


def relation_actions(view: RelationsView) -> list[Action]:
    """The actions of ``view``; all keys can be changed by the user."""
    groups, picture = view.groups, view.picture

    def made(key: str, title: str, call: object, shortcut: str, icon: str = "", *, enabled: object) -> Action:
        return Action(f"{VIEW}.{key}", title, call, shortcut, VIEW, VIEW, icon, enabled)  # type: ignore[arg-type]

    there, chosen = view.has_pairs, view.has_pair
    actions = [
        made("graph", tr("Show the graph"), lambda: view.show_mode("graph"), "Alt+1", "relations", enabled=there),
        made("matrix", tr("Show the matrix"), lambda: view.show_mode("matrix"), "Alt+2", "columns", enabled=there),
        made("table", tr("Show the table"), lambda: view.show_mode("table"), "Alt+3", "documents", enabled=there),
        made("review", tr("Open the pair in Review"), view.open_in_review, "Ctrl+Return", "review", enabled=chosen),
        made(
            "clusters", tr("List the clusters"), lambda: _list(view, stitched=False), "Alt+4", "layers", enabled=there
        ),
        made(
            "stitched",
            tr("List the stitched pages"),
            lambda: _list(view, stitched=True),
            "Alt+5",
            "copy",
            enabled=there,
        ),
        made("threshold", tr("Change the threshold"), groups.threshold.setFocus, "Alt+6", "filter", enabled=there),
        made("filter", tr("Filter pairs"), lambda: _filter(view), "Ctrl+F", "search", enabled=there),
        made("all-classes", tr("Show all classes"), picture.classes.show_all, "", "reset", enabled=there),
        made("fit", tr("Show everything"), picture.graph.fit, "Ctrl+0", "reset", enabled=there),
        made("note", tr("Write a note"), view.evidence.verdict.note.setFocus, "Ctrl+Shift+N", "note", enabled=chosen),
    ]
    verdicts = (
        made(
            f"verdict-{look.value}",
            tr("Verdict: {words}", words=look.words),
            lambda value=look.value: view.evidence.give_verdict(value),
            look.key,
            look.icon,
            enabled=chosen,
        )
        for look in pair_looks()
    )
    return [*actions, *verdicts]


def _list(view: RelationsView, *, stitched: bool) -> None:
    view.groups.show_list(stitched=stitched)
    view.groups.list.setFocus()


def _filter(view: RelationsView) -> None:
    view.picture.show_mode("table")
    view.picture.filter.setFocus()
    view.picture.filter.selectAll()
