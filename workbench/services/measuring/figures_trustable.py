"""Figures of trustable LCS (Huang, Wang and Li, 2007): candidates, skeletons, edits and speed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Run
from workbench.evaluation.figures import Axis, Figure, Series, Table
from workbench.evaluation.intervals import bootstrap, proportion_interval
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.methods.core.collection import keys
from workbench.methods.core.warming import run_once
from workbench.project.database import open_project
from workbench.project.documents import load_document
from workbench.project.listing import ids_of
from workbench.project.pairs import pairs_of
from workbench.services.detecting.corpus import ProjectCorpus, scope_of
from workbench.services.detecting.indexing import index_folder, passing_index
from workbench.services.measuring.figure_request import FigureRequest, base_run, chosen_pair, numbers
from workbench.services.measuring.sweeping import runs_over
from workbench.services.review.near_duplicates import sets
from workbench.services.session import Session

if TYPE_CHECKING:
    from workbench.methods.trustable_lcs.index import TrustableIndex
    from workbench.methods.trustable_lcs.parameters import TrustableParameters

METHOD = "trustable-lcs"
ROTATIONS = tuple(range(1, 17))
"""With seven groups: the 7 to 112 fingerprints of the paper's figure 5."""
WINDOWS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
"""Characters; two bytes of GBK each in the paper's figure 6."""
EXAMINED = 50_000
"""Maximum number of pairs that are compared to determine the near-duplicates independently of candidates."""
PAPER_PAGES, PAPER_PROCESSES = 430_000_000, 24
PAPER_SPEED = PAPER_PAGES / (PAPER_PROCESSES * 5 * 86_400)
"""Pages per second of each of the paper's processes (section 5.5: all in five days)."""
_PAPER_GATHERING, _PAPER_EXAMINING = 14 + 33, 3 * 24
"""Hours for fingerprints and candidate sets, and for skeletons and trustable LCS."""
_SAMPLE = 100
"""Maximum number of pairs of each kind that are examined."""
_REGIONS = 5
"""Maximum number of regions drawn one by one."""
_STAGE = Message("Measuring")

Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class _Opened:
    """The index of a run, its settings, and the keys of its documents in order."""

    run: Run
    index: TrustableIndex
    parameters: TrustableParameters
    keys: Sequence[int]

    def pair(self, one: int, other: int) -> tuple[int, int]:
        """Keys of two documents by their numbers, the smaller first."""
        first, second = sorted((self.keys[one], self.keys[other]))
        return first, second

    def candidates(self) -> list[tuple[int, int]]:
        """Numbers of the documents of each candidate pair, the later one first."""
        starts, partners = self.index.candidates.starts, self.index.candidates.partners
        later = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        return list(zip(later.tolist(), np.asarray(partners).tolist(), strict=True))


def _opened(ctx: Context, path: Path, run: Run) -> _Opened:
    from workbench.methods.trustable_lcs.index import TrustableIndex
    from workbench.methods.trustable_lcs.parameters import TrustableParameters

    method = registry.get(METHOD)
    parameters = method.parameters.parse(run.parameters)
    with open_project(path, write=False) as project:
        index = method.load(index_folder(project, method, parameters, ctx), parameters).inner
    assert isinstance(index, TrustableIndex)
    assert isinstance(parameters, TrustableParameters)
    return _Opened(run, index, parameters, keys(index.order).tolist())


def candidate_pairs(ctx: Context, path: Path, run: Run) -> frozenset[frozenset[str]]:
    """The ids of each pair of documents that ``run`` compared: its candidates."""
    opened = _opened(ctx, path, run)
    with Session(path, write=False) as session, session.read() as connection:
        ids = ids_of(connection)
    return frozenset(frozenset(ids[key] for key in opened.pair(*pair)) for pair in opened.candidates())


def _reported(path: Path, run: Run) -> Pairs:
    with Session(path, write=False) as session, session.read() as connection:
        return frozenset((min(p.a, p.b), max(p.a, p.b)) for p in pairs_of(connection, run.id))


def _similar(ctx: Context, opened: _Opened) -> tuple[Pairs, Pairs, bool]:
    """Near-duplicate pairs among those compared independently of candidates, the number compared, and whether these are
    all pairs. Otherwise randomly drawn documents are compared with all others.
    """
    from workbench.methods.trustable_lcs.pair import Step, examine

    n = len(opened.keys)
    whole = n * (n - 1) // 2 <= EXAMINED
    probes = list(range(n)) if whole else Random(0).sample(range(n), max(1, EXAMINED // n))
    chosen = {(max(i, j), min(i, j)) for i in probes for j in range(n) if i != j}
    similar = set()
    for done, (a, b) in enumerate(sorted(chosen)):
        ctx.advance(_STAGE, done, len(chosen))
        examined = examine(opened.index.page(a), opened.index.page(b), opened.parameters, ctx, counts=False)
        if examined.step is Step.SIMILAR:
            similar.add(opened.pair(a, b))
    return frozenset(similar), frozenset(opened.pair(a, b) for a, b in chosen), whole


def by_fingerprints(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Coverage and trustable rate against the number of fingerprints (figure 5).

    Coverage: the share of near-duplicate pairs (found by comparing all documents, or in a large collection a random
    sample, with an interval) among the candidates. Trustable rate: near-duplicates among the candidates. Both exclude
    candidates by rare sentences, which are not in the paper; coverage with them is a separate line.
    """
    from workbench.methods.trustable_lcs.parameters import REFUSED

    run = base_run(ctx, path, METHOD, request)
    rotations = [int(value) for value in numbers(request, ROTATIONS)]
    truth, compared, whole = _similar(ctx, _opened(ctx, path, run))
    if not truth:
        raise UserError(Message("No two of the documents compared are near-duplicates; there is nothing to draw."))
    steps = []
    axes = {"rotations": rotations, "rare_documents": [0]}
    for values, varied_run in runs_over(ctx, path, run, axes, workers=request.workers):
        reported = _reported(path, varied_run)
        refused = sum(varied_run.excluded.get(reason, 0) for reason in REFUSED.values())
        count = float(values["rotations"] * int(varied_run.parameters["groups"]))
        steps.append((count, len(reported & truth), len(reported) / max(1, len(reported) + refused)))
    x = tuple(count for count, _, _ in steps)
    band = () if whole else tuple(proportion_interval(hits, len(truth)) for _, hits, _ in steps)
    lines = [
        Series(Message("coverage rate"), x, tuple(hits / len(truth) for _, hits, _ in steps), band=band),
        Series(Message("trustable rate"), x, tuple(rate for _, _, rate in steps)),
    ]
    if run.parameters.get("rare_documents"):
        hits = len(_reported(path, run) & truth)
        around = () if whole else (proportion_interval(hits, len(truth)),) * len(x)
        name = Message("coverage rate with rare sentences")
        lines.append(Series(name, x, (hits / len(truth),) * len(x), band=around))
    about = {"run": run.id, "count": f"{len(truth):,}", "compared": f"{len(compared):,}"}
    note = Message("Run {run}; coverage of {count} near-duplicates among all {compared} pairs.", **about)
    if not whole:
        note = Message(
            "Run {run}; coverage of {count} near-duplicates among {compared} pairs of randomly drawn documents with "
            "all others.",
            **about,
        )
    return Figure(
        Message("Number of fingerprints"),
        Axis(Message("maximum fingerprints per page")),
        Axis(Message("rate"), low=0, high=1.02),
        tuple(lines),
        (note,),
    )


def by_window(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Strain-away and reserved rate against the window of the filter skeleton (figure 6), over candidate pairs.

    Reserved: |TLCS| with the filter, relative to |TLCS| without it (a window of one character removes nothing that
    could match), over reported candidates. Strain-away: share of characters removed, over unreported candidates.
    """
    from workbench.kernels.trustable_lcs.skeleton import skeletons
    from workbench.methods.trustable_lcs.pair import examine, window_of

    run = base_run(ctx, path, METHOD, request)
    windows = [int(value) for value in numbers(request, WINDOWS)]
    opened = _opened(ctx, path, run)
    reported, candidates = _reported(path, run), opened.candidates()
    similar = [pair for pair in candidates if opened.pair(*pair) in reported]
    others = [pair for pair in candidates if opened.pair(*pair) not in reported]
    if not similar:
        raise UserError(Message("Run {id} reports no pair; there is nothing to measure.", id=run.id))
    random, total = Random(0), (len(similar), len(others))
    similar, others = (random.sample(pairs, min(_SAMPLE, len(pairs))) for pairs in (similar, others))
    page = opened.index.page
    open_to_all = replace(opened.parameters, min_resemblance=0.0, min_containment=0.0)
    reserved, strained = _Rates(len(similar) < total[0]), _Rates(len(others) < total[1])
    plain = [examine(page(a), page(b), replace(open_to_all, window=1), ctx).common for a, b in similar]
    for step, window in enumerate(windows):
        ctx.advance(_STAGE, step, len(windows))
        parameters = replace(open_to_all, window=window)
        kept = [examine(page(a), page(b), parameters, ctx).common for a, b in similar]
        reserved.add([(k / p, 1.0) for k, p in zip(kept, plain, strict=True) if p])
        out = []
        for a, b in others:
            ctx.check()
            masks = skeletons(page(a).folded, page(b).folded, window_of(page(a), page(b), parameters))
            size = sum(map(len, masks))
            out.append((float(size - sum(int(mask.sum()) for mask in masks)), float(size)))
        strained.add(out)
    ctx.advance(_STAGE, len(windows), len(windows))
    x = tuple(map(float, windows))
    lines = [Series(Message("reserved rate"), x, tuple(reserved.rates), band=tuple(reserved.bands))]
    if others:
        lines.insert(0, Series(Message("strain-away rate"), x, tuple(strained.rates), band=tuple(strained.bands)))
    note = Message(
        "Run {run}: {some} of the {all} candidate pairs that it reports, and {others} of the {rest} that it does not.",
        run=run.id,
        some=f"{len(similar):,}",
        all=f"{total[0]:,}",
        others=f"{len(others):,}",
        rest=f"{total[1]:,}",
    )
    notes = [note]
    if reserved.bands or strained.bands:
        notes.append(Message("Bands: 95 % intervals by resampling the pairs, where they are a sample."))
    axes = Axis(Message("window of the filter skeleton (characters)")), Axis(Message("rate"), low=0, high=1.02)
    return Figure(Message("Window of the filter skeleton"), *axes, tuple(lines), tuple(notes))


class _Rates:
    """Rates, each a sum over pairs divided by another, and their 95 % intervals if the pairs are a sample."""

    def __init__(self, is_sample: bool) -> None:
        self.rates: list[float] = []
        self.bands: list[tuple[float, float]] = []
        self._is_sample = is_sample

    def add(self, parts: Sequence[tuple[float, float]]) -> None:
        """The rate of ``parts``, a numerator and a denominator for each pair; 0 if there is none."""
        table = np.array(parts, np.float64).reshape(-1, 2)
        whole = table.sum(axis=0)
        self.rates.append(float(whole[0] / whole[1]) if whole[1] else 0.0)
        if not self._is_sample or not whole[1]:
            return
        self.bands.append(bootstrap(lambda above, below: float(above.sum() / below.sum()), *table.T))


def _pages(
    path: Path, request: FigureRequest, run: Run
) -> tuple[TrustableParameters, tuple[str, str], tuple[str, str]]:
    """The run's settings, ids of the pair to draw, and their texts as compared."""
    from workbench.methods.core.content import content_view
    from workbench.methods.trustable_lcs.parameters import TrustableParameters

    parameters = registry.get(METHOD).parameters.parse(run.parameters)
    assert isinstance(parameters, TrustableParameters)
    ids = chosen_pair(path, request, run, lambda pair: int(pair.evidence.get("edits") or 0))
    with Session(path, write=False) as session, session.read() as connection:
        a, b = (load_document(connection, name) for name in ids)
    if parameters.content:
        a, b = content_view(a)[0], content_view(b)[0]
    return parameters, ids, (a.text, b.text)


def by_position(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """Edits along the first document of a pair, with its trustable regions (figure 3)."""
    from workbench.methods.trustable_lcs.pair import PageText, edit_curve, examine

    run = base_run(ctx, path, METHOD, request)
    parameters, ids, texts = _pages(path, request, run)
    x, y = edit_curve(texts[0], texts[1], parameters)
    lines = [Series(Message("edits"), tuple(x.astype(float).tolist()), tuple(y.astype(float).tolist()))]
    open_to_all = replace(parameters, min_resemblance=0.0, min_containment=0.0)
    examined = examine(PageText.of(texts[0], parameters), PageText.of(texts[1], parameters), open_to_all, ctx)
    for number, region in enumerate(examined.regions[:_REGIONS], 1):
        ends = float(region.parts[0][0]), float(region.parts[-1][1])
        lines.append(
            Series(Message("trustable region {number}", number=number), ends, tuple(np.interp(ends, x, y).tolist()))
        )
    left = len(examined.regions) - _REGIONS
    notes = [
        Message(
            "Run {run}: {a} against {b}; a region rises by at most {slope} per character.",
            run=run.id,
            a=ids[0],
            b=ids[1],
            slope=f"{parameters.slope:g}",
        )
    ]
    if left > 0:
        notes.append(Message("Smaller regions not drawn: {count}.", count=f"{left:,}"))
    axes = Axis(Message("position in the document (characters)"), low=0), Axis(Message("edits so far"), low=0)
    return Figure(Message("Edits along a document"), *axes, tuple(lines), tuple(notes))


def edit_graph(ctx: Context, path: Path, request: FigureRequest) -> Figure:
    """The path of the edit script of a pair through its edit graph (figure 1): right deletes, up inserts, along the
    diagonal both have the same character.
    """
    from workbench.methods.trustable_lcs.pair import PageText, match, window_of

    run = base_run(ctx, path, METHOD, request)
    parameters, ids, texts = _pages(path, request, run)
    pages = (PageText.of(texts[0], parameters), PageText.of(texts[1], parameters))
    a, b = (page.folded for page in pages)
    here, there = match(a, b, window_of(*pages, parameters), parameters.max_stretch, ctx)
    cut = np.flatnonzero((np.diff(here) > 1) | (np.diff(there) > 1)) + 1
    corners = [(0, 0)]
    for first, last in pairwise([0, *cut.tolist(), len(here)] if len(here) else []):
        start, end = (int(here[first]), int(there[first])), (int(here[last - 1]) + 1, int(there[last - 1]) + 1)
        corners += [(start[0], corners[-1][1]), start, end]
    corners += [(len(a), corners[-1][1]), (len(a), len(b))]
    x, y = zip(*dict.fromkeys(corners), strict=True)
    edits = len(a) + len(b) - 2 * len(here)
    note = Message(
        "Run {run}: {a} and {b}. Characters {first} + {second} = 2 · {common} common + {edits} edits.",
        run=run.id,
        a=ids[0],
        b=ids[1],
        common=f"{len(here):,}",
        edits=f"{edits:,}",
        first=f"{len(a):,}",
        second=f"{len(b):,}",
    )
    line = Series(Message("edit script"), tuple(map(float, x)), tuple(map(float, y)))
    axes = (
        Axis(Message("position in the first document"), low=0),
        Axis(Message("position in the second document"), low=0),
    )
    return Figure(Message("Edit graph"), *axes, (line,), (note,))


def efficiency(ctx: Context, path: Path, request: FigureRequest) -> Table:
    """The time of the steps in one process, and extrapolated to the paper's numbers of pages and processes (section
    5.5); the share of pages without a fingerprint (section 4.1).
    """
    from workbench.methods.trustable_lcs.pair import examine

    run = base_run(ctx, path, METHOD, request)
    opened = _opened(ctx, path, run)
    method = registry.get(METHOD)
    run_once(method, opened.parameters)
    begun = time.perf_counter()
    with open_project(path, write=False) as project, project.read() as connection:
        corpus = ProjectCorpus(connection, scope_of(opened.parameters))
        size = int(opened.index.text_bounds[-1])
        with passing_index(project.path, method, opened.parameters, corpus, ctx):
            gathering = time.perf_counter() - begun
    candidates = opened.candidates()
    begun = time.perf_counter()
    for done, (a, b) in enumerate(candidates):
        ctx.advance(_STAGE, done, len(candidates))
        examine(opened.index.page(a), opened.index.page(b), opened.parameters, ctx, counts=False)
    examining = time.perf_counter() - begun
    pages = len(opened.keys)
    without = int(np.count_nonzero(opened.index.candidates.prints == 0))
    hours = PAPER_PAGES / max(1, pages) / PAPER_PROCESSES / 3600
    projected = Message(
        "hours for {pages} pages on {processes} processes", pages=f"{PAPER_PAGES:,}", processes=PAPER_PROCESSES
    )
    with Session(path, write=False) as session:
        duplicates = sets(session, run.id)
    rows = (
        (Message("pages"), pages, PAPER_PAGES),
        (
            Message("sets of near-duplicates, single pages included"),
            pages + len(duplicates) - sum(map(len, duplicates)),
            68e6,
        ),
        (Message("share of the pages without a fingerprint"), without / max(1, pages), 0.0103),
        (Message("bytes of text"), size, None),
        (Message("candidate pairs"), len(candidates), None),
        (Message("seconds for fingerprints and candidates"), gathering, None),
        (Message("seconds for comparing candidates"), examining, None),
        (Message("candidate pairs compared per second"), len(candidates) / max(examining, 1e-9), None),
        (Message("pages per second in one process"), pages / max(gathering + examining, 1e-9), PAPER_SPEED),
        (Message("{what}: fingerprints and candidates", what=projected), gathering * hours, _PAPER_GATHERING),
        (Message("{what}: comparing candidates", what=projected), examining * hours, _PAPER_EXAMINING),
    )
    notes = (
        Message("Run {run}, one process.", run=run.id),
        Message("Hours are projected by the number of pages; in larger collections each page has more candidates."),
    )
    return Table(Message("Efficiency"), (Message("quantity"), Message("here"), Message("in the paper")), rows, notes)
