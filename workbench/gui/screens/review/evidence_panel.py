"""The right side of Review: evidence and verdict of the match, its parts, or the pair as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.base.evidence import is_recognised, is_translation
from workbench.base.types import Run, Span, Tier
from workbench.gui.document.alignment import heaviest_chain
from workbench.gui.document.passage_quote import PassageQuote
from workbench.gui.i18n import say, tr, trn
from workbench.gui.judging.evidence_words import evidence_words, named_score, pair_words, run_words
from workbench.gui.judging.verdict_panel import VerdictPanel
from workbench.gui.judging.verdicts import pair_looks
from workbench.gui.kit.cues import recognised_look, tier_look
from workbench.gui.kit.figures import Ring, Swatch, show_figures
from workbench.gui.kit.layouts import clear, scroll_down
from workbench.gui.kit.widgets import IconButton, ThemeWatch, button, caption, column, heading, label, line, row
from workbench.gui.kit.words import parameter_title, value_text
from workbench.gui.screens.review.mark_looks import counts_in_words, marked_edits, marked_words, without_gaps
from workbench.gui.screens.review.pair_data import PairData, differs_outside_gaps, identity
from workbench.gui.screens.review.pair_panel import PairPanel
from workbench.gui.theme.fonts import SEMIBOLD
from workbench.gui.theme.manager import Theme
from workbench.services.relations.earlier import Chain, chain_in_words
from workbench.services.review.differences import Edit
from workbench.services.review.word_marks import SameBut, WordMark, same_but_for

_LISTED = 6
"""Maximum number of parts with a line of their own; stepping reaches all of them."""


class PartsPanel(QWidget):
    """Lists the parts of the passage that is active in ``pair``; hidden if it has only one.

    ``unfold_asked`` requests showing each match separately.
    """

    unfold_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.title = label("", 12, role="muted", weight=SEMIBOLD, wrap=True)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addWidget(self.title)
        layout.addLayout(self._lines)
        self._of: PairData | None = None
        self._shown: tuple[list[int], int] = ([], -1)
        self.hide()

    def follow(self, pair: PairPanel) -> None:
        """Show the active passage of ``pair``."""
        pair.active_changed.connect(lambda _number: self._show(pair))
        pair.shown_changed.connect(lambda: self._show(pair))

    def _show(self, pair: PairPanel) -> None:
        opened, parts = pair.opened, pair.parts()
        if opened is self._of and (parts, pair.active) == self._shown:
            return
        self._of, self._shown = opened, (parts, pair.active)
        clear(self._lines)
        self.setVisible(opened is not None and len(parts) > 1)
        if opened is None or len(parts) < 2:
            return
        moved = moved_parts(opened, parts)
        words = trn("One passage of {count} part", "One passage of {count} parts", len(parts))
        self.title.setText(words + (" · " + tr("{count} moved", count=f"{len(moved):,}") if moved else ""))
        first = max(0, min(parts.index(pair.active) - _LISTED // 2, len(parts) - _LISTED))
        for number in parts[first : first + _LISTED]:
            self._lines.addWidget(self._line(pair, opened, number, moved=number in moved))
        left = len(parts) - _LISTED
        more = tr("Show each separately ({count} more)", count=f"{left:,}") if left > 0 else tr("Show each separately")
        self._lines.addWidget(_link(more, self.unfold_asked.emit))

    def _line(self, pair: PairPanel, opened: PairData, number: int, *, moved: bool) -> QWidget:
        words = f"{number + 1:,}   {' → '.join(_places(opened, number))}"
        line = _link(words + (" ⇄" if moved else ""), partial(pair.go_to, number))
        line.setAccessibleName(words + (" · " + tr("moved") if moved else ""))
        line.setToolTip(line.accessibleName())
        if number == pair.active:
            line.setEnabled(False)
        return line


def _places(opened: PairData, number: int) -> tuple[str, str]:
    """The citable places of both sides of a match."""
    a, a_end, b, b_end = opened.limits(number)
    return say(opened.a_places.of(Span(a, a_end)).words), say(opened.b_places.of(Span(b, b_end)).words)


def _offsets(opened: PairData, number: int) -> dict[str, str]:
    a, a_end, b, b_end = opened.limits(number)
    return {"a": f"{a:,}–{a_end:,}", "b": f"{b:,}–{b_end:,}"}


def moved_parts(opened: PairData, parts: list[int]) -> frozenset[int]:
    """The ``parts`` that are reordered in the source, relative to the others."""
    m = opened.matches.take(parts)
    kept = heaviest_chain(m.a_start, m.a_end, m.b_start, m.b_end).tolist()
    return frozenset(parts) - {parts[row] for row in kept}


def _link(words: str, clicked: Callable[[], object]) -> QWidget:
    link = button(words.replace("&", "&&"), clicked, kind="link")
    link.setStyleSheet("text-align: left;")
    link.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return link


class PairEvidence(QScrollArea):
    """Shows the figures of a :class:`PairData` pair without passages; ``verdict`` is placed by the caller."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._opened: PairData | None = None
        self.ring = Ring(theme.tokens)
        self._kind = label(tr("Whole documents"), 14, weight=SEMIBOLD, wrap=True)
        self.sentence = label("", 12, role="muted", wrap=True)
        self._figures = QVBoxLayout()
        self._figures.setSpacing(7)
        self.verdict = VerdictPanel(theme, pair_looks())
        body = QWidget()
        body.setObjectName("page")
        inside = QVBoxLayout(body)
        inside.setContentsMargins(16, 14, 14, 14)
        inside.setSpacing(8)
        head = QHBoxLayout()
        head.setSpacing(14)
        head.addWidget(self.ring, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._kind, 1)
        inside.addLayout(head)
        inside.addWidget(self.sentence)
        inside.addSpacing(4)
        inside.addWidget(caption(tr("Evidence")))
        inside.addLayout(self._figures)
        inside.addSpacing(4)
        inside.addWidget(self.verdict.history)
        inside.addStretch(1)
        scroll_down(self, body, see_through=True)
        ThemeWatch(self, theme, self._draw)

    def show_pair(self, opened: PairData) -> None:
        """Show the figures of a pair."""
        self._opened = opened
        self._draw()

    def _draw(self) -> None:
        opened = self._opened
        if opened is None:
            return
        tokens, figures = self._theme.tokens, opened.figures
        if figures is None:
            clear(self._figures)
            self.sentence.setText(tr("This run does not pair these two documents."))
            self.ring.hide()
            return
        self.sentence.setText(
            tr(
                "This method compares whole documents: it tells how similar two texts are, not which "
                "passages they share. To see passages, compare them with a method that finds them."
            )
        )
        known = figures.resemblance is not None
        self.ring.setVisible(known or 0 <= figures.score <= 1)
        share = figures.score if figures.resemblance is None else figures.resemblance
        name = tr("Resemblance") if known else tr("Score")
        self.ring.show_share(min(1.0, max(0.0, share)), tokens.accent, tokens, name, name)
        show_figures(self._figures, pair_words(figures), tokens.accent, tokens)


_MOST_OTHER_SOURCES = 8


class EvidencePanel(QFrame):
    """Shows one match of a :class:`PairData` pair.

    ``quote_clicked`` emits 0 for the suspect's passage, 1 for the source's; ``also_chosen`` a source's key;
    ``why_asked`` requests an explanation of the pair, ``holders_asked`` the match's other occurrences.
    """

    quote_clicked = Signal(int)
    also_chosen = Signal(int)
    why_asked = Signal()
    holders_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        self._shown: tuple[PairData, int, list[Edit] | None] | None = None
        self._words: list[WordMark] | None = None
        self._words_coming = False
        self._holding = self._in_run = ""
        """The length of the match and its other occurrences: in the project, once known, and in the run."""
        self._alike = self._usual_rule = ""
        """The texts shown if nothing differs, and about how the sides of the match's tier differ."""
        # A step announces a match, its differences and its words; the text panes are painted before this panel is
        # updated.
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._follow)
        self._is_other = False
        """Whether the match is another one than that drawn."""
        self._title = heading(tr("No match selected"))
        self._of = label("", 12, role="faint", tabular=True)
        self.ring = Ring(theme.tokens)
        self._sample = Swatch(theme.tokens, 0)
        self._tier = label("", 14, weight=SEMIBOLD, wrap=True)
        self._spans = label("", 12, role="muted", tabular=True, wrap=True)
        self._rule = label("", 12, role="faint", wrap=True)
        self._counting = label("", 12, role="warn", wrap=True)
        # The height is constant, so that widgets below do not move when a verdict is given.
        policy = self._counting.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._counting.setSizePolicy(policy)
        self._run = label("", 12, role="muted", wrap=True)
        self._common = label(tr("Common phrase"), 12, role="warn", weight=SEMIBOLD)
        self._holders = button("", self.holders_asked.emit, kind="link")
        self._figures = QVBoxLayout()
        self.quotes = (PassageQuote(theme.tokens), PassageQuote(theme.tokens))
        self._edits = label("", 12, role="muted", wrap=True, tabular=True)
        self._method = label("", 12, role="muted", wrap=True)
        self.verdict = VerdictPanel(theme)
        self._also_title = caption(tr("Passage also found in"))
        self._also = QVBoxLayout()
        self._earlier = label("", 12, role="warn", wrap=True)
        self._chains: list[Chain] = []
        self.parts = PartsPanel()
        self._body = QWidget()
        self.whole = PairEvidence(theme)
        self._build()
        ThemeWatch(self, theme, self._theme_changed)
        self._body.hide()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        why = IconButton(self._theme, "info", tr("Why did this pair match, or not?"), self.why_asked.emit)
        layout.addLayout(row(self._title, self._of, None, why, margins=(16, 9, 8, 6)))
        layout.addWidget(line())
        self._body.setObjectName("page")
        inside = QVBoxLayout(self._body)
        inside.setContentsMargins(16, 14, 14, 14)
        inside.setSpacing(8)
        inside.addLayout(self._head())
        inside.addWidget(self.parts)
        inside.addWidget(caption(tr("Aligned passages")))
        for side, quote in enumerate(self.quotes):
            quote.clicked.connect(lambda side=side: self.quote_clicked.emit(side))
            inside.addWidget(quote)
        inside.addWidget(self._edits)
        inside.addSpacing(2)
        inside.addWidget(caption(tr("Evidence")))
        inside.addWidget(self._run)
        inside.addLayout(row(self._common, self._holders, None, spacing=8))
        self._figures.setSpacing(7)
        inside.addLayout(self._figures)
        inside.addSpacing(2)
        inside.addWidget(self.verdict.history)
        inside.addWidget(self._earlier)
        inside.addWidget(self._also_title)
        self._also.setSpacing(2)
        inside.addLayout(self._also)
        inside.addStretch(1)
        area = self.area = QScrollArea()
        area.setAccessibleName(tr("Evidence"))
        scroll_down(area, self._body, see_through=True)
        layout.addWidget(area, 1)
        layout.addWidget(self.whole, 1)
        layout.addWidget(line())
        # Below the scrolling part, so that a verdict can also be given in a small window.
        layout.addLayout(column(self.verdict, self.whole.verdict, margins=(16, 9, 14, 2)))
        layout.addLayout(row(self._method, margins=(16, 2, 14, 6)))
        self.clear()

    def _head(self) -> QHBoxLayout:
        """A row with the share, the tier and the places of the match."""
        words = QVBoxLayout()
        words.setSpacing(3)
        kind = QHBoxLayout()
        kind.setSpacing(7)
        kind.addWidget(self._sample, 0, Qt.AlignmentFlag.AlignTop)
        kind.addWidget(self._tier, 1)
        words.addLayout(kind)
        words.addWidget(self._spans)
        words.addWidget(self._rule)
        words.addWidget(self._counting)
        head = QHBoxLayout()
        head.setSpacing(14)
        head.addWidget(self.ring, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        return head

    def write_note(self) -> None:
        """Move the focus to the note."""
        shown = self.verdict if self.whole.isHidden() else self.whole.verdict
        shown.note.setFocus()

    def flush(self) -> None:
        self.verdict.note.flush()
        self.whole.verdict.note.flush()

    def show_whole(self, opened: PairData) -> None:
        """Make room for the evidence of a pair of whole documents."""
        self.area.hide()
        self.verdict.hide()
        self.whole.show()
        self.whole.verdict.show()
        self._title.setText(tr("Pair"))
        self._show_method(opened.run)

    def clear(self) -> None:
        """Show that no match is active."""
        self._shown = None
        self.whole.hide()
        for verdict in (self.whole.verdict, self.verdict):
            # A note being typed keeps the focus.
            verdict.setVisible(verdict.note.is_editing_other)
        self._method.setText("")
        self.area.show()
        self._title.setText(tr("No match selected"))
        self._of.setText("")
        self._body.hide()

    def show_match(self, opened: PairData, number: int, place: int, total: int, edits: list[Edit] | None) -> None:
        """Show match ``number``, number ``place`` of the ``total`` shown (0: hidden by layers or threshold).

        ``edits``: its differences, None while unknown.
        """
        self._shown, self._words, self._words_coming = (opened, number, edits), None, False
        self.show_holders("", "")
        self._body.show()
        self.verdict.show()
        self._title.setText(tr("Match {number}", number=f"{number + 1:,}"))
        self.show_place(place, total)
        self._is_other = True
        self._turn.start()

    def show_counting(self, words: str) -> None:
        """Show that the match does not count, or only in part; hidden if ``words`` is empty."""
        self._counting.setText(words)
        self._counting.setVisible(bool(words))

    def show_edits(self, edits: list[Edit]) -> None:
        """Show the differences inside the match, now known."""
        if self._shown is not None:
            self._shown = (*self._shown[:2], edits)
            self._turn.start()

    def show_holders(self, words: str, link: str, *, common: bool = False) -> None:
        """Show other occurrences of the match in the project, "" while unknown; ``link`` leads to them."""
        self._holding = words
        self._run.setText(words or self._in_run)
        self._common.setVisible(common)
        self._holders.setText(link)
        self._holders.setVisible(bool(link))

    def show_earlier(self, chains: list[Chain]) -> None:
        """Show the documents from which the source took the passage: ``chains`` by match, [] while unknown."""
        self._chains = chains
        self._mark_source()

    def _mark_source(self) -> None:
        text = ""
        if self._shown is not None and self._chains:
            opened, number, _ = self._shown
            links = self._chains[number]
            names = {source.key: source.title for source in opened.sources}
            text = say(chain_in_words(links, names)) if links else ""
        self._earlier.setText(text)
        self._earlier.setVisible(bool(text))

    def show_words(self, marks: list[WordMark] | None, *, coming: bool = False) -> None:
        """Show the marks on the words of the match; None: they are still ``coming``, or not wanted."""
        if self._shown is not None and (marks is not self._words or coming != self._words_coming):
            self._words, self._words_coming = marks, coming
            self._turn.start()

    def edits_text(self) -> str:
        """The text about the differences, or about the words."""
        return self._edits.text()

    def show_place(self, place: int, total: int) -> None:
        """Show the place of the match among the ``total`` shown, or that it is hidden by threshold or layers."""
        if self._shown is None:
            return
        count = len(self._shown[0].matches)
        many = len(self._shown[0].sources) > 1
        words = tr("of {total} from this source", total=f"{count:,}") if many else tr("of {total}", total=f"{count:,}")
        self._of.setText(words if place else tr("hidden by the threshold or by layers"))
        self._of.setToolTip(tr("{place} of {total} shown", place=place, total=total))

    def _follow(self) -> None:
        if self._shown is None:
            return
        if self._is_other:
            self._draw()
        else:
            self._share(*self._shown)
            self._quote(*self._shown)

    def _draw(self) -> None:
        if self._shown is None:
            return
        self._is_other = False
        opened, number, edits = self._shown
        tokens, m = self._theme.tokens, opened.matches
        tier = int(m.tier[number])
        colour = tokens.source(opened.source)
        a, _b = opened.passage(number)
        self._sample.show_tier(tier, tokens)
        match = m.row(number)
        differing = same_but_for(match, opened.a.text, opened.b.text)
        other_script = differing is SameBut.SCRIPT
        translated = is_translation(match.evidence)
        look = recognised_look(tier) if is_recognised(match.evidence) else tier_look(tier, translated=translated)
        if differing is SameBut.SPACES:
            words = tr("Exact ignoring line ends and spaces")
            look = look._replace(words=words, rule=tr("The same except for line ends and spaces"))
        elif differing is SameBut.INSERTIONS:
            words = tr("Same sentences, something between them")
            look = look._replace(words=words, rule=tr("One side has letters or figures between the sentences"))
        elif differing is SameBut.WRITING:
            words = tr("Same words in another form")
            look = look._replace(words=words, rule=tr("Numbers, kana or characters are written in another form"))
        self._tier.setText(tr("Same except for the script") if other_script else look.words)
        self._spans.setText(
            "\n".join(f"{side}\u00a0{words}" for side, words in zip("AB", _places(opened, number), strict=True))
        )
        self._spans.setToolTip(
            tr("Characters {a} of the suspect (A) and {b} of the source (B)", **_offsets(opened, number))
        )
        moved = opened.alignment.moved(number)
        self._alike = tr("Same except for the script") if other_script else tr("No differences")
        rule = tr("The same characters in another script") if other_script else look.rule
        if translated:
            self._alike = tr("Words of different languages are not compared")
        self._usual_rule = rule + (" · " + tr("moved") if moved else "")
        self._share(opened, number, edits)
        others = len({source.key for source, _ in opened.also(number)})
        self._in_run = run_words(a, opened.a.language, others, changed=tier == Tier.ALTERED and not translated)
        self._run.setText(self._holding or self._in_run)
        show_figures(self._figures, evidence_words(m, number), colour, tokens)
        self._quote(opened, number, edits)
        self._show_other_sources(opened, number)
        self._mark_source()
        self._show_method(opened.run)

    def _share(self, opened: PairData, number: int, edits: list[Edit] | None) -> None:
        """The share common to both passages, once known, and in what they differ."""
        self.ring.setHidden(is_translation(opened.matches.evidence))
        share = None if edits is None else identity(opened, number, edits)
        colour, tokens = self._theme.tokens.source(opened.source), self._theme.tokens
        rule = self._usual_rule
        if share == 1 and opened.matches.tier[number] == Tier.ALTERED:
            reordered = differs_outside_gaps(opened.matches.row(number), edits or [])
            rule = (
                tr("The same sentences in another order") if reordered else tr("Same sentences, something between them")
            )
        self._rule.setText(rule)
        self.ring.show_share(share, colour, tokens, tr("Share of characters in common"), tr("in common"))

    def _quote(self, opened: PairData, number: int, edits: list[Edit] | None) -> None:
        """Both passages with their marks, and the number of marks of each sort."""
        if self._words_coming:
            edits = None
        m, tokens = opened.matches, self._theme.tokens
        match = m.row(number)
        marked = marked_edits(edits or []) if self._words is None else marked_words(self._words)
        sides = [without_gaps(side, gaps) for side, gaps in zip(marked, (match.a_gaps, match.b_gaps), strict=True)]
        starts, texts = (int(m.a_start[number]), int(m.b_start[number])), opened.passage(number)
        gaps = match.a_gaps, match.b_gaps
        for quote, text, document, start, marks, apart in zip(
            self.quotes, texts, (opened.a, opened.b), starts, sides, gaps, strict=True
        ):
            quote.set_tokens(tokens)
            shifted = [(first - start, last - start, kind) for first, last, kind in marks]
            left_out = [Span(gap.start - start, gap.end - start) for gap in apart]
            quote.show_passage(text, document.language, tokens.source(opened.source), shifted, left_out)
        if self._words is not None:
            self._edits.setText(counts_in_words(self._words))
            return
        if edits is None:
            self._edits.setText(tr("Comparing…"))
            return
        counts = {kind: f"{number:,}" for kind, number in Counter(edit.kind for edit in edits).items()}
        parts = [
            tr("{count} replaced", count=counts["replaced"]) if "replaced" in counts else "",
            tr("{count} only in the suspect", count=counts["deleted"]) if "deleted" in counts else "",
            tr("{count} only in the source", count=counts["inserted"]) if "inserted" in counts else "",
        ]
        self._edits.setText(" · ".join(filter(None, parts)) or self._alike)

    def _show_other_sources(self, opened: PairData, number: int) -> None:
        clear(self._also)
        others = opened.also(number)
        self._also_title.setVisible(bool(others))
        for source, match in others[:_MOST_OTHER_SOURCES]:
            link: QPushButton = button(f"{source.number}  {source.title}".replace("&", "&&"))
            link.setProperty("kind", "link")
            link.setStyleSheet("text-align: left;")
            link.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            link.setToolTip(" ".join(named_score(match.score, match.evidence)))
            link.clicked.connect(lambda _on=False, key=source.key: self.also_chosen.emit(key))
            self._also.addWidget(link)
        if len(others) > _MOST_OTHER_SOURCES:
            self._also.addWidget(
                label(tr("and {count} more", count=len(others) - _MOST_OTHER_SOURCES), 11, role="faint")
            )

    def _show_method(self, run: Run) -> None:
        """Show the method and the run, with the settings as a tooltip."""
        self._method.setText(tr("Found by {method} in run {run}", method=run.method, run=run.id))
        self._method.setToolTip(
            ", ".join(f"{parameter_title(n)} {value_text(v)}" for n, v in run.parameters.items() if v != "")
        )

    def _theme_changed(self) -> None:
        self._draw()
