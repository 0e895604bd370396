"""A second opinion on content blocks: which of them trafilatura (an extraction library) keeps."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from workbench.reading.blocks.page import Page

LONGEST = 5_000_000
"""Longest page, in characters, the library is asked about; it takes seconds per million."""

DEEPEST = 200
"""Deepest nesting of elements it is asked about; it recurses."""

_GRAM = 12


def trafilatura_rule(page: Page, markup: str) -> Sequence[bool] | None:
    """Whether the library keeps each leaf of ``page``, in order; None if it was not asked or failed."""
    if len(markup) > LONGEST or max((e.depth for e in page.elements), default=0) > DEEPEST:
        return None
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        text = trafilatura.extract(markup, fast=True, include_comments=False)
    except Exception:  # noqa: BLE001 - whatever a library does with hostile markup, the rule stands without it
        return None
    return supported(page, text or "")


def supported(page: Page, text: str) -> list[bool]:
    """Which leaves of ``page`` occur in ``text``: at least half of their 12-character runs, or, for a short leaf, as a
    line.
    """
    lines = {_compact(line).casefold() for line in text.split("\n")}
    whole = _compact(text)
    grams = {whole[i : i + _GRAM] for i in range(len(whole) - _GRAM + 1)}
    keeps = []
    for leaf in page.leaves:
        own = _compact(page.text_of(leaf))
        if len(own) < _GRAM + 4:
            keeps.append(own.casefold() in lines or own[:_GRAM] in grams)
        else:
            runs = [own[i : i + _GRAM] in grams for i in range(0, len(own) - _GRAM + 1, _GRAM)]
            keeps.append(2 * sum(runs) >= len(runs))
    return keeps


def _compact(text: str) -> str:
    return "".join(text.split())
