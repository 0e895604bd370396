"""Records of the project file as shown by window and command line, re-exported for the layers above services."""

from __future__ import annotations

from workbench.methods.core.api import Contributions
from workbench.project.captures import Capture, Timestamp
from workbench.project.imports import StoredFailure
from workbench.project.listing import DocumentItem, DocumentTable
from workbench.project.pages import DECIDED, Override
from workbench.project.pairs import Pair
from workbench.project.runs import is_whole
from workbench.project.watches import Check, Watch

__all__ = [
    "DECIDED",
    "Capture",
    "Check",
    "Contributions",
    "DocumentItem",
    "DocumentTable",
    "Override",
    "Pair",
    "StoredFailure",
    "Timestamp",
    "Watch",
    "is_whole",
]
