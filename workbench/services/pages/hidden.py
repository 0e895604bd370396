"""The hidden text of a web page, which is left out of its document."""

from __future__ import annotations

from pathlib import Path

from workbench.base.messages import Message
from workbench.base.types import Document
from workbench.jobs.alarm import Alarm
from workbench.jobs.context import Context
from workbench.project.pages import load_markup
from workbench.reading.html.page import extract_html
from workbench.services.session import Session

LIMIT = 60.0
"""Time limit for reading one page, in seconds."""


def hidden_text(document: Document) -> str:
    """The hidden text of a page from its markup, one line per block; empty if there is none."""
    return extract_html(document.markup).hidden if document.extraction.hidden and document.markup else ""


def stored_hidden_text(ctx: Context, project: Path, key: int) -> str:
    """The hidden text of the page ``key`` of a project, as a job: a stranger's page is read in a separate process."""
    ctx.advance(Message("Reading"), 0, None)
    with Session(project, write=False) as session, Alarm(LIMIT), session.read() as connection:
        return extract_html(load_markup(connection, key)).hidden
