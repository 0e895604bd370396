"""Text that was read from pictures, in words, and in the evidence of matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.messages import Counted, Message
from workbench.base.percent import percent
from workbench.base.places import RECOGNISED
from workbench.base.types import Extraction

_WITH_PICTURES = ("docx", "pptx", "odt", "epub")
"""Formats of texts that may have pictures of more text."""


def in_words(extraction: Extraction) -> Message | None:
    """*read from a picture, 91 % sure*; None for text that was not."""
    pages = sum(1 for sure in extraction.ocr if sure)
    if not pages:
        return None
    sure = percent(extraction.confidence / 100)
    if extraction.format in _WITH_PICTURES:
        pictures = Counted("text of {count} picture", "text of {count} pictures", pages)
        return Message("with {pictures}, {share} sure", pictures=pictures, share=sure)
    if len(extraction.ocr) == 1:
        return Message("read from a picture, {share} sure", share=sure)
    return Message(
        "{count} of {pages} pages read from pictures, {share} sure", count=pages, pages=len(extraction.ocr), share=sure
    )


def is_recognised(evidence: Mapping[str, Any]) -> bool:
    """Whether a match with this evidence is in text that was read from a picture."""
    return bool(evidence.get(RECOGNISED, 0) > 0)
