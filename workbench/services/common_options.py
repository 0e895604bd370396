"""Options that several sets of options have."""

from __future__ import annotations

from typing import Any

from workbench.base.options import TAGS, option
from workbench.base.roles import Role


def role() -> Any:
    """What documents are that do not say it themselves."""
    choices = {Role.SUSPECT: "Suspect", Role.SOURCE: "Source", Role.BACKGROUND: "Background"}
    return option(Role.SOURCE, "What the documents are", title="Role", choices=choices)


def tags() -> Any:
    """Tags that documents get."""
    return option((), "Words to choose documents by, separated by commas", title="Tags", kind=TAGS, flag="--tag")


def site_repetition() -> Any:
    """Whether blocks that a site repeats on its pages are left out."""
    return option(True, title="Ignore text repeated across a site, whatever the rule for blocks")


def workers() -> Any:
    """How many processes share the work."""
    return option(None, "Worker processes", kind=int, low=0, empty="one a processor")
