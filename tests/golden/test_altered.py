"""The method ``altered`` on real texts: any change of quality must be deliberate."""

import random
from pathlib import Path

import pytest

from tests.golden import altered, copies, near_duplicates
from workbench.base.types import Document, Role, Span
from workbench.methods.core.figures import CopyKind


@pytest.mark.slow
def test_copies_in_japanese_prose_are_found_whatever_was_edited(shared_data: Path, every: int) -> None:
    quality = copies.measure(shared_data / "copies_ja", altered.METHOD, every=every)
    assert sum(quality.recalled.values()) >= 0.98 * sum(quality.copies.values())
    assert quality.precision >= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", *(pytest.param(each, marks=pytest.mark.rest) for each in ("ja", "zh"))])
def test_passages_altered_in_six_ways_are_found(shared_data: Path, language: str) -> None:
    figures, _ = altered.sets(language, 1)
    precision, recall, f = figures["all sets"]
    assert recall >= 0.95
    assert f >= 0.92, precision


@pytest.mark.slow
def test_revised_answers_are_found_and_others_are_not(shared_data: Path) -> None:
    figures = altered.clough()
    for name in ("cut", "light", "heavy"):
        right, of = figures[name]
        assert right >= 0.85 * of
    assert figures["non"][0] <= 1


def test_own_text_within_copies_is_not_counted_and_copied_text_is(shared_data: Path) -> None:
    before, after, lost = altered.own_share([(matches, own) for matches, own, _ in altered.own_text("copies")])
    assert after < 0.5 * before
    assert lost < 0.02


@pytest.mark.slow
def test_texts_on_one_subject_are_neither_shuffled_copies_nor_summaries_of_each_other(shared_data: Path) -> None:
    works = [file.read_text("utf-8")[:20_000] for file in sorted((shared_data / "aozora" / "txt").glob("*.txt"))[::4]]
    documents: list[Document] = []
    for work in works:
        lines = [line for line in work.splitlines() if line.strip()]
        # A work's odd lines and its even ones are about the same, in the same order, and no copies.
        for half, role in ((lines[::2], Role.SOURCE), (lines[1::2], Role.SUSPECT)):
            documents.append(Document(f"{len(documents)}", "\n".join(half), role, key=len(documents) + 1))
    matches = [m for m in altered.detected(documents) if m.evidence["kind"] in (CopyKind.SHUFFLED, CopyKind.SUMMARY)]
    assert sum(m.a_span.end - m.a_span.start for m in matches) < 0.01 * sum(map(len, works)) / 2


def test_lightly_changed_copies_between_texts_as_long_as_books_are_found(shared_data: Path) -> None:
    rng = random.Random(3)
    documents = altered.pan_pairs()[0]
    texts = [document.text for document in documents if document.role is Role.SOURCE]
    rng.shuffle(texts)
    half, size = len(texts) // 2, 400_000
    source, own = ("\n\n".join(part)[:size].split(". ") for part in (texts[:half], texts[half:]))
    suspect, spans = "", []
    for part in range(10):
        suspect += ". ".join(own[len(own) * part // 10 : len(own) * (part + 1) // 10]) + ". "
        first = len(source) * part // 10
        words = ". ".join(source[first : first + 3]).split(" ")
        words[4::9] = (rng.choice(("indeed", "perhaps", "great", "often")) for _ in words[4::9])
        spans.append(Span(len(suspect), len(suspect) + len(" ".join(words))))
        suspect += " ".join(words) + ". "
    matches = altered.all_matches([Document("a", suspect, Role.SUSPECT, 1), Document("b", ". ".join(source), key=2)])
    for span in spans:
        size = sum(max(0, min(span.end, m.a_span.end) - max(span.start, m.a_span.start)) for m in matches)
        assert size >= 0.9 * (span.end - span.start), suspect[slice(*span)]


def test_a_stretch_of_a_novel_is_not_a_summary_of_other_novels_of_its_time(shared_data: Path) -> None:
    texts = [work.text for work in near_duplicates.editions(shared_data / "aozora").documents()]
    random.Random(0).shuffle(texts)
    half, size = len(texts) // 2, 100_000
    suspect, source = ("\n".join(part)[:size] for part in (texts[:half], texts[half:]))
    matches = altered.all_matches([Document("a", suspect, Role.SUSPECT, 1), Document("b", source, key=2)])
    assert CopyKind.SUMMARY not in matches.evidence["kind"]
