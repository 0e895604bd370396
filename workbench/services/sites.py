"""What a site repeats on its pages is template, whatever the rule for single pages said of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from workbench.base.types import Block, Verdict
from workbench.jobs.context import Context
from workbench.project.database import Project
from workbench.project.documents import load_document
from workbench.project.pages import pages_of_sites, rule_blocks, store_blocks
from workbench.text.blocks import repetition
from workbench.text.blocks.selectors import was_selected

_STAGE = "Comparing pages of a site"
_TOGETHER = 200
"""Pages read or written in one transaction."""
_REPEATED = "repeated on "


def judge_sites(ctx: Context, project: Project, sites: Collection[str]) -> int:
    """Mark what each of ``sites`` repeats on its pages as non-content; the number of pages that changed.

    Repetition only ever takes content away; :func:`workbench.services.judging.judge_pages` begins anew.
    """
    with project.read() as connection:
        found = {site: keys for site, keys in pages_of_sites(connection).items() if site in sites}
    changed, done, total = 0, 0, sum(map(len, found.values()))
    for keys in found.values():
        if len(keys) > repetition.OTHERS:
            changed += _judge_site(ctx, project, keys, done, total)
        done += len(keys)
    if changed:
        ctx.changed("documents")
    return changed


def _judge_site(ctx: Context, project: Project, keys: Sequence[int], done: int, total: int) -> int:
    pages: list[list[repetition.SiteBlock]] = []
    for group in groups(keys, _TOGETHER):
        with project.read() as connection:
            blocks = rule_blocks(connection, group)
            pages.extend(_fingerprints(load_document(connection, key).text, blocks[key]) for key in group)
        ctx.advance(_STAGE, done + len(pages), total)
        ctx.check()
    found = repetition.repeated(pages)
    touched = [number for number in range(len(keys)) if found.blocks[number]]
    changed = 0
    for numbers in groups(touched, _TOGETHER):
        ctx.check()
        with project.write() as connection:
            blocks = rule_blocks(connection, [keys[number] for number in numbers])
            for number in numbers:
                before = blocks[keys[number]]
                after = _without_repeated(before, found, number)
                if after != before:
                    changed += 1
                    store_blocks(connection, load_document(connection, keys[number]), after)
    return changed


def _fingerprints(text: str, blocks: Sequence[Block]) -> list[repetition.SiteBlock]:
    """What the site's other pages are compared with; a block found repeated before weighs as the content it was."""
    found = []
    for block in blocks:
        counts = block.verdict is Verdict.CONTENT or block.rule.startswith(_REPEATED)
        piece = text[block.span.start : block.span.end]
        found.append((repetition.fingerprint(piece, block.kind), len(piece) if counts else 0))
    return found


def _without_repeated(blocks: tuple[Block, ...], found: repetition.Repetition, page_number: int) -> tuple[Block, ...]:
    """``blocks`` with those that the site repeats left out.

    Those left out for another reason keep it, and those that a selector chose stay.
    """
    after = list(blocks)
    for at in found.blocks[page_number]:
        counted = after[at].verdict is Verdict.CONTENT and not was_selected(after[at])
        if counted or after[at].rule.startswith(_REPEATED):
            after[at] = replace(after[at], verdict=Verdict.NON_CONTENT, rule=found.rule(page_number, at))
    return tuple(after)


def groups(keys: Sequence[int], size: int) -> list[list[int]]:
    """``keys`` in order, ``size`` at a time."""
    return [list(keys[start : start + size]) for start in range(0, len(keys), size)]
