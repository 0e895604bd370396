"""What each screen does not offer in a small project with a run, and what that needs; all else is offered."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Start, settle

BLOCKS = "First select a document that was read from a page, then some of its blocks."
PAGES = "This document is plain text, without pages."
DIFFER = "Only verdicts that differ can be settled."
FITTING = "Choose a run and labels that fit it."
RESUMABLE = "Select a run that was interrupted or cancelled, or that failed."
PAIR, SHEET = "Select a pair first.", "Select a sheet first."
NEEDS = {
    "documents": {"overturn-block": BLOCKS, "leave-block": BLOCKS},
    "detect": {
        "cancel": "This window is not running a detection.",
        "resume": RESUMABLE,
        "compare": "Select two runs: Ctrl+click the second.",
    },
    "review": {
        "pages": PAGES,
        "all-pages": PAGES,
        "go-to-page": PAGES,
        "make-pages": "Only for Word, OpenDocument, RTF and PowerPoint files that are kept in the project.",
        "scores": "This run does not score single documents.",
        "join": "This passage was not split.",
        "unplaced": "Every verdict has a passage in this run.",
        "unmatched": "This run found something in every suspect.",
        "run-on": "This run covers all documents.",
        "case": "Open a suspect that has an address first.",
        **{f"settle-{verdict}": DIFFER for verdict in ("copy", "partial", "not-copy")},
    },
    "label": dict.fromkeys(
        (f"second-{n}" for n in range(1, 12)), "First choose the value that these values belong to."
    ),
    "evaluate": {
        **dict.fromkeys(("threshold", "pr", "by-threshold", "scores", "matrix", "list", "label-next", "use"), FITTING),
        **dict.fromkeys(
            ("show-curves", "show-runs-compared", "show-subgroups", "show-sweep", "sweep", "best"), FITTING
        ),
        **dict.fromkeys(("review", "label"), "Select an item in the list first."),
        "withdraw": "No threshold is in use here.",
        **{f"sheet-{what}": SHEET for what in ("again", "save", "copy", "remove")},
    },
    "relations": dict.fromkeys(
        ("review", "copy", "note", *(f"verdict-{value}" for value in ("near-duplicate", "unknown", "not"))), PAIR
    ),
    "watch": {
        "check": "Select a watch that is not being checked.",
        "change": "Select a watch first.",
        "captures": "Select a reported page first.",
        "remove": "Select a watch first.",
    },
    "jobs": {"cancel": "Select a job that is running.", "resume": RESUMABLE},
}


@pytest.mark.slow
def test_what_cannot_be_done_says_what_it_needs_and_all_else_can_be_done(
    start: Start, project: Path, qtbot: QtBot
) -> None:
    controller = start(project)
    for screen, needs in NEEDS.items():
        controller.window.show_view(screen)
        settle(qtbot, controller)
        actions = [action for action in controller.context.actions if action.screen == screen]
        assert len(actions) > len(needs)
        lacking = {a.id.partition(".")[2]: a.missing() for a in actions if not a.enabled()}
        assert lacking == needs, screen
