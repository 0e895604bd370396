from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from stored import FIRST, PASSAGES

from workbench.services.review.either_side import listed_suspects
from workbench.services.review.judgement import CODES, CONFLICT, VERDICTS, passage_counts
from workbench.services.review.overview import read_overview
from workbench.services.review.pairs import pairs
from workbench.services.review.verdicts import set_verdict
from workbench.services.session import Session


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, len(VERDICTS))), max_size=12), st.booleans())
def test_a_passage_has_the_gravest_verdict_once_all_or_any_of_its_matches_are_judged(
    rows: list[tuple[int, int]], partly: bool
) -> None:
    passage, code = np.array(rows, np.int64).reshape(-1, 2).T
    expected = dict.fromkeys(VERDICTS, 0)
    for one in {passage for passage, _ in rows}:
        values = ["" if not code else VERDICTS[code - 1] for passage, code in rows if passage == one]
        if all(values) or (partly and any(values)):
            expected[CONFLICT if CONFLICT in values else min(filter(None, values), key=VERDICTS.index)] += 1
    counts = passage_counts(passage, code.astype(np.int8), partly=partly)
    assert dict(zip(VERDICTS, counts.tolist(), strict=True)) == expected
    assert CODES[VERDICTS[0]] == 1


def test_passages_are_counted_a_suspect_s_once_all_of_them_is_judged(session: Session) -> None:
    first, second = PASSAGES[FIRST]
    for match, judged in ((first, {}), (second, {"copy": 1})):
        set_verdict(session, match, "copy")
        (pair,), (suspect,) = pairs(session, 1), listed_suspects(session, read_overview(session, 1))
        assert pair.verdicts == {"copy": 1}
        assert suspect.verdicts == judged
