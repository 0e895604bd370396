"""Which of two pages came first: the evidence, its source and its strength.

A date on a page is the page's own claim; forged dates are too early. Observations of this program weigh more: a page
was online before the other, or was not yet online at its claimed date. A link to the other page, or its site's name in
the text, is the copier's own admission; an edit of the other's words may only make sense one way. If the signs
contradict each other, no direction is given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from workbench.base.messages import Message
from workbench.base.types import DateSource
from workbench.methods.rare_sentences.relations import Direction

_CONTEXT, _LEAST = 16, 8
"""Number of characters, without spaces, that must be equal on one side of a mark, and on both sides of an omission."""
_NEAR = 6 * _CONTEXT
"""Number of characters of a text in which marks are searched."""
_SHORTEST, _LONGEST = 8, 20_000
"""Characters that an omission can represent."""
_ALIKE = 4
"""Number of equal characters after dots from which both texts continue alike."""
_REPAIRED = 3
"""Maximum number of original characters per damaged one."""


class Edit(StrEnum):
    """A change to the words of the other text: omitted with a mark, broken off, damaged, commented on."""

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
    """A mark in a text: its kind, its length, and the characters before and after it, as returned by :func:`folded`."""

    edit: Edit
    length: int
    before: str
    after: str


# Nothing before the end of a piece is composed with a character after it.
_PIECE = re.compile(r"(?s).{1,8192}[^\n。 ]*[\n。 ]?")


def folded(text: str) -> str:
    """``text`` with width and case normalised, without spaces; piece by piece, as no other thread works meanwhile."""
    pieces = (unicodedata.normalize("NFKC", piece[0]).casefold().split() for piece in _PIECE.finditer(text))
    return "".join(word for piece in pieces for word in piece)


def marked_places(text: str) -> tuple[Mark, ...]:
    """The marks in ``text`` with enough text around them to be looked up in another text."""
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
    """The kinds of edits among ``places`` whose surroundings are unchanged in ``other`` (a folded text)."""
    return frozenset(place.edit for place in places if _is_whole(place, other))


def _is_whole(place: Mark, other: str) -> bool:
    """Whether ``other`` has the words around ``place``, and between them the words that the mark replaces."""
    fewest, most = {
        Edit.OMISSION: (_SHORTEST, _LONGEST),
        Edit.DAMAGE: (1, _REPAIRED * place.length),
        Edit.REMARK: (0, 0),
    }.get(place.edit, (0, 0))
    at = other.find(place.before)
    while at >= 0:
        end = at + len(place.before)
        if place.edit is Edit.BROKEN_OFF:
            # If both texts continue alike, the dots are a matter of style.
            if other[end : end + 1].isalnum() and not (place.after and other.startswith(place.after[:_ALIKE], end)):
                return True
        else:
            next_at = other.find(place.after, end + fewest, end + most + len(place.after))
            if next_at >= 0 and not _MARKS[place.edit].search(other[end:next_at]):
                return True
        at = other.find(place.before, at + 1)
    return False


APART = 3600.0
"""Minimum number of seconds between two first captures that show which page was first."""
ZONES = 14 * 3600.0
"""Number of seconds by which a local day may begin before the UTC day."""


THEIRS, OURS, UNCLEAR = Message("theirs from ours"), Message("ours from theirs"), Message("cannot tell")


FORWARD, BACKWARD = Message("the suspect from the source"), Message("the source from the suspect")


def in_words(way: Direction, *, own: bool = True) -> Message:
    """A direction in words, where ``a`` is another site's page and ``b`` the user's ``own``, or a source."""
    forward, backward = (THEIRS, OURS) if own else (FORWARD, BACKWARD)
    return {Direction.A_FROM_B: forward, Direction.B_FROM_A: backward}.get(way, UNCLEAR)


class Strength(StrEnum):
    """Strength of the evidence: several good signs, or one with weaker ones; one good sign, or two weak ones; a single
    weak sign, such as a page's own claim.
    """

    STRONG = "strong"
    MEDIUM = "medium"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class PageAge:
    """The evidence for a page's age.

    ``published``: the seconds (first, one past the last) that its own date may mean, ``dated_by`` the DateSource of
    that date; ``dateline``: the seconds that a date at the beginning of its text may mean; ``captured``: when it was
    first captured, in seconds, by the fetch ``fetch``; ``missed``: the last visit to its host before that.
    ``is_source``: the user marked it as an original; ``is_addressed``: it has an address.
    """

    published: tuple[float, float] | None = None
    captured: float | None = None
    fetch: str = ""
    missed: float | None = None
    dated_by: str = ""
    dateline: tuple[float, float] | None = None
    is_source: bool = False
    is_addressed: bool = False

    @property
    def is_backdated(self) -> bool:
        """Whether it claims to be older than a visit to its host that did not find it."""
        return self.published is not None and self.missed is not None and self.published[1] <= self.missed

    @property
    def is_before_its_text(self) -> bool:
        """Whether it claims to be older than the date that its text begins with."""
        dates = self.published, self.dateline
        return dates[0] is not None and dates[1] is not None and dates[0][1] <= dates[1][0] - ZONES

    @property
    def believed(self) -> tuple[float, float] | None:
        """The page's date, unless there is evidence against it."""
        return None if self.is_backdated or self.is_before_its_text else self.published


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The direction, how strongly it is supported, and the signs in words."""

    direction: Direction
    strength: Strength
    reason: str

    @property
    def in_words(self) -> Message:
        """The direction between a suspect and a source, with its evidence, or the comparisons that decided nothing."""
        way = in_words(self.direction, own=False)
        return Message("{direction} (a is the suspect, b the source: {reason})", direction=way, reason=self.reason)

    @property
    def evidence(self) -> dict[str, str]:
        """The parts as stored in a pair's evidence."""
        return {
            "direction": str(self.direction),
            "direction_strength": self.strength.value,
            "direction_reason": self.reason,
        }

    @property
    def record(self) -> dict[str, str]:
        """The parts as a flat JSON object."""
        return {
            "direction": in_words(self.direction),
            "direction_strength": self.strength.value,
            "direction_reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class _Sign:
    """1 if ``b`` took from ``a``, -1 if ``a`` from ``b``, 0 if it shows nothing; a good sign weighs 2, a weak one 1."""

    way: int
    weight: int
    words: str


def direction(
    a: PageAge,
    b: PageAge,
    *,
    link_ab: bool = False,
    link_ba: bool = False,
    names_ab: bool = False,
    names_ba: bool = False,
    edits_ab: Collection[Edit] = (),
    edits_ba: Collection[Edit] = (),
) -> Conclusion:
    """Which of the pages ``a`` and ``b`` copied from the other.

    ``link_ab``: ``a`` links to ``b``; ``names_ab``: the text of ``a`` names the site of ``b``; ``edits_ab``: edits
    visible in the text of ``a`` of words that ``b`` has unchanged.
    """
    dates, doubts = _dates(a, b)
    link = int(link_ba) - int(link_ab)
    names = int(names_ba) - int(names_ab)
    # A link alone may be one of many, or warn of a copy; a link text that names the other's site is a credit.
    signs = [dates, _seen(a, b), _Sign(link, 2 if names == link else 1, _LINKS.get(link, ""))]
    if names != link:
        # The words of a link may name the site: that is one sign, not two.
        signs.append(_Sign(names, 2, _NAMES.get(names, "")))
    # Both may have copied a third text, so an edit alone weighs little.
    signs += [
        _Sign(way, 1, Message.joined("; ", [_EDITS[edit][way] for edit in sorted(edits)]))
        for way, edits in ((1, edits_ba), (-1, edits_ab))
        if edits
    ]
    signs = [sign for sign in signs if sign.way]
    # Without evidence for either, state what was compared.
    reasons = [sign.words for sign in signs] + doubts if signs else doubts + _compared(a, b, link_ab, names_ab)
    reason = Message.joined("; ", reasons)
    if len({sign.way for sign in signs}) != 1:
        return Conclusion(Direction.UNKNOWN, Strength.NONE, reason)
    weight = sum(sign.weight for sign in signs)
    strength = {1: Strength.WEAK, 2: Strength.MEDIUM}.get(weight, Strength.STRONG)
    return Conclusion(Direction.B_FROM_A if signs[0].way > 0 else Direction.A_FROM_B, strength, reason)


def _compared(a: PageAge, b: PageAge, links: bool, names: bool) -> list[str]:
    """The comparisons of two pages that decided nothing. ``links``, ``names``: both link to, or name, each other;
    otherwise neither does.
    """
    words: list[str] = []
    if a.published is None and b.published is None:
        words.append(Message("neither gives a date"))
    elif a.published is None or b.published is None:
        words.append(Message("a gives no date") if a.published is None else Message("b gives no date"))
    elif a.believed and b.believed and a.believed[0] < b.believed[1] and b.believed[0] < a.believed[1]:
        words.append(Message("both give dates of the same time"))
    if a.is_addressed and b.is_addressed:
        words.append(Message("each links to the other") if links else Message("neither links to the other"))
        words.append(
            Message("each names the other's site") if names else Message("neither names the other's site in its text")
        )
    else:
        words.append(Message("links were not compared: at least one has no address"))
    if a.captured is None or b.captured is None:
        words.append(Message("not both were captured from the web"))
    elif a.fetch == b.fetch:
        words.append(Message("both were first captured by the same fetch"))
    elif abs(b.captured - a.captured) < APART:
        words.append(Message("both were first captured within an hour"))
    words.append(Message("no edited wording of one was seen in the other"))
    return words


def _dates(a: PageAge, b: PageAge) -> tuple[_Sign, list[str]]:
    """The dates as evidence, and evidence against them."""
    doubts: list[str] = [words for side, words in zip((a, b), _BACKDATED, strict=True) if side.is_backdated]
    doubts += [words for side, words in zip((a, b), _BEFORE_TEXT, strict=True) if side.is_before_its_text]
    one, other = a.believed, b.believed
    if one is None or other is None:
        return _NOTHING, doubts
    way = int(one[1] <= other[0]) - int(other[1] <= one[0])
    earlier, later = (a, b) if way > 0 else (b, a)
    by_importer = earlier.dated_by == DateSource.IMPORTER
    if way and later.is_source and not earlier.is_source and not by_importer:
        # A suspect's own claim is no evidence against the original.
        return _NOTHING, [*doubts, _OWN_WORD[way]]
    if way and a.dated_by and b.dated_by:
        sources = Message("dates: {a} (a), {b} (b)", a=Message(a.dated_by), b=Message(b.dated_by))
        return _Sign(way, 2 if by_importer else 1, Message.joined("; ", (_DATES[way], sources))), doubts
    return _Sign(way, 1, _DATES.get(way, "")), doubts


def _seen(a: PageAge, b: PageAge) -> _Sign:
    """Which was captured first, by another fetch. It is a good sign only if a visit to the later page's host in between
    did not find that page: otherwise it may just not have been requested earlier.
    """
    if a.captured is None or b.captured is None or a.fetch == b.fetch:
        return _NOTHING
    apart = b.captured - a.captured
    way = int(apart >= APART) - int(-apart >= APART)
    if not way:
        return _NOTHING
    earlier, later = (a, b) if way > 0 else (b, a)
    assert earlier.captured is not None
    looked = later.missed is not None and later.missed >= earlier.captured
    return _Sign(way, 2 if looked else 1, (_MISSED if looked else _SEEN)[way])


_NOTHING = _Sign(0, 0, "")
_DATES = {1: Message("a is dated before b"), -1: Message("b is dated before a")}
_SEEN = {1: Message("a was captured before b"), -1: Message("b was captured before a")}
_MISSED = {
    1: Message("a was captured before b existed"),
    -1: Message("b was captured before a existed"),
}
_LINKS = {1: Message("link from b to a"), -1: Message("link from a to b")}
_NAMES = {1: Message("b names the site of a in its text"), -1: Message("a names the site of b in its text")}
_EDITS = {
    Edit.OMISSION: {
        1: Message("b marks an omission where a has text"),
        -1: Message("a marks an omission where b has text"),
    },
    Edit.BROKEN_OFF: {
        1: Message("b breaks off where a continues"),
        -1: Message("a breaks off where b continues"),
    },
    Edit.DAMAGE: {
        1: Message("b has damaged characters where a has intact ones"),
        -1: Message("a has damaged characters where b has intact ones"),
    },
    Edit.REMARK: {
        1: Message("b comments on the wording of a"),
        -1: Message("a comments on the wording of b"),
    },
}
_OWN_WORD = {
    1: Message("a is dated before b, but only according to the suspect itself"),
    -1: Message("b is dated before a, but only according to the suspect itself"),
}
_BACKDATED = (
    Message("a was missing when its host was visited after the date it gives"),
    Message("b was missing when its host was visited after the date it gives"),
)
_BEFORE_TEXT = (
    Message("a gives a date earlier than the one at the start of its text"),
    Message("b gives a date earlier than the one at the start of its text"),
)
