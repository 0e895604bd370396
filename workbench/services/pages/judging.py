"""Judges the blocks of pages again, from the stored markup, with another rule or new selectors.

People's decisions on blocks are stored separately (:mod:`workbench.services.pages.decisions`) and remain in force.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Block, Document
from workbench.jobs.alarm import Alarm
from workbench.jobs.chunks import Crash, map_chunks
from workbench.jobs.context import Context
from workbench.project.database import Project, open_project
from workbench.project.documents import load_document
from workbench.project.pages import (
    content_digests,
    load_markup,
    load_selectors,
    pages_of_sites,
    pages_with_markup,
    rule_blocks,
    store_blocks,
)
from workbench.reading.blocks.rules import RULES
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.html import page
from workbench.reading.formats.text_pictures import OF_PICTURE
from workbench.services.pages.sites import groups, judge_sites

_STAGE = Message("Judging blocks")
_TOGETHER = 20
"""Pages per chunk."""
_LONGEST = 60.0
"""Time limit for one page, in seconds."""


@dataclass(frozen=True, slots=True)
class JudgingOutcome:
    """The outcome of judging: pages examined, pages whose blocks changed class, and pages skipped.

    A page is skipped if its markup no longer yields the imported text.
    """

    pages: int
    changed: int
    skipped: int


def judge_pages(
    ctx: Context, project_path: Path, rule: str = "default", *, site_repetition: bool = True, workers: int | None = None
) -> JudgingOutcome:
    """Judge the blocks of every page whose markup is stored, by ``rule``, the hosts' selectors, and (with
    ``site_repetition``) the blocks that sites repeat.

    Raises UserError for an unknown rule, Cancelled; pages judged before a cancellation keep the result.
    """
    if rule not in RULES:
        raise UserError(
            Message("There is no rule for content blocks named {rule}.", rule=rule),
            hint=Message("Rules: {rules}.", rules=", ".join(RULES)),
        )
    with open_project(project_path) as project:
        with project.read() as connection:
            keys = pages_with_markup(connection)
            selectors = load_selectors(connection)
            sites = set(pages_of_sites(connection))
            before = content_digests(connection)
        options = ReadOptions(rule=rule, selectors=selectors)
        processes = workers or os.cpu_count() or 1
        skipped = _judge_all(ctx, project, groups(keys, _TOGETHER), options, processes)
        if site_repetition:
            judge_sites(ctx, project, sites)
        with project.read() as connection:
            after = content_digests(connection)
    ctx.changed("documents")
    return JudgingOutcome(len(keys), sum(after[key] != before.get(key) for key in after), skipped)


def _judge_all(ctx: Context, project: Project, chunks: Sequence[list[int]], options: ReadOptions, workers: int) -> int:
    """Judge and store the pages of ``chunks``. Returns the number skipped.

    Chunks on which a process died are judged again page by page, so that only the unreadable page is skipped.
    """
    total = sum(map(len, chunks))
    skipped = done = 0
    lost: list[list[int]] = []
    results = map_chunks(
        ctx,
        _judge_chunk,
        chunks,
        workers=workers,
        initializer=_open_worker,
        initargs=(project.path, options),
        untrusted=True,
    )
    with closing(results):
        for index, judged in results:
            chunk = chunks[index]
            if not isinstance(judged, Crash):
                skipped += sum(blocks is None for _, blocks in judged)
                _store(project, judged)
            elif len(chunk) > 1:
                lost.extend([key] for key in chunk)
                continue
            else:
                skipped += 1
                ctx.warn(Message("The page {page} could not be read. {message}", page=chunk[0], message=judged.message))
            done += len(chunk)
            ctx.advance(_STAGE, done, total)
    return skipped + (_judge_all(ctx, project, lost, options, workers) if lost else 0)


_Judgements = list[tuple[int, tuple[Block, ...] | None]]
_worker: list[tuple[Project, ReadOptions]] = []


def _open_worker(project: Path, options: ReadOptions) -> None:
    _worker[:] = [(open_project(project, write=False), options)]


def _judge_chunk(keys: Sequence[int]) -> _Judgements:
    """Blocks of each page by key; None if its markup no longer yields its text."""
    project, options = _worker[0]
    judgements: _Judgements = []
    with project.read() as connection:
        for key in keys:
            document, markup = load_document(connection, key), load_markup(connection, key)
            with Alarm(_LONGEST):
                judgements.append((key, _judged(document, markup, options)))
    return judgements


def _judged(document: Document, markup: str, options: ReadOptions) -> tuple[Block, ...] | None:
    try:
        again = page(
            markup,
            document.id,
            url=document.url,
            site=document.site,
            language=document.language,
            selectors=options.selectors,
            rule=options.rule,
        )
    except Exception:  # noqa: BLE001 - whatever a parser raises on one page must not end the others
        return None
    # The text of a page's pictures follows its own text.
    drawn = next((at for at, block in enumerate(document.blocks) if block.path.startswith(OF_PICTURE)), None)
    own = document.text if drawn is None else document.text[: document.blocks[drawn].span.start].removesuffix("\n")
    return (*again.blocks, *(document.blocks[drawn:] if drawn is not None else ())) if again.text == own else None


def _store(project: Project, judged: _Judgements) -> None:
    with project.write() as connection:
        before = rule_blocks(connection, [key for key, _ in judged])
        for key, blocks in judged:
            if blocks is not None and blocks != before[key]:
                store_blocks(connection, load_document(connection, key), blocks)
