"""Language detection: by script first, by a library where the script does not decide it."""

from __future__ import annotations

import re
from functools import lru_cache

from resiliparse.parse.lang import detect_fast, supported_langs

from workbench.text.scripts import kyujitai_to_shinjitai, traditional_to_simplified

_SAMPLE = 9_000
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]+")
_HANGUL = re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]+")
_LETTER = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|\S{1,64}@\S+|\ufeff")
_ENGLISH_WORDS = """
    the of and to in is that it for on with as was are be this have from or by an at not but you your he she his her
    they we i my me what which there can will would do does did has had been were if so all just no up out about who how
    when where please here its than then their them only more one some any also into now get like im i'm don't
    it's
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
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

    Kana make it Japanese (unless a mere sprinkle among Han characters), Han characters without kana make it Chinese
    unless modern Japanese forms are among them, Hangul makes it Korean. A CJK character weighs as much as five letters
    of an alphabet.
    """
    third = _SAMPLE // 3
    middle = len(text) // 2
    sample = text if len(text) <= _SAMPLE else text[:third] + text[middle : middle + third] + text[-third:]
    letters = _count(_LETTER, sample)
    if not letters:
        return "und"
    if sample.isascii():
        return _alphabetic_language(sample)
    kana, han, hangul = (_count(script, sample) for script in (_KANA, _HAN, _HANGUL))
    alphabetic = letters - kana - han - hangul
    if 5 * (kana + han + hangul) >= alphabetic:
        if hangul > kana + han or (hangul > han and hangul > kana):
            return "ko"
        if kana >= 0.04 * (kana + han):
            return "ja"
        japanese = sum(map(_japanese_only().__contains__, sample))
        return "ja" if japanese >= 0.04 * han else "zh"
    for code, script in _SCRIPTS:
        if len(script.findall(sample)) > 0.5 * alphabetic:
            return code
    return _alphabetic_language(sample)


def _count(script: re.Pattern[str], sample: str) -> int:
    """Characters of ``sample`` in a script, whose pattern matches runs."""
    return sum(map(len, script.findall(sample)))


def _alphabetic_language(sample: str) -> str:
    plain = _ADDRESS.sub(" ", sample).replace("\u2019", "'")
    words = _WORD.findall(plain.lower())
    english = sum(w in _ENGLISH for w in words)
    if len(plain) < 300 and words and english >= max(1, 0.2 * len(words)):
        return "en"
    if len(words) < 5:
        return "und"
    code, _ = detect_fast(plain, langs=_alphabetic_codes())
    return str(code) if len(code) == 2 else "und"


@lru_cache(maxsize=1)
def _alphabetic_codes() -> tuple[str, ...]:
    """The library's languages that their script alone does not identify."""
    return tuple(c for c in supported_langs() if len(c) == 2 and c not in ("zh", "ja", "ko", "la"))
