"""Files dropped on a widget."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.problems.guard import guarded


@guarded
class FileDrop(QObject):
    """Lets a widget take dropped files; ``dropped`` carries their paths, ``hovering`` whether files are being dragged
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
