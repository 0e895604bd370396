"""Putting tags on the selected documents and taking them off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.tables import Table
from workbench.gui.screens.documents.tags_dialog import TagsDialog
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services.session import Session
from workbench.services.tagging import change_tags, restore_tags


class Tagging:
    """Changes the tags of the documents selected in ``table``; ``tags`` gives those of each document by key, and
    ``select`` is called with the keys to select after a change.
    """

    def __init__(
        self,
        context: AppContext,
        table: Table,
        tags: Callable[[], Mapping[int, Sequence[str]]],
        select: Callable[[list[int]], object],
    ) -> None:
        self._context, self._table, self._tags, self._select = context, table, tags, select
        self.dialog: TagsDialog | None = None

    def action(self) -> Action:
        """Tag the selected documents."""
        return Action(
            "documents.tags",
            tr("Tags of the selected documents…"),
            self.ask,
            "Ctrl+T",
            view="documents",
            icon="label",
            enabled=self._table.any_chosen,
            needs=tr("Choose documents first."),
        )

    def ask(self) -> None:
        """Show the tags of the selected documents."""
        keys = self._table.chosen_keys()
        if self._context.session is None or not keys:
            return
        own = self._tags()
        having = dict.fromkeys(sorted({tag for tags in own.values() for tag in tags}), 0)
        for key in keys:
            for tag in own.get(key, ()):
                having[tag] += 1
        dialog = TagsDialog(len(keys), having, self._table.window())
        dialog.accepted.connect(lambda: self.change(keys, dialog.added(), dialog.removed()))
        self.dialog = dialog
        dialog.open()

    def change(self, keys: Sequence[int], added: Sequence[str], removed: Sequence[str]) -> None:
        """Put tags on documents and take others off; undo restores what they had."""
        if not added and not removed:
            return
        before: list[dict[int, tuple[str, ...]]] = []

        def give(session: Session) -> None:
            before.append(change_tags(session, keys, added, removed))

        def give_back(session: Session) -> None:
            # If it failed after having to wait for another program, nothing was changed.
            if before:
                restore_tags(session, before.pop())

        def announced(step: Callable[[Session], object]) -> None:
            self._context.change(step, None)
            if isValid(self._table):
                self._select(list(keys))
            self._context.announce({"documents"})

        try:
            announced(give)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        changed = len(before[-1]) if before else len(keys)
        title = trn("Change the tags of {count} document", "Change the tags of {count} documents", changed)
        self._context.history.push(title, lambda: announced(give_back), lambda: announced(give))
        self._context.say_undoable(
            trn("The tags of {count} document changed.", "The tags of {count} documents changed.", changed)
        )
