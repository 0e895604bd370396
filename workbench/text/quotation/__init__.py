"""Quotations, reference lists and notes of a text: where they are, and what says so."""

from __future__ import annotations

from workbench.text.quotation.recognising import Citation, CitationKind, citations

__all__ = ["Citation", "CitationKind", "citations"]
