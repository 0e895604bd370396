"""Changing the role of the selected documents, and adding or removing tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QMenu, QWidget
from shiboken6 import isValid

from workbench.base.errors import UserError
from workbench.base.tags import listed
from workbench.base.types import Role
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.tables import Table
from workbench.gui.kit.tag_chooser import problem_of, tag_field
from workbench.gui.kit.widgets import button, caption, column, label, row
from workbench.gui.kit.words import role_word
from workbench.gui.problems import guarded
from workbench.gui.theme import fonts
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services import queries
from workbench.services.session import Session
from workbench.services.tagging import change_tags, restore_tags

T = TypeVar("T")

_WIDTH = 380
_ROWS = 8
"""Number of tags visible without scrolling or enlarging the dialog."""
_AROUND = 8
"""Pixels that the style leaves around the rows of a list."""


@guarded
class TagsDialog(QDialog):
    """``having`` is the number of the ``count`` selected documents with each tag of the project."""

    def __init__(self, count: int, having: Mapping[str, int], parent: QWidget) -> None:
        super().__init__(parent)
        self._count, self._having = count, dict(having)
        self.setWindowTitle(tr("Tags"))
        self.new = tag_field(tr("New tags"))
        self.list = QListWidget()
        self.list.setObjectName("choices")
        self.list.setAccessibleName(tr("Tags of the project"))
        self.list.setFont(fonts.font(13))
        for tag, number in self._having.items():
            item = QListWidgetItem(tag)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            some = Qt.CheckState.PartiallyChecked if number else Qt.CheckState.Unchecked
            item.setCheckState(Qt.CheckState.Checked if number == count else some)
            item.setToolTip(trn("{count} of the selected documents", "{count} of the selected documents", number))
            self.list.addItem(item)
        self.problem = label("", 12, role="danger", wrap=True)
        self.go = button(tr("Apply"), self.accept, kind="primary")
        self.go.setDefault(True)
        about = trn("Tags of {count} selected document", "Tags of {count} selected documents", count)
        whole = column(
            label(about, 13, weight=fonts.MEDIUM),
            caption(tr("New tags")),
            self.new,
            spacing=8,
            margins=(14, 12, 14, 12),
        )
        own = caption(tr("Tags of the project"))
        whole.addWidget(own)
        whole.addWidget(self.list, 1)
        for part in (own, self.list):
            part.setVisible(bool(self._having))
        whole.addLayout(row(self.problem, button(tr("Cancel"), self.reject), self.go))
        self.setLayout(whole)
        self.new.textChanged.connect(self._edited)
        self.new.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Adjust the height, because the style determines the height of a row only when everything is shown."""
        super().showEvent(event)
        QTimer.singleShot(0, self, self._fit)

    def _fit(self) -> None:
        rows = self.list.sizeHintForRow(0) * min(len(self._having), _ROWS)
        self.list.setMinimumHeight(rows + 2 * self.list.frameWidth() + _AROUND)
        if len(self._having) <= _ROWS:
            self.list.setMaximumHeight(self.list.minimumHeight())
        whole = self.layout()
        assert whole is not None
        whole.activate()
        self.resize(_WIDTH, whole.totalMinimumSize().height())

    def _edited(self) -> None:
        error = problem_of(self.new)
        self.problem.setText("" if error is None else say(error.message))
        self.go.setEnabled(error is None)

    def _boxes(self) -> list[tuple[str, Qt.CheckState]]:
        items = [self.list.item(at) for at in range(self.list.count())]
        return [(item.text(), item.checkState()) for item in items]

    def added(self) -> Sequence[str]:
        """Tags for every selected document."""
        checked = [tag for tag, state in self._boxes() if state is Qt.CheckState.Checked]
        return [tag for tag in (*listed(self.new.text()), *checked) if self._having.get(tag, 0) < self._count]

    def removed(self) -> Sequence[str]:
        """Tags to remove from every selected document."""
        return [tag for tag, state in self._boxes() if state is Qt.CheckState.Unchecked and self._having[tag]]


class _Changes:
    """Changes the documents selected in ``table``; ``select`` is called with the keys to select after a change."""

    def __init__(self, context: AppContext, table: Table, select: Callable[[list[int]], object]) -> None:
        self._context, self._table, self._select = context, table, select

    def _make(
        self,
        keys: Sequence[int],
        make: Callable[[Session], T],
        back: Callable[[Session, T], object],
        words: Callable[[T | None], tuple[str, str]],
    ) -> None:
        """Change documents by ``make(session)``, whose result ``back`` needs for undo.

        ``words``, called with the result (None if the change has to wait), returns the title of the step, "" if nothing
        changed, and the sentence to show.
        """
        before: list[T] = []

        def give(session: Session) -> None:
            before.append(make(session))

        def give_back(session: Session) -> None:
            # If it failed after waiting for another program, nothing was changed.
            if before:
                back(session, before[-1])
                before.pop()

        def apply_and_announce(step: Callable[[Session], object]) -> None:
            self._context.change(step, None)
            if isValid(self._table):
                self._select(list(keys))
            self._context.announce({"documents"})

        try:
            apply_and_announce(give)
        except (UserError, OSError) as error:
            self._context.show_error(error)
            return
        title, sentence = words(before[-1] if before else None)
        if title:
            self._context.history.push(title, lambda: apply_and_announce(give_back), lambda: apply_and_announce(give))
            self._context.say_undoable(sentence)
        else:
            self._context.say(sentence)


class Tagging(_Changes):
    """Changes tags; ``tags`` are those of the documents, by key."""

    def __init__(
        self,
        context: AppContext,
        table: Table,
        select: Callable[[list[int]], object],
        tags: Callable[[], Mapping[int, Sequence[str]]],
    ) -> None:
        super().__init__(context, table, select)
        self._tags = tags
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
            needs=tr("Select documents first."),
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
        """Add and remove tags of documents; undo restores the previous ones."""
        if not added and not removed:
            return

        def words(before: Mapping[int, Sequence[str]] | None) -> tuple[str, str]:
            count = len(keys) if before is None else len(before)
            return (
                trn("Change the tags of {count} document", "Change the tags of {count} documents", count),
                trn("The tags of {count} document changed.", "The tags of {count} documents changed.", count),
            )

        self._make(
            keys,
            lambda session: change_tags(session, keys, added, removed),
            lambda session, before: restore_tags(session, before, added, removed),
            words,
        )


class Roles(_Changes):
    """Changes roles; also the menu of the table."""

    def __init__(self, context: AppContext, table: Table, select: Callable[[list[int]], object]) -> None:
        super().__init__(context, table, select)
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

        def words(before: Mapping[Role, Sequence[int]] | None) -> tuple[str, str]:
            count = len(keys) if before is None else sum(map(len, before.values()))
            if not count:
                return "", tr("The selected documents already have this role.")
            word = role_word(role)
            return (
                trn("Use {count} document as {role}", "Use {count} documents as {role}", count, role=word),
                trn("{count} document is now {role}.", "{count} documents are now {role}.", count, role=word),
            )

        self._make(keys, lambda session: queries.change_role(session, keys, role), queries.restore_roles, words)

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self._table)
        for role in Role:
            menu.addAction(self._context.actions.qt(f"documents.role-{role.value}"))
        menu.addSeparator()
        menu.addAction(self._context.actions.qt("documents.tags"))
        menu.addAction(self._context.actions.qt("documents.captures"))
        menu.addAction(self._context.actions.qt("documents.remove"))
        menu.popup(self._table.viewport().mapToGlobal(place))
