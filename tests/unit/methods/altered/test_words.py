"""Words of texts: forms of one English word have one value, whatever other texts come with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.kernels.altered.cutting import letters_values
from workbench.kernels.code_points import code_points
from workbench.kernels.mixing import mix
from workbench.methods.altered import words
from workbench.methods.altered.words import words_of


@given(st.lists(st.text(st.characters(categories=["L"]), max_size=6), max_size=6))
def test_the_values_of_words_are_those_of_their_letters(texts: list[str]) -> None:
    values = []
    with np.errstate(over="ignore"):
        for text in texts:
            value = np.uint64(0)
            for letter in text:
                value = mix.py_func(value + np.uint64(ord(letter)))
            values.append(int(value))
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    assert letters_values(code_points("".join(texts)), ends).tolist() == values


@pytest.mark.parametrize("cached", [1, 3, 1 << 20])
def test_forms_of_one_word_are_equal_whatever_texts_come_with_it(cached: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_STEMMED", cached)
    words._stems().clear()
    texts = ["Copied copies copying 写し mills", "The mill copy", "", "MILLS and a Harbour"]
    together = [text.values.tolist() for text in words_of(texts)]
    one_by_one = [words_of([text])[0].values.tolist() for text in texts]
    assert together == one_by_one
    forms = words_of(["copies", "copying", "mill", "mills"])
    copies, copying, mill, mills = (text.values[0] for text in forms)
    assert copies == copying
    assert mill == mills
    assert copies != mill
