"""Figures and tables as a user draws them, with every word ready for translation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench.base.messages import Message
from workbench.evaluation.figures import Figure, Table
from workbench.jobs.context import Context
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.figures import make_figure


def _untranslated(words: Iterable[str]) -> list[str]:
    """Words of a figure that no other language would have; signs of the papers are the same in all."""
    return [word for word in words if not isinstance(word, Message) and word not in ("F", "l")]


def figure(ctx: Context, path: Path, name: str, **request: object) -> Figure:
    drawn = make_figure(ctx, path, name, FigureRequest(workers=1, **request))  # type: ignore[arg-type]
    assert isinstance(drawn, Figure)
    assert not _untranslated([drawn.title, drawn.x.title, drawn.y.title, *drawn.notes])
    return drawn


def table(ctx: Context, path: Path, name: str, **request: object) -> Table:
    drawn = make_figure(ctx, path, name, FigureRequest(workers=1, **request))  # type: ignore[arg-type]
    assert isinstance(drawn, Table)
    assert not _untranslated([drawn.title, *drawn.columns, *drawn.notes])
    return drawn
