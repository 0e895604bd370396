"""Tasks that query a search engine: one dialog for the settings of the engine and the options of the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.option_fields import OptionFields
from workbench.gui.kit.tasks import TaskDialog, TaskRunner, form_of
from workbench.gui.kit.widgets import column
from workbench.gui.problems import guarded
from workbench.services.engines import setup
from workbench.services.engines.setup import Engine, EngineKey
from workbench.services.engines.task import set_up_and_run
from workbench.services.tasks import Task


@guarded
class EngineDialog(TaskDialog):
    """The engine's settings, and beside them the options of a task."""

    def __init__(self, parent: QWidget, task: type[Task], values: Mapping[str, Any]) -> None:
        self.engine = OptionFields(Engine, (setup.load() or Engine()).as_dict())
        self.key = OptionFields(EngineKey, {})
        super().__init__(parent, task, values)
        self.forms.insertLayout(0, column(form_of(self.engine), form_of(self.key), None, spacing=10))
        self.forms.setStretch(0, 1)
        self.forms.setStretch(1, 1)
        self.resize(960, 480)
        self.engine.changed.connect(self._changed)

    def _check(self) -> None:
        self.engine.chosen()
        super()._check()


class Asking(TaskRunner):
    """Asks the user for settings, then queries the engine."""

    def ask(self, **values: Any) -> None:
        """Show the dialog, then set up and query the engine described there."""
        if self._context.session is None:
            return
        dialog = self.dialog = EngineDialog(self._parent.window(), self.purpose, {**self.usual, **values})
        dialog.accepted.connect(lambda: self._set_up(dialog))
        dialog.open()

    def _set_up(self, dialog: EngineDialog) -> None:
        task = dialog.fields.chosen()
        self.usual = task.as_dict()
        self.submit(tr(self.purpose.title), set_up_and_run, dialog.engine.chosen(), dialog.key.chosen().key, task)
