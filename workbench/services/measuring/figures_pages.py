"""Two pages of a pair side by side as shown, with their shared text: Kang's figures 17 to 23."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from itertools import product
from pathlib import Path

from workbench.base import coverage
from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import BlockClass, Document, Matches, Run, RunState, Span
from workbench.evaluation.figures import Axis, Figure, PageView, Series
from workbench.jobs.context import Context
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.matches import matches_of
from workbench.project.pairs import has_pair
from workbench.project.runs import by_weight, runs
from workbench.reading.printed_pages import Ground
from workbench.reading.rich_pages import RichPages
from workbench.services.choosing import choose, find_run
from workbench.services.measuring.figure_request import FigureRequest, no_pair
from workbench.services.pages.pictures import PagePictures, page_pictures
from workbench.services.reports.cited_pages import pages_with
from workbench.services.review.by_hand import pairs_with_added, with_added
from workbench.services.session import Session

MOST = 99
"""Maximum number of numbered passages."""
SCALE = 150 / 72
"""Pixels per point."""
_Side = RichPages | PagePictures


def page_pair(_ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """A page of each document of a pair, by default the pages with most shared text; the series are its passages.

    The values are the ids of the two documents and, if wanted, a page of each. Raises UserError if the run has no
    matches of the pair.
    """
    with Session(path, write=False) as session:
        run, keys = _chosen(session, request)
        with session.read() as connection:
            documents = tuple(load_document(connection, key) for key in keys)
            matches = with_added(connection, run.id, matches_of(connection, run.id, a=keys[0], b=keys[1]), *keys)
        if not len(matches):
            raise UserError(Message("Run {id} has no passages of this pair.", id=run.id))
        sides = tuple(page_pictures(session, document) or RichPages(document) for document in documents)
    with closing(sides[0]), closing(sides[1]):
        return _drawn(run, documents, sides, matches, request.values[2:])


def _chosen(session: Session, request: FigureRequest) -> tuple[Run, tuple[int, int]]:
    """The run, by default the newest with passages (of the pair, if one is named): other figures make runs, too."""
    if len(request.values) not in (0, 2, 4):
        raise UserError(
            Message("This figure takes the ids of two documents as values and, optionally, a page of each.")
        )
    number = request.one_run()
    with session.read() as connection:
        finished = by_weight(run for run in runs(connection) if run.state is RunState.DONE and run.matches)
        if not request.values:
            run = finished[0] if number is None and finished else find_run(session, number)
            return run, _best(connection, run)
        for run in finished if number is None else ():
            chosen = choose(session, run.id, *request.values[:2])
            if has_pair(connection, run.id, chosen.a, chosen.b):
                number = run.id
                break
    chosen = choose(session, number, *request.values[:2])
    assert chosen.a is not None
    assert chosen.b is not None
    return chosen.run, (chosen.a, chosen.b)


def _best(connection: Connection, run: Run) -> tuple[int, int]:
    pairs = pairs_with_added(connection, run.id)
    if not pairs:
        raise no_pair(run)
    best = max(pairs, key=lambda pair: (pair.score, -pair.a, -pair.b))
    return best.a, best.b


def _drawn(
    run: Run, documents: Sequence[Document], sides: Sequence[_Side], matches: Matches, wanted: Sequence[str]
) -> Figure:
    parts = [_parts(matches, side) for side in (coverage.A, coverage.B)]
    pages = _pages(sides, parts, wanted)
    on_both = [row for row in parts[0] if all(pages[n] in _pages_of(sides[n], parts[n].get(row, ())) for n in (0, 1))]
    shown = on_both[:MOST]
    views = []
    for document, pictures, page, own in zip(documents, sides, pages, parts, strict=True):
        marked = [(number, part) for number, row in enumerate(shown, 1) for part in own[row]]
        grounds = [Ground(*block.span, block.verdict is not BlockClass.NON_CONTENT) for block in document.blocks]
        grounds = grounds or [Ground(0, len(document.text), is_content=True)]
        spans, numbers = [(part.start, part.end) for _, part in marked], [number for number, _ in marked]
        png = pictures.marked(page, SCALE, spans, grounds, numbers)
        views.append(PageView(_title(document, pictures, page), b64encode(png).decode()))
    (a_start, a_end), (b_start, b_end) = (coverage.limits(matches, side) for side in (coverage.A, coverage.B))
    series = tuple(
        Series(
            Message("passage {number}", number=number),
            (float(a_start[row]), float(a_end[row])),
            (float(b_start[row]), float(b_end[row])),
        )
        for number, row in enumerate(shown, 1)
    )
    notes = [
        Message(
            "Run {run} of {method}: passages with the same number correspond. Content has a blue background, other "
            "text a grey one.",
            run=run.id,
            method=run.method,
        )
    ]
    if left := len(matches) - len(on_both):
        notes.append(Message("Passages of the pair that are not on both pages: {count}.", count=f"{left:,}"))
    if more := len(on_both) - len(shown):
        notes.append(
            Message(
                "Passages on both pages beyond the first {most}, which are not marked: {count}.",
                most=MOST,
                count=f"{more:,}",
            )
        )
    bare = dict.fromkeys(side.document.id for side in sides if isinstance(side, RichPages))
    if bare:
        notes.append(
            Message(
                "Laid out from headings, lists, tables and blocks, without style sheets and pictures: {documents}.",
                documents=", ".join(bare),
            )
        )
    axes = Axis(Message("position in the suspect (characters)")), Axis(Message("position in the source (characters)"))
    return Figure(Message("A pair of pages"), *axes, series, tuple(notes), pages=tuple(views))


def _parts(matches: Matches, side: int) -> dict[int, list[Span]]:
    """The stretches of each passage on one side, by its row."""
    parts: dict[int, list[Span]] = {}
    columns = (column.tolist() for column in coverage.stretches(matches, side))
    for row, start, end in zip(*columns, strict=True):
        parts.setdefault(row, []).append(Span(start, end))
    return parts


def _pages_of(side: _Side, parts: Sequence[Span]) -> list[int]:
    return pages_with(side.document, parts)


def _pages(sides: Sequence[_Side], parts: Sequence[dict[int, list[Span]]], wanted: Sequence[str]) -> list[int]:
    """The requested pages, else those with most text of passages that are on both."""
    if wanted:
        return [_page_called(side, label) for side, label in zip(sides, wanted, strict=True)]
    shared: Counter[tuple[int, int]] = Counter()
    for row, own in parts[0].items():
        other = parts[1].get(row, [])
        length = sum(part.end - part.start for part in own)
        for a, b in product(_pages_of(sides[0], own), _pages_of(sides[1], other)):
            shared[a, b] += length
    best = max(sorted(shared), key=shared.__getitem__, default=(0, 0))
    return list(best)


def _page_called(side: _Side, label: str) -> int:
    pages = side.document.extraction.pages
    labels = [page.label or str(number) for number, page in enumerate(pages, 1)]
    if label not in labels:
        raise UserError(Message("{id} has no page {page}.", id=side.document.id, page=label))
    return labels.index(label)


def _title(document: Document, side: _Side, page: int) -> str:
    pages = side.document.extraction.pages
    label = pages[page].label or str(page + 1)
    if len(pages) == 1:
        return document.id
    if isinstance(side, RichPages):
        return Message("{id}, part {number} of {count}", id=document.id, number=label, count=len(pages))
    return Message("{id}, p. {page} of {count}", id=document.id, page=label, count=len(pages))
