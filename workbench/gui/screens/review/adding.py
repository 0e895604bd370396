"""A passage that the reviewer found becomes a match: from a selection on both sides, or from a search."""

from __future__ import annotations

from workbench.base.types import Document, Label, Span
from workbench.gui.i18n import tr
from workbench.gui.judging.eyes import eyes
from workbench.gui.workspace.context import AppContext
from workbench.services.review.by_hand import add, restore, withdraw

_KINDS = {"labels", "matches"}


def add_match(context: AppContext, a: Document, a_span: Span, b: Document, b_span: Span) -> bool:
    """Make the passage of suspect ``a`` and source ``b`` a match, under the reviewer's name; undo takes it back.

    False, with a sentence, where a side is empty.
    """
    who = eyes(context).name
    if not a.text[a_span.start : a_span.end].strip() or not b.text[b_span.start : b_span.end].strip():
        context.say(tr("Select the passage in both texts first: it becomes a match."))
        return False
    kept: list[Label] = []

    def take_back() -> None:
        context.change_later(lambda session: withdraw(session, kept[0].target, who))
        context.announce(_KINDS)

    def again() -> None:
        context.change_later(lambda session: restore(session, kept[0]))
        context.announce(_KINDS)

    context.change_later(lambda session: kept.append(add(session, a, a_span, b, b_span, who)))
    context.announce(_KINDS)
    pair = f"{a.title or a.id} – {b.title or b.id}"
    title = tr("Match added by hand to {pair}", pair=pair)
    context.history.push(title, take_back, again)
    context.say_undoable(title)
    return True
