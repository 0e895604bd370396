"""``digest`` as steps: segments and their frequencies, places where a run may begin, runs of each suspect."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from workbench.base.messages import Message, stored
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Role
from workbench.methods.core.content import WITHOUT_CONTENT, mapped, viewed
from workbench.methods.digest.parameters import DigestParameters
from workbench.scaleout.api import Batches, Query, Stage
from workbench.scaleout.pages import Pages
from workbench.scaleout.rows import RESULT, ROLE_BITS, batch_of, documents, groups, left_out_row, result_rows
from workbench.scaleout.work import StepRows, Work

_SHAPE = ("content", "min_segment", "layout", "bits", "kana", "variants", "ruby")
"""Parameters that determine segments."""
_RULE = ("min_run", "rule", "min_surprisal", "compare")
"""Parameters that determine where runs may begin."""
AT_ONCE = 16_000_000
"""Characters of sources compared with one suspect at a time."""
SEGMENTS = pa.schema(
    [
        ("page", pa.int64()),
        ("ordinal", pa.int32()),
        ("print", pa.int64()),
        ("bits", pa.float64()),
        ("left_out", pa.string()),
    ]
)
"""The segments of a page in text order; rows without a page are counts of omissions."""
LETTERS = pa.schema([("letter", pa.int32()), ("n", pa.int64())])
SEEDS = pa.schema(
    [("page", pa.int64()), ("need", pa.int32()), ("p0", pa.int64()), ("p1", pa.int64()), ("p2", pa.int64())]
)
"""The first (at most three) of the ``need`` fingerprints of a run that begins at a position of a suspect."""


def find(work: Work, pages: Pages, parameters: DigestParameters) -> list[StepRows]:
    """Runs of equal segments in suspects and sources, as tables of results. Raises UserError, Cancelled."""
    p = parameters
    shape = {name: getattr(p, name) for name in _SHAPE}
    every = pages.select("page", "text", "blocks")
    suspect, background = 1 << ROLE_BITS, 2 << ROLE_BITS
    whole = p.compare == "all"
    indexed = f"page < {background}" if whole else f"page < {suspect}"
    examined = indexed if whole else f"page >= {suspect} and page < {background}"
    counted = f"({indexed} or page >= {background})"
    # Steps whose stage reads the letters refer to their view, so that their keys depend on its key.
    reading = Message("Reading segments")
    columns, counting = ("page", "text", "blocks"), Stage(count_page_letters, LETTERS, shape)
    letters = pages.mapped(work, "letter-parts", reading, columns, counting, counted)
    summed = f"select letter, cast(sum(n) as bigint) as n from {letters} group by letter"
    costs = work.step("letters", reading, Query(summed))
    where = {"costs": str(costs.folders[0])}
    divided = Stage(segment_pages, SEGMENTS, shape | {"compare": p.compare}, unkeyed=where)
    segments = pages.mapped(work, "segments", reading, columns, divided, f"page >= 0 and '{costs}' <> ''")

    title = Message("Counting segments")
    known = work.step(
        "segment-pages",
        title,
        Query(
            f"""
            select print, count(distinct case when {counted} then page end) as documents,
                min(case when {indexed} then page end) as first_page
            from {segments} group by print"""
        ),
    )
    pages_counted = work.step("counted", title, Query(f"select count(*) as n from {every} p where {counted}"))
    documents_counted = pages_counted.row()["n"]
    allowed = "f.first_page < s.page" if whole else "f.first_page is not null"
    surprising = f"""
        select s.page, s.ordinal, s.print, s.bits, f.documents,
            case when {allowed} then true else false end as shared
        from {segments} s join {known} f on f.print = s.print where {examined}"""
    rule = {name: getattr(p, name) for name in _RULE} | {"counted": documents_counted}
    begun = Query(surprising, Stage(begin_places, SEEDS, rule), ("page", "ordinal"))
    begins = work.step("begins", Message("Choosing where sequences may begin"), begun)
    # Places in later pages and in the suspect itself count for ``max_places``.
    meeting = Query(_candidates(segments, begins, indexed, earlier=whole and not p.max_places))
    pairs = work.step("candidates", Message("Gathering candidates"), meeting)
    settings = {f.name: getattr(p, f.name) for f in fields(p)} | {"counted": documents_counted}
    grouped = f"""
        select g.suspect, g.member, x.page, x.text, x.details, x.repeated,
            cast(null as bigint) as print, cast(null as int) as ordinal, cast(null as bigint) as documents,
            cast(null as boolean) as shared
        from (select a as suspect, b as member from {pairs} union select a as suspect, a as member from {pairs}) g
            join {every} x on x.page = g.member
        union all
        select s.page as suspect, cast(-1 as bigint) as member, s.page, cast(null as string) as text,
            cast(null as string) as details, cast(null as string) as repeated, s.print, s.ordinal, f.documents,
            case when {allowed} then true else false end as shared
        from {segments} s join (select a from {pairs} group by a) c on c.a = s.page join {known} f on f.print = s.print
        where '{costs}' <> ''"""
    stage = Stage(suspect_runs, RESULT, settings, unkeyed=where)
    runs = work.step("runs", Message("Finding sequences"), Query(grouped, stage, ("suspect", "member", "ordinal")))
    met = f"select s.page from {segments} s join {known} f on f.print = s.print where {examined} and {allowed}"
    left_out = f"""
        select left_out, count(*) as n from {segments} where left_out is not null group by left_out
        union all select '{_WEAK}' as left_out, count(*) as n from ({met}) m"""
    counted_rows = Query(left_out, Stage(total, RESULT))
    return [runs, work.step("counts", Message("Counting what was left out"), counted_rows)]


_WEAK = "weak"


def _candidates(segments: StepRows, begins: StepRows, indexed: str, *, earlier: bool) -> str:
    """Pairs of a suspect and a source in which a run may begin: with the required number of consecutive equal segments,
    or the first three of these; with ``earlier``, only of sources before the suspect.
    """
    following = f"""
        select page, print as p0, lead(print) over (partition by page order by ordinal) as p1,
            lead(print, 2) over (partition by page order by ordinal) as p2
        from {segments} where {indexed}"""
    before = " and t.page < s.page" if earlier else ""
    parts = []
    for need in (1, 2, 3):
        equal = " and ".join(f"t.p{i} = s.p{i}" for i in range(need))
        parts.append(
            f"""
            select distinct s.page as a, t.page as b from {begins} s join ({following}) t on {equal}
            where s.need = {need}{before}"""
        )
    return " union ".join(parts)


def count_page_letters(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """The frequency of each folded letter in pages."""
    from workbench.kernels.digest.segment_values import count_letters, letter_counts
    from workbench.methods.digest.segments import segment

    parameters = DigestParameters(**settings)
    counts = letter_counts()
    for batch in batches:
        views, _, _ = viewed(documents(batch), parameters)
        segments = segment(views, parameters)
        count_letters(segments.codes, segments.table, counts)
    letters = np.flatnonzero(counts)
    yield pa.RecordBatch.from_arrays([pa.array(letters.astype(np.int32)), pa.array(counts[letters])], schema=LETTERS)


@lru_cache(maxsize=2)
def _costs(folder: str) -> NDArray[np.uint16]:
    """Surprisal of each letter, from the step in ``folder``."""
    from workbench.kernels.digest.segment_values import letter_costs, letter_counts

    counts = letter_counts()
    files = sorted(Path(folder).glob("*.parquet"))
    if not files:
        raise FileNotFoundError(errno.ENOENT, "This worker does not see the folder of the job", folder)
    for file in files:
        rows = pq.read_table(file)
        counts[rows.column("letter").to_numpy()] = rows.column("n").to_numpy()
    return letter_costs(counts)


def segment_pages(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Segments of pages in text order, with the surprisal of their letters in bits."""
    from workbench.methods.digest.matching import SHORT
    from workbench.methods.digest.segments import segment

    costs = _costs(settings["costs"])
    parameters = _parameters(settings)
    looked_at = (Role.SOURCE, Role.SUSPECT) if parameters.compare == "all" else (Role.SUSPECT,)
    for batch in batches:
        whole = documents(batch)
        views, _, _ = viewed(whole, parameters)
        segments = segment(views, parameters)
        sizes = np.diff(segments.bounds)
        ordinal = np.arange(len(segments.fingerprints)) - np.repeat(segments.bounds[:-1], sizes)
        bits = segments.bits(np.arange(len(ordinal)), costs)
        columns = [
            np.repeat(batch.column("page").to_numpy(), sizes),
            ordinal.astype(np.int32),
            segments.fingerprints.view(np.int64),
            bits,
            pa.nulls(len(ordinal), pa.string()),
        ]
        yield pa.RecordBatch.from_arrays([pa.array(c) for c in columns], schema=SEGMENTS)
        examined = np.array([d.role in looked_at for d in whole], np.bool_)
        empty = sum(bool(w.text) and not v.text for w, v, e in zip(whole, views, examined, strict=True) if e)
        counts = {SHORT: int(segments.short[examined].sum()), WITHOUT_CONTENT: empty}
        yield batch_of((left_out_row({stored(reason): n}) for reason, n in counts.items() if n), SEGMENTS)


def total(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Counts of omissions, as results."""
    from workbench.methods.digest.matching import WEAK

    for batch in batches:
        rows = []
        for row in batch.to_pylist():
            counts = {stored(WEAK): 1} if row["left_out"] == _WEAK else json.loads(row["left_out"])
            rows.append(left_out_row({reason: n * row["n"] for reason, n in counts.items()}))
        yield batch_of(rows, RESULT)


def _parameters(settings: Mapping[str, Any]) -> DigestParameters:
    return DigestParameters(**{f.name: settings[f.name] for f in fields(DigestParameters) if f.name in settings})


def begin_places(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Positions in each suspect at which a run may begin, and its fingerprints."""
    from workbench.kernels.digest.runs import required_lengths
    from workbench.methods.digest.matching import rarity

    p = _parameters(settings)
    for rows in groups(batches, "page"):
        column = {name: rows.column(name).to_numpy() for name in ("print", "bits", "documents", "shared")}
        prints, shared = column["print"], column["shared"]
        surprisal = rarity(column["bits"], column["documents"], settings["counted"], itself=p.compare == "all")
        surprisal = np.where(shared, surprisal, -1.0)
        bounds = np.array([0, len(prints)], np.int64)
        need = required_lengths(surprisal, bounds, p.length_needed, p.surprisal_needed)
        at = np.flatnonzero(need)
        padded = np.concatenate([prints, np.zeros(2, np.int64)])
        page = np.full(len(at), rows.column("page")[0].as_py(), np.int64)
        columns = [page, np.minimum(need[at], 3).astype(np.int32), padded[at], padded[at + 1], padded[at + 2]]
        yield pa.RecordBatch.from_arrays([pa.array(c) for c in columns], schema=SEEDS)


def suspect_runs(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Runs of each suspect in its candidates, with the frequencies of the whole collection."""
    from workbench.methods.digest.matching import WEAK

    p = _parameters(settings)
    costs = _costs(settings["costs"])
    counts_itself = p.compare == "all" and p.max_places > 0
    for rows in groups(batches, "suspect"):
        members = rows.column("member").to_numpy()
        known = rows.filter(pa.array(members == -1))
        prints, shared = known.column("print").to_numpy().view(np.uint64), known.column("shared").to_numpy()
        repeated, first = np.unique(prints, return_index=True)
        holding = known.column("documents").to_numpy()[first].astype(np.uint32)
        covered = np.zeros(len(prints), np.bool_)
        texts = rows.filter(pa.array(members >= 0))
        pages = texts.column("page").to_pylist()
        suspect = rows.column("suspect")[0].as_py()
        both = documents(texts)
        own = both[pages.index(suspect)]
        sources = [d for d in both if d is not own or counts_itself]
        figures = (repeated, np.maximum(holding, 1), settings["counted"], costs)
        for part in _parts(sources, p):
            results, here = _runs(own, part, figures, p)
            covered |= here
            yield batch_of(result_rows(results, pages), RESULT)
        # Segments in runs are also subtracted from the count of all shared segments.
        yield batch_of([left_out_row({stored(WEAK): -int((covered & shared).sum())})], RESULT)


def _parts(sources: list[Document], parameters: DigestParameters) -> Iterator[list[Document]]:
    """``sources`` in parts; all together if the number of places in them matters."""
    part: list[Document] = []
    size = 0
    for source in sources:
        if part and size + len(source.text) > AT_ONCE and not parameters.max_places:
            yield part
            part, size = [], 0
        part.append(source)
        size += len(source.text)
    if part:
        yield part


def _runs(
    own: Document, sources: list[Document], figures: tuple[Any, ...], parameters: DigestParameters
) -> tuple[Results, NDArray[np.bool_]]:
    """Results for ``own`` against ``sources``, and which of its segments they cover."""
    from workbench.methods.digest.containment import pairs
    from workbench.methods.digest.index import build
    from workbench.methods.digest.matching import FREQUENT, covered, matches
    from workbench.methods.digest.matching import find as find_runs

    (suspect,), from_own, _ = viewed([own], parameters)
    views, from_sources, _ = viewed(sources, parameters)
    repeated, holding, counted, costs = figures
    index = replace(
        build(views, [], parameters, NullProgress()),
        repeated=repeated,
        documents_with=holding,
        counted=counted,
        costs=costs,
    )
    runs = find_runs(index, [suspect], parameters, NullProgress(), itself=parameters.compare == "all")
    left_out: dict[str, int] = {FREQUENT: runs.frequent} if runs.frequent else {}
    passages = matches(runs, index, [suspect])
    kinds = pairs(runs, index, [suspect], parameters.whole, passages)
    results = Results(matches=passages, pairs=kinds, excluded=left_out)
    return mapped(results, from_own, from_sources), covered(runs.passages, len(runs.shared))
