"""Parameters of the method ``initials``."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workbench.methods.core.api import Parameters, parameter


@dataclass(frozen=True)
class InitialsParameters(Parameters):
    """Windows, fingerprints and their comparison, and which passages count.

    A copy is found if it contains one of its source's windows, that is, if it has at least window · (2 - overlap)
    letters, with up to distance / 2 letters replaced, missing or added within that window. Punctuation, spaces and
    digits are not letters, so the paper's 64 letters miss most copies shorter than 110 characters; 24 letters find
    copies from about 42 letters on. On altered passages of 40 to 150 characters from statutes not used for tuning
    (tests/golden/initials_held_out.py), 16 and 24 letters find 0.998, 32 find 0.926, 64 find 0.360. Of the matches,
    0.910, 0.957, 0.970 and 0.996 have a similarity of 0.95 or more before the alteration, nearly all of 0.85: with
    short windows, matches extend slightly too far.
    """

    window: int = parameter(24, "Letters of a window", low=8, high=1000, unit="letters", paper=64)
    overlap: int = parameter(50, "Overlap of the windows of a source", low=0, high=95, unit="percent", paper=50)
    step: int = parameter(
        1,
        "Letters between the starts of consecutive windows of an examined document",
        low=1,
        high=1000,
        unit="letters",
        paper=32,
    )
    levels: int = parameter(8, "Number of levels of a letter's frequency", choices=(10, 8, 4, 2), paper=10)
    letters: int = parameter(
        20,
        "Number of letters counted (those that vary most), at most as many as fit in 64 bits (19 at 10 levels)",
        low=8,
        high=26,
        paper=20,
    )
    reference: str = parameter(
        "sources",
        "Reference for frequencies: the indexed documents, or modern Chinese",
        choices=("sources", "chinese"),
        paper="chinese",
    )
    distance: int = parameter(2, "Largest L1 distance at which fingerprints match", low=0, high=6, unit="levels")
    variety: int = parameter(
        6,
        "Number of different letters a window needs, at most a quarter of its letters",
        low=1,
        high=26,
        unit="letters",
    )
    max_places: int = parameter(
        1000, "A window that matches more windows than this is not used", low=1, high=10**9, unit="places"
    )
    min_votes: int = parameter(1, "Pairs of windows that must agree on a passage", low=1, high=1000, unit="windows")
    max_difference: float = parameter(
        0.2, "Share of a passage that may differ; characters that sound alike count as equal", low=0.0, high=0.5
    )
    gap: int = parameter(
        32, "Parts with at most this many characters between them are one passage", low=0, high=1000, unit="characters"
    )
    min_length: int = parameter(
        32, "Shortest passage, without punctuation and spaces", low=8, high=100_000, unit="characters"
    )
    compare: str = parameter(
        "sources", "Suspects with sources, or all documents with each other", choices=("sources", "all")
    )
    ruby: bool = parameter(False, "Cut out Aozora Bunko readings and notes")

    @property
    def stride(self) -> int:
        """Letters between the starts of successive windows of an indexed document."""
        return max(1, round(self.window * (100 - self.overlap) / 100))

    @property
    def fewest(self) -> int:
        """Minimum number of different letters in a window; texts of fewer letters would match everywhere."""
        return max(1, min(self.variety, self.window // 4))

    @property
    def used(self) -> int:
        """The requested number of letters, or fewer if they do not fit a 64-bit fingerprint."""
        return min(self.letters, int(64 / math.log2(self.levels)))
