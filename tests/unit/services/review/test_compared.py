"""What a method compared, character for character."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import ParameterError
from workbench.base.types import Block, BlockClass, Document, Extraction, IntegrityFlag, Role, Span
from workbench.methods.core.registry import get, names
from workbench.services.review.compared import Reading, compared, fold_options, folded_in_place, spans_not_compared
from workbench.text.disguises import Trick
from workbench.text.normalisation import FoldOptions, fold

SAME, OTHER, LEFT_OUT = Reading.SAME, Reading.OTHER, Reading.LEFT_OUT


def readings(text: str, options: FoldOptions | None = None) -> list[int]:
    return folded_in_place(text, options or FoldOptions()).readings.tolist()


def test_characters_are_read_as_they_are_as_another_or_not_at_all() -> None:
    folded = folded_in_place("Ａb、 ㍿か\u3099", FoldOptions())
    assert folded.shown == "ab、 ㍿か\u3099"
    assert folded.readings.tolist() == [OTHER, SAME, LEFT_OUT, LEFT_OUT, OTHER, OTHER, OTHER]


def test_readings_follow_the_options() -> None:
    assert readings("カ、", FoldOptions(kana=True, symbols=False)) == [OTHER, SAME]
    assert readings("學《がく》", FoldOptions(variants="kyujitai", ruby=True)) == [OTHER] + [LEFT_OUT] * 4


@given(st.text(alphabet="aＡか\u3099カ。 \nﾊ\uff9e㍿學ß", max_size=30))
def test_what_is_read_is_what_folding_gives(text: str) -> None:
    options = FoldOptions()
    in_place = folded_in_place(text, options)
    assert len(in_place.shown) == len(in_place.readings) == len(text)
    whole = fold(text, options)
    behind = {at for i in range(len(whole.text)) for at in range(whole.start[i], whole.end[i])}
    assert [at for at in range(len(text)) if in_place.readings[at] != LEFT_OUT] == sorted(behind)
    for at in np.flatnonzero(in_place.readings == SAME).tolist():
        assert in_place.shown[at] == text[at]
        assert text[at] in whole.text
    changed = [at for at in range(len(text)) if in_place.shown[at] != text[at]]
    assert all(in_place.readings[at] == OTHER for at in changed)


@pytest.mark.parametrize("name", names())
def test_every_method_says_what_it_compares(name: str) -> None:
    options = fold_options(name, get(name).parameters().as_dict())
    assert options is None or isinstance(options, FoldOptions)


def test_blocks_that_do_not_count_were_not_compared() -> None:
    blocks = (Block(Span(0, 2), verdict=BlockClass.NON_CONTENT), Block(Span(3, 5)))
    document = Document("d", "ab\ncd", Role.SUSPECT, blocks=blocks)
    assert compared(document, "template", {"content": True}).readings.tolist() == [2, 2, 0, 0, 0]
    assert compared(document, "template", {"content": False}).readings.tolist() == [0] * 5
    assert compared(document, "own-passages", {}).readings.tolist() == [0] * 5


def test_hidden_words_were_not_compared_except_by_a_method_that_reads_them() -> None:
    flag = IntegrityFlag(Trick.HIDDEN.value, 2, (Span(3, 5),))
    document = Document("d", "ab xy cdefg", Role.SUSPECT, extraction=Extraction(integrity=(flag,)))
    left_out = [at for at in range(11) if compared(document, "template", {"content": True}).readings[at] == LEFT_OUT]
    assert left_out == [3, 4, 5]
    assert spans_not_compared(document, "template", {"content": True}) == (Span(3, 6),)
    assert spans_not_compared(document, "template", {"content": False}) == ()
    assert spans_not_compared(document, "rare-sentences", {"content": True}) == ()


def test_settings_that_a_method_does_not_have_are_refused() -> None:
    with pytest.raises(ParameterError):
        compared(Document("d", "a", Role.SUSPECT), "digest", {"nothing": 1})
