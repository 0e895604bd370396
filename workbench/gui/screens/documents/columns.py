"""The columns and chips of the table of documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from workbench.base.messages import percent
from workbench.base.tags import shown
from workbench.base.types import Role
from workbench.gui.i18n import tr
from workbench.gui.kit.columns import Column, Values, whole
from workbench.gui.kit.words import language_word, of_other_text, role_word
from workbench.services.queries import DocumentsPage
from workbench.services.review.judgement import CONFLICT


def chip_words() -> dict[str, str]:
    """The filters: all, one role, unusual characters, or failed inputs."""
    return {
        "all": tr("All"),
        Role.SUSPECT.value: tr("Suspects"),
        Role.SOURCE.value: tr("Sources"),
        Role.BACKGROUND.value: tr("Background"),
        "unusual": tr("Unusual characters"),
        "failed": tr("Failed"),
    }


class DocumentColumn(NamedTuple):
    """A column of the table, and a function for its ``values``: one per document, in the order of the document table.

    The text filter searches it if ``searched``; if ``optional``, it is hidden unless a document has a value.
    """

    column: Column
    values: Callable[[DocumentsPage], Values]
    searched: bool = False
    optional: bool = False


def document_columns() -> list[DocumentColumn]:
    """The columns from left to right, the title first."""
    matches = tr("Matches of the latest run in this document; – if it was not applied to the document")
    certainty = tr("Average certainty of text read from pictures")
    blocks = tr("Content blocks out of all blocks of the page")
    return [
        DocumentColumn(Column("title", tr("Title")), _titles, searched=True),
        DocumentColumn(Column("role", tr("Role"), role_word, width=96), lambda page: page.table.role),
        DocumentColumn(
            Column("language_word", tr("Language"), width=88),
            _languages,
            searched=True,
        ),
        DocumentColumn(
            Column("length", tr("Characters"), whole, numeric=True, width=100), lambda page: page.table.length
        ),
        DocumentColumn(
            Column("matches", tr("Matches"), whole, numeric=True, width=90, blank="–", tip=matches),
            _matches,
            optional=True,
        ),
        DocumentColumn(Column("blocks", tr("Blocks"), _block_words, width=96, tip=blocks), _blocks, optional=True),
        DocumentColumn(
            Column(
                "unusual", tr("Unusual"), whole, numeric=True, width=84, tip=tr("Characters that may hide something")
            ),
            lambda page: page.table.unusual,
            optional=True,
        ),
        DocumentColumn(
            Column("ocr", tr("OCR"), _sure, numeric=True, width=76, tip=certainty),
            lambda page: page.table.ocr,
            optional=True,
        ),
        DocumentColumn(Column("site", tr("Site"), width=120), lambda page: page.table.site, True, True),
        DocumentColumn(
            Column("published", tr("Date"), _day, width=104),
            lambda page: page.table.published,
            optional=True,
        ),
        DocumentColumn(Column("tags", tr("Tags"), width=120), _tags, True, True),
        DocumentColumn(Column("label", tr("Label"), width=90), _labels, True, True),
    ]


def _titles(page: DocumentsPage) -> Values:
    return [title or name for title, name in zip(page.table.title, page.table.id, strict=True)]


def _matches(page: DocumentsPage) -> Values:
    """Counts; NaN for documents that were not compared, of which 0 would say that nothing was found."""
    counts = page.table.matches
    return np.where((counts == 0) & np.isin(page.table.key, page.later), np.nan, counts) if counts.any() else counts


def _languages(page: DocumentsPage) -> Values:
    words = {code: language_word(code) for code in set(page.table.language)}
    return [words[code] for code in page.table.language]


def _tags(page: DocumentsPage) -> Values:
    return [shown(tags) for tags in page.table.tags]


def _labels(page: DocumentsPage) -> Values:
    words = {label: tr("Conflict") if label == CONFLICT else label for label in set(page.labels)}
    return [
        of_other_text(words[label]) if of_other else words[label]
        for label, of_other in zip(page.labels, page.of_others or [False] * len(page.labels), strict=True)
    ]


def _day(date: str) -> str:
    """The day of an ISO 8601 time."""
    return date[:10]


def _sure(percents: int) -> str:
    return percent(percents / 100) if percents else ""


def _blocks(page: DocumentsPage) -> Values:
    pairs = zip(page.table.blocks_kept.tolist(), page.table.blocks.tolist(), strict=True)
    return [(kept, n) if n else None for kept, n in pairs]


def _block_words(blocks: tuple[int, int]) -> str:
    kept, n = blocks
    return f"{kept:,} / {n:,}"
