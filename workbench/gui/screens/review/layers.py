"""The layers on both texts: differences, words, common phrases, quotations, the text as compared."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from workbench.base.evidence import is_translation
from workbench.base.types import Document, Ints, Span, Tier
from workbench.gui.document.notes import Note
from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.evidence_words import length_words
from workbench.gui.kit.pauses import after_pause
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.pair_data import PairData, edits_of
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.questions import ElsewhereDialog
from workbench.gui.workspace.context import AppContext
from workbench.services.relations.earlier import Chain, find_earlier_sources
from workbench.services.review.common_phrases import Holders, find_holders, find_holders_of_each, letters
from workbench.services.review.compared import Compared, Reading, compared_sides
from workbench.services.review.differences import Edit
from workbench.services.review.word_marks import WordMark, outside_gaps, same_but_for_script, word_marks
from workbench.text.quotation import Citation, CitationKind, citations
from workbench.text.segmenting.segmentation import segments


class EditLayer(QObject):
    """Shows the differences of the active match in ``pair`` and in ``evidence``, once they are known."""

    def __init__(self, context: AppContext, pair: PairPanel, evidence: EvidencePanel) -> None:
        super().__init__(pair)
        self._context, self._pair, self._evidence = context, pair, evidence
        self._of: PairData | None = None
        self._known: dict[int, list[Edit]] = {}
        self._requested = False
        pair.active_changed.connect(lambda _number: self._follow())

    def _follow(self) -> None:
        opened, number = self._pair.opened, self._pair.active
        if opened is None or number < 0 or self._pair.edits is not None:
            return
        if not opened.has_matches_of(self._of):
            self._of, self._known = opened, {}
        if number in self._known:
            self._pair.show_edits(self._known[number])
            self._evidence.show_edits(self._known[number])
        # One request at a time; a match that became active meanwhile follows when the answer has arrived.
        elif not self._requested:
            self._requested = True
            self._context.background(
                lambda _session: edits_of(opened, number),
                lambda edits: self._arrived(opened, number, edits),
                owner=self,
                failed=self._failed,
            )

    def _arrived(self, opened: PairData, number: int, edits: list[Edit]) -> None:
        self._requested = False
        if opened.has_matches_of(self._of):
            self._known[number] = edits
        self._follow()

    def _failed(self, error: Exception) -> None:
        self._requested = False
        self._context.show_error(error)


AHEAD = 20_000
"""Maximum number of characters, on both sides, in one request: for the active match and the next ones.

Ten times as many would block the window for 20 ms while the answer is unpacked.
"""


class WordLayer(QObject):
    """Shows the marks of the active match in ``pair`` and in ``evidence``, once they are known."""

    def __init__(self, context: AppContext, pair: PairPanel, evidence: EvidencePanel) -> None:
        super().__init__(pair)
        self._context, self._pair, self._evidence = context, pair, evidence
        self._of: PairData | None = None
        self._known: dict[int, list[WordMark]] = {}
        self._requested: tuple[int, ...] = ()
        self._unknown = False
        """Whether a request failed: then the differences are shown."""
        pair.active_changed.connect(lambda _number: self._follow())
        pair.toolbar.layers_changed.connect(lambda _layers: self._follow())

    @property
    def waiting(self) -> bool:
        """Whether marks are pending."""
        return bool(self._requested)

    def _follow(self) -> None:
        opened, number = self._pair.opened, self._pair.active
        if opened is None or not opened.has_matches_of(self._of):
            self._of, self._known, self._requested, self._unknown = opened, {}, (), False
        on = "words" in self._pair.toolbar.shown_layers()
        marks = self._known.get(number) if on else None
        coming = on and marks is None and not self._unknown and opened is not None and _altered(opened, number)
        self._pair.show_words(marks, coming=coming)
        self._evidence.show_words(marks, coming=coming)
        # One request at a time; a match that became active meanwhile follows when the answer has arrived.
        if coming and not self._requested and opened is not None:
            self._ask(opened, number)

    def _ask(self, opened: PairData, number: int) -> None:
        self._requested = self._next(opened, number)
        m = opened.matches
        limits = np.column_stack((m.a_start, m.a_end, m.b_start, m.b_end))[list(self._requested)]
        self._context.aside(
            self,
            word_marks,
            opened.a.text,
            opened.b.text,
            limits,
            done=lambda marks: self._arrived(opened, marks),
            failed=self._failed,
        )

    def _next(self, opened: PairData, number: int) -> tuple[int, ...]:
        """Match ``number`` and the next ones, wrapping around, as many as fit into one request."""
        m = opened.matches
        around = np.roll(np.flatnonzero(m.tier == Tier.ALTERED), -int(np.sum(m.tier[:number] == Tier.ALTERED)))
        wanted = around[~np.isin(around, list(self._known))]
        sizes = np.cumsum((m.a_end - m.a_start + m.b_end - m.b_start)[wanted])
        return tuple(wanted[: max(1, int(np.searchsorted(sizes, AHEAD, "right")))].tolist())

    def _arrived(self, opened: PairData, marks: list[list[WordMark]]) -> None:
        if opened.has_matches_of(self._of):
            for number, of_match in zip(self._requested, marks, strict=True):
                self._known[number] = outside_gaps(of_match, opened.matches.row(number))
            self._requested = ()
            self._follow()

    def _failed(self, error: Exception) -> None:
        self._requested, self._unknown = (), True
        self._follow()
        self._context.show_error(error)


def _altered(opened: PairData, number: int) -> bool:
    m = opened.matches
    return 0 <= number < len(m) and int(m.tier[number]) == Tier.ALTERED and not is_translation(m.evidence)


_PAUSE_MS = 700
"""Milliseconds after opening a suspect before all texts of the project are read for it."""


class CommonLayer(QObject):
    """Shows the other occurrences of the active match of ``pair`` in ``evidence``, once they are known."""

    def __init__(self, context: AppContext, pair: PairPanel, evidence: EvidencePanel) -> None:
        super().__init__(pair)
        self._context, self._pair, self._evidence = context, pair, evidence
        self._of: tuple[int, int] | None = None
        self._passages: dict[tuple[int, int], int] = {}
        self._spans = np.zeros((0, 2), np.int64)
        self._holders: Holders | None = None
        self._pause = after_pause(self._ask, _PAUSE_MS, self)
        pair.active_changed.connect(lambda _number: self.follow())
        context.changed.connect(self._changed)

    def follow(self) -> None:
        """Show the documents for the active match; if unknown, request those for its suspect."""
        opened, number = self._pair.opened, self._pair.active
        if opened is None or opened.whole or number < 0:
            self._evidence.show_holders("", "")
            return
        of = opened.run.id, opened.a.key
        if of != self._of or opened.limits(number)[:2] not in self._passages:
            self._of, self._holders = of, None
            # A pending answer is about other passages.
            self._context.asides.drop(self)
            self._spans = _passages(opened)
            self._passages = {(start, end): at for at, (start, end) in enumerate(self._spans.tolist())}
            self._pause.start()
        self._show(opened, number)

    def holders(self, number: int) -> tuple[int, ...]:
        """Keys of the documents that contain match ``number`` of the open pair, besides its two; () while unknown."""
        opened = self._pair.opened
        if opened is None or self._holders is None:
            return ()
        at = self._passages.get(opened.limits(number)[:2])
        return () if at is None else self._holders.beside(at, opened.b.key)

    def _in_source(self, opened: PairData, number: int) -> bool:
        """Whether the open source contains match ``number`` in the suspect's words."""
        at = self._passages.get(opened.limits(number)[:2])
        return self._holders is not None and at is not None and opened.b.key in self._holders.passages[at]

    def _changed(self, kinds: frozenset[str]) -> None:
        if "documents" in kinds:
            self._of = None
            self.follow()

    def _ask(self) -> None:
        opened = self._pair.opened
        if opened is None or self._context.project is None:
            return

        def arrived(holders: Holders) -> None:
            self._holders = holders
            self.follow()

        self._context.aside(self, find_holders, self._context.project, opened.a.key, self._spans, done=arrived)

    def _show(self, opened: PairData, number: int) -> None:
        if self._holders is None:
            self._evidence.show_holders("", "")
            return
        text = opened.passage(number)[0]
        count, others = len(self.holders(number)), self._holders.documents - 1
        equal = same_but_for_script(opened.matches.row(number), opened.a.text, opened.b.text)
        changed = not equal and not self._in_source(opened, number)
        altered = changed and not is_translation(opened.matches.evidence)
        length = length_words(text, opened.a.language, changed=altered)
        words = _spread_words(length, count, others, changed=changed)
        if not count:
            self._evidence.show_holders(words, "")
            return
        common = count > self._context.settings.common_from
        link = trn("Show the {count} document", "Show the {count} documents", count)
        self._evidence.show_holders(words, link, common=common)


def _spread_words(length: str, count: int, others: int, *, changed: bool) -> str:
    """The ``length``, and that ``count`` of the ``others`` contain it; ``changed``: whether its source differs."""
    if not others:
        return tr("{length}; the project has no other document to search", length=length)
    if not count and changed:
        return trn(
            "{length}; the {count} other document does not contain it verbatim",
            "{length}; none of {count} other documents contains it verbatim",
            others,
            length=length,
        )
    if not count:
        return trn(
            "{length} that occurs nowhere else in {count} other document",
            "{length} that occurs nowhere else in {count} other documents",
            others,
            length=length,
        )
    total = f"{others:,}"
    if changed:
        return trn(
            "{length}; {count} other document of {total} contains it verbatim",
            "{length}; {count} other documents of {total} contain it verbatim",
            count,
            length=length,
            total=total,
        )
    return trn(
        "{length} that is also in {count} other document of {total}",
        "{length} that is also in {count} other documents of {total}",
        count,
        length=length,
        total=total,
    )


def _passages(opened: PairData) -> Ints:
    """Start and end of the passages of the suspect, from all its sources, without duplicates, int64[n, 2]."""
    both = (opened.matches, opened.others)
    spans = [np.concatenate(column) for column in ([m.a_start for m in both], [m.a_end for m in both])]
    return np.unique(np.column_stack(spans).astype(np.int64), axis=0)


CITED, SPREAD, COMPARED = "cited", "spread", "compared"
STEPS = (1, 9)
"""Maximum number of other documents that contain a stretch of level 1, and of level 2."""
_SHORTEST = 8
"""Minimum number of letters of a sentence that is searched for in other documents."""
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
        """Requests the text as compared."""
        self._of: PairData | None = None
        self._requested: set[str] = set()
        pair.left.note_clicked.connect(partial(self._show_holders, True))
        pair.right.note_clicked.connect(partial(self._show_holders, False))
        pair.pair_shown.connect(self._begin)
        pair.toolbar.layers_changed.connect(lambda _layers: self._follow())

    def _begin(self) -> None:
        """Start over for another pair, or the same one reloaded: nothing is known about its texts."""
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

    def _wanted(self, opened: PairData, name: str) -> bool:
        """Whether an answer for ``opened`` is still wanted."""
        return self._of is opened and name in self._requested

    # -- quotations

    def _ask_cited(self, opened: PairData) -> None:
        def read(_session: object) -> tuple[list[Citation], list[Citation]]:
            return citations(opened.a.text, opened.a.blocks), citations(opened.b.text, opened.b.blocks)

        def show(cited: tuple[list[Citation], list[Citation]]) -> None:
            if self._wanted(opened, CITED):
                self._pair.left.set_notes(CITED, cited_notes(cited[0]))
                self._pair.right.set_notes(CITED, cited_notes(cited[1]))
                self._pair.toolbar.show_count(CITED, sum(map(len, cited)))

        self._context.background(read, show, owner=self)

    # -- text in other documents

    def _ask_spread(self, opened: PairData) -> None:
        """Search for each sentence of both texts, except those too short to be informative."""

        def cut(_session: object) -> list[tuple[int, Ints]]:
            return [(d.key, _sentences(d)) for d in (opened.a, opened.b)]

        def ask(passages: list[tuple[int, Ints]]) -> None:
            if self._wanted(opened, SPREAD) and self._context.project is not None:
                show = partial(self._show_spread, opened, passages)
                self._context.aside(self, find_holders_of_each, self._context.project, passages, done=show)

        self._context.say(tr("Counting the other documents that contain each sentence…"))
        self._context.background(cut, ask, owner=self)

    def _show_spread(self, opened: PairData, passages: list[tuple[int, Ints]], by_side: list[Holders]) -> None:
        if not self._wanted(opened, SPREAD):
            return
        others = (opened.b.key, opened.a.key)
        for view, (_, sentences), holders, other in zip(
            (self._pair.left, self._pair.right), passages, by_side, others, strict=True
        ):
            counts = [len(holders.beside(number, other)) for number in range(len(sentences))]
            view.set_notes(SPREAD, spread_notes(sentences, counts))

    def _show_holders(self, in_suspect: bool, start: int, end: int) -> None:
        """List the other documents that contain the stretch."""
        opened = self._pair.opened
        if opened is not None:
            document = opened.a if in_suspect else opened.b
            passage = document.text[start:end]
            ElsewhereDialog(self._context, passage, document, Span(start, end), self._pair.window()).open()

    # -- text as compared

    def _ask_compared(self, opened: PairData) -> None:
        run = opened.run

        def show(sides: list[Compared]) -> None:
            if self._wanted(opened, COMPARED):
                for view, side in zip((self._pair.left, self._pair.right), sides, strict=True):
                    view.set_compared(side.shown, _visible_readings(side))

        sides = (opened.a, opened.b)
        self._context.aside(self._folding, compared_sides, sides, run.method, run.parameters, done=show)


def _sentences(document: Document) -> Ints:
    """Starts and ends of the sentences that are long enough, int64[n, 2]."""
    sentences = segments(document.text, blocks=document.blocks)
    long = [span for span in sentences if len(letters(document.text[span.start : span.end])) >= _SHORTEST]
    return np.array(long, np.int64).reshape(-1, 2)


def _visible_readings(side: Compared) -> Readings:
    """The readings of ``side``; ignored white space is not struck through, so that words remain legible."""
    codes = np.frombuffer(side.shown.encode("utf-32-le", "surrogatepass"), "<u4")
    space = np.isin(codes, [ord(character) for character in set(side.shown) if character.isspace()])
    return np.where(space, np.uint8(Reading.SAME), side.readings)


def cited_notes(cited: Sequence[Citation]) -> list[Note]:
    """Each citation with its kind and the sign that shows it."""
    names = {
        CitationKind.QUOTATION: tr("Quotation"),
        CitationKind.BLOCK_QUOTATION: tr("Block quotation"),
        CitationKind.REFERENCES: tr("References"),
        CitationKind.NOTE: tr("Note"),
    }
    return [Note(*c.span, f"{names[c.kind]}: {say(c.why)}", sign=_SIGNS[c.kind]) for c in cited]


def spread_notes(stretches: Ints, counts: Sequence[int]) -> list[Note]:
    """Notes on the n stretches (int64[n, 2]) that other documents also contain; ``counts`` are the numbers of these
    documents.
    """
    return [
        Note(
            start,
            end,
            trn("In {count} other document as well", "In {count} other documents as well", count),
            level=1 + sum(count > step for step in STEPS),
        )
        for (start, end), count in zip(stretches.tolist(), counts, strict=True)
        if count
    ]


class EarlierLayer(QObject):
    """Shows in ``evidence`` the documents from which the source of the open pair took its passages."""

    def __init__(self, context: AppContext, evidence: EvidencePanel) -> None:
        super().__init__(evidence)
        self._context, self._evidence = context, evidence
        self._opened: PairData | None = None
        self._pause = after_pause(self._ask, _PAUSE_MS, self)

    def follow(self, opened: PairData) -> None:
        """Show the pair ``opened`` from now on."""
        self._opened = opened
        self._context.asides.drop(self)
        self._evidence.show_earlier([])
        if len(opened.others) and len(opened.matches):
            self._pause.start()
        else:
            self._pause.stop()

    def _ask(self) -> None:
        opened, path = self._opened, self._context.project
        if opened is None or path is None:
            return

        def show(chains: list[Chain]) -> None:
            if opened is self._opened:
                self._evidence.show_earlier(chains)

        self._context.aside(self, find_earlier_sources, path, opened.matches, opened.others, done=show)
