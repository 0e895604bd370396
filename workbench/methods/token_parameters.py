"""Parameters that the sketching methods share: tokens, what is made equal, and which documents meet."""

from __future__ import annotations

from typing import Any, Protocol, cast

from workbench.methods.api import parameter
from workbench.text.normalisation import FoldOptions, Variants


class TokenSettings(Protocol):
    """The parameters that decide the tokens of a text."""

    @property
    def tokens(self) -> str:
        """One of ``workbench.text.tokens.Tokens``."""

    @property
    def kana(self) -> bool:
        """Whether katakana is treated as hiragana."""

    @property
    def variants(self) -> str:
        """Which old character forms are made equal to the new ones."""

    @property
    def ruby(self) -> bool:
        """Whether Aozora Bunko readings and notes are cut out."""


def fold_options(settings: TokenSettings) -> FoldOptions:
    """What is made equal between characters."""
    return FoldOptions(kana=settings.kana, variants=cast("Variants", settings.variants), ruby=settings.ruby)


def token_key(settings: TokenSettings) -> str:
    """Names the parameters that decide the tokens; part of an index key."""
    return f"{settings.tokens}-{settings.kana:d}-{settings.variants}-{settings.ruby:d}"


def tokens_parameter() -> Any:
    """The field ``tokens``."""
    return parameter(
        "auto",
        "Characters, words, or words where the script has spaces and characters where it has none",
        choices=("auto", "characters", "words"),
    )


def compare_parameter() -> Any:
    """The field ``compare``."""
    return parameter("all", "All documents with each other, or suspects with sources", choices=("all", "sources"))


def kana_parameter() -> Any:
    """The field ``kana``."""
    return parameter(False, "Treat katakana as hiragana")


def variants_parameter() -> Any:
    """The field ``variants``."""
    return parameter(
        "none",
        "Make old Japanese or traditional Chinese characters equal to the new ones",
        choices=("none", "kyujitai", "simplified"),
    )


def ruby_parameter() -> Any:
    """The field ``ruby``."""
    return parameter(False, "Cut out Aozora Bunko readings and notes")
