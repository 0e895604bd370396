"""The compiled table against the plain reference, code point by code point."""

import random
import sys
import unicodedata

import pytest

from workbench.kernels.fold_table import CLASS_SHIFT, CONTEXT, EXPANDS, VALUE, FoldTable, fold_table
from workbench.text.normalisation import FoldOptions, fold_char, needs_context, tie
from workbench.text.segmenting.characters import char_class

OPTIONS = [
    FoldOptions(lookalikes=True),
    FoldOptions(),
    FoldOptions(kana=True, variants="kyujitai"),
    FoldOptions(variants="simplified"),
]


def folded(table: FoldTable, code: int) -> str:
    word = int(table.words[code])
    value = word & VALUE
    if word & EXPANDS:
        n = int(table.expansions[value])
        return "".join(map(chr, table.expansions[value + 1 : value + 1 + n].tolist()))
    return chr(value) if value else ""


@pytest.mark.parametrize("options", OPTIONS)
def test_the_table_says_what_the_reference_says(options: FoldOptions) -> None:
    table = fold_table(options)
    rng = random.Random(5)
    codes = {*range(0x3400), *range(0xF900, 0x10000), *rng.sample(range(sys.maxunicode + 1), 20_000)}
    for code in sorted(codes - set(range(0xD800, 0xE000))):
        character = chr(code)
        word = int(table.words[code])
        assert folded(table, code) == fold_char(character, options), hex(code)
        assert word >> CLASS_SHIFT == int(char_class(character)), hex(code)
        assert bool(word & CONTEXT) == needs_context(character), hex(code)
        assert int(table.ties[code]) & 3 == tie(character), hex(code)
        assert int(table.ties[code]) >> 2 == unicodedata.combining(character), hex(code)
