"""Small collections in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.base.types import Document, Role


@dataclass(frozen=True)
class Collection:
    """A corpus held in memory; documents get their keys by place, from 1."""

    held: tuple[Document, ...]

    @classmethod
    def of(cls, *texts: tuple[Role, str]) -> Collection:
        return cls(tuple(Document(f"d{i}", text, role, key=i) for i, (role, text) in enumerate(texts, 1)))

    def count(self, *roles: Role) -> int:
        return sum(1 for _ in self.documents(*roles))

    def documents(self, *roles: Role) -> Iterator[Document]:
        return (d for d in self.held if not roles or d.role in roles)
