"""The Jobs screen."""

from workbench.gui.i18n import tr
from workbench.gui.workspace.screen import Screen

SCREEN = Screen("jobs", "jobs", lambda: tr("Jobs"), "workbench.gui.screens.jobs.view:JobsView", needs_project=False)
