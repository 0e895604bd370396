"""``trustable-lcs`` as steps: fingerprints, frequency and site filters, one-directional gathering, verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.messages import Message, stored
from workbench.base.progress import NullProgress
from workbench.methods.core.content import WITHOUT_CONTENT, mapped, viewed
from workbench.methods.trustable_lcs.parameters import DROPPED, MORE, WITHOUT, TrustableParameters
from workbench.scaleout.api import Batches, Query, Stage
from workbench.scaleout.pages import Pages
from workbench.scaleout.rows import RESULT, ROLE_BITS, batch_of, documents, left_out_row, result_rows
from workbench.scaleout.work import StepRows, Work

_SHAPE = (
    "content",
    "min_sentence",
    "rotations",
    "groups",
    "members",
    "cover",
    "short_pages",
    "rare_documents",
    "windows",
    "variants",
)
"""Parameters that determine fingerprints."""
_GATHERING = ("max_documents", "template_documents", "template_sites", "transitive", "max_candidates")
SLICE = 1_000_000
"""Candidate pairs verified in one step, which is repeated if interrupted."""
PRINTS = pa.schema(
    [
        ("page", pa.int64()),
        ("site", pa.string()),
        ("sentences", pa.int32()),
        ("print", pa.int64()),
        ("blank", pa.bool_()),
    ]
)
"""A fingerprint of a page with ``sentences`` sentences; a page without fingerprints has one row with null. Fingerprints
of single sentences are negative.
"""


def find(work: Work, pages: Pages, parameters: TrustableParameters) -> list[StepRows]:
    """Similar pairs of sources and suspects, as tables of results. Raises UserError, Cancelled."""
    p = parameters
    compared = 2 << ROLE_BITS
    shape = {name: getattr(p, name) for name in _SHAPE}
    stage, columns = Stage(page_prints, PRINTS, shape), ("page", "site", "text", "blocks")
    prints = pages.mapped(work, "prints", Message("Fingerprinting pages"), columns, stage, f"p.page < {compared}")
    members, dropped = _members(work, prints, p)
    lists, left_out = _gathered(work, members, p)
    counts = Query(_counts(prints, dropped, left_out), Stage(counted, RESULT))
    counted_rows = work.step("counts", Message("Counting what was left out"), counts)
    pairs = f"""
        select case when d > other then d else other end as a, case when d > other then other else d end as b, shared
        from {lists}"""
    rest = {f.name: getattr(p, f.name) for f in fields(p) if f.name not in (*_SHAPE, *_GATHERING)}
    settings = rest | {name: shape[name] for name in ("content", "variants")}
    results = []
    slices = -(-lists.rows // SLICE)
    for part in range(slices):
        chosen = f" where c.a % {slices} = {part}" if slices > 1 else ""
        sql = f"""
            select c.a, c.b, c.shared, x.site, x.text, x.details, x.repeated,
                y.site as b_site, y.text as b_text, y.details as b_details, y.repeated as b_repeated
            from ({pairs}) c join {pages.select("page", "site", "text", "blocks")} x on x.page = c.a
                join {pages.select("page", "site", "text", "blocks")} y on y.page = c.b{chosen}"""
        stage = Stage(verify, RESULT, settings)
        results.append(work.step(f"verified-{part}", Message("Verifying pairs"), Query(sql, stage)))
    return [*results, counted_rows]


def _members(work: Work, prints: StepRows, p: TrustableParameters) -> tuple[StepRows, StepRows]:
    """Fingerprints of at least two pages that are not too frequent, and those that are too frequent.

    ``position`` numbers the pages with a fingerprint, from the page with the most sentences.
    """
    title = Message("Counting fingerprints")
    frequency = work.step(
        "frequency",
        title,
        Query(
            f"select print, count(*) as pages from {prints} where print is not null group by print having count(*) > 1"
        ),
    )
    least = min(p.max_documents, p.template_documents, p.rare_documents or p.max_documents)
    sites = "count(distinct case when r.site <> '' then r.site end) + count(case when r.site = '' then 1 end)"
    dropped = work.step(
        "frequent",
        title,
        Query(
            f"""
            select f.print, f.pages from {frequency} f join {prints} r on r.print = f.print where f.pages > {least}
            group by f.print, f.pages
            having f.pages > {p.max_documents}
                or (f.print < 0 and f.pages > {p.rare_documents})
                or (f.pages > {p.template_documents} and {sites} < {p.template_sites})"""
        ),
    )
    members = work.step(
        "members",
        title,
        Query(
            f"""
            select r.print, r.page, r.sentences,
                row_number() over (partition by r.print order by r.sentences desc, r.page) as position
            from {prints} r join {frequency} f on f.print = r.print left join {dropped} t on t.print = r.print
            where t.print is null"""
        ),
    )
    return members, dropped


def _gathered(work: Work, members: StepRows, p: TrustableParameters) -> tuple[StepRows, str]:
    """The candidates of each page ``d`` (``other``, by ``place`` from 1), at most ``max_candidates``; and a subquery
    with the pages that have more.

    Candidates have more sentences than the page, or equally many and a lower number. The lists of all pages are
    recomputed from those of their direct candidates until none changes; this equals processing pages in order, but can
    run in parallel. Only pages whose direct candidates changed are recomputed.
    """
    limit, title = p.max_candidates, Message("Gathering candidates")
    met = work.step(
        "met",
        title,
        Query(
            f"""
            select x.page as d, y.page as other, y.sentences, count(*) as shared
            from {members} x join {members} y on y.print = x.print
            where y.position < x.position and y.position <= {limit} group by x.page, y.page, y.sentences"""
        ),
    )
    ranked = f"""
        select d, other, shared, row_number() over (partition by d order by shared desc, sentences desc, other) as place
        from {met}"""
    direct = work.step("direct", title, Query(f"select * from ({ranked}) r where place <= {limit}"))
    crowded = f"select page as d from {members} where position > {limit + 1} group by page"
    more = f"{crowded} union select d from ({ranked}) r where place > {limit}"
    lists, changed = direct, f"(select distinct d from {direct})"
    while p.transitive:
        affected = f"(select distinct t.d from {direct} t join {changed} c on c.d = t.other)"
        met_again = f"""
            select t.d, t.other, t.shared, t.place as step from {direct} t join {affected} w on w.d = t.d
            union all
            select t.d, l.other, 0 as shared, {limit} + t.place * {limit + 1} + l.place as step
            from {direct} t join {affected} w on w.d = t.d join {lists} l on l.d = t.other"""
        once = f"select d, other, max(shared) as shared, min(step) as step from ({met_again}) m group by d, other"
        placed = f"select d, other, shared, row_number() over (partition by d order by step) as place from ({once}) o"
        longer = work.step("longer", title, Query(placed))
        following = work.step(
            "lists",
            title,
            Query(
                f"""
                select d, other, shared, place from {longer} where place <= {limit}
                union all
                select l.d, l.other, l.shared, l.place from {lists} l left join {affected} w on w.d = l.d
                where w.d is null"""
            ),
        )
        new = work.step(
            "changed",
            title,
            Query(
                f"""
                select distinct f.d from {following} f
                    left join {lists} l on l.d = f.d and l.other = f.other and l.place = f.place
                where l.d is null"""
            ),
        )
        lists, changed = following, str(new)
        if not new.rows:
            break
    if p.transitive:
        # A page has more if a list from which it is computed, in the final state, does not fit.
        more += f" union select d from ({_overfull(direct, lists, limit)}) f"
    return lists, f"({more})"


def _overfull(direct: StepRows, lists: StepRows, limit: int) -> str:
    both = f"""
        select d, other from {direct} union
        select t.d, l.other from {direct} t join {lists} l on l.d = t.other"""
    return f"select d from ({both}) b group by d having count(*) > {limit}"


def _counts(prints: StepRows, dropped: StepRows, more: str) -> str:
    """Counts of omissions, by reason."""
    counts = {
        WITHOUT: f"select count(*) as n from {prints} where print is null",
        WITHOUT_CONTENT: f"select count(*) as n from {prints} where blank",
        DROPPED: f"select coalesce(sum(pages), 0) as n from {dropped} where print >= 0",
        MORE: f"select count(distinct d) as n from {more} m",
    }
    return " union all ".join(
        f"select '{stored(reason)}' as reason, cast(n as bigint) as n from ({sql}) q{i}"
        for i, (reason, sql) in enumerate(counts.items())
    )


def counted(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Counts of omissions, as results."""
    for batch in batches:
        yield batch_of((left_out_row({row["reason"]: row["n"]}) for row in batch.to_pylist()), RESULT)


def page_prints(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Fingerprints of pages."""
    from workbench.methods.trustable_lcs.candidates import fingerprints

    parameters = TrustableParameters(**settings)
    for batch in batches:
        whole = documents(batch)
        views, _, _ = viewed(whole, parameters)
        prints = fingerprints(views, parameters)
        sizes = np.diff(prints.bounds)
        # A page without fingerprints has one row, at the position of the first.
        at = np.flatnonzero(sizes == 0)
        values = np.insert(prints.values.view(np.int64), prints.bounds[at], 0)
        counts = np.maximum(sizes, 1)
        absent = np.repeat(sizes == 0, counts)
        blank = np.array([bool(w.text) and not v.text for w, v in zip(whole, views, strict=True)], np.bool_)
        columns = [
            np.repeat(batch.column("page").to_numpy(), counts),
            pa.array([d.site for d in whole]).take(pa.array(np.repeat(np.arange(len(whole)), counts))),
            np.repeat(prints.sentences, counts).astype(np.int32),
            pa.array(values, mask=absent),
            np.repeat(blank, counts) & absent,
        ]
        yield pa.RecordBatch.from_arrays([pa.array(c) for c in columns], schema=PRINTS)


def verify(settings: Mapping[str, Any], batches: Batches) -> Batches:
    """Edit script, trustable region and thresholds of candidate pairs."""
    from workbench.methods.trustable_lcs.index import examine_into, pages_of
    from workbench.methods.trustable_lcs.pair import Findings

    parameters = TrustableParameters(**settings)
    for batch in batches:
        theirs = pa.table(
            {
                "page": batch.column("b"),
                "site": batch.column("b_site"),
                "text": batch.column("b_text"),
                "details": batch.column("b_details"),
                "repeated": batch.column("b_repeated"),
            }
        )
        rows: list[dict[str, Any]] = []
        left_out: Counter[str] = Counter()
        columns = (batch.column(name).to_pylist() for name in ("a", "b", "shared"))
        for a, b, page_a, page_b, shared in zip(documents(batch, "a"), documents(theirs), *columns, strict=True):
            (left,), from_left, _ = viewed([replace(a, key=1)], parameters)
            (right,), from_right, _ = viewed([replace(b, key=2)], parameters)
            pair = pages_of(left, right, parameters)
            findings = Findings()
            examine_into(findings, (1, 2), pair, shared, parameters, NullProgress())
            left_out += findings.left_out
            findings.left_out.clear()
            rows += result_rows(mapped(findings.results(), from_left, from_right), (page_a, page_b))
        yield batch_of(rows, RESULT)
        if left_out:
            yield batch_of([left_out_row({stored(reason): n for reason, n in left_out.items()})], RESULT)
