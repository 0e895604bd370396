"""The method ``copies`` on real texts: what is reported of a copy, and beside its parts."""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from tests.golden import altered, copies, edges
from workbench.base.coverage import A, B, lengths
from workbench.base.types import Document, Matches, Role, Span
from workbench.evaluation.passages import Passage, PassageMeasures
from workbench.evaluation.passages import measure as measured
from workbench.methods.core.figures import CopyKind


@pytest.mark.slow
@pytest.mark.parametrize("language", ["ja", "zh", "en"])
def test_nearly_every_character_of_a_copy_is_reported_and_little_else(
    shared_data: Path, language: str, every: int
) -> None:
    figures = edges.measure(shared_data, language, "copies", every)
    assert figures.recall >= 0.995
    assert figures.precision >= 0.99
    assert figures.lost == 0


@lru_cache
def matches_in_pan(method: str, every: int) -> Matches:
    """What a method finds in every other suspect of PAN 2013, or fewer."""
    documents, _, _ = altered.pan_pairs()
    return altered.all_matches([d for d in documents if d.role is Role.SOURCE or is_measured(d.id, every)], method)


def is_measured(suspect: str, every: int) -> bool:
    return int(suspect[-5:]) % (2 * every) == 1


def by_kind(method: str, every: int) -> dict[str, PassageMeasures]:
    documents, pairs, reference = altered.pan_pairs()
    names = {d.key: d.id for d in documents}
    passages = [Passage(names[m.a], m.a_span, names[m.b], m.b_span) for m in matches_in_pan(method, every)]
    return {
        kind: measured(
            [p for p in right if is_measured(p.a, every)], [p for p in passages if (p.a, p.b) in pairs[kind]]
        )
        for kind, right in reference.items()
    }


@pytest.mark.slow
@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("kind", ["02-no", "03-random", "04-translation", "05-summary"])
def test_copies_is_at_least_as_good_as_its_best_part_on_every_kind_of_obfuscation(kind: str, every: int) -> None:
    whole, part = (
        {k: m for k, m in by_kind(method, every).items() if k.startswith(kind)} for method in ("copies", "altered")
    )
    assert any(measures.recall for measures in whole.values())
    for name, measures in part.items():
        assert whole[name].plagdet >= measures.plagdet


@pytest.mark.slow
@pytest.mark.parametrize(
    "collection",
    ["articles_en", *(pytest.param(name, marks=pytest.mark.rest) for name in ("articles_zh", "articles_mixed"))],
)
def test_an_article_is_not_called_a_summary_of_another_on_the_same_subject(shared_data: Path, collection: str) -> None:
    truth = json.loads((shared_data / collection / "ground-truth.json").read_text("utf-8"))
    texts = [text for _, page in sorted(truth.items()) if len(text := page["articleBody"]) > 200]
    roles = Role.SUSPECT, Role.SOURCE
    documents = [Document(f"{at}", text, roles[at % 2], key=at + 1) for at, text in enumerate(texts)]
    matches = altered.all_matches(documents, "copies")
    assert len(matches)  # phrases of the sites
    summaries = int((matches.evidence["kind"] == CopyKind.SUMMARY).sum())
    assert summaries <= len(texts) / 300  # two manuals of one program are alike


@pytest.mark.slow
@pytest.mark.rest
def test_copies_finds_at_least_what_its_best_part_finds_in_japanese_prose(shared_data: Path, every: int) -> None:
    whole, part = (copies.measure(shared_data / "copies_ja", name, every=every) for name in ("copies", "altered"))
    assert sum(whole.recalled.values()) >= sum(part.recalled.values())
    assert whole.precision >= part.precision
    assert whole.character_recall >= max(0.995, part.character_recall)
    assert whole.character_precision >= 0.99


@pytest.mark.slow
@pytest.mark.usefixtures("shared_data")
def test_the_source_side_of_a_passage_is_where_its_words_come_from(every: int) -> None:
    matches = matches_in_pan("altered", every)
    times = lengths(matches, B) / lengths(matches, A)
    summary = matches.evidence["kind"] == CopyKind.SUMMARY
    assert times[~summary].max() <= 3
    assert times[summary].max() <= 9
    assert set(matches.gaps.row[matches.gaps.side == B].tolist()) >= set(summary.nonzero()[0].tolist())


@pytest.mark.slow
@pytest.mark.usefixtures("shared_data")
def test_a_summary_draws_on_the_text_it_sums_up_and_on_nothing_around_it(every: int) -> None:
    documents, _, reference = altered.pan_pairs()
    texts = {d.id: d.text for d in documents if d.role is Role.SOURCE}
    around = "\n".join(text for text in texts.values() if len(text) < 4000)
    place: dict[int, Span] = {}
    summed_up = {p.b for p in reference["05-summary-obfuscation"]}
    for i, d in enumerate(documents):
        if d.id in summed_up:
            before, after = around[:14_000], around[14_000:28_000]
            documents[i] = replace(d, text=f"{before}\n{d.text}\n{after}")
            place[d.key] = Span(len(before), len(before) + len(d.text) + 2)
    summaries = sorted({p.a for p in reference["05-summary-obfuscation"]})[::every]
    examined = [d for d in documents if d.role is Role.SOURCE or every == 1 or d.id in summaries]
    matches = [
        m for m in altered.all_matches(examined, "copies") if m.b in place and m.evidence["kind"] == CopyKind.SUMMARY
    ]
    assert matches
    drawn = right = 0
    for m in matches:
        edges = [m.b_span.start, *(edge for gap in m.b_gaps for edge in gap), m.b_span.end]
        stretches = [Span(*edges[i : i + 2]) for i in range(0, len(edges), 2)]
        drawn += sum(s.end - s.start for s in stretches)
        right += sum(s.overlap(place[m.b]) for s in stretches)
    assert right >= 0.95 * drawn
