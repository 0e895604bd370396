"""How much of each document of a pair stands in the other, against a count by hand."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection, detect
from workbench.base.types import Results, Role
from workbench.methods.digest.containment import INCLUSION, PARTIAL, WHOLE, kind_of
from workbench.methods.digest.method import METHOD

S, Q = Role.SOURCE, Role.SUSPECT
SENTENCES = [f"これは番号{name}の文であり短くはない。" for name in "甲乙丙丁戊己庚辛壬癸"]
run = partial(detect, METHOD, rule="length", min_run=2, bridge=False)


def _expected(corpus: Collection, results: Results) -> dict[tuple[int, int], tuple[float, float]]:
    """Shares by pair from the sentences, which are equally long, in runs of two that stand anywhere in the other."""
    text = {d.key: d.text.split("。")[:-1] for d in corpus.all}
    shares = {}
    for a, b in {(m.a, m.b) for m in results.matches}:
        runs = [
            (i, j)
            for i in range(len(text[a]) - 1)
            for j in range(len(text[b]) - 1)
            if text[a][i : i + 2] == text[b][j : j + 2]
        ]
        one, other = ({place for run in runs for place in (run[side], run[side] + 1)} for side in (0, 1))
        shares[a, b] = len(one) / len(text[a]), len(other) / len(text[b])
    return shares


@pytest.mark.slow
@settings(max_examples=12)
@given(st.lists(st.lists(st.sampled_from(SENTENCES[:5]), min_size=1, max_size=8), min_size=2, max_size=5))
def test_shares_equal_a_count_of_characters(tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]]) -> None:
    corpus = Collection.of(*((Q if i % 2 else S, "".join(text)) for i, text in enumerate(texts)))
    for compare in ("sources", "all"):
        results = run(tmp_path_factory.mktemp("i"), corpus, compare=compare)
        expected = _expected(corpus, results)
        assert {(p.a, p.b) for p in results.pairs} == expected.keys()
        for pair in results.pairs:
            share_a, share_b = expected[pair.a, pair.b]
            assert pair.evidence["containment_a"] == pytest.approx(share_a, abs=1e-4)
            assert pair.evidence["containment_b"] == pytest.approx(share_b, abs=1e-4)
            assert pair.containment == pytest.approx(max(share_a, share_b))
            assert pair.relation == kind_of(share_a, share_b, 0.9)
            assert pair.score == sum(m.score for m in results.matches if (m.a, m.b) == (pair.a, pair.b))


@pytest.mark.parametrize(
    ("suspect", "source", "kind"),
    [
        (SENTENCES[:6], SENTENCES[:6], WHOLE),
        (SENTENCES[:3], SENTENCES, INCLUSION),
        (SENTENCES, SENTENCES[4:8], INCLUSION),
        (SENTENCES[:6], SENTENCES[3:], PARTIAL),
    ],
)
def test_kinds_are_those_of_the_papers_figure(tmp_path: Path, suspect: list[str], source: list[str], kind: str) -> None:
    results = run(tmp_path, Collection.of((S, "".join(source)), (Q, "".join(suspect))))
    assert [pair.relation for pair in results.pairs] == [kind]
