"""A report as one self-contained HTML file: no scripts, nothing fetched, prints well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from workbench.base.resources import resource
from workbench.base.types import Run
from workbench.methods.core import registry
from workbench.services.labels.annotators import person
from workbench.services.reports.data import ReportPair
from workbench.services.reports.pdf import MOST_PAIRS, MOST_PASSAGES, Printed
from workbench.services.reports.strings import strings
from workbench.services.review.pairs import PairRow
from workbench.services.review.visible import visible

_BUFFER = 64
"""Template pieces joined before a write."""


def html_pieces(
    *,
    run: Run,
    kind: str,
    project: str,
    rows: Sequence[PairRow],
    sections: Iterator[ReportPair],
    printed: Printed | None = None,
    translate: Callable[[str], str] | None = None,
    template: str = "report.html.j2",
) -> Iterator[str]:
    """The report in pieces; ``sections`` is consumed one pair at a time, so that memory holds one pair.

    ``printed`` is what of it goes on paper.

    ``kind`` is pair, suspect or run; ``template`` a file of ``resources/report``. Every text is escaped;
    characters that hide or turn a line are spelled out.
    """
    texts = strings(translate)
    method = registry.get(run.method)
    stream = (
        environment()
        .get_template(template)
        .stream(
            t=texts,
            language=texts["code"],
            told=translate or str,
            style=Markup(resource("report", "report.css").read_text(encoding="utf-8")),
            heading=f"{project}, {texts['run']} {run.id}",
            subtitle=texts[f"subtitle_{kind}"],
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            project=project,
            run=run,
            method=method,
            settings=_settings(run),
            summary=[_summary(number, row) for number, row in enumerate(rows, 1)],
            pairs=sections,
            printed=printed,
            pairs_most=MOST_PAIRS,
            passages_most=MOST_PASSAGES,
        )
    )
    stream.enable_buffering(_BUFFER)
    return iter(stream)


def environment() -> Environment:
    """What report templates are rendered with: everything is escaped, and what would not show is spelled out."""
    found = Environment(
        loader=FileSystemLoader(resource("report")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    found.filters["moment"] = _moment
    found.filters["person"] = person
    return found


def _moment(when: str) -> str:
    """An ISO 8601 time in UTC to the second, as people read it; anything else as it is."""
    try:
        return datetime.fromisoformat(when).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except ValueError:
        return when


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _summary(number: int, row: PairRow) -> dict[str, Any]:
    return {
        "number": number,
        "a": row.a_title or row.a_id,
        "b": row.b_title or row.b_id,
        "passages": row.matches,
        "coverage": row.coverage_a,
        "longest": row.longest,
        "verdicts": row.verdicts,
    }


def _settings(run: Run) -> list[dict[str, Any]]:
    """All settings of the run with what the method says of them; settings it no longer has are listed too."""
    specs = {s.name: s for s in registry.get(run.method).parameters.specs()}
    rows = []
    for name, value in run.parameters.items():
        spec = specs.get(name)
        rows.append(
            {
                "name": name,
                "value": value,
                "unit": spec.unit if spec else "",
                "default": spec.default if spec else "",
                "paper": "" if spec is None or spec.paper is None else spec.paper,
                "help": spec.help if spec else "",
            }
        )
    return rows
