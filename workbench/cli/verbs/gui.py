"""Verb ``gui``: open the window, or save a screenshot of one view."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from workbench.cli.arguments import Names, path_argument
from workbench.cli.output import Output

name = "gui"
summary = "open the window"
description = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="P", nargs="?", type=path_argument, help="project file to open")
    parser.add_argument(
        "--screenshot", type=path_argument, metavar="FILE", help="draw a view to this PNG file and exit"
    )
    parser.add_argument("--view", choices=Names(_views), metavar="VIEW", help="view to show first: %(choices)s")


def _views() -> Iterable[str]:
    from workbench.gui.shell.catalogue import view_names

    return view_names()


def execute(arguments: argparse.Namespace, output: Output) -> int:
    problem = no_display()
    if problem and arguments.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    elif problem:
        output.note(problem)
        return 1
    if lacking := no_libraries(drawing=arguments.screenshot is not None):
        output.note(lacking)
        return 1
    if arguments.screenshot is None and _is_open(arguments.project, arguments.view):
        output.note("The project is already open in a window, which is brought to the front.")
        return 0
    return open_window(arguments.project, arguments.screenshot, arguments.view)


def _is_open(project: Path | None, view: str | None) -> bool:
    """Whether a window has the project (default: the last one) open; if so, raises that window."""
    from workbench.base import settings
    from workbench.base.resources import state_dir
    from workbench.gui.shell.single_instance import bring_forward

    last = "" if project else settings.load().last_project
    wanted = project or (Path(last) if last else None)
    return wanted is not None and bring_forward(state_dir() / "windows", wanted, view)


def open_window(project: Path | None, screenshot: Path | None = None, view: str | None = None) -> int:
    """Show the window until it is closed; returns its exit code. Imports Qt."""
    from workbench.gui.shell.app import run

    return run(project, screenshot, view)


def no_display() -> str:
    """A sentence if no window can be opened, otherwise empty: Qt itself would abort the process."""
    if not sys.platform.startswith("linux"):
        return ""
    if os.environ.get("QT_QPA_PLATFORM") or _wayland_answers() or _x_answers():
        return ""
    return "There is no display here, so no window can open. A view can be drawn to a picture with --screenshot FILE."


def no_libraries(*, drawing: bool = False) -> str:
    """A sentence if the system lacks libraries that Qt needs (Qt would name only one and abort); otherwise empty.

    ``drawing``: a view is only drawn to a picture.
    """
    if not sys.platform.startswith("linux"):
        return ""
    from workbench.base.libraries import why_no_window

    on_x = os.environ.get("QT_QPA_PLATFORM", "xcb") == "xcb" and not _wayland_answers() and not drawing
    return why_no_window(on_x=on_x)


def _wayland_answers() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    if not name:
        return False
    import socket

    with socket.socket(socket.AF_UNIX) as attempt:
        try:
            attempt.connect(os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), name))
        except OSError:
            return False
    return True


def _x_answers() -> bool:
    """Whether the X server of ``DISPLAY`` accepts us; a name left over from another session may be stale."""
    if not os.environ.get("DISPLAY"):
        return False
    import ctypes

    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # Qt needs it too, and reports the error
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused: int = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return refused == 0
