"""The compiled sentences against the plain reference."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.types import Block, BlockClass, Document, Span
from workbench.kernels.rabin import fingerprint
from workbench.kernels.rare_sentences import sentence_signs
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.sentences import read
from workbench.text.normalisation import fold, ruby_spans
from workbench.text.segmenting.sentences import sentences, sign

ALPHABET = "aAb漢字。。．.!！?？…「」『』（）\"'”、,とってですだあのア　 \n\n3xか\u3099e\u0301ｶﾞ\u200b㈱《》｜［＃］"


def expected(document: Document, p: RareSentencesParameters) -> dict[str, tuple[int, int]]:
    """Distinct folded sentences in their first place."""
    folded = fold(document.text, p.fold_options)
    text = list(document.text)
    if p.ruby:
        for span in ruby_spans(document.text):
            text[span.start : span.end] = "\0" * (span.end - span.start)
    sentences_by_letters: dict[str, tuple[int, int]] = {}
    outside = [b.span for b in document.blocks if b.verdict is BlockClass.NON_CONTENT]
    for span in sentences("".join(text), blocks=document.blocks, layout=p.layout):
        first, last = np.searchsorted(folded.start, span)
        letters = folded.text[first:last]
        if len(letters) >= p.min_length and not (p.content and any(span.overlap(o) for o in outside)):
            sentences_by_letters.setdefault(letters, span)
    return sentences_by_letters


def check(documents: list[Document], p: RareSentencesParameters) -> None:
    passed = read(documents, p)
    for i, document in enumerate(documents):
        mine, reference = passed.of(i), expected(document, p)
        assert list(zip(mine.start.tolist(), mine.end.tolist(), strict=True)) == list(reference.values()), document.text
        for letters, row in zip(reference, range(len(mine)), strict=True):
            first, length = int(mine.first[row]), int(mine.length[row])
            codes = passed.codes[first : first + length]
            assert codes.tobytes().decode("utf-32-le", "surrogatepass") == letters
            assert int(mine.hashes[row]) == fingerprint(letters)
    assert passed.characters().tolist() == [sum(map(len, expected(d, p))) for d in documents]


@given(
    st.lists(st.text(ALPHABET, max_size=60), max_size=5),
    st.sampled_from(["layout", "never", "always"]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 4),
)
def test_sentences_are_those_of_the_reference(
    texts: list[str], layout: str, ruby: bool, symbols: bool, min_length: int
) -> None:
    p = RareSentencesParameters(min_length=min_length, layout=layout, ruby=ruby, symbols=symbols)
    check([Document(str(i), t) for i, t in enumerate(texts)], p)


@pytest.mark.parametrize("text", ["'\n3", "）\n\n（あ）\nと", "「あ」\nと。", "あ！\n\nと", "\n。\nと", "a.\nb"])
@pytest.mark.parametrize("layout", ["layout", "never", "always"])
def test_line_ends_are_those_of_the_reference(text: str, layout: str) -> None:
    check([Document("d", text)], RareSentencesParameters(min_length=1, layout=layout, symbols=False))


@pytest.mark.parametrize("content", [False, True])
def test_sentences_of_blocks_are_those_of_the_reference(content: bool) -> None:
    rng = random.Random(5)
    documents = []
    for i in range(300):
        parts = ["".join(rng.choices(ALPHABET, k=rng.randrange(1, 30))) for _ in range(rng.randrange(1, 5))]
        blocks, at = [], 0
        for part in parts:
            blocks.append(Block(Span(at, at + len(part)), verdict=rng.choice(list(BlockClass))))
            at += len(part) + 1
        documents.append(Document(str(i), "\n".join(parts), blocks=tuple(blocks)))
    check(documents, RareSentencesParameters(min_length=2, content=content))


def test_the_table_of_signs_says_what_the_reference_says() -> None:
    signs, rng = sentence_signs(), random.Random(6)
    for code in [*range(0x3400), *range(0xF900, 0x10000), *rng.sample(range(0x110000), 20_000)]:
        assert signs[code] == sign(chr(code)), hex(code)
