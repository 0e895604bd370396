"""Small collections in memory, and what a method finds in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Role
from workbench.methods.core.api import Method

_FACTS = (
    (1868, 12, "Kyoto", 4120), (1872, 31, "Yokohama", 87), (1889, 11, "Tokyo", 550), (1894, 25, "Hiroshima", 9020),
    (1904, 8, "Port Arthur", 46), (1923, 19, "Kanto", 7300), (1936, 26, "Akasaka", 1483), (1945, 15, "Potsdam", 310),
)  # fmt: skip
JAPANESE = "".join(f"{y}年{d}日、政府は{p}の学校{n}校を国有とする法律を公布した。" for y, d, p, n in _FACTS)
CHINESE = "".join(f"{y}年{d}日，政府公布法律，将{p}的{n}所学校收归国有。" for y, d, p, n in _FACTS)
ENGLISH = " ".join(f"On day {d} of {y} the government made {n} schools of {p} public by law." for y, d, p, n in _FACTS)
"""One text in three languages."""


@dataclass(frozen=True)
class Collection:
    """A corpus held in memory; documents get their keys by place, from 1."""

    all: tuple[Document, ...]

    @classmethod
    def of(cls, *texts: tuple[Role, str]) -> Collection:
        return cls(tuple(Document(f"d{i}", text, role, key=i) for i, (role, text) in enumerate(texts, 1)))

    def count(self, *roles: Role) -> int:
        return sum(1 for _ in self.documents(*roles))

    def documents(self, *roles: Role) -> Iterator[Document]:
        return (d for d in self.all if not roles or d.role in roles)


def drifting(texts: int, length: int) -> Collection:
    """Texts of ``length`` letters, each of which alters the one before a little more."""
    rng = random.Random(6)
    letters = [chr(c) for c in range(0x4E00, 0x4F00)]
    documents = []
    for _ in range(texts):
        text = rng.choices(letters, k=length)
        for step in range(8):
            for _ in range(step):
                text[rng.randrange(length)] = rng.choice(letters)
            documents.append((rng.choice([Role.SOURCE, Role.SUSPECT]), "".join(text)))
    return Collection.of(*documents)


def detect(method: Method, folder: Path, corpus: Collection, **settings: Any) -> Results:
    """What ``method`` finds in all of ``corpus``, with an index in ``folder``, under the parameters ``settings``."""
    parameters = method.parameters.parse(settings)
    folder.mkdir(exist_ok=True)
    method.prepare(corpus, parameters, folder, NullProgress())
    examined = list(corpus.documents(*method.roles(parameters)[1]))
    return method.detect(method.load(folder, parameters), examined, parameters, NullProgress())
