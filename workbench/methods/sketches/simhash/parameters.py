"""Parameters of the method ``simhash``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from workbench.base.options import Option, own_name
from workbench.methods.core.api import parameter
from workbench.methods.core.token_parameters import LetterParameters

_SHORT_DISTANCE = 3
"""Bits that may differ in fingerprints of 32 or 64 bits (Manku, Jain and Das Sarma, 2007)."""


@dataclass(frozen=True)
class SimHashParameters(LetterParameters):
    """Features, fingerprint, and the greatest distance of a pair.

    128 bits, 97 of them equal, is the setting of Huang, Wang and Li (2007), section 5.4; 64 bits and a distance of 3 is
    that of Manku, Jain and Das Sarma. Counting each feature once prevents the most frequent phrases of a language from
    making unrelated documents similar.
    """

    bits: int = parameter(128, "Length of a fingerprint", choices=(32, 64, 128), unit="bits", paper=128)
    max_distance: int = parameter(
        31,
        "Maximum number of bits that differ; 3 if only bits is set (to 32 or 64)",
        low=0,
        high=63,
        unit="bits",
        paper=31,
    )
    k: int = parameter(2, "Length of a feature", low=1, high=100, unit="tokens", paper=4)
    weights: str = parameter(
        "once",
        "Weight of a feature: 1, 1 + ln of its frequency in the document, that frequency, the frequency times how rare "
        "the feature is among the documents (idf), or the same for the heaviest features alone (keywords)",
        choices=("once", "log", "frequency", "idf", "keywords"),
        paper="frequency",
    )
    keywords: int = parameter(
        20, "Number of heaviest features of a document that vote, with weights=keywords", low=1, high=10**6
    )
    search: str = parameter(
        "auto",
        "Compare all fingerprints, or those with equal blocks in permuted tables: the same pairs, at different speed",
        choices=("auto", "tables", "scan"),
    )
    max_pairs: int = parameter(
        1000, "Number of nearest pairs kept for each document; the others are counted", low=1, high=10**9
    )

    @classmethod
    def parse(cls, raw: Mapping[str, Any], call: Callable[[Option], str] = own_name) -> Self:
        """As :meth:`Parameters.parse`. Unrelated documents differ in half of the bits, so a distance for 128 bits is
        meaningless for shorter fingerprints: their own default applies if ``raw`` has none.
        """
        short = "bits" in raw and "max_distance" not in raw and str(raw["bits"]) != str(cls.bits)
        return super().parse({**raw, "max_distance": _SHORT_DISTANCE} if short else raw, call)

    @property
    def weighs_rarity(self) -> bool:
        """Whether a weight depends on the number of indexed documents with the feature."""
        return self.weights in ("idf", "keywords")
