"""Errors in the window: caught at Qt's calls, recorded once, reported.

No exception leaves a method that Qt calls, and no painter remains open after it. Qt is written in C++ and cannot handle
Python exceptions. An uncaught exception in a handler ends the Python code that caused the event, or is lost; in
``paintEvent`` it leaves a painter open on a widget, which crashes the process. Everything else keeps working, and the
user can copy a report.
"""

from __future__ import annotations

import inspect
import platform
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, Flag
from functools import cache, wraps
from types import FunctionType, TracebackType
from typing import Any, TypeVar, get_type_hints

import PySide6
from PySide6.QtCore import QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QPaintDevice, QPainter, QPalette

from workbench.gui.i18n import tr

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
    """A painter on a ``device`` other than a widget, for longer than one event; None if it cannot be painted on.

    The caller calls :func:`ended` on it, whatever happens in between.
    """
    painter = QPainter()
    return painter if painter.begin(device) else None


def ended(painter: QPainter | None) -> None:
    """End the painter that :func:`begun` returned."""
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
    """Class decorator: methods that override a method of Qt record exceptions and return an empty value instead.

    After an exception in a paint method, the widget shows that it could not be drawn. Every class of the window that
    overrides a Qt method has this decorator.
    """
    for name in overrides(kind):
        setattr(kind, name, _caught(kind.__name__, vars(kind)[name]))
    return kind


def overrides(kind: type) -> list[str]:
    """Names of the methods defined by ``kind`` itself that override a method of a Qt base class."""
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

    # A signal passes as many arguments to a slot as its code accepts.
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
    """Draw a notice in ``area`` that its content could not be drawn, as long as fits."""
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


MOST = 100
"""Maximum number of distinct problems stored; further ones are only counted."""
_HEAD = re.compile(r"Traceback \(most recent call last\)|During handling of|The above exception|\s+\[Previous line rep")
_FRAME = re.compile(r'(\s+)File "([^"]*)"(, line \d+.*)')
_FAULT = re.compile(r'File "([^"]*)"')
_MARKER = re.compile(r"\s{4,}[~^ ]+")
_QUOTED = re.compile(r"'(?!\w{1,40}')[^']*'|\"(?!\w{1,40}\")[^\"]*\"|[^\x20-\x7e]+")
_CARRIES_TEXT = re.compile(r"(KeyError|Unicode\w*|OSError|\w*FileError|\w*FoundError|\w*ExistsError|PermissionError)$")
_MESSAGE = 200


@dataclass(slots=True)
class Problem:
    """One problem: ``where`` it arose, in which ``view`` and after which ``action``, its ``trace``, how many ``times``.

    ``trace`` contains no document text (see :func:`without_content`).
    """

    where: str
    view: str
    action: str
    trace: str
    times: int = 1


class Problems(QObject):
    """Problems in order of first occurrence. ``recorded`` emits each new :class:`Problem`.

    ``view`` and ``action`` are the current view and the user's last action, kept up to date by the window. ``crash`` is
    the trace left by a previous window that crashed. ``record`` may be called in any thread.
    """

    recorded = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.view = ""
        self.action = ""
        self.crash = ""
        self.left_out = 0
        self._lock = threading.Lock()
        self._by_trace: dict[tuple[str, str], Problem] = {}

    def __len__(self) -> int:
        return len(self._by_trace)

    def __iter__(self) -> Iterator[Problem]:
        return iter(tuple(self._by_trace.values()))

    def record(self, where: str, error: BaseException) -> None:
        """Record ``error``, which arose in ``where``, and release the objects its traceback refers to."""
        self.record_trace(where, "".join(traceback.format_exception(error)))
        # A frame may refer to a painter or a widget, which would otherwise live too long.
        traceback.clear_frames(error.__traceback__)

    def record_trace(self, where: str, trace: str) -> None:
        """Record the formatted traceback ``trace``, of this process or a worker."""
        plain = without_content(trace)
        with self._lock:
            known = self._by_trace.get((where, plain))
            if known is not None:
                known.times += 1
                return
            if len(self._by_trace) >= MOST:
                self.left_out += 1
                return
            problem = Problem(where, self.view, self.action, plain)
            self._by_trace[where, plain] = problem
        if sys.stderr is not None:
            sys.stderr.write(trace)
        self.recorded.emit(problem)

    def clear(self) -> None:
        """Discard all problems."""
        with self._lock:
            self._by_trace.clear()
            self.left_out = 0

    def report(self) -> str:
        """A report of all problems to send, with the relevant versions and without the user's texts and paths."""
        parts = [versions()]
        if self.crash:
            crash = "\n".join(_FAULT.sub(lambda m: f'File "{_short(m[1])}"', line) for line in self.crash.splitlines())
            parts.append(f"The window before crashed:\n{crash}")
        for problem in self:
            times = f" ({problem.times} times)" if problem.times > 1 else ""
            place = f"view {problem.view or '-'}, action {problem.action or '-'}"
            parts.append(f"{problem.where}{times}: {place}\n{problem.trace}")
        if self.left_out:
            parts.append(f"{self.left_out} more")
        return "\n\n".join(parts) + "\n"


@cache
def recorder() -> Problems:
    """The recorder of this process, for code that draws and handles events without access to the window."""
    return Problems()


def versions() -> str:
    """Versions of the program and its main dependencies."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("palimpsest")
    except PackageNotFoundError:
        own = "-"
    system = f"{platform.system()} {platform.release()}"
    return f"Palimpsest {own}, Python {platform.python_version()}, PySide6 {PySide6.__version__}, {system}"


def without_content(trace: str) -> str:
    """A formatted traceback without the user's data quoted in messages, and without the user's folders.

    Frames and lines of code are kept. Of each message, one line is kept, without non-ASCII characters and quotations
    (other than names); nothing is kept if this program wrote the message or the exception contains document text.
    """
    lines: list[str] = []
    code = 0  # 1: a line of code may follow; -1: inside a message
    for line in trace.splitlines():
        frame = _FRAME.fullmatch(line)
        if frame:
            lines.append(f'{frame[1]}File "{_short(frame[2])}"{frame[3]}')
            code = 1
        elif (code == 1 and line.startswith("    ")) or (code == 0 and _MARKER.fullmatch(line)) or _HEAD.match(line):
            lines.append(line)
            code = 0
        elif code >= 0 and line.strip():
            worded = any(re.search(r"\braise\b", part) for part in lines[-2:])
            lines.append(_plain(line, worded))
            code = -1
    return "\n".join(lines)


def _plain(line: str, worded: bool) -> str:
    name, _, message = line.partition(":")
    if not re.fullmatch(r"[\w.]+", name):
        return "…"
    if worded or not message or _CARRIES_TEXT.search(name):
        return name
    return f"{name}:{_QUOTED.sub('…', message)[:_MESSAGE]}"


def _short(path: str) -> str:
    """``path`` relative to the package."""
    parts = path.replace("\\", "/").split("/")
    for root in ("site-packages", "workbench"):
        if root in parts:
            return "/".join(parts[parts.index(root) + (root == "site-packages") :])
    return parts[-1]


class Hooks:
    """While installed, records errors that Python would only print: in slots, threads and finalizers."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._before = sys.excepthook, threading.excepthook, sys.unraisablehook
        sys.excepthook = self._slot
        threading.excepthook = self._thread
        sys.unraisablehook = self._finalizer

    def close(self) -> None:
        """Restore the previous hooks."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before

    def _slot(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, Exception):
            self._problems.record("slot", error.with_traceback(trace))
        else:
            self._before[0](kind, error, trace)

    def _thread(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self._problems.record("thread", caught.exc_value)

    def _finalizer(self, caught: sys.UnraisableHookArgs) -> None:
        if caught.exc_value is not None:
            self._problems.record("finalizer", caught.exc_value)
