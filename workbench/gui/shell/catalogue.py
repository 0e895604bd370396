"""The list of screens: one line each, in rail order. Rail, menus, keys and ``--view`` all follow it."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.gui.screens import detect, documents, evaluate, jobs, label, relations, review, start, watch
from workbench.gui.workspace.screen import Screen

SCREENS: tuple[Screen, ...] = (
    start.SCREEN,
    documents.SCREEN,
    detect.SCREEN,
    review.SCREEN,
    label.SCREEN,
    evaluate.SCREEN,
    relations.SCREEN,
    watch.SCREEN,
    jobs.SCREEN,
)


def known_screens() -> dict[str, Screen]:
    """Every screen by its id, in rail order."""
    return {screen.view_id: screen for screen in SCREENS}


def view_names() -> Iterator[str]:
    """The names that ``--view`` takes: screens' ids and modes."""
    for view_id, screen in known_screens().items():
        yield view_id
        yield from screen.modes


def view_and_mode(name: str) -> tuple[str, str]:
    """The screen's id and mode ("" for the default) of ``name``."""
    return next(((view_id, name) for view_id, screen in known_screens().items() if name in screen.modes), (name, ""))
