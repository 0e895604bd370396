"""Layers of the two texts themselves: what they quote, what other documents hold, too, and what was compared of them.

Each is worked out off the window's thread when it is switched on, and kept while its pair is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from workbench.base.types import Document, Ints, Span
from workbench.gui.document.notes import Note
from workbench.gui.i18n import say, tr, trn
from workbench.gui.screens.review.elsewhere_dialog import ElsewhereDialog
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import Opened
from workbench.gui.workspace.context import AppContext
from workbench.services.review.common_phrases import Holders, find_holders_of_each, letters
from workbench.services.review.compared import Compared, Reading, compared_sides
from workbench.text.quotation import Citation, CitationKind, citations
from workbench.text.segmenting.segmentation import segments

CITED, SPREAD, COMPARED = "cited", "spread", "compared"
STEPS = (1, 9)
"""At most so many other documents hold a stretch of level 1, and of level 2."""
_SHORTEST = 8
"""Letters of the shortest sentence that is looked for in other documents."""
Readings = NDArray[np.uint8]
_SIGNS = {
    CitationKind.QUOTATION: "“",
    CitationKind.BLOCK_QUOTATION: "“",
    CitationKind.REFERENCES: "§",
    CitationKind.NOTE: "†",
}


class TextLayers(QObject):
    """Shows the layers that are switched on in both panes of ``pair``."""

    def __init__(self, context: AppContext, pair: PairPanel) -> None:
        super().__init__(pair)
        self._context, self._pair = context, pair
        self._folding = QObject(self)
        """Asks what was compared."""
        self._of: Opened | None = None
        self._requested: set[str] = set()
        pair.left.note_clicked.connect(partial(self._show_holders, True))
        pair.right.note_clicked.connect(partial(self._show_holders, False))
        pair.pair_shown.connect(self._begin)
        pair.toolbar.layers_changed.connect(lambda _layers: self._follow())

    def _begin(self) -> None:
        """Another pair is shown, or the same one anew: nothing is known of its texts."""
        self._of, self._requested = self._pair.opened, set()
        self._context.asides.drop(self)
        self._context.asides.drop(self._folding)
        self._follow()

    def _follow(self) -> None:
        opened, shown = self._of, self._pair.toolbar.shown_layers()
        if opened is None:
            return
        for name, ask in ((CITED, self._ask_cited), (SPREAD, self._ask_spread), (COMPARED, self._ask_compared)):
            if name in shown and name not in self._requested:
                self._requested.add(name)
                ask(opened)
            elif name not in shown and name in self._requested:
                self._requested.discard(name)
                self._clear(name)

    def _clear(self, name: str) -> None:
        if name in (SPREAD, COMPARED):
            self._context.asides.drop(self if name == SPREAD else self._folding)
        for view in (self._pair.left, self._pair.right):
            if name == COMPARED:
                view.set_compared(None, None)
            else:
                view.set_notes(name, ())

    def _wanted(self, opened: Opened, name: str) -> bool:
        """Whether an answer on ``opened`` is still asked for."""
        return self._of is opened and name in self._requested

    # -- what is quoted

    def _ask_cited(self, opened: Opened) -> None:
        def read(_session: object) -> tuple[list[Citation], list[Citation]]:
            return citations(opened.a.text, opened.a.blocks), citations(opened.b.text, opened.b.blocks)

        def show(cited: tuple[list[Citation], list[Citation]]) -> None:
            if self._wanted(opened, CITED):
                self._pair.left.set_notes(CITED, cited_notes(cited[0]))
                self._pair.right.set_notes(CITED, cited_notes(cited[1]))
                self._pair.toolbar.show_count(CITED, sum(map(len, cited)))

        self._context.background(read, show, owner=self)

    # -- what other documents hold, too

    def _ask_spread(self, opened: Opened) -> None:
        """Each sentence of both texts; sentences that are too short to say anything are left out."""

        def cut(_session: object) -> list[tuple[int, Ints]]:
            return [(d.key, _sentences(d)) for d in (opened.a, opened.b)]

        def ask(passages: list[tuple[int, Ints]]) -> None:
            if self._wanted(opened, SPREAD) and self._context.project is not None:
                show = partial(self._show_spread, opened, passages)
                self._context.aside(self, find_holders_of_each, self._context.project, passages, done=show)

        self._context.say(tr("Counting which other documents hold each sentence…"))
        self._context.background(cut, ask, owner=self)

    def _show_spread(self, opened: Opened, passages: list[tuple[int, Ints]], by_side: list[Holders]) -> None:
        if not self._wanted(opened, SPREAD):
            return
        others = (opened.b.key, opened.a.key)
        for view, (_, sentences), holders, other in zip(
            (self._pair.left, self._pair.right), passages, by_side, others, strict=True
        ):
            counts = [len(holders.beside(number, other)) for number in range(len(sentences))]
            view.set_notes(SPREAD, spread_notes(sentences, counts))

    def _show_holders(self, in_suspect: bool, start: int, end: int) -> None:
        """List the other documents that hold this stretch."""
        opened = self._pair.opened
        if opened is not None:
            document = opened.a if in_suspect else opened.b
            passage = document.text[start:end]
            ElsewhereDialog(self._context, passage, document, Span(start, end), self._pair.window()).open()

    # -- what was compared

    def _ask_compared(self, opened: Opened) -> None:
        run = opened.run

        def show(sides: list[Compared]) -> None:
            if self._wanted(opened, COMPARED):
                for view, side in zip((self._pair.left, self._pair.right), sides, strict=True):
                    view.set_compared(side.shown, _visible_readings(side))

        texts = [(d.text, tuple(d.blocks)) for d in (opened.a, opened.b)]
        self._context.aside(self._folding, compared_sides, texts, run.method, run.parameters, done=show)


def _sentences(document: Document) -> Ints:
    """Starts and ends of the sentences that are long enough, int64[n, 2]."""
    sentences = segments(document.text, blocks=document.blocks)
    long = [span for span in sentences if len(letters(document.text[span.start : span.end])) >= _SHORTEST]
    return np.array(long, np.int64).reshape(-1, 2)


def _visible_readings(side: Compared) -> Readings:
    """As the readings of ``side``; white space that was left out is not struck through, so that words can be read."""
    codes = np.frombuffer(side.shown.encode("utf-32-le", "surrogatepass"), "<u4")
    space = np.isin(codes, [ord(character) for character in set(side.shown) if character.isspace()])
    return np.where(space, np.uint8(Reading.SAME), side.readings)


def cited_notes(cited: Sequence[Citation]) -> list[Note]:
    """Each citation with what it is and what says so."""
    names = {
        CitationKind.QUOTATION: tr("Quotation"),
        CitationKind.BLOCK_QUOTATION: tr("Quotation set apart"),
        CitationKind.REFERENCES: tr("References"),
        CitationKind.NOTE: tr("Note"),
    }
    return [Note(*c.span, f"{names[c.kind]}: {say(c.why)}", sign=_SIGNS[c.kind]) for c in cited]


def spread_notes(stretches: Ints, counts: Sequence[int]) -> list[Note]:
    """The n stretches (int64[n, 2]) that others hold, too, by how many: ``counts`` are parallel to them."""
    return [
        Note(
            start,
            end,
            trn("Also in {count} other document", "Also in {count} other documents", count),
            level=1 + sum(count > step for step in STEPS),
        )
        for (start, end), count in zip(stretches.tolist(), counts, strict=True)
        if count
    ]
