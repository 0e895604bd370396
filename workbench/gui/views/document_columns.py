"""The columns and chips of the table of documents."""

from __future__ import annotations

from workbench.base.types import Role
from workbench.gui.i18n import tr
from workbench.gui.models.columns import Column, whole
from workbench.gui.words import role_word


def chip_words() -> dict[str, str]:
    """What can be shown: all, one role, or the inputs that failed."""
    return {
        "all": tr("All"),
        Role.SUSPECT.value: tr("Suspects"),
        Role.SOURCE.value: tr("Sources"),
        Role.BACKGROUND.value: tr("Background"),
        "failed": tr("Failed"),
    }


def document_columns() -> list[Column]:
    """Title first; the columns from the passages on are hidden where no document has a value."""
    return [
        Column("title", tr("Title")),
        Column("role", tr("Role"), role_word, width=96),
        Column("language_word", tr("Language"), width=88),
        Column("length", tr("Characters"), whole, numeric=True, width=100),
        Column(
            "matches",
            tr("Passages"),
            whole,
            numeric=True,
            width=90,
            tip=tr("Passages of the latest run that stand in it"),
        ),
        Column(
            "blocks", tr("Blocks"), str, width=96, tip=tr("Blocks that count as content, of all blocks of the page")
        ),
        Column("site", tr("Site"), width=120),
        Column("published", tr("Date"), width=104),
        Column("label", tr("Label"), width=90),
    ]
