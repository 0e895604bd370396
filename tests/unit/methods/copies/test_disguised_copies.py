"""Copies behind tricks: found whole, and marked in the characters that stand in the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.golden.altered import Documents
from tests.unit.text.disguised import BEFORE, PASSAGES, TRICKS
from workbench.base.evidence import other_places
from workbench.base.progress import NullProgress
from workbench.base.types import Block, Document, Match, Matches, Role, Span, Tier
from workbench.methods.copies.method import METHOD
from workbench.methods.copies.views import view_of

PARAMETERS = METHOD.parameters()


def _pair(trick: str, language: str) -> tuple[Document, Document, Span]:
    passage, around = PASSAGES[language], BEFORE[language]
    disguised = TRICKS[trick](passage, language)
    text = f"{around}\n{disguised}\n{around}"
    source = Document("source", f"{passage}\n", Role.SOURCE, key=1, language=language)
    suspect = Document("suspect", text, Role.SUSPECT, key=2, language=language)
    return suspect, source, Span(len(around) + 1, len(around) + 1 + len(disguised))


def _covered(spans: Sequence[Span], within: Span) -> float:
    covered = set().union(*(range(*span) for span in spans)) & set(range(*within))
    return len(covered) / (within.end - within.start)


def _detected(suspect: Document, source: Document, folder: Path) -> Matches:
    METHOD.prepare(Documents([source, suspect]), PARAMETERS, folder, NullProgress())
    return METHOD.detect(METHOD.load(folder, PARAMETERS), [suspect], PARAMETERS, NullProgress()).matches


def _compared(suspect: Document, source: Document) -> list[Match]:
    return list(METHOD.compare(suspect, source, PARAMETERS).matches)


@pytest.mark.parametrize("language", PASSAGES)
@pytest.mark.parametrize("trick", TRICKS)
def test_a_disguised_copy_is_found_whole(trick: str, language: str) -> None:
    suspect, source, passage = _pair(trick, language)
    matches = _compared(suspect, source)
    assert _covered([m.a_span for m in matches], passage) >= 0.95
    assert _covered([m.b_span for m in matches], Span(0, len(PASSAGES[language]))) >= 0.95
    own = len(suspect.text) - (passage.end - passage.start)
    assert sum(m.a_span.end - m.a_span.start for m in matches) <= (passage.end - passage.start) + 0.1 * own


_UNSEEN = st.characters(whitelist_categories=("Cc", "Cf", "Cs", "Co", "Cn", "Me")) | st.sampled_from(
    "\u034f\u115f\u17b5\u180b\u2800\u3164\ufe0f\uffa0\ufffc\U000e0100\U0001d159"
)


@given(
    unseen=st.text(_UNSEEN, min_size=1, max_size=3), count=st.integers(1, 8), language=st.sampled_from(sorted(PASSAGES))
)
def test_what_no_reader_sees_between_letters_hides_no_copy(unseen: str, count: int, language: str) -> None:
    passage, around = PASSAGES[language], BEFORE[language]
    disguised = "".join(c + (unseen if at % count == 0 else "") for at, c in enumerate(passage))
    suspect = Document("suspect", f"{around}\n{disguised}\n{around}", Role.SUSPECT, key=2, language=language)
    source = Document("source", f"{passage}\n", Role.SOURCE, key=1, language=language)
    spans = [match.a_span for match in METHOD.compare(suspect, source, PARAMETERS).matches]
    within = Span(len(around) + 1, len(around) + 1 + len(disguised))
    assert _covered(spans, within) >= 0.95
    assert min(span.start for span in spans) == within.start
    assert within.end - len(unseen) - 1 <= max(span.end for span in spans) <= within.end


@pytest.mark.parametrize("trick", ["full stops", "reversed", "accents", "private use"])
def test_an_index_finds_what_a_comparison_finds(trick: str, tmp_path: Path) -> None:
    suspect, source, _ = _pair(trick, "en")
    for number, (a, b) in enumerate(((suspect, source), (source, suspect))):
        folder = tmp_path / str(number)
        folder.mkdir()
        one, other = replace(a, role=Role.SUSPECT, key=2), replace(b, role=Role.SOURCE, key=1)
        detected = _detected(one, other, folder)
        compared = METHOD.compare(one, other, PARAMETERS).matches
        for column in ("a_start", "a_end", "b_start", "b_end"):
            assert getattr(detected, column).tolist() == getattr(compared, column).tolist()
        assert len(detected)


def test_further_places_are_those_of_the_disguised_source() -> None:
    suspect, source, _ = _pair("full stops", "en")
    twice = replace(source, text=f"{'.'.join(PASSAGES['en'])}\n\nOther words.\n\n{'.'.join(PASSAGES['en'])}")
    plain = replace(suspect, text=PASSAGES["en"])
    for match in METHOD.compare(plain, twice, PARAMETERS).matches:
        _, starts = other_places(match.evidence)
        assert all(0 <= at < len(twice.text) and twice.text[at] == twice.text[match.b_span.start] for at in starts)


def test_a_disguised_copy_is_not_called_exact() -> None:
    for trick in ("full stops", "reversed", "digits"):
        suspect, source, _ = _pair(trick, "en")
        assert all(m.evidence["tier"] > Tier.EXACT for m in METHOD.compare(suspect, source, PARAMETERS).matches)
    suspect, source, _ = _pair("full stops", "en")
    plain = replace(suspect, text=source.text)
    assert [m.evidence["tier"] for m in METHOD.compare(plain, source, PARAMETERS).matches] == [Tier.EXACT]


def test_what_is_disguised_in_a_block_stays_in_it() -> None:
    suspect, source, passage = _pair("reversed", "en")
    text = suspect.text
    spans = (Span(0, passage.start - 1), passage, Span(passage.end + 1, len(text)))
    page = replace(suspect, blocks=tuple(Block(span) for span in spans))
    matches = list(METHOD.compare(page, source, PARAMETERS).matches)
    assert _covered([m.a_span for m in matches], passage) >= 0.95
    assert all(passage.start <= m.a_span.start and m.a_span.end <= passage.end for m in matches)


def test_blocks_of_the_view_are_the_blocks_as_a_reader_sees_them() -> None:
    suspect, source, passage = _pair("full stops", "en")
    text = suspect.text
    spans = (Span(0, passage.start - 1), passage, Span(passage.end + 1, len(text)))
    view, _ = view_of(replace(suspect, blocks=tuple(Block(span) for span in spans)))
    before, after = text[slice(*spans[0])], text[slice(*spans[2])]
    assert [view.text[slice(*block.span)] for block in view.blocks] == [before, source.text.rstrip(), after]


def test_an_explanation_points_at_the_disguised_words() -> None:
    suspect, source, _ = _pair("full stops", "en")
    explanation = METHOD.explain(suspect, source, PARAMETERS)
    assert explanation.matched
    spans = [reason.a_span for reason in explanation.reasons if reason.a_span]
    assert all(0 <= span.start < span.end <= len(suspect.text) for span in spans)


@pytest.mark.parametrize("trick", ["full stops", "Cyrillic", "reversed"])
def test_a_trick_elsewhere_in_a_text_leaves_its_exact_copies_exact(trick: str) -> None:
    passage, other = PASSAGES["en"], "Nobody had told her that the boats would come back before the winter storms did."
    suspect = Document("suspect", f"{TRICKS[trick](passage, 'en')}\n{other}\n", Role.SUSPECT, key=2, language="en")
    sources = (Document("source", f"{text}\n", Role.SOURCE, key=1, language="en") for text in (other, passage))
    tiers = [{match.evidence["tier"] for match in _compared(suspect, source)} for source in sources]
    assert tiers == [{Tier.EXACT}, {Tier.FOLDED}]
