"""From bytes to text: detects the actual encoding, whatever is declared, and repairs the text.

Order: an override, a byte order mark, ISO-2022-JP escapes (pure ASCII bytes, so they must come before UTF-8), valid
UTF-8, then the candidate whose decoding looks most like written language. A declaration is only one piece of evidence:
many pages declare the wrong encoding.

East Asian encodings are distinguished by the score of such trial decodings (:func:`plausibility`), those of European
languages also by whether one language has all the accented letters (:func:`alphabet_fit`).
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from resiliparse.parse.encoding import detect_encoding

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Extraction

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

_MISPLACED = re.compile(r"(?<=[a-zß-öø-ÿ])[\u00c0-\u024f\u201a\u201e]")
"""After a lower-case letter, only lower-case letters are expected."""
_LETTERS_BY_LANGUAGE = """
    àâçéèêëîïôœùûæ äöüß áéíóúüñ áâãàçéêíóõú àèéìòù àçèéíïòóúü éëïóöüèê åäöé æøåé áðéíóúýþæö õäöüšž áéíóú áéíóöőúüű
    ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž čćđšž ăâîșț ăâîşţ âçğıîöşüi\u0307 ąčęėįšųūž āčēģīķļņšūž çë
"""
_ALPHABETS = tuple(map(frozenset, _LETTERS_BY_LANGUAGE.split()))
"""The frequent accented letters of a European language each."""

HIRAGANA = re.compile(r"[\u3041-\u3096]")


def plausibility(text: str) -> float:
    """Mean plausibility of the non-ASCII characters of ``text``: about 0.3 to 1 for real text, below 0 for a wrong one.

    Frequent characters of Japanese, Chinese and Korean count 1, others little; undecodable bytes, control and
    private-use characters count heavily against it. Accented letters and typographic marks count inside
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


def alphabet_fit(text: str) -> float:
    """Share of the non-ASCII characters of ``text`` that are letters of the best fitting European language or of
    another script, or typographic marks at the edge of a word; about 1 at most, lower for capitals and opening
    quotation marks inside words.
    """
    wide = Counter(c for c in text if c > "\x7f")
    letters: Counter[str] = Counter()
    for character, n in wide.items():
        letters[character.lower()] += n
    best = sum(n for c, n in letters.items() if c.isalpha() and "\u0370" <= c < "\u0700")
    best += max(sum(n for c, n in letters.items() if alphabet.issuperset(c)) for alphabet in _ALPHABETS)
    misplaced = sum(not c[0].islower() for c in _MISPLACED.finditer(text))
    return (best + len(_WESTERN_MARK.findall(text)) - misplaced) / max(1, wide.total())


def hiragana_share(text: str) -> float:
    """Share of hiragana among the non-ASCII characters, 0 to 1."""
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


EncodingSource = Literal["bom", "declared", "detected", "override", "escape", "uncertain", "utf-8"]

_SAMPLE = 1 << 17
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz": "hz",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "koi8-r": "koi8-u",
}
_EAST_ASIAN = ("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949")
_EUROPEAN = ("cp1252", "cp1250", "iso8859-2", "iso8859-15", "cp1254", "cp1257", "mac_roman", "cp850", "cp852", "cp857")
_CERTAIN = 0.3
"""Plausibility of real text in an East Asian encoding."""
_USUAL, _LEAD = 0.1, 0.05
"""Head start of the most frequent encoding of European languages, and the lead from which one is certain."""
_AROUND_ACCENTS = re.compile(rb"[\x00-\x7f]{0,24}[\x80-\xff]+[\x00-\x7f]{0,24}")
_ACCENTED_SAMPLE = 1 << 14
_NOT_TRIED = frozenset(("utf-8", "ascii", "iso2022_jp"))
_UNMARKED = ("utf-16-le", "utf-16-be")
_DOUBLE_BYTE = frozenset((*_EAST_ASIAN, "euc_jis_2004"))
_CHINESE = frozenset(("gb18030", "big5hkscs", "cp949"))
_META = re.compile(rb"""<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\(J|\(I|\$\(D)")
_CONTROLS = bytes(c for c in range(32) if c not in (0, 8, 9, 10, 11, 12, 13, 26, 27)) + b"\x7f"
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAGIC = (
    (b"%PDF", "a PDF file"),
    (b"PK\x03\x04", "a zip-based file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"SQLite format 3", "a database"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with ``\\n`` line ends, free of NULs and lone surrogates; ``repairs`` lists the changes."""

    text: str
    encoding: str
    source: EncodingSource
    repairs: tuple[str, ...] = ()


def decoded_as(extraction: Extraction, decoded: Decoded) -> Extraction:
    """``extraction`` of a text read from ``decoded``."""
    return replace(extraction, encoding=decoded.encoding, encoding_source=decoded.source, repairs=decoded.repairs)


def decode(data: bytes, *, declared: str | None = None, html: bool = False, override: str | None = None) -> Decoded:
    """Decode ``data``. ``declared`` comes from outside (an HTTP header); with ``html`` the declaration in the markup is
    also read.

    Raises UnreadableInput for binary data and for an ``override`` that is not an encoding.
    """
    encoding, source = choose_encoding(data, declared=declared, html=html, override=override)
    notes = doubts(encoding, source)
    claims = [c for c in (canonical(declared), canonical(meta_charset(data) if html else None)) if c]
    if override is None and claims and encoding not in claims and not data.isascii():
        notes.append(f"declared as {claims[0]} but is {encoding}")
    bom = next((mark for mark, _ in _BOMS if data.startswith(mark)), b"") if source == "bom" else b""
    text, broken = _decoded(data[len(bom) :], encoding, resync=True)
    if broken:
        notes.append(f"replaced {_counted(broken, 'undecodable sequence')} by U+FFFD")
    text, repairs = clean(text)
    return Decoded(text, encoding, source, (*notes, *repairs))


def choose_encoding(
    data: bytes, *, declared: str | None = None, html: bool = False, override: str | None = None
) -> tuple[str, EncodingSource]:
    """The encoding of ``data`` (Python's name) and the evidence for it; the beginning of the file is enough.

    Raises UnreadableInput as :func:`decode` does.
    """
    if override is not None:
        named = canonical(override)
        if named is None:
            raise UnreadableInput(Message("There is no encoding named {override}.", override=repr(override)))
        return named, "override"
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding, "bom"
    if (unmarked := _utf16_without_mark(data[:_SAMPLE])) is not None:
        return unmarked, "detected"
    refuse_binary(data)
    if _ESCAPE.search(data) and _nearly_ascii(data[:_SAMPLE]):
        return "iso2022_jp", "escape"
    if _is_utf8(data):
        return "utf-8", "utf-8"
    claims = [c for c in (canonical(declared), canonical(meta_charset(data) if html else None)) if c]
    best, is_certain = _best_trial(_informative(data), claims)
    return best, "declared" if best in claims else "detected" if is_certain else "uncertain"


def doubts(encoding: str, source: EncodingSource) -> list[str]:
    """The remark on an ``encoding`` that is uncertain, if it is."""
    return [f"uncertain encoding: read as {encoding}"] if source == "uncertain" else []


def canonical(name: str | None) -> str | None:
    """Python's name of the widest encoding usually meant by ``name`` (gb2312: gb18030); None if there is none."""
    if not name:
        return None
    label = name.strip().strip("\"'").lower()
    label = _SUPERSETS.get(label, label)
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    if not info._is_text_encoding or info.name in (
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "undefined",
    ):
        return None
    return _SUPERSETS.get(info.name, info.name)


def meta_charset(data: bytes) -> str | None:
    """The encoding that a page declares in its first 4,096 bytes."""
    match = _META.search(data[:4096])
    return match[1].decode("ascii") if match else None


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """``text`` without NULs, lone surrogates and carriage returns, and one line per repair (carriage returns are not
    reported).
    """
    repairs = []
    if nuls := text.count("\0"):
        text = text.replace("\0", "")
        repairs.append(f"removed {_counted(nuls, 'NUL character')}")
    if marks := text.count(_MARK):
        text = text.replace(_MARK, "\ufffd")
        repairs.append(f"replaced {_counted(marks, 'undecodable sequence')} by U+FFFD")
    try:
        text.encode()  # many times faster than searching
    except UnicodeEncodeError:
        text, surrogates = _SURROGATE.subn("\ufffd", text)
        repairs.append(f"replaced {_counted(surrogates, 'lone surrogate')} by U+FFFD")
    return text.replace("\r\n", "\n").replace("\r", "\n"), tuple(repairs)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _decoded(data: bytes, encoding: str, *, resync: bool = False) -> tuple[str, int]:
    """Text and the number of undecodable sequences replaced in it; ``resync`` keeps the loss at each small."""
    if encoding == "iso2022_jp":
        data, encoding = _jis_to_euc(data), "euc_jp"
    try:
        return data.decode(encoding), 0
    except UnicodeDecodeError:
        pass
    if encoding == "euc_jp":
        # Vendor characters of row 13 (circled digits and the like) are outside JIS X 0208 but in common use.
        encoding = "euc_jis_2004"
    before = data.count(b"\xef\xbf\xbd") if encoding == "utf-8" else 0
    text = data.decode(encoding, "replace")
    broken = text.count("\ufffd") - before
    if resync and encoding in _DOUBLE_BYTE and broken <= _RESYNC_LIMIT:
        text = data.decode(encoding, _RESYNC)
        broken = text.count("\ufffd")
    return text, max(0, broken)


def _resynchronised(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler: resume at the byte from which the next characters look most like language."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    first = error.start + 1

    def ahead(at: int) -> float:
        return plausibility(error.object[at : at + 24].decode(error.encoding, "replace"))

    return "\ufffd", max(range(first, min(first + 3, len(error.object) + 1)), key=ahead)


def _marked(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler: insert a marker for :func:`clean` to count and replace."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return _MARK, error.end


_MARK = "\udcff"
MARK_UNDECODABLE = "workbench.mark"
"""Codec error handler for decoding piece by piece; :func:`clean` reports and replaces its markers."""
codecs.register_error(MARK_UNDECODABLE, _marked)

_RESYNC = "workbench.resynchronise"
_RESYNC_LIMIT = 5000
codecs.register_error(_RESYNC, _resynchronised)


def refuse_binary(data: bytes) -> None:
    """Raise UnreadableInput when ``data`` is not text: a known signature, or too many control characters."""
    sample = data[:_SAMPLE]
    kind = next((name for magic, name in _MAGIC if data.startswith(magic)), None)
    nuls = sample.count(0)
    if kind or _controls(sample) > 0.02 * len(sample) + 2 or nuls > 0.1 * len(sample):
        raise UnreadableInput(
            Message("This is {kind}, not text.", kind=kind) if kind else Message("This is a binary file, not text.")
        )


def _utf16_without_mark(sample: bytes) -> str | None:
    """Detects UTF-16 by NULs at only even or only odd offsets, or by binary-looking bytes that decode as CJK text."""
    sample = sample[: len(sample) & ~1]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) >= 0.02 * len(sample) > 0 and min(even, odd) <= 0.05 * max(even, odd):
        encoding = "utf-16-le" if odd > even else "utf-16-be"
        text = sample.decode(encoding, "replace")
        return encoding if sum(c.isprintable() or c.isspace() for c in text) > 0.95 * len(text) else None
    if _controls(sample) > 0.02 * len(sample) or even + odd:
        scores = {e: plausibility(sample[:4096].decode(e, "replace")) for e in ("utf-16-le", "utf-16-be")}
        best = max(scores, key=lambda e: scores[e])
        return best if scores[best] > 0.2 else None
    return None


def _nearly_ascii(sample: bytes) -> bool:
    return len(sample.translate(None, bytes(range(128, 256)))) >= 0.99 * len(sample) - 2


def _controls(sample: bytes) -> int:
    """Number of control characters that do not occur in text."""
    return len(sample) - len(sample.translate(None, _CONTROLS))


def _is_utf8(data: bytes) -> bool:
    """Valid UTF-8, or UTF-8 with a few broken sequences (a truncated end, a stray byte)."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        text = _informative(data).decode("utf-8", "replace")
        bad = text.count("\ufffd")
        good = sum(c > "\x7f" for c in text) - bad
        return good > 4 * bad
    return True


def _informative(data: bytes) -> bytes:
    """A part of ``data`` with as much non-ASCII as possible, cut at line ends (so that no character is split)."""
    if len(data) <= _SAMPLE:
        return data
    lines = [line for line in data[: 32 * _SAMPLE].split(b"\n") if not line.isascii()]
    return b"\n".join(lines)[:_SAMPLE] if lines else data[:_SAMPLE]


def _best_trial(sample: bytes, claims: list[str]) -> tuple[str, bool]:
    """The candidate whose decoding of ``sample`` looks most like language, and whether no other one comes close."""
    guess = canonical(detect_encoding(sample))
    bonus = dict.fromkeys(claims, 0.1)
    if guess and not guess.startswith(("cp125", "iso8859")):
        bonus[guess] = 0.1

    def scored(candidates: Iterable[str]) -> dict[str, float]:
        return {c: _score(sample, c) + bonus.get(c, 0.0) for c in candidates if c not in _NOT_TRIED}

    candidates = dict.fromkeys([*claims, "cp1252", *_EAST_ASIAN, *([guess] if guess else [])])
    scores = scored(candidates)
    best = max(scores, key=lambda c: scores[c])
    if best not in _EAST_ASIAN or scores[best] < _CERTAIN:
        whole, sample = sample, b"".join(_AROUND_ACCENTS.findall(sample))[:_ACCENTED_SAMPLE]
        scores = scored(dict.fromkeys((*candidates, *_EUROPEAN)))
        for encoding in scores.keys() - _DOUBLE_BYTE:
            scores[encoding] += min(0.0, alphabet_fit(_decoded(sample, encoding)[0]) - 1)
        scores["cp1252"] += _USUAL
        best = max(scores, key=lambda c: scores[c])
        if scores[best] < 0 and not _has_spaces(whole):
            # No candidate fits: a short text in a two-byte encoding without a byte order mark?
            sample = whole
            scores |= scored(_UNMARKED)
            best = max(scores, key=lambda c: scores[c])
    text, _ = _decoded(sample, best)
    rivals = (c for c in scores if scores[best] - scores[c] < _LEAD and _decoded(sample, c)[0] != text)
    return best, scores[best] > 0 and next(rivals, None) is None


def _has_spaces(sample: bytes) -> bool:
    """Whether spaces of one byte are frequent at even and odd offsets, as they are not in UTF-16."""
    return 2 * min(sample[::2].count(b" "), sample[1::2].count(b" ")) > 0.02 * len(sample)


def _score(sample: bytes, encoding: str) -> float:
    text, _ = _decoded(sample, encoding)
    score = plausibility(text)
    # Row 4 of GB 2312 is hiragana, as in EUC-JP; Chinese text contains none.
    if encoding in _CHINESE and hiragana_share(text) > 0.05:
        score -= 1
    return score


def _jis_to_euc(data: bytes) -> bytes:
    """ISO-2022-JP as EUC-JP, so that vendor characters, which Python's codec refuses, can also be read."""
    pieces = re.split(rb"(\x1b(?:\$\([A-Z]|\$[@AB]|\([A-Z]))", data)
    out = [pieces[0]]
    for escape, content in zip(pieces[1::2], pieces[2::2], strict=True):
        if escape in (b"\x1b$@", b"\x1b$B"):
            out.append(_set_high_bits(content))
        elif escape == b"\x1b(I":
            out.append(b"".join(b"\x8e" + bytes([c | 0x80]) for c in content))
        elif escape == b"\x1b$(D":
            out.append(re.sub(rb"..", lambda pair: b"\x8f" + _set_high_bits(pair[0]), content, flags=re.DOTALL))
        else:
            out.append(content)
    return b"".join(out)


def _set_high_bits(content: bytes) -> bytes:
    return bytes(c | 0x80 if 0x21 <= c <= 0x7E else c for c in content)
