"""Settings of a scan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.methods.core import registry
from workbench.methods.core.api import Method, Parameters
from workbench.reading.blocks.rules import check_rule
from workbench.services.watching.settings import covers, host_of

METHODS = tuple(name for name, facts in registry.facts().items() if facts.scans)
"""Methods that can search web archives."""


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """Pages are compared with the sources by ``method`` with its ``parameters``; matches of fewer than
    ``min_characters`` of a source do not count, and pages of ``ignored`` sites (hosts with their subdomains, or
    addresses above) are not compared. ``rule`` says which blocks of a page are content.
    """

    method: str = "digest"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    min_characters: int = 0
    ignored: tuple[str, ...] = ()
    rule: str = "default"

    def chosen(self) -> tuple[Method, Parameters]:
        """The method and its parameters. Raises UserError, ParameterError."""
        if self.method not in METHODS:
            raise UserError(
                Message("{method} cannot search web archives.", method=self.method),
                hint=Message("There are: {names}.", names=", ".join(METHODS)),
            )
        if self.min_characters < 0:
            raise ParameterError(Message("The minimum number of characters cannot be negative."))
        check_rule(self.rule)
        method = registry.get(self.method)
        names = {spec.name for spec in method.parameters.specs()}
        # Tags select among the suspects of the project; the pages are not among those.
        forced = {"suspect_tags": ""} | ({"compare": "sources"} if "compare" in names else {})
        return method, method.parameters.parse(dict(self.parameters) | forced)

    def ignores(self, address: str) -> bool:
        """Whether the page at ``address`` is not compared."""
        host = host_of(address)
        return any(covers(what, address, host) for what in self.ignored)

    def as_dict(self) -> dict[str, Any]:
        """Names to JSON-compatible values."""
        return asdict(self) | {"parameters": dict(self.parameters), "ignored": list(self.ignored)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ScanSettings:
        """The settings from the result of :meth:`as_dict`. Raises UserError if the stored data is invalid."""
        try:
            return cls(
                str(value["method"]),
                dict(value["parameters"]),
                int(value["min_characters"]),
                tuple(map(str, value["ignored"])),
                str(value["rule"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(Message("The settings of this scan are damaged.")) from error
