"""The time of the steps of ``scale`` by number of pages, extrapolated to the papers' collections."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.parts import check_scale
from workbench.base.progress import Progress
from workbench.base.types import Document
from workbench.evaluation.figures import Axis, Figure, Series
from workbench.jobs.context import Context
from workbench.project.documents import iter_documents
from workbench.scaleout.record import METHODS, JobRequest, read_job
from workbench.services.choosing import find_run
from workbench.services.measuring.figure_request import FigureRequest, numbers
from workbench.services.scaling.running import EngineOptions, QuietProgress
from workbench.services.session import Session

PAGES = (100_000_000, 430_000_000)
"""Numbers of pages of Kang 2009 (6 billion sentences) and of Huang, Wang and Li 2007."""
THOUSAND = 1000.0
"""The figure counts thousands of pages, which keeps the numbers of its axis short."""
_SHARES = (0.25, 0.5, 1.0)
_MOST = 1_000
"""Default number of pages of the largest job: under a minute of work."""
_LEAST = 12
_HOUR = 3600.0
_STAGE = Message("Measuring")


class Line(NamedTuple):
    """Processor ``seconds`` and ``size`` (bytes of finished steps) by ``pages``, one per measurement, and the line
    through the measurements.
    """

    pages: tuple[int, ...]
    seconds: tuple[float, ...]
    size: tuple[int, ...]

    def projected(self, pages: int) -> tuple[float, float]:
        """Seconds and bytes of ``pages``: by a straight line through the measurements; in proportion to the largest if
        it does not rise.
        """
        return self._at(self.seconds, pages), self._at(self.size, pages)

    def _at(self, values: Sequence[float], pages: int) -> float:
        slope, base = np.polyfit(self.pages, values, 1) if len(self.pages) > 1 else (0.0, 0.0)
        if slope <= 0:
            slope, base = values[-1] / self.pages[-1], 0.0
        return float(slope * pages + max(0.0, base))


def time_by_pages(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Hours of one processor by number of pages: parts of this project in the steps of each method (or that of the
    requested run), and a projection. Raises UserError if there are too few documents or the engine is not installed.
    """
    check_scale()
    with Session(path, write=False) as session:
        run_asked_for = find_run(session, request.runs[0]) if request.runs else None
        with session.read() as connection:
            documents = [d for d in islice(iter_documents(connection), _most(request)) if d.text]
    if len(documents) < _LEAST:
        raise UserError(Message("This figure needs {count} documents or more.", count=_LEAST))
    methods = tuple(METHODS) if run_asked_for is None else (run_asked_for.method,)
    parameters = {} if run_asked_for is None else run_asked_for.parameters
    sizes = sorted({min(len(documents), max(_LEAST, int(n))) for n in _sizes(request, len(documents))})
    lines = {}
    for step, method in enumerate(methods):
        ctx.advance(_STAGE, step, len(methods))
        lines[method] = measured(ctx, documents, sizes, JobRequest((), method, parameters, site_repetition=False))
    ctx.advance(_STAGE, len(methods), len(methods))
    series, notes = [], []
    for method, line in lines.items():
        x, y = tuple(n / THOUSAND for n in line.pages), tuple(s / _HOUR for s in line.seconds)
        series.append(Series(Message("{method}, measured", method=method), x, y, "points"))
        points = [*line.pages, *(10**e for e in range(3, 9) if 10**e > line.pages[-1]), PAGES[-1]]
        hours = tuple(line.projected(n)[0] / _HOUR for n in points)
        series.append(Series(Message("{method}, projected", method=method), tuple(n / THOUSAND for n in points), hours))
        for pages in PAGES:
            seconds, size = line.projected(pages)
            notes.append(
                Message(
                    "{method}, {pages} million pages: {days} days of one processor, {size} GB of steps.",
                    method=method,
                    pages=pages // 10**6,
                    days=f"{seconds / 24 / _HOUR:,.1f}",
                    size=f"{size / 1e9:,.0f}",
                )
            )
    about = Message(
        "A projection, not a measurement: straight lines fitted to jobs of {sizes} pages of this project on "
        "this machine.",
        sizes=", ".join(f"{size:,}" for size in sizes),
    )
    axes = Axis(Message("thousands of pages"), log=True), Axis(Message("time (hours of one processor)"), log=True)
    return Figure(Message("Pages and time of scale steps, projected"), *axes, tuple(series), (about, *notes))


def measured(ctx: Progress, documents: Sequence[Document], sizes: Sequence[int], request: JobRequest) -> Line:
    """Jobs of the first ``sizes`` of ``documents`` with the embedded engine, in this process. Raises Cancelled."""
    from workbench.scaleout.job import run

    seconds, bytes_of_steps = [], []
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as temporary:
        # An extra job first, so that compiling does not count.
        for number, size in enumerate((_LEAST, *sizes)):
            ctx.check()
            folder = Path(temporary) / str(number)
            folder.mkdir()
            pages = _written(folder / "pages.jsonl", documents[:size])
            own = JobRequest((pages,), request.method, request.parameters, site_repetition=request.site_repetition)
            begun = time.process_time()
            run(folder / "job", own, partial(EngineOptions(threads=1).open, folder, workers=0), QuietProgress(ctx))
            seconds.append(time.process_time() - begun)
            bytes_of_steps.append(sum(step["bytes"] for step in read_job(folder / "job")["steps"]))
    return Line(tuple(sizes), tuple(seconds[1:]), tuple(bytes_of_steps[1:]))


def _most(request: FigureRequest) -> int:
    return max(map(int, numbers(request, (_MOST,))))


def _sizes(request: FigureRequest, documents: int) -> list[float]:
    return numbers(request, [share * documents for share in _SHARES])


def _written(path: Path, documents: Sequence[Document]) -> Path:
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for d in documents:
            row = {"id": d.id, "role": d.role.value, "url": d.url, "site": d.site, "links": d.links, "text": d.text}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path
