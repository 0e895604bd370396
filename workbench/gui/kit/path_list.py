"""A list of files and folders, chosen in dialogs or dropped."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QListWidget, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit import file_dialogs
from workbench.gui.kit.file_drop import FileDrop
from workbench.gui.kit.widgets import button, caption, column, row
from workbench.gui.theme import fonts


class PathList(QWidget):
    """Files and folders, each once; ``kinds`` is the filter of the dialog for files."""

    changed = Signal()

    def __init__(self, title: str, kinds: str) -> None:
        super().__init__()
        self._kinds = kinds
        self.list = QListWidget()
        self.list.setAccessibleName(title)
        self.list.setFont(fonts.font(13))
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.add_files = button(tr("Add files…"), self._ask_files)
        self.add_folder = button(tr("Add a folder…"), self._ask_folder)
        self.drop = button(tr("Remove from the list"), self._remove)
        self.drop.setEnabled(False)
        whole = column(row(caption(title), None, self.drop, self.add_files, self.add_folder), spacing=4)
        whole.addWidget(self.list, 1)
        self.setLayout(whole)
        self.setFocusProxy(self.list)
        self.list.itemSelectionChanged.connect(lambda: self.drop.setEnabled(bool(self.list.selectedItems())))
        FileDrop(self).dropped.connect(lambda names: self.add(map(Path, names)))

    def paths(self) -> list[Path]:
        """The files and folders."""
        return [Path(self.list.item(at).text()) for at in range(self.list.count())]

    def set_paths(self, paths: Iterable[Path]) -> None:
        """List ``paths`` instead."""
        self.list.clear()
        self.add(paths)

    def add(self, paths: Iterable[Path]) -> None:
        """List ``paths`` as well."""
        listed = set(self.paths())
        self.list.addItems([str(path) for path in dict.fromkeys(paths) if path not in listed])
        self.changed.emit()

    def _ask_files(self) -> None:
        filters = [self._kinds, tr("All files (*)")]
        self.add(file_dialogs.open_files(self.window(), self.add_files.text(), self._start(), filters))

    def _ask_folder(self) -> None:
        if folder := file_dialogs.open_folder(self.window(), self.add_folder.text(), self._start()):
            self.add([folder])

    def _start(self) -> Path:
        paths = self.paths()
        return paths[-1].parent if paths else Path.home()

    def _remove(self) -> None:
        for item in self.list.selectedItems():
            self.list.takeItem(self.list.row(item))
        self.changed.emit()
