"""Adding, changing and removing watches, each with undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QDialog, QGridLayout, QLineEdit, QScrollArea, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr
from workbench.gui.judging.case_giving import record_case
from workbench.gui.kit.forms import ParameterForm
from workbench.gui.kit.option_fields import OptionFields
from workbench.gui.kit.widgets import button, caption, column, label, row, store_accepted
from workbench.gui.workspace.context import AppContext
from workbench.methods.core import registry
from workbench.services.records import Watch
from workbench.services.session import Session
from workbench.services.watching import store
from workbench.services.watching.cases import CaseState
from workbench.services.watching.settings import WatchSettings


class WatchDialog(QDialog):
    """Edits a watch; pre-filled with ``settings``. The ``name`` of an existing watch is fixed; that of a new one
    must not be in ``taken``.
    """

    def __init__(
        self, context: AppContext, parent: QWidget, settings: WatchSettings, name: str = "", taken: Sequence[str] = ()
    ) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._taken = taken
        self._method, self._entered = settings.method, {settings.method: settings.parameters}
        """The method shown, and the settings entered for each so far."""
        self.setWindowTitle(tr("Change the watch") if name else tr("New watch"))
        self.resize(720, 760)
        self.name = QLineEdit(name)
        self.name.setAccessibleName(tr("Name"))
        self.name.setEnabled(not name)
        self.fields = OptionFields(WatchSettings, settings.as_dict())
        for name, height in (("places", 112), ("own", 72)):
            self.fields[name].setFixedHeight(height)
        self.problem = label("", 12, role="danger", wrap=True)
        self.save = button(tr("Save"), self._try, kind="primary")
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self.form = self._form()
        self._build()
        self.fields.fields["method"].changed.connect(self._change_method)

    def _form(self) -> ParameterForm:
        method = self.fields["method"].currentData()
        parameters = registry.get(method).parameters
        form = ParameterForm(parameters, self._theme)
        if method in self._entered:
            form.set_values(parameters.parse(self._entered[method]).as_dict())
        elif "compare" in {s.name for s in parameters.specs()}:
            form.set_values({"compare": "sources"})
        self._area.setWidget(form)
        return form

    def _change_method(self) -> None:
        values = self.form.values()
        if values is not None:
            self._entered[self._method] = values
        self._method = self.fields["method"].currentData()
        self.form = self._form()

    def _build(self) -> None:
        hint = label(
            tr(
                "One address per line, preceded by the word feed or sitemap if it lists pages. Without addresses, "
                "the watch examines imported suspects. New pages of your own sites are fetched first, as sources."
            ),
            12,
            role="muted",
            wrap=True,
        )
        boxes = QGridLayout()
        boxes.setHorizontalSpacing(14)
        fields = self.fields.fields
        for at, field in enumerate(field for field in fields.values() if field.short):
            boxes.addWidget(field.titled(), at // 3, at % 3)
        whole = column(caption(tr("Name")), self.name, spacing=6, margins=(16, 14, 16, 12))
        for widget in (fields["places"].titled(), fields["own"].titled(), hint, fields["ignored"].titled()):
            whole.addWidget(widget)
        whole.addSpacing(4)
        whole.addLayout(boxes)
        whole.addSpacing(4)
        whole.addWidget(caption(tr("Settings of the method")))
        whole.addWidget(self._area, 1)
        whole.addWidget(self.problem)
        whole.addLayout(row(None, button(tr("Cancel"), self.reject), self.save))
        self.setLayout(whole)
        self.problem.hide()
        self.save.setDefault(True)
        (self.fields["places"] if self.name.text() else self.name).setFocus()

    def settings(self) -> WatchSettings:
        """The entered settings. Raises UserError if they are invalid."""
        values = self.form.values()
        if values is None:
            raise UserError(tr("A setting of the method is out of range."))
        settings = replace(self.fields.chosen(), parameters=values)
        settings.check()
        return settings

    def _try(self) -> None:
        try:
            self.settings()
            if not self.name.text().strip():
                self.name.setFocus()
                raise UserError(tr("Give the watch a name."))
            if self.name.isEnabled():
                store.checked_name(self.name.text(), self._taken)
        except UserError as error:
            self.problem.setText(say(error.sentence))
            self.problem.show()
            return
        self.accept()


Step = Callable[[Session], object]
Store = Callable[[WatchDialog], bool]


class Changing:
    """Edits watches in a dialog and stores them; every change can be undone.

    ``chosen`` returns the selected watch, ``names`` those of all, ``choose`` selects one by name in the list,
    ``parent`` is the parent of dialogs.
    """

    def __init__(
        self,
        context: AppContext,
        chosen: Callable[[], Watch | None],
        names: Callable[[], Sequence[str]],
        choose: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        self._context, self._chosen, self._names = context, chosen, names
        self._choose, self._parent = choose, parent
        self.dialog: WatchDialog | None = None

    def add(self) -> None:
        """Ask for a new watch."""
        self._ask(WatchSettings(), "", self._added)

    def change(self) -> None:
        """Edit the settings of the selected watch."""
        watch = self._chosen()
        if watch is None:
            return
        try:
            settings = WatchSettings.from_dict(watch.settings)
        except UserError as error:
            self._context.show_error(error)
            return
        self._ask(settings, watch.name, lambda dialog: self._changed(watch, dialog))

    def remove(self) -> None:
        """Remove the selected watch; its results are kept."""
        watch = self._chosen()
        if self._context.session is None or watch is None:
            return
        title = tr("Remove the watch {name}", name=watch.name)
        sentence = tr("The watch {name} was removed.", name=watch.name)
        self._do(title, lambda s: store.remove(s, watch), lambda s: store.restore(s, watch), watch.name, sentence)

    def set_case(self, page: str, whole_site: bool, state: str, note: str) -> None:
        """Set the case of a page, or its site."""
        record_case(self._context, page, CaseState(state), note, whole_site=whole_site)

    def _ask(self, settings: WatchSettings, name: str, store_it: Store) -> None:
        if self._context.session is None:
            return
        dialog = self.dialog = WatchDialog(self._context, self._parent.window(), settings, name, self._names())
        store_accepted(dialog, lambda: store_it(dialog))
        dialog.open()

    def _added(self, dialog: WatchDialog) -> bool:
        if self._context.session is None:
            return True
        name, settings = " ".join(dialog.name.text().split()), dialog.settings()
        added: list[Watch] = []

        def add(session: Session) -> None:
            added.append(store.add(session, name, settings))

        def remove(session: Session) -> None:
            for watch in added:
                store.remove(session, watch)

        def restore(session: Session) -> None:
            for watch in added:
                store.restore(session, watch)

        title = tr("Add the watch {name}", name=name)
        if not self._context.perform(title, add, remove, {"watches"}, redo=restore):
            return False
        self._choose(name)
        self._context.show_view("watch")
        return True

    def _changed(self, watch: Watch, dialog: WatchDialog) -> bool:
        if self._context.session is None:
            return True
        before, after = WatchSettings.from_dict(watch.settings), dialog.settings()
        title = tr("Change the watch {name}", name=watch.name)
        return self._do(
            title,
            lambda s: store.change(s, watch, after),
            lambda s: store.change(s, watch, before),
            watch.name,
        )

    def _do(self, title: str, make: Step, undo: Step, name: str, sentence: str = "") -> bool:
        stored = self._context.perform(title, make, undo, {"watches"}, sentence=sentence)
        if stored:
            self._choose(name)
        return stored
