"""Parameters of the method ``trustable-lcs``, and the reasons by which it counts excluded documents and pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from workbench.base.messages import Message
from workbench.methods.core.api import Parameters, parameter
from workbench.methods.digest.parameters import DigestParameters
from workbench.text.normalisation import VARIANTS, FoldOptions, Variants

WITHOUT = Message("documents without any fingerprint")
DROPPED = Message("fingerprints in too many documents")
MORE = Message("documents with more candidates than the limit")
REFUSED = {
    Message("skeleton bound"): Message("candidates refused by their skeletons"),
    Message("longest stretch"): Message("candidates that differ over too long a stretch"),
    "slope": Message("candidates without a trustable region"),
    "thresholds": Message("candidates below both thresholds"),
    Message("languages"): Message("candidates that differ in language"),
}
"""Reasons by the step (``pair.Step``) that rejected a candidate."""


@dataclass(frozen=True)
class TrustableParameters(Parameters):
    """Candidates (Huang, Wang and Li, 2007, section 4.2), filter skeleton (4.3), edit script and trustable region
    (4.4), thresholds."""

    min_sentence: int = parameter(
        11, "Shortest sentence that counts in a fingerprint", low=1, high=1000, unit="characters", paper=11
    )
    rotations: int = parameter(
        16, "Number of orders of the sentences; each gives one fingerprint per group", low=1, high=16, paper=16
    )
    groups: int = parameter(7, "Groups of sentences in each order", low=1, high=100, paper=7)
    members: int = parameter(
        4, "Number of sentences in the group from which a fingerprint is made", low=1, high=100, paper=4
    )
    cover: int = parameter(
        100, "Total characters that these sentences must exceed", low=0, high=100000, unit="characters", paper=100
    )
    short_pages: bool = parameter(
        True, "A page with too few sentences for all groups also gets fingerprints of single sentences", paper=False
    )
    rare_documents: int = parameter(
        10,
        "Pages that share a sentence found in at most this many documents are also candidates; 0: not by sentences",
        low=0,
        high=10**6,
        unit="documents",
        paper=0,
    )
    windows: int = parameter(
        32,
        "Number of windows of letters by which a page finds candidates, in addition to its rare sentences",
        low=0,
        high=1000,
        paper=0,
    )
    max_documents: int = parameter(
        10000, "Fingerprints that occur in more documents are dropped", low=2, high=10**9, unit="documents", paper=10000
    )
    template_documents: int = parameter(
        400,
        "Fingerprints that occur in more documents are dropped if they are on few sites",
        low=2,
        high=10**9,
        paper=400,
    )
    template_sites: int = parameter(
        10, "Fewer sites than this count as few", low=0, high=10**6, unit="sites", paper="a minority"
    )
    transitive: bool = parameter(True, "Also gather the members of each candidate", paper=True)
    max_candidates: int = parameter(
        100,
        "Maximum number of candidates compared with one page; pages with more are counted",
        low=1,
        high=100000,
        paper=100000,
    )
    window: int = parameter(
        4,
        "Window of the filter skeleton in East Asian characters; twice as long in letters of an alphabet",
        low=1,
        high=1000,
        unit="characters",
        paper=8,
    )
    fold: bool = parameter(True, "Ignore differences of width, case and white space", paper=False)
    variants: str = parameter(
        "both",
        "Treat old Japanese or traditional Chinese characters as the new or simplified ones",
        choices=tuple(VARIANTS),
        paper="none",
    )
    max_stretch: int = parameter(
        200000,
        "Pairs that differ completely over longer stretches are left out and counted",
        low=1000,
        high=1000000,
        unit="characters",
    )
    block: int = parameter(16, "Blocks to search for a trustable region", low=1, high=10000, unit="characters")
    slope: float = parameter(0.3, "Edits per character allowed in a trustable region", low=0.0, high=2.0, paper=0.10)
    max_regions: int = parameter(
        50,
        "Number of trustable regions to look for, to find moved and revised paragraphs; always one for pages "
        "of one site or in different languages",
        low=1,
        high=1000,
        paper=1,
    )
    min_gain: int = parameter(
        12,
        "Each further region must have at least this many East Asian characters in common; twice as many letters of an "
        "alphabet",
        low=1,
        high=10**6,
        unit="characters",
    )
    min_resemblance: float = parameter(
        0.18, "Resemblance at which pages are near-duplicates", low=0.0, high=1.01, paper=0.28
    )
    min_containment: float = parameter(
        0.7, "Containment, in either direction, at which they count as near-duplicates", low=0.0, high=1.01, paper=0.7
    )
    translations: bool = parameter(
        False,
        "Also compare pages in different languages, which may share code, names and untranslated parts",
        paper=True,
    )

    @property
    def sentences(self) -> DigestParameters:
        """Parameters for cutting texts into sentences and fingerprinting these."""
        return DigestParameters(min_segment=self.min_sentence, variants=self.variants)

    @property
    def fold_options(self) -> FoldOptions | None:
        """Which single characters count as equal; None for none."""
        if not self.fold and self.variants == "none":
            return None
        variants = cast("Variants", self.variants)
        return FoldOptions(nfkc=self.fold, case=self.fold, symbols=False, spaces=False, variants=variants)
