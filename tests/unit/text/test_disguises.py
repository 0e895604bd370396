"""Tricks that hide a copy: seen through where they are the rule, and nothing done to honest texts."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.disguised import BEFORE, HONEST, PASSAGES, TRICKS, letters
from workbench.text.disguises import seen_through


@pytest.mark.parametrize("language", PASSAGES)
@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_on_a_passage_is_seen_through(trick: str, language: str) -> None:
    passage = PASSAGES[language]
    disguised = TRICKS[trick](passage, language)
    text = f"{BEFORE[language]}\n{disguised}\n{BEFORE[language]}"
    plain, places = seen_through(text) or (text, np.arange(len(text)))
    assert letters(passage) in letters(plain)
    assert len(plain) == len(places)
    # What stands before and behind stays as it is, in its place.
    assert plain.startswith(BEFORE[language])
    assert plain.endswith(BEFORE[language])
    assert places[: len(BEFORE[language])].tolist() == list(range(len(BEFORE[language])))
    # Every character stands for one of its own, no two for the same.
    assert len(set(places.tolist())) == len(places)


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_text_stays_as_it_is(name: str) -> None:
    for form in ("NFC", "NFD"):
        assert seen_through(unicodedata.normalize(form, HONEST[name])) is None


@given(st.text(alphabet="ab .\n\u0332\u202e\u202c3éа。る", max_size=200))
def test_any_text_has_a_place_for_each_character(text: str) -> None:
    seen = seen_through(text)
    if seen is not None:
        plain, places = seen
        assert len(plain) == len(places) == len(set(places.tolist()))
        assert all(0 <= at < len(text) for at in places.tolist())
