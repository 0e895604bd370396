"""What labels name: their targets (documents, pairs of documents, passages) and annotators, adjudicators among them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from enum import StrEnum

from workbench.base.messages import Message
from workbench.base.types import Span

_DOCUMENT, _PAIR, PASSAGE_PREFIX = "document:", "pair:", "match:"

Passage = tuple[str, Span, str, Span]
"""Id and span of the suspect, id and span of the source."""


class TargetKind(StrEnum):
    """The kind of thing a label is about."""

    DOCUMENT = "document"
    PAIR = "pair"
    PASSAGE = "passage"

    @property
    def plural(self) -> Message:
        """The plural in a sentence."""
        return _PLURALS[self]


_PLURALS = {
    TargetKind.DOCUMENT: Message("documents"),
    TargetKind.PAIR: Message("pairs"),
    TargetKind.PASSAGE: Message("passages"),
}


def document_target(identity: str) -> str:
    """The name of a document."""
    return _DOCUMENT + identity


def pair_target(a: str, b: str) -> str:
    """The name of a pair; the same whichever document comes first."""
    return _PAIR + json.dumps(sorted((a, b)), ensure_ascii=False)


def passage_target(a: str, a_span: Span, b: str, b_span: Span) -> str:
    """The name of a passage of suspect ``a`` and source ``b`` (ids)."""
    return f"{PASSAGE_PREFIX}{a}:{a_span.start}-{a_span.end}:{b}:{b_span.start}-{b_span.end}"


def kind_of(target: str) -> TargetKind | None:
    """The kind of thing ``target`` names; None for an unknown form."""
    for prefix, kind in (
        (_DOCUMENT, TargetKind.DOCUMENT),
        (_PAIR, TargetKind.PAIR),
        (PASSAGE_PREFIX, TargetKind.PASSAGE),
    ):
        if target.startswith(prefix):
            return kind
    return None


def parse_document(target: str) -> str | None:
    """The id that ``target`` names; None for other targets."""
    return target.removeprefix(_DOCUMENT) if target.startswith(_DOCUMENT) else None


def parse_pair(target: str) -> tuple[str, str] | None:
    """The two ids, in alphabetical order; None for other targets."""
    if not target.startswith(_PAIR):
        return None
    try:
        ids = json.loads(target.removeprefix(_PAIR))
    except (ValueError, RecursionError):
        return None
    if isinstance(ids, list) and len(ids) == 2 and all(isinstance(name, str) for name in ids):
        return (ids[0], ids[1]) if pair_target(*ids) == target else None
    return None


_SPAN = r"(0|[1-9][0-9]{0,14})-(0|[1-9][0-9]{0,14})"
"""Each number has one form: a second name for a passage would evade its judgements."""
_TAIL = re.compile(rf"(.*):{_SPAN}", re.S)
_MIDDLE = re.compile(rf"(?=:{_SPAN}:)")
_BETWEEN_COLONS = re.compile(rf"(?<=:){_SPAN}(?=:)")
_WHOLE_SPAN = re.compile(_SPAN)


def passages(target: str, known: Collection[str]) -> Iterator[Passage]:
    """The passages that ``target`` may name, both ids in ``known``: several only if ids contain spans themselves."""
    tail = _tail(target)
    if tail is None:
        return
    body, b_span = tail[1], Span(int(tail[2]), int(tail[3]))
    for middle in _MIDDLE.finditer(body):
        a, b = body[: middle.start()], body[middle.end(2) + 1 :]
        if a in known and b in known:
            yield a, Span(int(middle[1]), int(middle[2])), b, b_span


def parse_passage(target: str, known: Collection[str]) -> Passage | None:
    """The first of :func:`passages`; None for other targets."""
    return next(passages(target, known), None)


def passage_spans(target: str, a: str, b: str) -> tuple[Span, Span] | None:
    """The spans in suspect ``a`` and source ``b`` (ids); None if ``target`` names no passage of theirs."""
    tail = _tail(target)
    if tail is None or not (tail[1].startswith(f"{a}:") and tail[1].endswith(f":{b}")):
        return None
    middle = _WHOLE_SPAN.fullmatch(tail[1], len(a) + 1, max(len(a) + 1, len(tail[1]) - len(b) - 1))
    if middle is None:
        return None
    return Span(int(middle[1]), int(middle[2])), Span(int(tail[2]), int(tail[3]))


def passage_of_pair(target: str, a: str, b: str) -> tuple[tuple[Span, Span], bool] | None:
    """Like :func:`passage_spans`, whichever document ``target`` names first; and whether that is ``b``."""
    if (spans := passage_spans(target, a, b)) is not None:
        return spans, False
    turned = passage_spans(target, b, a)
    return None if turned is None else ((turned[1], turned[0]), True)


def passage_group(target: str) -> str | None:
    """A name shared by all passages of a pair, :func:`pair_group` of its ids; None for other targets."""
    tail = _tail(target)
    return None if tail is None else _BETWEEN_COLONS.sub("-", tail[1])


def pair_group(a: str, b: str) -> str:
    """:func:`passage_group` of the passages of suspect ``a`` and source ``b`` (ids)."""
    return _BETWEEN_COLONS.sub("-", f"{a}:0-0:{b}")


def _tail(target: str) -> re.Match[str] | None:
    return _TAIL.fullmatch(target, len(PASSAGE_PREFIX)) if target.startswith(PASSAGE_PREFIX) else None


def ids_in(target: str, known: Collection[str]) -> tuple[str, ...]:
    """The ids of the documents that ``target`` names, all of them in ``known``; () for an unknown form."""
    if (identity := parse_document(target)) is not None:
        return (identity,) if identity in known else ()
    if (pair := parse_pair(target)) is not None:
        return pair if pair[0] in known and pair[1] in known else ()
    passage = parse_passage(target, known)
    return () if passage is None else (passage[0], passage[2])


def is_known(target: str, known: Collection[str]) -> bool:
    """Whether the documents that ``target`` names are all among the ids ``known``."""
    return bool(ids_in(target, known))


ADJUDICATOR = "adjudicator"
"""Annotator whose label settles a disagreement; ``adjudicator:NAME`` names the person."""
IMPORTED = "import"
"""Annotator of labels that do not name one."""


def is_adjudicator(who: str) -> bool:
    """Whether ``who`` settles disagreements."""
    return who == ADJUDICATOR or who.startswith(f"{ADJUDICATOR}:")


def adjudicator(name: str) -> str:
    """The annotator name under which the person ``name`` settles disagreements."""
    return name if is_adjudicator(name) else f"{ADJUDICATOR}:{name}" if name else ADJUDICATOR


def person(who: str) -> str:
    """The name of the person behind an annotator; empty for an adjudicator without a name."""
    return who.removeprefix(ADJUDICATOR).removeprefix(":") if is_adjudicator(who) else who
