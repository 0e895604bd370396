"""Above the panes: stepping through matches, the legend that switches layers, view buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from workbench.base.types import Tier
from workbench.gui.i18n import tr
from workbench.gui.kit.cues import tier_look
from workbench.gui.kit.figures import Swatch
from workbench.gui.kit.parts import IconButton, ThemeWatch, label, line, row
from workbench.gui.kit.tips import give_tips
from workbench.gui.problems.guard import guarded
from workbench.gui.theme.fonts import MEDIUM, font
from workbench.gui.theme.manager import Theme
from workbench.gui.theme.tokens import TIERS
from workbench.gui.workspace.actions import ActionSet

_BUTTONS = 437
"""Logical pixels that the buttons beside the legend take."""
LAYERS = (*TIERS, "differences", "words", "sources", "ignored", "regions")


class LayerButton(QToolButton):
    """A legend entry: swatch, name, count; pressing it switches the layer."""

    def __init__(self, theme: Theme, swatch: Swatch, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "flat")
        self.setCheckable(True)
        self.setChecked(True)
        self._name = name
        self.setAccessibleName(name)
        self._swatch = swatch
        self._words = label(name, 12)
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
        self._fit()

    def set_count(self, count: int | None) -> None:
        """Show how many there are (None: no number)."""
        self._count.setText("" if count is None else f"{count:,}")
        self._count.setVisible(count is not None)
        self.setAccessibleDescription("" if count is None else f"{count:,}")
        self._fit()

    def set_compact(self, compact: bool) -> None:
        """Without its name, which then is the tip."""
        self._words.setVisible(not compact)
        self.setToolTip(self._name if compact else "")
        self._fit()

    def full_width(self) -> int:
        """Width with the name, logical pixels."""
        count = self._count.sizeHint().width() + 5 if self._count.text() else 0
        return 18 + 13 + 5 + self._words.sizeHint().width() + count

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
    """``layers_changed`` carries the names (of LAYERS) that are shown."""

    layers_changed = Signal(object)

    def __init__(self, theme: Theme, actions: ActionSet) -> None:
        """The buttons stand for ``actions`` of the review."""
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
            "ignored": LayerButton(theme, Swatch(tokens), tr("Ignored")),
            "regions": LayerButton(theme, Swatch(tokens, region=True), tr("Trustable regions")),
        }
        legend = QWidget()
        legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        beside = row(*self.layers.values(), None, spacing=3)
        legend.setLayout(beside)
        self._legend = legend
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names in the legend where there is room for all."""
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        shown = [b for b in self.layers.values() if not b.isHidden()]
        needed = sum(b.full_width() + 3 for b in shown)
        for button in self.layers.values():
            button.set_compact(needed > self.width() - _BUTTONS)

    def shown_layers(self) -> frozenset[str]:
        """Names of the layers switched on."""
        return frozenset(name for name, button in self.layers.items() if button.isChecked())

    def hide_layers(self, names: Iterable[str]) -> None:
        """Switch the layers ``names`` off."""
        for name in names:
            self.layers[name].setChecked(False)

    def show_position(self, place: int, total: int) -> None:
        """Say "5 of 9"; ``place`` 0 while none is chosen."""
        words = tr("{place} of {total}", place=f"{place:,}" if place else "–", total=f"{total:,}") if total else "–"
        self._position.setText(words)
        self._position.setAccessibleName(tr("Match {words}", words=words))
        self.previous.setEnabled(total > 0)
        self.next.setEnabled(total > 0)

    def show_counts(self, tiers: tuple[int, int, int], other: int, ignored: int, regions: int) -> None:
        """Counts beside the legend; layers with nothing to show are left out."""
        for name, count in zip(TIERS, tiers, strict=True):
            self.layers[name].set_count(count)
            self.layers[name].setVisible(count > 0)
        self.layers["sources"].set_count(other)
        self.layers["sources"].setVisible(other > 0)
        self.layers["ignored"].set_count(None)
        self.layers["ignored"].setVisible(ignored > 0)
        self.layers["regions"].set_count(regions)
        self.layers["regions"].setVisible(regions > 0)
        self.layers["differences"].set_count(None)
        self.layers["differences"].setVisible(tiers[1] + tiers[2] > 0)
        self.layers["words"].set_count(None)
        self.layers["words"].setVisible(tiers[2] > 0)
        self._fit_legend()
