"""An explanation says of a pair what detection found of it, whatever the method, its settings and the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.methods.corpora import Collection, detect
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Role
from workbench.methods.core import registry
from workbench.methods.core.api import Method

SENTENCES = (
    *(
        f"{when}の市場では{what}の値が何度も改められたと記録されている。"
        for when, what in zip("春夏秋冬朝昼夜海", "魚肉茶絹紙塩麦豆", strict=True)
    ),
    *(
        f"The {word} engine was dismantled at {word[::-1]} before anybody had written down how it worked. "
        for word in ("copper", "silent", "northern", "seventh")
    ),
    "短い。",
    "次。",
    "Yes. ",
)
SETTINGS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "copies": (
        {}, {"min_confidence": 0.55}, {"verbatim": False, "homophones": False, "min_confidence": 0.1},
        {"compare": "all"},
    ),
    "digest": (
        {"min_run": 1}, {"rule": "length", "min_run": 2}, {"compare": "all"}, {"min_surprisal": 55.1},
        {"compare": "all", "max_places": 1, "min_run": 1},
    ),
    "trustable-lcs": (
        {"cover": 0, "members": 1}, {"cover": 0, "members": 1, "min_containment": 0.55, "min_resemblance": 0.3},
        {"cover": 10, "members": 2, "max_documents": 2, "slope": 0.1}, {"short_pages": True, "rare_documents": 5},
    ),
    "shingle": (
        {"min_resemblance": 0.3}, {"k": 1, "min_containment": 0.55}, {"k": 2, "max_documents": 2},
        {"k": 3, "min_resemblance": 0.1, "min_containment": 0.3, "compare": "sources"},
    ),
    "simhash": (
        {}, {"bits": 64, "max_distance": 10}, {"max_pairs": 1}, {"weights": "keywords", "keywords": 5},
        {"search": "tables", "weights": "idf", "compare": "sources"},
    ),
    "minhash": (
        {"min_resemblance": 0.3}, {"verify": "estimate", "min_resemblance": 0.55}, {"max_documents": 2},
        {"verify": "exact", "min_resemblance": 0.1, "k": 2},
    ),
    "cosine": (
        {"min_cosine": 0.55}, {"weights": "once", "idf": False, "min_cosine": 0.3}, {"k": 1, "weights": "frequency"},
        {"min_cosine": 0.1, "compare": "sources"},
    ),
    "longest-sentences": (
        {}, {"sentences": 3, "min_resemblance": 0.55, "min_length": 1}, {"max_documents": 2, "min_resemblance": 0.1},
        {"sentences": 20, "min_resemblance": 0.3},
    ),
    "winnowing": ({"k": 4, "window": 3}, {"max_places": 2}, {"k": 2, "window": 1, "gap": 0, "max_places": 3}),
    "altered": ({"min_odds": 12}, {}, {"compare": "all", "min_odds": 5.5}, {"max_sources": 1, "min_odds": 10}),
    "translated": ({}, {"min_odds": 4}, {"compare": "all", "min_odds": 6}, {"max_sources": 1, "min_odds": 5}),
    "initials": (
        {"min_length": 16, "max_difference": 0.3}, {"compare": "all"}, {"min_votes": 3, "max_difference": 0.1},
        {"max_places": 2, "window": 16, "min_length": 12},
    ),
    "rare-sentences": (
        {}, {"max_documents": 2}, {"min_sentences": 2, "min_length": 5}, {"compare": "sources", "min_particles": 0.03},
    ),
    "copied-strings": ({}, {"min_length": 5}, {"min_length": 12, "corpus": "suspects"}),
}  # fmt: skip


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    """A few documents of sentences, some of them altered by a character."""
    sentence = st.tuples(st.integers(0, len(SENTENCES) - 1), st.sampled_from([0, 0, 0, 3, 7, 19]))
    document = st.tuples(st.sampled_from([Role.SOURCE, Role.SUSPECT]), st.lists(sentence, max_size=8))
    return Collection.of(
        *(
            (role, "".join(_altered(*s) for s in text))
            for role, text in draw(st.lists(document, min_size=2, max_size=6))
        )
    )


def _altered(number: int, at: int) -> str:
    text = SENTENCES[number]
    return text[:at] + "鬼" + text[at + 1 :] if 0 < at < len(text) else text


def disagreements(method: Method, corpus: Collection, raw: Mapping[str, Any]) -> list[str]:
    """The pairs of which ``method`` says and finds different things, in the collection and of the pair alone."""
    parameters = method.parameters.parse(raw)
    indexed, examined = method.index_roles(corpus, parameters), method.roles(parameters)[1]
    with TemporaryDirectory() as folder:
        method.prepare(corpus, parameters, Path(folder), NullProgress())
        index = method.load(Path(folder), parameters)
        results = method.detect(index, list(corpus.documents(*examined)), parameters, NullProgress())
        wrong = []
        sources = (Role.SOURCE,) if getattr(parameters, "compare", "all") == "sources" else indexed
        for a, b in _compared(corpus, sources, examined):
            sides = (("in the collection", results, index), ("alone", method.compare(a, b, parameters), None))
            for where, there, within in sides:
                explanation = method.explain(a, b, parameters, within)
                if explanation.matched != _names(there, a, b):
                    wrong.append(f"{where}: {a.text!r} and {b.text!r}: {explanation}")
                elif not explanation.matched:
                    assert explanation.deciding, explanation
        return wrong


def _compared(corpus: Collection, indexed: Sequence[Role], examined: Sequence[Role]) -> list[tuple[Document, Document]]:
    """The pairs that a detection compares, in its order: sources before suspects and each by key."""
    in_order = sorted(corpus.all, key=lambda d: (d.role is not Role.SOURCE, d.key))
    return [(a, b) for b, a in combinations(in_order, 2) if a.role in examined and b.role in indexed]


def _names(results: Results, a: Document, b: Document) -> bool:
    met = {(p.a, p.b) for p in results.pairs} | set(
        zip(results.matches.a.tolist(), results.matches.b.tolist(), strict=True)
    )
    return (a.key, b.key) in met


def test_every_method_that_finds_pairs_or_passages_has_settings_here() -> None:
    assert set(SETTINGS) == {name for name in registry.names() if registry.get(name).emits != {"scores"}}


@pytest.mark.parametrize("name", SETTINGS)
@settings(max_examples=10)
@given(data=st.data())
def test_an_explanation_agrees_with_what_is_detected(name: str, data: st.DataObject) -> None:
    raw, corpus = data.draw(st.sampled_from(SETTINGS[name])), data.draw(collections())
    assert disagreements(registry.get(name), corpus, raw) == []


@pytest.mark.rest
@pytest.mark.parametrize(("name", "raw"), [(name, raw) for name, several in SETTINGS.items() for raw in several])
@settings(max_examples=100)
@given(corpus=collections())
def test_explanations_agree_under_each_of_the_settings(name: str, raw: Mapping[str, Any], corpus: Collection) -> None:
    assert disagreements(registry.get(name), corpus, raw) == []


@pytest.mark.parametrize("name", ["copies", "digest", "initials", "altered", "shingle", "rare-sentences"])
def test_a_pair_is_explained_in_either_order(name: str, tmp_path: Path) -> None:
    method = registry.get(name)
    parameters = method.parameters.parse({"compare": "all"})
    copied = "".join(SENTENCES[:8])
    corpus = Collection.of((Role.SUSPECT, copied), (Role.SUSPECT, "別の話から始まる長い文章である。" + copied))
    assert _names(detect(method, tmp_path / "index", corpus, compare="all"), *reversed(corpus.all))
    index = method.load(tmp_path / "index", parameters)
    assert method.explain(*corpus.all, parameters, index).matched
    assert method.explain(*reversed(corpus.all), parameters, index).matched


@pytest.mark.parametrize("percent", [7, 10, 14, 28, 29, 30, 55, 56, 57, 58])
@pytest.mark.parametrize(
    ("name", "raw", "threshold"),
    [
        ("shingle", {"k": 1, "min_resemblance": 1.0}, "min_containment"),
        ("cosine", {"k": 1, "weights": "once", "idf": False}, "min_cosine"),
        ("minhash", {"k": 1, "verify": "exact"}, "min_resemblance"),
    ],
)
def test_exactly_as_much_as_is_needed_is_enough_for_both(
    name: str, raw: Mapping[str, Any], threshold: str, percent: int
) -> None:
    letters = [chr(0x4E00 + i) for i in range(200)]
    own, others = "".join(letters[:100]), "".join(letters[100 - percent : 200 - percent])
    needed = percent / 100
    if threshold == "min_resemblance":
        needed = percent / (200 - percent)
    corpus = Collection.of((Role.SOURCE, others), (Role.SUSPECT, own))
    assert disagreements(registry.get(name), corpus, {**raw, threshold: needed}) == []


def test_55_of_100_shingles_are_a_containment_of_55_percent(tmp_path: Path) -> None:
    letters = "".join(chr(0x4E00 + i) for i in range(145))
    corpus = Collection.of((Role.SOURCE, letters[45:]), (Role.SUSPECT, letters[:100]))
    results = detect(registry.get("shingle"), tmp_path, corpus, k=1, min_containment=0.55, min_resemblance=1.0)
    assert [(p.a, p.b) for p in results.pairs] == [(2, 1)]
