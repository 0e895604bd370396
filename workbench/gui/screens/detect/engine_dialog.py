"""A search engine: how it is asked, and what for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QCheckBox, QDialog, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from workbench.base.errors import UserError
from workbench.gui.i18n import say, tr
from workbench.gui.kit.widgets import button, caption, column, label, line, row
from workbench.gui.problems.guard import guarded
from workbench.gui.theme import fonts
from workbench.services.engines import setup
from workbench.services.engines.running import Search
from workbench.services.engines.setup import Engine

_BOX_HEIGHT = 32


@guarded
class EngineDialog(QDialog):
    """The engine as it is set up, and how many sentences of each source to ask for. ``method`` and ``values`` compare
    the pages that it names.
    """

    def __init__(self, parent: QWidget, method: str, values: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        """Pre-filled with the engine that is set up, and with what :meth:`state` gave, ``usual``."""
        super().__init__(parent)
        self._method, self._values = method, dict(values)
        before = setup.load() or Engine()
        self.setWindowTitle(tr("Ask a search engine"))
        self.resize(680, 540)
        about = tr(
            "The most characteristic sentences of each source are sent to a search engine of your choice, "
            "and the pages it returns are fetched as suspects and compared. Nothing is sent until you start "
            "it here."
        )
        self.about = label(about, 13, role="muted", wrap=True)
        self.template = _line(
            tr("Address of the search engine"), "https://api.example.com/search?q={query}", before.template
        )
        self.header = _line(tr("Header with the key"), "X-Token: {key}", before.header)
        self.results = _line(tr("Path of the results"), "web.results[].url", before.results)
        self.key = _line(tr("Key"), tr("stored in the system's keyring; empty: keep the present one"), "")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.rate = QDoubleSpinBox()
        self.rate.setRange(0.01, 100)
        self.rate.setValue(before.rate)
        self.budget = _number(tr("Queries a day, at most"), 1_000_000, before.budget)
        self.each = _number(tr("Sentences of each source"), 100, int(usual.get("each") or 3))
        self.rate.setAccessibleName(tr("Queries a second, at most"))
        self.rate.setFixedHeight(_BOX_HEIGHT)
        self.ignored = _line(
            tr("Sites that are not fetched"),
            tr("your own sites and licensees, with spaces between them"),
            str(usual.get("ignored") or ""),
        )
        self.private = QCheckBox(tr("Private networks, too"))
        self.private.setFont(fonts.font(13))
        self.problem = label("", 13, role="warn", wrap=True)
        self.go = button(tr("Ask and compare"), self.accept, kind="primary")
        self._build()
        for field in (self.template, self.header, self.results):
            field.textChanged.connect(self._changed)
        self._changed()

    def _build(self) -> None:
        whole = column(self.about, spacing=10, margins=(14, 12, 14, 12))
        whole.addLayout(_titled(self.template))
        pair = row(_titled(self.header), _titled(self.key), spacing=14)
        pair.setStretch(0, 1)
        pair.setStretch(1, 1)
        whole.addLayout(pair)
        place = row(_titled(self.results), _titled(self.rate), _titled(self.budget), spacing=14)
        place.setStretch(0, 1)
        whole.addLayout(place)
        whole.addWidget(line())
        limits = row(_titled(self.ignored), _titled(self.each), spacing=14)
        limits.setStretch(0, 1)
        whole.addLayout(limits)
        whole.addWidget(self.private)
        whole.addWidget(self.problem)
        whole.addStretch(1)
        whole.addLayout(row(None, button(tr("Cancel"), self.reject), self.go))
        self.setLayout(whole)
        self.go.setDefault(True)

    def engine(self) -> Engine:
        """The engine as it is described."""
        return Engine(
            self.template.text().strip(),
            self.header.text().strip(),
            self.results.text().strip(),
            self.rate.value(),
            self.budget.value(),
        )

    def search(self) -> Search:
        """What to ask for."""
        ignored = tuple(self.ignored.text().split())
        return Search(each=self.each.value(), ignored=ignored, method=self._method, parameters=self._values)

    def state(self) -> dict[str, Any]:
        """What the dialog begins with the next time; the engine is kept by itself."""
        return {"each": self.each.value(), "ignored": self.ignored.text()}

    def _changed(self) -> None:
        """Say what is wrong once something has been entered."""
        words = ""
        try:
            self.engine().check()
        except UserError as error:
            words = say(error.message)
        self.problem.setText(words if self.template.text() and self.results.text() else "")
        self.go.setEnabled(not words)


def _line(name: str, hint: str, value: str) -> QLineEdit:
    field = QLineEdit(value)
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    field.setFont(fonts.font(13))
    field.setFixedHeight(_BOX_HEIGHT)
    return field


def _number(name: str, most: int, value: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(1, most)
    box.setValue(value)
    box.setGroupSeparatorShown(True)
    box.setAccessibleName(name)
    box.setFixedHeight(_BOX_HEIGHT)
    return box


def _titled(widget: QWidget) -> Any:
    return column(caption(widget.accessibleName()), widget, spacing=4)
