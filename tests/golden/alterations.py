"""Passages copied out of real texts and altered, put into other real texts: where they are is known by construction."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from workbench.base.types import Document, Role, Span
from workbench.text.tokens import UNSPACED

_UNIT = re.compile(r"[A-Za-z][A-Za-z'’-]*|[0-9]+|\s+|.", re.DOTALL)
_SENTENCE = re.compile(r"[^。．！？.!?\n]+[。．！？.!?]*[」』）)\"”]*\s*")

PARTICLES = {
    "ja": ("は", "が", "を", "に", "で", "と", "も", "へ", "の", "や"),
    "zh": ("的", "了", "在", "和", "与", "及", "是", "为", "对", "于"),
    "en": ("the", "a", "in", "of", "on", "at", "for", "to", "by", "with"),
}
SYNONYMS = {
    "ja": (
        "また/さらに 多く/たくさん 使用/利用 場合/とき 行う/する 行われ/なされ 現在/いま 地域/地方 開始/スタート "
        "存在/実在 "
        "重要/大切 大きな/巨大な 呼ばれる/称される 一部/部分 最初/はじめ 作られ/製作され 様々な/いろいろな "
        "しかし/だが 持つ/有する 影響/作用 人々/人たち 考え/見方 続い/継続し 示す/表す"
    ),
    "zh": (
        "但是/不过 因为/由于 所以/因此 应当/必须 可以/能够 进行/实施 使用/运用 规定/规则 机关/部门 人民/民众 "
        "国家/政府 重要/关键 问题/难题 目前/当前 发展/进步 要求/需要 认为/觉得 许多/不少 提高/提升 "
        "表示/指出 情况/状况 管理/治理 通过/经过 企业/公司"
    ),
    "en": (
        "but/however because/since said/stated people/persons large/big small/little many/numerous use/employ "
        "new/novel first/initial show/reveal find/discover begin/start end/finish help/assist make/create "
        "important/vital also/too company/firm year/twelvemonth city/town work/labour home/house money/cash"
    ),
}
"""Words and what takes their place."""

SENTENCE = (60, 24)
"""Characters of a sentence, in scripts written with spaces and without."""

Edit = Callable[[list[str], random.Random, str, Sequence[str]], list[str]]


@dataclass(frozen=True)
class Planted:
    """A passage of ``suspect`` that was made from one of ``source``, and how."""

    suspect: int
    a_span: Span
    source: int
    b_span: Span
    edit: str


@dataclass(frozen=True)
class Corpus:
    """Documents and the passages planted in their suspects."""

    documents: tuple[Document, ...]
    planted: tuple[Planted, ...]


def texts(data: Path, language: str) -> tuple[list[str], list[str]]:
    """Real texts of a language: those that suspects are made of, and more for sources."""
    more: list[str] = []
    if language == "ja":
        lines = (data / "wiki_ja" / "documents.jsonl").read_text(encoding="utf-8").splitlines()
        articles = [json.loads(line)["text"] for line in lines]
    else:
        truth = json.loads((data / f"articles_{language}" / "ground-truth.json").read_text(encoding="utf-8"))
        articles = [truth[k]["articleBody"] for k in sorted(truth)]
    if language == "zh":
        # Statutes share whole sentences with each other, so that they are not hosts; one edition of each is a source.
        pairs = json.loads((data / "laws_zh" / "pairs.json").read_text(encoding="utf-8"))
        more = [(data / "laws_zh" / name).read_text(encoding="utf-8") for name in sorted({p["a"] for p in pairs})]
    return [t for t in articles if len(t) > 1000], more


def share_sentence(a: str, b: str) -> bool:
    """Whether two passages have a string of a sentence's length in common."""
    unspaced = sum(any(low <= ord(c) <= high for low, high, _ in UNSPACED) for c in a)
    longest = SequenceMatcher(None, a, b, autojunk=False).find_longest_match()
    return longest.size >= SENTENCE[2 * unspaced > len(a)]


def units(sentence: str) -> list[str]:
    """Words of spaced scripts, white space, other characters one by one."""
    return _UNIT.findall(sentence)


def particles(passage: list[str], rng: random.Random, language: str, words: Sequence[str]) -> list[str]:
    """Every second particle is another one."""
    some = PARTICLES[language]
    return [
        "".join(rng.choice(some) if u in some and rng.random() < 0.5 else u for u in units(sentence))
        for sentence in passage
    ]


def synonyms(passage: list[str], rng: random.Random, language: str, words: Sequence[str]) -> list[str]:
    """Words that have a synonym in SYNONYMS give way to it."""
    changed_sentences = []
    for sentence in passage:
        changed = sentence
        for pair in SYNONYMS[language].split():
            old, new = pair.split("/")
            changed = re.sub(rf"\b{old}\b", new, changed) if language == "en" else changed.replace(old, new)
        changed_sentences.append(changed)
    return changed_sentences


def moved(passage: list[str], rng: random.Random, language: str, words: Sequence[str]) -> list[str]:
    """The clauses of each sentence in another order."""
    sentences = []
    for sentence in passage:
        clauses = re.findall(r"[^、，,]+[、，,]*\s*", sentence.strip())
        if len(clauses) > 1:
            turn = rng.randrange(1, len(clauses))
            clauses = clauses[turn:] + clauses[:turn]
        sentences.append("".join(clauses))
    return sentences


def replaced(passage: list[str], rng: random.Random, language: str, words: Sequence[str]) -> list[str]:
    """One word in eight is another one of the suspect's."""
    return ["".join(rng.choice(words) if _word(u) and rng.random() < 1 / 8 else u for u in units(s)) for s in passage]


def deleted(passage: list[str], rng: random.Random, language: str, words: Sequence[str]) -> list[str]:
    """One word in five is left out."""
    return ["".join("" if _word(u) and rng.random() < 1 / 5 else u for u in units(s)) for s in passage]


def everything(passage: list[str], rng: random.Random, language: str, words: Sequence[str]) -> list[str]:
    """Particles, synonyms, clauses, one word in twelve replaced, one in ten deleted, and two sentences swapped."""
    for edit in (particles, synonyms, moved):
        passage = edit(passage, rng, language, words)
    changed = []
    for sentence in passage:
        chosen = [u if not _word(u) or rng.random() > 1 / 12 else rng.choice(words) for u in units(sentence)]
        changed.append("".join("" if _word(u) and rng.random() < 1 / 10 else u for u in chosen))
    if len(changed) > 1:
        i = rng.randrange(len(changed) - 1)
        changed[i], changed[i + 1] = changed[i + 1], changed[i]
    return changed


def _word(unit: str) -> bool:
    return unit[0].isalnum()


EDITS: tuple[Edit, ...] = (particles, synonyms, moved, replaced, deleted, everything)


def corpus(data: Path, language: str, seed: int, size: int = 40) -> Corpus:
    """Suspects with one altered passage of 3 to 8 sentences each, every edit in turn; half of the texts are sources."""
    rng = random.Random(f"{language}{seed}")
    articles, more = texts(data, language)
    rng.shuffle(articles)
    sources, hosts = articles[: len(articles) // 2] + more, articles[len(articles) // 2 :]
    documents = [Document(f"source{i}", text, Role.SOURCE, key=i) for i, text in enumerate(sources, 1)]
    planted = []
    for n in range(size):
        edit = EDITS[n % len(EDITS)]
        host, number = hosts[n % len(hosts)], rng.randrange(len(sources))
        spans = [m.span() for m in _SENTENCE.finditer(sources[number]) if m.end() - m.start() > 8]
        count = min(rng.randint(3, 8), len(spans))
        first = rng.randrange(len(spans) - count + 1)
        b_span = Span(spans[first][0], spans[first + count - 1][1])
        words = [u for u in units(host[:5000]) if _word(u)]
        passage = "".join(edit([sources[number][s:e] for s, e in spans[first : first + count]], rng, language, words))
        ends = [m.end() for m in _SENTENCE.finditer(host[:6000])]
        at = rng.choice(ends)
        text = host[:at] + passage + host[at:6000]
        key = 1000 + n
        documents.append(Document(f"suspect{n}", text, Role.SUSPECT, key=key))
        planted.append(Planted(key, Span(at, at + len(passage)), number + 1, b_span, edit.__name__))
    return Corpus(tuple(documents), tuple(planted))
