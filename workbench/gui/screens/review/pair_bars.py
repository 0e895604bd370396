"""The bars above the two texts: titles, sources, layers, finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, pairwise

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QKeyEvent, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QLineEdit, QMenu, QSizePolicy, QToolButton, QWidget

from workbench.base.messages import rate
from workbench.base.types import IntegrityFlag, Span, Tier
from workbench.gui.document.view import DocumentView
from workbench.gui.i18n import say, tr, trn
from workbench.gui.kit.cues import recognised_look, tier_look
from workbench.gui.kit.figures import Swatch
from workbench.gui.kit.tips import give_tips
from workbench.gui.kit.widgets import Elided, IconButton, ThemeWatch, label, line, row, tag
from workbench.gui.problems import guarded, painting
from workbench.gui.theme.fonts import MEDIUM, SEMIBOLD, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import TIERS
from workbench.gui.workspace.actions import ActionSet
from workbench.services.review.pairs import RankedSource
from workbench.text.disguises import in_words
from workbench.text.finding import find_all

_GAP = 3
LAYERS = (*TIERS, "differences", "words", "sources", "cited", "ignored", "regions", "spread", "compared")
OFF_AT_FIRST = frozenset({"spread", "compared"})
"""Layers that are initially off: the first reads the whole project, the second replaces characters."""


class LayerButton(QToolButton):
    """A legend entry: swatch, name and count; pressing it toggles the layer."""

    def __init__(self, theme: Theme, swatch: Swatch, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "flat")
        self.setCheckable(True)
        self.setChecked(True)
        self._swatch = swatch
        self._words = label("", 12)
        self._count = label("", 12, role="faint", tabular=True)
        layout = self._row = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 7, 2)
        layout.setSpacing(5)
        for part in (swatch, self._words, self._count):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            layout.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.toggled.connect(self._faint)
        ThemeWatch(self, theme, lambda: swatch.set_tokens(theme.tokens))
        self.set_name(name)

    def set_name(self, name: str) -> None:
        """Name the layer."""
        self._name = name
        self.setAccessibleName(name)
        self._words.setText(name)
        self._fit()

    def set_count(self, count: int | None) -> None:
        """Show the count (None: no number)."""
        self._count.setText("" if count is None else f"{count:,}")
        self._count.setVisible(count is not None)
        self.setAccessibleDescription("" if count is None else f"{count:,}")
        self._fit()

    def sample(self) -> QPixmap:
        """A pixmap of its swatch."""
        return self._swatch.grab()

    def words(self) -> str:
        """The name and count of the layer."""
        return f"{self._name}   {self._count.text()}".rstrip()

    def _fit(self) -> None:
        self._row.invalidate()
        self.setFixedSize(self._row.sizeHint().width(), 28)

    def _faint(self, on: bool) -> None:
        face = font(12)
        face.setStrikeOut(not on)
        self._words.setFont(face)
        self._swatch.setEnabled(on)


@guarded
class PairToolbar(QFrame):
    """``layers_changed`` emits the names (of LAYERS) that are shown."""

    layers_changed = Signal(object)

    def __init__(self, theme: Theme, actions: ActionSet) -> None:
        """The buttons trigger ``actions`` of the review."""
        super().__init__()
        run = actions.run
        self._position = label("", 12, weight=MEDIUM, tabular=True)
        self._position.setMinimumWidth(64)
        self._position.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 8, 3)
        layout.setSpacing(3)
        self.previous = IconButton(theme, "caret-left", tr("Previous match"), lambda: run("review.previous"))
        self.next = IconButton(theme, "caret-right", tr("Next match"), lambda: run("review.next"))
        for part in (self.previous, self._position, self.next, line(vertical=True)):
            layout.addWidget(part)
        layout.addSpacing(4)
        tokens = theme.tokens
        self.layers: dict[str, LayerButton] = {
            **{TIERS[t]: LayerButton(theme, Swatch(tokens, t), tier_look(t).words) for t in Tier},
            "differences": LayerButton(theme, Swatch(tokens, difference="replaced"), tr("Differences")),
            "words": LayerButton(theme, Swatch(tokens, difference="phrase"), tr("Words")),
            "sources": LayerButton(theme, Swatch(tokens, source=2), tr("Other sources")),
            "cited": LayerButton(theme, Swatch(tokens, cue="hatching"), tr("Quotations, references, notes")),
            "ignored": LayerButton(theme, Swatch(tokens), tr("Ignored")),
            "regions": LayerButton(theme, Swatch(tokens, cue="region"), tr("Trustable regions")),
            "spread": LayerButton(theme, Swatch(tokens, cue="bar"), tr("Also in other documents")),
            "compared": LayerButton(theme, Swatch(tokens, cue="compared"), tr("What was compared")),
        }
        self._offered = set(self.layers)
        """Layers with content for the open pair."""
        for name in OFF_AT_FIRST:
            self.layers[name].setChecked(False)
        self.more = self._menu_button()
        legend = QWidget()
        legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        legend.setLayout(row(*self.layers.values(), self.more, None, spacing=_GAP))
        self._legend = legend
        legend.installEventFilter(self)
        for button in self.layers.values():
            button.toggled.connect(lambda _on: self.layers_changed.emit(self.shown_layers()))
        layout.addWidget(legend, 1)
        self.sync = self._toggle(theme, "link", tr("Scroll together"), "review.sync", run)
        self.dots = self._toggle(theme, "relations", tr("Dot plot"), "review.dot-plot", run)
        self.curve = self._toggle(theme, "evaluate", tr("Edits against position"), "review.curve", run)
        self.merged = self._toggle(theme, "layers", tr("Neighbouring matches as one passage"), "review.parts", run)
        self.sync.setChecked(True)
        self.merged.setChecked(True)
        tools = {
            "review.parts": self.merged,
            "review.sync": self.sync,
            "review.dot-plot": self.dots,
            "review.curve": self.curve,
            "review.swap": IconButton(theme, "swap", tr("Swap panes"), lambda: run("review.swap")),
            "review.table": IconButton(theme, "documents", tr("All matches"), lambda: run("review.table")),
            "review.find": IconButton(theme, "search", tr("Find in documents"), lambda: run("review.find")),
            "review.report": IconButton(theme, "export", tr("Report on this suspect…"), lambda: run("review.report")),
        }
        layout.addSpacing(8)
        for part in tools.values():
            layout.addWidget(part)
        give_tips(actions, {"review.previous": self.previous, "review.next": self.next} | tools)

    @staticmethod
    def _toggle(theme: Theme, icon: str, tip: str, action: str, run: Callable[[str], object]) -> IconButton:
        button = IconButton(theme, icon, tip)
        button.setCheckable(True)
        button.clicked.connect(lambda _on=False: run(action))
        return button

    def _menu_button(self) -> QToolButton:
        """A button with a menu of all layers, including those without a button of their own."""
        layers = QToolButton()
        layers.setProperty("kind", "flat")
        layers.setText(tr("Layers"))
        layers.setFont(font(12))
        layers.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(layers)
        menu.aboutToShow.connect(lambda: self._list(menu))
        layers.setMenu(menu)
        return layers

    def _list(self, menu: QMenu) -> None:
        menu.clear()
        for name, button in self.layers.items():
            if name in self._offered:
                # A menu shows the picture instead of the check mark.
                mark = "✓" if button.isChecked() else "\u2007"
                words = f"{mark}  {button.words()}".replace("&", "&&")
                action = menu.addAction(QIcon(button.sample()), words)
                action.setCheckable(True)
                action.setChecked(button.isChecked())
                action.toggled.connect(button.setChecked)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show as many layers side by side as fit."""
        if watched is self._legend and event.type() == QEvent.Type.Resize:
            self._fit_legend()
        return super().eventFilter(watched, event)

    def _fit_legend(self) -> None:
        """Show the layers whose names fit; the others are only in the menu."""
        room = self._legend.width() - self.more.sizeHint().width() - _GAP
        for name, button in self.layers.items():
            fits = name in self._offered and button.width() + _GAP <= room
            button.setVisible(fits)
            room = room - button.width() - _GAP if fits else room if name not in self._offered else 0

    def shown_layers(self) -> frozenset[str]:
        """Names of the layers switched on."""
        return frozenset(name for name, button in self.layers.items() if button.isChecked())

    def switch_layers(self, names: Iterable[object], *, on: bool) -> None:
        """Switch the layers ``names`` on or off; anything else is ignored."""
        for name in names:
            if isinstance(name, str) and name in self.layers:
                self.layers[name].setChecked(on)

    def offers(self, name: str) -> bool:
        """Whether the layer ``name`` has content for the open pair."""
        return name in self._offered

    def show_count(self, name: str, count: int | None) -> None:
        """Show the count of the layer ``name`` (None: no number); an empty layer is not offered."""
        self.layers[name].set_count(count)
        self._offered = self._offered | {name} if count is None or count else self._offered - {name}
        self._fit_legend()

    def follow_counts(self, tiers: tuple[int, int, int], other: int) -> None:
        """Show counts after the threshold; a layer whose matches it hides is still offered."""
        for name, count in (*zip(TIERS, tiers, strict=True), ("sources", other)):
            self.layers[name].set_count(count if name in self._offered else None)
        self._fit_legend()

    def show_position(self, place: int, total: int) -> None:
        """Show "5 of 9"; ``place`` is 0 if no match is chosen."""
        words = tr("{place} of {total}", place=f"{place:,}" if place else "–", total=f"{total:,}") if total else "–"
        self._position.setText(words)
        self._position.setAccessibleName(tr("Passage {words}", words=words))
        self.previous.setEnabled(total > 0)
        self.next.setEnabled(total > 0)

    def show_counts(
        self,
        tiers: tuple[int, int, int],
        other: int,
        *,
        ignored: bool,
        regions: int,
        translated: bool,
        recognised: bool = False,
    ) -> None:
        """Show counts in the legend; empty layers are left out. ``translated``: the texts are in two languages, so
        their words are not compared. ``recognised``: equal passages are in text read from pictures.
        """
        self.layers[TIERS[Tier.FOLDED]].set_name((recognised_look if recognised else tier_look)(Tier.FOLDED).words)
        self.layers[TIERS[Tier.ALTERED]].set_name(tier_look(Tier.ALTERED, translated=translated).words)
        for name, count in zip(TIERS, tiers, strict=True):
            self.show_count(name, count)
        self.show_count("sources", other)
        self.show_count("regions", regions)
        changed, altered = tiers[1] + tiers[2] > 0 and not translated, tiers[2] > 0 and not translated
        for name, some in (("ignored", ignored), ("differences", changed), ("words", altered)):
            self.show_count(name, None if some else 0)
        for name in ("cited", "spread", "compared"):
            self.show_count(name, None)


@guarded
class FindBar(QFrame):
    """Searches both panes; steps through the hits of the pane used last."""

    closed = Signal()

    def __init__(self, theme: Theme, left: DocumentView, right: DocumentView) -> None:
        super().__init__()
        self.setObjectName("well")
        self._panes = (left, right)
        self.pane = left
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find in both documents"))
        self.field.setAccessibleName(tr("Find"))
        self.field.textChanged.connect(lambda _text: self._search())
        self._count = label("", 12, role="muted", tabular=True)
        self.setLayout(
            row(
                self.field,
                self._count,
                IconButton(theme, "caret-up", tr("Previous hit"), lambda: self.step(-1)),
                IconButton(theme, "caret-down", tr("Next hit"), lambda: self.step(1)),
                IconButton(theme, "close", tr("Close"), self.leave),
                margins=(8, 5, 6, 5),
                spacing=6,
            )
        )
        self.hide()

    def open(self, pane: DocumentView) -> None:
        """Show the bar for ``pane``, with the text selected in it."""
        self.pane = pane
        chosen = pane.selected_text()
        self.show()
        if chosen and "\n" not in chosen:
            self.field.setText(chosen[:200])
        self.field.setFocus()
        self.field.selectAll()
        self._search()

    def leave(self) -> None:
        """Hide the bar and the hits; the keyboard goes back to the text."""
        self.hide()
        for pane in self._panes:
            pane.set_search_hits(*find_all("", ""), -1)
        self.pane.setFocus()
        self.closed.emit()

    def refresh(self) -> None:
        """Search again (other documents were opened)."""
        if self.isVisible():
            self._search()

    def _search(self) -> None:
        needle = self.field.text()
        for pane in self._panes:
            starts, ends = find_all(pane.lines.text, needle)
            pane.set_search_hits(starts, ends, -1)
        if needle:
            self._go(int(np.searchsorted(self.pane.search_hits[0], self.pane.selection.start)))
        self._tell()

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) hit of the pane used last; wrapping around at the end."""
        if not self.isVisible() and self.field.text():
            self.show()
            self._search()
            return
        starts, _ = self.pane.search_hits
        if len(starts):
            at = self.pane.current_hit
            self._go((at + by) % len(starts) if at >= 0 else 0)
        self._tell()

    def _go(self, at: int) -> None:
        starts, ends = self.pane.search_hits
        if not len(starts):
            return
        at %= len(starts)
        self.pane.set_search_hits(starts, ends, at)
        self.pane.set_caret(int(starts[at]), scroll=False)
        self.pane.reveal(int(starts[at]), int(ends[at]))

    def _tell(self) -> None:
        left, right = (len(p.search_hits[0]) for p in self._panes)
        at = self.pane.current_hit + 1
        here, there = (left, right) if self.pane is self._panes[0] else (right, left)
        if not self.field.text():
            self._count.setText("")
            return
        words = tr("{at} of {here} here, {there} in the other pane", at=f"{at:,}", here=f"{here:,}", there=f"{there:,}")
        starts, ends = self.pane.search_hits
        place = self.pane.cited(int(starts[at - 1]), int(ends[at - 1])) if at else ""
        self._count.setText(f"{place} · {words}" if place else words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes; Enter in the field steps forward, Shift+Enter back."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.field.hasFocus():
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)


_SHOWN = 5
"""Maximum number of sources with a button of their own; the menu lists all."""


@guarded
class SourceChip(QAbstractButton):
    """A button for a source: its number in its colour, and its title."""

    def __init__(self, theme: Theme, item: RankedSource) -> None:
        super().__init__()
        self._theme, self.item = theme, item
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        count = trn("{count} match", "{count} matches", item.matches) if item.matches else rate(item.best)
        self.setAccessibleName(
            tr("Source {number}: {title}, {count}", number=item.number, title=item.title, count=count)
        )
        self.setToolTip(f"{item.title}\n{count}")

    def sizeHint(self) -> QSize:
        text = QFontMetrics(font(12, language=self.item.language)).horizontalAdvance(self.item.title)
        return QSize(min(190, text + 46), 24)

    def minimumSizeHint(self) -> QSize:
        """The number and the beginning of the title must be visible."""
        return QSize(min(92, self.sizeHint().width()), 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A pill with the number on its colour."""
        tokens = self._theme.tokens
        with painting(self) as painter:
            area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            colour = tokens.source(self.item.number)
            painter.setPen(
                QPen(QColor(tokens.accent if self.hasFocus() else colour if self.isChecked() else tokens.border), 1)
            )
            painter.setBrush(QColor(tokens.accent_soft if self.isChecked() else tokens.surface))
            painter.drawRoundedRect(area, 12, 12)
            spot = QRectF(4, 4, 16, 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(spot, 8, 8)
            painter.setPen(QColor(tokens.surface))
            painter.setFont(font(10, SEMIBOLD, tabular=True))
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, str(self.item.number))
            face = font(12, MEDIUM if self.isChecked() else font().weight(), language=self.item.language)
            painter.setFont(face)
            painter.setPen(QColor(tokens.text if self.isChecked() else tokens.text2))
            room = self.width() - 36
            cut = QFontMetrics(face).elidedText(self.item.title, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(26, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, cut)


@guarded
class SourceStrip(QFrame):
    """Shown only if a suspect has more than one source, with as many buttons as there is room for; a menu lists all.
    ``chosen`` emits the source's key.

    ``menu_asked`` emits a source's key and the screen position of the requested menu.
    """

    chosen = Signal(int)
    menu_asked = Signal(int, QPoint)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        # However many sources there are, the panes keep their widths.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        self._parts: list[QWidget] = []
        self.everything = QToolButton(self)
        self.everything.setProperty("kind", "flat")
        self.everything.setText(tr("All…"))
        self.everything.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.chips: list[SourceChip] = []
        self._others = False
        self.hide()

    def show_sources(self, sources: Sequence[RankedSource], opened: int) -> None:
        """List ``sources``; the one whose key is ``opened`` is marked."""
        for part in self._parts:
            self._layout.removeWidget(part)
            part.hide()
            part.deleteLater()
        while self._layout.count():
            self._layout.takeAt(0)
        self._parts, self.chips = [], []
        self.setVisible(len(sources) > 1)
        if len(sources) < 2:
            return
        number = Elided(trn("{count} source", "{count} sources", len(sources)), 12, role="muted")
        number.setMaximumWidth(number.fontMetrics().horizontalAdvance(number.text()) + 4)
        self._add(number)
        self._layout.setStretchFactor(number, 1000)
        first = list(sources[:_SHOWN])
        first += [s for s in sources[_SHOWN:] if s.key == opened]
        for item in first:
            chip = SourceChip(self._theme, item)
            chip.setChecked(item.key == opened)
            chip.clicked.connect(lambda _on=False, key=item.key: self.chosen.emit(key))
            chip.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            chip.customContextMenuRequested.connect(
                lambda at, chip=chip: self.menu_asked.emit(chip.item.key, chip.mapToGlobal(at))
            )
            self.chips.append(chip)
            self._add(chip)
        # Widgets added later come last in the tab order, wherever they are; the permanent button marks the place.
        for before, after in pairwise((self.everything, *self.chips, self.everything)):
            self.setTabOrder(before, after)
        self._layout.addWidget(self.everything)
        self._layout.addStretch(1)
        self._list(sources, opened)
        self._others = len(sources) > len(first)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many buttons as fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hide the last buttons for which there is no room, but never that of the source that is open."""
        spacing = self._layout.spacing()
        needs = [chip.minimumSizeHint().width() + spacing for chip in self.chips]
        room = self.width() - sum(need for need, chip in zip(needs, self.chips, strict=True) if chip.isChecked())
        if self._others or sum(needs) > self.width():
            room -= self.everything.sizeHint().width()
        for need, chip in zip(needs, self.chips, strict=True):
            room -= 0 if chip.isChecked() else need
            chip.setVisible(chip.isChecked() or room >= 0)
        self.everything.setVisible(self._others or any(chip.isHidden() for chip in self.chips))

    def _list(self, sources: Sequence[RankedSource], opened: int) -> None:
        if (old := self.everything.menu()) is not None:
            old.deleteLater()
        menu = QMenu(self.everything)
        for item in sources:
            figure = f"{item.matches:,}" if item.matches else rate(item.best)
            words = f"{item.number}  {item.title}  ({figure})".replace("&", "&&")
            action = menu.addAction(words)
            action.triggered.connect(lambda _on=False, key=item.key: self.chosen.emit(key))
            action.setCheckable(True)
            action.setChecked(item.key == opened)
        self.everything.setMenu(menu)

    def _add(self, part: QWidget) -> None:
        self._parts.append(part)
        self._layout.addWidget(part)


def page_button() -> QToolButton:
    """A button that switches a pane between the text of a document and its pages."""
    button = QToolButton()
    button.setProperty("kind", "flat")
    button.setText(tr("Page view"))
    button.setFont(font(12))
    button.setCheckable(True)
    button.setToolTip(tr("Show the pages as they were printed, or their text"))
    button.setAccessibleName(tr("Page view"))
    button.hide()
    return button


class SignsButton(QToolButton):
    """The number of unusual characters of a document; each click goes to the next one."""

    chosen = Signal(object)
    """Emits the span of a character."""

    def __init__(self) -> None:
        super().__init__()
        self._places: Iterator[Span] = iter(())
        self.setProperty("kind", "flat")
        self.setFont(font(12))
        self.clicked.connect(self._choose_next)
        self.hide()

    def show_flags(self, flags: Sequence[IntegrityFlag]) -> None:
        """Show the ``flags`` of a document; hidden if there are none."""
        spans = sorted(span for flag in flags for span in flag.spans)
        self._places = cycle(spans)
        kinds = "\n".join(say(in_words(flag)) for flag in flags)
        self.setText(trn("{count} unusual", "{count} unusual", sum(flag.characters for flag in flags)))
        self.setToolTip("\n".join((kinds, tr("Show the next one"))) if spans else kinds)
        self.setAccessibleName(kinds)
        self.setVisible(bool(flags))

    def _choose_next(self) -> None:
        if (span := next(self._places, None)) is not None:
            self.chosen.emit(span)


@guarded
class PaneTitle(QWidget):
    """Title, language, unusual characters and length, above a pane."""

    def __init__(self) -> None:
        super().__init__()
        self._title = Elided("", 13, weight=SEMIBOLD)
        self._language = tag("")
        self._removed = tag("")
        self._removed.hide()
        self.signs = SignsButton()
        self._length = label("", 12, role="faint", tabular=True)
        layout = row(self._title, self._language, self._removed, self.signs, self._length, None, spacing=8)
        layout.setStretch(0, 1000)
        self.setLayout(layout)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the length if the title needs the space."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """In a narrow pane the title comes first, then what happened to the document, then its language."""
        wide = self.width() >= 250
        self._length.setVisible(wide)
        self._language.setVisible(wide or self._removed.isHidden())

    def show_document(self, title: str, language: str, length: int) -> None:
        """Name a document of ``length`` code points."""
        self._title.setFont(font(13, SEMIBOLD, language=language))
        self._title.setMaximumWidth(self._title.fontMetrics().horizontalAdvance(title) + 4)
        self._title.set_text(title)
        self._language.setText(language)
        self._length.setText(trn("{count} character", "{count} characters", length))

    def show_removed(self, removed: bool, *, replaced: bool) -> None:
        """Show whether the document was removed from the project, or ``replaced`` by a newer version."""
        self._removed.setText(tr("earlier version") if replaced else tr("removed"))
        self._removed.setToolTip(
            tr("The project has a newer version of this document. Verdicts given here are about this text.")
            if replaced
            else tr("This document was removed from the project. Its text and its verdicts are kept.")
        )
        self._removed.setVisible(removed)
        self._fit()
