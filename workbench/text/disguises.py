"""Undoes tricks that hide a copy from comparison but not from a reader.

The tricks: invisible characters, separators or marks between letters, accents on vowels, small capitals,
look-alike letters of another script, digits for letters, reversed text. Each is undone only in stretches where it is
systematic, so that honest words of any language are unchanged.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import chain, combinations
from operator import le
from string import hexdigits
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.messages import Counted, Message
from workbench.base.types import IntegrityFlag


class Trick(StrEnum):
    """A way of hiding a text from comparison; the value is its name in JSON."""

    INVISIBLE = "invisible"
    UNREADABLE = "unreadable"
    OVERRIDE = "override"
    MARKS = "marks"
    SEPARATORS = "separators"
    SMALL_CAPITALS = "small-capitals"
    LOOKALIKES = "lookalikes"
    DIGITS = "digits"
    ACCENTS = "accents"
    REVERSED = "reversed"
    HIDDEN = "hidden-by-style"
    UNSEEN = "unseen-on-page"
    SHOWN_OTHERWISE = "shown-otherwise"
    PICTURES = "text-in-pictures"
    ELSEWHERE = "shown-outside-text"


WORDS = {
    Trick.INVISIBLE: Counted("{count} invisible character in a word", "{count} invisible characters in words", 0),
    Trick.UNREADABLE: Counted("{count} private-use character", "{count} private-use characters", 0),
    Trick.OVERRIDE: Counted(
        "{count} character whose reading direction is reversed",
        "{count} characters whose reading direction is reversed",
        0,
    ),
    Trick.MARKS: Counted("{count} mark on a letter", "{count} marks on letters", 0),
    Trick.SEPARATORS: Counted("{count} separator between letters", "{count} separators between letters", 0),
    Trick.SMALL_CAPITALS: Counted("{count} small capital for a letter", "{count} small capitals for letters", 0),
    Trick.LOOKALIKES: Counted(
        "{count} letter of another script that looks alike", "{count} letters of another script that look alike", 0
    ),
    Trick.DIGITS: Counted("{count} digit for a letter", "{count} digits for letters", 0),
    Trick.ACCENTS: Counted("{count} vowel with an accent", "{count} vowels with accents", 0),
    Trick.REVERSED: Counted(
        "{count} character of text written backwards", "{count} characters of text written backwards", 0
    ),
    Trick.HIDDEN: Counted("{count} character hidden by its style", "{count} characters hidden by their style", 0),
    Trick.UNSEEN: Counted(
        "{count} character that is not visible on its page", "{count} characters that are not visible on their page", 0
    ),
    Trick.SHOWN_OTHERWISE: Counted(
        "{count} character in a line that its page shows differently",
        "{count} characters in lines that their page shows differently",
        0,
    ),
    Trick.PICTURES: Counted("{count} picture that may contain text", "{count} pictures that may contain text", 0),
    Trick.ELSEWHERE: Counted(
        "{count} character shown outside the text that is compared",
        "{count} characters shown outside the text that is compared",
        0,
    ),
}
"""Descriptions of the affected characters, with their number."""


def in_words(flag: IntegrityFlag) -> Message:
    """*31 letters of another script that look alike*; an unknown kind is shown as its name."""
    forms = next((words.forms for trick, words in WORDS.items() if trick.value == flag.kind), None)
    if forms is None:
        return Message("{count} {kind}", count=flag.characters, kind=flag.kind)
    return Counted(*forms, flag.characters)


_HEXADECIMAL, _OF_BYTE = frozenset(hexdigits), 2
Places = NDArray[np.int64]
Seen = tuple[str, Places]
"""A text, and for each of its characters the position of the original character."""

LOOKALIKES = dict(
    zip(
        "аеорсухіјѕԁԛԝһӏѵοανιρτυϲϳօոսհցզАВСЕНКМОРТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧᎠᎡᎢᎥᎳᏚᎷᎻᎬᏀᏞᏟᏢᏦᏙᏴᎪꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
        "aeopcyxijsdqwhlvoaviptycjonuhgqABCEHKMOPTXIJSABEZHIKMNOPTYXDRTiWSMHEGLCPKVBABPDTGKJCZFMNLSRVHWXYAEIOU",
        strict=True,
    )
)
"""Cyrillic, Greek, Armenian, Cherokee and Lisu letters, and the Latin ones they look like."""
TURNED = dict(zip("ɐǝɟƃɥᴉɾʞɯɹʇʌʍʎ", "aefghijkmrtvwy", strict=True))
"""Upside-down letters."""
_BOXED = {chr(0x1F1E6 + number): chr(0x61 + number) for number in range(26)}
"""Letters that form a flag in pairs."""
SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz", strict=True))
LEET = dict(zip("0134578", "oieastb", strict=True))

_MARK = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
"""Marks used on letters of any script; marks of one script are part of its spelling."""
_SMALL = re.compile(f"[{''.join(SMALL_CAPITALS)}]")
_NEVER_PHONETIC = re.compile("[ǝƃᴉʞʇ]")
_FEWEST_TURNED = 8
_NO_FLAG = re.compile(rf"[{''.join(_BOXED)}]+")
_FLAG = 2
_MIXED = re.compile(rf"[{''.join(LOOKALIKES)}](?:(?<=[a-zA-Z].)|(?=[a-zA-Z]))")
_WORD = re.compile(r"[^\W\d_]+")
_ALNUM = re.compile(r"[^\W_]+")
_LEET_DIGIT = re.compile("[0134578]")
_IN_A_WORD = re.compile("[0134578](?:(?<=[a-zA-Z].)|(?=[a-zA-Z]))")
_ACCENTED = re.compile(rf"[\u00c0-\u024f\u1e00-\u1eff]|(?<=[a-zA-Z]){_MARK}")
_LATIN = re.compile(rf"[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]{_MARK}*")
_VOWELS = frozenset("aeiou")
_VOWEL_LIKE = re.compile(rf"[aeiouAEIOU\u00c0-\u024f\u1e00-\u1eff]{_MARK}*")
_MARKED = re.compile(rf"([^\W\d_]|[0-9])({_MARK}*)")
_ANY_MARK = re.compile(_MARK)
_ASCII = re.compile("[\\x00-\\x7f]+")
_MARKS, _ACCENTED_LETTERS = (
    frozenset(chr(code) for first, last in ranges for code in range(first, last + 1))
    for ranges in (
        ((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F)),
        ((0xC0, 0x24F), (0x1E00, 0x1EFF)),
    )
)

_BLANK = frozenset("\u2800\ufffc\U0001d159")
"""Invisible symbols."""
_WITHOUT_OWN_MARKS = "!-~\xa1-\u024f\u2010-\u2027\u3001-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff65"
"""Letters of scripts without marks of their own (except kana), and punctuation."""
_KANA_MARKS = "\u3099\u309a"
_FEWEST_UNREADABLE, _LETTERS_BETWEEN, _LONGEST_UNREADABLE = 4, 50, 32
"""Fewest places from which invisible characters count as systematic, their largest mean distance in letters, and their
longest run: longer runs are text in a private font.
"""

_FEWEST = 15
"""Fewest repetitions from which a separator between letters counts as systematic."""
_BETWEEN = tuple(
    re.compile(rf"(?s)[^\W\d_]((?:(?!{_MARK})\W){sizes})(?:.{{{period}}}\1){{{_FEWEST},}}")
    for period, sizes in ((1, "{1,3}"), (2, ""), (3, ""))
)
"""One, two or three characters, and the same separator after each, at least this many times."""
_FEWEST_ALIKE = 30
"""Fewest occurrences in a row of two vowels that each have one accent, in at least _FEWEST different words."""
_FEWEST_LINES = 8
_SHORTEST_LINE, _LONGEST_LINE = 3, 17
"""Characters per line, including the line end, between which lines of one length may cut words (the first exclusive).
"""
_RIGHT_TO_LEFT = re.compile("\u202e([^\u202c\u202e]*\u202c|[^\n\u202e]*)")

_BACKWARDS_WORDS = """
    the and that with for his have this which from were they been would their there what when could should than
    of to is it in und nicht von ist auf sich les que est dans pour une los para como con
"""
_BACKWARDS_PARTS = """
    した。 った。 いる。 する。 ある。 です。 ます。 ない。 という している として された から、 では、 について
    ように
    こと これ それ ため って ました でした であ ので、 のは、
    我们 他们 你们 她们 没有 一个 什么 因为 可以 规定 应当 人民 国家 自己 但是 如果 所以 这个 公司 发展 经济 使用 以及
    或者 通过 时间 问题 政府 机关 法律 已经 他的 我的 了。 的。 我們 他們 沒有 一個 什麼 因為 規定 應當 國家 這個
    經濟 機關
    第一 第二 第三 第四 第五 第六 第七 第八 第九 第十
"""


_WINDOW = 500
_SPACED = [(f" {w} ", f" {w[::-1]} ") for w in ("the", "of", "and", "to", "in", "und", "que", "les", "est", "los")]
_UNSPACED_WORDS = """
    した る。 た。 です ます いる から こと という った 我们 没有 一个 规定 应当 国家 第一 可以 因为 自己 什么 公司
    人民
    经济 我們 沒有 一個 規定 應當 國家 因為 什麼 經濟
"""
_UNSPACED = [(w, w[::-1]) for w in _UNSPACED_WORDS.split()]


def is_free_mark(character: str) -> bool:
    """Whether it is a mark, assigned in Unicode, used on letters of any script."""
    return unicodedata.category(character)[0] == "M" and _ANY_MARK.fullmatch(character) is not None


def seen_through(text: str) -> Seen | None:
    """``text`` as a reader sees it, or None if nothing is disguised. Widths, invisible characters and compatibility
    forms are left to folding. One trick may cover another, so a disguised text is examined twice.
    """
    places: Places | None = None
    for _, _, done, took in _undone(text):
        text, places = done, took
    return None if places is None else (text, places)


def tricks(text: str) -> Iterator[tuple[Trick, Places]]:
    """Each trick that :func:`seen_through` undoes, with the positions of affected characters in ``text``, ascending."""
    before, places = text, np.arange(len(text), dtype=np.int64)
    for trick, step, done, took in _undone(text):
        kept = np.zeros(len(before), np.bool_)
        kept[step] = True
        moved = step != np.sort(step)
        replaced = np.array([before[at] for at in step.tolist()], "U1") != np.array(list(done), "U1")
        concerned = np.union1d(np.flatnonzero(~kept), step[moved | replaced])
        yield trick, np.sort(places[concerned])
        before, places = done, took


def _undone(text: str) -> Iterator[tuple[Trick, Places, str, Places]]:
    """The steps that change ``text``, in sequence: the trick; the text after it, and the position of each of its
    characters in the previous text, and in ``text``.
    """
    places = np.arange(len(text), dtype=np.int64)
    for _ in range(2):
        before = text
        characters = _beyond_ascii(text)
        for trick, needed, step in _STEPS:
            if needed is not None and characters.isdisjoint(needed):
                continue
            done = step(text)
            if done is not None:
                text, took = done
                characters = _beyond_ascii(text)
                places = places[took]
                yield trick, took, text, places
        if text == before:
            break


def _beyond_ascii(text: str) -> set[str]:
    """The different characters of ``text`` that are not ASCII."""
    return set() if text.isascii() else set(_ASCII.sub("", text))


def _right_to_left(text: str) -> Seen | None:
    """Characters displayed from right to left because of a control character.

    If they are scattered in a line, the words determine the direction (``_reversed``).
    """
    spans = []
    open_end = -1
    for match in _RIGHT_TO_LEFT.finditer(text):
        closed = match[1].endswith("\u202c")
        if closed or (match.start() != open_end and text[match.end() : match.end() + 1] != "\u202e"):
            spans.append(match.span(1))
        open_end = -1 if closed else match.end()
    plain, places = _turned(text, spans) or (text, np.arange(len(text), dtype=np.int64))
    kept = [at for at, character in enumerate(plain) if character != "\u202e"]
    return "".join([plain[at] for at in kept]), places[kept]


@lru_cache(maxsize=1 << 14)
def is_unreadable(character: str) -> bool:
    """Whether this code point is invisible to readers: private use, unassigned, a noncharacter or surrogate, or a blank
    symbol. Folding drops other invisible ones (``normalisation.is_symbol``).
    """
    return unicodedata.category(character) in ("Co", "Cn", "Cs") or character in _BLANK


@lru_cache(maxsize=1 << 14)
def _is_foreign_mark(character: str) -> bool:
    mark = unicodedata.category(character)[0] == "M"
    return mark and not _ANY_MARK.fullmatch(character) and character not in _KANA_MARKS


def _unreadable(text: str) -> Seen | None:
    """Invisible characters between letters, and marks of another script."""
    characters = _beyond_ascii(text)
    unreadable = "".join(map(re.escape, filter(is_unreadable, characters)))
    foreign = "".join(filter(_is_foreign_mark, characters))
    patterns = [f"[{unreadable}]+"] if unreadable else []
    if foreign:
        patterns += [f"(?<=[{_WITHOUT_OWN_MARKS}])[{foreign}]+", f"[{foreign}]+(?=[{_WITHOUT_OWN_MARKS}])"]
    if not patterns:
        return None
    runs = [m.span() for m in re.finditer("|".join(patterns), text)]
    before = [0, *(end for _, end in runs)]
    letters = [sum(map(str.isalpha, text[a:b])) for a, (b, _) in zip(before, runs, strict=False)]
    events = (
        event
        for (start, _), count in zip(runs, letters, strict=True)
        for event in ((start, -count / _LETTERS_BETWEEN), (start, 1.0))
    )
    dropped: list[int] = []
    for first, last in stretches(events, _FEWEST_UNREADABLE, _FEWEST_UNREADABLE):
        within = [(run, count) for run, count in zip(runs, letters, strict=True) if first <= run[0] <= last]
        if 2 * sum(count for _, count in within) >= len(within):
            dropped.extend(at for (a, b), _ in within if b - a <= _LONGEST_UNREADABLE for at in range(a, b))
    return _without(text, dropped)


def _separated(text: str) -> Seen | None:
    """The same separator after every one to three characters, and line ends that cut words."""
    if len(text) < 2 * _FEWEST:
        return None
    coding, kind = ("ascii", np.uint8) if text.isascii() else ("utf-32-le", np.uint32)
    codes = np.frombuffer(text.encode(coding, "surrogatepass"), kind)
    dropped: list[int] = []
    done: list[tuple[int, int]] = []
    regular = _regular(codes)
    for period, pattern in enumerate(_BETWEEN, 1):
        for match in chain.from_iterable(pattern.finditer(text, *part) for part in regular):
            size = len(match[1])
            first = match.start() + 1
            if period > 1 and any(a < match.end() and match.start() < b for a, b in done):
                continue  # a separator after every character is also one after every third
            letters = sum(map(str.isalpha, match[0]))
            if _is_no_text(match[0].replace(match[1], "")):
                continue
            if letters * 2 >= (len(match[0]) * period) / (period + size):
                done.append(match.span())
                for at in range(first, match.end(), period + size):
                    dropped.extend(range(at, at + size))
    line_ends = np.flatnonzero(codes == ord("\n"))
    if len(line_ends) >= _FEWEST_LINES:
        dropped.extend(_cutting_line_ends(text, line_ends))
    return _without(text, dropped)


def _is_no_text(characters: str) -> bool:
    """Whether ``characters`` are hexadecimal digits (a fingerprint or an encoded address) or letters in alphabetical
    order.
    """
    letters = characters.lower()
    return _HEXADECIMAL.issuperset(letters) or all(map(le, letters, letters[1:]))


def _regular(codes: NDArray[Any]) -> list[tuple[int, int]]:
    """Parts around all stretches in which every second, third or fourth character is the same.

    Almost all texts have few or none; matching the patterns on the whole text would take long.
    """
    parts = []
    for step in (2, 3, 4):
        same = codes[step:] == codes[:-step]
        same = same[step:] & same[:-step]
        same = same[2 * step :] & same[: -2 * step]
        places = np.flatnonzero(same)
        parts.append(places[codes[places] != codes[places + 1]])
    places = np.sort(np.concatenate(parts))
    if not len(places):
        return []
    margin = 4 * _FEWEST
    breaks = np.flatnonzero(np.diff(places) > 2 * margin)
    firsts, lasts = places[np.append(0, breaks + 1)], places[np.append(breaks, -1)]
    return [
        (max(0, a - margin), min(len(codes), b + margin)) for a, b in zip(firsts.tolist(), lasts.tolist(), strict=True)
    ]


def _cutting_line_ends(text: str, ends: NDArray[np.int64]) -> Iterator[int]:
    """The line ends among ``ends`` of consecutive lines of one short length, many of which cut words."""
    lengths = np.diff(ends, prepend=-1)
    edges = np.flatnonzero(np.diff(lengths, prepend=-1, append=-1))
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        size = int(lengths[first])
        if last - first < _FEWEST_LINES or not _SHORTEST_LINE < size <= _LONGEST_LINE:
            continue
        own = ends[first:last].tolist()
        cut = sum(text[at - 1].isalpha() and text[at + 1 : at + 2].isalpha() for at in own)
        inside = sum(" " in text[at - size + 1 : at].strip() for at in own)
        if 3 * cut >= len(own) and 3 * inside >= len(own):
            if first:
                yield own[0] - size
            yield from own


def _marked(text: str) -> Seen | None:
    """Marks on letters that form no letter of any alphabet, or on most letters."""
    letters = [(m.start(1), m[2], _makes_a_letter(m[1] + m[2][:1])) for m in _MARKED.finditer(text)]
    odd = ((at, 1.0 if (marks and not makes) or len(marks) > 1 else -0.25) for at, marks, makes in letters)
    dropped: list[int] = []
    for first, last in stretches(odd, 8, 8):
        within = [(at, marks) for at, marks, _ in letters if first <= at <= last]
        most = sum(bool(marks) for _, marks in within) >= 0.7 * len(within)
        marks_within = (m.start() for m in _ANY_MARK.finditer(text, first, last + 5))
        dropped += [at for at in marks_within if most or not _makes_a_letter(text[at - 1 : at + 1])]
    return _without(text, dropped)


@lru_cache(maxsize=1 << 14)
def _makes_a_letter(pair: str) -> bool:
    return len(unicodedata.normalize("NFC", pair)) == 1


def _in_small_capitals(text: str) -> Seen | None:
    return _with(text, {m.start(): SMALL_CAPITALS[m[0]] for m in _SMALL.finditer(text)})


def _in_lookalikes(text: str) -> Seen | None:
    """Words of look-alike letters of two scripts, and neighbouring words that consist of such letters only."""
    if not _MIXED.search(text):
        return None
    words = [(m.start(), m[0], _script(m[0])) for m in _WORD.finditer(text)]
    weights = {"mixed": 1.0, "other": -3.0, "latin": -0.1, "alike": 0.0}
    spans = list(stretches(((at, weights[script]) for at, _, script in words), 3, 3))
    changed: dict[int, str] = {}
    for at, word, script in words:
        if script in ("mixed", "alike") and any(a - 100 <= at <= b + 100 for a, b in spans):
            changed.update((at + i, LOOKALIKES[c]) for i, c in enumerate(word) if c in LOOKALIKES)
    return _with(text, changed)


def _in_other_signs(text: str) -> Seen | None:
    """Upside-down letters, some of which are phonetic symbols, and letters that form flags in pairs."""
    changed: dict[int, str] = {}
    if len(_NEVER_PHONETIC.findall(text)) >= _FEWEST_TURNED:
        changed.update((at, TURNED[c]) for at, c in enumerate(text) if c in TURNED)
    runs = [match for match in _NO_FLAG.finditer(text) if len(match[0]) != _FLAG]
    if len(runs) >= _FEWEST_TURNED:
        changed.update((at, _BOXED[text[at]]) for match in runs for at in range(*match.span()))
    return _with(text, changed)


def _script(word: str) -> str:
    ascii_letters = sum(c.isascii() for c in word)
    alike = sum(c in LOOKALIKES for c in word)
    if not alike:
        return "latin" if ascii_letters else "other"
    if ascii_letters + alike < len(word):
        return "other"
    return "mixed" if ascii_letters else "alike"


def _in_digits(text: str) -> Seen | None:
    """Digits for letters."""
    if sum(map(text.count, LEET)) < _FEWEST or sum(1 for _ in _IN_A_WORD.finditer(text)) < _FEWEST:
        return None
    changed: dict[int, str] = {}
    for first, last in stretches(_around_digits(text), _FEWEST, 8):
        start = max(first - 3, 0)
        while start and text[start - 1].isalnum():
            start -= 1
        for word in _ALNUM.finditer(text, start):
            if word.start() > last + 3:
                break
            if word.start() >= first - 3:
                changed.update((word.start() + i, LEET[c]) for i, c in enumerate(word[0]) if c in LEET)
    return _with(text, changed)


def _around_digits(text: str) -> Iterator[tuple[int, float]]:
    """The places and weights of words from each with digits on, up to where they sum to 0 or less: no stretch goes on
    there, and none begins at a word without digits.
    """
    at = 0
    while digit := _LEET_DIGIT.search(text, at):
        start, total = digit.start(), 0.0
        while start > at and text[start - 1].isalnum():
            start -= 1
        for word in _ALNUM.finditer(text, start):
            weight = _leet(word[0])
            yield word.start(), weight
            at, total = word.end(), total + weight
            if total <= 0:
                break
        else:
            return


@lru_cache(maxsize=1 << 14)
def _leet(word: str) -> float:
    """The weight of a word as evidence of digits in place of letters; cached, as words recur."""
    digits = sum(c in LEET for c in word)
    letters = sum(c.isascii() and c.isalpha() for c in word)
    if len(word) == _OF_BYTE and _HEXADECIMAL.issuperset(word):
        return 0.0
    if digits and letters >= digits:
        return float(digits)
    return -0.5 * sum(c in "aeoAEO" for c in word)


def _accented(text: str) -> Seen | None:
    """Accents on nearly all vowels, more than any language has."""
    if sum(1 for _ in _ACCENTED.finditer(text)) < _FEWEST:
        return None
    if "+" * 8 not in "".join(["-" if c.isascii() else "+" for c in _VOWEL_LIKE.findall(text)]):
        return None
    vowels = ((at, 1.0 if c != base else -4.0) for at, c, base in _latin(text) if base.lower() in _VOWELS)
    return _without_accents(text, list(stretches(vowels, _FEWEST, 8)))


def _accented_alike(text: str) -> Seen | None:
    """The same accent on every occurrence of a vowel, of at least two vowels, as in no language."""
    vowels = _VOWEL_LIKE.findall(text)
    often = Counter(vowel.lower() for vowel in vowels if not vowel.isascii()).most_common()
    forms = {_base(form[0]): form for form, count in reversed(often) if count >= _FEWEST // 2}
    bases = {vowel: _base(vowel[0]).lower() for vowel in set(vowels)}
    signs = {vowel: base.upper() if vowel.lower() == forms.get(base) else base for vowel, base in bases.items()}
    in_signs = "".join([signs[vowel] for vowel in vowels])
    spans: list[tuple[int, int]] = []
    for pair in combinations(sorted(forms.keys() & _VOWELS), 2):
        both = "".join(pair)
        if not re.search(f"(?:[{both.upper()}][^{both.upper()}{both}]*){{{_FEWEST_ALIKE}}}", in_signs):
            continue
        own = ((at, c.lower(), base.lower()) for at, c, base in _latin(text) if base.lower() in pair)
        weights = ((at, 1.0 if c == forms[base] else -_FEWEST_ALIKE) for at, c, base in own)
        for first, last in stretches(weights, _FEWEST_ALIKE, _FEWEST_ALIKE):
            part = text[first : last + 2].lower()
            words = {word for word in part.split() if any(forms[vowel] in word for vowel in pair)}
            if len(words) >= _FEWEST and all(forms[vowel] in part for vowel in pair):
                spans.append((first, last))
    return _without_accents(text, spans)


def _latin(text: str) -> list[tuple[int, str, str]]:
    """Latin letters: place, letter with its marks, and letter without accent (empty where there is none)."""
    return [(m.start(), m[0], _base(m[0][0])) for m in _LATIN.finditer(text)]


def _without_accents(text: str, spans: Sequence[tuple[int, int]]) -> Seen | None:
    """``text`` without the accents of Latin letters, and other marks, within ``spans`` and just beside them."""
    letters = _latin(text) if spans else []
    changed: dict[int, str] = {}
    marks: list[int] = []
    for first, last in spans:
        for at, c, base in letters[bisect_left(letters, (first - 6,)) : bisect_left(letters, (last + 7,))]:
            if base and c != base:
                changed[at] = base
                marks.extend(range(at + 1, at + len(c)))
        on_others = (m.start() for m in _ANY_MARK.finditer(text, first, last + 6))
        marks.extend(at for at in on_others if not text[at - 1].isalnum() and not _ANY_MARK.match(text[at - 1]))
    done = _with(text, changed)
    return (_without(done[0], marks) or done) if done else None


@lru_cache(maxsize=1 << 12)
def _base(character: str) -> str:
    """The Latin letter without its accent; empty for any other character."""
    first = unicodedata.normalize("NFD", character)[0]
    return first if first.isascii() and first.isalpha() else ""


def _maybe_reversed(text: str) -> Iterator[tuple[int, int]]:
    """Disjoint parts of ``text`` around places where several words are reversed rather than not."""
    start = end = 0
    characters = _beyond_ascii(text)
    pairs = _SPACED + [pair for pair in _UNSPACED if characters.issuperset(pair[0])]
    if sum(text.count(pair[1]) for pair in pairs) <= 1:
        return  # as in almost all texts
    for at in range(0, len(text), _WINDOW):
        part = text[at : at + _WINDOW]
        backwards = sum(part.count(pair[1]) for pair in pairs)
        if backwards > 1 and backwards > sum(part.count(pair[0]) for pair in pairs):
            if at - _WINDOW > end and end:
                yield start, end
                start = end = 0
            start, end = start if end else max(0, at - _WINDOW), min(len(text), at + 2 * _WINDOW)
    if end:
        yield start, end


@lru_cache(maxsize=1)
def _directions() -> tuple[re.Pattern[str], frozenset[str]]:
    """A pattern of frequent words of some languages, also reversed, and the set of reversed ones."""
    words, parts = _BACKWARDS_WORDS.split(), _BACKWARDS_PARTS.split()
    turned = frozenset(w[::-1] for w in (*words, *parts)) - {*words, *parts}
    spaced = "|".join(sorted({*words, *(w[::-1] for w in words)}, key=len, reverse=True))
    unspaced = "|".join(sorted({*parts, *(w[::-1] for w in parts)}, key=len, reverse=True))
    return re.compile(rf"\b(?:{spaced})\b|{unspaced}", re.IGNORECASE), turned


def _reversed(text: str) -> Seen | None:
    """Text written from its end to its beginning, recognised by its most frequent words."""
    pattern, turned = _directions()
    words: list[tuple[int, int, bool]] = []
    for first, last in _maybe_reversed(text):
        words += [(m.start(), m.end(), m[0].lower() in turned) for m in pattern.finditer(text, first, last)]
    spans = []
    for first, last in stretches(((at, 1.0 if backwards else -1.5) for at, _, backwards in words), 6, 4):
        start = max((end for at, end, backwards in words if at < first and not backwards), default=0)
        end = min((at for at, _, backwards in words if at > last and not backwards), default=len(text))
        start = max(start, text.rfind("\n", 0, first) + 1)
        line = text.find("\n", last)
        spans.append((start, min(end, line if line >= 0 else len(text))))
    return _turned(text, spans)


_STEPS: tuple[tuple[Trick, frozenset[str] | None, Callable[[str], Seen | None]], ...] = (
    (Trick.UNREADABLE, None, _unreadable),
    (Trick.OVERRIDE, frozenset("\u202e"), _right_to_left),
    (Trick.MARKS, _MARKS, _marked),
    (Trick.SEPARATORS, None, _separated),
    (Trick.SMALL_CAPITALS, frozenset(SMALL_CAPITALS), _in_small_capitals),
    (Trick.LOOKALIKES, frozenset(LOOKALIKES), _in_lookalikes),
    (Trick.LOOKALIKES, frozenset((*TURNED, *_BOXED)), _in_other_signs),
    (Trick.DIGITS, None, _in_digits),
    (Trick.ACCENTS, _MARKS | _ACCENTED_LETTERS, _accented_alike),
    (Trick.ACCENTS, _MARKS | _ACCENTED_LETTERS, _accented),
    (Trick.REVERSED, None, _reversed),
)
"""How each trick is undone, and the characters it requires at least one of; None: any text may have it."""


def stretches(events: Iterable[tuple[int, float]], need: float, drop: float) -> Iterator[tuple[int, int]]:
    """Stretches where the weights of ``events`` (place, weight) sum to ``need`` or more, each from its first to its
    last place; a stretch ends once the sum has dropped by ``drop``.
    """
    total = best = 0.0
    first = last = 0
    for at, weight in events:
        if total == 0.0 and weight > 0:
            first = at
        total += weight
        if total > best:
            best, last = total, at
        elif total <= 0 or best - total >= drop:
            if best >= need:
                yield first, last
            total = best = 0.0
    if best >= need:
        yield first, last


def _turned(text: str, spans: Sequence[tuple[int, int]]) -> Seen | None:
    if not spans:
        return None
    places = np.arange(len(text), dtype=np.int64)
    for start, end in spans:
        places[start:end] = places[start:end][::-1]
    return "".join([text[at] for at in places.tolist()]), places


def _without(text: str, dropped: Iterable[int]) -> Seen | None:
    kept = np.ones(len(text), np.bool_)
    kept[list(dropped)] = False
    if kept.all():
        return None
    places = np.flatnonzero(kept)
    return "".join([text[at] for at in places.tolist()]), places


def _with(text: str, changed: dict[int, str]) -> Seen | None:
    if not changed:
        return None
    characters = list(text)
    for at, character in changed.items():
        characters[at] = character
    return "".join(characters), np.arange(len(text), dtype=np.int64)
