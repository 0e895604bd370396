"""Quotations, reference lists and notes of a text: where they are, and how they were recognised."""

from __future__ import annotations

from workbench.text.quotation.marks import MARKS
from workbench.text.quotation.recognising import Citation, CitationKind, citations

__all__ = ["MARKS", "Citation", "CitationKind", "citations"]
