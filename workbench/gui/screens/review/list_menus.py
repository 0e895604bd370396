"""The menus of the lists in Review: what can be done with a suspect, and with a source."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui.i18n import tr
from workbench.gui.screens.review.excluding import Excluding
from workbench.gui.screens.review.opening import Opening
from workbench.gui.workspace.context import AppContext


class ListMenus:
    """Shows the menus at a place of the screen; what they do concerns the open suspect."""

    def __init__(self, context: AppContext, opening: Opening, excluding: Excluding, parent: QWidget) -> None:
        self._context, self._opening, self._excluding, self._parent = context, opening, excluding, parent

    def suspect(self, place: QPoint) -> QMenu:
        """The menu of the open suspect."""
        menu = self._menu()
        for key in ("report", "print", "counting", "exclude-source", "exclude-site", "assign"):
            menu.addAction(self._context.actions.qt(f"review.{key}"))
        menu.popup(place)
        return menu

    def source(self, key: int, place: QPoint) -> QMenu:
        """The menu of the source ``key`` of the open suspect."""
        menu, columns, excluding = self._menu(), self._opening.overview.columns, self._excluding
        item = None if columns is None else columns.items.get(key)
        menu.addAction(tr("Open it"), lambda: self._opening.open_source(key))
        if item is not None:
            menu.addSeparator()
            menu.addAction(
                tr("Leave this source out of the count, or count it again"), lambda: excluding.leave_out_source(item)
            )
            site = item.site.replace("&", "&&") or tr("unknown site")
            here = menu.addAction(
                tr("Leave {site} out of the count, or count it again", site=site),
                lambda: excluding.leave_out_site(item),
            )
            all_ = menu.addAction(
                tr("The same in all documents"), lambda: excluding.leave_out_site(item, everywhere=True)
            )
            for action in (here, all_):
                action.setEnabled(bool(item.site))
        menu.popup(place)
        return menu

    def _menu(self) -> QMenu:
        menu = QMenu(self._parent)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu
