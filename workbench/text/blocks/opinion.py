"""A second opinion on content blocks: which of them trafilatura (an extraction library) keeps."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from workbench.text.blocks.page import Page

LONGEST = 5_000_000
"""Characters of a page up to which the library is asked; it takes seconds for each million."""

DEEPEST = 200
"""Nested elements up to which it is asked; it recurses."""

_GRAM = 12


def opinion(page: Page, markup: str) -> Sequence[bool] | None:
    """Whether the library keeps each leaf of ``page``, in order; None where it was not asked or failed."""
    if len(markup) > LONGEST or max((e.depth for e in page.elements), default=0) > DEEPEST:
        return None
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        text = trafilatura.extract(markup, fast=True, include_comments=False)
    except Exception:  # noqa: BLE001 - whatever a library does with hostile markup, the rule stands without it
        return None
    return kept(page, text or "")


def kept(page: Page, text: str) -> list[bool]:
    """Which leaves of ``page`` ``text`` has: half of their runs of 12 characters, or a line for a short leaf."""
    lines = {_compact(line).casefold() for line in text.split("\n")}
    whole = _compact(text)
    grams = {whole[i : i + _GRAM] for i in range(len(whole) - _GRAM + 1)}
    found = []
    for leaf in page.leaves:
        own = _compact(page.text_of(leaf))
        if len(own) < _GRAM + 4:
            found.append(own.casefold() in lines or own[:_GRAM] in grams)
        else:
            runs = [own[i : i + _GRAM] in grams for i in range(0, len(own) - _GRAM + 1, _GRAM)]
            found.append(2 * sum(runs) >= len(runs))
    return found


def _compact(text: str) -> str:
    return "".join(text.split())
