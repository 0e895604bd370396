"""Name, version and licences of the program."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from PySide6.QtWidgets import QDialog, QWidget

from workbench.gui.i18n import tr
from workbench.gui.kit.widgets import IconLabel, button, column, label, row
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext


class AboutDialog(QDialog):
    """Name, version, licence."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Palimpsest"))
        self.setFixedWidth(460)
        try:
            number = version("palimpsest")
        except PackageNotFoundError:
            number = ""
        words = column(
            label("Palimpsest", 20, weight=fonts.SEMIBOLD),
            label(tr("Version {version}", version=number), 13, role="muted", tabular=True),
            label(
                tr("Finds, reviews and documents text made from other texts. Everything stays on this computer."),
                13,
                wrap=True,
            ),
            label(
                tr("Apache License 2.0. Fonts under the SIL Open Font License; Qt under the LGPL."),
                12,
                role="faint",
                wrap=True,
            ),
            spacing=8,
        )
        mark = column(IconLabel(context.theme, "logo", "accent", 48), None)
        top = row(mark, words, spacing=18)
        top.setStretch(1, 1)
        close = button(tr("Close"), self.accept, kind="primary")
        close.setDefault(True)
        self.setLayout(column(top, row(None, close), margins=(22, 20, 18, 16), spacing=16))
