"""Places where the wording of a text shows that it was made from another: edits that only make sense one way.

A text that marks an omission cannot be where the words left out come from; characters are damaged on the way from the
whole to the broken; a remark on the wording of a source is not in that source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

_CONTEXT, _LEAST = 16, 8
"""Characters, without spaces, that must be the same on one side of a place, and on both sides of an omission."""
_NEAR = 6 * _CONTEXT
"""Characters of the text read for them."""
_SHORTEST, _LONGEST = 8, 20_000
"""Characters that an omission can represent."""
_ALIKE = 4
"""Characters after dots by which both texts go on alike."""
_REPAIRED = 3
"""Characters, at most, for each damaged one."""


class Edit(StrEnum):
    """A change to the words of the other text: left out with a mark, broken off, damaged, remarked on."""

    OMISSION = "omission"
    BROKEN_OFF = "broken off"
    DAMAGE = "damage"
    REMARK = "remark"


_MARKS = {
    Edit.OMISSION: re.compile(r"[\[(［（〔](?:\s*(?:\.{3}|…+)\s*|snip|(?:中|後|前|以下)?略)[\])］）〕]", re.IGNORECASE),
    Edit.BROKEN_OFF: re.compile(r"(?:\.{3}|…+)(?=\s*(?:\n|$))"),
    Edit.DAMAGE: re.compile(
        r"\ufffd+|â€.|Ã[\u0080-\u00bf]|&amp;#?\w+;|&(?:quot|apos|nbsp|lt|gt|[lr]dquo|[lr]squo|#\d+);", re.I
    ),
    Edit.REMARK: re.compile(
        r"[\[(［（〔](?:\s*sic\s*|(?:my )?emphasis (?:added|mine)|(?:原文)?ママ|原文如此"
        r"|(?:傍点|下線|強調|太字)(?:は|、)?引用者"
        r"|引用者[^\])］）〕\n]{0,40}|引者[^\])］）〕\n]{0,40})[\])］）〕]",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark in a text: its kind, its length, and the characters before and after it, folded by :func:`folded`."""

    edit: Edit
    length: int
    before: str
    after: str


def folded(text: str) -> str:
    """``text`` in one form of width and case, without spaces."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def marked_places(text: str) -> tuple[Mark, ...]:
    """The marks in ``text`` that have enough text around them to be looked up in another."""
    marks = sorted((*match.span(), edit) for edit, pattern in _MARKS.items() for match in pattern.finditer(text))
    places = []
    for at, (start, end, edit) in enumerate(marks):
        first = max(start - _NEAR, marks[at - 1][1] if at else 0)
        last = min(end + _NEAR, marks[at + 1][0] if at + 1 < len(marks) else len(text))
        before, after = folded(text[first:start])[-_CONTEXT:], folded(text[end:last])[:_CONTEXT]
        needed = _CONTEXT if len(after) < _CONTEXT else _LEAST
        if len(before) >= needed and (edit is not Edit.OMISSION or len(after) >= _LEAST):
            places.append(Mark(edit, end - start, before, after))
    return tuple(places)


def edits_of(places: Iterable[Mark], other: str) -> frozenset[Edit]:
    """The changes to the words of ``other`` (a folded text) at those of ``places`` where it has them unchanged."""
    return frozenset(place.edit for place in places if _is_whole(place, other))


def _is_whole(place: Mark, other: str) -> bool:
    """Whether ``other`` has the words around ``place`` and, in between, the words that the mark replaces, and not the
    mark.
    """
    fewest, most = {
        Edit.OMISSION: (_SHORTEST, _LONGEST),
        Edit.DAMAGE: (1, _REPAIRED * place.length),
        Edit.REMARK: (0, 0),
    }.get(place.edit, (0, 0))
    at = other.find(place.before)
    while at >= 0:
        end = at + len(place.before)
        if place.edit is Edit.BROKEN_OFF:
            # Where both go on alike, the dots are a matter of style.
            if other[end : end + 1].isalnum() and not (place.after and other.startswith(place.after[:_ALIKE], end)):
                return True
        else:
            next_at = other.find(place.after, end + fewest, end + most + len(place.after))
            if next_at >= 0 and not _MARKS[place.edit].search(other[end:next_at]):
                return True
        at = other.find(place.before, at + 1)
    return False
