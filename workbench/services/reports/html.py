"""A report as one self-contained HTML file: no scripts, nothing fetched, prints well."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from workbench.base.resources import resource
from workbench.services.reports.content import Content, moment
from workbench.services.reports.strings import ReportLanguage
from workbench.services.review.visible import visible

_BUFFER = 64
"""Number of template pieces joined before a write."""


def html_pieces(opening: Content, pairs: Iterator[Content], words: ReportLanguage) -> Iterator[str]:
    """The report of ``opening`` and ``pairs`` in pieces; pairs are consumed one at a time, so that only one is in
    memory.

    Every text is escaped; characters that hide or reverse text are spelled out.
    """
    template = environment().get_template("report.html.j2")
    stream = template.stream(t=words.texts, style=style(), c=opening, pairs=pairs)
    stream.enable_buffering(_BUFFER)
    return iter(stream)


def style() -> Markup:
    """The style sheet of reports."""
    return Markup(resource("report", "report.css").read_text(encoding="utf-8"))


@cache
def environment() -> Environment:
    """The environment of report templates: everything is escaped, and invisible characters are spelled out."""
    jinja = Environment(
        loader=FileSystemLoader(resource("report")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    jinja.filters["moment"] = moment
    jinja.filters["base64"] = lambda data: b64encode(data).decode("ascii")
    return jinja


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
