"""Baselines that need no run: what each ranks first, and that none has seen the labels it is measured on."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from scored import TRUTH

from workbench.base.errors import UserError
from workbench.base.types import Document, Role
from workbench.cli.main import main
from workbench.evaluation.classifiers import likeness, sharing, svm_apart
from workbench.evaluation.thresholds import curve
from workbench.services.measuring.baselines import BASELINES, LENGTH, scores_of
from workbench.services.measuring.evaluating import compare_runs
from workbench.services.session import Session

PLAIN = ("river", "stone", "garden", "winter", "paper", "window", "bread", "music", "letter", "summer", "diet", "works")
SOLD = ("casino", "loans", "cheap", "pills")


def entries(n: int, *, sold: int = 1) -> tuple[list[Document], dict[str, bool]]:
    """Half of the ``n`` entries have ``sold`` of the words that sell, each on a site of its own."""
    rng = random.Random(7)
    documents, truth = [], {}
    for at in range(n):
        spam = at % 2 == 0
        words = rng.choices(PLAIN, k=30) + (rng.choices(SOLD, k=sold) if spam else [])
        documents.append(Document(f"d{at}", " ".join(words), Role.SUSPECT, at + 1, url=f"http://name{at}.example.com/"))
        truth[f"d{at}"] = spam
    return documents, truth


def best(scores: dict[str, float], truth: dict[str, bool]) -> float:
    return curve([scores[name] for name in truth], list(truth.values())).average_precision


def test_words_of_one_kind_of_entry_tell_it() -> None:
    documents, truth = entries(120)
    assert best(scores_of("words", documents, truth), truth) > 0.98


def test_labels_without_meaning_are_predicted_no_better_than_by_chance() -> None:
    documents, _ = entries(300, sold=0)
    rng = random.Random(1)
    for name in ("words", "host-words"):
        truth = {d.id: rng.random() < 0.5 for d in documents}
        assert best(scores_of(name, documents, truth), truth) < 0.62, name


def test_the_machine_is_that_of_liblinear() -> None:
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(5)
    bags = [rng.choice(60, 8, replace=False) for _ in range(200)]
    positive = np.array([int(bag.min()) < 5 for bag in bags])
    ours = svm_apart(bags, positive)
    x = np.zeros((200, 60))
    for row, bag in enumerate(bags):
        x[row, bag] = 8**-0.5
    seen = np.arange(200) >= 20
    theirs = LinearSVC(C=1.0, intercept_scaling=100, tol=1e-8, max_iter=100_000).fit(x[seen], positive[seen])
    assert np.corrcoef(ours[:20], theirs.decision_function(x[:20]))[0, 1] > 0.9


def test_an_address_of_words_glued_together_is_divided_into_them() -> None:
    texts = [Document(f"t{i}", "a diet that works and a garden", key=i) for i in range(1, 9)]
    glued = [("dietthatworks", True), ("worksdiet", True), ("thatdiet", True), ("dietworks", True)]
    others = [("mygarden", False), ("agarden", False), ("gardengarden", False), ("gardena", False)]
    sites = [
        Document(f"s{i}", "text", Role.SUSPECT, 20 + i, url=f"http://www.{name}.com/")
        for i, (name, _) in enumerate(glued + others)
    ]
    truth = {d.id: spam for d, (_, spam) in zip(sites, glued + others, strict=True)}
    scores = scores_of("host-words", texts + sites, truth)
    assert min(scores[name] for name in truth if truth[name]) > max(scores[name] for name in truth if not truth[name])


def test_random_names_of_hosts_are_less_probable_than_names_of_words() -> None:
    texts = [Document(f"t{i}", " ".join((*PLAIN, "youtube", "movie", "affiliate", "info")), key=i) for i in (1, 2)]
    names = ("youtubemovie", "affiliateinfo", "wintergarden", "skdsjldjcdks", "g3n0x9h2ja9y1")
    hosts = [Document(name, "x", Role.SUSPECT, 9, url=f"http://www.{name}.com/2008/") for name in names]
    scores = scores_of("random-host", [*texts, *hosts], {})
    assert sorted(names, key=scores.__getitem__)[3:] == ["skdsjldjcdks", "g3n0x9h2ja9y1"]


def test_sites_that_link_to_the_same_sites_are_a_farm_and_one_site_alone_is_none() -> None:
    farm = [
        Document(f"f{i}", "see", Role.SUSPECT, i, url=f"http://f{i}.com/", links=("http://a.com/x", "http://b.com/"))
        for i in range(4)
    ]
    one = [
        Document(f"o{i}", "see", Role.SUSPECT, 9 + i, url="http://o.com/", links=("http://c.com/", "http://d.com/"))
        for i in range(4)
    ]
    plain = [Document("p", "http://a.com/ alone", Role.SUSPECT, 20, url="http://p.com/")]
    scores = scores_of("link-farm", farm + one + plain, {})
    assert {scores[d.id] for d in farm} == {3.0}
    assert {scores[d.id] for d in one + plain} == {0.0}
    # Addresses in the text count like links, however they are written.
    texts = [
        Document(f"f{i}", "See HTTP://A.com/x, and WWW.b.com!", Role.SUSPECT, i, url=f"http://f{i}.com/")
        for i in range(4)
    ]
    assert set(scores_of("link-farm", texts, {}).values()) == {3.0}


def test_shared_features_and_likeness_are_those_of_their_definitions() -> None:
    rng = np.random.default_rng(2)
    bags = [rng.integers(0, 30, int(size)) for size in rng.integers(0, 12, 60)]
    groups = rng.integers(0, 9, 60)
    sets = [set(bag.tolist()) for bag in bags]
    wanted = [
        sum(g != h and len(a & b) >= 2 for b, h in zip(sets, groups, strict=True))
        for a, g in zip(sets, groups, strict=True)
    ]
    assert sharing(bags, groups, 2).tolist() == wanted
    frequency = {item: sum(item in one for one in sets) for item in range(30)}
    kept = [{item for item in one if frequency[item] > 1} for one in sets]
    for at, value in enumerate(likeness(bags, groups).tolist()):
        own = [kept[j] for j in np.flatnonzero(groups == groups[at]) if j != at]
        cosines = [len(kept[at] & b) / ((len(kept[at]) * len(b)) ** 0.5 or 1) for b in own]
        assert value == pytest.approx(sum(cosines) / max(1, len(cosines)))


@pytest.mark.parametrize("name", ["anchors", "urls", "host-words", "random-host", "link-farm", "self-similarity"])
def test_a_project_that_lacks_what_a_baseline_needs_is_told_so(name: str) -> None:
    documents = [Document("a", "plain words", Role.SUSPECT, 1), Document("b", "other words", Role.SUSPECT, 2)]
    with pytest.raises(UserError, match="his baseline"):
        scores_of(name, documents, {"a": True, "b": False})


def test_every_baseline_can_be_named_on_the_command_line(
    labelled: Session, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare_runs(labelled, "words", LENGTH).items == len(TRUTH)
    assert main(["evaluate", str(path), "words", "--against", "length"]) == 0
    assert "Against length" in capsys.readouterr().out
    assert main(["evaluate", str(path), "nothing"]) != 0
    message = capsys.readouterr().err
    assert all(name in message for name in BASELINES)
