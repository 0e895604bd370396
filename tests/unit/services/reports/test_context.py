"""The text beside a passage of a report."""

from __future__ import annotations

from workbench.base.types import Block, BlockClass, Document, Span
from workbench.services.reports.data import side

LINES = ("The end of a page.", "Running head 7", "The copied words.", "Menu", "What follows.")


def test_the_context_of_a_passage_has_no_running_heads_or_menus() -> None:
    text, blocks = "", []
    for line in LINES:
        verdict = BlockClass.NON_CONTENT if line in ("Running head 7", "Menu") else BlockClass.CONTENT
        blocks.append(Block(Span(len(text), len(text) + len(line)), verdict=verdict))
        text += line + "\n"
    passage = side(Document("d", text, blocks=tuple(blocks)), blocks[2].span, [])
    assert (passage.before.split(), passage.after.split()) == (LINES[0].split(), LINES[4].split())
    assert passage.pieces[0].text == LINES[2]
