"""A small collection with copies of every kind, and what methods in memory find in it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from workbench.base.messages import stored
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Role
from workbench.methods.core import registry
from workbench.reading import formats
from workbench.reading.formats import Record, Source
from workbench.scaleout.rows import KEYS, PASSAGES, result_rows

_DIGITS = [chr(code) for code in range(0x4E00, 0x4E00 + 400)]


def write_pages(path: Path, number: int = 60, seed: int = 1) -> Path:
    """``number`` pages as JSON lines: texts and web pages with common sentences, some with hidden words; ``path``."""
    rng = random.Random(seed)

    def sentence() -> str:
        return "".join(rng.choices(_DIGITS, k=rng.randint(12, 40))) + "。"

    pool = [[sentence() for _ in range(rng.randint(4, 14))] for _ in range(12)]
    menu = [sentence() for _ in range(3)]
    with path.open("w", encoding="utf-8") as file:
        for i in range(number):
            sentences = list(rng.choice(pool))
            for _ in range(rng.randint(0, 4)):
                sentences[rng.randrange(len(sentences))] = sentence()
            start = rng.randrange(3)
            sentences = sentences[start:] + [sentence() for _ in range(rng.randrange(4))]
            site = f"s{i % 5}.example"
            role = "suspect" if i % 2 else "background" if i % 10 == 4 else "source"
            row = {"id": f"p{i}", "role": role, "url": f"http://{site}/{i}", "published": f"20{i % 20:02}-01-01"}
            if i % 3:
                row["text"] = "".join(sentences)
            else:
                hidden = "<span style='font-size:0.1px'>隠された語</span>" if i % 2 else ""
                body = "".join(f"<p>{s[:6]}{hidden}{s[6:]}</p>" for s in sentences)
                items = "".join(f"<p>{s}</p>" for s in menu)
                link = f"<p><a href='/{i - 3}'>前</a></p>"
                row["html"] = f"<html><body><div>{body}</div><div>{items}</div>{link}</body></html>"
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


class ListCorpus:
    """Documents in memory as methods read them."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents

    def count(self, *roles: Role) -> int:
        return sum(1 for _ in self.documents(*roles))

    def documents(self, *roles: Role) -> Iterator[Document]:
        return (d for d in self._documents if not roles or d.role in roles)


def read_documents(path: Path) -> list[Document]:
    """The pages of ``path`` with keys from 1 in their order."""
    items = formats.read(Source(path, path.name))
    records = [item for item in items if isinstance(item, Record)]
    return [replace(r.document, role=r.role or Role.SOURCE, key=key) for key, r in enumerate(records, 1)]


def in_memory(path: Path, method: str, parameters: dict[str, Any], folder: Path) -> Results:
    """What ``method`` finds in the pages of ``path``."""
    chosen = registry.get(method)
    settings = chosen.parameters.parse(parameters)
    corpus = ListCorpus(read_documents(path))
    folder.mkdir()
    chosen.prepare(corpus, settings, folder, NullProgress())
    examined = chosen.roles(settings)[1]
    return chosen.detect(chosen.load(folder, settings), list(corpus.documents(*examined)), settings, NullProgress())


def as_rows(results: Results) -> tuple[Counter[str], dict[str, int]]:
    """Pairs as text without the numbers that depend on where they were found, and what was left out."""
    pages = range(1 << 20)
    rows = [row for row in result_rows(results, [page + 1 for page in pages]) if "a" in row]
    left_out = {stored(reason): n for reason, n in results.excluded.items() if n}
    return Counter(_text(row, row["a"], row["b"]) for row in rows), left_out


def stored_rows(folder: Path, results: Sequence[str]) -> tuple[Counter[str], dict[str, int]]:
    """The same for the ``results`` of a job in ``folder``."""
    pairs: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for name in results:
        for file in sorted((folder / name).glob("*.parquet")):
            for row in pq.read_table(file).to_pylist():
                if row["a"] is None:
                    left_out.update(json.loads(row["left_out"]))
                else:
                    # The one input file has the number 0, and its rows count from 0.
                    pairs[_text(row, row["a"] % KEYS + 1, row["b"] % KEYS + 1)] += 1
    return pairs, {reason: n for reason, n in left_out.items() if n}


def _text(row: dict[str, Any], a: int, b: int) -> str:
    names = ("score", "scored", "resemblance", "containment", "relation", "evidence", *PASSAGES.names, "regions")
    return json.dumps([a, b, *(row.get(name) for name in names)], ensure_ascii=False)
