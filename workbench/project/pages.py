"""Web pages: their markup, which of their blocks are content, and people's decisions: blocks kept or dropped, and the
CSS selector of the main text of a host's pages.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.dialects import sqlite

from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass, Document, Span
from workbench.project.batches import batched
from workbench.project.clock import now
from workbench.project.details import pack_details, unpack_details
from workbench.project.packing import Packed, damaged, pack, unpack
from workbench.project.tables import (
    detail_rows,
    document_rows,
    fingerprint_rows,
    override_rows,
    page_source_rows,
    selector_rows,
)

_HIDDEN = re.compile(rb'"hidden": ?([0-9]{1,12})')
"""For packed JSON; quotation marks within strings are escaped there, and no text has more characters."""

DECIDED = "decided by "
"""Prefix of the rule of a block decided on by a person, followed by the name."""


@dataclass(frozen=True, slots=True)
class Override:
    """A person's decision whether a span of the document ``key`` is content; an empty verdict withdraws it."""

    key: int
    span: Span
    verdict: BlockClass | None
    who: str
    occurred: str = ""


def content_columns(blocks: Sequence[Block]) -> dict[str, int | str]:
    """The document table's columns for ``blocks``: their number, how many are content, and a digest of these."""
    content = [b.span for b in blocks if b.verdict is BlockClass.CONTENT]
    digest = ""
    if len(content) < len(blocks):
        digest = hashlib.sha256(repr([tuple(span) for span in content]).encode()).hexdigest()[:16]
    return {"blocks": len(blocks), "blocks_kept": len(content), "content_digest": digest}


def store_markup(connection: Connection, markup: Iterable[tuple[int, str]]) -> None:
    """Store the markup of pages, as (key, decoded source)."""
    rows = []
    for key, source in markup:
        packed = pack(source.encode("utf-8", "surrogatepass"))
        rows.append({"key": key, "size": packed.size, "packed": packed.data})
    if rows:
        connection.execute(insert(page_source_rows), rows)


def load_markup(connection: Connection, key: int) -> str:
    """The markup of a document; empty if it is not a web page or was imported before markup was stored."""
    query = select(page_source_rows.c.size, page_source_rows.c.packed).where(page_source_rows.c.key == key)
    row = connection.execute(query).one_or_none()
    if row is None:
        return ""
    what = "the source of a page"
    try:
        return unpack(Packed(row.size, row.packed), what).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged(Message("{what} is not text", what=what)) from error


def store_blocks(connection: Connection, document: Document, blocks: tuple[Block, ...]) -> None:
    """Replace the blocks of a stored ``document`` as classified by the rule; decisions on them still apply.

    Its fingerprint is deleted.
    """
    packed = pack_details(replace(document, blocks=blocks))
    chosen = update(detail_rows).where(detail_rows.c.key == document.key)
    connection.execute(chosen.values(size=packed.size, packed=packed.data))
    connection.execute(delete(fingerprint_rows).where(fingerprint_rows.c.key == document.key))
    overrides = overrides_of(connection, [document.key]).get(document.key, {})
    count_blocks(connection, document.key, overridden(blocks, overrides))


def count_blocks(connection: Connection, key: int, blocks: Sequence[Block]) -> None:
    """Record which of ``blocks`` are content, with decisions applied."""
    connection.execute(update(document_rows).where(document_rows.c.key == key).values(**content_columns(blocks)))


def overridden(blocks: tuple[Block, ...], overrides: Mapping[Span, Override]) -> tuple[Block, ...]:
    """``blocks`` (disjoint, in order) with the decisions ``overrides`` (in order of time) applied.

    Each applies to every block of which it covers at least half, unless a later one does. O((b + h) log b) for b blocks
    and h decisions: a project may have very many of either.
    """
    if not overrides:
        return blocks
    judged = list(blocks)
    starts = [block.span.start for block in blocks]
    ends = [block.span.end for block in blocks]
    # For each block, the next one (or itself) not yet decided on, with path halving.
    following = [at if at == len(blocks) or starts[at] < ends[at] else at + 1 for at in range(len(blocks) + 1)]

    def undecided(at: int) -> int:
        while following[at] != at:
            following[at] = following[following[at]]
            at = following[at]
        return at

    for override in list(overrides.values())[::-1]:
        at = undecided(bisect_right(ends, override.span.start))
        while at < len(blocks) and starts[at] < override.span.end:
            block = blocks[at]
            if 2 * override.span.overlap(block.span) >= ends[at] - starts[at]:
                following[at] = at + 1
                if override.verdict is not None:
                    judged[at] = block._replace(
                        verdict=override.verdict, rule=Message("decided by {name}", name=override.who)
                    )
            at = undecided(at + 1)
    return tuple(judged)


def rule_blocks(connection: Connection, keys: Sequence[int]) -> dict[int, tuple[Block, ...]]:
    """Blocks by document, as classified by the rule, without decisions."""
    query = select(
        detail_rows.c.key, detail_rows.c.size, detail_rows.c.packed, document_rows.c.characters, document_rows.c.id
    )
    query = query.join(document_rows, document_rows.c.key == detail_rows.c.key).where(detail_rows.c.key.in_(keys))
    return {
        key: unpack_details(Packed(size, packed), characters, name).blocks
        for key, size, packed, characters, name in connection.execute(query)
    }


def hidden_totals(connection: Connection) -> tuple[int, int]:
    """Number of pages (except deleted ones) with text that browsers do not show, and the characters of that text."""
    query = select(detail_rows.c.size, detail_rows.c.packed, document_rows.c.id)
    query = query.join(document_rows, document_rows.c.key == detail_rows.c.key)
    pages = characters = 0
    for size, packed, name in connection.execute(
        query.where(document_rows.c.deleted == "", document_rows.c.blocks > 0)
    ):
        # Parsing the blocks of all pages would take much longer.
        match = _HIDDEN.search(unpack(Packed(size, packed), f"the layout of {name}"))
        if match:
            pages, characters = pages + 1, characters + int(match[1])
    return pages, characters


def pages_with_markup(connection: Connection) -> list[int]:
    """Keys of the documents whose markup is stored, in order, except deleted ones."""
    query = select(page_source_rows.c.key).join(document_rows, document_rows.c.key == page_source_rows.c.key)
    return list(
        connection.execute(query.where(document_rows.c.deleted == "").order_by(page_source_rows.c.key)).scalars()
    )


def content_digests(connection: Connection) -> dict[int, str]:
    """A digest of the content blocks, with decisions applied, by document."""
    query = select(document_rows.c.key, document_rows.c.content_digest).where(document_rows.c.deleted == "")
    return {row.key: row.content_digest for row in connection.execute(query)}


def pages_of_sites(connection: Connection) -> dict[str, list[int]]:
    """Keys of the documents whose markup is stored, by site, in order, except deleted ones and those without a
    site.
    """
    query = select(document_rows.c.site, document_rows.c.key).join(
        page_source_rows, page_source_rows.c.key == document_rows.c.key
    )
    query = query.where(document_rows.c.deleted == "", document_rows.c.site != "")
    pages: dict[str, list[int]] = {}
    for site, key in connection.execute(query.where(document_rows.c.blocks > 0).order_by(document_rows.c.key)):
        pages.setdefault(site, []).append(key)
    return pages


def fingerprints_of(connection: Connection, keys: Sequence[int]) -> dict[int, tuple[bytes, str]]:
    """The packed fingerprint and the digest last applied of each of the documents ``keys`` that has them."""
    fingerprints: dict[int, tuple[bytes, str]] = {}
    query = select(fingerprint_rows.c.key, fingerprint_rows.c.blocks, fingerprint_rows.c.applied)
    for part in batched(keys):
        rows = connection.execute(query.where(fingerprint_rows.c.key.in_(part)))
        fingerprints.update((key, (blocks, applied)) for key, blocks, applied in rows)
    return fingerprints


def store_fingerprints(connection: Connection, fingerprints: Mapping[int, tuple[bytes, str]]) -> None:
    """Store the packed fingerprints of documents, and the digests applied, replacing earlier ones."""
    rows = [{"key": key, "blocks": blocks, "applied": applied} for key, (blocks, applied) in fingerprints.items()]
    if rows:
        connection.execute(insert(fingerprint_rows).prefix_with("OR REPLACE"), rows)


def add_overrides(connection: Connection, overrides: Iterable[Override]) -> None:
    """Append decisions; the latest on a span applies."""
    rows = [
        {
            "document": o.key,
            "start": o.span.start,
            "end": o.span.end,
            "verdict": o.verdict.value if o.verdict else "",
            "who": o.who,
            "occurred": o.occurred or now(),
        }
        for o in overrides
    ]
    if rows:
        connection.execute(insert(override_rows), rows)


_OVERRIDES = (
    select(*override_rows.c)
    .where(override_rows.c.document.in_(bindparam("documents", expanding=True)))
    .order_by(override_rows.c.id)
)


def overrides_of(connection: Connection, keys: Sequence[int]) -> dict[int, dict[Span, Override]]:
    """The decisions that apply to the documents ``keys``, by document and span."""
    by_document: dict[int, dict[Span, Override]] = {}
    for part in batched(keys):
        for row in connection.execute(_OVERRIDES, {"documents": part}).mappings():
            span = Span(row["start"], row["end"])
            overrides = by_document.setdefault(row["document"], {})
            overrides.pop(span, None)
            if row["verdict"]:
                overrides[span] = Override(row["document"], span, _class(row["verdict"]), row["who"], row["occurred"])
    return {key: overrides for key, overrides in by_document.items() if overrides}


def _class(value: str) -> BlockClass:
    try:
        return BlockClass(value)
    except ValueError as error:
        raise damaged(Message("{value} is not a class of blocks", value=repr(value))) from error


def load_selectors(connection: Connection) -> dict[str, str]:
    """Selectors by host, in the order of the hosts."""
    query = select(selector_rows.c.host, selector_rows.c.selector).order_by(selector_rows.c.host)
    return {row.host: row.selector for row in connection.execute(query)}


def set_selectors(connection: Connection, selectors: Mapping[str, str]) -> None:
    """Store ``selectors``, by normalised host; the selectors of other hosts are unchanged."""
    for host, selector in selectors.items():
        statement = sqlite.insert(selector_rows).values(host=host, selector=selector)
        connection.execute(statement.on_conflict_do_update(index_elements=["host"], set_={"selector": selector}))


def remove_selector(connection: Connection, host: str) -> bool:
    """Delete the selector of ``host``. Returns whether there was one."""
    return connection.execute(delete(selector_rows).where(selector_rows.c.host == host)).rowcount > 0
