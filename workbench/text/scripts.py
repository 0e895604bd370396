"""Single-character script tables: old to new Japanese forms, traditional to simplified, katakana to hiragana.

The two Han tables are those of OpenCC (``JPVariants``, ``TSCharacters``; Apache-2.0), read from the installed library.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType


def katakana_to_hiragana(character: str) -> str:
    """The hiragana of one katakana code point (ァ..ヶ, ヽ, ヾ); any other code point unchanged."""
    code = ord(character)
    if 0x30A1 <= code <= 0x30F6 or code in (0x30FD, 0x30FE):
        return chr(code - 0x60)
    return character


@lru_cache(maxsize=1)
def kyujitai_to_shinjitai() -> Mapping[str, str]:
    """Old Japanese character forms to the new ones, one code point each way."""
    return _table("JPVariants.txt")


@lru_cache(maxsize=1)
def traditional_to_simplified() -> Mapping[str, str]:
    """Traditional Chinese characters to simplified ones, one code point each way (the first of several)."""
    return _table("TSCharacters.txt")


def _table(name: str) -> Mapping[str, str]:
    """A dictionary of the library without the entries that are longer than one code point or change nothing."""
    table = {}
    for line in files("opencc").joinpath("dictionary", name).read_text("utf-8").splitlines():
        source, _, targets = line.partition("\t")
        target = targets.split(" ")[0].strip()
        if len(source) == len(target) == 1 and source != target:
            table[source] = target
    return MappingProxyType({a: _last(b, table) for a, b in table.items()})


def _last(character: str, table: Mapping[str, str]) -> str:
    """The end of a chain of replacements, so that folding twice changes nothing."""
    seen = set()
    while character in table and character not in seen:
        seen.add(character)
        character = table[character]
    return character
