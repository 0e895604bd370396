"""Names of the classes of relations."""

from __future__ import annotations

from workbench.base.messages import Message

_NAMES = {
    "": Message("No class"),
    "mirror": Message("Mirror"),
    "identical copy": Message("Identical copy"),
    "archive": Message("Archive"),
    "link collection": Message("Link collection"),
    "inclusion": Message("Inclusion"),
    "same site": Message("Same site"),
    "citation": Message("Citation"),
    "shared sentences": Message("Shared sentences"),
    "near-duplicate": Message("Near-duplicate"),
    "whole copy": Message("Whole copy"),
    "inclusion of a copy": Message("Inclusion"),
    "partial copy": Message("Partial copy"),
}


def relation_name(name: str) -> str:
    """The name of the relation that methods call ``name``; ``name`` itself if unknown; "" has a name too."""
    return _NAMES.get(name.casefold(), name)


def is_relation(value: str) -> bool:
    """Whether ``value`` names a class of relations, as methods or as users call it, in any case of letters."""
    word = value.casefold()
    return any(word in (name, str(title).casefold()) for name, title in _NAMES.items() if name)
