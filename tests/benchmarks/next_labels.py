"""Labels needed until F at the best threshold is known within ±0.05: the most informative first, and in random order.

Run ``python -m tests.benchmarks.next_labels``. Needs the texts of ``../shared/data``; runs copied-strings over splog_ja
and spam, then labels both ways with 20 seeds. In random order the interval is counted twice: exact from the labels
alone, and by strata of score as for the informative order. Prints the labels needed, the ratio, and how often each
interval holds the F of all labels; exits 1 where the ratio to random order exceeds 0.5, or where fewer than 93 % of the
intervals of the informative order hold it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from workbench.base.types import Role
from workbench.evaluation.allocation import make_strata, plan, population_interval
from workbench.evaluation.intervals import Interval, f_interval
from workbench.jobs.context import Context
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import import_paths
from workbench.services.measuring.label_selection import Question
from workbench.services.measuring.scored_run import POSITIVE, ScoredRun, read_evaluation_input
from workbench.services.session import Session, create

DATA = Path(__file__).parents[3] / "shared" / "data"
CORPORA = {
    "splog_ja": {Role.SUSPECT: ["splog_ja/entries.jsonl"], Role.BACKGROUND: ["splog_ja/unlabelled.jsonl"]},
    "spam": {
        Role.SUSPECT: ["spam/sms.jsonl", *(f"spam/youtube0{n}.jsonl" for n in ("1-psy", "2-katyperry", "3-lmfao"))]
    },
}
SEEDS, WITHIN, AIM, COVERED = 20, 0.05, 0.5, 0.93
BATCH = 5


def prepared(corpus: str, folder: str) -> ScoredRun:
    """The corpus with a run of copied-strings, fully labelled."""
    path = Path(folder, f"{corpus}.palimpsest")
    ctx = Context("benchmark", lambda _event: None, lambda: False)
    create(path)
    for role, files in CORPORA[corpus].items():
        import_paths(ctx, path, [DATA / file for file in files], role)
    detect(ctx, path, "copied-strings", {})
    with Session(path, write=False) as session:
        scored = read_evaluation_input(session, None, Question()).scored
    assert scored is not None
    return scored


def narrow(ends: Interval) -> bool:
    """Whether an interval is as narrow as wanted."""
    return ends[1] - ends[0] <= 2 * WITHIN


def informative(score: np.ndarray, truth: np.ndarray, cut: int, rng: np.random.Generator) -> tuple[int, Interval]:
    """Labels needed where they tell most, and the interval then; both arrays in order of score."""
    none = np.zeros(len(truth), np.bool_)
    strata = make_strata(score, cut, none, truth)
    pools = [rng.permutation(np.flatnonzero(strata.number == k)).tolist() for k in range(len(strata.size))]
    labelled = 0
    while True:
        for k in plan(strata, BATCH):
            strata = strata.with_label(k, positive=bool(truth[pools[k].pop()]))
            labelled += 1
        ends = population_interval(strata, ["f1"])["f1"][1]
        if narrow(ends) or labelled >= len(truth):
            return labelled, ends


def random(
    score: np.ndarray, truth: np.ndarray, cut: int, rng: np.random.Generator
) -> tuple[tuple[int, Interval], tuple[int, Interval]]:
    """Labels needed in random order, by the exact interval and by strata, and both intervals then."""
    known = np.zeros(len(truth), np.bool_)
    hits = wrong = missed = 0
    exact: tuple[int, Interval] | None = None
    stratified: tuple[int, Interval] | None = None
    for count, at in enumerate(rng.permutation(len(truth)).tolist(), 1):
        known[at] = True
        hits += int(truth[at] and at < cut)
        wrong += int(not truth[at] and at < cut)
        missed += int(truth[at] and at >= cut)
        last = count == len(truth)
        if exact is None and (last or (hits and narrow(f_interval(hits, wrong, missed)))):
            exact = count, f_interval(hits, wrong, missed)
        if stratified is None and (last or count % BATCH == 0):
            ends = population_interval(make_strata(score, cut, known, truth), ["f1"])["f1"][1]
            if last or narrow(ends):
                stratified = count, ends
        if exact is not None and stratified is not None:
            break
    assert exact is not None
    assert stratified is not None
    return exact, stratified


def main() -> int:
    """Print a line a corpus; 1 where the aim is missed."""
    failed = 0
    for corpus in CORPORA:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PALIMPSEST_DATA"] = os.environ["PALIMPSEST_CONFIG"] = folder
            scored = prepared(corpus, folder)
        assert scored.curve is not None
        threshold = float(scored.curve.threshold[scored.curve.best()])
        f, cut = scored.curve.counts(threshold).f1, scored.selected(threshold)
        rows: list[tuple[tuple[int, Interval], ...]] = []
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            draw = rng.random(len(scored))
            whole = np.nan_to_num(scored.score, nan=-np.inf)
            order = np.lexsort((draw, -whole))
            score, truth = whole[order], scored.truth[order] == POSITIVE
            rows.append((informative(score, truth, cut, rng), *random(score, truth, cut, rng)))
        needed = np.array([[count for count, _ in row] for row in rows], np.float64).mean(axis=0)
        inside = np.array([[low <= f <= high for _, (low, high) in row] for row in rows]).mean(axis=0)
        ratio = needed[0] / needed[1]
        failed += ratio > AIM or inside[0] < COVERED
        print(
            f"{corpus}: {len(scored):,} items, F {f:.3f}; labels needed {needed[0]:.0f}",
            f"against {needed[1]:.0f} in random order (ratio {ratio:.2f}, aim {AIM}),",
            f"{needed[2]:.0f} in random order by strata (ratio {needed[0] / needed[2]:.2f});",
            f"intervals hold F in {inside[0]:.0%}, {inside[1]:.0%}, {inside[2]:.0%} of {SEEDS}",
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
