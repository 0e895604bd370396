from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.methods.rare_sentences.test_method import detect, page
from workbench.methods.rare_sentences.groups import groups, mixed, sketches
from workbench.methods.rare_sentences.parameters import RareSentencesParameters


@given(st.lists(st.sets(st.integers(0, 15), max_size=6), min_size=1, max_size=12))
def test_groups_are_those_of_the_definition(pages: list[set[int]]) -> None:
    rows = sorted((number, sentence) for number, page in enumerate(pages) for sentence in page)
    hashes = np.array([sentence for _, sentence in rows], np.uint64)
    sketch = sketches(hashes, np.array([number for number, _ in rows], np.int64), len(pages))
    ordered = sorted((sentence, number) for number, sentence in rows)
    place = {n: mixed(np.array([n], np.uint64))[0].tolist() for n in range(16)}
    counted = groups(
        sketch[[number for _, number in ordered]].reshape(-1, 4, 2),
        np.array([sentence for sentence, _ in ordered], np.uint64),
        np.array([sentence for sentence, _ in ordered], np.int64),
        16,
    )
    for sentence in range(16):
        others = [page - {sentence} for page in pages if sentence in page]
        first = [[min((place[s][at] for s in rest), default=-1) for at in range(4)] for rest in others]
        expected = min(len({tuple(f[:2]) for f in first}), len({tuple(f[2:]) for f in first}))
        assert counted[sentence] == expected


def test_the_holders_of_a_copied_page_are_all_found_and_those_of_a_notice_are_not() -> None:
    copies = [page(key, range(100, 120)) for key in range(1, 14)]
    noticed = [page(key, [0, *range(1000 + 9 * key, 1009 + 9 * key)]) for key in range(20, 50)]
    results = detect([*copies, *noticed], RareSentencesParameters())
    assert len(results.pairs) == 13 * 12 // 2
    assert {p.score for p in results.pairs} == {1.0}
    assert not detect(copies, RareSentencesParameters(copies_as_one=False)).pairs


def test_copies_with_some_sentences_of_their_own_are_found_too() -> None:
    copies = [page(key, [*range(100, 117), 1000 + key, 2000 + key]) for key in range(1, 40)]
    results = detect(copies, RareSentencesParameters())
    assert len({key for pair in results.pairs for key in (pair.a, pair.b)}) == 39
