"""Whatever goes wrong in a window, in one list: the problems that it records, and Qt's own complaints."""

from __future__ import annotations

from PySide6.QtCore import QMessageLogContext, Qt, QtMsgType, qInstallMessageHandler

from workbench.gui.problems import Problem, recorder

_HARMLESS = ("This plugin does not support", "QXcb", "qt.qpa.")
"""Beginnings of what Qt says of the platform, not of the program."""


class Reports:
    """Listens from the moment it is made until :meth:`close`; takes ``texts`` as they come, also from threads."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        recorder().clear()
        recorder().recorded.connect(self._recorded, Qt.ConnectionType.DirectConnection)
        self._before = qInstallMessageHandler(self._message)

    def take(self) -> list[str]:
        """What came since the last time; the same problem counts again from now on."""
        reports, self.texts = self.texts, []
        if reports:
            recorder().clear()
        return reports

    def close(self) -> None:
        """Stop listening."""
        recorder().recorded.disconnect(self._recorded)
        qInstallMessageHandler(self._before)

    def _recorded(self, problem: Problem) -> None:
        self.texts.append(f"{problem.where}, view {problem.view}, action {problem.action}\n{problem.trace}")

    def _message(self, kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and not text.startswith(_HARMLESS):
            self.texts.append(f"Qt: {text}")
