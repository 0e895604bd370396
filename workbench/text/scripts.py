"""Single-character script tables: old to new Japanese forms, traditional to simplified, katakana to hiragana.

The two Han tables are OpenCC's (``JPVariants``, ``TSCharacters``; Apache-2.0), bundled unchanged.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from workbench.base.resources import resource


def katakana_to_hiragana(character: str) -> str:
    """The hiragana of one katakana code point (ァ..ヶ, ヽ, ヾ); any other code point unchanged."""
    code = ord(character)
    if 0x30A1 <= code <= 0x30F6 or code in (0x30FD, 0x30FE):
        return chr(code - 0x60)
    return character


@lru_cache(maxsize=1)
def kyujitai_to_shinjitai() -> Mapping[str, str]:
    """Old Japanese character forms to the new ones, one code point to one."""
    return _table("JPVariants.txt")


@lru_cache(maxsize=1)
def traditional_to_simplified() -> Mapping[str, str]:
    """Traditional Chinese characters to simplified ones, one code point to one (the first of several)."""
    return _table("TSCharacters.txt")


@lru_cache(maxsize=1)
def one_of_all_forms() -> Mapping[str, str]:
    """Every Han character in either table to the first of all its forms, so that 藝, 芸 and 艺 are equal."""
    parent: dict[str, str] = {}

    def root(character: str) -> str:
        while character in parent:
            character = parent[character]
        return character

    for table in (kyujitai_to_shinjitai(), traditional_to_simplified()):
        for variant, plain in table.items():
            low, high = sorted((root(variant), root(plain)))
            if low != high:
                parent[high] = low
    return MappingProxyType({character: root(character) for character in parent})


def _table(name: str) -> Mapping[str, str]:
    """A dictionary of OpenCC without the entries that are longer than one code point or change nothing."""
    table = {}
    for line in resource("opencc", name).read_text("utf-8").splitlines():
        source, _, targets = line.partition("\t")
        target = targets.split(" ")[0].strip()
        if len(source) == len(target) == 1 and source != target:
            table[source] = target
    return MappingProxyType({a: _last(b, table) for a, b in table.items()})


def _last(character: str, table: Mapping[str, str]) -> str:
    """The end of a chain of replacements, so that folding is idempotent."""
    seen = set()
    while character in table and character not in seen:
        seen.add(character)
        character = table[character]
    return character


_VARIANTS = str.maketrans("著彷彿舖祇粧邨隄讎讐攷靑龢牠妳", "着仿佛铺只妆村堤仇仇考青和它你")
"""Characters with another form in simplified Chinese, besides those of OpenCC. Some belong to both scripts, so both
texts are converted.
"""
_MISSING = 0.1
"""Largest ratio of older forms in the text with fewer to those in the other for the former to be in the newer script.
"""


def script_fold(a: str, b: str) -> Mapping[int, int]:
    """The table for ``str.translate`` that converts both texts to one script; empty if they already share it.

    The scripts are simplified and traditional Chinese, or new and old Japanese forms. They differ if older forms are
    almost absent from one text; otherwise such a character is a different word.
    """
    fold: Mapping[int, int] = {}
    if a.isascii() or b.isascii():
        return fold
    most = _in_common(a, b)
    for table in (traditional_to_simplified(), kyujitai_to_shinjitai()):
        fewer, more = sorted(sum(character in table for character in text) for text in (a, b))
        if fewer < more and fewer <= more * _MISSING:
            more_of = _VARIANTS if table is traditional_to_simplified() else {}
            codes = {ord(old): ord(new) for old, new in table.items()} | more_of
            common = _in_common(a.translate(codes), b.translate(codes))
            if common > most:
                most, fold = common, codes
    return fold


def _in_common(a: str, b: str) -> int:
    """The number of characters common to both texts, in any order."""
    return (Counter(a) & Counter(b)).total()


def script_variants(a: str, b: str) -> int:
    """The number of characters common to two texts, in any order, only after conversion to one script."""
    fold = script_fold(a, b)
    return _in_common(a.translate(fold), b.translate(fold)) - _in_common(a, b) if fold else 0


def same_but_for_script(a: str, b: str) -> bool:
    """Whether the letters of both texts are the same after conversion to one script, but not before."""
    one, other = (letters(text) for text in (a, b))
    fold = script_fold(one, other)
    return bool(fold) and one != other and one.translate(fold) == other.translate(fold)


def letters(text: str) -> str:
    """The letters and figures of ``text``, ignoring width and case."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())
