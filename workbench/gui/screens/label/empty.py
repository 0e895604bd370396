"""Why there is no entry to label, and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.widgets import EmptyState, button
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.targets import TargetKind

Calls = Mapping[str, Callable[[], object]]


def empty_state(context: AppContext, desk: LabelSession, calls: Calls, *, settling: bool) -> EmptyState:
    """``calls``: the functions of the buttons: back, everything, annotator, again, make."""
    theme, board = context.theme, desk.board
    if not board.documents:
        go = button(tr("Go to Documents"), lambda: context.show_view("documents"), kind="primary")
        make = button(tr("New label set…"), calls["make"])
        sentence = tr(
            "Import the items to label: a folder of texts, saved pages, or rows of a JSON Lines or CSV file. A "
            "label set defines the possible values."
        )
        return EmptyState(theme, "documents", tr("No documents yet"), sentence, go, make)
    if not board.items and board.label_set.kind is not TargetKind.DOCUMENT:
        go = button(tr("Go to Detect"), lambda: context.show_view("detect"), kind="primary")
        sentence = tr("Pairs and passages come from a run: run a method in Detect, then label what it found.")
        return EmptyState(theme, "detect", tr("No run has found any yet"), sentence, go)
    if settling:
        back = button(tr("Back to labelling"), calls["back"], kind="primary")
        sentence = tr("No entry has labels of several annotators that differ and that nobody has settled.")
        return EmptyState(theme, "circle-check", tr("Nothing to settle"), sentence, back)
    if not desk.items:
        everything = button(tr("Show all entries"), calls["everything"], kind="primary")
        sentence = tr(
            "No entry matches the filters on the left: roles, a tag, conflicts, entries assigned to you, or the sample."
        )
        return EmptyState(theme, "filter", tr("The queue is empty"), sentence, everything)
    sentence = trn(
        "You have labelled the {count} entry of this queue. Another annotator can also label it: switch the annotator.",
        "You have labelled all {count} entries of this queue. Another annotator can also label them: switch the "
        "annotator.",
        len(desk.items),
    )
    other = button(tr("Switch the annotator…"), calls["annotator"], kind="primary")
    again = button(tr("Look through the labels"), calls["again"])
    return EmptyState(theme, "circle-check", tr("Everything is labelled"), sentence, other, again)
