"""Changing the role of documents in the comparison: suspect, source or background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu
from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.base.types import Role
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.tables import Table
from workbench.gui.kit.words import role_word
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services import queries
from workbench.services.session import Session


class Roles:
    """Changes the role of the documents selected in ``table``; ``select`` is called with the keys to select after a
    change.
    """

    def __init__(self, context: AppContext, table: Table, select: Callable[[list[int]], object]) -> None:
        self._context, self._table, self._select = context, table, select
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._menu)

    def actions(self) -> list[Action]:
        """One action per role."""
        return [
            Action(
                f"documents.role-{role.value}",
                tr("Use as {role}", role=role_word(role)),
                partial(self.change, role),
                "",
                view="documents",
                icon="documents",
                enabled=self._table.any_chosen,
                needs=tr("Select documents first."),
            )
            for role in Role
        ]

    def change(self, role: Role) -> None:
        """Give the selected documents ``role``; undo restores their previous roles."""
        keys = self._table.chosen_keys()
        if self._context.session is None or not keys:
            return
        before: list[dict[Role, list[int]]] = []

        def give(session: Session) -> None:
            before.append(queries.change_role(session, keys, role))

        def give_back(session: Session) -> None:
            # If it failed after having to wait for another program, nothing was changed.
            if before:
                for former, some in before[-1].items():
                    queries.change_role(session, some, former)
                before.pop()

        def announced(step: Callable[[Session], object]) -> None:
            self._context.change(step, None)
            if isValid(self._table):
                self._select(list(keys))
            self._context.announce({"documents"})

        try:
            self._context.change(give, None)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        if before and not before[-1]:
            self._context.say(tr("The selected documents already have this role."))
            return
        self._select(list(keys))
        self._context.announce({"documents"})
        changed = sum(map(len, before[-1].values())) if before else len(keys)
        word = role_word(role)
        title = trn("Use {count} document as {role}", "Use {count} documents as {role}", changed, role=word)
        self._context.history.push(title, lambda: announced(give_back), lambda: announced(give))
        self._context.say_undoable(
            trn("{count} document is now {role}.", "{count} documents are now {role}.", changed, role=word)
        )

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self._table)
        for role in Role:
            menu.addAction(self._context.actions.qt(f"documents.role-{role.value}"))
        menu.addSeparator()
        menu.addAction(self._context.actions.qt("documents.tags"))
        menu.addAction(self._context.actions.qt("documents.captures"))
        menu.addAction(self._context.actions.qt("documents.remove"))
        menu.popup(self._table.viewport().mapToGlobal(place))
