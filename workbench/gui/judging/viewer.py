"""Who judges in this window, and what of others' verdicts is shown."""

from __future__ import annotations

from workbench.gui.workspace.context import AppContext
from workbench.services.review.judgement import Reviewer


def viewer(context: AppContext) -> Reviewer:
    """The reviewer at the keyboard."""
    return context.viewer


def become(context: AppContext, name: str, *, blind: bool) -> None:
    """Let ``name`` judge from now on ("": who is logged in), blind or not."""
    context.settings.reviewer, context.settings.blind = name, blind
    context.announce({"labels"})
