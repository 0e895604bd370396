"""Parameters of the method ``winnowing``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.methods.core.api import parameter
from workbench.methods.core.token_parameters import TokenParameters


@dataclass(frozen=True)
class WinnowingParameters(TokenParameters):
    """k-grams, windows, and what is joined.

    Strings of fewer than k tokens are never found, strings of window + k - 1 tokens or more are always found. The
    defaults suit Chinese and Japanese, where a token is a character; for words k = 6 and a window of 4 find shorter
    borrowings.
    """

    k: int = parameter(13, "Length of a k-gram; shorter strings are not found", low=1, high=100, unit="tokens")
    window: int = parameter(8, "Consecutive k-grams of which one is kept", low=1, high=1000)
    gap: int = parameter(
        4,
        "Strings separated by at most this many replaced tokens are one passage",
        low=0,
        high=1000,
        unit="tokens",
    )
    max_places: int = parameter(
        1000, "A k-gram that occurs more often than this in the documents is not used", low=1, high=10**9, unit="places"
    )

    @property
    def guaranteed(self) -> int:
        """Length from which a common string is always found, in tokens."""
        return self.window + self.k - 1
