"""Roles and tags of documents: their part in an investigation, the user's own words, and filters by tag.

Separate from the other types, which are slow to import for a short command.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from workbench.base.errors import ParameterError
from workbench.base.messages import Message

Name = TypeVar("Name", int, str)
"""A document, by its key or its id."""


class Role(StrEnum):
    """A document's part in an investigation."""

    SOURCE = "source"
    SUSPECT = "suspect"
    BACKGROUND = "background"


LONGEST = 60
"""Maximum length of a tag, in characters."""
MOST = 30
"""Maximum number of tags of a document; together they are below every limit on fields."""
SEPARATOR = ","
WITHOUT = "-"
"""Prefix of a tag that a filter excludes; no tag begins with it."""


def checked(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags in alphabetical order, each once, without surrounding spaces.

    Raises ParameterError for one that is too long, begins with a minus sign, or contains a comma or control characters,
    and for too many of them.
    """
    names = sorted({tag.strip() for tag in tags} - {""})
    for name in names:
        if len(name) > LONGEST or SEPARATOR in name or name.startswith(WITHOUT) or not name.isprintable():
            raise ParameterError(
                Message(
                    "{name} cannot be a tag: at most {longest} characters, no comma, no leading minus sign.",
                    name=repr(name[: LONGEST + 1]),
                    longest=LONGEST,
                )
            )
    if len(names) > MOST:
        raise ParameterError(Message("A document has at most {most} tags.", most=MOST))
    return tuple(names)


def listed(text: str) -> tuple[str, ...]:
    """The tags of a list like ``news, 2019``. Raises ParameterError as :func:`checked`."""
    return checked(text.split(SEPARATOR))


def shown(tags: Iterable[str]) -> str:
    """Tags, separated by commas."""
    return ", ".join(tags)


def chosen_by(choice: str, tags: Collection[str]) -> bool:
    """Whether ``choice`` accepts documents with ``tags``: a tag, "" (any document), or a minus sign (untagged ones)."""
    return not choice or (not tags if choice == WITHOUT else choice in tags)


@dataclass(frozen=True, slots=True)
class TagFilter:
    """Documents with at least one of the tags ``wanted`` (if empty: any document) and none of ``unwanted``."""

    wanted: frozenset[str] = frozenset()
    unwanted: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> TagFilter:
        """From a list like ``news, -mail``: a minus sign excludes a tag."""
        names = [name for part in text.split(SEPARATOR) if (name := part.strip())]
        unwanted = {name.removeprefix(WITHOUT).strip() for name in names if name.startswith(WITHOUT)}
        return cls(frozenset(name for name in names if not name.startswith(WITHOUT)), frozenset(unwanted - {""}))

    def __bool__(self) -> bool:
        """Whether it can exclude any document."""
        return bool(self.wanted or self.unwanted)

    def accepts(self, tags: Collection[str]) -> bool:
        """Whether a document with ``tags`` passes."""
        return (not self.wanted or not self.wanted.isdisjoint(tags)) and self.unwanted.isdisjoint(tags)


ALL = TagFilter()
"""Accepts every document."""


@dataclass(frozen=True, slots=True)
class ByTag(Generic[Name]):
    """The documents ``accepted`` by a filter, and those with a tag that it excludes. A pair has the tags of both."""

    accepted: frozenset[Name]
    excluded: frozenset[Name]

    def has(self, names: Iterable[Name]) -> bool:
        """Whether the filter accepts the document, pair or set of the documents ``names``."""
        return not self.accepted.isdisjoint(names) and self.excluded.isdisjoint(names)
