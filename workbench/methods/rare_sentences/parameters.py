"""Parameters of the method ``rare-sentences``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from workbench.methods.core.api import parameter
from workbench.methods.core.token_parameters import FoldParameters
from workbench.methods.rare_sentences.relations import Thresholds
from workbench.text.normalisation import FoldOptions


@dataclass(frozen=True)
class RareSentencesParameters(FoldParameters):
    """Which sentences count, and the thresholds of the decision tree."""

    min_length: int = parameter(
        20, "Sentences with fewer characters after folding are ignored", low=1, high=1000, unit="characters", paper=20
    )
    max_documents: int = parameter(
        10, "Sentences that occur in more documents form no pairs", low=2, high=10**6, unit="documents", paper=10
    )
    copies_as_one: bool = parameter(True, "Count near-identical pages as one document toward that limit", paper=False)
    min_sentences: int = parameter(
        1, "Number of shared sentences at which a pair counts", low=1, high=1000, unit="sentences", paper=1
    )
    identical: float = parameter(
        0.6, "Two pages are identical above this common share of both texts (R)", low=0.0, high=1.0, paper=0.6
    )
    inclusion: float = parameter(
        0.5,
        "One page contains the other above this common share of the smaller text (Simpson)",
        low=0.0,
        high=1.0,
        paper=0.5,
    )
    similar_url: float = parameter(
        0.0, "Two pages belong together above this similarity of their addresses", low=0.0, high=1.0, paper=0.0
    )
    top_level: bool = parameter(
        True, "Ignore every top-level domain when addresses are compared, not only those in the thesis", paper=False
    )
    symbols: bool = parameter(True, "Leave punctuation and symbols out of sentences and their length", paper=False)
    site_evidence: bool = parameter(
        True, "Relate pages using all pages of their hosts and when they were seen, not each pair alone", paper=False
    )
    anchors: str = parameter(
        "prose",
        "Treat consecutive links as ordinary text (prose), or as one sentence each unless enough documents "
        "contain the whole sequence (joined)",
        choices=("prose", "joined"),
        paper="joined",
    )
    min_compound: int = parameter(
        2,
        "Number of documents that must contain a sequence of links for it to count as one sentence",
        low=1,
        high=10**6,
        unit="documents",
    )
    min_particles: float = parameter(
        0.0,
        "Minimum share of the particles が, を, に, は, の and で in a page's characters; pages below it are not "
        "Japanese and are left out",
        low=0.0,
        high=1.0,
        paper=0.005,
    )
    layout: str = parameter(
        "layout",
        "When a line end ends a sentence: where the layout indicates it, never, or always",
        choices=("layout", "never", "always"),
        paper="always",
    )

    @property
    def fold_options(self) -> FoldOptions:
        """Which characters count as equal."""
        return replace(super().fold_options, symbols=self.symbols)

    @cached_property
    def thresholds(self) -> Thresholds:
        """The thresholds of the decision tree."""
        return Thresholds(self.identical, self.inclusion, self.similar_url)
