"""Changing what documents are in the comparison: suspect, source or background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from workbench.base.errors import UserError
from workbench.base.types import Role
from workbench.gui.actions import Action
from workbench.gui.context import AppContext
from workbench.gui.i18n import tr, trn
from workbench.gui.models import reads
from workbench.gui.tables import Table
from workbench.gui.words import role_word


class Roles:
    """Changes the role of the documents selected in ``table``; ``select`` is told which to select after a change."""

    def __init__(self, context: AppContext, table: Table, select: Callable[[list[int]], object]) -> None:
        self._context, self._table, self._select = context, table, select
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._menu)

    def actions(self) -> list[Action]:
        """One action a role."""
        return [
            Action(
                f"documents.role-{role.value}",
                tr("Use as {role}", role=role_word(role)),
                partial(self.change, role),
                "",
                "documents",
                "documents",
                "documents",
                lambda: bool(self._table.chosen_keys()),
            )
            for role in Role
        ]

    def change(self, role: Role) -> None:
        """Give the selected documents ``role``; undo gives each back its own."""
        session, keys = self._context.session, self._table.chosen_keys()
        if session is None or not keys:
            return

        def give(wanted: Role, to: Sequence[int]) -> dict[Role, list[int]]:
            before = reads.change_role(session, to, wanted)
            self._select(list(keys))
            return before

        try:
            before = give(role, keys)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        if not before:
            return

        def redo() -> None:
            give(role, keys)
            self._context.announce({"documents"})

        def undo() -> None:
            for had, some in before.items():
                give(had, some)
            self._context.announce({"documents"})

        self._context.announce({"documents"})
        word = role_word(role)
        changed = sum(map(len, before.values()))
        title = trn("Use {count} document as {role}", "Use {count} documents as {role}", changed, role=word)
        self._context.history.push(title, undo, redo)
        self._context.say_undoable(
            trn("{count} document is now {role}.", "{count} documents are now {role}.", changed, role=word)
        )

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self._table)
        for role in Role:
            menu.addAction(self._context.actions.qt(f"documents.role-{role.value}"))
        menu.addSeparator()
        menu.addAction(self._context.actions.qt("documents.remove"))
        menu.popup(self._table.viewport().mapToGlobal(place))
