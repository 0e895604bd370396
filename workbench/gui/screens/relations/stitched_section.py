"""The sources a stitched page is assembled from."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout, QWidget

from workbench.base.percent import percent
from workbench.gui.i18n import tr, trn
from workbench.gui.kit.figures import Ring
from workbench.gui.kit.layouts import clear
from workbench.gui.kit.widgets import Elided, column, label, line, row
from workbench.gui.problems.guard import guarded, painting
from workbench.gui.screens.relations.run import RelationRun
from workbench.gui.theme.fonts import SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import Tokens
from workbench.services.relations.stitched import StitchedPage

_SHOWN = 30
"""Sources listed; the others are counted."""


@guarded
class SourceButton(QAbstractButton):
    """A source: its number, title and host, and the share of the page's content it covers."""

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
        """No preferred width."""
        return QSize(200, 54 if self._host else 38)

    def event(self, event: QEvent) -> bool:
        """Redraw when the pointer enters or leaves."""
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw number and title above, then the host, the bar below."""
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
    """A stitched page and its sources; hidden while none is shown. ``chosen`` carries a source's key."""

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
        covered = tr("{covered} of {total} characters", covered=f"{page.covered:,}", total=f"{page.length:,}")
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
        notes = [tr("and {count} more sources", count=f"{len(page.sources) - _SHOWN:,}")] * (len(page.sources) > _SHOWN)
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
