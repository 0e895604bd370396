"""The Jobs screen."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen, View


def _view() -> type[View]:
    from workbench.gui.screens.jobs.view import JobsView

    return JobsView


SCREEN = Screen("jobs", "jobs", lambda: tr("Jobs"), _view, needs_project=False)
