"""A saved search: where to look, how to compare, what counts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr
from workbench.gui.kit.forms import ParameterForm
from workbench.gui.kit.places import places_text, typed_places
from workbench.gui.kit.widgets import button, caption, column, label, row
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext
from workbench.methods.core import registry
from workbench.services.watching.settings import WatchSettings


class WatchDialog(QDialog):
    """Edits a watch; pre-filled with ``settings``; ``name`` is fixed if the watch exists."""

    def __init__(self, context: AppContext, parent: QWidget, settings: WatchSettings, name: str = "") -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._settings = settings
        self.setWindowTitle(tr("Change the watch") if name else tr("New watch"))
        self.resize(720, 760)
        self.name = QLineEdit(name)
        self.name.setAccessibleName(tr("Name"))
        self.name.setEnabled(not name)
        self.places = QPlainTextEdit(places_text(settings.places))
        self.places.setAccessibleName(tr("Where to look"))
        self.places.setTabChangesFocus(True)
        self.places.setFont(fonts.font(13))
        self.places.setFixedHeight(112)
        self.places.setPlaceholderText(
            "https://example.org/page\nfeed https://example.org/feed.xml\nsitemap https://example.org/sitemap.xml"
        )
        self.own = QPlainTextEdit(places_text(settings.own))
        self.own.setAccessibleName(tr("My sites"))
        self.own.setTabChangesFocus(True)
        self.own.setFont(fonts.font(13))
        self.own.setFixedHeight(56)
        self.own.setPlaceholderText("feed https://my.example/feed.xml")
        self.ignored = QLineEdit(" ".join(settings.ignored))
        self.ignored.setAccessibleName(tr("Ignored sites"))
        self.ignored.setPlaceholderText("licensee.example https://example.org/press/")
        self.method = QComboBox()
        self.method.setAccessibleName(tr("Method"))
        self.method.addItems(registry.names())
        self.method.setCurrentText(settings.method)
        self.score = _number(tr("Least score"), settings.min_score, 0, 1e9, 3)
        self.score.setSpecialValueText(tr("the project's threshold"))
        self.characters = QSpinBox()
        self.characters.setRange(0, 1_000_000)
        self.characters.setValue(settings.min_characters)
        self.characters.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.characters.setGroupSeparatorShown(True)
        self.characters.setAccessibleName(tr("Least characters"))
        self.every = _number(tr("Hours between checks"), settings.every, 0.01, 8760, 2)
        self.rate = _number(tr("Requests a second to one host"), settings.rate, 0, 1000, 1)
        self.share = _number(tr("Share of a feed's pages"), 100 * settings.sample, 0.1, 100, 1)
        self.share.setSuffix(" %")
        self.problem = label("", 12, role="danger", wrap=True)
        self.save = button(tr("Save"), self._try, kind="primary")
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self.form = self._form()
        self._build()
        self.method.currentTextChanged.connect(lambda _name: self._change_method())

    def _form(self) -> ParameterForm:
        form = ParameterForm(registry.get(self.method.currentText()).parameters, self._theme)
        if self.method.currentText() == self._settings.method:
            form.set_values(registry.get(self._settings.method).parameters.parse(self._settings.parameters).as_dict())
        elif "compare" in {s.name for s in registry.get(self.method.currentText()).parameters.specs()}:
            form.set_values({"compare": "sources"})
        self._area.setWidget(form)
        return form

    def _change_method(self) -> None:
        self.form = self._form()

    def _build(self) -> None:
        hint = label(
            tr(
                "One address a line, with the word feed or sitemap before it if it lists pages. Without "
                "addresses, the watch examines imported suspects. New pages of your own sites are fetched "
                "first, as sources."
            ),
            12,
            role="muted",
            wrap=True,
        )
        boxes = QGridLayout()
        boxes.setHorizontalSpacing(14)
        fields = (self.method, self.score, self.characters, self.every, self.rate, self.share)
        for at, field in enumerate(fields):
            field.setFont(fonts.font(13, tabular=True))
            field.setFixedHeight(32)
            boxes.addLayout(column(caption(field.accessibleName()), field, spacing=4), at // 3, at % 3)
        whole = column(
            caption(tr("Name")), self.name, caption(tr("Where to look")), spacing=6, margins=(16, 14, 16, 12)
        )
        whole.addWidget(self.places)
        whole.addWidget(caption(tr("My sites")))
        whole.addWidget(self.own)
        whole.addWidget(hint)
        whole.addWidget(caption(tr("Ignored sites")))
        whole.addWidget(self.ignored)
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
        (self.places if self.name.text() else self.name).setFocus()

    def settings(self) -> WatchSettings:
        """The entered settings. Raises UserError if they are invalid."""
        values = self.form.values()
        if values is None:
            raise UserError(tr("A setting of the method is out of range."))
        settings = WatchSettings(
            places=typed_places(self.places.toPlainText()),
            method=self.method.currentText(),
            parameters=values,
            min_score=self.score.value(),
            min_characters=self.characters.value(),
            sources=self._settings.sources,
            rate=self.rate.value(),
            sample=self.share.value() / 100,
            limit=self._settings.limit,
            every=self.every.value(),
            own=typed_places(self.own.toPlainText()),
            ignored=tuple(dict.fromkeys(self.ignored.text().replace(",", " ").split())),
        )
        settings.check()
        return settings

    def _try(self) -> None:
        try:
            self.settings()
            if not self.name.text().strip():
                self.name.setFocus()
                raise UserError(tr("Give the watch a name."))
        except UserError as error:
            self.problem.setText(say(error.sentence))
            self.problem.show()
            return
        self.accept()


def _number(name: str, value: float, low: float, high: float, decimals: int) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(low, high)
    box.setDecimals(decimals)
    box.setValue(value)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setAccessibleName(name)
    return box
