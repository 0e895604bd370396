"""Near-duplicate pages in small collections: who is compared, what is reported, what is counted."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.methods.corpora import Collection
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Role
from workbench.methods.trustable_lcs.method import METHOD
from workbench.methods.trustable_lcs.parameters import DROPPED, MORE, REFUSED, WITHOUT, TrustableParameters

S, Q = Role.SOURCE, Role.SUSPECT


def article(name: str, sentences: int = 20, first: int = 0) -> str:
    """Sentences of 36 characters, all different."""
    letters = [chr(c) for c in range(0x4E00, 0x5200)]
    return "".join(
        f"{name}の第{i % 10}文は" + "".join(random.Random(f"{name}{i}").choices(letters, k=30)) + "。"
        for i in range(first, first + sentences)
    )


class Watch(NullProgress):
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, message: str, path: str | None = None) -> None:
        self.warnings.append(message)


def run(folder: Path, corpus: Collection, progress: Watch | None = None, **settings: Any) -> Results:
    parameters = TrustableParameters(**settings)
    folder.mkdir(exist_ok=True)
    METHOD.prepare(corpus, parameters, folder, NullProgress())
    index = METHOD.load(folder, parameters)
    return METHOD.detect(index, corpus.all, parameters, progress or Watch())


def pairs_of(results: Results) -> set[tuple[int, int]]:
    keys = [(p.a, p.b) for p in results.pairs]
    assert len(keys) == len(set(keys))
    return set(keys)


def test_every_pair_is_reported_once_by_its_suspect_or_else_the_later_key(tmp_path: Path) -> None:
    text = article("甲")
    corpus = Collection.of((Q, text), (Q, text), (S, text), (S, text))
    assert pairs_of(run(tmp_path, corpus)) == {(2, 1), (4, 3), (1, 3), (1, 4), (2, 3), (2, 4)}


def test_an_altered_page_is_reported_with_its_figures(tmp_path: Path) -> None:
    text = article("甲")
    corpus = Collection.of((S, text), (Q, text[:255] + "七番目" + text[256:]))
    results = run(tmp_path, corpus)
    (pair,) = results.pairs
    assert pair.relation == "near-duplicate"
    assert pair.score == pair.resemblance
    assert pair.evidence["edits"] == 4
    common = pair.evidence["common"]
    assert pair.containment == common / len(corpus.all[1].text)
    assert pair.evidence["containment_b"] == round(common / len(text), 6)
    (region,) = results.regions
    assert region.a_span == (0, len(corpus.all[1].text))
    assert region.b_span == (0, len(text))
    (match,) = results.matches
    assert match.evidence == {"characters": common, "edits": 4, "region": 1, "tier": 2}


def test_passages_of_a_region_are_divided_where_the_texts_differ_for_longer(tmp_path: Path) -> None:
    text = article("甲", 40)
    cut = len(article("甲", 20))
    corpus = Collection.of((S, text), (Q, text[:cut] + "ここに挿入された一文がある。" + text[cut:]))
    results = run(tmp_path, corpus)
    assert len(results.regions) == 1
    assert [(m.b_span, m.evidence["tier"]) for m in results.matches] == [((0, cut), 0), ((cut, len(text)), 0)]


def test_width_alone_makes_a_match_of_the_second_tier(tmp_path: Path) -> None:
    text = article("甲")
    wide = text.translate({ord("0") + i: 0xFF10 + i for i in range(10)})
    (match,) = run(tmp_path, Collection.of((S, text), (Q, wide))).matches
    assert match.evidence["tier"] == 1
    assert match.evidence["edits"] == 0


def test_short_pages_are_compared_by_single_sentences_unless_as_in_the_paper(tmp_path: Path) -> None:
    text = "この頁には短い文章が一つだけあります。"
    corpus = Collection.of((S, text), (Q, text), (Q, "短い"), (S, "短い"))
    assert pairs_of(run(tmp_path / "1", corpus)) == {(2, 1), (3, 4)}
    progress = Watch()
    results = run(tmp_path / "2", corpus, progress, short_pages=False, rare_documents=0)
    assert not results.pairs
    assert results.excluded == {WITHOUT: 4}
    assert progress.warnings == [f"{WITHOUT.capitalize()}, which need another method: d1, d2, d3, d4."]


@pytest.mark.parametrize("sentences", [12, 16, 20])
def test_pages_too_short_for_all_groups_are_compared_with_some_sentences_changed(
    tmp_path: Path, sentences: int
) -> None:
    text = article("甲", sentences)
    parts = [s + "。" for s in text.split("。")[:-1]]
    altered = "".join(s[:-2] + "変。" if i % 3 == 1 else s for i, s in enumerate(parts))
    assert pairs_of(run(tmp_path, Collection.of((S, text), (Q, altered)))) == {(2, 1)}


def test_a_rare_sentence_makes_candidates_and_a_frequent_one_does_not(tmp_path: Path) -> None:
    shared = "この一文だけがどちらの頁にもあるので候補になる。"
    corpus = Collection.of(*[(S, article(name, 40) + shared) for name in "甲乙丙"])
    refused = REFUSED["skeleton bound"]
    assert run(tmp_path / "1", corpus, rare_documents=3).excluded == {refused: 3}
    assert run(tmp_path / "2", corpus, rare_documents=2).excluded == {}


@pytest.mark.slow
@pytest.mark.parametrize("number", [12, pytest.param(30, marks=pytest.mark.rest)])
def test_more_rotations_never_lose_a_candidate(tmp_path: Path, number: int) -> None:
    random.seed(3)
    letters = [article(name, 60).split("。")[:-1] for name in "甲乙"]
    texts = ["".join(f"{s}。" for s in random.sample(letters[i % 2], random.randrange(3, 50))) for i in range(number)]
    corpus = Collection.of(*[(S, text) for text in texts])
    before: set[tuple[int, int]] = set()
    limits = {"rare_documents": 0, "max_candidates": 1000, "min_resemblance": 0.0, "min_containment": 0.0}
    for rotations in (1, 2, 4, 8, 16):
        pairs = pairs_of(run(tmp_path / str(rotations), corpus, rotations=rotations, **limits))
        assert before <= pairs
        before = pairs
    assert before


def test_empty_pages_never_pair_and_are_counted(tmp_path: Path) -> None:
    corpus = Collection.of((S, ""), (Q, ""), (S, " \n"), (Q, "。。。"), (S, "。。。"))
    results = run(tmp_path, corpus)
    assert not results.pairs
    assert results.excluded == {WITHOUT: 5}


@pytest.mark.parametrize("letters", ["甲", "abc "])
def test_pages_changed_in_every_sentence_are_brought_together_by_windows(tmp_path: Path, letters: str) -> None:
    text = "".join(article(f"{letters}{i}", 1, i) for i in range(20))
    altered = re.sub("[0-9]の第", "・", text).replace("。", "のだ。")
    corpus = Collection.of((S, text), (Q, altered))
    assert pairs_of(run(tmp_path / "1", corpus)) == {(2, 1)}
    assert not pairs_of(run(tmp_path / "2", corpus, windows=0))


def test_the_preset_of_the_paper_has_its_values() -> None:
    paper = TrustableParameters.preset("paper")
    assert (paper["window"], paper["slope"], paper["min_resemblance"], paper["max_regions"]) == (8, 0.1, 0.28, 1)
    assert (paper["windows"], paper["rare_documents"], paper["variants"], paper["fold"]) == (0, 0, "none", False)
    assert paper["translations"]


def test_candidates_are_handed_on_from_larger_to_smaller(tmp_path: Path) -> None:
    first, second, third = article("甲", 30), article("乙", 30), article("丙", 22)
    corpus = Collection.of((S, first + second), (S, second + third), (S, third))
    pairs = {(2, 1), (3, 2)}
    handed_on = run(tmp_path / "1", corpus, rare_documents=0, variants="none")
    assert pairs_of(handed_on) == pairs
    assert handed_on.excluded == {REFUSED["skeleton bound"]: 1}
    direct = run(tmp_path / "2", corpus, transitive=False, rare_documents=0, variants="none")
    assert pairs_of(direct) == pairs
    assert direct.excluded == {}


def test_a_fingerprint_in_too_many_documents_brings_nobody_together(tmp_path: Path) -> None:
    corpus = Collection.of(*[(S, article("甲"))] * 6)
    results = run(tmp_path, corpus, max_documents=5)
    assert not results.pairs
    assert results.excluded[DROPPED] >= 6 * 7


def test_a_frequent_fingerprint_of_few_sites_is_template_text(tmp_path: Path) -> None:
    def at(sites: int) -> Collection:
        documents = Collection.of(*[(S, article("甲"))] * 6).all
        return Collection(
            tuple(Document(d.id, d.text, d.role, d.key, site=f"{d.key % sites}.example") for d in documents)
        )

    settings = {"template_documents": 5, "template_sites": 3}
    assert not run(tmp_path / "1", at(2), **settings).pairs
    assert len(run(tmp_path / "2", at(3), **settings).pairs) == 15
    unknown = Collection.of(*[(S, article("甲"))] * 6)
    assert len(run(tmp_path / "3", unknown, **settings).pairs) == 15


@pytest.mark.slow
def test_one_fingerprint_everywhere_does_not_go_quadratic(tmp_path: Path) -> None:
    corpus = Collection.of(*[(S, "どの頁にもある決まり文句はこれです。")] * 3000)
    results = run(tmp_path, corpus, max_candidates=10)
    assert len(results.pairs) <= 3000 * 10
    assert results.excluded[MORE] == 3000 - 11
    assert {p.a for p in results.pairs} | {1} == set(range(1, 3001))


def test_candidates_that_were_refused_are_counted_by_step(tmp_path: Path) -> None:
    shared = "どの頁にもある決まり文句はこれです。"
    corpus = Collection.of((S, shared + article("甲", 3)), (Q, shared + article("乙", 3)))
    assert run(tmp_path, corpus).excluded == {REFUSED["skeleton bound"]: 1}


def explain(a: str, b: str, **settings: Any) -> tuple[str, set[str]]:
    explanation = METHOD.explain(Document("a", a, Q, 2), Document("b", b, S, 1), TrustableParameters(**settings))
    return explanation.summary, {r.rule for r in explanation.reasons if not r.passed}


@pytest.mark.parametrize(
    ("a", "b", "settings", "rules"),
    [
        ("", article("甲"), {}, {"text of suspect", "fingerprints of suspect", "shared fingerprints"}),
        (article("甲"), article("乙"), {}, {"shared fingerprints", "skeleton bound"}),
        (
            article("甲") + article("乙", 60),
            article("甲") + article("丙", 60),
            {"short_pages": False, "window": 8, "min_resemblance": 0.28},
            {"skeleton bound"},
        ),
        (article("甲"), article("甲"), {"min_resemblance": 1.01, "min_containment": 1.01}, {"skeleton bound"}),
        (article("甲"), article("甲").replace("文", "文章"), {"slope": 0.0, "block": 100}, {"slope"}),
        (
            article("甲"),
            article("甲").replace("文", "文章"),
            {"slope": 0.0, "min_containment": 1.0, "max_regions": 1},
            {"thresholds"},
        ),
    ],
)
def test_an_explanation_names_the_step_that_refused_the_pair(
    a: str, b: str, settings: dict[str, Any], rules: set[str]
) -> None:
    summary, refused = explain(a, b, **settings)
    assert rules <= refused
    assert summary.startswith("Not ")


def test_an_explanation_of_a_similar_pair_points_to_its_regions() -> None:
    text = article("甲")
    a, b = Document("a", text + article("乙", 2), Q, 2), Document("b", text, S, 1)
    explanation = METHOD.explain(a, b, TrustableParameters())
    assert explanation.matched
    (region,) = [r for r in explanation.reasons if r.rule == "trustable region"]
    assert region.b_span == (0, len(text))


def test_an_explanation_says_that_another_page_brought_the_pair_together(tmp_path: Path) -> None:
    text = article("甲", 30)
    corpus = Collection.of((S, text), (Q, text))
    parameters = TrustableParameters(max_documents=2)
    METHOD.prepare(Collection.of(*[(S, text)] * 3), parameters, tmp_path, NullProgress())
    index = METHOD.load(tmp_path, parameters)
    explanation = METHOD.explain(Collection.of(*[(S, text)] * 2).all[1], corpus.all[0], parameters, index)
    assert not explanation.matched
    assert any("too many documents" in r.detail for r in explanation.reasons)
