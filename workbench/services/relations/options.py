"""Options of relations."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.options import SHARE, Options, option


@dataclass(frozen=True)
class StitchedOptions(Options):
    """The criteria of a stitched page: at least ``sources`` unrelated sources, each with ``characters`` of the page's
    content or more, that together cover at least ``share`` of it.
    """

    sources: int = option(3, title="Minimum number of sources", low=1, high=999)
    share: float = option(0.5, title="Minimum share covered", kind=SHARE, low=0, high=1)
    characters: int = option(50, title="Minimum characters per source", low=1, high=100_000)
