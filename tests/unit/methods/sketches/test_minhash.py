"""MinHash and banding against the definition over all pairs."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.methods.corpora import Collection, detect, drifting
from workbench.base.messages import percent
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Role
from workbench.methods.core.collection import EMPTY
from workbench.methods.sketches import minhash, shingle
from workbench.methods.sketches.columns import flat
from workbench.methods.sketches.minhash import METHOD, MinHashParameters
from workbench.methods.sketches.minhash.sketch import SKETCH
from workbench.methods.sketches.shingle import ShingleParameters

S, Q = Role.SOURCE, Role.SUSPECT
run = partial(detect, METHOD)


@pytest.mark.parametrize("verify", ["exact", "estimate"])
def test_pairs_are_all_that_share_a_band_and_resemble_enough(tmp_path: Path, verify: str) -> None:
    corpus = drifting(6, 200)
    parameters = MinHashParameters(bands=8, rows=3, verify=verify, min_resemblance=0.5)
    pairs = {(p.a, p.b): p for p in run(tmp_path, corpus, **parameters.as_dict()).pairs}
    sketches = SKETCH.encode(corpus.all, replace(parameters, verify="exact"))
    sets = [set(sketches["sets"].of(i).tolist()) for i in range(len(corpus.all))]
    expected = {}
    for i, a in enumerate(corpus.all):
        for j, b in enumerate(corpus.all):
            if not ((a.role == Q and b.role == S) or (a.role == b.role and j < i)):
                continue
            equal = sketches["signatures"][i] == sketches["signatures"][j]
            share = len(sets[i] & sets[j]) / len(sets[i] | sets[j]) if verify == "exact" else equal.mean()
            if equal.reshape(8, 3).all(axis=1).any() and share >= 0.5:
                expected[a.key, b.key] = share
    assert {k: p.score for k, p in pairs.items()} == pytest.approx(expected)
    assert len(expected) > 20


def test_nearly_all_pairs_of_the_exact_method_are_found_and_no_others(tmp_path: Path) -> None:
    corpus = drifting(6, 200)
    pairs = {(p.a, p.b): p.resemblance for p in run(tmp_path, corpus).pairs}
    exact = ShingleParameters(min_containment=1.01)
    (tmp_path / "exact").mkdir()
    shingle.METHOD.prepare(corpus, exact, tmp_path / "exact", NullProgress())
    index = shingle.METHOD.load(tmp_path / "exact", exact)
    true = {(p.a, p.b): p.resemblance for p in shingle.METHOD.detect(index, corpus.all, exact, NullProgress()).pairs}
    assert pairs.items() <= true.items()
    assert len(pairs) >= 0.95 * len(true)


def test_identical_pages_resemble_fully_and_empty_ones_never_pair(tmp_path: Path) -> None:
    corpus = Collection.of((Q, "短い文"), (Q, ""), (Q, "短い文。"), (S, " 。"))
    for verify in ("exact", "estimate"):
        results = run(tmp_path / verify, corpus, verify=verify)
        assert [(p.a, p.b, p.score, p.containment) for p in results.pairs] == [(3, 1, 1.0, 1.0)]
        assert results.excluded == {EMPTY: 2}


def test_a_full_bucket_finds_no_pairs_and_is_counted(tmp_path: Path) -> None:
    corpus = Collection.of(*((Q, "同じ文章がどこにでもある。") for _ in range(30)))
    results = run(tmp_path, corpus, max_documents=20, bands=4)
    assert not results.pairs
    assert results.excluded == {SKETCH.frequent: 30 * 4}


def test_an_explanation_gives_the_chance_of_a_common_band() -> None:
    a, b = Document("a", "甲乙丙丁戊己庚辛壬癸子丑寅卯"), Document("b", "甲乙丙丁戊己庚辛壬癸辰巳午未")
    reasons = {
        r.rule: r for r in METHOD.explain(a, b, MinHashParameters(min_resemblance=0.9, bands=32, rows=4)).reasons
    }
    assert reasons["shared bands"].passed
    assert percent(1 - (1 - (7 / 15) ** 4) ** 32) in reasons["resemblance"].detail
    assert not reasons["resemblance"].passed


def test_an_explanation_names_the_exact_resemblance_under_either_way_of_verifying() -> None:
    a, b = Document("a", "甲乙丙丁戊己庚辛壬癸子丑寅卯"), Document("b", "甲乙丙丁戊己庚辛壬癸辰巳午未")
    for verify in ("exact", "estimate"):
        reasons = {r.rule: r for r in METHOD.explain(a, b, MinHashParameters(verify=verify)).reasons}
        assert "0.467 by the sets" in reasons["resemblance"].detail


@pytest.mark.parametrize("verify", ["exact", "estimate"])
def test_a_document_whose_text_is_no_longer_that_of_the_index_is_read_afresh(tmp_path: Path, verify: str) -> None:
    corpus, parameters = drifting(3, 200), MinHashParameters(verify=verify)
    METHOD.prepare(corpus, parameters, tmp_path, NullProgress())
    index = METHOD.load(tmp_path, parameters)
    changed = [
        replace(d, text="これだけは他のどれにも似ていない文である。") if i % 2 else d for i, d in enumerate(corpus.all)
    ]
    results = METHOD.detect(index, changed, parameters, NullProgress())
    expected = METHOD.detect(index, [d for i, d in enumerate(corpus.all) if not i % 2], parameters, NullProgress())
    assert list(results.pairs) == list(expected.pairs)
    assert len(expected.pairs)


def test_estimates_need_no_sets_in_the_index(tmp_path: Path) -> None:
    corpus, parameters = drifting(6, 200), MinHashParameters(verify="estimate")
    minhash.METHOD.prepare(corpus, parameters, tmp_path, NullProgress())
    assert not (tmp_path / "sets.npy").exists()


def test_super_shingles_and_henzingers_filter_keep_the_pairs_of_their_definitions(tmp_path: Path) -> None:
    """Fetterly, Manasse and Najork (2003): 2 of 6 super-shingles of 14 equal; Henzinger (2006), 4.3: of these, those
    whose SimHash fingerprints agree in enough bits.
    """
    corpus = drifting(6, 200)
    shared: dict[str, Any] = {"bands": 6, "rows": 14, "min_resemblance": 0.01, "verify": "estimate"}
    columns = SKETCH.encode(corpus.all, MinHashParameters(**shared, min_equal_bits=0.8))
    bits = np.unpackbits(columns["prints"].view(np.uint8), axis=1)
    signatures = columns["signatures"].reshape(len(corpus.all), 6, 14)
    pairs = {
        (a.key, b.key): (int((signatures[i] == signatures[j]).all(axis=1).sum()), float((bits[i] == bits[j]).mean()))
        for i, a in enumerate(corpus.all)
        for j, b in enumerate(corpus.all)
        if (a.role == Q and b.role == S) or (a.role == b.role and j < i)
    }
    alike = sorted(equal for bands, equal in pairs.values() if bands >= 2)
    least = alike[len(alike) // 2]
    cases: list[tuple[dict[str, Any], set[tuple[int, int]]]] = [
        ({"min_bands": 2}, {pair for pair, (bands, _) in pairs.items() if bands >= 2}),
        (
            {"min_bands": 2, "min_equal_bits": least},
            {pair for pair, (bands, equal) in pairs.items() if bands >= 2 and equal >= least},
        ),
    ]
    for settings, expected in cases:
        folder = tmp_path / str(len(settings))
        folder.mkdir()
        results = {(p.a, p.b): p.evidence for p in run(folder, corpus, **shared, **settings).pairs}
        assert results.keys() == expected
        assert 4 < len(results) < sum(bands >= 1 for bands, _ in pairs.values())
        assert all(results[pair]["bands"] == pairs[pair][0] for pair in results)
        a, b = next((a, b) for a in corpus.all for b in corpus.all if (a.key, b.key) in expected)
        assert METHOD.explain(a, b, MinHashParameters(**shared, **settings)).matched
    below = next(pair for pair, (bands, _) in pairs.items() if bands == 1)
    a, b = (next(d for d in corpus.all if d.key == key) for key in below)
    explanation = METHOD.explain(a, b, MinHashParameters(**shared, min_bands=2))
    assert not explanation.matched
    assert [str(reason.detail) for reason in explanation.deciding] == ["1 bands in common, 2 needed"]
    assert explanation.summary == "No pair: 1 bands in common, 2 needed; less than is needed."


def test_bands_in_too_many_documents_are_not_counted_in_an_explanation_either(tmp_path: Path) -> None:
    corpus = drifting(3, 200)
    settings = {"bands": 12, "rows": 4, "min_bands": 3, "min_resemblance": 0.05, "max_documents": 3, "compare": "all"}
    pairs = {(p.a, p.b): p.evidence["bands"] for p in run(tmp_path, corpus, **settings).pairs}
    parameters = MinHashParameters.parse(settings)
    index = METHOD.load(tmp_path, parameters)
    in_order = sorted(corpus.all, key=lambda d: (d.role is Q, d.key))
    some_frequent = set()
    for b, a in combinations(in_order, 2):
        explanation = METHOD.explain(a, b, parameters, index)
        details = {str(reason.rule): str(reason.detail) for reason in explanation.reasons}
        if "limit of documents" not in details:
            continue
        frequent, shared = (int(n) for n in re.findall(r"\d+", details["limit of documents"])[:2])
        assert details["bands in common"] == f"{shared - frequent} bands in common, 3 needed"
        assert pairs.get((a.key, b.key), shared - frequent) == shared - frequent
        assert ("everything" in explanation.summary) is (frequent == shared)
        if frequent == shared:
            assert [str(reason.rule) for reason in explanation.deciding] == ["limit of documents"]
        some_frequent.add((0 < frequent < shared, explanation.matched))
    assert some_frequent == {(False, False), (False, True), (True, False), (True, True)}


def test_an_extended_index_leaves_the_index_it_extends_as_it_was() -> None:
    parameters = MinHashParameters()
    documents = [Document(str(i), f"文章{i}の番号は{i * 7}である。" * 3, Role.SUSPECT, key=i) for i in range(9)]
    index = SKETCH.build([documents[:3], documents[3:5]], parameters, NullProgress())
    extended = SKETCH.build([documents[5:]], parameters, NullProgress(), base=index)
    whole = SKETCH.build([documents], parameters, NullProgress())
    assert [len(one.columns["signatures"]) for one in (index, extended, whole)] == [5, 9, 9]
    assert extended.columns["sets"].values.tolist() == whole.columns["sets"].values.tolist()
    assert extended.postings.keys.tolist() == whole.postings.keys.tolist()


def test_an_index_built_in_files_is_the_one_built_in_memory(tmp_path: Path) -> None:
    parameters = MinHashParameters()
    documents = [Document(str(i), f"文章{i}の番号は{i * 7}である。" * 3, Role.SUSPECT, key=i) for i in range(9)]
    groups = [documents[:4], [], documents[4:]]
    in_memory = SKETCH.build(groups, parameters, NullProgress())
    in_files = SKETCH.build(groups, parameters, NullProgress(), tmp_path)
    assert not list(tmp_path.iterdir())
    assert isinstance(in_files.columns["sets"].values.base, np.memmap)
    for name, column in flat(in_memory.columns).items():
        assert flat(in_files.columns)[name].tolist() == column.tolist()
    assert in_files.postings.keys.tolist() == in_memory.postings.keys.tolist()
    assert in_files.postings.holders.tolist() == in_memory.postings.holders.tolist()
