"""A search engine: its settings, and the queries to make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.option_fields import OptionFields
from workbench.gui.kit.tasks import TaskDialog, TaskRunner, form_of
from workbench.gui.kit.widgets import column, line
from workbench.gui.problems import guarded
from workbench.services.engines import setup
from workbench.services.engines.setup import Engine, EngineKey
from workbench.services.engines.task import Search, set_up_and_search


@guarded
class EngineDialog(TaskDialog):
    """The engine's settings, and below them the options of a search."""

    def __init__(self, parent: QWidget, values: Mapping[str, Any]) -> None:
        self.engine = OptionFields(Engine, (setup.load() or Engine()).as_dict())
        self.key = OptionFields(EngineKey, {})
        super().__init__(parent, Search, values)
        self.form.insertLayout(0, column(form_of(self.engine), form_of(self.key), line(), spacing=10))
        self.resize(700, 610)
        self.engine.changed.connect(self._changed)

    def _check(self) -> None:
        self.engine.chosen()
        super()._check()


class Asking(TaskRunner):
    """Asks the user, then the engine."""

    def ask(self, **values: Any) -> None:
        """Show the dialog, and set up and ask the engine that is described there."""
        dialog = self.dialog = EngineDialog(self._parent.window(), {**self.usual, **values})
        dialog.accepted.connect(lambda: self._set_up(dialog))
        dialog.open()

    def _set_up(self, dialog: EngineDialog) -> None:
        search = dialog.fields.chosen()
        self.usual = search.as_dict()
        job, engine, key = set_up_and_search, dialog.engine.chosen(), dialog.key.chosen().key
        self.submit(tr("Ask the search engine"), job, engine, key, search)
