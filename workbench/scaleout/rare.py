"""``rare-sentences`` as steps: sentences, their document frequency, pages that share rare ones, their relation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.base.messages import Message, stored
from workbench.base.types import Document, Ints, Matches, Role
from workbench.methods.rare_sentences.groups import MOST, SEEDS, sketches
from workbench.methods.rare_sentences.groups import groups as groups_of
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.scaleout.api import Batches, Query, Stage
from workbench.scaleout.pages import Pages
from workbench.scaleout.rows import (
    PASSAGES,
    RESULT,
    ROLE_BITS,
    batch_of,
    documents,
    groups,
    left_out_row,
    packed_passages,
    pair_rows,
    role_of,
)
from workbench.scaleout.work import StepRows, Work

if TYPE_CHECKING:
    from workbench.methods.rare_sentences.pages import Pages as PagesOfPairs
    from workbench.methods.rare_sentences.sentences import Sentences

_SHAPE = ("content", "min_length", "min_particles", "layout", "symbols", "kana", "variants", "ruby")
"""Parameters that determine sentences."""
_LIMITING = ("max_documents", "copies_as_one")
_SIDE = ("start", "end", "ordinal", "spelling", "lead", "gap", "quoted")
SENTENCES = pa.schema(
    [
        ("page", pa.int64()),
        ("hash", pa.int64()),
        ("length", pa.int32()),
        *((f"s_{name}", pa.int64()) for name in _SIDE),
        ("sketch", pa.binary()),
        ("left_out", pa.string()),
    ]
)
"""The distinct sentences of a page, the first with the page's sketch (see ``groups`` of the method); rows without a
page contain counts of omissions.
"""
COPIED = pa.schema([("hash", pa.int64()), ("documents", pa.int64())])
SHARED = pa.schema(
    [
        ("a", pa.int64()),
        ("b", pa.int64()),
        ("sentences", pa.int64()),
        ("characters", pa.int64()),
        ("quoted_a", pa.int64()),
        ("quoted_b", pa.int64()),
        *PASSAGES,
    ]
)


def find(work: Work, pages: Pages, parameters: RareSentencesParameters) -> list[StepRows]:
    """Pairs of pages that share rare sentences, as tables of results. Raises UserError, Cancelled.

    Sentences are distinguished only by their 64-bit fingerprints.
    """
    p = parameters
    shape = {name: getattr(p, name) for name in _SHAPE} | {"compare": p.compare}
    stage, columns = Stage(sentences, SENTENCES, shape), ("page", "text", "blocks")
    table = pages.mapped(work, "sentences", Message("Reading sentences"), columns, stage, "p.page >= 0")
    counting = Message("Counting sentences")
    every = f"""
        select hash, count(*) as documents from {table} where page is not null group by hash having count(*) > 1"""
    repeated = work.step("repeated-sentences", counting, Query(every))
    rare, common = _limited(work, table, repeated, p)
    source, suspect, background = (n << ROLE_BITS for n in (0, 1, 2))
    examined = f"x.page < {background}" if p.compare == "all" else f"x.page >= {suspect} and x.page < {background}"
    other = "y.page < x.page" if p.compare == "all" else f"y.page >= {source} and y.page < {suspect}"
    sides = ", ".join(f"{t}.s_{name} as {t}_{name}" for t in "xy" for name in _SIDE)
    met = f"""
        select x.page as a, y.page as b, x.hash, x.length, r.documents, {sides}
        from {rare} r join {table} x on x.hash = r.hash join {table} y on y.hash = r.hash
        where {examined} and {other}"""
    stage = Stage(shared, SHARED, {"min_sentences": p.min_sentences})
    title = Message("Gathering shared sentences")
    pairs = work.step("shared", title, Query(met, stage, ("a", "b", "x_start")))
    sizes = f"(select page, sum(length) as characters from {table} where page is not null group by page)"
    about = pages.select("page", "url", "site", "published", "links")
    facts = ", ".join(
        f"{t}.url as {t}_url, {t}.site as {t}_site, {t}.published as {t}_published, {t}.links as {t}_links, "
        f"{t}s.characters as {t}_characters"
        for t in "xy"
    )
    joined = f"""
        select c.*, {facts} from {pairs} c
            join {about} x on x.page = c.a join {sizes} xs on xs.page = c.a
            join {about} y on y.page = c.b join {sizes} ys on ys.page = c.b"""
    deciding = {f.name: getattr(p, f.name) for f in fields(p) if f.name not in (*_SHAPE, *_LIMITING)}
    decided = work.step("decided", Message("Deciding relations"), Query(joined, Stage(decide, RESULT, deciding)))
    frequent = f"""
        select x.page from {table} x join {common} r on r.hash = x.hash where {examined}"""
    counts = Query(
        f"""
        select left_out, count(*) as n from {table} where left_out is not null group by left_out
        union all select '{_FREQUENT}' as left_out, count(*) as n from ({frequent}) f""",
        Stage(counted, RESULT),
    )
    return [decided, work.step("counts", Message("Counting what was left out"), counts)]


def _limited(work: Work, table: StepRows, repeated: StepRows, p: RareSentencesParameters) -> tuple[str, str]:
    """Subqueries for the ``repeated`` sentences that make pairs, and for those that are too frequent."""
    every, limit = f"select hash, documents from {repeated} where documents", p.max_documents
    rare, common = f"{every} <= {limit}", f"{every} > {limit}"
    if not p.copies_as_one:
        return f"({rare})", f"({common})"
    holders = f"""
        select x.hash, r.documents, k.sketch
        from ({common} and documents <= {MOST}) r join {table} x on x.hash = r.hash
            join (select page, sketch from {table} where sketch is not null) k on k.page = x.page"""
    stage = Stage(copied, COPIED, {"max_documents": p.max_documents})
    title = Message("Counting near-identical pages as one")
    few = work.step("copied-sentences", title, Query(holders, stage, ("hash",)))
    return (
        f"({rare} union all select hash, documents from {few})",
        f"(select c.hash, c.documents from ({common}) c left join {few} f on f.hash = c.hash where f.hash is null)",
    )


_FREQUENT = "frequent"
_TOGETHER = 20_000
"""Shared sentences examined at a time."""


def sentences(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """The distinct sentences of pages."""
    from workbench.methods.rare_sentences.finding import FOREIGN, NONE_LONG, OUTSIDE, SHORT
    from workbench.methods.rare_sentences.sentences import read

    parameters = RareSentencesParameters(**settings)
    looked_at = (Role.SOURCE, Role.SUSPECT) if parameters.compare == "all" else (Role.SUSPECT,)
    for batch in batches:
        pages = batch.column("page").to_numpy()
        examined = np.array([role_of(page) in looked_at for page in pages.tolist()], np.bool_)
        for is_examined in (True, False):
            chosen = np.flatnonzero(examined == is_examined)
            if not len(chosen):
                continue
            part = batch.take(pa.array(chosen))
            of_part = read(documents(part), parameters)
            columns = [
                pages[chosen][of_part.document],
                of_part.hashes.view(np.int64),
                of_part.length,
                *(getattr(of_part, name).astype(np.int64) for name in _SIDE),
                _sketched(of_part),
                pa.nulls(len(of_part), pa.string()),
            ]
            yield pa.RecordBatch.from_arrays([pa.array(c) for c in columns], schema=SENTENCES)
            if is_examined:
                silent = int((of_part.characters() == 0).sum())
                counts = {OUTSIDE: of_part.outside, SHORT: of_part.short, NONE_LONG: silent, FOREIGN: of_part.foreign}
                rows = [left_out_row({stored(reason): n}) for reason, n in counts.items() if n]
                yield batch_of(rows, SENTENCES)


def _sketched(distinct: Sentences) -> pa.Array:
    """The sketch of each page, as bytes, in the row of the page's first sentence; null in others."""
    document = distinct.document.astype(np.int64)
    sketch = sketches(distinct.hashes, document, distinct.documents)
    column: list[bytes | None] = [None] * len(document)
    for row in np.flatnonzero(np.diff(document, prepend=-1)).tolist():
        column[row] = sketch[document[row]].astype("<u8").tobytes()
    return pa.array(column, pa.binary())


def copied(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Sentences in few enough groups of near-identical pages, from rows with a sentence and the sketch of its page."""
    for rows in groups(batches, "hash", _TOGETHER):
        packed = b"".join(rows.column("sketch").to_pylist())
        sketch = np.frombuffer(packed, "<u8").reshape(-1, len(SEEDS), 2)
        column = rows.column("hash").to_numpy()
        hashes, first, number = np.unique(column, return_index=True, return_inverse=True)
        few = groups_of(sketch, column.view(np.uint64), number, len(hashes)) <= settings["max_documents"]
        columns = (hashes[few], rows.column("documents").to_numpy()[first[few]])
        yield pa.RecordBatch.from_arrays([pa.array(c) for c in columns], schema=COPIED)


def counted(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Counts of omissions, as results."""
    import json

    from workbench.methods.rare_sentences.finding import FREQUENT

    for batch in batches:
        rows = []
        for row in batch.to_pylist():
            counts = {stored(FREQUENT): 1} if row["left_out"] == _FREQUENT else json.loads(row["left_out"])
            rows.append(left_out_row({reason: n * row["n"] for reason, n in counts.items()}))
        yield batch_of(rows, RESULT)


def shared(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Sentences shared by pairs of pages, from rows of a sentence in both, ordered by page, other page and position."""
    from workbench.methods.rare_sentences.deciding import COUNTS
    from workbench.methods.rare_sentences.finding import SharedSentences, passages, sums

    parameters = RareSentencesParameters(**settings)
    for rows in groups(batches, "a", _TOGETHER):
        column = {name: rows.column(name).to_numpy() for name in rows.column_names}
        pages, mine = np.unique(column["a"], return_inverse=True)
        others, number = np.unique(column["b"], return_inverse=True)
        sides = ({name: column[f"{t}_{name}"] for name in _SIDE} for t in "xy")
        both = SharedSentences(
            column["hash"].view(np.uint64), mine, number, column["length"], column["documents"], *sides
        )
        both, a, b, figures = sums(both, parameters)
        parts = _by_pair(passages(both, np.arange(len(pages)), np.arange(len(others))))
        columns = (c.tolist() for c in (pages[a], others[b], *(figures[name] for name in COUNTS)))
        names = SHARED.names[: -len(PASSAGES)]
        plain = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
        yield batch_of((row | packed_passages(part) for row, part in zip(plain, parts, strict=True)), SHARED)


def _by_pair(matches: Matches) -> list[Matches]:
    """The matches of each pair; ``matches`` is ordered by pair."""
    change = (matches.a[1:] != matches.a[:-1]) | (matches.b[1:] != matches.b[:-1])
    edges = [0, *(np.flatnonzero(change) + 1).tolist(), len(matches)] if len(matches) else [0]
    return [matches.take(slice(start, end)) for start, end in pairwise(edges)]


def decide(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Scores and relations of pairs."""
    from workbench.methods.rare_sentences.deciding import COUNTS, Related, scored

    parameters = RareSentencesParameters(**settings)
    for batch in batches:
        counts = {name: batch.column(name).to_numpy() for name in COUNTS}
        sides = (_sides(batch, t, key) for t, key in (("x", "a"), ("y", "b")))
        related = Related.of(*next(sides), *next(sides), counts["characters"], parameters)
        keys = (batch.column("a").to_numpy(), batch.column("b").to_numpy())
        pairs = scored(keys, related, counts, parameters.thresholds)
        yield pair_rows(pairs, {name: batch.column(name) for name in PASSAGES.names})


def _sides(batch: pa.RecordBatch, side: str, key: str) -> tuple[PagesOfPairs, Ints]:
    """The distinct pages on one side of pairs, and the number of each pair's page among them."""
    import json

    from workbench.methods.rare_sentences.pages import Pages

    _, first, number = np.unique(batch.column(key).to_numpy(), return_index=True, return_inverse=True)
    names = ("url", "site", "published", "links", "characters")
    rows = batch.select([f"{side}_{name}" for name in names]).take(pa.array(first))
    *words, characters = (column.to_pylist() for column in rows.columns)
    seen = [
        Document(
            "", "", url=url or "", site=site or "", published=published or "", links=tuple(json.loads(links or "[]"))
        )
        for url, site, published, links in zip(*words, strict=True)
    ]
    return Pages.of(seen, np.array(characters, np.int64)), number
