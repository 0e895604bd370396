"""How many other documents of the project hold the active match's text: read in a process of its own, and kept while
its suspect is open.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from workbench.base.types import Ints
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.evidence_words import length_words
from workbench.gui.kit.pauses import after_pause
from workbench.gui.screens.review.evidence_panel import EvidencePanel
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.screens.review.reading import Opened
from workbench.gui.workspace.context import AppContext
from workbench.services.review.common_phrases import Holders, find_holders
from workbench.services.review.word_marks import same_but_for_script

_PAUSE_MS = 700
"""Milliseconds that a suspect is open before all texts of the project are read for it."""


class CommonLayer(QObject):
    """Says in ``evidence`` where else the match active in ``pair`` stands, once it is known."""

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
        """Show what is known of the active match; ask about its suspect where nothing is."""
        opened, number = self._pair.opened, self._pair.active
        if opened is None or opened.whole or number < 0:
            self._evidence.show_holders("", "")
            return
        of = opened.run.id, opened.a.key
        if of != self._of or opened.limits(number)[:2] not in self._passages:
            self._of, self._holders = of, None
            self._spans = _passages(opened)
            self._passages = {(start, end): at for at, (start, end) in enumerate(self._spans.tolist())}
            self._pause.start()
        self._show(opened, number)

    def holders(self, number: int) -> tuple[int, ...]:
        """Keys of the documents that hold match ``number`` of the open pair, beside its two; () while unknown."""
        opened = self._pair.opened
        if opened is None or self._holders is None:
            return ()
        at = self._passages.get(opened.limits(number)[:2])
        return () if at is None else self._holders.beside(at, opened.b.key)

    def _in_source(self, opened: Opened, number: int) -> bool:
        """Whether the open source has match ``number`` in the suspect's words."""
        at = self._passages.get(opened.limits(number)[:2])
        return self._holders is not None and at is not None and opened.b.key in self._holders.passages[at]

    def _changed(self, kinds: frozenset[str]) -> None:
        if "documents" in kinds:
            self._of = None
            self.follow()

    def _ask(self) -> None:
        opened, of = self._pair.opened, self._of
        if opened is None or of is None or self._context.project is None:
            return

        def arrived(holders: Holders) -> None:
            if self._of == of:
                self._holders = holders
                self.follow()

        self._context.aside(self, find_holders, self._context.project, opened.a.key, self._spans, done=arrived)

    def _show(self, opened: Opened, number: int) -> None:
        if self._holders is None:
            self._evidence.show_holders("", "")
            return
        text = opened.passage(number)[0]
        count, others = len(self.holders(number)), self._holders.documents - 1
        equal = same_but_for_script(opened.matches.row(number), opened.a.text, opened.b.text)
        changed = not equal and not self._in_source(opened, number)
        length = length_words(text, opened.a.language, changed=changed)
        words = _spread_words(length, count, others, changed=changed)
        if not count:
            self._evidence.show_holders(words, "")
            return
        common = count > self._context.settings.common_from
        link = trn("Show the {count} document", "Show the {count} documents", count)
        self._evidence.show_holders(words, link, common=common)


def _spread_words(length: str, count: int, others: int, *, changed: bool) -> str:
    """What ``length`` describes, and that ``count`` of the ``others`` have it; ``changed``: its source differs."""
    if not others:
        return tr("{length}; the project has no other document to look in", length=length)
    if not count and changed:
        return trn(
            "{length}; none of {count} other document has it in these words",
            "{length}; none of {count} other documents has it in these words",
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
            "{length}; {count} other document of {total} has it in these words",
            "{length}; {count} other documents of {total} have it in these words",
            count,
            length=length,
            total=total,
        )
    return trn(
        "{length} that stands in {count} other document of {total}, too",
        "{length} that stands in {count} other documents of {total}, too",
        count,
        length=length,
        total=total,
    )


def _passages(opened: Opened) -> Ints:
    """Start and end of the passages of the suspect, from all its sources, each once, int64[n, 2]."""
    both = (opened.matches, opened.others)
    spans = [np.concatenate(column) for column in ([m.a_start for m in both], [m.a_end for m in both])]
    return np.unique(np.column_stack(spans).astype(np.int64), axis=0)
