"""Previews what an import would read, in a separate process, before anything is stored."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.base.types import Document, Role
from workbench.jobs.context import Context
from workbench.services.importing.batch import ImportOptions
from workbench.services.importing.extracting import extract_records

CHARACTERS = 20_000
"""Characters of a text shown in a preview; ``length`` is the full number."""


@dataclass(frozen=True, slots=True)
class PreviewItem:
    """One input: the beginning of its text and how it was read, or why it cannot be. ``length`` in code points.

    ``role`` is the one that the input names itself.
    """

    name: str
    document: Document | None
    length: int = 0
    error: str = ""
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class PreviewList:
    """The first inputs in order; ``complete`` says whether these are all."""

    items: tuple[PreviewItem, ...]
    complete: bool


def preview_inputs(
    ctx: Context, paths: Sequence[Path], options: ImportOptions | None = None, limit: int = 50
) -> PreviewList:
    """The first ``limit`` inputs of ``paths`` as importing them would read them. Raises ParameterError, Cancelled."""
    items: list[PreviewItem] = []
    with closing(extract_records(ctx, paths, replace(options or ImportOptions(), workers=1))) as extracted:
        for name, read in extracted:
            if len(items) == limit:
                return PreviewList(tuple(items), complete=False)
            if isinstance(read, str):
                items.append(PreviewItem(name, None, error=read))
            else:
                document = read.document
                excerpt = replace(document, text=document.text[:CHARACTERS], blocks=(), links=(), anchors=())
                items.append(PreviewItem(name, excerpt, len(document.text), role=read.role))
    return PreviewList(tuple(items), complete=True)
