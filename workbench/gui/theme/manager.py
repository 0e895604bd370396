"""The current theme: light, dark, or the system's; announces changes, and tints the icons."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import shiboken6
from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget

from workbench.base.resources import cache_dir, resource
from workbench.gui.problems import painting
from workbench.gui.theme import fonts as font_module
from workbench.gui.theme import style
from workbench.gui.theme.tokens import DARK, LIGHT, Tokens, by_name

_SCALES = (1.0, 2.0)


def names() -> list[str]:
    """Names of all icons."""
    return sorted(path.stem for path in resource("icons").glob("*.svg"))


@lru_cache(maxsize=2048)
def pixmap(name: str, colour: str, size: int = 18, scale: float = 1.0) -> QPixmap:
    """Icon ``name`` in ``colour`` (``#RRGGBB``), ``size`` logical pixels at device pixel ratio ``scale``."""
    drawn = QPixmap(round(size * scale), round(size * scale))
    drawn.fill(Qt.GlobalColor.transparent)
    with painting(drawn) as painter:
        QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode())).render(
            painter, QRectF(0, 0, drawn.width(), drawn.height())
        )
    drawn.setDevicePixelRatio(scale)
    return drawn


def icon(name: str, colour: str, disabled: str = "", on: str = "") -> QIcon:
    """Icon ``name`` tinted ``colour``; ``disabled`` and ``on`` (checked) tint those states."""
    picture = QIcon()
    for scale in _SCALES:
        picture.addPixmap(pixmap(name, colour, 18, scale))
        if disabled:
            picture.addPixmap(pixmap(name, disabled, 18, scale), QIcon.Mode.Disabled)
        if on:
            for mode in (QIcon.Mode.Normal, QIcon.Mode.Active):
                picture.addPixmap(pixmap(name, on, 18, scale), mode, QIcon.State.On)
    return picture


def write_tinted(name: str, colour: str, folder: Path) -> str:
    """Write icon ``name`` tinted ``colour`` into ``folder`` for the style sheet; returns the path with slashes.

    If it cannot be written, it is not drawn: a full disk must not keep the window from opening.
    """
    path = folder / f"{name}-{colour[1:]}.svg"
    tinted = _source(name).replace("currentColor", colour)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != tinted:
            path.write_text(tinted, encoding="utf-8")
    return path.as_posix()


@lru_cache(maxsize=128)
def _source(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


MODES = ("system", "light", "dark")
SLICE_MS = 8
"""Milliseconds per time slice for updating hidden widgets after a change."""


class Theme(QObject):
    """Has ``tokens``, ``fonts`` and ``sheet``; emits ``changed`` after the application has switched to a new theme.

    ``mode`` is one of MODES. Tinted pictures for the style sheet are written to ``pictures``. The style sheet belongs
    to the parts of the window (:func:`workbench.gui.kit.widgets.apply_style`): Qt takes five times as long for an
    application-wide one, which also slows down every new widget.
    """

    changed = Signal()

    def __init__(self, mode: str = "system", pictures: Path | None = None) -> None:
        super().__init__()
        self.fonts: ModuleType = font_module
        self._pictures = pictures or cache_dir() / "theme"
        self.mode = mode if mode in MODES else "system"
        self.tokens: Tokens = LIGHT
        self.sheet = ""
        self._parts: list[QWidget] = []
        """Parts that follow a change one by one."""
        self._outdated: list[QWidget] = []
        """Visible ones among them that have not yet followed."""
        self._waiting: dict[Callable[[], object], QWidget] = {}
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._follow)
        self._apply_preference()
        hints = QApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)

    def set_mode(self, mode: str) -> None:
        """Switch to "system", "light" or "dark"."""
        self.mode = mode if mode in MODES else "system"
        self.apply()

    def toggle(self) -> None:
        """Switch from light to dark or back."""
        self.set_mode("light" if self.tokens.name == "dark" else "dark")

    def apply(self) -> None:
        """Apply this theme's palette and font to the application, its style sheet to the parts, and notify the
        widgets.
        """
        self._apply_preference()
        application = QApplication.instance()
        if not isinstance(application, QApplication):
            return
        if application.style().name() != "fusion":
            application.setStyle("Fusion")
        if sys.platform == "win32" and application.styleSheet() != style.PLAIN_TIPS:
            # There, a tooltip gets the style sheet of its widget only after its text.
            application.setStyleSheet(style.PLAIN_TIPS)
        self._parts = [part for part in self._parts if shiboken6.isValid(part)]
        self._outdated += [part for part in self._parts if part.isVisible() and part not in self._outdated]
        for part in self._outdated:
            # The new palette would redraw all of them in one event, in the old colours.
            part.setUpdatesEnabled(False)
        application.setPalette(style.palette(self.tokens))
        application.setFont(font_module.font())
        images = {name: write_tinted(name, self.tokens.text3, self._pictures) for name in ("caret-down", "caret-up")}
        images["check-on"] = write_tinted("check", self.tokens.accent_text, self._pictures)
        images["check-some"] = write_tinted("minus", self.tokens.accent, self._pictures)
        self.sheet = style.sheet(self.tokens, images)
        self.changed.emit()
        self._slices.start()

    def add_part(self, part: QWidget) -> None:
        """Register ``part``: after a change, it and its children are updated in one time slice, and only then drawn."""
        self._parts.append(part)

    def in_outdated(self, widget: QWidget) -> bool:
        """Whether ``widget`` is in a visible part not yet updated to the latest change."""
        return any(part is widget or part.isAncestorOf(widget) for part in self._outdated if shiboken6.isValid(part))

    def later(self, widget: QWidget, follow: Callable[[], object]) -> None:
        """Call ``follow`` soon, if ``widget`` (hidden or in an outdated part) still exists, to update it to the latest
        change.
        """
        self._waiting[follow] = widget
        self._slices.start()

    def catch_up(self, part: QWidget) -> None:
        """Update everything in ``part`` to the latest change now, because it is about to be shown."""
        self._follow_in(part)
        for shown in [w for w in self._outdated if shiboken6.isValid(w) and (w is part or part.isAncestorOf(w))]:
            self._outdated.remove(shown)
            shown.setUpdatesEnabled(True)

    def _follow_in(self, part: QWidget) -> bool:
        """Update ``part``; returns whether there was anything to update in it."""
        late = [f for f, w in self._waiting.items() if shiboken6.isValid(w) and (w is part or part.isAncestorOf(w))]
        for follow in late:
            del self._waiting[follow]
            follow()
        return bool(late)

    def _follow(self) -> None:
        if self._outdated:
            part = self._outdated[0]
            if not shiboken6.isValid(part):
                self._outdated.remove(part)
            elif not self._follow_in(part):
                self.catch_up(part)
            return
        until = time.perf_counter() + SLICE_MS / 1000
        while self._waiting and time.perf_counter() < until:
            follow = next(iter(self._waiting))
            if shiboken6.isValid(self._waiting.pop(follow)):
                follow()
        if not self._waiting:
            self._slices.stop()

    def colour(self, role: str) -> str:
        """The colour of token ``role`` as ``#RRGGBB``."""
        return str(getattr(self.tokens, role))

    def qcolor(self, role: str) -> QColor:
        """The colour of token ``role`` as a QColor."""
        return QColor(self.colour(role))

    def icon(self, name: str, role: str = "text2", on: str = "accent") -> QIcon:
        """Icon ``name`` tinted with token ``role``; ``on`` is the token when checked."""
        return icon(name, self.colour(role), self.tokens.border2, self.colour(on))

    def pixmap(self, name: str, role: str = "text2", size: int = 18, scale: float = 1.0) -> QPixmap:
        """Icon ``name`` as a pixmap of ``size`` logical pixels."""
        return pixmap(name, self.colour(role), size, scale)

    def _apply_preference(self) -> None:
        if self.mode == "system":
            dark = QApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            self.tokens = DARK if dark else LIGHT
        else:
            self.tokens = by_name(self.mode)

    def _system_changed(self) -> None:
        if self.mode == "system":
            self.apply()
