"""The digest on collections of growing size: memory and speed, as figure 5 of its paper; one processor, CPU time.

    python -m tests.benchmarks.digest_scale [FOLDER] [--sizes N,N,...] [--paper]

FOLDER holds ``documents.jsonl`` (id, role, text); default: the real texts beside the repository. Documents beyond its
sources are made of their sentences. ``--paper`` adds the paper's 20 million documents, whose index takes some 20 GB of
disk and whose making takes hours. Prints a row as each size is done, and the paper's own (Sakurai et al., 2009, section
6.1).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

from tests.benchmarks.digest import DATA, read
from workbench.base.progress import NullProgress
from workbench.methods.core.warming import warm_up
from workbench.services.measuring.figures_digest import SIZES, measured

PAPER = (20_000_000, 200.0, 8.4)


def main() -> None:
    """Print the rows."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=DATA)
    arguments.add_argument("--sizes", default=",".join(map(str, SIZES)))
    arguments.add_argument("--paper", action="store_true")
    options = arguments.parse_args()
    if not options.folder.is_dir():
        sys.exit(f"{options.folder} is missing: name a folder with documents.jsonl")
    ctx = NullProgress()
    warm_up(ctx)
    sources, suspects = read(options.folder)
    sizes = sorted({*map(int, options.sizes.split(",")), *([PAPER[0]] if options.paper else [])})
    print(f"{'documents':>12}{'resident, B/doc':>18}{'all files, B/doc':>18}{'M documents/h':>15}")
    for point in measured(ctx, sources, suspects, sizes):
        each = point.resident / point.documents, point.files / point.documents
        rate = median(point.rates) * 3600 / 1e6
        print(f"{point.documents:12,}{each[0]:18.0f}{each[1]:18.0f}{rate:15.1f}", flush=True)
    print(f"{PAPER[0]:12,}{PAPER[1]:18.0f}{'':18}{PAPER[2]:15.1f}  (the paper)")


if __name__ == "__main__":
    main()
