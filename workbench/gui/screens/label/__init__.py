"""Label: one entry at a time in large type, by several people, with their agreement and the settling of differences."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.label.view import LabelView

    return LabelView


SCREEN = Screen("label", "label", lambda: tr("Label"), _view, modes=("settle", "agreement"))
