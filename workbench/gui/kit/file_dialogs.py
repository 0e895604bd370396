"""Asking for files and folders without opening them, and accepting dropped ones.

Qt's dialog opens every file it lists to guess its type, and so do some desktops' dialogs that run in this process.
POSIX fcntl locks belong to a process and a file, so closing a second handle of the open project releases SQLite's locks
on it: another program could then delete the journal while the window is using it. Therefore outside Windows and macOS
the dialog is Qt's own, with icons and types derived from the name alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QFileInfo, QObject, Signal
from PySide6.QtGui import QAbstractFileIconProvider, QIcon
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QStyle, QWidget

from workbench.gui.i18n import tr
from workbench.gui.problems import guarded

Mode = QFileDialog.FileMode


@guarded
class NameOnly(QAbstractFileIconProvider):
    """Icons and types of files from their names. Called in the dialog's reader thread."""

    def __init__(self) -> None:
        super().__init__()
        style = QApplication.style()
        self._folder = style.standardIcon(QStyle.StandardPixmap.SP_DirIcon)
        self._file = style.standardIcon(QStyle.StandardPixmap.SP_FileIcon)
        self._folder_word, self._file_word = tr("Folder"), tr("File")

    def icon(self, of: QFileInfo | QAbstractFileIconProvider.IconType) -> QIcon:
        """The icon of a folder or a file."""
        kinds = QAbstractFileIconProvider.IconType
        folder = of.isDir() if isinstance(of, QFileInfo) else of != kinds.File
        return self._folder if folder else self._file

    def type(self, info: QFileInfo) -> str:
        """The type, named after the suffix."""
        if info.isDir():
            return self._folder_word
        return info.suffix() or self._file_word


def make_dialog(parent: QWidget, title: str, start: Path, mode: Mode, filters: Sequence[str] = ()) -> QFileDialog:
    """A dialog that reads no file; ``start`` is a folder, or a folder with a suggested name."""
    dialog = QFileDialog(parent, title)
    if not sys.platform.startswith(("win", "darwin")):
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setOption(QFileDialog.Option.DontUseCustomDirectoryIcons)
    dialog._provider = NameOnly()  # type: ignore[attr-defined]  # the dialog does not own it
    dialog.setIconProvider(dialog._provider)  # type: ignore[attr-defined]
    dialog.setFileMode(mode)
    if mode == Mode.AnyFile:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if mode == Mode.Directory:
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    if filters:
        # Listing all suffixes would make the dialog wider than the screen.
        dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
        dialog.setNameFilters(filters)
    if dialog.testOption(QFileDialog.Option.DontUseNativeDialog):
        # Qt's own catalogues lack these two strings.
        dialog.setLabelText(QFileDialog.DialogLabel.LookIn, tr("&Look in:"))
        dialog.setLabelText(QFileDialog.DialogLabel.FileType, tr("Files of &type:"))
        for push_button in dialog.findChildren(QPushButton):
            push_button.setIcon(QIcon())
    if start.is_dir():
        dialog.setDirectory(str(start))
    else:
        dialog.setDirectory(str(start.parent))
        dialog.selectFile(start.name)
    return dialog


def open_files(parent: QWidget, title: str, start: Path, filters: Sequence[str]) -> list[Path]:
    """The chosen files; none if cancelled."""
    return _ask(make_dialog(parent, title, start, Mode.ExistingFiles, filters))[0]


def open_file(parent: QWidget, title: str, start: Path, filters: Sequence[str]) -> Path | None:
    """The chosen file."""
    return next(iter(_ask(make_dialog(parent, title, start, Mode.ExistingFile, filters))[0]), None)


def open_folder(parent: QWidget, title: str, start: Path) -> Path | None:
    """The chosen folder."""
    return next(iter(_ask(make_dialog(parent, title, start, Mode.Directory))[0]), None)


def save_file(parent: QWidget, title: str, start: Path, filters: Sequence[str]) -> tuple[Path | None, str]:
    """The path to save to (after asking whether to replace an existing file), and the chosen filter."""
    paths, chosen = _ask(make_dialog(parent, title, start, Mode.AnyFile, filters))
    return next(iter(paths), None), chosen


def _ask(dialog: QFileDialog) -> tuple[list[Path], str]:
    """Run the dialog. The event loop deletes it, because its thread may be waiting to call :class:`NameOnly`."""
    accepted = dialog.exec() == QFileDialog.DialogCode.Accepted
    paths = [Path(name) for name in dialog.selectedFiles()] if accepted else []
    chosen = dialog.selectedNameFilter()
    dialog.deleteLater()
    return paths, chosen


@guarded
class FileDrop(QObject):
    """Lets a widget accept dropped files; ``dropped`` emits their paths, ``hovering`` whether files are being dragged
    over it.
    """

    dropped = Signal(list)
    hovering = Signal(bool)

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        target.setAcceptDrops(True)
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.DragEnter, QEvent.Type.DragMove) and event.mimeData().hasUrls():  # type: ignore[attr-defined]
            event.acceptProposedAction()  # type: ignore[attr-defined]
            self.hovering.emit(True)
            return True
        if kind == QEvent.Type.DragLeave:
            self.hovering.emit(False)
        if kind == QEvent.Type.Drop and event.mimeData().hasUrls():  # type: ignore[attr-defined]
            self.hovering.emit(False)
            urls = event.mimeData().urls()  # type: ignore[attr-defined]
            event.acceptProposedAction()  # type: ignore[attr-defined]
            self.dropped.emit([u.toLocalFile() for u in urls if u.isLocalFile()])
            return True
        return False
