"""Candidates gathered by SQL, as a fixed point, are those gathered in order in memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.progress import NullProgress
from workbench.methods.trustable_lcs.candidates import Prints, candidates
from workbench.methods.trustable_lcs.parameters import TrustableParameters
from workbench.scaleout.trustable import PRINTS, _gathered, _members
from workbench.scaleout.work import Work
from workbench.services.scaling.running import EngineOptions

PAGES = st.lists(st.tuples(st.sets(st.integers(1, 9), max_size=5), st.integers(-1, 2)), min_size=2, max_size=14)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(PAGES, st.integers(1, 4), st.booleans(), st.integers(2, 6), st.integers(2, 6))
def test_pairs_and_shared_fingerprints_are_the_same(
    pages: list[tuple[set[int], int]], limit: int, transitive: bool, most: int, template: int
) -> None:
    p = TrustableParameters(
        max_candidates=limit, transitive=transitive, max_documents=most, template_documents=template, template_sites=2
    )
    values = [sorted(prints) for prints, _ in pages]
    bounds = np.concatenate([[0], np.cumsum([len(v) for v in values])]).astype(np.int64)
    sentences = np.array([len(v) for v in values], np.int64)
    prints = Prints(np.array([x for v in values for x in v], np.uint64), bounds, sentences)
    sites = np.array([site for _, site in pages], np.int64)
    read_batches = candidates(prints, sites, p, NullProgress())
    later = np.repeat(np.arange(len(pages)), np.diff(read_batches.starts))
    expected = sorted(zip(later.tolist(), read_batches.partners.tolist(), read_batches.shared.tolist(), strict=True))
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "job"
        work = Work(folder, partial(EngineOptions(threads=1).open, folder, workers=0), NullProgress())
        rows = [
            {"page": page, "site": "" if site < 0 else f"s{site}", "sentences": len(v), "print": x, "blank": False}
            for page, ((_, site), v) in enumerate(zip(pages, values, strict=True))
            for x in v or [None]
        ]
        members, _ = _members(work, work.table("prints", pa.Table.from_pylist(rows, PRINTS)), p)
        lists, more = _gathered(work, members, p)
        got = pq.read_table(lists.folders[0]).to_pylist()
        full = work.engine._connection.execute(f"select count(distinct d) from {more} m").fetchone()  # type: ignore[attr-defined]
        work.close()
    assert sorted((max(r["d"], r["other"]), min(r["d"], r["other"]), r["shared"]) for r in got) == expected
    assert full == (int(read_batches.more.sum()),)
