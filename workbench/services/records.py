"""Records of the project file as window and command line show them, under one name for all that is above services."""

from __future__ import annotations

from workbench.project.captures import Capture, Timestamp
from workbench.project.imports import StoredFailure
from workbench.project.listing import DocumentItem, DocumentTable
from workbench.project.pages import DECIDED, Override
from workbench.project.pairs import Pair
from workbench.project.watches import Check, Watch

__all__ = [
    "DECIDED",
    "Capture",
    "Check",
    "DocumentItem",
    "DocumentTable",
    "Override",
    "Pair",
    "StoredFailure",
    "Timestamp",
    "Watch",
]
