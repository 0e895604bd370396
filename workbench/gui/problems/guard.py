"""No exception leaves a method that Qt calls, and no painter stays open after it.

Qt is written in C++ and cannot handle Python exceptions. If not caught, one in a handler ends whatever Python code
caused the event, or is lost; one in ``paintEvent`` leaves a painter open on a widget, which crashes the process.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, Flag
from functools import wraps
from types import FunctionType
from typing import Any, TypeVar, get_type_hints

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPaintDevice, QPainter, QPalette

from workbench.gui.i18n import tr
from workbench.gui.problems.recorder import recorder

Kind = TypeVar("Kind", bound=type)
_QT = ("PySide6.", "Shiboken.", "shiboken6.")
_PAD = 6


@contextmanager
def painting(device: QPaintDevice, *, smooth: bool = True) -> Iterator[QPainter]:
    """A painter on ``device`` that is always ended; ``smooth``: edges are antialiased."""
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
    try:
        yield painter
    finally:
        if painter.isActive():
            painter.end()


def begun(device: QPaintDevice) -> QPainter | None:
    """A painter on a ``device`` that is no widget, for longer than one event; None where it takes none.

    The caller calls :func:`ended` on it, whatever happens in between.
    """
    painter = QPainter()
    return painter if painter.begin(device) else None


def ended(painter: QPainter | None) -> None:
    """End what :func:`begun` returned."""
    if painter is not None and painter.isActive():
        painter.end()


@contextmanager
def restored(painter: QPainter) -> Iterator[None]:
    """Saves the state of ``painter`` and always restores it."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


@contextmanager
def recorded(action: str) -> Iterator[None]:
    """Records an exception of ``action`` and continues."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - one part's failure must not stop the others
        recorder().record(action, error)


def guarded(kind: Kind) -> Kind:
    """Class decorator: methods that override one of Qt's record an exception and return an empty value instead.

    If it is a paint method, the widget says that it could not be drawn. Every class of the window that overrides a Qt
    method has this decorator.
    """
    for name in overrides(kind):
        setattr(kind, name, _caught(kind.__name__, vars(kind)[name]))
    return kind


def overrides(kind: type) -> list[str]:
    """Names of the methods that ``kind`` itself defines and that override one of a Qt base class."""
    above = [base for base in kind.__mro__[1:] if f"{base.__module__}.".startswith(_QT)]
    return [
        name
        for name, member in vars(kind).items()
        if isinstance(member, FunctionType) and not name.startswith("__") and any(name in vars(b) for b in above)
    ]


def is_guarded(method: Callable[..., Any]) -> bool:
    """Whether :func:`guarded` has wrapped ``method``."""
    return hasattr(method, "_guarded")


def _caught(owner: str, method: FunctionType) -> Callable[..., Any]:
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *arguments, **named)
        except Exception as error:  # noqa: BLE001 - the boundary to Qt
            recorder().record(f"{owner}.{method.__name__}", error)
            with suppress(Exception):
                _say_so(self, method.__name__, arguments)
            return _empty(method)

    def slot(self: Any) -> Any:
        return call(self)

    # A signal passes a slot as many arguments as its code accepts.
    alone = len(inspect.signature(method).parameters) == 1
    wrapped = wraps(method)(slot if alone else call)
    wrapped._guarded = True  # type: ignore[attr-defined]
    return wrapped


def _empty(method: FunctionType) -> Any:
    """An empty value of the type ``method`` returns; None if there is no such value."""
    with suppress(Exception):
        kind = get_type_hints(method)["return"]
        if issubclass(kind, Flag):
            return kind(0)
        if issubclass(kind, Enum):
            return next(iter(kind))
        if kind in (bool, int, float, str, list) or f"{kind.__module__}.".startswith(_QT):
            return kind()
    return None


def _say_so(part: Any, method: str, arguments: tuple[Any, ...]) -> None:
    if method == "paintEvent":
        device = part.viewport() if hasattr(part, "viewport") else part
        with painting(device) as painter:
            draw_notice(painter, device.rect(), part.palette())
    elif method == "paint":
        painter, option = arguments[:2]
        with restored(painter):
            draw_notice(painter, QRect(option.rect), option.palette)


def draw_notice(painter: QPainter, area: QRect, palette: QPalette) -> None:
    """Draw a notice in ``area`` that it could not be drawn, as long as space allows."""
    painter.setClipRect(area)
    painter.fillRect(area, palette.color(QPalette.ColorRole.Base))
    painter.setPen(QColor(palette.color(QPalette.ColorRole.Text)))
    room = area.adjusted(_PAD, 2, -_PAD, -2)
    flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
    reason, hint = tr("This part could not be drawn."), tr("The Help menu has a report of it.")
    for words in (f"{reason}\n{hint}", reason, "⚠"):
        needed = painter.boundingRect(QRect(0, 0, max(1, room.width()), 1 << 16), flags, words)
        if needed.width() <= room.width() and needed.height() <= room.height():
            break
    painter.drawText(room, flags, words)
