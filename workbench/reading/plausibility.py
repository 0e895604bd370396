"""How much a trial decoding looks like written language: distinguishes East Asian encodings by what they decode to."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

_FREQUENT = frozenset(
    "日人年大国中本会事者上生出月分時行見前後地方間場手自入学気言思体物対性高内定的同小下作発合用新部度明化法動全長数"
    "一是在不了有和这为个我以要他来们到于就成可主也能过子说产种面而多所民得经十三之进着等家电力里如水二理起现实加量都两制机当使点"
    "从业去把好应开它还因由其些然外天政四那社义平形相表样与关各重线正心反你看原又么利比或但质第向道此变条只没结解问意建公无系很情"
    "最立代想已通并提直题程展五果员位常文总次品式活设及管特件求老头基资边流路少图接知较将组计别她期论运区强"
    "這個們來為國說時會對於著過發後種經麼學現當沒動還進樣從實軍與機關點業將兩間問並應戰頭體話給東聲員論處義幾認氣題別變總電數"
    "이다는에의을가고하지은로사한기대리를도인자서시어나있제그정것일라아해스들장수부만전으"
)
_ACCENTED_WORD = re.compile(
    r"(?:[A-Za-z]['’]?[\u00c0-\u024f]|(?<![^\x00-\x7f])[\u00c0-\u024f][a-z]|[\u00c0-\u024f]{2}[a-z])"
)
_WESTERN_MARK = re.compile(
    r"(?<![^\x00-\x7f])[\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2122£§©«®°·»¿¡\u00a0]|[\u00a0»”’](?![^\x00-\x7f])"
)
_ASCII_LETTERS_ROUND_HAN = re.compile(r"[a-z][\u3400-\u9fff\uac00-\ud7a3\uff61-\uff9f][a-z ]")

HIRAGANA = re.compile(r"[\u3041-\u3096]")


def plausibility(text: str) -> float:
    """Mean plausibility of the non-ASCII characters of ``text``: about 0.3 to 1 for real text, below 0 for a wrong one.

    Frequent characters of Japanese, Chinese and Korean count 1, others little; undecodable bytes, controls and
    private-use characters count heavily against. Accented letters and typographic marks count where they occur inside
    words.
    """
    wide = Counter(c for c in text if c > "\x7f")
    total = wide.total()
    if not total:
        return 0.0
    score = sum(_weight(c) * n for c, n in wide.items())
    score += 1.4 * len(_ACCENTED_WORD.findall(text)) + 1.4 * len(_WESTERN_MARK.findall(text))
    score -= 1.5 * len(_ASCII_LETTERS_ROUND_HAN.findall(text))
    return score / total


def hiragana_share(text: str) -> float:
    """Hiragana among the non-ASCII characters, 0 to 1."""
    wide = sum(c > "\x7f" for c in text)
    return len(HIRAGANA.findall(text)) / wide if wide else 0.0


@lru_cache(maxsize=65536)
def _weight(character: str) -> float:
    code = ord(character)
    if character in _FREQUENT or 0x3041 <= code <= 0x3096:
        return 1.0
    if code == 0xFFFD:
        return -8.0
    if code < 0xA0 or unicodedata.category(character) in ("Co", "Cn", "Cs"):
        return -4.0
    if 0x30A1 <= code <= 0x30FC or 0x3000 <= code <= 0x3011 or 0xFF01 <= code <= 0xFF5E:
        return 0.6
    if code < 0x250 or 0x2010 <= code <= 0x203B:
        return -0.6
    if 0x4E00 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7A3:
        return 0.1
    if character.isalpha() and code < 0x2000:
        return 0.3
    return -0.5
