"""Options that several sets of options have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.messages import Message
from workbench.base.options import SHARE, TAGS, Kind, option
from workbench.base.roles import Role


def _methods() -> Mapping[str, str]:
    from workbench.methods.core import registry

    return {name: name for name in registry.names()}


METHOD = Kind("METHOD", str, str, Message("the name of a method"), _methods)


def role() -> Any:
    """The role of documents that have none of their own."""
    choices = {Role.SUSPECT: "Suspect", Role.SOURCE: "Source", Role.BACKGROUND: "Background"}
    return option(Role.SOURCE, "Role of the documents", title="Role", choices=choices)


def tags() -> Any:
    """Tags that documents get."""
    return option((), "Tags by which to filter documents, separated by commas", title="Tags", kind=TAGS, flag="--tag")


def site_repetition() -> Any:
    """Whether blocks that a site repeats on its pages are left out."""
    return option(True, title="Ignore text repeated across a site, whatever the rule for blocks")


def workers() -> Any:
    """How many processes share the work."""
    return option(None, "Worker processes", kind=int, low=0, empty="one per processor")


def rate() -> Any:
    """How many requests a second one host gets; 0 for no limit."""
    return option(1.0, title="Requests per second to one host", low=0, high=1000, empty="no limit")


def sample() -> Any:
    """The share of a feed's or sitemap's pages that is fetched."""
    return option(1.0, title="Share of a feed's pages", kind=SHARE, low=0.0001, high=1)
