"""The compiled tokens against the plain reference."""

from __future__ import annotations

import random

import pytest

from tests.unit.text.plain_tokens import tokens
from tests.unit.text.segmenters import MODES
from workbench.base.types import Document
from workbench.kernels.sketches.shingles import Rows
from workbench.kernels.token_pass import token_classes
from workbench.methods.core.tokenising import shingle_rows, tokenise
from workbench.methods.sketches.shingle import ShingleParameters
from workbench.text.tokens import Tokens, token_class

ALPHABET = "aAb ßﬁ㈱½、。-'’\u200b\u00ad漢字々かカーガｶﾞeé\u0301กข가각\u1112\u1161\u11ab\n\t0１𠀋\ufffd😀"
TEXTS = [
    "Well-known Ｗords, don’t 3.14; 漢字とカタカナ。",
    "",
    "。、 ",
    "か\u3099き、e\u0301tat",
    "漢字《かんじ》と｜大言《たいげん》［＃ここに注］ end",
    "plain again",
    "我来到北京清华大学，他来到了网易杭研大厦。Hello世界",
]


def check(texts: list[str], settings: ShingleParameters) -> None:
    passed = tokenise([Document(str(i), t) for i, t in enumerate(texts)], settings)
    hashes: dict[str, int] = {}
    for i, text in enumerate(texts):
        expected = tokens(text, Tokens(settings.tokens), settings.fold_options)
        rows = slice(passed.bounds[i], passed.bounds[i + 1])
        spans = list(zip(passed.start[rows].tolist(), passed.end[rows].tolist(), strict=True))
        assert spans == [tuple(s) for _, s in expected], text
        for (token, _), value in zip(expected, passed.values[rows].tolist(), strict=True):
            assert hashes.setdefault(token, value) == value
    assert len(set(hashes.values())) == len(hashes)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ruby", [pytest.param(False, marks=pytest.mark.rest), True])
def test_tokens_are_those_of_the_reference(mode: Tokens, ruby: bool) -> None:
    settings = ShingleParameters(tokens=mode, ruby=ruby)
    rng = random.Random(3)
    generated = ["".join(rng.choices(ALPHABET, k=rng.randrange(60))) for _ in range(300)]
    check(TEXTS + generated, settings)


def _shingles(documents: list[Document], settings: ShingleParameters, k: int) -> Rows:
    return tokenise(documents, settings).shingles(k, short=True, sampled=settings.tokens == Tokens.LETTERS)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ruby", [pytest.param(False, marks=pytest.mark.rest), True])
def test_one_pass_to_shingles_gives_what_cutting_and_hashing_give(mode: Tokens, ruby: bool) -> None:
    settings = ShingleParameters(tokens=mode, ruby=ruby)
    rng = random.Random(5)
    generated = ["".join(rng.choices(ALPHABET, k=rng.randrange(60))) for _ in range(300)]
    documents = [Document(str(i), t) for i, t in enumerate(TEXTS + generated)]
    for some in (documents, [], documents[1:2]):
        for k in (1, 2, 4, 9):
            rows, expected = shingle_rows(some, settings, k), _shingles(some, settings, k)
            assert rows.values.tolist() == expected.values.tolist()
            assert rows.bounds.tolist() == expected.bounds.tolist()


def test_of_shingles_of_letters_a_quarter_counts_and_all_of_characters() -> None:
    settings = ShingleParameters()
    rng = random.Random(8)
    letters = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=20_000))
    characters = "".join(map(chr, rng.sample(range(0x4E00, 0x9000), 5_000)))
    texts = [letters, characters, "abc", letters[500:1500]]
    rows = shingle_rows([Document(str(i), text) for i, text in enumerate(texts)], settings, settings.k)
    assert rows.sizes[0] == pytest.approx(len(letters) / 4, rel=0.05)
    assert rows.sizes[1] == len(characters) - 3
    assert rows.sizes[2] == 1
    assert len(set(rows.of(3).tolist()) - set(rows.of(0).tolist())) <= 7, "only the last shingles are shorter"


def test_no_documents_have_no_tokens() -> None:
    passed = tokenise([], ShingleParameters())
    assert passed.bounds.tolist() == [0]


def test_the_class_table_says_what_the_reference_says() -> None:
    classes, rng = token_classes(), random.Random(4)
    for code in [*range(0x3400), *rng.sample(range(0x110000), 20_000)]:
        assert classes[code] == token_class(chr(code)), hex(code)
