"""Near-duplicate pages: the edit script against other libraries, and pages a second against the paper; one core.

    python -m tests.benchmarks.near_duplicates [--all] [--data FOLDER]

Pairs of texts differ in 1 %, 50 % or all of their characters, drawn by Zipf's law from 2,000 ideographs. Each
measurement has a process of its own. ``--all`` also runs what takes minutes or gigabytes. ``edits`` counts insertions
and deletions; the least is exact. Pages: the manual in FOLDER/debian_guide, from extracted text to results; the paper
has 430 million pages by 24 processes in 5 days (Huang, Wang and Li, 2007, section 5.5). Ratios matter, times are this
machine's.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import product
from pathlib import Path
from statistics import median

import fast_diff_match_patch
from rapidfuzz.distance import Indel

from tests.golden.near_duplicates import DATA, debian_guide
from workbench.base.progress import NullProgress
from workbench.kernels.code_points import code_points
from workbench.kernels.edit_script import common_blocks
from workbench.methods.core import registry
from workbench.methods.core.warming import warm_up

PAPER_RATE = 430e6 / (24 * 5 * 86400)
LETTERS = [chr(0x4E00 + i) for i in range(2000)]
WEIGHTS = [1 / (i + 1) for i in range(2000)]
SHORT, LONG = 20_000, 200_000
CASES = ((SHORT, 0.01), (SHORT, 0.5), (SHORT, 1.0), (LONG, 0.01))


def ours(a: str, b: str) -> int:
    """Edits by the product's kernel, from strings."""
    blocks = common_blocks(code_points(a), code_points(b))
    return len(a) + len(b) - 2 * int(blocks[:, 2].sum())


def by_rapidfuzz(a: str, b: str) -> int:
    """Edits by rapidfuzz: the whole script, not the distance alone."""
    return len(Indel.editops(a, b))


def by_diff_match_patch(a: str, b: str) -> int:
    """Edits by fast-diff-match-patch without time limit, line mode or clean-up."""
    script = fast_diff_match_patch.diff(a, b, timelimit=0, checklines=False, cleanup="No")
    return sum(length for kind, length in script if kind != "=")


def by_difflib(a: str, b: str) -> int:
    """Edits by difflib."""
    matched = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return len(a) + len(b) - 2 * sum(block.size for block in matched)


PEERS: dict[str, Callable[[str, str], int]] = {
    "ours": ours,
    "rapidfuzz": by_rapidfuzz,
    "fast-diff-match-patch": by_diff_match_patch,
    "difflib": by_difflib,
}
HEAVY = {("rapidfuzz", LONG), ("difflib", LONG)}
"""Minutes, or gigabytes."""


def pair(length: int, rate: float) -> tuple[str, str]:
    """A text, and the same with the share ``rate`` of its characters drawn anew (all: an independent one)."""
    rng = random.Random(length * rate)
    a = rng.choices(LETTERS, WEIGHTS, k=length)
    b = rng.choices(LETTERS, WEIGHTS, k=length)
    return "".join(a), "".join(y if rng.random() < rate else x for x, y in zip(a, b, strict=True))


def peak(*, anew: bool = False) -> float:
    """Peak resident memory of this process in megabytes, counted ``anew`` from now on (Linux; 0 elsewhere)."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0.0
    if anew:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    (line,) = (row for row in status.read_text(encoding="ascii").splitlines() if row.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def run(name: str, length: int, rate: float) -> tuple[int, float, float]:
    """(edits, median seconds of a call, megabytes it added to the process' peak)."""
    a, b = pair(length, rate)
    function = PEERS[name]
    small = pair(200, 0.5)
    function(*small)
    before = peak(anew=True)
    seconds: list[float] = []
    edits = 0
    while len(seconds) < 5 and sum(seconds) < 5:
        begun = time.process_time()
        edits = function(a, b)
        seconds.append(time.process_time() - begun)
    return edits, median(seconds), peak() - before


def edit_scripts(everything: bool) -> None:
    """Print time, memory and edits of each library on each pair."""
    print(f"{'edit script':>34}{'ms':>10}{'ratio':>8}{'MB':>8}{'edits':>10}")
    for length, rate in CASES:
        first = 0.0
        for name in PEERS:
            label = f"{length:,} characters, {rate:.0%}: {name}"
            if (name, length) in HEAVY and not everything:
                print(f"{label:>48}  (with --all)")
                continue
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                edits, seconds, megabytes = pool.apply(run, (name, length, rate))
            first = first or seconds
            print(f"{label:>48}{1000 * seconds:10.2f}{seconds / first:7.1f}x{megabytes:8.1f}{edits:10,}")


def pages(folder: Path, repeats: int = 5) -> None:
    """Print pages a second from extracted text to results, of the method and of SimHash, which the paper leaves to
    later (5.4), with the defaults and the paper's settings.
    """
    if not folder.is_dir():
        print(f"{folder} is missing: no pages")
        return
    guide = debian_guide(folder)
    warm_up(NullProgress())
    for name, preset in product(("trustable-lcs", "simhash"), ("", "paper")):
        method = registry.get(name)
        parameters = method.parameters.parse(method.parameters.preset(preset) if preset else {})
        rates = []
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as index:
                begun = time.process_time()
                method.prepare(guide, parameters, Path(index), NullProgress())
                results = method.detect(method.load(Path(index), parameters), guide.all, parameters, NullProgress())
                rates.append(len(guide.all) / (time.process_time() - begun))
        rate, count = median(rates[1:]), len(results.pairs) or len(results.matches)
        words = f"{name} {preset}".strip()
        print(f"{words}: {len(guide.all)} pages, {count} pairs: {rate:.0f} pages/s, {rate / PAPER_RATE:.1f}x the paper")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    pages(options.data / "debian_guide")
    edit_scripts(options.all)


if __name__ == "__main__":
    main()
