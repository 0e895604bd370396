"""The Review screen: suspects, two aligned documents, evidence and verdict, scores."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.review.view import ReviewView

    return ReviewView


SCREEN = Screen("review", "review", lambda: tr("Review"), _view, modes=("matches", "compare"))
