"""Above the panes: stepping through matches, the legend that switches layers, view buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

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

_GAP = 3
LAYERS = (*TIERS, "differences", "words", "sources", "cited", "ignored", "regions", "spread", "compared")
OFF_AT_FIRST = frozenset({"spread", "compared"})
"""Layers that are shown when asked for: the first reads the whole project, the second changes the letters."""


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

    def sample(self) -> QPixmap:
        """A picture of its swatch."""
        return self._swatch.grab()

    def words(self) -> str:
        """Its name and how many there are."""
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
            "cited": LayerButton(theme, Swatch(tokens, cue="hatching"), tr("Quotations, references, notes")),
            "ignored": LayerButton(theme, Swatch(tokens), tr("Ignored")),
            "regions": LayerButton(theme, Swatch(tokens, cue="region"), tr("Trustable regions")),
            "spread": LayerButton(theme, Swatch(tokens, cue="bar"), tr("In other documents, too")),
            "compared": LayerButton(theme, Swatch(tokens, cue="compared"), tr("What the computer compared")),
        }
        self._offered = set(self.layers)
        """Layers that the open pair has something for."""
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
        """Opens a menu of all layers, also of those without a button of their own."""
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
                # A menu shows the picture in place of the check mark.
                mark = "✓" if button.isChecked() else "\u2007"
                words = f"{mark}  {button.words()}".replace("&", "&&")
                action = menu.addAction(QIcon(button.sample()), words)
                action.setCheckable(True)
                action.setChecked(button.isChecked())
                action.toggled.connect(button.setChecked)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """As many layers beside each other as there is room for."""
        if watched is self._legend and event.type() == QEvent.Type.Resize:
            self._fit_legend()
        return super().eventFilter(watched, event)

    def _fit_legend(self) -> None:
        """Layers are named at any width: those whose name does not fit are in the menu alone."""
        room = self._legend.width() - self.more.sizeHint().width() - _GAP
        for name, button in self.layers.items():
            fits = name in self._offered and button.width() + _GAP <= room
            button.setVisible(fits)
            room = room - button.width() - _GAP if fits else room if name not in self._offered else 0

    def shown_layers(self) -> frozenset[str]:
        """Names of the layers switched on."""
        return frozenset(name for name, button in self.layers.items() if button.isChecked())

    def switch_layers(self, names: Iterable[object], *, on: bool) -> None:
        """Switch the layers ``names`` on or off; anything else is passed over."""
        for name in names:
            if isinstance(name, str) and name in self.layers:
                self.layers[name].setChecked(on)

    def offers(self, name: str) -> bool:
        """Whether the open pair has something for the layer ``name``."""
        return name in self._offered

    def show_count(self, name: str, count: int | None) -> None:
        """How many of the layer ``name`` there are (None: no number); without any it is not offered."""
        self.layers[name].set_count(count)
        self._offered = self._offered | {name} if count is None or count else self._offered - {name}
        self._fit_legend()

    def follow_counts(self, tiers: tuple[int, int, int], other: int) -> None:
        """Counts of what the threshold leaves; a layer whose matches it all hides stays offered."""
        for name, count in (*zip(TIERS, tiers, strict=True), ("sources", other)):
            self.layers[name].set_count(count if name in self._offered else None)
        self._fit_legend()

    def show_position(self, place: int, total: int) -> None:
        """Say "5 of 9"; ``place`` 0 while none is chosen."""
        words = tr("{place} of {total}", place=f"{place:,}" if place else "–", total=f"{total:,}") if total else "–"
        self._position.setText(words)
        self._position.setAccessibleName(tr("Passage {words}", words=words))
        self.previous.setEnabled(total > 0)
        self.next.setEnabled(total > 0)

    def show_counts(self, tiers: tuple[int, int, int], other: int, *, ignored: bool, regions: int) -> None:
        """Counts beside the legend; layers with nothing to show are left out."""
        for name, count in zip(TIERS, tiers, strict=True):
            self.show_count(name, count)
        self.show_count("sources", other)
        self.show_count("regions", regions)
        for name, some in (("ignored", ignored), ("differences", tiers[1] + tiers[2] > 0), ("words", tiers[2] > 0)):
            self.show_count(name, None if some else 0)
        for name in ("cited", "spread", "compared"):
            self.show_count(name, None)
