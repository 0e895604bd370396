"""What labels are about, and how each is named in the label log: documents, pairs of documents, passages."""

from __future__ import annotations

import json
from collections.abc import Collection
from enum import StrEnum

from workbench.services.verdicts import parse_target
from workbench.services.verdicts import target as passage_target

__all__ = ["TargetKind", "document_target", "kind_of", "pair_target", "parse_document", "parse_pair", "passage_target"]

_DOCUMENT, _PAIR, _PASSAGE = "document:", "pair:", "match:"


class TargetKind(StrEnum):
    """What a label is about."""

    DOCUMENT = "document"
    PAIR = "pair"
    PASSAGE = "passage"


def document_target(identity: str) -> str:
    """The name of a document."""
    return _DOCUMENT + identity


def pair_target(a: str, b: str) -> str:
    """The name of a pair; the same whichever document comes first."""
    return _PAIR + json.dumps(sorted((a, b)), ensure_ascii=False)


def kind_of(target: str) -> TargetKind | None:
    """What ``target`` names; None for a name of no known form."""
    for prefix, kind in ((_DOCUMENT, TargetKind.DOCUMENT), (_PAIR, TargetKind.PAIR), (_PASSAGE, TargetKind.PASSAGE)):
        if target.startswith(prefix):
            return kind
    return None


def parse_document(target: str) -> str | None:
    """The id that ``target`` names; None for other targets."""
    return target.removeprefix(_DOCUMENT) if target.startswith(_DOCUMENT) else None


def parse_pair(target: str) -> tuple[str, str] | None:
    """The two ids, in order of the alphabet; None for other targets."""
    if not target.startswith(_PAIR):
        return None
    try:
        ids = json.loads(target.removeprefix(_PAIR))
    except ValueError:
        return None
    if isinstance(ids, list) and len(ids) == 2 and all(isinstance(name, str) for name in ids):
        return ids[0], ids[1]
    return None


def is_known(target: str, known: Collection[str]) -> bool:
    """Whether the documents that ``target`` names are all among the ids ``known``."""
    if (identity := parse_document(target)) is not None:
        return identity in known
    if (pair := parse_pair(target)) is not None:
        return pair[0] in known and pair[1] in known
    return parse_target(target, known) is not None
