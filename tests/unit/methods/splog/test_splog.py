"""Spam of each type is told from ordinary entries, and the figures are what they are defined to be."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection, detect
from workbench.base.errors import ParameterError
from workbench.base.progress import NullProgress
from workbench.base.types import Role
from workbench.methods.core import registry
from workbench.methods.splog.collection import CONTEXT, LONGEST_GAP, PRIOR, cut, habits, shared
from workbench.methods.splog.method import METHOD, TYPES
from workbench.methods.splog.weights import FEATURES, Weights

NOVELS = ("emma", "mansfield_park", "pride_and_prejudice", "sense_and_sensibility")
SAMPLE = Path(__file__).resolve().parents[4] / "resources" / "sample" / "sources"


def entries() -> list[str]:
    """Passages of 120 words of novels."""
    words = [word for name in NOVELS for word in (SAMPLE / f"{name}.txt").read_text("utf-8").split()]
    return [" ".join(words[at : at + 120]) for at in range(0, len(words) - 120, 120)]


def collection(*spam: str) -> Collection:
    """Passages of novels as background and, every third, as suspects, and ``spam``; the first five in neither."""
    texts = entries()[5:]
    background = [(Role.BACKGROUND, text) for i, text in enumerate(texts) if i % 3]
    ordinary = [(Role.SUSPECT, text) for text in texts[::3]]
    return Collection.of(*background, *ordinary, *((Role.SUSPECT, text) for text in spam))


def salad(rng: random.Random, corpus: Collection, pieces: int = 24) -> str:
    """Strings of five words out of the collection, one after another."""
    words = [d.text.split() for d in corpus.documents(Role.BACKGROUND)]
    parts = []
    for _ in range(pieces):
        source = rng.choice(words)
        at = rng.randrange(len(source) - 5)
        parts += source[at : at + 5]
    return " ".join(parts)


def reworded(rng: random.Random, text: str) -> str:
    """``text`` with every sixth word replaced by one that occurs nowhere else."""
    words = text.split()
    for at in range(rng.randrange(3, 6), len(words), 6):
        words[at] = "zq" + "".join(rng.choices("abcdefgh", k=6))
    return " ".join(words)


def stuffed(text: str) -> str:
    """``text`` with two keywords after every sixth word."""
    words = text.split()
    return " ".join(" ".join([*words[at : at + 6], "cheap watches"]) for at in range(0, len(words), 6))


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, float]]]:
    """Evidence of ordinary entries and of five of each type."""
    rng = random.Random(7)
    plain = collection()
    sources, texts = [d.text for d in plain.documents(Role.BACKGROUND)], entries()
    spam = {
        "salad": [salad(rng, plain) for _ in range(5)],
        "replaced": [reworded(rng, sources[i]) for i in range(5)],
        "stuffing": [stuffed(text) for text in texts[:5]],
    }
    whole = collection(*(text for texts in spam.values() for text in texts))
    scores = detect(registry.get("splog"), tmp_path_factory.mktemp("index"), whole).scores
    rows = [{**s.evidence, "score": s.score} for s in scores]
    kinds = ["ordinary"] * (len(scores) - 15) + [kind for kind, texts in spam.items() for _ in texts]
    return {kind: [r for r, k in zip(rows, kinds, strict=True) if k == kind] for kind in dict.fromkeys(kinds)}


@pytest.mark.parametrize("kind", ["salad", "replaced", "stuffing"])
def test_entries_of_a_type_have_more_of_its_figure_than_any_other_entry(
    scored: dict[str, list[dict[str, float]]], kind: str
) -> None:
    others = max(row[kind] for name, rows in scored.items() if name != kind for row in rows)
    assert min(row[kind] for row in scored[kind]) > others


@pytest.mark.parametrize("kind", ["salad", "replaced", "stuffing"])
def test_entries_of_a_type_are_said_to_be_like_it(scored: dict[str, list[dict[str, float]]], kind: str) -> None:
    words = METHOD.facts.figures["type"].unit
    expected = {"salad": "word salad", "replaced": "a copy with words replaced", "stuffing": "keyword stuffing"}[kind]
    assert {str(words(row["type"])) for row in scored[kind]} == {expected}


def by_definition(documents: Sequence[Sequence[str]], at: int) -> tuple[float, float, float, float]:
    """salad, likelihood, stuffing and replaced of one document of a collection of tokens, by counting everything."""
    own, others = documents[at], [d for i, d in enumerate(documents) if i != at]

    def grams(k: int) -> set[tuple[str, ...]]:
        return {tuple(d[i : i + k]) for d in others for i in range(len(d) - k + 1)}

    if len(own) <= CONTEXT:
        return 0.0, 0.0, 0.0, 0.0
    contexts, continued, pairs = grams(CONTEXT), grams(CONTEXT + 1), grams(2)
    abrupt = 0
    for i in range(CONTEXT, len(own)):
        if tuple(own[i - CONTEXT : i]) in contexts:
            goes_on = tuple(own[i - CONTEXT : i + 1]) in continued or tuple(own[i - 1 : i + 1]) in pairs
            abrupt += (own[i],) in grams(1) and not goes_on
    single = Counter(token for d in others for token in d)
    double = Counter(pair for d in others for pair in pairwise(d))
    total, kinds = sum(single.values()), len({token for d in documents for token in d})
    gains = []
    for a, b in pairwise(own):
        alone = (single[b] + 0.5) / (total + 0.5 * kinds)
        gains.append(math.log2((double[a, b] + 5 * alone) / (single[a] + 5) / alone))
    excess = 0.0
    for token, count in Counter(own).items():
        expected = len(own) * single[token] / max(1, total)
        excess += max(0.0, count - 1 - expected - 3 * math.sqrt(expected))
    inside = set()
    for gap in range(1, LONGEST_GAP + 1):
        for i in range(len(own) - 2 * CONTEXT - gap + 1):
            left, right = own[i : i + CONTEXT], own[i + CONTEXT + gap : i + 2 * CONTEXT + gap]
            if tuple(own[i : i + CONTEXT + 1]) in continued:
                continue
            if any(
                d[j : j + CONTEXT] == left and d[j + CONTEXT + g : j + 2 * CONTEXT + g] == right
                for d in others
                for g in range(1, LONGEST_GAP + 1)
                for j in range(len(d) - 2 * CONTEXT - g + 1)
            ):
                inside |= {*range(i, i + 2 * CONTEXT + gap)}
    return abrupt / (len(own) - CONTEXT + PRIOR), sum(gains) / len(gains), excess / len(own), len(inside) / len(own)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["one", "two", "six", "ten"]), max_size=14), min_size=1, max_size=4))
def test_the_figures_equal_their_definition(documents: list[list[str]]) -> None:
    corpus = Collection.of(*((Role.SUSPECT, " ".join(words)) for words in documents))
    tokens = cut(corpus.all)
    for at, own in enumerate(habits(shared([tokens]), tokens)):
        expected = by_definition(documents, at)
        assert (own.salad, own.likelihood, own.stuffing, own.replaced) == pytest.approx(expected), documents[at]


def test_a_verbatim_copy_has_no_words_replaced_and_a_document_of_its_own_no_figure() -> None:
    text = entries()[0]
    corpus = Collection.of((Role.SUSPECT, text), (Role.BACKGROUND, text), (Role.SUSPECT, "ganz andere Worte"))
    tokens = cut(corpus.all)
    copy, _, alone = habits(shared([tokens]), tokens)
    assert copy.salad == copy.replaced == 0
    assert alone.salad == alone.replaced == 0


def test_weights_give_the_probability_that_their_lines_add_up_to(tmp_path: Path) -> None:
    weights = Weights(-1.0, {"salad": ((0.0, 2.0), (0.1, 10.0)), "length": ((math.log1p(100), 1.0),)})
    corpus = collection(salad(random.Random(3), collection()))
    scores = detect(registry.get("splog"), tmp_path, corpus, weights=weights.text).scores
    for s in scores:
        figures = s.evidence
        odds = -1 + 2 * figures["salad"] + 10 * max(0, figures["salad"] - 0.1)
        odds += max(0.0, math.log1p(figures["length"]) - math.log1p(100))
        assert s.score == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-4)


@pytest.mark.parametrize(
    "text",
    ["x", "[]", "{}", '{"intercept": NaN, "figures": {}}', '{"intercept": 1, "figures": {"nothing": [[0, 1]]}}',
     '{"intercept": 1, "figures": {"salad": [[0, 1e300]]}}',
     '{"intercept": 1, "figures": {"salad": 3}}', "[" * 100_000,
     '{"intercept": 1, "figures": {}, "words": ["a"]}', '{"intercept": 1, "figures": {}, "words": {"a": 1e300}}',
     '{"intercept": 1, "figures": {}, "words": {"a": NaN}}', '{"intercept": 1, "figures": {}, "unseen": [0.5, 0.4, 7]}',
     '{"intercept": 1, "figures": {}, "typical": {"length": NaN}}', '{"intercept": 1, "figures": {}, "typical": [1]}',
     '{"intercept": 1, "figures": {}, "typical": {"nothing": 1}}', '{"intercept": 1' + "0" * 400 + ', "figures": {}}',
     '{"intercept": 1, "figures": {}, "unseen": [0.5]}', '{"intercept": 1, "figures": {}, "unseen": 3}',
     json.dumps({"intercept": 1, "figures": {}, "words": {"a" * 51: 1}}),
     json.dumps({"intercept": 1, "figures": {}, "words": {f"w{n}": 1 for n in range(501)}})],
)  # fmt: skip
def test_weights_that_were_not_learnt_are_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ParameterError, match=r"weights are not those that were learnt"):
        METHOD.parameters.parse({"weights": text})


NUMBERS = st.floats(-4, 4)
LINES = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=3).map(tuple)


@settings(max_examples=100, deadline=None)
@given(
    NUMBERS,
    st.dictionaries(st.sampled_from(FEATURES), LINES),
    st.dictionaries(st.sampled_from(FEATURES), st.floats(0, 5)),
    st.fixed_dictionaries(dict.fromkeys(FEATURES, st.floats(0, 5))),
)
def test_contributions_and_their_start_add_up_to_the_log_odds_of_the_score(
    intercept: float,
    lines: dict[str, tuple[tuple[float, float], ...]],
    typical: dict[str, float],
    figures: dict[str, float],
) -> None:
    weights = Weights.parse(Weights(intercept, lines, typical=typical).text)
    (score,) = weights.probabilities({name: np.array([value]) for name, value in figures.items()})
    parts = weights.contributions(figures)
    assert parts.start + sum(parts.figures.values()) == pytest.approx(parts.log_odds, abs=1e-12)
    assert 1 / (1 + math.exp(-parts.log_odds)) == pytest.approx(score, rel=1e-9)
    if 1e-6 < score < 1 - 1e-6:
        assert parts.log_odds == pytest.approx(math.log(score / (1 - score)), abs=1e-7)
    assert parts.figures.keys() == lines.keys()
    for name, part in parts.figures.items():
        alone = weights.part(name, np.array([figures[name], weights.typical.get(name, 0.0)]))
        assert part == pytest.approx(alone[0] - (alone[1] if name in typical else 0.0), abs=1e-9)


def test_an_explanation_names_the_filters_and_no_pair(tmp_path: Path) -> None:
    corpus = collection(salad(random.Random(3), collection()))
    parameters = METHOD.parameters.parse({})
    METHOD.prepare(corpus, parameters, tmp_path, NullProgress())
    spam = corpus.all[-1]
    explanation = METHOD.explain(spam, corpus.all[0], parameters, METHOD.load(tmp_path, parameters))
    assert not explanation.matched
    (refused,) = [r for r in explanation.reasons if r.rule == "Word salad"]
    assert not refused.passed
    assert len(explanation.reasons) == 1 + len(TYPES)


@pytest.mark.parametrize("role", [Role.SOURCE, Role.BACKGROUND])
def test_an_explanation_gives_no_score_to_a_document_that_is_no_suspect(tmp_path: Path, role: Role) -> None:
    texts = entries()
    corpus = Collection.of(*((Role.SUSPECT, text) for text in texts[1:]), (role, texts[0]))
    detect(METHOD, tmp_path, corpus)
    index = METHOD.load(tmp_path, METHOD.parameters())
    other = corpus.all[-1]
    explanation = METHOD.explain(other, other, METHOD.parameters(), index)
    assert explanation.summary == f"{other.id} is not a suspect, so it has no score."
    assert [str(reason.detail) for reason in explanation.deciding] == ["only suspects are scored"]
