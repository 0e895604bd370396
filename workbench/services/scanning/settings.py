"""Settings of a scan. Modules needed only to check them are imported there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.options import HOSTS, SETTINGS, Kind, Options, option

if TYPE_CHECKING:
    from workbench.methods.core.api import Method, Parameters


def methods() -> Mapping[str, str]:
    """The methods that can search web archives, with a description of their findings."""
    from workbench.methods.core import registry

    return {name: facts.summary for name, facts in registry.facts().items() if facts.scans}


METHOD = Kind("METHOD", str, str, Message("the name of a method"), methods)


@dataclass(frozen=True)
class ScanSettings(Options):
    """Pages are compared with the sources by ``method`` with its ``parameters``; matches of fewer than
    ``min_characters`` of a source do not count, and pages of ``ignored`` sites (hosts with their subdomains, or
    pages below an address) are not compared. ``rule`` says which blocks of a page are content.
    """

    method: str = option("digest", "How to compare the pages", title="Method", kind=METHOD)
    parameters: Mapping[str, Any] = option({}, kind=SETTINGS)
    min_characters: int = option(0, title="Shortest match, in characters", low=0, empty="all")
    ignored: tuple[str, ...] = option(
        (),
        "Hosts or addresses that are left out, such as your own sites",
        title="Sites that are not searched",
        kind=HOSTS,
        flag="--ignore",
    )
    rule: str = option("default", "Rule for content blocks of pages, as in import", flag="--blocks")

    def rules(self) -> None:
        """Raise an error unless the method, parameters and rule exist."""
        self.chosen()

    def chosen(self) -> tuple[Method, Parameters]:
        """The method and its parameters. Raises UserError, ParameterError."""
        from workbench.methods.core import registry
        from workbench.reading.blocks.rules import check_rule

        if self.method not in (names := methods()):
            raise UserError(
                Message("{method} cannot search web archives.", method=self.method),
                hint=Message("Available: {names}.", names=", ".join(names)),
            )
        check_rule(self.rule)
        method = registry.get(self.method)
        specs = {spec.name for spec in method.parameters.specs()}
        # Tags select among the project's suspects, which do not include the pages.
        forced = {"suspect_tags": ""} | ({"compare": "sources"} if "compare" in specs else {})
        return method, method.parameters.parse(dict(self.parameters) | forced)

    def ignores(self, address: str) -> bool:
        """Whether the page at ``address`` is not compared."""
        from workbench.services.watching.settings import covers, host_of

        host = host_of(address)
        return any(covers(what, address, host) for what in self.ignored)
