"""Parameters shared by several methods: which documents are compared, which characters count as equal, and what a
token is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from workbench.methods.core.api import Parameters, parameter
from workbench.text.normalisation import VARIANTS, FoldOptions, Variants
from workbench.text.segmenting.chinese import segmenter_version
from workbench.text.tokens import Tokens


@dataclass(frozen=True)
class FoldParameters(Parameters):
    """Which documents are compared, and which characters count as equal."""

    compare: str = parameter(
        "all", "Suspects with sources, or all documents with each other", choices=("all", "sources")
    )
    kana: bool = parameter(False, "Treat katakana as hiragana")
    variants: str = parameter(
        "none",
        "Treat old Japanese or traditional Chinese characters as the new or simplified ones",
        choices=tuple(VARIANTS),
    )
    ruby: bool = parameter(False, "Cut out Aozora Bunko readings and notes")

    @property
    def fold_options(self) -> FoldOptions:
        """Which characters count as equal."""
        return FoldOptions(kana=self.kana, variants=cast("Variants", self.variants), ruby=self.ruby)

    @property
    def token_key(self) -> str:
        """Identifies the settings for equal characters; part of an index key."""
        return f"{self.kana:d}-{self.variants}-{self.ruby:d}"


_TOKENS = (
    "Characters; words; auto: words where the script has spaces and characters elsewhere; segmented: the same, with "
    "Chinese cut into words by a dictionary (optional part palimpsest[chinese]); letters: every five consecutive "
    "letters where the script has spaces, and characters elsewhere"
)
_CHOICES = ("auto", "characters", "words", "segmented", "letters")


@dataclass(frozen=True)
class TokenParameters(FoldParameters):
    """The same, and the definition of a token."""

    tokens: str = parameter("auto", _TOKENS, choices=_CHOICES)

    @property
    def token_key(self) -> str:
        """Identifies the settings of tokens; part of an index key. Raises UserError if they need an optional part
        that is not installed.
        """
        dictionary = f"-{segmenter_version()}" if self.tokens == Tokens.SEGMENTED else ""
        return f"{self.tokens}{dictionary}-{super().token_key}"


@dataclass(frozen=True)
class LetterParameters(TokenParameters):
    """The same, with tokens of letters, so that a changed letter does not change a whole word."""

    tokens: str = parameter("letters", _TOKENS, choices=_CHOICES, paper="auto")
