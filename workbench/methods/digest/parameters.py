"""Parameters of the method ``digest``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from workbench.methods.core.api import Parameters, parameter
from workbench.text.normalisation import VARIANTS, FoldOptions, Variants


@dataclass(frozen=True)
class DigestParameters(Parameters):
    """Segments, which characters count as equal, and which runs count.

    The default rule accepts three segments in a row, like the paper, and shorter runs whose segments are together
    too unlikely to have been written twice by chance.
    """

    min_run: int = parameter(3, "Shortest sequence of equal segments", low=1, high=1000, unit="segments", paper=3)
    min_segment: int = parameter(
        5, "Segments with fewer characters after folding are ignored", low=1, high=1000, unit="characters", paper=5
    )
    rule: str = parameter(
        "either",
        "Which limit a sequence of equal segments must reach: length, surprisal, or either",
        choices=("either", "length", "surprisal"),
        paper="length",
    )
    min_surprisal: float = parameter(
        200.0, "Surprisal from which a sequence of any length counts", low=1.0, high=100000.0, unit="bits"
    )
    layout: str = parameter(
        "layout",
        "When a line end ends a segment: where the layout indicates it, never, or always",
        choices=("layout", "never", "always"),
        paper="never",
    )
    bits: int = parameter(64, "Width of a fingerprint", choices=(32, 64), unit="bits", paper=32)
    compare: str = parameter(
        "sources",
        "Suspects with sources, or all documents with each other",
        choices=("sources", "all"),
        paper="sources",
    )
    max_places: int = parameter(
        0,
        "Leave out sequences that occur more often than this in the sources; 0 for no limit",
        low=0,
        high=10**9,
        unit="places",
    )
    whole: float = parameter(
        0.9, "Share of a document that must occur in the other for it to count as contained", low=0.01, high=1.0
    )
    bridge: bool = parameter(
        True, "Continue a sequence across places where the same letters are segmented differently", paper=False
    )
    kana: bool = parameter(False, "Treat katakana as hiragana", paper=False)
    variants: str = parameter(
        "none",
        "Treat old Japanese or traditional Chinese characters as the new or simplified ones",
        choices=tuple(VARIANTS),
        paper="none",
    )
    ruby: bool = parameter(False, "Cut out Aozora Bunko readings and notes", paper=False)

    @property
    def fold_options(self) -> FoldOptions:
        """Which characters count as equal."""
        return FoldOptions(kana=self.kana, variants=cast("Variants", self.variants), ruby=self.ruby, lookalikes=True)

    @property
    def length_needed(self) -> int:
        """Segments required by the length rule; 0 if it is off."""
        return 0 if self.rule == "surprisal" else self.min_run

    @property
    def surprisal_needed(self) -> float:
        """Bits required by the surprisal rule; 0 if it is off."""
        return 0.0 if self.rule == "length" else self.min_surprisal
