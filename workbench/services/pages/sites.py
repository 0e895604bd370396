"""Marks blocks that a site repeats on its pages as template, whatever class the rule for single pages gave them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Message
from workbench.jobs.context import Context
from workbench.project.database import Project
from workbench.project.documents import load_document, texts_of
from workbench.project.listing import addresses
from workbench.project.packing import damaged
from workbench.project.pages import (
    fingerprints_of,
    pages_of_sites,
    rule_blocks,
    store_blocks,
    store_fingerprints,
)
from workbench.reading.blocks import repetition

_STAGE = Message("Comparing pages of a site")
_TOGETHER = 200
"""Pages read or written in one transaction."""


def judge_sites(ctx: Context, project: Project, sites: Collection[str]) -> int:
    """Mark the blocks that each of ``sites`` repeats as non-content; returns the number of changed pages.

    Repetition only ever removes content; :func:`workbench.services.pages.judging.judge_pages` starts afresh.
    """
    with project.read() as connection:
        pages_of_site = {site: keys for site, keys in pages_of_sites(connection).items() if site in sites}
    changed, done, total = 0, 0, sum(map(len, pages_of_site.values()))
    for keys in pages_of_site.values():
        if len(keys) > repetition.OTHERS:
            changed += _judge_site(ctx, project, keys, done, total)
        done += len(keys)
    if changed:
        ctx.changed("documents")
    return changed


def _judge_site(ctx: Context, project: Project, keys: Sequence[int], done: int, total: int) -> int:
    """Reads only pages without a fingerprint, and judges only those whose repeated blocks have changed."""
    with project.read() as connection:
        known = fingerprints_of(connection, keys)
        urls = addresses(connection, keys)
    missing = [key for key in keys if key not in known]
    done += len(keys) - len(missing)
    for group in groups(missing, _TOGETHER):
        ctx.check()
        with project.write() as connection:
            blocks = rule_blocks(connection, group)
            read = {
                key: (repetition.site_blocks(text, blocks[key]).tobytes(), "")
                for key, text in texts_of(connection, group)
            }
            store_fingerprints(connection, read)
        known |= read
        done += len(group)
        ctx.advance(_STAGE, done, total)
    pages = [_unpacked(known[key][0]) for key in keys]
    first: dict[str, int] = {}
    repeated = repetition.repeated(
        pages, [first.setdefault(urls.get(key) or f"#{key}", number) for number, key in enumerate(keys)]
    )
    changed = 0
    touched = {}
    for number, key in enumerate(keys):
        if (digest := repeated.digest(number)) not in ("", known[key][1]):
            touched[key] = number, digest
    for group in groups(list(touched), _TOGETHER):
        ctx.check()
        with project.write() as connection:
            current = fingerprints_of(connection, group)
            for key, before in rule_blocks(connection, group).items():
                if key not in current or current[key][0] != known[key][0]:
                    continue  # Judged again by another process, which does this comparison itself
                number, digest = touched[key]
                if len(pages[number]) != len(before):
                    raise damaged(Message("a page has other blocks than its fingerprint"))
                after = repetition.without_repeated(before, repeated.rules(number))
                if after != before:
                    changed += 1
                    store_blocks(connection, load_document(connection, key), after)
                store_fingerprints(connection, {key: (known[key][0], digest)})
    return changed


def _unpacked(packed: bytes) -> NDArray[np.void]:
    if len(packed) % repetition.SITE_BLOCK.itemsize:
        raise damaged(Message("the fingerprint of a page has another size"))
    return np.frombuffer(packed, repetition.SITE_BLOCK)


def groups(keys: Sequence[int], size: int) -> list[list[int]]:
    """``keys`` in order, ``size`` at a time."""
    return [list(keys[start : start + size]) for start in range(0, len(keys), size)]
