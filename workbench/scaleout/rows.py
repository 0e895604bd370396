"""Converts pages and results to rows of Parquet, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.base.evidence import packed
from workbench.base.gaps import Gaps
from workbench.base.messages import read, stored
from workbench.base.tags import checked
from workbench.base.types import (
    Block,
    BlockClass,
    BlockKind,
    DateSource,
    Document,
    Extraction,
    IntegrityFlag,
    Ints,
    Look,
    LookKind,
    Matches,
    PairScore,
    PairScores,
    PrintedPage,
    Region,
    Results,
    Role,
    Span,
)

ROLES = (Role.SOURCE, Role.SUSPECT, Role.BACKGROUND)
"""In the order of a collection; see :mod:`workbench.methods.core.collection`."""
ROLE_BITS = 60
KEYS = 1 << ROLE_BITS
"""A page's number is the index of its role times this, plus its key: sources precede suspects, and keys are in input
order.
"""

PAGE = pa.schema(
    [
        ("page", pa.int64()),
        ("id", pa.string()),
        ("title", pa.string()),
        ("url", pa.string()),
        ("site", pa.string()),
        ("published", pa.string()),
        ("language", pa.string()),
        ("origin", pa.string()),
        ("text", pa.string()),
        ("details", pa.string()),
        ("links", pa.string()),
        ("error", pa.string()),
    ]
)
"""A page as it was read, or an input that was refused: ``page`` is null, ``id`` its path, ``error`` the reason.

``details``: blocks, extraction, tags and the source of the date, ``links``: addresses, both JSON.
"""

_PLACES = ("a_start", "a_end", "b_start", "b_end")
_OF_GAP = ("row", "side", "start", "end")
PASSAGES = pa.schema(
    [
        *((name, pa.list_(pa.int64())) for name in _PLACES),
        ("scores", pa.list_(pa.float64())),
        ("tiers", pa.list_(pa.int8())),
        ("names", pa.string()),
        ("values", pa.list_(pa.float64())),
        ("gaps", pa.list_(pa.int64())),
    ]
)
"""The passages of a pair. ``names``: names and types of their evidence, as JSON; ``values``: the concatenated evidence
of passages; ``gaps``: passage, side, start and end of each gap, concatenated.
"""

RESULT = pa.schema(
    [
        ("a", pa.int64()),
        ("b", pa.int64()),
        ("score", pa.float64()),
        ("scored", pa.bool_()),
        ("resemblance", pa.float64()),
        ("containment", pa.float64()),
        ("relation", pa.string()),
        ("evidence", pa.string()),
        *PASSAGES,
        ("regions", pa.string()),
        ("left_out", pa.string()),
    ]
)
"""A pair of pages with its passages, or (``a`` is null) counts of omissions, by reason.

``score`` is the method's score of the pair, if any (``scored``), otherwise the sum over its passages. ``evidence`` is
JSON as stored in projects.
"""
SCORE_FIELDS = ("score", "resemblance", "containment", "relation", "evidence")
"""A method's figures for a pair."""


def role_of(page: int) -> Role:
    """The role encoded in a page's number."""
    return ROLES[page >> ROLE_BITS]


def page_row(document: Document, page: int) -> dict[str, Any]:
    """The row of ``document``, with its text, blocks, looks, flags, tags and the source of its date, but without the
    source of the page.
    """
    how = document.extraction
    details = {
        "blocks": [[*b.span, b.kind.value, b.verdict.value, stored(b.rule), b.path] for b in document.blocks],
        "how": [
            how.format,
            how.encoding,
            stored(how.encoding_source),
            [stored(r) for r in how.repairs],
            how.created,
            how.hidden,
            how.pages,
        ],
        "looks": [[*look.span, look.kind.value] for look in how.looks],
        "integrity": how.integrity,
        "dated_by": document.dated_by,
        "tags": document.tags,
    }
    return {
        "page": page,
        "id": document.id,
        "title": document.title,
        "url": document.url,
        "site": document.site,
        "published": document.published,
        "language": document.language,
        "origin": document.origin,
        "text": document.text,
        "details": json.dumps(details, ensure_ascii=False),
        "links": json.dumps(document.links, ensure_ascii=False),
    }


def documents(batch: pa.RecordBatch | pa.Table, column: str = "page") -> list[Document]:
    """The pages of a batch as documents with keys from 1; absent columns are empty."""
    rows = batch.to_pylist()
    return [_document(row, key, int(row[column])) for key, row in enumerate(rows, 1)]


def _document(row: Mapping[str, Any], key: int, page: int) -> Document:
    details = json.loads(row.get("details") or "{}")
    blocks = tuple(
        Block(Span(start, end), BlockKind(kind), BlockClass(verdict), read(rule), path)
        for start, end, kind, verdict, rule, path in details.get("blocks", ())
    )
    if row.get("repeated"):
        from workbench.reading.blocks.repetition import without_repeated

        rules = {int(at): read(rule) for at, rule in json.loads(row["repeated"]).items()}
        blocks = without_repeated(blocks, rules)
    how = Extraction()
    if "how" in details:
        name, encoding, source, repairs, created, hidden, pages = details["how"]
        printed = tuple(PrintedPage(label, tuple(lines)) for label, lines in pages)
        looks = tuple(Look(Span(start, end), LookKind(kind)) for start, end, kind in details.get("looks", ()))
        notes = tuple(map(read, repairs))
        flags = tuple(
            IntegrityFlag(kind, count, tuple(Span(*span) for span in spans))
            for kind, count, spans in details.get("integrity", ())
        )
        how = Extraction(name, encoding, read(source), notes, created, hidden, printed, flags, looks=looks)
    words: dict[str, Any] = {
        name: row.get(name) or "" for name in ("id", "title", "url", "site", "published", "origin")
    }
    dated_by = details.get("dated_by") or ""
    return Document(
        **words,
        dated_by=DateSource(dated_by).value if dated_by else "",
        tags=checked(details.get("tags", ())),
        text=row.get("text") or "",
        role=role_of(page),
        key=key,
        language=row.get("language") or "und",
        blocks=blocks,
        links=tuple(json.loads(row.get("links") or "[]")),
        extraction=how,
    )


def result_rows(results: Results, pages: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The rows of ``results``, whose keys number ``pages`` from 1; the last row has the counts of omissions."""
    m = results.matches
    pair_by_keys = {(pair.a, pair.b): pair for pair in results.pairs}
    rows = np.lexsort((m.b_start, m.a_start, m.b, m.a))
    by_pair: dict[tuple[int, int], list[int]] = {key: [] for key in pair_by_keys}
    for i, key in zip(rows.tolist(), zip(m.a[rows].tolist(), m.b[rows].tolist(), strict=True), strict=True):
        by_pair.setdefault(key, []).append(i)
    regions: dict[tuple[int, int], list[list[Any]]] = {}
    for r in results.regions:
        regions.setdefault((r.a, r.b), []).append([*r.a_span, *r.b_span, r.slope])
    for key, chosen in by_pair.items():
        part = m.take(np.array(chosen, np.int64))
        yield pair_row(
            (pages[key[0] - 1], pages[key[1] - 1]), pair_by_keys.get(key), packed_passages(part), regions.get(key, [])
        )
    if counts := {stored(reason): n for reason, n in results.excluded.items() if n}:
        yield left_out_row(counts)


def pair_row(
    pages: tuple[int, int], pair: PairScore | None, passages: Mapping[str, Any], regions: list[list[Any]] | None = None
) -> dict[str, Any]:
    """The row of one pair of ``pages``; ``passages``: values of :data:`PASSAGES`."""
    row: dict[str, Any] = {"a": pages[0], "b": pages[1], "regions": json.dumps(regions or [])}
    row |= {name: passages[name] for name in PASSAGES.names}
    if pair is None:
        return row | {"score": float(sum(passages["scores"])), "scored": False, "evidence": "{}"}
    return row | {
        "score": pair.score,
        "scored": True,
        "resemblance": pair.resemblance,
        "containment": pair.containment,
        "relation": pair.relation,
        "evidence": packed(pair.evidence),
    }


def pair_rows(pairs: PairScores, passages: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """The rows of ``pairs``, whose ``a`` and ``b`` are numbers of pages; ``passages``: columns of :data:`PASSAGES`."""
    columns = {
        **{
            name: getattr(pairs, name)
            for name in ("a", "b", "score", "resemblance", "containment", "relation", "evidence")
        },
        "scored": [True] * len(pairs),
        **passages,
        "regions": ["[]"] * len(pairs),
        "left_out": [None] * len(pairs),
    }
    return pa.RecordBatch.from_arrays([_cast(columns[f.name], f.type) for f in RESULT], schema=RESULT)


def _cast(column: Any, kind: pa.DataType) -> pa.Array:
    return column.cast(kind) if isinstance(column, pa.Array) else pa.array(column, kind)


def left_out_row(counts: Mapping[str, int]) -> dict[str, Any]:
    """The row of counts of omissions, by stored reason."""
    return {"left_out": json.dumps(dict(counts), ensure_ascii=False)}


def packed_passages(matches: Matches) -> dict[str, Any]:
    """The passages of one pair as values of :data:`PASSAGES`."""
    evidence = {name: np.asarray(values) for name, values in matches.evidence.items()}
    values = np.column_stack([v.astype(np.float64) for v in evidence.values()]) if evidence else np.zeros(0)
    return {
        **{name: getattr(matches, name).tolist() for name in _PLACES},
        "scores": matches.score.tolist(),
        "tiers": matches.tier.tolist(),
        "names": json.dumps([[name, v.dtype.str] for name, v in evidence.items()]),
        "values": values.ravel().tolist(),
        "gaps": np.column_stack([getattr(matches.gaps, name) for name in _OF_GAP]).ravel().tolist(),
    }


def batch_of(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    """``rows`` as a batch; absent values are null."""
    return pa.RecordBatch.from_pylist(list(rows), schema=schema)


def read_passages(rows: pa.Table, a: Ints, b: Ints) -> Matches:
    """The passages of the pairs in ``rows`` (of :data:`RESULT`), with the keys ``a`` and ``b`` for page numbers.

    Raises ValueError for rows that no step writes.
    """
    places = {name: _flat(rows, name) for name in _PLACES}
    sizes = pc.list_value_length(rows.column("scores")).to_numpy()
    columns: dict[str, Any] = {**places, "score": _flat(rows, "scores"), "tier": _flat(rows, "tiers")}
    evidence: dict[str, NDArray[Any]] = {}
    kinds = rows.column("names").combine_chunks().dictionary_encode()
    kind = np.repeat(kinds.indices.to_numpy(), sizes)
    values = _flat(rows, "values")
    widths = np.array([len(json.loads(names)) for names in kinds.dictionary.to_pylist()], np.int64)[kind]
    first = np.cumsum(widths) - widths
    for number, names in enumerate(kinds.dictionary.to_pylist()):
        chosen = np.flatnonzero(kind == number)
        for at, (name, kind_of_number) in enumerate(json.loads(names)):
            column = evidence.setdefault(name, np.zeros(len(kind), np.dtype(kind_of_number)))
            column[chosen] = values[first[chosen] + at]
    matches = Matches(a=np.repeat(a, sizes), b=np.repeat(b, sizes), evidence=evidence, **columns)
    return replace(matches, gaps=_read_gaps(rows, sizes, matches))


def _read_gaps(rows: pa.Table, sizes: Ints, matches: Matches) -> Gaps:
    """The gaps of ``matches``, ``sizes`` of them in each of ``rows``."""
    of_pairs = _flat(rows, "gaps").reshape(-1, len(_OF_GAP))
    counts = pc.list_value_length(rows.column("gaps")).to_numpy()
    if (counts % len(_OF_GAP)).any():
        raise ValueError("half a gap")
    pair = np.repeat(np.arange(len(rows)), counts // len(_OF_GAP))
    within, side, start, end = of_pairs.T
    if ((within < 0) | (within >= sizes[pair]) | (side < 0) | (side > 1)).any():
        raise ValueError("a gap of no passage")
    row = within + (np.cumsum(sizes) - sizes)[pair]
    order = np.lexsort((start, side, row))
    gaps = Gaps(row[order], side[order].astype(np.int8), start[order], end[order])
    low = np.where(gaps.side == 0, matches.a_start[gaps.row], matches.b_start[gaps.row])
    high = np.where(gaps.side == 0, matches.a_end[gaps.row], matches.b_end[gaps.row])
    together = (np.diff(gaps.row) == 0) & (np.diff(gaps.side) == 0)
    if (gaps.end <= gaps.start).any() or (gaps.start < low).any() or (gaps.end > high).any():
        raise ValueError("a gap outside of its passage")
    if (gaps.start[1:] < gaps.end[:-1])[together].any():
        raise ValueError("gaps that overlap")
    return gaps


def _flat(rows: pa.Table, name: str) -> NDArray[Any]:
    """The concatenated values of a column of lists."""
    values: NDArray[Any] = rows.column(name).combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return values


def read_regions(rows: pa.Table, a: Ints, b: Ints) -> tuple[Region, ...]:
    """The trustable regions of the pairs in ``rows``, with keys as in :func:`read_passages`."""
    column = rows.column("regions")
    having = np.flatnonzero(pc.not_equal(column, "[]").to_numpy(zero_copy_only=False))
    regions: list[Region] = []
    for written, key_a, key_b in zip(
        column.take(having).to_pylist(), a[having].tolist(), b[having].tolist(), strict=True
    ):
        regions += [Region(key_a, key_b, Span(*r[:2]), Span(*r[2:4]), r[4]) for r in json.loads(written)]
    return tuple(regions)


def groups(batches: Iterable[pa.RecordBatch], column: str, least: int = 1) -> Iterator[pa.Table]:
    """The rows of ``batches``, which are ordered by ``column``, as one table per value; only the rows of one value are
    in memory.

    Values with fewer than ``least`` rows are merged into tables of at least that many.
    """
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        values = batch.column(column).to_numpy(zero_copy_only=False)
        edges = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)]
        for start, end in pairwise(edges):
            if start == end:
                continue
            if size >= least and waiting[-1].column(column)[0].as_py() != values[start]:
                yield pa.Table.from_batches(waiting)
                waiting, size = [], 0
            waiting.append(batch.slice(start, end - start))
            size += end - start
    if waiting:
        yield pa.Table.from_batches(waiting)
