"""Web archives to be searched: which, how, and where nothing is sought."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QLineEdit, QListWidget, QSpinBox, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.widgets import button, caption, column, label, row
from workbench.gui.problems.guard import guarded
from workbench.gui.theme import fonts
from workbench.methods.core import registry
from workbench.services.scanning.settings import METHODS, ScanSettings

_BOX_HEIGHT = 32


@guarded
class ScanDialog(QDialog):
    """Files and folders, the method, and what does not count. ``values`` are the settings of ``method``."""

    def __init__(self, parent: QWidget, method: str, values: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        """Pre-filled with what :meth:`state` gave, ``usual``."""
        super().__init__(parent)
        self._own, self._values = method, dict(values)
        self.setWindowTitle(tr("Search web archives"))
        self.setAcceptDrops(True)
        self.resize(680, 520)
        about = tr(
            "WARC and WET files, such as those of Common Crawl, are searched for copies of your sources. "
            "Only pages with findings become documents. Drop files or folders here."
        )
        self.about = label(about, 13, role="muted", wrap=True)
        self.paths = QListWidget()
        self.paths.setAccessibleName(tr("Web archives and folders"))
        self.paths.setFont(fonts.font(13))
        self.paths.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.add_files = button(tr("Add files…"), self._ask_files)
        self.add_folder = button(tr("Add a folder…"), self._ask_folder)
        self.drop = button(tr("Remove from the list"), self._remove)
        self.methods = QComboBox()
        self.methods.setAccessibleName(tr("Method"))
        self.methods.setFont(fonts.font(13))
        self.methods.setFixedHeight(_BOX_HEIGHT)
        self.methods.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.methods.setMinimumContentsLength(20)
        for name in METHODS:
            self.methods.addItem(f"{name}: {tr(registry.get(name).summary)}", name)
        self.methods.setCurrentIndex(max(0, self.methods.findData(method)))
        self.least = QSpinBox()
        self.least.setRange(0, 1_000_000)
        self.least.setGroupSeparatorShown(True)
        self.least.setSpecialValueText(tr("all"))
        self.least.setAccessibleName(tr("Shortest match, in characters"))
        self.least.setFixedHeight(_BOX_HEIGHT)
        self.ignored = QLineEdit()
        self.ignored.setAccessibleName(tr("Sites that are not searched"))
        self.ignored.setPlaceholderText(tr("your own sites and licensees, with spaces between them"))
        self.ignored.setFont(fonts.font(13))
        self.ignored.setFixedHeight(_BOX_HEIGHT)
        self.again = QCheckBox(tr("Search files again that were searched for the same sources"))
        self.again.setFont(fonts.font(13))
        self.go = button(tr("Search"), self.accept, kind="primary")
        self._restore(usual)
        self._build()
        self.paths.itemSelectionChanged.connect(self._changed)
        self._changed()

    def _restore(self, usual: Mapping[str, Any]) -> None:
        paths = usual.get("paths")
        if isinstance(paths, list):
            self.add(Path(str(path)) for path in paths)
        if isinstance(least := usual.get("least"), int):
            self.least.setValue(least)
        self.ignored.setText(str(usual.get("ignored", "")))

    def state(self) -> dict[str, Any]:
        """What the dialog begins with the next time."""
        paths = [str(path) for path in self.chosen()]
        return {"paths": paths, "least": self.least.value(), "ignored": self.ignored.text()}

    def _build(self) -> None:
        whole = column(self.about, spacing=10, margins=(14, 12, 14, 12))
        whole.addLayout(row(caption(self.paths.accessibleName()), None, self.drop, self.add_files, self.add_folder))
        whole.addWidget(self.paths, 1)
        boxes = row(_titled(self.methods), _titled(self.least), spacing=14)
        boxes.setStretch(0, 1)
        whole.addLayout(boxes)
        whole.addLayout(_titled(self.ignored))
        whole.addWidget(self.again)
        whole.addLayout(row(None, button(tr("Cancel"), self.reject), self.go))
        self.setLayout(whole)
        self.go.setDefault(True)

    def add(self, paths: Iterable[Path]) -> None:
        """List files and folders, each once."""
        listed = set(self.chosen())
        self.paths.addItems([str(path) for path in dict.fromkeys(paths) if path not in listed])
        self._changed()

    def chosen(self) -> list[Path]:
        """The files and folders that are listed."""
        return [Path(self.paths.item(at).text()) for at in range(self.paths.count())]

    def settings(self) -> ScanSettings:
        """What is sought."""
        method = self.methods.currentData()
        parameters = self._values if method == self._own else {}
        return ScanSettings(method, parameters, self.least.value(), tuple(self.ignored.text().split()))

    def _ask_files(self) -> None:
        filters = [tr("Web archives (*.warc *.wet *.gz)"), tr("All files (*)")]
        self.add(file_dialogs.open_files(self, self.add_files.text(), self._start(), filters))

    def _ask_folder(self) -> None:
        if folder := file_dialogs.open_folder(self, self.add_folder.text(), self._start()):
            self.add([folder])

    def _start(self) -> Path:
        chosen: Sequence[Path] = self.chosen()
        return chosen[-1].parent if chosen else Path.home()

    def _remove(self) -> None:
        for item in self.paths.selectedItems():
            self.paths.takeItem(self.paths.row(item))
        self._changed()

    def _changed(self) -> None:
        self.go.setEnabled(self.paths.count() > 0)
        self.drop.setEnabled(bool(self.paths.selectedItems()))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files and folders of this computer may be dropped."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """List what is dropped."""
        self.add(Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile())
        event.acceptProposedAction()


def _titled(widget: QWidget) -> Any:
    return column(caption(widget.accessibleName()), widget, spacing=4)
