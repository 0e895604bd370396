"""The encodings of real passages, with right, wrong and no declaration, as counts."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from tests.golden.encodings import CASES, DECLARED, MARKS, UNICODE, count, sample_texts, shared_texts


def test_every_passage_of_the_sample_is_read_back_whatever_is_declared(every: int) -> None:
    counts = count(islice(sample_texts(), 0, None, every))
    assert set(counts) == {(e, c) for e in DECLARED for c in CASES if c != CASES[-1] or e in MARKS}
    assert all(total >= 50 / every for _, total in counts.values())
    missed = {key: total - right for key, (right, total) in counts.items() if right < total}
    # UTF-16 without a mark: sixty characters of old Chinese now and then look like another encoding.
    unmarked = {
        (e, c) for e in UNICODE if e != "utf-8" for c in CASES if c in ("none", "transport right", "transport wrong")
    }
    assert set(missed) <= unmarked
    assert sum(missed.values()) <= 6


@pytest.mark.slow
def test_passages_of_other_texts_are_read_back(shared_data: Path, every: int) -> None:
    counts = count(islice(shared_texts(), 0, None, 4 * every))
    right, total = (sum(cell[i] for cell in counts.values()) for i in (0, 1))
    assert total > 1_000
    assert right / total > 0.999
