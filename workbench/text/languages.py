"""Language detection: by script first, by a library if the script does not determine the language."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from resiliparse.parse.lang import detect_fast, supported_langs

from workbench.text.scripts import kyujitai_to_shinjitai, traditional_to_simplified

_SAMPLE = 9_000
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]+")
_HANGUL = re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]+")
_LETTER = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_LINK = re.compile(r"https?://\S+|www\.\S+|\ufeff")
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|\S{1,64}@\S+|\ufeff")
"""URLs and mail addresses; slow to search."""
_ENGLISH_WORDS = """
    the of and to in is that it for on with as was are be this have from or by an at not but you your he she his her
    they we i my me what which there can will would do does did has had been were if so all just no up out about who how
    when where please here its than then their them only more one some any also into now get like im i'm don't
    it's
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_SOME_ENGLISH, _NEARLY = 0.2, 1.05
"""Minimum share of frequent English words, and maximum ratio to the smallest distance, for a text to count as English:
lists of offers and headings are slightly closer to Welsh.
"""
_NO_LETTER, _OTHER, _OF_KANA, _OF_HAN, _JAPANESE, _OF_HANGUL = range(6)
"""Kinds of characters; ``_JAPANESE`` are Han characters in modern Japanese forms."""
_KINDS = 6
_PLANE = 0x10000
"""Code points below this are looked up in a table."""
_SCRIPTS = (
    ("th", re.compile(r"[\u0e01-\u0e5b]")),
    ("he", re.compile(r"[\u05d0-\u05ea]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ka", re.compile(r"[\u10a0-\u10ff]")),
    ("hy", re.compile(r"[\u0531-\u0587]")),
)


@lru_cache(maxsize=1)
def _japanese_only() -> frozenset[str]:
    """Modern Japanese character forms used in neither traditional nor simplified Chinese."""
    chinese = traditional_to_simplified()
    return frozenset(kyujitai_to_shinjitai().values()) - set(chinese) - set(chinese.values())


def detect_language(text: str) -> str:
    """ISO 639-1 code of the language of ``text`` (of 9,000 characters from three places), or ``und``.

    Kana mean Japanese (unless very rare among Han characters), Han characters without kana Chinese (unless modern
    Japanese forms are among them), Hangul Korean. A CJK character weighs as much as five letters of an alphabet.
    """
    third = _SAMPLE // 3
    middle = len(text) // 2
    sample = text if len(text) <= _SAMPLE else text[:third] + text[middle : middle + third] + text[-third:]
    if sample.isascii():
        return _alphabetic_language(sample) if _LETTER.search(sample) else "und"
    other, kana, han, japanese, hangul = _letters(sample)
    if not other + kana + han + hangul:
        return "und"
    if 5 * (kana + han + hangul) >= other:
        if hangul > kana + han or (hangul > han and hangul > kana):
            return "ko"
        if kana >= 0.04 * (kana + han):
            return "ja"
        return "ja" if japanese >= 0.04 * han else "zh"
    for code, script in _SCRIPTS:
        if len(script.findall(sample)) > 0.5 * other:
            return code
    return _alphabetic_language(sample)


def _letters(sample: str) -> tuple[int, int, int, int, int]:
    """Numbers of non-CJK letters, kana, Han characters, modern Japanese forms among these, and Hangul in ``sample``,
    which is not empty.
    """
    codes = np.array([sample], f"<U{len(sample)}").view(np.uint32)
    counts = np.bincount(_kinds().take(codes, mode="clip"), minlength=_KINDS)
    beyond = codes[codes >= _PLANE]
    if len(beyond):  # rare characters, which are not in the table
        counts = counts + np.bincount(
            _kinds_of(beyond.tobytes().decode("utf-32-le", "surrogatepass")), minlength=_KINDS
        )
    _, other, kana, han, japanese, hangul = counts.tolist()
    return other, kana, han + japanese, japanese, hangul


@lru_cache(maxsize=1)
def _kinds() -> NDArray[np.uint8]:
    """The kind of each code point below ``_PLANE``, and none for all others: uint8 [_PLANE + 1]."""
    every = np.arange(_PLANE, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return np.append(_kinds_of(every), np.uint8(_NO_LETTER))


def _kinds_of(text: str) -> NDArray[np.uint8]:
    kinds = np.full(len(text), _NO_LETTER, np.uint8)
    for kind, script in ((_OTHER, _LETTER), (_OF_KANA, _KANA), (_OF_HAN, _HAN), (_OF_HANGUL, _HANGUL)):
        for run in script.finditer(text):
            kinds[run.start() : run.end()] = kind
    modern = _japanese_only()
    kinds[[at for at, character in enumerate(text) if character in modern]] = _JAPANESE
    return kinds


def _alphabetic_language(sample: str) -> str:
    plain = (_ADDRESS if "@" in sample else _LINK).sub(" ", sample).replace("\u2019", "'")
    words = _WORD.findall(plain.lower())
    english = sum(w in _ENGLISH for w in words)
    if len(plain) < 300 and words and english >= max(1, 0.2 * len(words)):
        return "en"
    if len(words) < 5:
        return "und"
    code, distance = detect_fast(plain, langs=_alphabetic_codes())
    if code != "en" and english >= _SOME_ENGLISH * len(words):
        _, distance_of_english = detect_fast(plain, langs=["en"])
        if distance_of_english <= _NEARLY * distance:
            return "en"
    return str(code) if len(code) == 2 else "und"


@lru_cache(maxsize=1)
def _alphabetic_codes() -> tuple[str, ...]:
    """The library's languages that are not identified by their script alone."""
    return tuple(c for c in supported_langs() if len(c) == 2 and c not in ("zh", "ja", "ko", "la"))
