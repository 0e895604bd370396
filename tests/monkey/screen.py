"""What must agree on the Review screen whatever was done: every part names the same match, verdicts are the file's.

Each function returns sentences on what does not hold, none where all is well. The window has to be at rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from workbench.gui.document.view import DocumentView
from workbench.gui.judging.verdicts import viewer
from workbench.gui.screens.review.pair_data import PairData
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.theme.tokens import TIERS
from workbench.services.review.overview import shown_verdict
from workbench.services.review.verdict_index import VerdictIndex


def disagreements(review: ReviewView) -> list[str]:
    """Parts of the screen that do not name the current match, or not the same place among those shown."""
    pair, opened = review.pair, review.pair.opened
    if opened is None:
        return []
    number = pair.active
    parts = {
        "suspect's text": pair.left.active,
        "source's text": pair.right.active,
        "ribbons": pair.ribbons.active,
        "dot plot": pair.dots.active,
    }
    wrong = [f"{name}: match {active + 1}, not {number + 1}" for name, active in parts.items() if active != number]
    wrong += _lists(review, opened)
    if opened.whole:
        return wrong
    shown = _shown(review, opened)
    if pair.shown.tolist() != shown:
        wrong.append("the matches shown are not those that layers and threshold leave")
    place = shown.index(number) + 1 if number in shown else 0
    counter = pair.toolbar._position.text()
    outline = pair.outline
    at, total = (0, 0) if outline is None else (outline.place_of(number) + 1, len(outline))
    expected = [at, total] if at else [total] if total else []
    if sorted(_numbers(counter)) != sorted(expected):  # languages put the total first or last
        wrong.append(f"counter: {counter!r}, not {at} of {total}")
    if number >= 0:
        wrong += _evidence(review, opened, number, hidden=not place)
        if place and pair.ribbons.isVisible():
            wrong += _ribbons(review, number)
    return wrong


def out_of_view(review: ReviewView) -> list[str]:
    """Panes where the current match, as painted, does not begin inside the viewport, or whose band is missing."""
    pair, opened = review.pair, review.pair.opened
    if opened is None or pair.active not in pair.shown:
        return []
    m, number = opened.matches, pair.active
    wrong = []
    for name, pane, starts in (("suspect", pair.left, m.a_start), ("source", pair.right, m.b_start)):
        start, height = int(starts[number]), pane.viewport().height()
        y = pane.lines.y_of(start) - pane.top
        if not -1 <= y <= height - pane.lines.line_height * 0.5:
            wrong.append(f"{name}: match {number + 1} begins at {y:.0f} of {height} pixels")
        elif not _painted(pane, number):
            wrong.append(f"{name}: match {number + 1} is not painted")
    if not wrong and pair.ribbons.isVisible() and number not in pair.ribbons._drawn[0]:
        wrong.append(f"ribbons: no band of match {number + 1} is drawn")
    return wrong


def untrue_verdicts(review: ReviewView, unread: Collection[str] = ()) -> list[str]:
    """Verdicts on the screen that are not those of the file; ``unread`` targets were written by another program since.

    What the lists show is compared only where there are no ``unread`` ones.
    """
    opened, overview, session = review.pair.opened, review.overview, review.context.session
    if session is None or opened is None or opened.whole:
        return []
    reviewer = viewer(review.context)
    with session.read() as connection:
        index = VerdictIndex().follow(connection)
    pair = index.of(opened.a.id, opened.b.id)
    wrong = []
    for number, (shown, judgement) in enumerate(zip(opened.judgements, pair.on(opened.matches), strict=True)):
        true = reviewer.sees(judgement)
        targets = {label.target for x in (shown, true) if x is not None for label in x.verdicts}
        if shown_verdict(shown, reviewer) != shown_verdict(true, reviewer) and not targets & set(unread):
            wrong.append(f"match {number + 1}: {shown!r} on the screen, {true!r} in the file")
    if review.pair.active >= 0:
        shown = opened.judgements[review.pair.active]
        own = None if shown is None else shown.own(reviewer.name)
        value = "" if own is None else own.value
        pressed = [name for name, button in review.evidence.verdict.buttons.items() if button.isChecked()]
        if pressed != ([value] if value else []):
            wrong.append(f"match {review.pair.active + 1}: buttons {pressed}, verdict {value!r}")
    columns = overview.columns
    if columns is None or columns.whole or unread:
        return wrong
    keys = {item.id: key for key, item in columns.items.items()}
    true_rows = {}
    for a, b in index.pairs(set(keys)):
        rows = columns.rows_of(keys[a], keys[b])
        for row, judgement in zip(rows.tolist(), index.of(a, b).on(columns.matches.take(rows)), strict=True):
            if value := shown_verdict(judgement, reviewer).value:
                true_rows[row] = value
    judged = {} if overview.judged is None else overview.judged.values()
    if judged != true_rows:
        differing = sorted(row for row in {*judged, *true_rows} if judged.get(row) != true_rows.get(row))
        wrong.append(f"rows {differing[:5]} of the lists do not show the file's verdicts")
    return wrong


def _lists(review: ReviewView, opened: PairData) -> list[str]:
    wrong = []
    panel = review.suspects
    grouping = panel.model.grouping
    key = opened.a.key if grouping is None else grouping.key_of(opened.a.key, opened.b.key)
    if panel.model.row_of(key) >= 0 and panel.current_key() != key:
        wrong.append(f"{panel.pivot.value}: {panel.current_key()} is chosen, {key} is open")
    chosen = [chip.item.key for chip in review.pair.strip.chips if chip.isChecked()]
    if len(opened.sources) > 1 and chosen != [opened.b.key]:
        wrong.append(f"sources: {chosen} are chosen, {opened.b.key} is open")
    return wrong


def _shown(review: ReviewView, opened: PairData) -> list[int]:
    buttons = review.pair.toolbar.layers
    on = [tier for tier, name in enumerate(TIERS) if buttons[name].isChecked()]
    m, threshold = opened.matches, review.scores.threshold
    return [n for n in range(len(m)) if int(m.tier[n]) in on and float(m.score[n]) >= threshold]


def _evidence(review: ReviewView, opened: PairData, number: int, *, hidden: bool) -> list[str]:
    panel, m = review.evidence, opened.matches
    wrong = []
    if _numbers(panel._title.text()) != [number + 1]:
        wrong.append(f"evidence: {panel._title.text()!r}, not match {number + 1}")
    counted = _numbers(panel._of.text())
    if counted != ([] if hidden else [len(m)]):
        wrong.append(f"evidence: {panel._of.text()!r} of {len(m)}, {'hidden' if hidden else 'shown'}")
    spans = [int(column[number]) for column in (m.a_start, m.a_end, m.b_start, m.b_end)]
    if _numbers(panel._spans.toolTip()) != spans:
        wrong.append(f"evidence: {panel._spans.toolTip()!r}, not {spans}")
    for quote, passage in zip(panel.quotes, opened.passage(number), strict=True):
        excerpt, whole = ("".join(words.replace("\u200b", "").split()) for words in (quote.accessibleName(), passage))
        if excerpt != whole and (len(passage) <= 400 or excerpt.strip("…") not in whole):
            wrong.append(f"evidence: another passage is quoted than that of match {number + 1}")
    return wrong


def _ribbons(review: ReviewView, number: int) -> list[str]:
    ribbons = review.pair.ribbons
    row = int(np.flatnonzero(ribbons._numbers == number)[0])
    # What is covered or cut off is not painted anew.
    if row not in ribbons.visible_rows() or ribbons.visibleRegion().isEmpty():
        return []
    # A passage of several matches is active as a whole.
    active = {number, *review.pair.parts()}
    for _ in range(2):
        drawn = ribbons._drawn[0].tolist()
        # A band whose ends are both out of view on the same side is not drawn.
        if number not in drawn or drawn[-1] in active:
            return []
        ribbons.repaint()
    return [f"ribbons: match {drawn[-1] + 1} is drawn on top of match {number + 1}"]


def _painted(pane: DocumentView, number: int) -> bool:
    """Whether the pane has painted the match since its marks were set."""
    for _ in range(2):
        rows = {stretch.mark for cut in pane.stretches.values() for stretch, boxes in cut if boxes}
        if any(pane.marks.number[row] == number and pane.marks.source[row] == 0 for row in rows):
            return True
        pane.viewport().repaint()
    return False


def _numbers(words: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", words)]
