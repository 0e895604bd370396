"""The initial letter of a character's reading, and which characters share a reading.

Chinese characters have the initial of their pinyin, kana the first letter of their Hepburn transcription (を: w), Latin
letters themselves. A character with several readings has the first one in pypinyin's dictionary, whatever the word; a
traditional character has the reading of its simplified form, so that both always agree.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.text.scripts import katakana_to_hiragana, traditional_to_simplified

LETTERS = 26
NONE = 255
"""The entry of :func:`letter_table` for characters without an initial (digits, Hangul, Cyrillic ...)."""
_CODE_POINTS = 0x110000
_KANA = {
    **dict(zip("ぁあぃいぅうぇえぉお", "aaiiuueeoo", strict=True)),
    **dict.fromkeys("かきくけこゕゖ", "k"),
    **dict.fromkeys("がぎぐげご", "g"),
    **dict.fromkeys("さしすせそ", "s"),
    **dict.fromkeys("ざずぜぞづ", "z"),
    **dict.fromkeys("じぢ", "j"),
    **dict.fromkeys("たっつてと", "t"),
    "ち": "c",
    **dict.fromkeys("だでど", "d"),
    **dict.fromkeys("なにぬねのん", "n"),
    **dict.fromkeys("はひへほ", "h"),
    "ふ": "f",
    **dict.fromkeys("ばびぶべぼ", "b"),
    **dict.fromkeys("ぱぴぷぺぽ", "p"),
    **dict.fromkeys("まみむめも", "m"),
    **dict.fromkeys("ゃやゅゆょよ", "y"),
    **dict.fromkeys("らりるれろ", "r"),
    **dict.fromkeys("ゎわゐゑを", "w"),
    "ゔ": "v",
}
_LATIN = (range(0x41, 0x250), range(0x1E00, 0x1F00))
_KATAKANA = range(0x30A1, 0x30FF)


@lru_cache(maxsize=1)
def syllables() -> Mapping[str, str]:
    """The pinyin of each Chinese character that pypinyin knows, without tone, ü as u.

    Loads pypinyin (0.3 s the first time).
    """
    # Not its dictionary of phrases, which takes longer to load than everything else here.
    os.environ.setdefault("PYPINYIN_NO_PHRASES", "1")
    from pypinyin.pinyin_dict import pinyin_dict

    simplified = traditional_to_simplified()
    table = {}
    for code in pinyin_dict:
        plain = simplified.get(chr(code), chr(code))
        reading = unicodedata.normalize("NFD", pinyin_dict.get(ord(plain), pinyin_dict[code]).split(",")[0])
        syllable = "".join(c for c in reading.lower() if "a" <= c <= "z")
        if syllable:
            table[chr(code)] = table[plain] = syllable
    return table | {a: table[b] for a, b in simplified.items() if b in table}


def initial(character: str) -> str:
    """The initial of one folded character, ``a`` to ``z``, or an empty string."""
    if character in syllables():
        return syllables()[character][0]
    kana = _KANA.get(katakana_to_hiragana(character))
    if kana:
        return kana
    base = unicodedata.normalize("NFKD", character)[:1].lower()
    return base if "a" <= base <= "z" and _is_latin(character) else ""


@lru_cache(maxsize=1)
def letter_table() -> NDArray[np.uint8]:
    """The initial of every code point, 0 (a) to 25 (z) or ``NONE``: uint8 [0x110000]."""
    table = np.full(_CODE_POINTS, NONE, np.uint8)
    for character in _characters():
        letter = initial(character)
        if letter:
            table[ord(character)] = ord(letter) - ord("a")
    return table


@lru_cache(maxsize=1)
def reading_table() -> NDArray[np.uint32]:
    """A common code point for all characters with the same reading: uint32 [0x110000].

    For a Chinese character, the first code point with its syllable; for katakana, the hiragana; for others, the
    character itself.
    """
    table = np.arange(_CODE_POINTS, dtype=np.uint32)
    first: dict[str, int] = {}
    read = syllables()
    for character in sorted(read):
        table[ord(character)] = first.setdefault(read[character], ord(character))
    for code in _KATAKANA:
        table[code] = ord(katakana_to_hiragana(chr(code)))
    return table


def _is_latin(character: str) -> bool:
    return any(ord(character) in codes for codes in _LATIN)


def _characters() -> Iterator[str]:
    """Every character that may have an initial."""
    yield from syllables()
    yield from _KANA
    for codes in (_KATAKANA, *_LATIN):
        yield from map(chr, codes)
