"""The right side of Relations: the evidence for a pair, the rule behind its relation, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from workbench.base.messages import percent
from workbench.gui.charts.relation_looks import LineSample
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.evidence_words import pair_words
from workbench.gui.judging.relation_words import (
    DIRECTION_EVIDENCE,
    decision_steps,
    direction_sentence,
    links_word,
    relation_meaning,
    relation_word,
)
from workbench.gui.judging.unit_judging import UnitJudge
from workbench.gui.judging.verdict_panel import VerdictPanel
from workbench.gui.judging.verdicts import pair_looks
from workbench.gui.kit.figures import FigureWords, Ring, show_figures
from workbench.gui.kit.layouts import clear, scroll_down
from workbench.gui.kit.widgets import (
    Elided,
    ThemeWatch,
    WholeText,
    caption,
    column,
    heading,
    icon_button,
    label,
    line,
    row,
)
from workbench.gui.kit.words import published_words, role_word
from workbench.gui.problems import guarded, painting
from workbench.gui.screens.relations.run import RelationRun
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens
from workbench.gui.workspace.context import AppContext
from workbench.services.records import DocumentItem, Pair
from workbench.services.relations.pair_columns import LinkTexts
from workbench.services.relations.stitched import StitchedPage
from workbench.services.review.verdicts import Unit

_SHOWN = 30
"""Maximum number of sources listed; the others are counted."""


@guarded
class SourceButton(QAbstractButton):
    """A button for a source: its number, title and host, and the share of the page's content it covers."""

    def __init__(self, number: int, title: str, host: str, language: str, share: float, tokens: Tokens) -> None:
        super().__init__()
        self._number, self._title, self._host = number, title, host
        self._language, self._share, self.tokens = language, share, tokens
        self.setFixedHeight(self.sizeHint().height())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(", ".join(filter(None, (title, host, percent(share)))))
        self.setToolTip("\n".join(filter(None, (title, host))))

    def sizeHint(self) -> QSize:
        return QSize(200, 54 if self._host else 38)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, width, bar = self.tokens, self.width(), self.height() - 12
        with painting(self) as painter:
            if self.underMouse() or self.hasFocus():
                painter.setPen(QPen(QColor(tokens.accent), 1.6) if self.hasFocus() else Qt.PenStyle.NoPen)
                painter.setBrush(QColor(tokens.hover))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)
            share = percent(self._share)
            painter.setFont(font(12, SEMIBOLD, tabular=True))
            painter.setPen(QColor(tokens.text))
            painter.drawText(
                QRectF(6, 3, width - 12, 18), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, share
            )
            room = width - 20 - QFontMetrics(painter.font()).horizontalAdvance(share)
            painter.setFont(font(12, language=self._language))
            words = f"{self._number}  {' '.join(self._title.split())}"
            cut = QFontMetrics(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, max(0, room))
            painter.drawText(QRectF(6, 3, room, 18), Qt.AlignmentFlag.AlignVCenter, cut)
            if self._host:
                painter.setFont(font(11))
                painter.setPen(QColor(tokens.text2))
                cut = QFontMetrics(painter.font()).elidedText(self._host, Qt.TextElideMode.ElideMiddle, width - 12)
                painter.drawText(QRectF(6, 21, width - 12, 16), Qt.AlignmentFlag.AlignVCenter, cut)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.track))
            painter.drawRoundedRect(QRectF(6, bar, width - 12, 5), 2.5, 2.5)
            painter.setBrush(QColor(tokens.source(self._number)))
            painter.drawRoundedRect(QRectF(6, bar, max(4.0, (width - 12) * min(1.0, self._share)), 5), 2.5, 2.5)


class StitchedSection(QWidget):
    """A stitched page and its sources; hidden while none is shown. ``chosen`` emits a source's key."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._tokens = theme.tokens
        self._page: StitchedPage | None = None
        self._ring = Ring(theme.tokens)
        self._title = Elided("", 14, weight=SEMIBOLD)
        self._words = label("", 12, role="muted", wrap=True)
        self._rest = label("", 12, role="faint", wrap=True)
        self.sources = QVBoxLayout()
        self.sources.setSpacing(2)
        head = row(spacing=14)
        head.addWidget(self._ring, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(column(self._title, self._words, None, spacing=4), 1)
        self.setLayout(column(head, self.sources, self._rest, line(), spacing=8))
        self.hide()

    def show_page(self, page: StitchedPage | None, run: RelationRun) -> None:
        """Show ``page``; None hides the section."""
        self._page = page
        self.setVisible(page is not None)
        clear(self.sources)
        if page is None or run.columns is None:
            return
        self._title.set_text(run.title(page.key))
        covered = tr(
            "{covered} of {total} characters of its content", covered=f"{page.covered:,}", total=f"{page.length:,}"
        )
        pages = trn(
            "Assembled from {count} unrelated page", "Assembled from {count} unrelated pages", len(page.sources)
        )
        self._words.setText(f"{pages}: {covered}")
        self._ring.show_share(page.share, self._tokens.accent, self._tokens, tr("Covered share"), tr("covered"))
        for number, source in enumerate(page.sources[:_SHOWN], 1):
            language = run.columns.items[source.key].language
            share = source.characters / page.length
            title, host = run.title(source.key), run.site(source.key)
            source_button = SourceButton(number, title, host, language, share, self._tokens)
            source_button.clicked.connect(lambda _on=False, key=source.key: self.chosen.emit(key))
            self.sources.addWidget(source_button)
        unlisted = len(page.sources) - _SHOWN
        notes = [trn("and {count} more source", "and {count} more sources", unlisted)] * (unlisted > 0)
        if page.others:
            notes.append(
                trn(
                    "{count} other page shares as much with it, but is related to one of these.",
                    "{count} other pages share as much with it, but are related to one of these.",
                    page.others,
                )
            )
        if not page.proven:
            notes.append(tr("The search limit was reached: a better set of sources may exist."))
        self._rest.setText("\n".join(notes))
        self._rest.setVisible(bool(notes))

    def set_tokens(self, tokens: Tokens) -> None:
        self._tokens = tokens
        if self._page is not None:
            self._ring.show_share(self._page.share, tokens.accent, tokens, tr("Covered share"), tr("covered"))
        for at in range(self.sources.count()):
            item = self.sources.itemAt(at)
            widget = None if item is None else item.widget()
            if isinstance(widget, SourceButton):
                widget.tokens = tokens
                widget.update()


_TEXT_EVIDENCE = frozenset(("decision", *DIRECTION_EVIDENCE, "link_ab", "link_ba"))
"""Evidence whose value is a text, not a figure."""
_LINKS, _LINK_CHARACTERS = 3, 60
"""Maximum number of link texts shown in each direction, and of characters of each."""


_SPARE = frozenset(("quoted_a", "quoted_b", "matches", "covered_a", "covered_b", "longest"))
"""Evidence that is not shown if it is 0."""


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair with its documents, and the texts of the links between them."""

    pair: Pair
    a: DocumentItem
    b: DocumentItem
    links: LinkTexts


class EvidencePanel(QFrame):
    """``review_asked`` requests the shown pair in Review; ``source_chosen`` emits the key of a page's source.

    ``recalled`` is emitted once the shown pair's verdicts have been read.
    """

    review_asked = Signal()
    recalled = Signal()
    source_chosen = Signal(int)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.setObjectName("panel")
        theme = self._theme = context.theme
        self.pair: ShownPair | None = None
        self.stitched = StitchedSection(theme)
        self.stitched.chosen.connect(self.source_chosen)
        self._sample = LineSample(theme.tokens)
        self.relation = label("", 15, weight=SEMIBOLD, wrap=True)
        self._meaning = label("", 12, role="muted", wrap=True)
        self._pages = [(WholeText("", 13), Elided("", 11, role="faint")) for _ in "AB"]
        self.direction = label("", 12, role="muted", wrap=True)
        self.open_button = icon_button(theme, tr("Open in Review"), "review", self.review_asked.emit, "primary")
        self._figures = _column(7)
        self._steps_title = caption(tr("How this was decided"))
        self.steps = _column(5)
        self.verdict = VerdictPanel(theme, pair_looks())
        self._judge = UnitJudge(context, self.verdict)
        self.verdict.chosen.connect(self._judge.give)
        self.verdict.settled.connect(self._judge.settle)
        self._judge.recalled.connect(self.recalled)
        self._pair = QWidget()
        self._hint = label(
            tr(
                "Select a page or a line of the graph, a cell of the matrix or a row of the table to see what was "
                "found."
            ),
            13,
            role="muted",
            wrap=True,
        )
        self._build()
        ThemeWatch(self, theme, self._draw)
        self.clear()

    def _build(self) -> None:
        inside = _column(8, self._pair)
        inside.addLayout(row(self._sample, self.relation, spacing=10))
        inside.itemAt(0).layout().setStretch(1, 1)  # type: ignore[union-attr]
        inside.addWidget(self._meaning)
        inside.addSpacing(2)
        for letter, (title, where) in zip("AB", self._pages, strict=True):
            mark = label(letter, 12, role="tag", weight=SEMIBOLD)
            mark.setFixedSize(20, 20)
            mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
            lines = _column(1)
            lines.addWidget(title)
            lines.addWidget(where)
            both = row(spacing=9)
            both.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
            both.addLayout(lines, 1)
            inside.addLayout(both)
        inside.addWidget(self.direction)
        inside.addWidget(self.open_button)
        inside.addSpacing(4)
        inside.addWidget(self._steps_title)
        inside.addLayout(self.steps)
        inside.addWidget(caption(tr("Evidence")))
        inside.addLayout(self._figures)
        inside.addSpacing(4)
        inside.addWidget(self.verdict)
        body = QWidget()
        body.setObjectName("page")
        whole = _column(12, body)
        whole.setContentsMargins(16, 12, 14, 14)
        whole.addWidget(self.stitched)
        whole.addWidget(self._hint)
        whole.addWidget(self._pair)
        whole.addStretch(1)
        area = QScrollArea()
        scroll_down(area, body, see_through=True)
        layout = _column(0, self)
        layout.setContentsMargins(1, 1, 1, 1)
        self._title = heading(tr("Pair"))
        layout.addLayout(row(self._title, None, margins=(16, 10, 12, 8)))
        layout.addWidget(line())
        layout.addWidget(area, 1)

    def clear(self) -> None:
        """Show that no pair is selected."""
        self.flush()
        self.pair = None
        self._pair.hide()
        self._hint.show()

    def show_pair(self, pair: ShownPair) -> None:
        """Show a pair; its verdict follows once it has been read."""
        self.verdict.note.defer_change()
        self.pair = pair
        self._hint.hide()
        self._pair.show()
        self._judge.show_unit(Unit(pair.a.id, pair.b.id, keys=(pair.a.key, pair.b.key)), tr("a pair"))
        self._draw()

    def copy_titles(self) -> None:
        """Put the whole titles of the shown pair's pages, with their sites, on the clipboard."""
        if self.pair is not None:
            pages = ((item.title or item.id, item.site) for item in (self.pair.a, self.pair.b))
            lines = ("\t".join((letter, *page)) for letter, page in zip("AB", pages, strict=True))
            QGuiApplication.clipboard().setText("\n".join(lines))

    def flush(self) -> None:
        self.verdict.note.flush()

    def read_labels(self) -> None:
        """Read the labels of the shown pair again after they changed."""
        if self.pair is not None:
            self._judge.read()

    def give_verdict(self, value: str) -> None:
        """Give the shown pair a verdict."""
        if self.pair is not None:
            self._judge.give(value)

    def _draw(self) -> None:
        self.stitched.set_tokens(self._theme.tokens)
        if self.pair is None:
            return
        pair, tokens = self.pair.pair, self._theme.tokens
        name, evidence = pair.relation or "", pair.evidence
        self._sample.show_class(name, tokens)
        self.relation.setText(relation_word(name))
        self._meaning.setText(relation_meaning(name))
        self._meaning.setVisible(bool(self._meaning.text()))
        for (title, where), item in zip(self._pages, (self.pair.a, self.pair.b), strict=True):
            title.set_text(item.title or item.id)
            dated = published_words(item.published, item.dated_by)
            parts = (item.site, role_word(item.role), dated, item.id if item.title else "")
            where.set_text(" · ".join(part for part in parts if part))
        self._draw_words(pair, self.pair.links)
        numbers = {
            key: value for key, value in evidence.items() if key not in _TEXT_EVIDENCE and (value or key not in _SPARE)
        }
        show_figures(self._figures, _figure_words(pair, numbers), tokens.accent, tokens)

    def _draw_words(self, pair: Pair, texts: LinkTexts) -> None:
        evidence = pair.evidence
        sentence = direction_sentence(*(evidence.get(name) or "" for name in DIRECTION_EVIDENCE))
        parts = [sentence] if sentence else []
        links = links_word(bool(evidence.get("link_ab")), bool(evidence.get("link_ba")))
        parts += [f"{tr('Links')} {links}"] if links else []
        for there, arrow in ((texts.a_to_b, "A → B"), (texts.b_to_a, "B → A")):
            parts += [tr("{arrow}: “{text}”", arrow=arrow, text=_shortened(text)) for text in there[:_LINKS]]
            parts += [tr("{number} more", number=len(there) - _LINKS)] if len(there) > _LINKS else []
        self.direction.setText(" · ".join(parts))
        self.direction.setVisible(bool(parts))
        clear(self.steps)
        steps = decision_steps(evidence.get("decision", ""))
        if steps and pair.relation:
            steps.append(tr("Relation: {name}", name=relation_word(pair.relation)))
        for number, step in enumerate(steps, 1):
            self.steps.addWidget(_step(number, step))
        self._steps_title.setVisible(bool(steps))


def _figure_words(pair: Pair, numbers: dict[str, object]) -> list[FigureWords]:
    """The figures of a pair; if it has passages, also their coverage."""
    from dataclasses import replace

    words = [
        w._replace(name=tr("Simpson"), note=tr("share of the smaller")) if _is_simpson(pair, w) else w
        for w in pair_words(replace(pair, evidence=numbers))
    ]
    if pair.matches:
        words.append(FigureWords(tr("Matches"), "", f"{pair.matches:,}", None))
        words.append(FigureWords(tr("Covered"), tr("characters of A"), f"{pair.covered_a:,}", None))
        words.append(FigureWords(tr("Covered"), tr("characters of B"), f"{pair.covered_b:,}", None))
    return words


def _shortened(text: str) -> str:
    return text if len(text) <= _LINK_CHARACTERS else text[:_LINK_CHARACTERS] + "…"


def _is_simpson(pair: Pair, words: FigureWords) -> bool:
    """Whether the figure is the containment in the smaller page, by which the method decides relations."""
    return "decision" in pair.evidence and words.name == tr("Containment")


def _step(number: int, words: str) -> QLabel:
    text = label(f"{number}.  {words}", 12, wrap=True)
    text.setAccessibleName(words)
    return text


def _column(spacing: int, parent: QWidget | None = None) -> QVBoxLayout:
    layout = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    return layout
