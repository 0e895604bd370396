"""Import of what a job found: millions of pairs into a project, in bounded memory.

    python -m tests.benchmarks.scale_import [--pairs N] [--pages N] [--method rare-sentences|digest]

A finished job of N pairs (4 million) among pages (40,000) of 300 characters is written as its last steps would write
it; ``scale import`` brings all of it into a new project in a process of its own. Printed: seconds, the most memory of
its own that the process held, the size of the project. Ratios matter, times are this machine's; where others work on
it, the processor time of the thread that writes says what an idle one would take.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.rare_sentences import Memory
from workbench.base.types import Document
from workbench.jobs.context import Context
from workbench.methods.core import registry
from workbench.project.database import create
from workbench.scaleout.record import JOB
from workbench.scaleout.rows import PAGE, PASSAGES, RESULT, batch_of, page_row
from workbench.services.scaling.storing import import_scale

_AT_ONCE = 100_000
_EVIDENCE = {
    "characters": 61,
    "characters_a": 300,
    "characters_b": 305,
    "decision": "part of the text; dissimilar URLs; no link",
    "direction": "cannot tell",
    "direction_reason": "a date is missing, no link",
    "link_ab": False,
    "link_ba": False,
    "quoted_a": 0,
    "quoted_b": 0,
    "sentences": 2,
    "url_similarity": 0.0,
}


def write_job(folder: Path, pairs: int, pages: int, method: str) -> None:
    """The folder of a finished job of ``method``."""
    rng = np.random.default_rng(1)
    (folder / "steps" / "pages").mkdir(parents=True)
    (folder / "steps" / "results").mkdir()
    letters = np.array([chr(0x4E00 + i) for i in range(2000)])
    with pq.ParquetWriter(folder / "steps" / "pages" / "part-0.parquet", PAGE, compression="zstd") as writer:
        for start in range(0, pages, 10_000):
            texts = rng.integers(0, len(letters), (min(10_000, pages - start), 300))
            rows = (
                page_row(
                    Document(f"p{start + i}", "".join(letters[text]), url=f"http://s{i % 99}.example/{i}"), start + i
                )
                for i, text in enumerate(texts)
            )
            writer.write_batch(batch_of(rows, PAGE))
    scored = method == "rare-sentences"
    with pq.ParquetWriter(folder / "steps" / "results" / "part-0.parquet", RESULT, compression="zstd") as writer:
        for start in range(0, pairs, _AT_ONCE):
            count = min(_AT_ONCE, pairs - start)
            number = np.arange(start, start + count)
            each = -(-pairs // (pages - 1))
            a = 1 + number // each
            b = (a - 1 - number % each) % pages
            writer.write_table(_results(rng, a, b, scored=scored))
    chosen = registry.get(method)
    facts = {
        "method": method,
        "version": chosen.version,
        "parameters": chosen.parameters().as_dict(),
        "state": "done",
        "summary": {"pages": pages, "left_out": {}},
        "results": ["steps/results"],
        "pages": ["steps/pages"],
        "repeated": "",
    }
    (folder / JOB).write_text(json.dumps(facts), encoding="utf-8")


def _results(rng: np.random.Generator, a: np.ndarray, b: np.ndarray, *, scored: bool) -> pa.Table:
    n = len(a)
    starts = rng.integers(0, 200, (n, 2))
    lists = {"a_start": starts[:, 0], "a_end": starts[:, 0] + 61, "b_start": starts[:, 1], "b_end": starts[:, 1] + 61}
    lists |= {"scores": np.full(n, 61.0), "tiers": np.zeros(n, np.int8)}
    columns = {
        name: pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32), pa.array(v)) for name, v in lists.items()
    }
    names = ["sentences", "characters", "frequency"]
    values = np.tile([2.0, 61.0, 3.0], n)
    columns["names"] = pa.array([json.dumps([[name, "<i8"] for name in names])] * n)
    columns["values"] = pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32) * 3, pa.array(values))
    overlap = rng.random(n)
    packed = json.dumps(_EVIDENCE, separators=(",", ":"))
    columns |= {
        "a": pa.array(a, pa.int64()),
        "b": pa.array(b, pa.int64()),
        "score": pa.array(overlap if scored else np.full(n, 61.0)),
        "scored": pa.array(np.full(n, scored)),
        "resemblance": pa.array(overlap if scored else [None] * n, pa.float64()),
        "containment": pa.array(overlap if scored else [None] * n, pa.float64()),
        "relation": pa.array(["shared sentences" if scored else None] * n, pa.string()),
        "evidence": pa.array([packed if scored else "{}"] * n),
        "regions": pa.array(["[]"] * n),
        "left_out": pa.nulls(n, pa.string()),
    }
    assert set(PASSAGES.names) <= set(columns)
    return pa.table([columns[name] for name in RESULT.names], schema=RESULT)


def imported(project: Path, job: Path) -> tuple[float, float, float, int]:
    """Seconds, those of the processor in the thread that writes, megabytes at most, pairs."""
    memory = Memory()
    begun, begun_writing = time.perf_counter(), time.thread_time()
    done = import_scale(Context("import", lambda event: None, lambda: False), project, job)
    return time.perf_counter() - begun, time.thread_time() - begun_writing, memory.peak(), done.run.pairs


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=4_000_000)
    parser.add_argument("--pages", type=int, default=40_000)
    parser.add_argument("--method", choices=("rare-sentences", "digest"), default="rare-sentences")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        job, project = Path(name) / "job", Path(name) / "p.palimpsest"
        write_job(job, arguments.pairs, arguments.pages, arguments.method)
        create(project)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, writing, megabytes, pairs = pool.apply(imported, (project, job))
        size = project.stat().st_size / 1e6
        print(
            f"{pairs:,} pairs of {arguments.pages:,} pages ({arguments.method}): {seconds:.1f} s "
            f"({writing:.1f} s of the processor to write), {pairs / seconds:,.0f} pairs/s, "
            f"{megabytes:,.0f} MB of memory, project {size:,.0f} MB"
        )


if __name__ == "__main__":
    main()
