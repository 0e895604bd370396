"""Quality of ``initials`` and other methods on altered copies of Chinese statutes, in one table.

    python -m tests.golden.initials [--data FOLDER] [--set NAME=VALUE]...

Sources are the statutes of ``laws_zh``. Passages of 64 characters or more, cut out of them anywhere, are altered and
put into news articles (``articles_zh``); whole statutes are altered too, for methods that compare whole documents.
Homophones have the pinyin that the replaced character has in its context, by pypinyin's phrases; tone is ignored.

A passage counts as found when one match with its source covers at least 60 % of it; for methods that report pairs,
when the pair is reported. Statutes share much real text (two editions, standard phrases), so a match is right when it
is one: when the suspect's text as it was before it was altered and the source's text are alike to 0.75, 0.85 or 0.95
(2 · longest common subsequence / both lengths, after folding); three figures, since the least of them flatters matches
that run on beyond what was copied. A pair is right when it was made, or when the two documents share a string of 32
characters. What was chosen on half of the statutes and holds on the other half: initials_held_out.py.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from opencc import OpenCC
from pypinyin import Style, lazy_pinyin
from rapidfuzz.distance import Indel

from tests.golden.near_duplicates import Pages, detect
from workbench.base.types import Document, Matches, Role, Span
from workbench.text.normalisation import fold

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
METHODS: Mapping[str, Mapping[str, Any]] = {
    "initials": {},
    "digest": {},
    "minhash": {"compare": "sources"},
    "winnowing": {"compare": "sources"},
}
KINDS = ("none", "homophones", "homophones10", "wrong", "missing", "traditional", "mixed")
"""Unchanged; 3 % and 10 % replaced by homophones; one character in 30 wrong or missing; traditional characters; and
traditional with 3 % homophones and one character in 60 wrong."""
LENGTHS = (64, 100, 200, 400)
_COVERED = 0.6
ALIKE = (0.75, 0.85, 0.95)
"""How alike a match must be to be right; the first is the one that tests hold it to."""
_SHARED = 32


@dataclass(frozen=True)
class Altered:
    """A text after alteration; character i was ``origin[i]`` of what it is made of."""

    text: str
    origin: tuple[int, ...]


@dataclass(frozen=True)
class Copy:
    """A passage of ``suspect`` (key) taken from ``source`` (key)."""

    suspect: int
    source: int
    span: Span
    kind: str


@dataclass
class Corpus:
    """Documents, the copies in them, and what each suspect was made of (by key)."""

    documents: list[Document]
    copies: list[Copy] = field(default_factory=list)
    before: dict[int, Altered] = field(default_factory=dict)

    def pages(self) -> Pages:
        """As the other golden programs take them."""
        return Pages(tuple(self.documents), {}, frozenset(), lambda a, b: True)


@dataclass
class Quality:
    """``recalled`` of ``copies`` by kind and by length; ``right`` of ``matches`` or pairs, by how alike; seconds."""

    copies: Counter[tuple[str, str]] = field(default_factory=Counter)
    recalled: Counter[tuple[str, str]] = field(default_factory=Counter)
    right: Counter[float] = field(default_factory=Counter)
    matches: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0

    def recall(self, kind: str | None = None) -> float:
        """Of the copies of a kind, or of all."""
        rows = [k for k in self.copies if kind in (None, *k)]
        return sum(self.recalled[k] for k in rows) / max(1, sum(self.copies[k] for k in rows))

    @property
    def precision(self) -> float:
        """Of matches or pairs; 1 where there is none."""
        return self.precision_at(ALIKE[0])

    def precision_at(self, alike: float) -> float:
        """The same where a match must be so much alike, one of ``ALIKE``."""
        return self.right[alike] / self.matches if self.matches else 1.0


class Alterations:
    """Ways of altering a text, by the characters that are common in ``texts``."""

    def __init__(self, texts: Sequence[str], rng: random.Random) -> None:
        counts = Counter(c for text in texts for c in text if "\u4e00" <= c <= "\u9fff")
        self.common = [c for c, n in counts.most_common(3000) if n > 1]
        self.rng = rng
        self.alike: dict[str, list[str]] = defaultdict(list)
        for c in self.common:
            self.alike[lazy_pinyin(c)[0]].append(c)
        self._traditional = OpenCC("s2t")

    def altered(self, text: str, kind: str) -> Altered:
        """``text`` altered."""
        characters: list[str] = list(text)
        if kind in ("homophones", "mixed"):
            self._homophones(text, characters, 0.03)
        if kind == "homophones10":
            self._homophones(text, characters, 0.10)
        if kind in ("wrong", "mixed"):
            self._slips(characters, 30 if kind == "wrong" else 60)
        if kind == "missing":
            self._slips(characters, 30, missing=True)
        if kind in ("traditional", "mixed"):
            characters = [self._traditional.convert(c) for c in characters]
        origin = tuple(i for i, c in enumerate(characters) for _ in c)
        return Altered("".join(characters), origin)

    def _homophones(self, text: str, characters: list[str], share: float) -> None:
        """Replace ``share`` of the Chinese characters that have a homophone."""
        readings = lazy_pinyin(text, style=Style.NORMAL, errors=list)  # type: ignore[arg-type]
        assert len(readings) == len(text)
        able = [i for i, r in enumerate(readings) if any(c != text[i] for c in self.alike.get(r, ()))]
        for i in self.rng.sample(able, min(len(able), max(1, round(share * len(text))))):
            characters[i] = self.rng.choice([c for c in self.alike[readings[i]] if c != text[i]])

    def _slips(self, characters: list[str], every: int, *, missing: bool = False) -> None:
        """One character wrong or missing in each stretch of ``every``."""
        for start in range(0, len(characters), every):
            i = self.rng.randrange(start, min(start + every, len(characters)))
            characters[i] = "" if missing else self.rng.choice(self.common)


def laws(data: Path) -> list[Document]:
    """The statutes, as sources."""
    paths = sorted((data / "laws_zh" / "txt").glob("*.md"))
    return [Document(p.stem, p.read_text("utf-8"), Role.SOURCE, key=i) for i, p in enumerate(paths, 1)]


def articles(data: Path) -> list[str]:
    """Chinese news articles."""
    truth = json.loads((data / "articles_zh" / "ground-truth.json").read_text("utf-8"))
    return [v["articleBody"] for v in truth.values() if len(v["articleBody"]) > 300]


def passages(data: Path, seed: int = 1, each: int = 40) -> Corpus:
    """News articles into which altered passages of statutes were put: ``each`` of every kind and length."""
    rng = random.Random(seed)
    sources, hosts = laws(data), articles(data)
    altered = Alterations([*(d.text for d in sources), *hosts], rng).altered
    return planted(sources, hosts, altered, [(k, n) for k in KINDS for n in LENGTHS for _ in range(each)], rng)


def planted(
    sources: Sequence[Document],
    hosts: Sequence[str],
    altered: Callable[[str, str], Altered],
    wanted: list[tuple[str, int]],
    rng: random.Random,
) -> Corpus:
    """``hosts`` into which passages of ``sources`` were put, of the ``wanted`` kinds and least lengths."""
    rng.shuffle(wanted)
    corpus = Corpus(list(sources))
    while wanted:
        host, key = rng.choice(hosts), len(corpus.documents) + 1
        cuts = sorted(rng.sample(range(len(host) + 1), 3))
        text, before = "", ""
        origin: list[int] = []
        at = 0
        for cut in (*cuts, len(host)):
            origin += range(len(before), len(before) + cut - at)
            text, before = text + host[at:cut], before + host[at:cut]
            at = cut
            if cut == len(host) or not wanted:
                continue
            kind, least = wanted.pop()
            source = rng.choice(sources)
            piece = _cut(source.text, least, rng)
            done = altered(piece, kind)
            span = Span(len(text), len(text) + len(done.text))
            corpus.copies.append(Copy(key, source.key, span, kind))
            origin += (len(before) + i for i in done.origin)
            text, before = text + done.text, before + piece
        corpus.documents.append(Document(f"suspect{key}", text, Role.SUSPECT, key=key))
        corpus.before[key] = Altered(before, tuple(origin))
    return corpus


def _cut(text: str, least: int, rng: random.Random) -> str:
    """A piece of ``least`` to 1.5 times as many characters."""
    length = rng.randrange(least, least * 3 // 2)
    at = rng.randrange(max(1, len(text) - length))
    return text[at : at + length]


def whole(data: Path, seed: int = 2) -> Corpus:
    """Every statute altered as a whole, each kind in turn."""
    rng = random.Random(seed)
    sources = laws(data)
    alterations = Alterations([d.text for d in sources], rng)
    corpus = Corpus(list(sources))
    for i, source in enumerate(sources):
        kind, key = KINDS[i % len(KINDS)], len(corpus.documents) + 1
        done = alterations.altered(source.text, kind)
        corpus.documents.append(Document(f"suspect{key}", done.text, Role.SUSPECT, key=key))
        corpus.copies.append(Copy(key, source.key, Span(0, len(done.text)), kind))
        corpus.before[key] = Altered(source.text, done.origin)
    return corpus


def editions(data: Path) -> Corpus:
    """One edition of each statute against the others, nothing altered: all that is shared is real."""
    rows = json.loads((data / "laws_zh" / "pairs.json").read_text("utf-8"))
    later = {Path(r["a"]).stem for r in rows}
    documents = [Document(d.id, d.text, Role.SUSPECT if d.id in later else Role.SOURCE, key=d.key) for d in laws(data)]
    return Corpus(documents)


def measure(corpus: Corpus, method: str, settings: Mapping[str, Any] | None = None) -> Quality:
    """Quality of ``method`` on ``corpus``."""
    begun = time.process_time()
    results = detect(corpus.pages(), method, {**METHODS[method], **(settings or {})})
    quality = Quality(seconds=time.process_time() - begun)
    by_key = {d.key: d for d in corpus.documents}
    if method == "minhash":
        pairs = {(p.a, p.b) for p in results.pairs}
        copied = {(c.suspect, c.source) for c in corpus.copies}
        for copy in corpus.copies:
            _count(quality, copy, (copy.suspect, copy.source) in pairs)
        for a, b in pairs:
            right = (a, b) in copied or _share(_before(corpus, by_key[a]).text, by_key[b].text)
            _judge(quality, float(right), by_key[a].id, by_key[b].id)
        return quality
    spans: dict[tuple[int, int], list[Span]] = defaultdict(list)
    for match in results.matches:
        spans[match.a, match.b].append(match.a_span)
    for copy in corpus.copies:
        best = max((copy.span.overlap(s) for s in spans[copy.suspect, copy.source]), default=0)
        _count(quality, copy, best >= _COVERED * (copy.span.end - copy.span.start))
    for first, second in _texts(corpus, by_key, results.matches):
        _judge(quality, Indel.normalized_similarity(fold(first).text, fold(second).text), first, second)
    return quality


def _count(quality: Quality, copy: Copy, recalled: bool) -> None:
    size = copy.span.end - copy.span.start
    length = max(str(n).rjust(4) for n in LENGTHS if n <= size + size // 20 or n == LENGTHS[0])
    quality.copies[copy.kind, length] += 1
    quality.recalled[copy.kind, length] += recalled


def _judge(quality: Quality, similarity: float, a: str, b: str) -> None:
    quality.matches += 1
    quality.right.update(alike for alike in ALIKE if similarity >= alike)
    if similarity < ALIKE[0]:
        quality.wrong.append((a, b))


def _before(corpus: Corpus, document: Document) -> Altered:
    """What a suspect was made of; itself where nothing was altered."""
    return corpus.before.get(document.key) or Altered(document.text, tuple(range(len(document.text))))


def _texts(corpus: Corpus, by_key: Mapping[int, Document], matches: Matches) -> Iterator[tuple[str, str]]:
    """Both texts of every match, the suspect's as it was before it was altered."""
    for match in matches:
        source = _before(corpus, by_key[match.a])
        first, last = source.origin[match.a_span.start], source.origin[match.a_span.end - 1]
        yield source.text[first : last + 1], by_key[match.b].text[match.b_span.start : match.b_span.end]


def _share(a: str, b: str) -> bool:
    return not _strings(a).isdisjoint(_strings(b))


@lru_cache(maxsize=256)
def _strings(text: str) -> frozenset[str]:
    folded = fold(text).text
    return frozenset(folded[i : i + _SHARED] for i in range(len(folded) - _SHARED + 1))


def _row(name: str, figures: Sequence[float]) -> str:
    return f"  {name:18}" + "".join(f"{x:11}" if isinstance(x, int) else f"{x:11.3f}" for x in figures)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of initials")
    parser.add_argument("--wrong", type=int, default=0, metavar="N", help="show N wrong matches of initials")
    options = parser.parse_args()
    settings = dict(pair.split("=", 1) for pair in options.set)
    for name, corpus in (
        ("passages in news articles", passages(options.data)),
        ("whole statutes", whole(options.data)),
        ("editions, unaltered", editions(options.data)),
    ):
        suspects = sum(d.role is Role.SUSPECT for d in corpus.documents)
        print(f"{name}: {len(corpus.copies)} copies in {suspects} suspects, {len(corpus.documents) - suspects} sources")
        qualities = {m: measure(corpus, m, settings if m == "initials" else None) for m in METHODS}
        print(" " * 20 + "".join(m.rjust(11) for m in METHODS) + f"{'copies':>9}")
        first = qualities["initials"]
        if corpus.copies:
            for label in (*KINDS, *sorted({length for _, length in first.copies})):
                n = sum(first.copies[k] for k in first.copies if label in k)
                print(_row(f"recall {label.strip()}", [q.recall(label) for q in qualities.values()]) + f"{n:9}")
            print(_row("recall", [q.recall() for q in qualities.values()]))
        for alike in ALIKE:
            print(_row(f"precision at {alike}", [q.precision_at(alike) for q in qualities.values()]))
        print(_row("matches or pairs", [q.matches for q in qualities.values()]))
        print(_row("CPU seconds", [q.seconds for q in qualities.values()]))
        for a, b in first.wrong[: options.wrong]:
            print(f"  wrong: {a!r}\n         {b!r}")


if __name__ == "__main__":
    main()
