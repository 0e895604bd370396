"""Choosing documents by a tag, and fields in which tags are typed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit

from workbench.base.errors import ParameterError
from workbench.base.tags import SEPARATOR, WITHOUT, chosen_by, listed
from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import ChoiceBox
from workbench.gui.problems import guarded
from workbench.gui.theme import fonts

_ANY, _NONE = "any", "none"


class TagChooser(ChoiceBox):
    """All documents, those without a tag, or those with one; hidden while no document has any.

    ``chosen`` is emitted when the user chooses another one.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Filter by tag"))
        self.setFont(fonts.font(13))
        self.setMinimumWidth(150)
        self.hide()
        self.activated.connect(lambda _at: self.chosen.emit())

    def offer(self, tags: Iterable[Sequence[str]]) -> None:
        """List the ``tags`` of documents, with their counts; the choice is kept if still present."""
        counts = dict(sorted(Counter(tag for own in tags for tag in own).items()))
        before = self.state()
        self.clear()
        self.addItem(tr("All tags"), (_ANY, ""))
        self.addItem(tr("Without a tag"), (_NONE, ""))
        for tag, count in counts.items():
            self.addItem(f"{tag}  {count:,}", ("tag", tag))
        self.choose(before)
        self.setVisible(bool(counts))

    def state(self) -> str:
        """The chosen tag; "" for all documents, a minus sign for those without a tag."""
        kind, tag = self.currentData() or (_ANY, "")
        return WITHOUT if kind == _NONE else str(tag)

    def choose(self, state: str) -> None:
        """Choose the result of :meth:`state`; all documents if that tag no longer exists."""
        wanted = (_NONE, "") if state == WITHOUT else ("tag", state) if state else (_ANY, "")
        places = [at for at in range(self.count()) if tuple(self.itemData(at)) == wanted]
        self.setCurrentIndex(places[0] if places else 0)

    def passing(self, tags: Iterable[Sequence[str]]) -> NDArray[np.bool_] | None:
        """Which documents, given their ``tags``, are chosen; None: all."""
        state = self.state()
        return np.array([chosen_by(state, own) for own in tags], np.bool_) if state else None


@guarded
class TagCompleter(QCompleter):
    """Completes the last tag of a list."""

    def __init__(self, field: QLineEdit, tags: Sequence[str]) -> None:
        super().__init__(field)
        self.setModel(QStringListModel(list(tags), self))
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)

    def splitPath(self, path: str) -> list[str]:
        """The text to complete: the name being typed, without a minus sign."""
        return [path.rsplit(SEPARATOR, 1)[-1].strip().removeprefix(WITHOUT)]

    def pathFromIndex(self, index: object) -> str:
        """The list with the completed name at its end."""
        chosen = str(index.data())  # type: ignore[attr-defined]
        field = self.widget()
        before = field.text() if isinstance(field, QLineEdit) else ""
        rest, _, last = before.rpartition(SEPARATOR)
        sign = WITHOUT if last.strip().startswith(WITHOUT) else ""
        return f"{rest}{SEPARATOR} {sign}{chosen}" if rest else f"{sign}{chosen}"


def tag_field(name: str) -> QLineEdit:
    """A field for tags, separated by commas."""
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(tr("Tags that the documents get, separated by commas"))
    field.setFont(fonts.font(13))
    return field


def complete(field: QLineEdit, tags: Sequence[str]) -> None:
    """Offer ``tags`` while typing in the field."""
    field.setCompleter(TagCompleter(field, tags))


def problem_of(field: QLineEdit) -> ParameterError | None:
    """Why the text in the field is not valid tags; None if it is."""
    try:
        listed(field.text())
    except ParameterError as error:
        return error
    return None
