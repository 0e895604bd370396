"""How one page links to another."""

from __future__ import annotations

from workbench.base.types import Document
from workbench.reading.web.urls import canonical


def anchor_texts(document: Document, url: str) -> list[str]:
    """The distinct texts under which ``document`` links to ``url``, in order; none if ``url`` is not the address of a
    page."""
    target = canonical(url)
    if not target:
        return []
    texts = (document.text[a.span.start : a.span.end] for a in document.anchors if canonical(a.address) == target)
    return list(dict.fromkeys(texts))
