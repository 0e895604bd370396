"""Quality of a near-duplicate method on real pages: precision and recall of pairs, and the misses with reasons.

    python -m tests.golden.near_duplicates [--method NAME] [--set NAME=VALUE]... [COLLECTION]...

Collections: ``debian_guide`` (the same page of a manual on two architectures, in two languages: same file name and
title, but for the name of the architecture), ``laws_zh`` and ``aozora`` (two editions of a text, by ``pairs.json``),
``pages_zh`` (news pages, among which those of one site share template text only: no pair is right), ``slips_en``,
``slips_zh`` and ``slips_ja`` (articles, and each again with 2.5 % of its letters replaced by others).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Role
from workbench.methods.core import registry
from workbench.reading.formats import ReadOptions, read
from workbench.reading.formats.api import Record, Source
from workbench.text.scripts import one_of_all_forms

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SAME = "same"
SLIPS = 0.025
"""Share of the letters of a text that are replaced in its copy."""
_ARCHITECTURE = re.compile(r"(?:32|64)-bit|i386|amd64")


@dataclass(frozen=True)
class Pages:
    """Documents (keys from 1) and the truth about pairs.

    ``truth``: pairs of keys to the kind of pair; those of a ``positive`` kind are right, of the others those are wrong
    that ``judge`` takes.
    """

    all: tuple[Document, ...]
    truth: Mapping[frozenset[int], str]
    positive: frozenset[str]
    judge: Callable[[Document, Document], bool]

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles``."""
        return (d for d in self.all if not roles or d.role in roles)

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles``."""
        return sum(1 for _ in self.documents(*roles))


def opened(path: Path, key: int, **fields: Any) -> Document:
    """A file as the program imports it."""
    record = next(iter(read(Source(path, path.name), options=ReadOptions())))
    assert isinstance(record, Record)
    return replace(record.document, id=str(path), key=key, **fields)


def debian_guide(folder: Path) -> Pages:
    """Pairs are judged where they join the two architectures."""
    _, second = sorted(p.name for p in folder.iterdir())
    documents: list[Document] = []
    names: dict[tuple[str, ...], list[int]] = {}
    for path in sorted(folder.glob("*/*/*.html")):
        site, language, name = path.parts[-3:]
        role = Role.SUSPECT if site == second else Role.SOURCE
        document = opened(path, len(documents) + 1, role=role, site=f"{site}.example")
        title = re.search(r"<title>(.*?)</title>", path.read_text(encoding="utf-8"), re.DOTALL)
        names.setdefault(
            (language, name, _ARCHITECTURE.sub("", " ".join(title[1].split())) if title else ""), []
        ).append(document.key)
        documents.append(document)
    truth = {frozenset(keys): SAME for keys in names.values() if len(keys) == 2}
    return Pages(tuple(documents), truth, frozenset({SAME}), lambda a, b: a.role != b.role)


def editions(folder: Path) -> Pages:
    """Two editions of a text are right, two texts that only share their title are not.

    Two files that are joined by pairs of editions without being listed together are not judged, nor are two works of
    one author with one title in old and new characters.
    """
    documents: dict[str, Document] = {}
    truth = {}
    rows = json.loads((folder / "pairs.json").read_text(encoding="utf-8"))
    for row in rows:
        for side, role in (("a", Role.SUSPECT), ("b", Role.SOURCE)):
            if row[side] not in documents:
                documents[row[side]] = opened(folder / row[side], len(documents) + 1, role=role)
        shared = row.get("shared_sentence_ratio", 0.0)
        kind = row.get("band") or f"shares {int(4 * min(shared, 0.99)) * 25} % of its sentences or more"
        truth[frozenset(documents[row[side]].key for side in "ab")] = kind
    kinds = frozenset(truth.values()) - {"diff_text_same_title"}
    work = {document.key: document.key for document in documents.values()}
    forms = str.maketrans(dict(one_of_all_forms()))
    titles: dict[tuple[str, str], int] = {}
    for row in rows:
        if row.get("band") in kinds and "author" in row:
            key = documents[row["a"]].key
            first = titles.setdefault((row["author"], row["title"].translate(forms)), key)
            work[key] = min(work[key], work[first])
    for _ in documents:
        for pair in (pair for pair, kind in truth.items() if kind in kinds):
            first, last = min(pair), max(pair)
            work[first] = work[last] = min(work[first], work[last])
    return Pages(tuple(documents.values()), truth, kinds, lambda a, b: work[a.key] != work[b.key])


def pages_zh(folder: Path) -> Pages:
    """No pair is right."""
    documents = [
        opened(path, i, role=Role.SUSPECT, site=f"{path.parent.name}.example")
        for i, path in enumerate(sorted(folder.glob("*/*.html")), 1)
    ]
    return Pages(tuple(documents), {}, frozenset(), lambda a, b: True)


def slips(texts: Iterable[str]) -> Pages:
    """Each of ``texts`` of 200 characters or more, and again with slips."""
    rng = random.Random(7)
    originals = [text for text in texts if len(text) >= 200]
    copies = [with_slips(text, rng) for text in originals]
    documents = [Document(str(i), text, Role.SUSPECT, key=i) for i, text in enumerate(originals + copies, 1)]
    truth = {frozenset((i, i + len(originals))): SAME for i in range(1, len(originals) + 1)}
    return Pages(tuple(documents), truth, frozenset({SAME}), lambda a, b: True)


def with_slips(text: str, rng: random.Random) -> str:
    """``text`` with SLIPS of its letters and figures replaced by others of its own."""
    characters = list(text)
    places = [i for i, character in enumerate(characters) if character.isalnum()]
    letters = [characters[i] for i in places]
    for i in rng.sample(places, round(SLIPS * len(places))):
        characters[i] = rng.choice([c for c in rng.choices(letters, k=20) if c != characters[i]])
    return "".join(characters)


def articles(folder: Path) -> Iterator[str]:
    """The bodies of a collection of articles."""
    for article in json.loads((folder / "ground-truth.json").read_text(encoding="utf-8")).values():
        yield article["articleBody"] if isinstance(article, dict) else article


def wikipedia(folder: Path) -> Iterator[str]:
    """The texts of a collection of encyclopaedia articles."""
    with (folder / "documents.jsonl").open(encoding="utf-8") as file:
        yield from (json.loads(line)["text"] for line in file)


COLLECTIONS: dict[str, Callable[[Path], Pages]] = {
    "debian_guide": lambda data: debian_guide(data / "debian_guide"),
    "laws_zh": lambda data: editions(data / "laws_zh"),
    "aozora": lambda data: editions(data / "aozora"),
    "pages_zh": lambda data: pages_zh(data / "pages_zh"),
    "slips_en": lambda data: slips(articles(data / "articles_en")),
    "slips_zh": lambda data: slips(articles(data / "articles_zh")),
    "slips_ja": lambda data: slips(wikipedia(data / "wiki_ja")),
}


@cache
def read_pages(name: str, data: Path) -> Pages:
    """A collection, read once for all methods."""
    return COLLECTIONS[name](data)


@dataclass(frozen=True)
class Quality:
    """Pairs (keys of a, b) right, wrong and missed; ``kinds``: found and all of each kind of true pair."""

    pages: Pages
    results: Results
    right: tuple[tuple[int, int], ...]
    wrong: tuple[tuple[int, int], ...]
    missed: tuple[tuple[int, int], ...]
    kinds: Mapping[str, tuple[int, int]]
    seconds: float

    @property
    def precision(self) -> float:
        """Of reported pairs; 1 where there is none."""
        return len(self.right) / max(1, len(self.right) + len(self.wrong)) if self.right or self.wrong else 1.0

    @property
    def recall(self) -> float:
        """Of true pairs; 1 where there is none."""
        return len(self.right) / (len(self.right) + len(self.missed)) if self.right or self.missed else 1.0


def detect(pages: Pages, method: str, settings: Mapping[str, Any]) -> Results:
    """Results of ``method`` on ``pages``."""
    chosen = registry.get(method)
    parameters = chosen.parameters.parse(settings)
    with tempfile.TemporaryDirectory() as folder:
        chosen.prepare(pages, parameters, Path(folder), NullProgress())
        index = chosen.load(Path(folder), parameters)
        return chosen.detect(index, list(pages.documents(*chosen.roles(parameters)[1])), parameters, NullProgress())


def measure(
    name: str, data: Path = DATA, method: str = "trustable-lcs", settings: Mapping[str, Any] | None = None
) -> Quality:
    """Quality of ``method`` with the parameters ``settings`` on a collection."""
    pages = read_pages(name, data)
    begun = time.process_time()
    results = detect(pages, method, settings or {})
    seconds = time.process_time() - begun
    by_key = {d.key: d for d in pages.all}
    positive = {pair for pair, kind in pages.truth.items() if kind in pages.positive}
    reported = [
        (p.a, p.b) for p in results.pairs if frozenset((p.a, p.b)) in positive or pages.judge(by_key[p.a], by_key[p.b])
    ]
    got = {frozenset(pair) for pair in reported}
    all_of = Counter(pages.truth.values())
    of_kind = Counter(pages.truth[pair] for pair in got if pair in pages.truth)
    missed = sorted((max(pair), min(pair)) for pair in positive - got)
    return Quality(
        pages,
        results,
        tuple(pair for pair in reported if frozenset(pair) in positive),
        tuple(pair for pair in reported if frozenset(pair) not in positive),
        tuple((a, b) if by_key[a].role is Role.SUSPECT else (b, a) for a, b in missed),
        {kind: (of_kind[kind], n) for kind, n in sorted(all_of.items())},
        seconds,
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", nargs="*", default=list(COLLECTIONS))
    parser.add_argument("--method", default="trustable-lcs")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    settings = dict(pair.split("=", 1) for pair in options.set)
    method = registry.get(options.method)
    for name in options.collections:
        quality = measure(name, options.data, options.method, settings)
        by_key = {d.key: d for d in quality.pages.all}
        print(
            f"{name}: precision {quality.precision:.3f} recall {quality.recall:.3f} ({len(quality.right)} right, "
            f"{len(quality.wrong)} wrong, {len(quality.missed)} missed), {len(by_key)} pages in {quality.seconds:.2f} s"
        )
        for kind, (n, of) in quality.kinds.items():
            print(f"  {kind}: {n} of {of}")
        for reason, n in quality.results.excluded.items():
            print(f"  left out: {n} {reason}")
        for a, b in quality.wrong:
            print(f"  wrong: {by_key[a].title} | {by_key[b].title}")
        for a, b in quality.missed:
            explanation = method.explain(by_key[a], by_key[b], method.parameters.parse(settings))
            print(f"  missed: {by_key[a].title} | {by_key[b].title}: {explanation.summary}")


if __name__ == "__main__":
    main()
