"""Reads the texts of entries: the current one, and the next ones in advance."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.base.types import Document
from workbench.gui.screens.label.session import LabelSession
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.entry_context import read_entry
from workbench.services.labels.label_state import Item
from workbench.services.session import Session

Texts = tuple[Document, ...]
_AHEAD = 16
"""Entries that are read before they are asked for."""


class EntryReader(QObject):
    """Keeps the texts of the current entry and of those that come next."""

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._kept: dict[str, Texts] = {}
        self._reading = False

    def clear(self) -> None:
        """Forget every text: documents may have changed."""
        self._kept = {}

    def texts(self, item: Item) -> Texts | None:
        """The texts of ``item`` if they have been read."""
        return self._kept.get(item.target)

    def keep(self, item: Item, texts: Texts) -> None:
        """Keep the ``texts`` that were read of ``item``."""
        self._kept[item.target] = texts

    def read_ahead(self, desk: LabelSession, item: Item) -> None:
        """Read what follows ``item``, many entries at once, as soon as few of them are left."""
        coming = desk.upcoming(_AHEAD)
        wanted = [other for other in coming if other.target not in self._kept]
        if self._reading or not wanted or len(wanted) < min(_AHEAD // 2, len(coming)):
            return
        keep = {item.target, *(other.target for other in coming)}
        self._reading = True

        def read(session: Session) -> dict[str, Texts]:
            return {other.target: read_entry(other)(session) for other in wanted}

        def take(arrived: dict[str, Texts]) -> None:
            self._reading = False
            self._kept = {target: texts for target, texts in self._kept.items() if target in keep} | arrived

        def fail(_error: Exception) -> None:
            # It is told when the entry itself is to be shown.
            self._reading = False

        self._context.background(read, take, owner=self, failed=fail)
