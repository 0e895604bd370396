"""Quality of ``initials`` by window, on statutes by which it was chosen and on others; and on Japanese copies.

    python -m tests.golden.initials_held_out [--data FOLDER]

The statutes of ``laws_zh`` are divided by a hash of their title, so that both editions of one stand on the same side.
On one side the window with the greatest F1 (recall of copies, precision at 0.85) is chosen among five; the other side
reports it beside the default. Passages are of 40 characters or more, shorter than what the default promises to find.

Japanese passages are of Wikipedia articles (``wiki_ja``) in others: unchanged, with common words written in kana, and
with hiragana and katakana swapped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

from tests.golden.initials import (
    ALIKE,
    DATA,
    KINDS,
    Alterations,
    Altered,
    Corpus,
    Quality,
    articles,
    laws,
    measure,
    planted,
)
from workbench.base.types import Document, Role
from workbench.methods.initials.parameters import InitialsParameters

WINDOWS = (16, 24, 32, 48, 64)
LENGTHS = (40, 64, 100)
JAPANESE = ("none", "kana", "swapped")
DEFAULT = InitialsParameters().window
_READINGS = """
日本=にほん 現在=げんざい 場合=ばあい 時期=じき 影響=えいきょう 一般=いっぱん 多い=おおい 多く=おおく 最も=もっとも
事=こと 時=とき 物=もの 者=もの 人=ひと 所=ところ 為=ため 中=なか 上=うえ 下=した 前=まえ 後=あと 間=あいだ 他=ほか
今=いま 年=ねん 月=がつ 水=みず 山=やま 国=くに 内=うち 方=かた 又=また 及び=および 行=おこな 持=も 言=い 見=み
"""
_KANA = dict(pair.split("=") for pair in _READINGS.split())
"""Common words and how they are read, mostly."""
_SWAP = {a: b for h in range(0x3041, 0x3097) for a, b in ((chr(h), chr(h + 0x60)), (chr(h + 0x60), chr(h)))}


def sides(data: Path) -> tuple[list[Document], list[Document]]:
    """The statutes on which to choose, and the others."""
    rows = json.loads((data / "laws_zh" / "pairs.json").read_text("utf-8"))
    titles = {Path(r[x]).stem: r[f"title_{x}"].split("(")[0] for r in rows for x in "ab"}
    halves: tuple[list[Document], list[Document]] = ([], [])
    for law in laws(data):
        halves[hashlib.sha256(titles[law.id].encode()).digest()[0] & 1].append(law)
    return halves


def statutes(data: Path, sources: Sequence[Document], seed: int, each: int = 20) -> Corpus:
    """Altered passages of ``sources`` in news articles."""
    rng, hosts = random.Random(seed), articles(data)
    # Keys count from 1, as those of the suspects go on from them.
    documents = [Document(d.id, d.text, d.role, key=i) for i, d in enumerate(sources, 1)]
    altered = Alterations([*(d.text for d in documents), *hosts], rng).altered
    return planted(documents, hosts, altered, [(k, n) for k in KINDS for n in LENGTHS for _ in range(each)], rng)


def japanese(data: Path, seed: int = 4, each: int = 40) -> Corpus:
    """Passages of every second article in the others."""
    lines = (data / "wiki_ja" / "documents.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    sources = [Document(f"wiki{i}", text, Role.SOURCE, key=i) for i, text in enumerate(texts[::2], 1)]
    wanted = [(kind, n) for kind in JAPANESE for n in LENGTHS for _ in range(each)]
    return planted(sources, texts[1::2], rewritten, wanted, random.Random(seed))


def rewritten(text: str, kind: str) -> Altered:
    """``text`` with words in kana, or with the kana swapped."""
    parts: list[str] = []
    origin: list[int] = []
    i = 0
    while i < len(text):
        word = next((w for w in _KANA if text.startswith(w, i)), "") if kind == "kana" else ""
        written = _KANA.get(word) or (_SWAP.get(text[i], text[i]) if kind == "swapped" else text[i])
        parts.append(written)
        origin += [i] * len(written)
        i += len(word) or 1
    return Altered("".join(parts), tuple(origin))


def f1(quality: Quality) -> float:
    """Of recall and of precision at 0.85."""
    recall, precision = quality.recall(), quality.precision_at(ALIKE[1])
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def _print(name: str, quality: Quality) -> None:
    figures = [quality.recall(), *(quality.precision_at(alike) for alike in ALIKE), f1(quality)]
    print(f"  {name:32}" + "".join(f"{x:10.3f}" for x in figures) + f"{quality.matches:9}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    data = parser.parse_args().data
    chosen_on, held_out = sides(data)
    best = 0
    head = "".join(f"at {alike}".rjust(10) for alike in ALIKE)
    print(f"{'':34}{'recall':>10}{head}{'F1':>10}{'matches':>9}")
    for name, sources, seed in (("chosen on", chosen_on, 11), ("held out", held_out, 12)):
        corpus = statutes(data, sources, seed)
        print(f"{name}: {len(sources)} statutes, {len(corpus.copies)} copies")
        qualities = {w: measure(corpus, "initials", {"window": w}) for w in WINDOWS}
        best = best or max(qualities, key=lambda w: f1(qualities[w]))
        for window, quality in qualities.items():
            notes = ", ".join(s for s, yes in (("default", window == DEFAULT), ("chosen", window == best)) if yes)
            _print(f"window {window}" + (f" ({notes})" if notes else ""), quality)
        for kind in KINDS:
            print(f"    recall {kind:15}" + "".join(f"{w:>6}: {q.recall(kind):.3f}" for w, q in qualities.items()))
    corpus = japanese(data)
    print(f"Japanese: {len(corpus.copies)} copies")
    quality = measure(corpus, "initials")
    _print(f"window {DEFAULT} (default)", quality)
    for kind in JAPANESE:
        print(f"    recall {kind:15}  {quality.recall(kind):.3f}")


if __name__ == "__main__":
    main()
