"""A field for the tags that documents get, and one for tags to choose documents by."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtWidgets import QCompleter, QLineEdit

from workbench.base.errors import ParameterError
from workbench.base.tags import SEPARATOR, WITHOUT, listed
from workbench.gui.i18n import tr
from workbench.gui.problems.guard import guarded
from workbench.gui.theme import fonts


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


def tag_field(name: str, text: str = "") -> QLineEdit:
    """A field for tags, separated by commas."""
    field = QLineEdit(text)
    field.setAccessibleName(name)
    field.setPlaceholderText(tr("Tags by which to filter documents, separated by commas"))
    field.setFont(fonts.font(13))
    return field


def complete(field: QLineEdit, tags: Sequence[str]) -> None:
    """Offer ``tags`` while the field is typed in."""
    field.setCompleter(TagCompleter(field, tags))


def problem_of(field: QLineEdit) -> ParameterError | None:
    """Why the field's text cannot be tags; None where it can."""
    try:
        listed(field.text())
    except ParameterError as error:
        return error
    return None
