"""Parameters of the method ``copies``, and the methods that it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.methods.altered.method import METHOD as ALTERED
from workbench.methods.core.api import Method, Parameters, parameter
from workbench.methods.digest.method import METHOD as DIGEST
from workbench.methods.initials.method import METHOD as INITIALS

PARTS: tuple[Method, ...] = (DIGEST, INITIALS, ALTERED)
"""The methods behind this one, the most exact first; number n is bit n of the evidence ``methods``."""
LOWERED: Mapping[str, Mapping[str, Any]] = {
    "digest": {"min_surprisal": 120},
    "initials": {"min_length": 16, "max_difference": 0.3},
    "altered": {"min_odds": 12},
}
"""Parameters of the parts, below their own thresholds, since the confidence decides."""


@dataclass(frozen=True)
class CopiesParameters(Parameters):
    """The methods to run, and the minimum confidence of a passage."""

    min_confidence: float = parameter(0.4, "Passages with lower confidence are left out", low=0.0, high=1.0)
    compare: str = parameter(
        "sources", "Suspects with sources, or all documents with each other", choices=("sources", "all")
    )
    summaries: bool = parameter(True, "Also find passages that summarise a longer part of the source")
    verbatim: bool = parameter(True, "Look for sentences copied unchanged (digest)")
    homophones: bool = parameter(True, "Look for homophones, variant characters and typos (initials)")
    reworded: bool = parameter(True, "Look for changed, moved and omitted words (altered)")
    max_sources: int = parameter(
        200, "Sources aligned word by word with one suspect, the likeliest first", low=1, high=100_000, unit="documents"
    )

    def parts(self) -> dict[str, tuple[Method, Any]]:
        """The enabled methods, by name, with their parameters; ``digest`` if none is."""
        shared = {"compare": self.compare, "content": self.content}
        own: dict[str, dict[str, Any]] = {
            "initials": {},
            "altered": {"summaries": self.summaries, "max_sources": self.max_sources},
            "digest": {},
        }
        switched_on = {"digest": self.verbatim, "initials": self.homophones, "altered": self.reworded}
        if not any(switched_on.values()):
            switched_on["digest"] = True
        return {
            part.name: (part, part.parameters.parse({**LOWERED[part.name], **shared, **own[part.name]}))
            for part in PARTS
            if switched_on[part.name]
        }
